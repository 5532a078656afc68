"""Standard output is the answer's: what code of the user's prints, in whichever way, goes to standard error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from dialogues import complete, done

from debateroom import cli

PRINTS = """
import os, subprocess, sys
print("NOISE of the import")

def loud(where):
    print("NOISE of print in", where)
    sys.stdout.write("NOISE of write\\n")
    os.write(1, b"NOISE of the descriptor\\n")
    subprocess.run([sys.executable, "-Sc", "print('NOISE of a child')"])

def look() -> str:
    "Look."
    loud("a tool")
    return "it is here"

def before(session):
    loud("the hook")

def answer(messages):
    loud("an agent")
    return "It is here."

class World:
    def __init__(self): loud("the world")
    def reset(self, initial, seed): loud("its beginning")
    def tools(self): return {"look": look}
    def state(self):
        loud("its state")
        return {}
"""
KINDS = ("the import", "print in", "write", "the descriptor", "a child")
DESK = "name: desk\ninstructions: You look.\ntools: ['python:prints:look']\n"
SCENARIO = "goals: It looks.\nopening: Where is it?\nbefore: python:prints:before\n"
TASK = {"id": "T", "scenario": {"instruction": "Ask.", "opening": "Where is it?"}, "expected_db_state": {}}


@pytest.fixture
def loud(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose tool, hook, agent and world print; each test imports them anew."""
    monkeypatch.delitem(sys.modules, "prints", raising=False)
    (here / "prints.py").write_text(PRINTS)
    (here / "desk.yaml").write_text(DESK)
    (here / "s.yaml").write_text(SCENARIO)
    (here / "POSITION.md").write_text("You look.\n")
    (here / "task.jsonl").write_text(json.dumps(TASK))
    looks = [{"agent": "desk", "calls": [{"name": "look", "arguments": {}}]}, {"response": "It is here."}]
    (here / "desk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in looks))
    (here / "driver.jsonl").write_text(json.dumps({"response": done()}))
    (here / "customer.jsonl").write_text(json.dumps({"response": "###STOP###"}))
    ends = [
        {"call": "plan", "response": '{"steps": ["Ask.", "Write."]}'},
        {"round": 1, "response": "Where is it?"},
        {"response": complete("It is here.")},
    ]
    (here / "worker.jsonl").write_text("".join(json.dumps(line) + "\n" for line in ends))
    return here


SIMULATE = ["simulate", "s.yaml", "--agent", "desk.yaml", "--agent-model", "scripted:desk.jsonl"]
SIMULATE += ["--model", "scripted:driver.jsonl"]
WORK = ["work", "Find it in the house.", "--brief", "POSITION.md", "--agent", "python:prints:answer"]
EVAL = ["eval", "task.jsonl", "--agent", "desk.yaml", "--agent-model", "scripted:desk.jsonl"]
EVAL += ["--world", "python:prints:World", "--customer", "scripted:customer.jsonl"]


def test_what_the_process_prints_besides_is_no_part_of_the_object(loud: Path) -> None:
    """A real process: print, the descriptor and children of a tool and of the hook; the object stands alone."""
    command = [sys.executable, "-m", "debateroom", *SIMULATE, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=loud)
    assert (ran.returncode, json.loads(ran.stdout)["outcome"]) == (0, "passed"), ran.stderr
    for where in ("a tool", "the hook"):
        assert f"NOISE of print in {where}" in ran.stderr
    assert all(f"NOISE of {kind}" in ran.stderr for kind in KINDS)


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ([*SIMULATE, "--events"], ("a tool", "the hook")),
        ([*EVAL, "--json"], ("the world", "its beginning", "its state")),
        (["eval", "task.jsonl", "--lint", "--json", "--world", "python:prints:World"], ("the world",)),
    ],
    ids=lambda value: " ".join(value[:1]),
)
def test_every_line_on_standard_output_is_json(
    loud: Path, capfd: pytest.CaptureFixture[str], command: list[str], printed: tuple[str, ...]
) -> None:
    """Events, evaluations and what is looked at before one; afterwards standard output is everybody's again."""
    cli.run(command)
    print("afterwards")
    os.write(1, b"again\n")
    out, err = capfd.readouterr()
    *lines, afterwards, again = out.splitlines()
    assert (afterwards, again) == ("afterwards", "again")
    assert lines
    assert all(json.loads(line) is not None for line in lines)
    assert all(f"NOISE of print in {where}" in err for where in printed), err


def test_a_deliverable_stands_alone(loud: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What an agent of the user's prints is not part of what is handed over."""
    code = cli.run([*WORK, "--model", "scripted:worker.jsonl"])
    assert (code, capfd.readouterr().out) == (0, "It is here.\n")


def test_an_error_is_one_object_too(loud: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A hook that prints and fails: the object says so, and nothing stands beside it."""
    (loud / "prints.py").write_text(PRINTS.replace('loud("the hook")', 'loud("the hook"); raise KeyError("db")'))
    code = cli.run([*SIMULATE, "--json"])
    told = json.loads(capfd.readouterr().out)
    assert (code, told["ok"]) == (1, False)
    assert "KeyError" in told["error"]
