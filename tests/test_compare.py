"""`debateroom compare`: two debates side by side, and which claims one has and the other lacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import samples
from debates import QUESTION, SYNTHESIS, run
from hypothesis import given, settings
from hypothesis import strategies as st

from debateroom import activities
from debateroom.cli import compare
from debateroom.messages import Entry, Round, Seat, Transcript
from debateroom.reading.claims import alike, likeness
from debateroom.report import comparison
from debateroom.room.transcript import to_json

REPLY = (
    "POSITION: x\nPROPOSAL: {proposal}\nAGREEMENTS: y\nREFINED PROPOSAL: {proposal}\nENDORSES: {signs}\nCONFIDENCE: 8"
)


def debate(room: str, question: str = QUESTION, *, plans: str = "ABC", final: dict[str, Any] | None = None) -> None:
    """A debate of three in two rounds; `plans` are whose proposal each signs in the end."""
    lines: list[dict[str, Any]] = [
        {"agent": f"Agent {own}", "round": number, "response": REPLY.format(
            proposal=f"Build the queue of {own}lice with a worker.", signs=f"Agent {own if number == 1 else signs}")}
        for number in (1, 2) for own, signs in zip("ABC", plans, strict=True)
    ]  # fmt: skip
    if final:
        lines.append({"call": "synthesis", "response": final})
        lines.append({"call": "moderator", "response": {"aligned": False}})
    Path(f"{room}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    activities.debate(question, room=room, model=f"scripted:{room}.jsonl", rounds=2, language="en")


@pytest.mark.parametrize(
    ("one", "other", "language", "expected"),
    [
        ("A queue survives a restart.", "Jobs in a queue survive restarts.", "en", True),
        ("A queue survives a restart.", "Nobody is on call at night.", "en", False),
        ("The queue is dear.", "The queue is cheap.", "en", False),
        ("Jobs must be idempotent.", "Every job must be idempotent, or it runs twice.", "en", True),
        ("Les tâches survivent au redémarrage.", "Une tâche doit survivre à un redémarrage.", "fr", True),
        ("Les tâches survivent au redémarrage.", "Personne n’est d’astreinte la nuit.", "fr", False),
        ("任务必须在重启后继续执行。", "重启后任务要继续执行。", "zh", True),
        ("任务必须在重启后继续执行。", "夜里没有人值班。", "zh", False),
        ("Yes.", "  yes. ", "en", True),
        ("", "A queue survives a restart.", "en", False),
    ],
)
def test_claims_are_matched_by_the_words_they_share(one: str, other: str, language: str, expected: bool) -> None:
    """The rule is the same both ways, and the same every time."""
    assert (alike(one, other, language), alike(other, one, language)) == (expected, expected)
    assert likeness(one, other, language) == likeness(other, one, language)


def test_two_debates_are_told_side_by_side(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Outcome, recommendation, votes, moves and cost of both; then what each has alone, and what both have."""
    debate("first", plans="AAC")
    debate("second", plans="ABC", final=SYNTHESIS)
    code, out, err = run(capsys, "compare", "first", "second")
    assert (code, err) == (0, "")
    first, *rest = out.splitlines()
    assert first == f"One question: {QUESTION}"
    told = "\n".join(rest)
    assert "\nOutcome\n  first: Split: 2 of 3 would sign one proposal\n  second: Deadlock: yours to decide\n" in told
    assert "\n  first: Build the queue of Alice with a worker.\n  second: Build the queue.\n" in told
    assert "\n  first: 1–1–1 → 2–1\n  second: 1–1–1 → 1–1–1\n" in told
    assert "\n  first: 1 change of mind: Pragmatist, round 2: own proposal → Architect’s proposal" in told
    assert "\n  second: 0 changes of mind\n" in told
    assert "\nCost\n  first: 0.00 US dollars\n  second: 0.00 US dollars\n" in told
    only_second = told.split("\nOnly in second\n")[1].split("\n\n")[0]
    assert "  agreed: Jobs must be idempotent." in only_second
    assert "  risk: Ordering. (Agent C (Critic))" in only_second
    assert "Alice" not in only_second
    both = told.split("\nIn both\n")[1]
    assert "  proposal: Build the queue of Alice with a worker. (Agent A (Architect))" in both


TEXTS = st.sampled_from(
    ["Put jobs into a database table.", "Put jobs into a Redis list.", "put jobs into a Redis  list.",
     "Put jobs into a Kafka topic and start one worker.", "Start one worker.", "Keep the loop.", "Log failures."]
)  # fmt: skip
SAID = st.lists(st.tuples(st.sampled_from(["consensus", "unresolved_risks"]), TEXTS), max_size=7)


def claiming(said: list[tuple[str, str]], proposals: list[str]) -> Transcript:
    """A debate that holds these claims."""
    seats = tuple(Seat(f"Agent {letter}", letter, "wants it", "scripted:x") for letter in "ABC"[: len(proposals)])
    entries = tuple(
        Entry(seat.name, seat.role, f"POSITION: x\nPROPOSAL: {text}\nCONFIDENCE: 8")
        for seat, text in zip(seats, proposals, strict=True)
    )
    final: dict[str, Any] = {"consensus": [text for kind, text in said if kind == "consensus"]}
    final["unresolved_risks"] = [{"risk": text, "raised_by": []} for kind, text in said if kind != "consensus"]
    return Transcript("Queue or loop?", language="en", agents=seats, rounds=(Round(1, entries),), final_output=final)


@settings(max_examples=60, deadline=None)
@given(one=SAID, other=SAID, ours=st.lists(TEXTS, max_size=3), theirs=st.lists(TEXTS, max_size=3))
def test_every_claim_of_both_stands_once(
    one: list[tuple[str, str]], other: list[tuple[str, str]], ours: list[str], theirs: list[str]
) -> None:
    """Under both or under one alone; the same words are each other's partner; for people and for machines."""
    compared = comparison.of(claiming(one, ours), claiming(other, theirs))
    pairs = [(shared.first, shared.second) for shared in compared.both]
    for side in (0, 1):
        shown = [pair[side] for pair in pairs] + list(compared.only[side])
        assert sorted(shown) == sorted(comparison.claims(compared.sides[side]))
    left, right = ({" ".join(claim.text.split()).casefold() for claim in alone} for alone in compared.only)
    assert not left & right
    said = comparison.to_json(compared, ("a", "b"))["claims"]
    counts = [len(said["both"]), len(said["only_first"]), len(said["only_second"])]
    assert counts == [len(pairs), *map(len, compared.only)]
    told = "\n".join(compare._claims(compared, ("a", "b")))
    for claim in (*(claim for pair in pairs for claim in pair), *compared.only[0], *compared.only[1]):
        assert claim.text in told


def test_the_same_words_are_matched_before_what_is_only_alike() -> None:
    """However many claims are alike, none is lost behind another; who says the same words is told together."""
    list_, table, topic = (
        "Put jobs into a Redis list.",
        "Put jobs into a database table.",
        "Put jobs into a Kafka topic.",
    )
    compared = comparison.of(claiming([], [table, list_, list_]), claiming([], [list_, table, topic]))
    assert [(shared.first.text, shared.second.text) for shared in compared.both] == [(table, table), (list_, list_)]
    assert compared.both[1].first.agents == ("Agent B (B)", "Agent C (C)")
    assert [[claim.text for claim in alone] for alone in compared.only] == [[], [topic]]


def test_the_same_for_a_machine(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object with both rooms and the three lists of claims."""
    debate("first", plans="AAC")
    debate("second", final=SYNTHESIS)
    found = json.loads(run(capsys, "compare", "first", "second", "--json")[1])
    assert (found["ok"], found["same_question"], found["claims"]["matched_by"]) == (True, True, "shared words")
    one, other = found["rooms"]
    assert (one["room"], one["outcome"], other["outcome"]) == ("first", "split", "deadlock")
    assert one["final_vote"] == {"Agent A": ["Agent A", "Agent B"], "Agent C": ["Agent C"]}
    assert [(move["agent"], move["round"]) for move in one["moves"]] == [("Agent B", 2)]
    kinds = {claim["kind"] for claim in found["claims"]["only_second"]}
    assert kinds == {"consensus", "disagreement", "risk"}
    assert {shared["first"]["kind"] for shared in found["claims"]["both"]} >= {"proposal"}


def test_on_a_terminal_the_two_stand_beside_each_other(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line of a table; markup and control characters of a model are text."""
    debate("first", plans="AAC")
    debate("second", final=SYNTHESIS | {"recommended_action": "[red]Build\x1b[31m it."})
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "140")
    out = run(capsys, "compare", "first", "second")[1]
    line = next(line for line in out.splitlines() if line.startswith("Outcome"))
    assert "Split: 2 of 3" in line
    assert "Deadlock" in line
    assert "[red]Build␛[31m it." in out


def test_different_questions_are_said_first(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Spaces and case make no other question."""
    debate("first", f"  {QUESTION.upper()}")
    debate("second")
    debate("third", "Should we hire two people or one?")
    assert run(capsys, "compare", "first", "second")[1].startswith("One question: ")
    out = run(capsys, "compare", "second", "third")[1]
    assert out.startswith("Two different questions: ")
    assert f"\nProblem\n  second: {QUESTION}\n  third: Should we hire two people or one?\n" in out


def test_two_languages_share_no_words(here: Path) -> None:
    """Then all claims are listed, and none is called missing by chance."""
    french = Transcript("Une file ?", language="fr", final_output={"consensus": ["Redis plus worker."]})
    compared = comparison.of(samples.deadlock(), french)
    assert not compared.one_language
    assert comparison.to_json(compared, ("a", "b"))["claims"]["matched_by"] is None


def test_a_chat_json_is_a_debate_too_and_other_rooms_are_refused(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of the original skill can be compared; other rooms and missing ones are errors with a next step."""
    debate("first")
    Path("old.json").write_text(json.dumps(to_json(samples.left_behind())))
    code, out, _ = run(capsys, "compare", "first", "old.json")
    assert (code, out.startswith("Two different questions")) == (0, True)
    talk = Transcript("x", kind="simulation", version="1")
    Path("talk.json").write_text(json.dumps(to_json(talk)))
    code, _, err = run(capsys, "compare", "first", "talk.json")
    assert code == 2
    assert "compare takes two debates, and talk.json holds another kind of room: simulation" in err
    assert "debateroom report talk.json" in err
    code, _, err = run(capsys, "compare", "first", "nowhere")
    assert (code, "there is no room in active/nowhere" in err) == (2, True)


def test_it_speaks_the_first_rooms_language(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In French and Chinese."""
    for language, told in (("fr", "Une même question"), ("zh", "同一个问题")):
        Path(f"{language}.json").write_text(json.dumps(to_json(Transcript("x ?", language=language, version="1"))))
        assert run(capsys, "compare", f"{language}.json", f"{language}.json")[1].startswith(told)


def test_what_a_judge_or_a_vote_decided_stands_beside_the_outcome(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a debate both, of an arena the decision alone."""
    debate("first", plans="AAC")
    vote = {"by": "vote", "outcome": "winner", "winner": "Agent A", "votes": {"Agent A": ["Agent A"]}}
    room = to_json(Transcript(QUESTION, kind="arena", version="1", final_output={"decision": vote}))
    room["agents"] = [{"name": "Agent A", "role": "one", "framing": "", "model": "", "vendor": ""}]
    Path("arena.json").write_text(json.dumps(room))
    out = run(capsys, "compare", "first", "arena.json")[1]
    first, other = out.split("\nOutcome\n")[1].splitlines()[:2]
    assert first == "  first: Split: 2 of 3 would sign one proposal"
    assert "Agent A (one)" in other
    assert "Outcome not stated" not in other
