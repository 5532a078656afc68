"""How customers were played: each rule finds its fault, clean parts stay clean, and recall on planted faults."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dialogues import Agent
from evaluations import AGENT, DATASET, TASKS, WORLD
from vendor import Call, Reply, VendorServer
from vendor.faults import HttpError

from debateroom import cli, evaluations, settings
from debateroom.errors import UsageError
from debateroom.evaluation.customer_judge import read_score
from debateroom.evaluation.customer_rules import RULES, customer_findings
from debateroom.evaluation.dataset import read_task
from debateroom.evaluation.planting import plant
from debateroom.evaluation.trial import Message, Stop, Trial
from debateroom.room.room import read

Serve = Callable[..., VendorServer]
TASK = read_task({
    "id": "T",
    "instruction": "You want order W1912 cancelled because you are moving house next week.",
    "known_info": "Order W1912. Your name is Ann. You paid 89 euros on 5 March 2026.",
    "unknown_values": ["ann@example.org"],
})  # fmt: skip


def trial(*said: str, ended: str | None = "stop") -> Trial:
    """Customer and agent by turns."""
    parties = ("customer", "agent")
    messages = tuple(Message(party=parties[n % 2], text=text) for n, text in enumerate(said))  # type: ignore[arg-type]
    stop = Stop(cause="token", token=ended) if ended else Stop(cause="max_turns")  # type: ignore[arg-type]
    return Trial(task="T", messages=messages, stop=stop)


CLEAN = ("Hi, please cancel my order.", "Which one is it?", "It is W1912.", "W1912 is cancelled.", "Thanks!")


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        (CLEAN, []),
        ((*CLEAN[:4], "Thanks! My e-mail is x@example.net."), ["invented"]),
        ((*CLEAN[:4], "Thanks! It is ann@example.org."), ["leak"]),
        (("Hi, cancel it.", "Which one?", "It is W19122.", "Done."), ["id_rewritten"]),
        (("Hi, cancel it.", "Which one?", "It is w-1912.", "Done."), ["id_rewritten"]),
        (("You want order W1912 cancelled because you are moving house next week.", "Done."), ["parrot"]),
        ((*CLEAN[:4], "Fine. Is there anything else I can do for you?"), ["role_flip"]),
        ((*CLEAN[:4], "客服：请问有什么可以帮您？"), ["role_flip"]),
        (("Cancel W1912, 89 euros, of 5 March 2026.", "Done."), ["dump"]),
        ((*CLEAN[:4], "Hi, please cancel my order."), ["restart"]),
        (("Hi, cancel it.", "Which order is it?"), ["premature_stop"]),
        (("Hi, cancel it.",), ["premature_stop"]),
    ],
)
def test_each_rule_finds_its_fault(said: tuple[str, ...], rules: list[str]) -> None:
    """And nothing else."""
    assert [finding.rule for finding in customer_findings(TASK, trial(*said), "en")] == rules


def test_only_a_stop_can_come_too_early() -> None:
    """A customer that was cut off by the limit left nothing."""
    assert customer_findings(TASK, trial("Hi, cancel it.", "Which order is it?", ended=None), "en") == ()


def test_every_planted_fault_is_of_its_kind_and_seen_by_the_rules() -> None:
    """The kinds by turns, the same for the same seed; a kind without room is left out."""
    clean = [(TASK, trial(*CLEAN).model_copy(update={"number": number})) for number in range(1, 4)]
    planted = plant(clean, 24, seed=3)
    assert [each.rule for each in planted] == [*RULES, *RULES, *RULES]
    assert planted == plant(clean, 24, seed=3)
    for each in planted:
        assert each.rule in {finding.rule for finding in customer_findings(each.task, each.trial, "en")}, each
    bare = read_task({"id": "T", "instruction": "You want a refund."})
    assert {each.rule for each in plant([(bare, trial(*CLEAN))], 9)} == set(RULES) - {"leak", "id_rewritten", "dump"}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"info_fidelity": 1, "persona_consistency": 0, "reasoning": "r"}', (1, 0, "r")),
        ('Sure: {"info_fidelity": 2, "persona_consistency": "yes"}', (None, None, "")),
        ("no idea", (None, None, "")),
    ],
)
def test_a_judge_is_read_strictly(text: str, score: tuple[Any, ...]) -> None:
    """0 or 1; anything else is no score."""
    assert tuple(read_score(text)) == score


def answer(call: Call) -> Reply:
    """A customer that asks and stops, an agent that says that it is done, and a judge who finds one thing."""
    text = "\n".join(call.prompt)
    if "info_fidelity" in text:
        bad = TASKS[0].instruction in text or "example.net" in text
        return Reply(
            json.dumps({"info_fidelity": int(not bad), "persona_consistency": 1, "reasoning": "It says so."})
        )
    if "###STOP###" in text:
        said = sum(turn["role"] == "assistant" for turn in call.body["messages"])
        return Reply("Hi there, can you help me?" if said == 0 else "Thanks. ###STOP###")
    return Reply("It is done.")


def test_the_customers_of_a_room_are_scored(serve: Serve, here: Path) -> None:
    """`Info Fidelity: 29/30 = 97%` first; rules beside it, agreement, and recall on planted faults."""
    server = serve(answer)
    outcome = evaluations.evaluate(
        DATASET, agent=AGENT, world=WORLD, customer="haiku", agent_model="haiku", active=here / "active", seed=1
    )
    with pytest.raises(UsageError, match="there is no judge"):
        evaluations.meta(outcome.folder, settings.load({}), judge=None, rules_only=False)
    with pytest.raises(UsageError, match="would judge itself"):
        evaluations.meta(outcome.folder, settings.load({}), judge="haiku", rules_only=False)
    calls = len(server.calls)
    found = evaluations.meta(outcome.folder, settings.load({}), judge=None, rules_only=True, planted=16)
    assert len(server.calls) == calls
    assert (len(found.played), set(found.findings.values())) == (30, {0})
    assert found.recall
    assert sum(found.recall.planted.values()) == sum(found.recall.rules.values()) == 16
    command = [sys.executable, "-m", "debateroom", "eval", "meta", "--judge", "gpt", "--planted", "8"]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[:2] == ["Info Fidelity: 29/30 = 97%", "Persona Consistency: 30/30 = 100%"]
    shown = "\n".join(lines)
    assert "Info Fidelity: 29/30 = 97%" in lines[3]
    assert f"{TASKS[0].id} #1" in shown
    assert "8/8 = 100%" in shown
    assert lines[-1] == "38 calls to the judge were made now; its other answers were in the room"
    calls = len(server.calls)
    again = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    assert len(server.calls) == calls
    assert again.stdout.splitlines()[:-1] == lines[:-1]
    assert lines[-2].startswith("Judge: ")
    cost = json.loads(outcome.chat.read_text(encoding="utf-8"))["cost"]
    assert cost > outcome.transcript.cost


def test_a_judge_that_fails_now_and_then_is_asked_again_for_that_alone(serve: Serve, here: Path) -> None:
    """What it answered is kept and paid once; a customer without an answer has no score, and a run keeps its end."""
    bad = {"on": True}

    def flaky(call: Call) -> Any:
        judged = "info_fidelity" in "\n".join(call.prompt)
        wanted = TASKS[2].instruction in "\n".join(call.prompt)
        return HttpError(400) if bad["on"] and judged and wanted else answer(call)

    server = serve(flaky)
    outcome = evaluations.evaluate(
        DATASET, agent=AGENT, world=WORLD, customer="haiku", agent_model="haiku", active=here / "active", seed=1
    )
    found = evaluations.meta(outcome.folder, settings.load({}), judge="gpt", rules_only=False)
    assert (found.share("info_fidelity"), found.asked) == ((28, 29), 30)
    (failed,) = [each.score for each in found.played if each.score and each.score.info_fidelity is None]
    assert "did not accept the call" in failed.reasoning
    calls, bad["on"] = len(server.calls), False
    seen: list[tuple[int, int]] = []
    found = evaluations.meta(
        outcome.folder,
        settings.load({}),
        judge="gpt",
        rules_only=False,
        on_judged=lambda *so_far: seen.append(so_far),
    )
    assert (found.share("info_fidelity"), found.asked, len(server.calls) - calls) == ((29, 30), 1, 1)
    assert seen == [(30, 30)]
    state = read(outcome.folder)
    assert (state.transcript.status, state.exit_code) == ("finished", 0)
    assert found.spent
    assert found.spent.cost == pytest.approx((state.transcript.cost or 0) - (outcome.transcript.cost or 0))


def talked(serve: Serve, here: Path, judged: Callable[[int], str]) -> tuple[Path, list[str]]:
    """A room with three customers, and a judge that writes what `judged` gives for its first, second … answer."""
    asked: list[str] = []

    def answering(call: Call) -> Reply:
        text = "\n".join(call.prompt)
        if "info_fidelity" in text:
            asked.append(text)
            return Reply(judged(len(asked)))
        said = sum(turn["role"] == "assistant" for turn in call.body["messages"])
        return Reply("Hi there, can you help me?" if said == 0 else "Thanks. ###STOP###")

    serve(answering)
    path = here / "three.jsonl"
    path.write_text(
        "".join(f'{{"id": "{name}", "instruction": "Say {name}."}}\n' for name in "abc"), encoding="utf-8"
    )
    outcome = evaluations.evaluate(
        path, agent=lambda session: Agent("It is done."), customer="haiku", active=here / "active", concurrency=1
    )
    return outcome.folder, asked


GOOD = '{"info_fidelity": "1", "persona_consistency": 1, "reasoning": "r"}'


@pytest.mark.parametrize(
    ("judged", "code", "line", "unread"),
    [
        (lambda number: GOOD, 0, "Info Fidelity: 3/3 = 100%", ""),
        (lambda number: "no idea", 1, "Info Fidelity: -; 3 not judged", "for 3 of 3 customers: its answers do not"),
        (lambda number: GOOD if number > 1 else "{}", 3, "Info Fidelity: 2/2 = 100%; 1 not judged", "for 1 of 3"),
    ],
)  # fmt: skip
def test_a_judge_without_scores_is_told_and_no_success(
    serve: Serve,
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    judged: Callable[[int], str],
    code: int,
    line: str,
    unread: str,
) -> None:
    """Its unread answers stand in the line; a sentence, an exit code, and whom the workspace has named is woken."""
    woken: list[str] = []
    monkeypatch.setattr("debateroom.wake.hook.required", lambda place: None)
    monkeypatch.setattr("debateroom.cli.waking._wake", lambda *given: woken.append(str(given[-1])))
    folder, _ = talked(serve, here, judged)
    command = ["eval", "meta", str(folder), "--judge", "gpt"]
    assert cli.run([*command, "--wake-on-failure"]) == code
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0] == line
    assert "None" not in shown.out
    assert (unread in shown.err, bool(woken)) == (True, code != 0)
    assert cli.run([*command, "--json"]) == (0 if code == 3 else code)
    assert json.loads(capsys.readouterr().out)["unjudged"] == (3 if code == 1 else 0)


def test_nothing_is_asked_where_nobody_could_be_woken(serve: Serve, here: Path) -> None:
    """As with every long command."""
    folder, asked = talked(serve, here, lambda number: GOOD)
    assert cli.run(["eval", "meta", str(folder), "--judge", "gpt", "--wake-on-failure"]) == 2
    assert asked == []


def test_where_no_talk_is_clean_no_fault_is_planted(
    serve: Serve, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And that is said, in place of a recall of nothing."""
    folder, _ = talked(serve, here, lambda number: GOOD)
    journal = folder / "journal.jsonl"
    talk = journal.read_text(encoding="utf-8").replace("Hi there, can you help me?", "My mail is x@example.net.")
    journal.write_text(talk, encoding="utf-8")
    assert cli.run(["eval", "meta", str(folder), "--rules-only", "--planted", "4"]) == 0
    out = capsys.readouterr().out
    assert "no fault was planted: the rules find something in the parts of all 3 customers" in out
    assert "planted faults seen" not in out


def test_regrading_says_what_was_not_played(serve: Serve, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A killed run's room is regraded as far as it came, and no further."""
    folder, _ = talked(serve, here, lambda number: GOOD)
    journal = folder / "journal.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines(True)
    ends = [at for at, line in enumerate(lines) if '"event":"trial_finished"' in line]
    journal.write_text("".join(lines[: ends[0] + 1]), encoding="utf-8")
    assert cli.run(["eval", "regrade", str(folder)]) == 0
    assert "not played: 2 trials, b #1, c #1" in capsys.readouterr().err
