"""Going on from a chat.json without a journal: by what the file says, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from debates import APART, QUESTION, SURE, SYNTHESIS, Serve, run
from vendor import debate_script

SEATS = [{"name": f"Agent {x}", "role": x, "framing": "f"} for x in "AB"]
ENTRIES = [{"agent": f"Agent {x}", "role": x, "response": f"POSITION: {x}"} for x in "AB"]
TWO = [{"round": 1, "entries": ENTRIES}, {"round": 2, "entries": ENTRIES}]


def script() -> str:
    """The name of a model that always says the same."""
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: x"}))
    return "scripted:replies.jsonl"


def chat(**values: Any) -> dict[str, Any]:
    """A transcript with these values in place of its own."""
    Path("old").mkdir()
    value = {"problem": QUESTION, "agents": SEATS, "rounds": [], "final_output": None} | values
    Path("old/chat.json").write_text(json.dumps(value))
    return value


def left() -> dict[str, Any]:
    """The transcript as it is now."""
    value: dict[str, Any] = json.loads(Path("old/chat.json").read_text())
    return value


@pytest.mark.parametrize(("given", "played"), [([], 2), (["-r", "1"], 1)])
def test_the_file_says_how_many_rounds(
    here: Path, capsys: pytest.CaptureFixture[str], given: list[str], played: int
) -> None:
    """Unless the caller does."""
    chat(rounds_asked=2, rounds=[])
    code, _, err = run(capsys, "resume", "old", "--model", script(), *given)
    assert (code, len(left()["rounds"]), left()["rounds_asked"]) == (0, played, played), err


@pytest.mark.parametrize("cost", [0.25, None])
def test_what_was_spent_before_is_added(here: Path, capsys: pytest.CaptureFixture[str], cost: float | None) -> None:
    """Tokens, seconds and money; a cost that is not known makes the whole unknown."""
    usage = {"input": 100, "cached": 10, "written": 5, "output": 20}
    said = [ENTRIES[0] | {"usage": usage}, ENTRIES[1]]
    spent = {"input": 150, "cached": 10, "written": 5, "output": 30}
    chat(rounds_asked=1, rounds=[{"round": 1, "entries": said}], usage=spent, cost=cost, seconds=40.0)
    code, _, err = run(capsys, "resume", "old", "--model", script())
    assert code == 0, err
    after = left()
    assert (after["usage"], after["cost"], after["seconds"] >= 40.0) == (spent, cost, True)
    assert after["rounds"][0]["entries"][0]["usage"] == usage


def test_a_room_that_lost_its_journal_has_spent_what_it_had(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """What the first run cost, and the synthesis that was missing."""
    serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    assert run(capsys, QUESTION, "-n", "2", "-r", "2", "--model", "sonnet")[0] == 0
    room = Path("active/chatroom")
    whole = json.loads((room / "chat.json").read_text())
    (room / "chat.json").write_text(json.dumps(whole | {"final_output": None, "status": "interrupted"}))
    (room / "journal.jsonl").unlink()
    code, _, err = run(capsys, "resume")
    assert code == 0, err
    after = json.loads((room / "chat.json").read_text())
    assert after["rounds_asked"] == 2
    assert after["cost"] > whole["cost"]
    assert after["usage"]["output"] > whole["usage"]["output"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"rounds": [{"round": "x", "entries": None}]}, "Part 1 of “rounds” is not a round"),
        ({"rounds": [{"round": "x", "entries": ENTRIES}]}, 'A round says "x" for its number'),
        ({"rounds": [{"round": 1, "entries": ENTRIES}, {"round": 1, "entries": ENTRIES}]}, "Round numbers repeat"),
        ({"rounds": "two"}, "The rounds under “rounds” could not be read"),
        ({"rounds": [{"round": 1, "entries": ["x"]}]}, "Reply 1 of round 1 could not be read"),
        ({"agents": [*SEATS, SEATS[0]]}, "Agent A is in the list of agents more than once"),
        ({"agents": [*SEATS, 7]}, "Agent number 3 of the list could not be read"),
        (
            {"rounds": [{"round": 1, "entries": [*ENTRIES, {"agent": "Eve", "response": "x"}]}]},
            "Eve speaks but is not",
        ),
    ],
)
def test_a_file_of_the_wrong_structure_is_refused_and_still_reported(
    here: Path, capsys: pytest.CaptureFixture[str], values: dict[str, Any], said: str
) -> None:
    """Nothing is asked, and nothing written; the report shows what can be read, with the same sentence."""
    before = chat(**values)
    code, _, err = run(capsys, "resume", "old", "--model", script())
    assert (code, said in err, left(), len(list(Path("old").iterdir()))) == (2, True, before, 1), err
    code, out, _ = run(capsys, "report", "old/chat.json", "--format", "md")
    assert (code, said in out.replace("\\", "")) == (0, True), out


def test_fewer_rounds_than_there_are_and_every_other_difference_is_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All at once, before anything is written."""
    chat(rounds=TWO)
    code, _, err = run(capsys, "resume", "old", "--model", script(), "-r", "1", "-n", "3", "--language", "fr")
    assert (code, len(list(Path("old").iterdir()))) == (2, 1)
    assert all(each in err for each in ("rounds 2, not 1", "agents 2, not 3", "language en, not fr")), err


def test_a_file_that_is_not_there_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a hint that is about resume."""
    code, _, err = run(capsys, "resume", "nowhere/chat.json")
    assert (code, "no such file" in err, "report" in err) == (2, True, False), err
