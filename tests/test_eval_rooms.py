"""What else an evaluation's room does: limits, judge, sub-agents, worlds, tasks that cannot be scored, reports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import samples
from dialogues import Agent
from evaluations import AGENT, DATASET, WORLD, Shop, solution
from vendor import Call, Reply, VendorServer

from debateroom import cli, evaluations, settings
from debateroom.activities import Outcome
from debateroom.errors import NoModel, RoomError, UsageError
from debateroom.evaluation.dataset import read_dataset
from debateroom.evaluation.plan import Asked
from debateroom.report import html, markdown

Serve = Callable[..., VendorServer]


def figures(outcome: Outcome) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (outcome.transcript.final_output or {})["figures"]
    return found


def written(here: Path, *tasks: Mapping[str, Any]) -> str:
    path = here / "tasks.jsonl"
    path.write_text("".join(json.dumps(task, ensure_ascii=False) + "\n" for task in tasks), encoding="utf-8")
    return str(path)


def customer_only(*said: str) -> Callable[[Call], Reply]:
    """A customer that says one thing after the other in each trial, the last one again."""

    def answer(call: Call) -> Reply:
        turn = sum(message["role"] == "assistant" for message in call.body["messages"])
        return Reply(said[min(turn, len(said) - 1)])

    return answer


def test_the_budget_ends_the_run_and_says_how_far_it_came(serve: Serve, here: Path) -> None:
    """Exit code 7, also for `resume` and `wait`; figures, gate, report and JUnit say what was not played."""
    serve(Shop())
    outcome = evaluations.evaluate(
        DATASET, agent=AGENT, world=WORLD, customer="haiku", agent_model="haiku", active=here / "active",
        concurrency=2, budget=0.001, gate="pass^1>=0.1", junit=str(here / "out.xml"),
    )  # fmt: skip
    assert (outcome.summary["exit_code"], outcome.transcript.stopped, outcome.transcript.status) == (
        7, "budget", "finished",
    )  # fmt: skip
    assert 0 < figures(outcome)["trials"] < 30
    assert f"after {figures(outcome)['trials']} of 30 trials" in str(outcome.summary["error"])
    done = figures(outcome)["trials"]
    missing = [f"{task} #1" for task, _ in figures(outcome)["missing_trials"]]
    summary, gate = outcome.summary, (outcome.transcript.final_output or {})["gate"]
    assert (summary["outcome"], summary["degraded"], summary["missing"]) == ("incomplete", True, missing[:20])
    assert str(summary["summary"]).endswith(f", {done}/30 (30 × 1)")
    assert (gate["ok"], gate["complete"], len(missing)) == (False, False, 30 - done)
    report = outcome.report.read_text(encoding="utf-8")
    assert f"incomplete: {done} of 30 trials; not played: {', '.join(missing)}" in report
    assert f"not in pass^1, for want of valid trials: {', '.join(each[:-3] for each in missing)}" in report
    assert "gate pass^1>=0.1: incomplete (1 so far)" in report
    suite = ElementTree.parse(here / "out.xml").getroot()  # noqa: S314 — our own file
    assert (suite.attrib["tests"], suite.attrib["skipped"]) == ("30", str(30 - done))
    assert cli.run(["wait", str(outcome.folder)]) == 7
    assert cli.run(["resume", str(outcome.folder), "-q"]) == 0, "it is finished: there is nothing to go on with"


def test_the_time_ends_the_run(serve: Serve, here: Path) -> None:
    """Exit code 124; calls under way are left behind."""
    serve(Shop(), latency=0.4)
    outcome = evaluations.evaluate(
        DATASET, agent=AGENT, world=WORLD, customer="haiku", agent_model="haiku", active=here / "active",
        concurrency=2, timeout=2.0,
    )  # fmt: skip
    assert (outcome.summary["exit_code"], outcome.transcript.stopped) == (124, "deadline")
    assert figures(outcome)["trials"] < 30


def test_a_refused_key_ends_the_run_before_more_is_asked(serve: Serve, here: Path) -> None:
    """No trial is an error for it: exit code 4, and the room can be resumed."""
    from vendor.faults import HttpError

    server = serve(lambda call: HttpError(401))
    with pytest.raises(NoModel):
        evaluations.evaluate(
            DATASET, agent=AGENT, customer="haiku", agent_model="haiku", active=here / "active", concurrency=1
        )
    assert len(server.calls) == 1
    state = json.loads((here / "active" / "eval" / "journal.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert (state["event"], state["status"], state["exit_code"]) == ("room_finished", "failed", 4)


def test_a_file_for_junit_is_looked_at_before_the_first_call(
    serve: Serve, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that is missing is no surprise after everything is paid; also for `resume`."""
    server = serve(customer_only("Hello there.", "Bye. ###STOP###"))
    path = written(here, {"instruction": "Say hello."})
    command = ["eval", path, "--agent", "scripted:agent.jsonl", "--customer", "haiku", "-q"]
    (here / "agent.jsonl").write_text('{"response": "Hello."}\n', encoding="utf-8")
    (here / "out").mkdir()
    for place, why in (("x/out.xml", "there is no folder"), ("out", "that file cannot be written")):
        assert cli.run([*command, "--junit", place]) == 2
        assert why in capsys.readouterr().err
    assert (server.calls, (here / "active" / "eval").exists()) == ([], False)
    chosen = settings.load({"active": here / "active"})
    with evaluations.activities.open_models(chosen) as models:
        asked = Asked(agent="scripted:agent.jsonl", customer="haiku", junit=str(here / "out" / "out.xml"))
        folder = evaluations.prepare(
            evaluations.cast(read_dataset(path), asked, chosen, models, "scripted:agent.jsonl").plan, chosen
        )
    (here / "out").rmdir()
    assert cli.run(["resume", str(folder), "-q"]) == 2
    assert f"next: mkdir -p {here / 'out'}" in capsys.readouterr().err
    assert server.calls == []


def test_reports_are_there_whatever_becomes_of_the_file_for_junit(
    serve: Serve, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figures are on stdout and in the report, in words of an evaluation."""

    def full(path: Path, text: str) -> Path:
        raise RoomError(f"cannot write {path}: No space left on device")

    serve(customer_only("Hello there.", "Bye. ###STOP###"))
    monkeypatch.setattr(evaluations.activities, "write_text", full)
    (here / "agent.jsonl").write_text('{"response": "Hello."}\n', encoding="utf-8")
    path = written(here, {"instruction": "Say hello.", "expected_user_satisfied": True})
    command = ["eval", path, "--agent", "scripted:agent.jsonl", "--customer", "haiku", "-q", "--junit", "out.xml"]
    assert cli.run(command) == 1
    out = capsys.readouterr().out
    assert out.startswith("pass^1 by tool_call_match:")
    assert "all checks: 1/1" in out
    assert "all checks: 1/1" in (here / "active" / "eval" / "chatroom_report.md").read_text(encoding="utf-8")


JUDGED = {"instruction": "Say hello.", "checks": {"judge": ["It is polite.", "It says hello."]}}


@pytest.mark.parametrize(
    ("met", "status"), [((True, True), "pass"), ((True, False), "fail"), ((True, None), "inconclusive")]
)
def test_criteria_are_judged_by_another_model(serve: Serve, here: Path, met: Any, status: str) -> None:
    """Each criterion by its number, with the reasoning as evidence; one without an answer is inconclusive."""

    def answer(call: Call) -> Reply:
        text = "\n".join(call.prompt)
        if "It is polite." not in text:
            return customer_only("Hello there.", "Bye. ###STOP###")(call)
        given = [{"number": n, "met": each, "reasoning": "so"} for n, each in enumerate(met, 1) if each is not None]
        return Reply(json.dumps({"criteria": given}))

    serve(answer)
    outcome = evaluations.evaluate(
        written(here, JUDGED), agent=lambda session: Agent("Hello."), customer="haiku", judge="gpt",
        active=here / "active",
    )  # fmt: skip
    rate = figures(outcome)["by_check"].get("judge")
    assert (rate["passed"], rate["trials"]) == (int(status == "pass"), int(status != "inconclusive"))
    assert figures(outcome)["inconclusive"] == int(status == "inconclusive")


def test_without_a_second_model_criteria_are_inconclusive(serve: Serve, here: Path) -> None:
    """Never passed; and the customer's own model may not judge."""
    serve(customer_only("Hello there.", "Bye. ###STOP###"))
    given: dict[str, Any] = {"agent": lambda session: Agent("Hello."), "customer": "haiku", "active": here / "active"}
    outcome = evaluations.evaluate(written(here, JUDGED), **given)
    assert (figures(outcome)["overall"]["passed"], figures(outcome)["inconclusive"]) == (0, 1)
    with pytest.raises(UsageError, match="would judge itself"):
        evaluations.evaluate(written(here, JUDGED), judge="haiku", **given)


def test_calls_of_sub_agents_are_known_by_their_name(serve: Serve, here: Path) -> None:
    """`by` is checked against who really called."""
    (here / "desk.yaml").write_text(
        "start: desk\nagents:\n"
        "  - name: desk\n    instructions: You are the desk.\n    sub_agents: [books]\n"
        "  - name: books\n    public_description: Knows the books.\n    instructions: You are the books.\n"
        "    tools: [python:tool:count]\n",
        encoding="utf-8",
    )
    (here / "tool.py").write_text(
        'def count(n: int) -> str:\n    """Count.\n\n    Args:\n        n: How far.\n    """\n    return str(n)\n'
    )

    def answer(call: Call) -> Reply:
        text, tools = "\n".join(call.prompt), [tool["name"] for tool in call.body.get("tools", ())]
        if "###STOP###" in call.prompt[0]:
            return customer_only("Please count.", "Thanks. ###STOP###")(call)
        done = sum(turn["role"] == "assistant" for turn in call.body["messages"])
        if "count" in tools:
            return Reply("", calls=(("count", '{"n": 3}'),)) if done == 0 else Reply(_report)
        assert "You are the desk" in text
        return (
            Reply("", calls=((tools[0], json.dumps(dict.fromkeys(("query", "context", "goal"), "Count to 3."))),))
            if done == 0
            else Reply("It is 3.")
        )

    _report = json.dumps(
        {"status": "ok", "items": [{"count": 3}], "meta": {"count": 1}, "control": {"canRetry": True}}
    )
    serve(answer)
    expected = [
        {"tool": "count", "args_match": {"n": 3}, "by": "books"},
        {"tool": "count", "by": "desk", "forbidden": True},
    ]
    outcome = evaluations.evaluate(
        written(here, {"instruction": "Have it count.", "expected_tool_calls": expected}),
        agent="desk.yaml", customer="haiku", agent_model="haiku", active=here / "active",
    )  # fmt: skip
    journal = (outcome.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    (trial,) = [event["result"] for event in map(json.loads, journal) if event["event"] == "trial_finished"]
    assert ("count", "books") in [(call["tool"], call["by"]) for call in trial["calls"]]
    assert figures(outcome)["by_check"]["tool_calls"]["passed"] == 1


def test_what_cannot_be_scored_is_said_and_never_passed(serve: Serve, here: Path) -> None:
    """A τ²-bench task with assertions of its own world."""
    serve(customer_only("Hello there.", "Bye. ###STOP###"))
    task = {
        "id": "0", "user_scenario": {"instructions": {"reason_for_call": "Say hello."}},
        "evaluation_criteria": {"env_assertions": [{"func_name": "f"}], "reward_basis": ["ENV_ASSERTION"]},
    }  # fmt: skip
    (here / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    outcome = evaluations.evaluate(
        f"tau2:{here / 'tasks.json'}", agent=lambda session: Agent("Hello."), customer="haiku", active=here / "active"
    )
    (row,) = (outcome.transcript.final_output or {})["tasks"]
    assert (row["passed"], row["valid"], row["unscored"]) == (0, 1, ["db_state: f is a function of its world"])
    assert "f is a function of its world" in outcome.report.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["en", "fr", "zh"])
def test_reports_show_the_failed_trial_and_nothing_of_it_runs(serve: Serve, here: Path, language: str) -> None:
    """Figures first, a table by task, a section a failed trial; what models wrote is text."""
    evil = "<script>alert(1)</script> | [x](javascript:1)"
    serve(customer_only(f"Hello {evil}", "Bye. ###STOP###"))
    task = {"id": "A|B", "instruction": "Say hello.", "expected_tool_calls": [{"tool": "get_order"}]}
    outcome = evaluations.evaluate(
        written(here, task), agent=lambda session: Agent((evil, ["add_note"])), customer="haiku", language=language,
        active=here / "active",
    )  # fmt: skip
    page, report = outcome.page.read_text(encoding="utf-8"), outcome.report.read_text(encoding="utf-8")
    words = {"en": "Trials that did not pass", "fr": "Essais non réussis", "zh": "未通过的试验"}[language]
    for text in (page, report):
        assert text.index("pass^1 by tool_call_match") < text.index(words)
        assert "get_order" in text.split(words)[1]
        assert not re.search(r"(?<!\\)<script>alert", text)
    assert "A\\|B" in report
    assert (markdown.render(outcome.transcript) == report, html.render(outcome.transcript) == page) == (True, True)


def test_the_lint_ends_with_3_and_names_lines(here: Path) -> None:
    """Empty criteria, a reference that fails, doing nothing that passes; a clean dataset is 0."""

    def lint(*more: str) -> tuple[int, list[str]]:
        command = [sys.executable, "-m", "debateroom", "eval", *more]
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
        assert not done.stderr
        return done.returncode, done.stdout.splitlines()

    path = written(
        here, {"instruction": "Hi.", "checks": {"judge": []}}, {"instruction": "Ho.", "expected_user_satisfied": True}
    )
    code, lines = lint("--lint", path)
    assert any("empty: it checks user_satisfied alone" in line for line in lines)
    assert (code, [line.split("  ")[0] for line in lines][:1]) == (3, [f"{path}:1"])
    assert any("empty: judge" in line for line in lines)
    assert lint(DATASET, "--lint", "--agent", AGENT, "--world", WORLD) == (0, ["30 tasks, no finding"])


def test_the_lint_says_what_it_could_not_look_at(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No finding without the world is no promise."""
    assert cli.run(["eval", "--lint", DATASET]) == 0
    shown = capsys.readouterr()
    assert shown.out == "30 tasks, no finding\n"
    assert shown.err.startswith("without --world not looked at: of 30 tasks,")


def test_detached_runs_are_waited_for(serve: Serve, here: Path) -> None:
    """`--detach` prints room and pid; `wait` ends with the run's exit code, `status` names the outcome."""
    serve(Shop(lambda task, before: solution(task, before)[:-1]))
    start = [sys.executable, "-m", "debateroom"]
    command = [*start, "eval", DATASET, "--agent", AGENT, "--world", WORLD, "--customer", "haiku"]
    command += ["--agent-model", "haiku", "--gate", "pass^1>=0.9", "--detach"]
    begun = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True)
    assert json.loads(begun.stdout)["status"] == "running"
    waited = subprocess.run(
        [*start, "wait", "eval", "--timeout", "60"], cwd=here, capture_output=True, text=True, check=False
    )
    value = json.loads(waited.stdout)
    assert (waited.returncode, value["outcome"], value["kind"]) == (3, "missed", "eval"), value
    told = subprocess.run([*start, "status", "eval"], cwd=here, capture_output=True, text=True, check=True)
    assert "0.00" in told.stdout


@pytest.mark.parametrize(
    "final",
    [
        {"figures": "x"}, {"figures": {}}, {"figures": {"overall": 1, "by_check": {}}},
        {"failed": [{}], "tasks": [{}]},
        {"failed": [{"task": 1, "checks": 5}], "tasks": [{"task": "T", "checks": 7}]}, {"more_failed": "many"},
        {"own_seed": 5, "tasks": 3, "outcome": ["x"]},
    ],
)  # fmt: skip
def test_a_transcript_from_elsewhere_is_shown_as_far_as_it_can_be_read(final: dict[str, Any]) -> None:
    """What is not as ours is left out."""
    transcript = replace(samples.evaluation(), final_output={**(samples.evaluation().final_output or {}), **final})
    for text in (markdown.render(transcript), html.render(transcript)):
        assert "shop-30.jsonl" in text
