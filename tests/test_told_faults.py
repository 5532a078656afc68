"""What a run that did not go as meant tells its reader: the same on stderr, on stdout, as JSON and in the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from debates import APART, QUESTION, SURE, SYNTHESIS, Serve, run
from vendor import Answerer, Call, Reply, Said, debate_script
from vendor.faults import HttpError

from debateroom.messages import Entry, Failure, Round, Seat, Transcript, Usage
from debateroom.report.markdown import render
from debateroom.room.played import missing, played

ROOM = Path("active/chatroom")
REPORT = ROOM / "chatroom_report.md"
THREE = (QUESTION, "-n", "3", "--model", "sonnet")
SEATS = tuple(Seat(f"Agent {letter}", f"Role {letter}", "") for letter in "ABC")


def a_round(number: int, answered: str, failed: str = "") -> Round:
    """A round in which the seats of the letters `answered` did, and those of `failed` failed."""
    entries = tuple(Entry(f"Agent {letter}", f"Role {letter}", "POSITION: yes") for letter in answered)
    return Round(number, entries, tuple(Failure(f"Agent {letter}", f"Role {letter}", "late") for letter in failed))


def a_room(*rounds: Round, concluded: bool = True) -> Transcript:
    """A room of three with a quorum of two."""
    final = {"summary": "So it is.", "outcome": "deadlock"} if concluded else None
    return Transcript("Queue?", agents=SEATS, rounds=rounds, version="0.1.0", final_output=final, quorum=2)


def without(letters: str) -> Answerer:
    """A debate in which the seats of `letters` never answer."""
    broken = {(f"Agent {letter}", number): HttpError(400) for letter in letters for number in (1, 2)}
    return debate_script(synthesis=SYNTHESIS, replies=broken)


def without_its_moderator(call: Call) -> Said:
    """A debate whose structured calls get no credit."""
    return HttpError("quota") if call.schema else debate_script(SURE)(call)


@pytest.mark.parametrize(
    ("rounds", "concluded", "count", "gone"),
    [
        ([a_round(1, "ABC"), a_round(2, "", "ABC")], True, 1, ""),
        ([a_round(1, "ABC"), a_round(2, "A", "BC")], True, 1, ""),
        ([a_round(1, "ABC"), a_round(2, "AB", "C")], True, 2, "C"),
        ([a_round(1, "AB", "C"), a_round(2, "ABC")], True, 2, ""),
        ([a_round(1, "AB", "C"), a_round(2, "", "ABC")], True, 1, "C"),
        ([a_round(1, "A", "BC")], True, 1, "BC"),
        ([a_round(1, "ABC"), a_round(2, "A", "BC")], False, 1, "BC"),
        ([a_round(1, "ABC"), a_round(2, "", "ABC")], False, 1, ""),
        ([a_round(1, "ABC"), a_round(2, "AB")], False, 1, ""),
        ([a_round(1, "", "ABC")], False, 0, "ABC"),
    ],
)
def test_a_round_without_enough_answers_is_not_played_and_who_answered_is_not_missing(
    rounds: list[Round], concluded: bool, count: int, gone: str
) -> None:
    """Nobody, too few, or not all heard of yet: not played. Missing is who failed in the last round that counts."""
    transcript = a_room(*rounds, concluded=concluded)
    assert len(played(transcript)) == count
    assert [failure.agent for failure in missing(transcript)] == [f"Agent {letter}" for letter in gone]
    title = render(transcript).split("\n")[0]
    named = ", ".join(f"Agent {letter} (Role {letter})" for letter in gone)
    assert title == "# Agent debate room report" + (f", without {named}" if gone else "")


def test_a_reply_of_a_round_that_was_broken_off_is_still_in_the_report() -> None:
    """It was paid for: it stands in the transcript, although the verdict does not stand on it."""
    last = a_round(2, "A", "BC")
    said = replace(last, entries=(replace(last.entries[0], response="POSITION: a late thought"),))
    report = render(replace(a_room(a_round(1, "ABC"), said), rounds_asked=3, stopped="deadline"))
    assert "**Rounds**: 1 of 3" in report
    assert "<summary>Round 2 · 1 reply</summary>" in report
    assert "> POSITION: a late thought" in report


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_dead_moderator_is_told_at_once_and_in_the_paragraph(
    serve: Serve, capsys: pytest.CaptureFixture[str], quiet: tuple[str, ...]
) -> None:
    """One line on stderr for each question that failed, and the reason in the paragraph and the object."""
    serve(without_its_moderator)
    code, out, err = run(capsys, *THREE, "-r", "2", "--json", *quiet)
    told = [line for line in err.splitlines() if line.startswith("the moderator gave no usable ")]
    assert [line.partition(": ")[0] for line in told] == [
        "the moderator gave no usable verdict on round 1",
        "the moderator gave no usable verdict on round 2",
        "the moderator gave no usable synthesis",
    ]
    assert all("no credit left" in line for line in told)
    printed = json.loads(out)
    assert (code, printed["ok"], printed["error"]) == (0, True, None)
    assert printed["summary"].startswith("The moderator gave no usable synthesis: The account at anthropic has no cr")
    assert len(out) < 2048
    _, out, _ = run(capsys, *THREE, "-r", "2")
    assert out.startswith("Deadlock: The moderator gave no usable synthesis: The account at anthropic has no credit")


def test_a_failed_verdict_is_told_where_the_synthesis_came(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """The paragraph is the moderator's, behind a sentence about the round it did not judge."""
    script = debate_script(SURE, synthesis=SYNTHESIS)
    serve(lambda call: HttpError(400) if "aligned" in (call.schema or {}).get("properties", {}) else script(call))
    _, out, _ = run(capsys, *THREE, "-r", "1", "--json")
    summary = json.loads(out)["summary"]
    assert summary.startswith("The moderator gave no usable verdict on round 1: anthropic did not accept the call")
    assert summary.endswith(" Agent B gave way.")


def test_a_dead_seat_is_named_in_the_paragraph(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """On stdout and in the object, whoever wrote the synthesis."""
    serve(without("C"))
    _, out, _ = run(capsys, *THREE, "-r", "2")
    assert out.startswith("Deadlock: Without Agent C (Critic), whose calls failed. Agent B gave way.\n")
    _, out, _ = run(capsys, "status", "--json")
    assert json.loads(out)["summary"] == "Without Agent C (Critic), whose calls failed. Agent B gave way."


def test_of_many_dead_seats_the_paragraph_names_three(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """It stays a paragraph; the report has all."""
    serve(without("CDEFG"))
    _, out, _ = run(capsys, QUESTION, "-n", "7", "-r", "1", "--quorum", "2", "--model", "sonnet", "--json")
    summary = json.loads(out)["summary"]
    assert summary.startswith("Without Agent C (")
    assert "), +2, whose calls failed. " in summary
    assert "Agent F" not in summary


def test_a_stop_by_the_budget_says_why_and_what_gives_more(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 7 with the budget, and a hint that holds: a room with a verdict is not gone on with."""
    script = debate_script(synthesis=SYNTHESIS)

    def dear(call: Call) -> Said:
        said = script(call)
        return Reply(said, usage=Usage(input=1_000, output=9_800)) if isinstance(said, str) else said

    server = serve(dear)
    code, out, _ = run(capsys, *THREE, "-r", "9", "--budget", "0.9", "--json")
    printed = json.loads(out)
    assert (code, printed["rounds_played"]) == (7, 2)
    assert printed["error"].startswith(
        "stopped after 2 of 9 rounds: the next one could pass the budget of 0.9 US dol"
    )
    assert printed["hint"] == (
        "the room is finished and cannot be resumed; for more rounds debate again, with a larger --budget"
    )
    before = len(server.calls)
    run(capsys, "resume", "--json")
    assert len(server.calls) == before, "as the hint says"


def test_what_was_judged_by_the_last_round_only_is_told(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Of verdicts and the synthesis, in the report and from `chat.json` alone; nothing where all was seen."""
    serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    run(capsys, *THREE, "-r", "3")
    assert "window" not in REPORT.read_text(encoding="utf-8")
    journal = ROOM / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["event"] == "synthesized" or (line["event"] == "moderated" and line["round"] > 1):
            line["history"] = "last_round"
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    told = (
        "the moderator judged rounds 2, 3 each without the rounds before it: they did not fit its window; "
        "the synthesis was made from the last round only: the whole debate did not fit its model’s window; "
    )
    run(capsys, "resume")
    assert told in REPORT.read_text(encoding="utf-8")
    kept: dict[str, Any] = json.loads((ROOM / "chat.json").read_text(encoding="utf-8"))
    assert (kept["final_output"]["history"], kept["rounds"][1]["moderation"]["history"]) == ("last_round",) * 2
    copy = Path("copy.json")
    copy.write_text(json.dumps(kept), encoding="utf-8")
    _, out, _ = run(capsys, "report", str(copy))
    assert told in out
