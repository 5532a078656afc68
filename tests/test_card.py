"""The live card as a pure function of a journal's events: what it does now, steps, workers, counters, seats."""

from __future__ import annotations

import copy
import io
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from rich.console import Console

from debateroom.cli import card
from debateroom.cli.panel import Card
from debateroom.language import LANGUAGES, say
from debateroom.playbooks.catalogue import shipped
from debateroom.playbooks.live import compute_live
from debateroom.playbooks.standing import verdict
from debateroom.room import shapes
from debateroom.terminal import width

NOW = datetime.fromisoformat("2026-12-01T10:00:00+00:00")


def opened(name: str = "reflect", language: str = "en") -> dict[str, Any]:
    book = shipped(language)[name]
    seat = {"name": "agent", "role": "agent", "framing": "", "model": "m", "vendor": ""}
    return {
        "event": "room_opened", "at": (NOW - timedelta(seconds=90)).isoformat(), "kind": "playbook", "uuid": "u-1",
        "problem": f"/{book.id} · {book.name}", "language": language, "agents": [seat], "rounds": 1,
        "settings": {"playbook": book.to_json()},
    }  # fmt: skip


def decision(step: int | None, outcome: str = "ok", what: str = "Found it") -> dict[str, Any]:
    given = {"what": what, "why": "so", "evidence": "a/b.txt", "outcome": outcome, "step": step, "sha256": None}
    return {"event": "decision_recorded", "at": "", **given}


def called(name: str, **arguments: Any) -> dict[str, Any]:
    return {"event": "tool_called", "round": 1, "agent": "agent", "name": name, "arguments": arguments}


def answered(name: str, ok: bool = True, **arguments: Any) -> dict[str, Any]:
    return {**called(name, **arguments), "event": "tool_answered", "id": "c", "result": "", "ok": ok, "seconds": 0.1}


def delegated(worker: str) -> dict[str, Any]:
    return {"event": "worker_delegated", "id": worker, "room": f"r.{worker}", "task": f"do {worker}", "model": "m"}


def ended(worker: str, outcome: str = "delivered") -> dict[str, Any]:
    return {"event": "worker_ended", "id": worker, "room": f"r.{worker}", "outcome": outcome, "error": None}


STARTED = {"event": "round_started", "round": 1}
DONE = {"event": "room_finished", "exit_code": 0, "status": "finished", "stopped": "done", "seconds": 3.0}
FAILED = {**DONE, "status": "failed", "error": "no network", "exit_code": 1}
READ = called("read_path", path="a.txt")


@pytest.mark.parametrize(
    ("events", "status", "text"),
    [
        ([], "queued", "queued …"),
        ([STARTED], "running", "the coordinator thinks …"),
        ([STARTED, called("fetch_page", url="https://example.com/x")], "running", "reads https://example.com/x"),
        ([STARTED, READ], "running", "reads a.txt"),
        ([STARTED, READ, called("record_decision", what="x")], "running", "reads a.txt"),
        ([STARTED, called("deploy", what="all")], "running", "runs deploy: all"),
        ([STARTED, READ, answered("read_path", path="a.txt")], "running", "the coordinator thinks …"),
        ([STARTED, decision(1)], "running", "noted: Found it"),
        ([STARTED, delegated("a")], "running", "1 worker running …"),
        ([called("delegate_task", task="x"), delegated("a"), ended("a")], "running", "the coordinator thinks …"),
        ([STARTED, delegated("a"), delegated("b")], "running", "2 workers running …"),
        ([STARTED, delegated("a"), ended("a")], "running", "the coordinator thinks …"),
        ([STARTED, FAILED], "failed", "failed: no network"),
        ([STARTED, *map(decision, (1, 2, 3)), DONE], "finished", "done"),
        ([STARTED, decision(1), DONE], "finished", "Incomplete: Steps: 1 ok, 2 missing, 3 missing."),
        ([decision(1), decision(2, "failed"), decision(3), DONE], "finished", "Failed: Steps: 1 ok, 2 failed, 3 ok."),
        ([STARTED, {**DONE, "exit_code": 7, "error": "no money"}], "finished", "Incomplete: no money"),
    ],
)
def test_the_text_says_what_is_under_way(events: list[dict[str, Any]], status: str, text: str) -> None:
    """The tool in progress, a milestone, queued, how many workers, done, or failed with the reason."""
    live = compute_live([opened(), *events], NOW)
    assert (live.status, live.status_text) == (status, text)


@pytest.mark.parametrize(
    ("events", "states", "end"),
    [
        ([STARTED], ["pending"] * 3, None),
        ([STARTED, READ], ["running", "pending", "pending"], None),
        ([STARTED, READ, decision(1)], ["ok", "running", "pending"], None),
        ([STARTED, READ, decision(2, "skipped")], ["running", "skipped", "pending"], None),
        ([STARTED, decision(1, "failed"), decision(1)], ["ok", "running", "pending"], None),
        ([STARTED, decision(None)], ["running", "pending", "pending"], None),
        ([STARTED, READ, decision(1), DONE], ["ok", "missing", "missing"], "incomplete"),
        ([STARTED, decision(1), decision(2), decision(3), DONE], ["ok"] * 3, "complete"),
        ([decision(1), decision(2, "failed"), decision(3), DONE], ["ok", "failed", "ok"], "failed"),
        ([*(decision(step, "skipped") for step in (1, 2, 3)), DONE], ["skipped"] * 3, "incomplete"),
        ([FAILED], ["missing"] * 3, "incomplete"),
    ],
)
def test_a_step_is_only_what_was_noted(events: list[dict[str, Any]], states: list[str], end: str | None) -> None:
    """It runs from the coordinator's first action until its decision; without one it is missing at the end."""
    live = compute_live([opened(), *events], NOW)
    assert ([step.state for step in live.steps], live.verdict) == (states, end)


@pytest.mark.parametrize(
    ("events", "state"),
    [
        ([decision(3)], "pending"),
        ([delegated("a")], "running"),
        ([delegated("a"), ended("a"), delegated("b")], "running"),
        ([delegated("a"), ended("a")], "ok"),
        ([delegated("a"), ended("a"), delegated("b"), ended("b", "partial")], "failed"),
        ([delegated("a"), ended("a", "broken")], "failed"),
        ([decision(3), DONE], "missing"),
        ([delegated("a"), DONE], "missing"),
    ],
)
def test_the_last_step_of_a_swarm_follows_its_workers(events: list[dict[str, Any]], state: str) -> None:
    """Whatever the coordinator notes about it."""
    assert compute_live([opened("swarm"), STARTED, *events], NOW).steps[2].state == state


def test_everything_is_counted_and_in_order() -> None:
    """Actions, workers, decisions; receipts stand among the decisions with their place in the file."""
    receipt = {
        "event": "approval_answered", "at": "t", "uuid": "r-1", "tool": "deploy", "shown": "{}", "answer": "denied",
        "by": "person",
    }  # fmt: skip
    events = [
        opened(), STARTED, READ, answered("read_path", path="a.txt"), decision(1), receipt, answered("deploy", False),
        decision(None, what="Stopped there"), delegated("a"),
    ]  # fmt: skip
    for each in events:
        shapes.check(each)
    before = copy.deepcopy(events)
    live = compute_live(events, NOW)
    assert events == before
    assert live == compute_live(events, NOW)
    counts = live.counters
    assert (counts.actions_ok, counts.actions_failed, counts.workers, counts.decisions) == (1, 1, 1, 2)
    assert [(each.what, each.evidence, each.receipt) for each in live.decisions] == [
        ("Found it", "a/b.txt", False), ("deploy({})", "receipts.jsonl#r-1", True),
        ("Stopped there", "a/b.txt", False),
    ]  # fmt: skip
    assert (live.seconds, live.title, live.uuid) == (90.0, "/reflect · Look back", "u-1")


def test_a_debate_has_seats_and_rounds() -> None:
    """In the round that is played: who is asked, who is done with which confidence, who failed."""
    seats = [{"name": f"Agent {mark}", "role": "R", "framing": ""} for mark in "ABC"]
    start = {"event": "room_opened", "at": NOW.isoformat(), "problem": "Queue or loop?", "agents": seats, "rounds": 3}
    reply = {"event": "reply", "round": 1, "agent": "Agent A", "role": "R", "response": "x", "confidence": 7.0}
    failed = {"event": "seat_failed", "round": 1, "agent": "Agent B", "role": "R", "reason": "late"}
    live = compute_live([start, STARTED, reply, failed], NOW)
    assert [(seat.name, seat.state, seat.confidence) for seat in live.seats] == [
        ("Agent A", "done", 7.0), ("Agent B", "failed", None), ("Agent C", "asking", None),
    ]  # fmt: skip
    assert (live.kind, live.round, live.rounds, live.status_text) == ("debate", 1, 3, "round 1 is played")
    assert (live.steps, live.verdict) == ((), None)
    over = compute_live([start, STARTED, reply, {"event": "moderator_asked", "round": 1}], NOW)
    assert over.status_text == "the moderator compares the replies"


@pytest.mark.parametrize(
    ("kind", "code", "outcome", "text"),
    [
        ("debate", 0, "deadlock", "done"),
        ("simulation", 3, "failed", "Failed: It was rude."),
        ("work", 3, "partial", "Partial: It was rude."),
        ("arena", 3, "of another version", "It was rude."),
    ],
)
def test_a_verdict_that_is_no_is_told_of_every_kind(kind: str, code: int, outcome: str, text: str) -> None:
    """`done` is for what ended well; what is concluded in a debate is no failure."""
    seats = [{"name": "agent", "role": "agent", "framing": ""}]
    start = {"event": "room_opened", "at": "", "kind": kind, "problem": "x", "agents": seats}
    final = {"event": "synthesized", "final_output": {"outcome": outcome, "summary": "It was rude."}}
    live = compute_live([start, STARTED, final, {**DONE, "exit_code": code}], NOW)
    assert (live.status_text, live.verdict) == (text, None)


def test_an_empty_journal_is_queued() -> None:
    """There is nothing to say yet, and nothing to fail over."""
    live = compute_live([], NOW)
    assert (live.status, live.steps, live.verdict) == ("queued", (), None)


def test_a_verdict_needs_every_step() -> None:
    """A missing result never counts as a success, and neither does having no steps."""
    assert verdict(()) == "incomplete"


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_tell_what_changed_in_the_room_s_language(language: str) -> None:
    """All of it first, then only what is new; nothing twice."""
    events = [opened(language=language), STARTED, READ]
    first = compute_live(events, NOW)
    after = [answered("read_path", path="a.txt"), decision(1), decision(None, what="Aside")]
    then = compute_live([*events, *after], NOW)
    told = list(card.changes(first, then))
    assert list(card.changes(then, then)) == []
    assert len(told) == 4
    assert any("Aside" in line for line in told)
    assert next(card.changes(None, first)) == first.title


EVIL = "\x1b[2J\x1b]0;owned\x07\u202e[bold red]x[/]\r<b>"


def drawn(live: Any, columns: int = 60, lines: int = 200) -> str:
    """The card on a terminal."""
    screen = io.StringIO()
    Console(file=screen, force_terminal=True, width=columns, height=lines, no_color=True).print(Card(live))
    return re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue())  # rich's own styles


@pytest.mark.parametrize("columns", [30, 60, 120])
def test_what_models_write_steers_no_terminal(columns: int) -> None:
    """Neither escape sequences nor markup of the library that draws; no row is wider than the terminal."""
    hostile = {**delegated("a"), "task": EVIL}
    events = [opened(), STARTED, decision(1, what=EVIL), called("fetch_page", url=EVIL), hostile]
    live = compute_live([*events, {**DONE, "error": EVIL}], NOW)
    lines = [drawn(live, columns), *card.changes(None, live)]
    assert not any(mark in line for line in lines for mark in ("\x1b", "\x07", "\r", "\u202e"))
    assert "[bold red]x[/]<b>" in re.sub(r"[\s│]", "", lines[0]).replace("[boldred]", "[bold red]")
    assert {len(line) for line in lines[0].splitlines()} == {columns}


@pytest.mark.parametrize(
    ("columns", "lines", "marks"),
    [(34, 14, "✓✗▶▶✓"), (34, 10, "✗▶▶"), (34, 8, "✗▶▶"), (80, 24, "✓✗▶▶✓"), (20, 8, "▶▶"), (34, 5, "")],
)
def test_the_card_is_never_higher_than_its_terminal(columns: int, lines: int, marks: str) -> None:
    """A line a row where the whole has no room, the newest decisions, and of too many rows those that say most."""
    said = [
        decision(1, what="Chose 这是一个很长的中文说明 of it"),
        decision(2, "failed"),
        decision(None, what="The last"),
    ]
    workers = [delegated("a"), delegated("b"), ended("b")]
    live = compute_live([opened("swarm"), STARTED, READ, *said, *workers], NOW)
    shown = drawn(live, columns, lines).splitlines()
    assert len(shown) < lines
    assert {width(line) for line in shown} == {columns}
    assert "".join(found[1] for line in shown for found in [re.match(r"│ ([✓✗▶·–?]) ", line)] if found) == marks
    assert shown[1][2:].startswith("1 worker running")
    left_out = 5 - len(marks)
    assert any(re.match(rf"│   … +\+{left_out} ", line) for line in shown) == bool(left_out)
    if (columns, lines) == (34, 14):
        assert shown[0] == "╭─ /swarm · Swarm of parallel … ─╮"
        assert [line[2:-2].rstrip() for line in shown[2:-1]] == [
            "✓ ok       1. Split the goal …", "✗ failed   2. Say for each pa…", "▶ running  3. Give each part …",
            "▶ running  do a", "✓ ok       do b", "step 1, ok: Chose 这是一个很 …",
            "step 2, failed: Found it — so…", "[ok] The last — so [a/b.txt]", "actions 0 ok, 0 failed ·",
            "workers 2 · decisions 3",
        ]  # fmt: skip


def test_a_status_that_is_long_leaves_room_for_the_rest() -> None:
    """Two lines on a low terminal; the whole of it where that fits."""
    live = compute_live([opened(), STARTED, {**FAILED, "error": "the server said no " * 8}], NOW)
    low, high = drawn(live, 34, 14).splitlines(), drawn(live, 34, 60).splitlines()
    assert [line[2:-2].rstrip() for line in low[1:4]] == [
        "failed: the server said no the", "server said no the server sai…", "? missing  1. Collect what wa…",
    ]  # fmt: skip
    assert " ".join(line[2:-2].strip() for line in high[1:-1]).startswith(live.status_text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_card_says_what_a_run_came_to(language: str) -> None:
    """An incomplete run is no done one; each state stands there as a word, not only as a colour."""
    live = compute_live([opened(language=language), STARTED, decision(1), decision(2, "failed"), DONE], NOW)
    assert (live.verdict, live.status_text.startswith(say(language, "verdict_incomplete"))) == ("incomplete", True)
    text = drawn(live, 120)
    assert live.status_text in text
    for state in ("ok", "failed", "missing"):
        assert re.search(rf"[✓✗?] {say(language, f'step_{state}')} +\d\. ", text), state


def test_a_run_whose_process_is_gone_leaves_no_step_under_way() -> None:
    """Killed in the middle: no step and no worker runs any more; a run that ended stays what it was."""
    events = [opened("swarm"), STARTED, decision(1), READ, delegated("a")]
    assert [step.state for step in compute_live(events, NOW).steps] == ["ok", "running", "running"]
    live = compute_live(events, NOW, gone=True)
    assert (live.status, live.status_text) == ("interrupted", say("en", "live_interrupted"))
    assert [step.state for step in live.steps] == ["ok", "missing", "missing"]
    assert "running" not in {worker.state for worker in live.workers}
    assert compute_live([*events, FAILED], NOW, gone=True).status == "failed"
