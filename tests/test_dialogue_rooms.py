"""Dialogues as rooms: resumed without a repeated call, run from outside, interrupted, printed, reported."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dialogues import Agent, complete, done, journal, repair, script

import debateroom
from debateroom import activities, cli, dialogues, resuming, settings
from debateroom.activities import Outcome
from debateroom.dialogue import plan as plans
from debateroom.errors import AgentFailed, RoomError, UsageError
from debateroom.report import html, markdown
from debateroom.room.room import Room, opening_event
from debateroom.room.transcript import read_chat

SHOP = Path(__file__).parent / "agents" / "shop.yaml"
SCENARIO = """persona: hurried
goals: The agent says where order W1001 is, and looks it up with get_order.
opening: Where is my order W1001?
"""
POSITION = (
    "You look after orders.\n- Trigger: an order is late\n  Work: say where it is\n  Beneficiary: Eva\n-- END --\n"
)
LOOKS = {"agent": "shop", "calls": [{"name": "get_order", "arguments": {"order_id": "W1001"}}]}
ANSWERS = """#!{python}
import json, sys

def answer(messages):
    return "It is being prepared."

if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps({{"text": answer([])}}), flush=True)
"""


@pytest.fixture
def desk(here: Path) -> Path:
    """A folder with a scenario, a position, and the scripted model of the shop's agent."""
    (here / "s.yaml").write_text(SCENARIO)
    (here / "POSITION.md").write_text(POSITION)
    lines = [LOOKS, {"agent": "shop", "response": "It is being prepared."}]
    (here / "shop.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return here


def simulate(capsys: pytest.CaptureFixture[str], *more: str, driver: str) -> tuple[int, str, str]:
    return run(
        capsys, "simulate", "s.yaml", "--agent", str(SHOP), "--agent-model", "scripted:shop.jsonl", "--model", driver,
        *more,
    )  # fmt: skip


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one call."""
    code = cli.run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_simulate_prints_verdict_turns_tools_and_files(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On stdout; the way there is on stderr, a line a turn."""
    code, out, err = simulate(capsys, driver=script(desk, done(explain="It looked it up.")))
    room = desk / "active" / "simulation"
    assert (code, out.splitlines()) == (
        0,
        [
            "Passed: It looked it up.", "", "Turns: 1 of 10", "Tools executed: get_order", "",
            f"Report: {room / 'chatroom_report.md'}", f"Transcript: {room / 'chat.json'}",
        ],
    )  # fmt: skip
    assert err.splitlines()[-1] == "turn 1 of 10: shop answered; tools: get_order"


def test_simulate_says_before_the_first_call_which_tools_the_agent_has_not(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A goal that names none of them cannot be met."""
    (desk / "s.yaml").write_text(SCENARIO.replace("get_order", "get_ordr"))
    code, _, err = simulate(capsys, driver=script(desk, done()))
    assert (code, err.splitlines()[0]) == (3, "shop has no tool that the scenario names: get_ordr")


def test_the_exit_code_is_the_verdicts(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """3 failed or inconclusive, which the JSON says; 1 for a run that broke; 2 for what cannot be understood."""
    code, out, _ = simulate(capsys, "--json", driver=script(desk, done(False, "", "Rude.")))
    assert (code, json.loads(out)["outcome"], json.loads(out)["ok"], json.loads(out)["exit_code"]) == (
        3,
        "failed",
        False,
        3,
    )
    code, out, _ = simulate(capsys, "--json", driver=script(desk, done(True, "", "Rude.")))
    assert (code, json.loads(out)["outcome"]) == (3, "inconclusive")
    (desk / "shop.jsonl").write_text(json.dumps({"agent": "shop", "error": "the server is down"}) + "\n")
    code, out, err = simulate(capsys, "--json", driver=script(desk, done()))
    assert (code, json.loads(out)["status"], json.loads(out)["outcome"]) == (1, "failed", None)
    assert "the server is down" in err
    assert run(capsys, "simulate", "nowhere.yaml", "--agent", "x")[0] == 2
    assert run(capsys, "simulate", "s.yaml")[0] == 2
    assert simulate(capsys, "--max-turns", "0", driver=script(desk, done()))[0] == 2


def test_work_leaves_the_deliverable_alone_on_stdout(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It can be piped; verdict, turns and files are on stderr. The language is the mission's."""
    plan = {"call": "plan", "response": {"steps": ["a", "b"]}}
    end = complete("Votre commande W1001 est en préparation.", "Trouvé : l'état. Manque : rien.")
    driver = script(desk, plan, "Donne l'état de la commande W1001.", end, first=1)
    code, out, err = run(
        capsys, "work", "Trouve l'état de la commande W1001.", "--brief", "POSITION.md", "--agent", str(SHOP),
        "--agent-model", "scripted:shop.jsonl", "--model", driver, "--room", "late", "--job-id", "j-1",
    )  # fmt: skip
    room = desk / "active" / "late"
    assert (code, out) == (0, "Votre commande W1001 est en préparation.\n")
    assert err.splitlines()[-8:-1] == [
        "Livré : Trouvé : l'état. Manque : rien.", "", "Tours : 1 sur 10", "Outils exécutés : get_order", "",
        f"Livrable : {room / 'deliverable.md'}",
        f"Rapport : {room / 'chatroom_report.md'}",
    ]  # fmt: skip
    assert (room / "deliverable.md").read_text() == out


def test_what_was_paid_for_is_shown_when_the_reports_find_no_space(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a dialogue's, with nothing of a debate in it; a deliverable still stands alone."""

    def full(room: Room, name: str, text: str) -> Path:
        if name != "deliverable.md":
            raise RoomError(f"cannot write {name}: No space left on device")
        return room.folder / name

    monkeypatch.setattr(Room, "write_file", full)
    plan = {"call": "plan", "response": {"steps": ["a", "b"]}}
    driver = script(desk, plan, "Find the status of order W1001.", complete("It is being prepared."), first=1)
    code, out, err = run(
        capsys, "work", "Find the status of order W1001.", "--brief", "POSITION.md", "--agent", str(SHOP),
        "--agent-model", "scripted:shop.jsonl", "--model", driver,
    )  # fmt: skip
    assert (code, out) == (1, "It is being prepared.\n")
    assert "Delivered: Found: all of it. Missing: nothing." in err
    code, out, err = simulate(capsys, driver=script(desk, done(explain="Good.")))
    assert (code, out) == (1, "Passed: Good.\n\nTurns: 1 of 10\nTools executed: get_order\n")
    assert "No space left" in err


def test_events_are_printed_as_they_happen(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--events`: the journal's lines, tools among them, and the object last."""
    code, out, _ = simulate(capsys, "--events", driver=script(desk, done()))
    *events, last = [json.loads(line) for line in out.splitlines()]
    assert (code, events) == (0, journal(desk / "active" / "simulation"))
    assert [event["event"] for event in events if event["event"].startswith("tool_")] == [
        "tool_called",
        "tool_answered",
    ]
    assert last["outcome"] == "passed"


def test_rooms_and_status_tell_a_dialogue(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands of rooms work on it."""
    simulate(capsys, driver=script(desk, done()))
    assert "Where is my order W1001?" in run(capsys, "rooms")[1]
    assert run(capsys, "status", "simulation")[1].splitlines()[1] == "Passed: It was done."
    code, out, err = run(capsys, "resume", "simulation")
    assert (code, "nothing was asked again" in err, out.splitlines()[0]) == (0, True, "Passed: It was done.")


SIMULATED = (
    "Which order?",
    ("I see W1001. Which colour is it?", ["get_order"]),
    ("Green: it is on its way.", ["get_order"]),
)
WORKED = (("Luminex sells lamps. Shall I look up prices?", ["search"]), ("It costs CHF 40.", ["price"]))


def whole_simulation(folder: Path, agent: Agent) -> Outcome:
    scenario = {
        "goals": "It says where the order is.",
        "opening": "Where is it?",
        "persona": "Has order W1001, a green lamp.",
    }
    broken = "[DONE] well"
    model = script(folder, "It is W1001.", "", repair("It is green."), broken, repair(done()))
    return debateroom.simulate(scenario, agent=agent, model=model, active=folder / "active")


def whole_job(folder: Path, agent: Agent) -> Outcome:
    (folder / "POSITION.md").write_text(POSITION)
    plan = {"call": "plan", "response": {"steps": ["a", "b"]}}
    early = complete("Luminex.", "Partial: found one; the price is missing.")
    end = complete("Luminex sells lamps at CHF 40.")
    model = script(
        folder,
        plan,
        "1. Who sells lamps?",
        repair("Who sells lamps?"),
        early,
        repair("Yes, the prices."),
        end,
        first=1,
    )
    return debateroom.work(
        "Find lamps.", brief=folder / "POSITION.md", agent=agent, model=model, active=folder / "active"
    )


@pytest.mark.parametrize(
    ("whole", "answers"), [(whole_simulation, SIMULATED), (whole_job, WORKED)], ids=["simulation", "work"]
)
def test_resumed_anywhere_it_ends_the_same_and_repeats_no_finished_call(
    tmp_path: Path, whole: Callable[[Path, Agent], Outcome], answers: Any
) -> None:
    """The journal is cut after each of its lines: what it holds is not asked again, and the rest is as it was."""
    outcome = whole(tmp_path, Agent(*answers))
    original = comparable(outcome)
    lines = (outcome.folder / "journal.jsonl").read_text().splitlines(keepends=True)
    for cut in range(1, len(lines)):
        folder = tmp_path / f"cut-{cut}"
        shutil.copytree(outcome.folder, folder)
        (folder / "journal.jsonl").write_text("".join(lines[:cut]))
        agent = Agent(*answers)
        again = resumed(folder, agent)
        assert comparable(again) == original, f"after line {cut}"
        known = [
            event for event in map(json.loads, lines[:cut]) if event["event"] == "reply" and event["agent"] == "shop"
        ]
        assert len(agent.heard) == len(answers) - len(known), f"after line {cut}"
        events = [(event["event"], event.get("round"), event.get("agent")) for event in journal(folder)]
        for name in ("worker_started", "worker_iteration", "worker_completed", "planned", "set_aside", "synthesized"):
            made = [json.loads(line)["event"] for line in lines].count(name)
            assert [event[0] for event in events].count(name) == made, f"{name} after line {cut}"


def resumed(folder: Path, agent: Agent) -> Outcome:
    plan = plans.from_event(opening_event(folder))
    with activities.open_models(settings.load({})) as models:
        return dialogues.play(lambda: Room.reopen(folder), plan, models, agent=agent)


def comparable(outcome: Outcome) -> Any:
    """What a dialogue came to, without times."""
    chat = json.loads(outcome.chat.read_text())
    final = {key: value for key, value in chat["final_output"].items() if key != "duration"}
    rounds = [
        [(entry["agent"], entry["response"], entry.get("tools", [])) for entry in item["entries"]]
        for item in chat["rounds"]
    ]
    return (
        rounds,
        final,
        chat["stopped"],
        chat["usage"],
        outcome.summary["exit_code"],
        outcome.summary["rounds_played"],
    )


def test_a_broken_run_is_resumed_from_the_command_line(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The agent is opened again as it was started, from whatever folder; settings may be checked."""
    driver = script(desk, {"turn": True, "error": "the server is down"})
    assert simulate(capsys, driver=driver)[0] == 1
    script(desk, done())
    assert run(capsys, "resume", "simulation", "--rounds", "3")[0] == 2
    os.chdir(desk.parent)
    code, out, err = run(capsys, "resume", str(desk / "active" / "simulation"))
    assert (code, out.splitlines()[0]) == (0, "Passed: It was done.")
    assert "resumed; rounds finished: 1 of 10" in err
    assert len(journal(desk / "active" / "simulation", "tool_called")) == 1


@pytest.mark.parametrize("agent", ["command:./answers.py", "python:answers:answer"])
def test_an_agent_beside_its_room_is_found_again_from_another_folder(
    desk: Path, capsys: pytest.CaptureFixture[str], agent: str
) -> None:
    """A relative program and a module start where the room was started."""
    (desk / "answers.py").write_text(ANSWERS.format(python=sys.executable))
    (desk / "answers.py").chmod(0o700)
    driver = script(desk, {"turn": True, "error": "the server is down"})
    assert run(capsys, "simulate", "s.yaml", "--agent", agent, "--model", driver)[0] == 1
    script(desk, done())
    os.chdir(desk.parent)
    code, _, err = run(capsys, "resume", str(desk / "active" / "simulation"))
    assert code in (0, 3), err  # a verdict: what the goals ask for no tool did
    assert "resumed; rounds finished: 1 of 10" in err


def test_an_agent_given_as_an_object_cannot_be_opened_again(tmp_path: Path) -> None:
    """The journal has no name for it: resume says so."""
    with pytest.raises(AgentFailed):
        whole_simulation(tmp_path, Agent(AgentFailed("it crashed")))
    with pytest.raises(UsageError, match="Python object"):
        resuming.resume(tmp_path / "active" / "simulation", settings.load({}))


def until(condition: Callable[[], Any]) -> None:
    """Waits for `condition`; fails when it does not come true."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)


def arguments(driver: str) -> list[str]:
    given = ["simulate", "s.yaml", "--agent", str(SHOP), "--agent-model", "scripted:shop.jsonl", "--model", driver]
    return [sys.executable, "-m", "debateroom", *given]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_at_once_and_resume_goes_on(
    desk: Path, capsys: pytest.CaptureFixture[str], number: int, code: int
) -> None:
    """What was answered is on disk, and the last line says how to go on."""
    driver = script(desk, {"turn": True, "response": done(), "seconds": 60})
    process = subprocess.Popen(
        arguments(driver),
        cwd=desk,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    room = desk / "active" / "simulation"
    until(lambda: (room / "journal.jsonl").exists() and journal(room, "round_finished"))
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == code
    assert err.splitlines()[-1] == f"debateroom: interrupted; continue with: debateroom resume {room}"
    script(desk, done())
    code, out, _ = run(capsys, "resume", "simulation")
    assert (code, out.splitlines()[0], len(journal(room, "tool_called"))) == (0, "Passed: It was done.", 1)


def test_detached_it_is_waited_for_stopped_and_has_the_room_alone(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--detach`, `wait`, `stop`; a second run in the room is refused with exit code 6."""
    driver = script(desk, {"turn": True, "response": done(), "seconds": 60})
    started = subprocess.run([*arguments(driver), "--detach"], cwd=desk, capture_output=True, text=True, check=False)
    assert (started.returncode, json.loads(started.stdout)["status"]) == (0, "running")
    room = desk / "active" / "simulation"
    until(lambda: journal(room, "round_finished"))
    code, out, _ = run(capsys, "wait", "simulation", "--timeout", "0")
    assert (code, json.loads(out)["status"], json.loads(out)["kind"]) == (124, "running", "simulation")
    assert simulate(capsys, driver=driver)[0] == 6
    assert run(capsys, "stop", "simulation")[0] == 0
    assert json.loads(run(capsys, "wait", "simulation")[1])["status"] == "interrupted"
    script(desk, done(False, "", "Too slow."))
    subprocess.run(
        [*arguments(driver)[:3], "resume", "simulation", "--detach"], cwd=desk, capture_output=True, check=True
    )
    code, out, _ = run(capsys, "wait", "simulation")
    assert (code, json.loads(out)["outcome"]) == (3, "failed")


def test_the_report_shows_verdict_parties_tools_findings_and_turns(desk: Path) -> None:
    """As Markdown and as a page, also from chat.json alone; nothing an agent wrote is markup."""
    agent = Agent(("<script>alert(1)</script> Which **order**?", ["get_order", "get_order"]), name="shop|x")
    scenario = {"goals": "It helps, with get_order.", "opening": "Hello?"}
    model = script(desk, "I am a tester. It is W9-77.", done(False, "It was polite.", "It did not help."))
    outcome = debateroom.simulate(scenario, agent=agent, model=model, max_turns=5, job_id="j-9")
    text = outcome.report.read_text()
    for line in (
        "# Simulation report", "**Opening**: Hello?  ", "**Verdict**: Failed  ", "**Job**: j-9  ",
        "**Turns**: 2 of 5 | **Tools executed**: get_order ×4  ", "## What went wrong", "It did not help.",
        "- turn 2: shows that it is a test: “I am a tester”", "- turn 2: made-up identifier: “W9-77”",
        "<summary>Turn 1</summary>", "<summary>The end</summary>",
    ):  # fmt: skip
        assert line in text.splitlines(), line
    page = outcome.page.read_text()
    assert "<script>alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "tools: get_order ×2" in page
    kept = read_chat(outcome.chat)
    assert (markdown.render(kept), html.render(kept)) == (text, page)


@pytest.mark.parametrize(
    ("language", "title"), [("en", "# Worker report"), ("fr", "# Rapport du worker"), ("zh", "# 执行者报告")]
)
def test_the_report_speaks_the_language_of_the_room(tmp_path: Path, language: str, title: str) -> None:
    """The deliverable stands first, with its summary and confidence."""
    (tmp_path / "POSITION.md").write_text(POSITION)
    plan = {"call": "plan", "response": {"steps": ["a", "b"]}}
    model = script(tmp_path, plan, "Who sells lamps?", complete("Luminex."), first=1)
    outcome = debateroom.work(
        "Find lamps.", brief=tmp_path / "POSITION.md", agent=Agent(("Luminex.", ["search"])), model=model,
        active=tmp_path, language=language,
    )  # fmt: skip
    text = outcome.report.read_text()
    assert text.startswith(title)
    assert ("\nLuminex.\n" in text, "70" in text) == (True, True)
    assert f'lang="{"zh-Hans" if language == "zh" else language}"' in outcome.page.read_text()


@pytest.mark.parametrize("tool", ["weather_now", "Weather_Now"])
def test_a_success_without_the_declared_tool_that_the_goals_name_is_inconclusive(desk: Path, tool: str) -> None:
    """Nothing in the name says that it is one: the agent's file does, and that of a sub-agent."""
    (desk / "sky.py").write_text('def weather_now() -> str:\n    """The weather."""\n    return \'rain\'\n')
    (desk / "sky.yaml").write_text(
        "start: desk\nagents:\n  - name: desk\n    instructions: x\n    sub_agents: [sky]\n"
        "  - name: sky\n    public_description: d\n    instructions: x\n    tools: ['python:sky:weather_now']\n"
    )
    (desk / "sky.jsonl").write_text(json.dumps({"agent": "desk", "response": "It rains."}) + "\n")
    scenario = {"goals": f"The agent must use {tool}.", "opening": "How is the weather?"}
    outcome = debateroom.simulate(
        scenario, agent="sky.yaml", agent_model="scripted:sky.jsonl", model=script(desk, done())
    )
    final = outcome.transcript.final_output or {}
    assert (outcome.summary["exit_code"], final["outcome"], final["because"]) == (3, "inconclusive", "tools")
