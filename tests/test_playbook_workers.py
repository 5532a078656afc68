"""What a worker of a playbook may do: its tools that act need the coordinator's permission, with a receipt each."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from commands import until
from coordinators import coordinator, events, record, worker
from debates import run

import debateroom.cli.asking as asking
from debateroom import activities, coordinating, settings
from debateroom.agents import run as runs
from debateroom.agents.run import Limits
from debateroom.agents.tools import Outcome
from debateroom.messages import ToolSpec
from debateroom.models.processes import Programs, Ran
from debateroom.playbooks import permits
from debateroom.playbooks.approval import Answer
from debateroom.playbooks.desk import Desk
from debateroom.playbooks.plan import Task
from debateroom.room.room import Room

LINK = "https://example.com/proof"
HAND = """name: hand
instructions: You do what you are asked.
model: scripted:hand.jsonl
tools:
  - {name: deploy, description: Deploys., command: [touch, deployed], parameters: {what: What.}}
"""


def hand(folder: Path) -> str:
    """An agent for workers that calls a tool which changes something."""
    (folder / "hand.yaml").write_text(HAND)
    said = [{"calls": [{"name": "deploy", "arguments": {"what": "all"}}]}, {"response": "12 files."}]
    lines = [json.dumps({"agent": "hand", "round": 1, **each}) for each in said]
    (folder / "hand.jsonl").write_text("\n".join(lines) + "\n")
    return "hand.yaml"


def swarm(capsys: pytest.CaptureFixture[str], folder: Path, agent: str, *more: str) -> dict[str, Any]:
    """A run with one worker that drives `agent`, with the JSON object that it prints."""
    model, _ = worker(folder, "one", "12 files.")
    told = coordinator(folder, [("delegate_task", {"task": "Count"})], [record(1, LINK)], "Done.")
    words = ("playbook", "run", "swarm", "--agent", told, "--worker-model", model, "--worker-agent", agent)
    value: dict[str, Any] = json.loads(run(capsys, *words, "--json", *more)[1])
    return value


def receipts(folder: Path) -> list[dict[str, Any]]:
    path = folder / "active/coordinator/receipts.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize("answer", [True, None])
def test_a_worker_s_tool_that_acts_needs_the_coordinator_s_permission(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, answer: bool | None
) -> None:
    """The person at the coordinator's terminal is asked, in whichever process the tool is; the receipt is its own."""
    asked: list[tuple[str, str]] = []
    person = None if answer is None else lambda language, tool, shown, seconds: asked.append((tool, shown)) or answer
    monkeypatch.setattr(asking, "person", lambda: person)
    swarm(capsys, here, hand(here))
    (ended,) = events(here, "worker_ended")
    assert (here / "deployed").exists() == bool(answer)
    assert asked == ([(f"{ended['room']}: deploy", '{"what":"all"}')] if answer else [])
    (receipt,) = receipts(here)
    told = ("deploy", ended["room"], "approved" if answer else "denied", "person" if answer else "nobody")
    assert tuple(receipt[key] for key in ("tool", "worker", "answer", "by")) == told
    listed = json.loads(run(capsys, "decisions", "--json")[1])
    assert listed[0]["what"] == f'{ended["room"]}: deploy({{"what":"all"}})'
    assert listed[0]["evidence"] == f"receipts.jsonl#{receipt['uuid']}"
    journal = (here / "active" / ended["room"] / "journal.jsonl").read_text()
    (answered,) = [each for each in map(json.loads, journal.splitlines()) if each["event"] == "tool_answered"]
    assert (answered["ok"], answered.get("executed", True)) == (bool(answer), bool(answer))
    # gone on with by hand there is no coordinator that could permit anything
    (here / "deployed").unlink(missing_ok=True)
    lines = journal.splitlines(keepends=True)
    cut = next(number for number, line in enumerate(lines) if '"tools_asked"' in line)
    (here / "active" / ended["room"] / "journal.jsonl").write_text("".join(lines[:cut]))
    run(capsys, "resume", ended["room"], "-q")
    assert not (here / "deployed").exists()


@pytest.mark.parametrize("approve", ["always", "never"])
def test_an_agent_from_outside_is_one_tool_that_acts(
    here: Path, capsys: pytest.CaptureFixture[str], approve: str
) -> None:
    """What it does by itself nobody is asked about, so giving it the task is what needs permission."""
    (here / "side.py").write_text("def answer(messages, session):\n    return '12 files.'\n")
    swarm(capsys, here, "python:side:answer", "--approve", approve)
    (receipt,) = receipts(here)
    assert (receipt["tool"], receipt["shown"]) == ("python:side:answer", '{"task":"Count"}')
    assert (receipt["by"], len(events(here, "worker_delegated"))) == (approve, approve == "always")
    refused = "python:side:answer was not run: this run permits no tool that changes something"
    assert any(refused in json.dumps(each) for each in events(here, "tool_answered")) == (approve == "never")


@pytest.mark.parametrize(
    ("agent", "code", "what"),
    [
        ("gone.yaml", 2, "gone.yaml"), ("scripted:gone.jsonl", 2, "gone.jsonl"),
        ("wrong.yaml", 2, "wrong.yaml, line 1"), ("unknown.yaml", 2, "unknown.yaml, line 3, model"),
        ("openai-typo:tiny", 4, "openai-typo"),
        ("named.yaml", 2, "may not be called worker-agent"), ("command:no-such-program", 2, "no-such-program"),
    ],
)  # fmt: skip
def test_an_agent_that_no_worker_could_drive_is_refused_at_once(
    here: Path, capsys: pytest.CaptureFixture[str], agent: str, code: int, what: str
) -> None:
    """Before there is a room, with the option and what is wrong."""
    (here / "wrong.yaml").write_text(HAND.replace("name: hand", "nam: hand"))
    (here / "unknown.yaml").write_text(HAND.replace("scripted:hand.jsonl", "openai-typo:tiny"))
    (here / "named.yaml").write_text(HAND.replace("name: hand", "name: worker-agent"))
    hand(here)
    told = coordinator(here, "Done.")
    got, _, err = run(capsys, "playbook", "run", "swarm", "--agent", told, "--worker-agent", agent)
    assert (got, "--worker-agent: " in err, what in err) == (code, True, True), err
    assert not (here / "active").exists()


def test_why_a_worker_failed_is_told_wherever_it_is_shown(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when it never came to have a room: in the journal, to the coordinator, on the card and in the report."""
    why = "hand.yaml, line 3: there is no such field"
    monkeypatch.setattr(Programs, "run", lambda programs, words, **given: Ran(2, json.dumps({"error": why}), ""))
    told = coordinator(here, [("delegate_task", {"task": "Count"})], "Done.")
    code, _, err = run(capsys, "playbook", "run", "swarm", "--agent", told)
    (ended,) = events(here, "worker_ended")
    assert (code, ended["outcome"], ended["error"]) == (3, "broken", why)
    ((ok, text),) = [(each["ok"], each["result"]) for each in events(here, "tool_answered")]
    assert (ok, why in text) == (False, True)
    report = (here / "active/coordinator/chatroom_report.md").read_text()
    assert all(f" — {why}" in each for each in (err, run(capsys, "watch", "--once")[1], report))


@pytest.fixture
def desk(here: Path) -> Iterator[Desk]:
    """The desk of a run that permits everything that it is asked for."""
    coordinator(here, "Done.")
    chosen = settings.load({})
    with activities.open_models(chosen) as models:
        plan = coordinating.make("swarm", None, Task(agent="scripted:c.jsonl"), chosen, models)
        with Room.reopen(coordinating.prepare(plan, chosen)) as room:
            yield Desk(room, plan, ask=lambda language, tool, shown, seconds: True)


def test_a_question_that_waited_too_long_is_put_to_nobody(desk: Desk, tmp_path: Path) -> None:
    """A person who says yes afterwards would permit what is not done any more."""
    question = tmp_path / "1.asked"
    question.write_text(json.dumps({"tool": "deploy", "arguments": {}, "seconds": 60.0}))
    os.utime(question, (question.stat().st_mtime - 61, question.stat().st_mtime - 61))
    with permits.answering(desk, tmp_path, "w"):
        assert permits.ask(tmp_path, "deploy", {"what": "now"}, 60.0) == Answer(True, "person")
        until(lambda: len(receipts(desk.project)) == 2)
    late, now = sorted(receipts(desk.project), key=lambda each: str(each["shown"]))[::-1]
    assert {(late["shown"], late["by"]), (now["shown"], now["by"])} == {
        ("{}", "nobody"),
        ('{"what":"now"}', "person"),
    }


def test_an_answer_that_comes_when_the_worker_is_gone_is_a_receipt_all_the_same(desk: Desk, tmp_path: Path) -> None:
    """Its folder is gone with it, and nothing breaks."""
    door = tmp_path / "door"
    door.mkdir()
    desk.ask = lambda language, tool, shown, seconds: not shutil.rmtree(door)
    (door / "1.asked").write_text(json.dumps({"tool": "deploy", "arguments": {}, "seconds": 60.0}))
    with permits.answering(desk, door, "w"):
        (thread,) = [each for each in threading.enumerate() if each.name == "permits-w"]
        thread.join(20)
    assert not thread.is_alive()
    assert [(each["tool"], each["answer"]) for each in receipts(desk.project)] == [("deploy", "approved")]


@pytest.mark.parametrize("door", [False, True])
def test_where_nobody_listens_nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, door: bool) -> None:
    """No coordinator, or one that has gone: denied, in the worker's language."""
    monkeypatch.setenv(permits.DOOR, str(tmp_path / "gone")) if door else monkeypatch.delenv(permits.DOOR, False)
    tool = permits.guard()(Untouched())
    started = runs.start(Limits(), until=None, session="", language="fr", turn=1)
    came = tool.run({}, started)
    assert (came.ok, came.executed) == (False, False)
    assert "personne n’est là" in came.text


class Untouched:
    """A tool that may not be run."""

    spec = ToolSpec("deploy", "Deploys.", {})
    timeout = 1.0
    aliases: Mapping[str, str] = MappingProxyType({})

    def run(self, arguments: Any, run: Any) -> Outcome:
        raise AssertionError
