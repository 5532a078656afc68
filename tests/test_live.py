"""The table of seats on a terminal: what stays where there is little room, and that a failure does not end it."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from debateroom.cli.live import LiveProgress, Row, rows
from debateroom.room.room import event

SEATS = [{"name": f"Agent {letter}", "role": f"Role of {letter}"} for letter in "ABCDEFGHIJKLMN"]
DONE = "done, confidence 7"


def test_there_is_room_for_everything_on_a_wide_terminal() -> None:
    """Name, role and state as they are."""
    states = {"Agent A": DONE, "Agent B": "waiting"}
    found = rows(SEATS[:2], states, {"Agent A"}, columns=80, lines=20)
    assert found == [Row("Agent A", "Role of A", DONE), Row("Agent B", "Role of B", "waiting")]


@pytest.mark.parametrize("columns", [25, 30, 40])
def test_letter_and_figures_stay_on_a_narrow_terminal(columns: int) -> None:
    """The role goes first, then what all names have in common; no row is wider than the terminal."""
    states = {"Agent A": DONE, "Agent B": "writing, 1,204 chars"}
    found = rows(SEATS[:2], states, {"Agent A"}, columns=columns, lines=20)
    assert [row.name.split()[-1] for row in found] == ["A", "B"]
    assert [row.state for row in found] == list(states.values())
    widest = [max(len(row[cell]) for row in found) for cell in range(3)]
    assert sum(widest) + 2 * (2 if widest[1] else 1) <= columns


def test_those_who_are_done_give_way_on_a_low_terminal() -> None:
    """In seat order; how many are left out is said."""
    states = {seat["name"]: "waiting" for seat in SEATS}
    done = {f"Agent {letter}" for letter in "ACEFGHIJKL"}
    found = rows(SEATS, states, done, columns=80, lines=6)
    assert [row.name for row in found] == ["Agent A", "Agent B", "Agent D", "Agent M", "Agent N", "… +9"]
    assert len(rows(SEATS, states, set(), columns=80, lines=14)) == 14
    assert rows(SEATS, states, set(), columns=80, lines=0) == [Row("… +14", "", "")]


def test_a_seat_that_failed_stays_in_the_table_and_the_others_move_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is said above it. Seats that had answered before a resume are shown as done."""
    shown, screen = LiveProgress(), io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console", lambda **_: Console(file=screen, force_terminal=True, width=80, height=24)
    )
    settings = {"moderator": "none"}
    shown.on_event(event("room_opened", language="en", rounds=2, agents=[
        {**seat, "model": "embedded"} for seat in SEATS[:3]
    ], settings=settings))  # fmt: skip
    shown.on_event(event("round_started", round=1, answered={"Agent C": 7}))
    shown.on_event(event("seat_failed", agent="Agent A", role="Role of A", reason="The server is down.", round=1))
    shown.on_progress("Agent B", 72)
    screen.truncate(0)
    shown.on_event({"event": "tool_called", "agent": "Agent B", "name": "read_file", "arguments": {"path": "a.py"}})
    drawn = screen.getvalue()
    shown.close()
    assert "Agent A  Role of A  failed" in drawn
    assert "Agent B  Role of B  read_file a.py" in drawn
    assert f"Agent C  Role of C  {DONE}" in drawn
