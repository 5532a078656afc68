"""Agreement that is there, and none that is not: the handed cases, the gate, and the moderator's verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from debateroom.debating.convergence import Decision, decide, gate, outcome
from debateroom.messages import Entry, Round, Seat, Transcript
from debateroom.reading.reply import read_reply

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases" / "convergence.jsonl").read_text().splitlines()
]
IDS = [case["id"] for case in CASES]


def round_of(case: dict[str, Any], *, endorsed: bool = False) -> Round:
    """The case as a round: replies in the format asked for, read by the reader, not handed over as values."""
    opening = case["round_kind"] == "opening"
    label = "PROPOSAL" if opening else "REFINED PROPOSAL"
    entries = []
    for position, given in enumerate(case["entries"]):
        proposal = given.get("refined_proposal") or given["proposal"]
        text = f"{label}: {proposal}\nCONFIDENCE: {'' if given['confidence'] is None else given['confidence']}"
        if endorsed:
            # seats that agree name one seat: the first; where the case has no agreement, each names itself
            agreed = case["expect"]["converged"] and given["agent"] not in case["expect"]["excluded"]
            text += f"\nENDORSES: {case['entries'][0]['agent'] if agreed else case['entries'][position]['agent']}"
        reply = read_reply(text, kind="opening" if opening else "debate", speaker=given["agent"])
        entries.append(Entry(given["agent"], "", text, confidence=reply.confidence, endorses=reply.endorses))
    return Round(1 if opening else 2, tuple(entries))


def quorum(item: Round) -> int:
    return max(2, len(item.entries) // 2 + 1)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_without_a_moderator_nothing_undeclared_is_an_agreement(case: dict[str, Any]) -> None:
    """No case that must not converge converges; true ones are missed here, which is allowed."""
    item = round_of(case)
    found = decide(item, moderated=False, quorum=quorum(item))
    assert found.converged is False, "words in common are no agreement"
    assert (found.effective, list(found.excluded)) == (case["expect"]["effective_agents"], case["expect"]["excluded"])


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_declared_endorsements_converge_exactly_where_they_should(case: dict[str, Any]) -> None:
    """With each entry's endorsement added, the verdict is the expected one in every case."""
    item = round_of(case, endorsed=True)
    found = decide(item, moderated=False, quorum=quorum(item))
    expected = case["expect"]
    assert (found.converged, found.effective, list(found.excluded)) == (
        expected["converged"],
        expected["effective_agents"],
        expected["excluded"],
    )


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_moderator_that_always_says_yes_cannot_pass_the_gate(case: dict[str, Any]) -> None:
    """With every verdict `aligned`, only rounds in which all who count are sure converge."""
    verdict = {
        "aligned": True,
        "proposal": "Agent A",
        "holdouts": [],
        "open_blockers": [],
        "off_topic": [],
        "why": "",
    }
    item = replace(round_of(case), moderation=verdict)
    counted = [entry for entry in item.entries if entry.agent not in case["expect"]["excluded"]]
    sure = all(entry.confidence is not None and entry.confidence >= 8 for entry in counted)
    opening = item.round == 1 and all(entry.confidence is None for entry in counted)
    assert decide(item, moderated=True, quorum=quorum(item)).converged is (sure or opening)


def debate(*confidences: float | None, number: int = 2, moderation: dict[str, Any] | None = None) -> Round:
    """A round with seats A, B, C … of these confidences."""
    entries = tuple(
        Entry(f"Agent {'ABCDEFGH'[i]}", "", "REFINED PROPOSAL: A queue.", confidence=value)
        for i, value in enumerate(confidences)
    )
    return Round(number, entries, moderation=moderation)


YES: dict[str, Any] = {
    "aligned": True, "proposal": "Agent A", "holdouts": [], "open_blockers": [], "off_topic": [], "why": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("item", "open_", "why"),
    [
        (debate(8, 8, 9), True, ""),
        (debate(8, 7.99, 9), False, "unsure"),
        (debate(8, None, 9), True, ""),
        (debate(8, None, None), False, "few_confidences"),
        (debate(None, None, None, number=1), True, ""),
        (debate(None, 7, None, number=1), False, "unsure"),
        (debate(9), False, "few_replies"),
    ],
)
def test_the_gate_opens_when_all_known_are_sure_and_a_quorum_is_known(item: Round, open_: bool, why: str) -> None:
    """After round 1 none need be known; 7.99 is not 8; a lone reply agrees with nobody."""
    assert gate(item, quorum=2) == (open_, why)


@pytest.mark.parametrize(
    ("item", "converged", "why"),
    [
        (debate(8, 9, 9, moderation=YES), True, "agreed"),
        (debate(None, None, number=1, moderation=YES), True, "agreed"),
        (debate(8, 9, None, moderation=YES), False, "unknown_confidence"),
        (debate(8, 9, 9), False, "no_verdict"),
        (debate(8, 9, 9, moderation=YES | {"aligned": False}), False, "no_agreement"),
        (debate(8, 9, 9, moderation=YES | {"open_blockers": ["x"]}), False, "blocker"),
        (debate(8, 9, 9, moderation=YES | {"holdouts": ["Agent B"]}), False, "no_common_proposal"),
        (debate(8, 9, 9, moderation=YES | {"proposal": None}), False, "no_common_proposal"),
        (debate(8, 9, 3, moderation=YES), False, "unsure"),
    ],
)
def test_only_a_verdict_without_holdouts_and_blockers_converges(item: Round, converged: bool, why: str) -> None:
    """Each obstacle is named."""
    found = decide(item, moderated=True, quorum=2)
    assert (found.converged, found.why) == (converged, why)


def test_an_off_topic_reply_of_unknown_confidence_does_not_stand_in_the_way() -> None:
    """Once the moderator has called it off topic it neither counts nor holds the others up."""
    item = debate(8, 9, None, moderation=YES | {"off_topic": ["Agent C"]})
    astray = replace(item, entries=(*item.entries[:2], replace(item.entries[2], off_topic=True)))
    found = decide(astray, moderated=True, quorum=2)
    assert (found.converged, found.effective, found.excluded) == (True, 2, ("Agent C",))


@pytest.mark.parametrize(
    ("rounds", "seats", "decision", "expected"),
    [
        (1, 3, Decision(True, "Agent A", ("Agent A", "Agent B", "Agent C"), 3, (), ""), "unanimous"),
        (1, 3, Decision(True, "Agent A", ("Agent A", "Agent B"), 2, ("Agent C",), ""), "consensus"),
        (2, 3, Decision(True, "Agent A", ("Agent A", "Agent B", "Agent C"), 3, (), ""), "consensus"),
        (3, 3, Decision(False, "Agent A", ("Agent A", "Agent B"), 3, (), ""), "split"),
        (3, 4, Decision(False, "Agent A", ("Agent A", "Agent B"), 4, (), ""), "deadlock"),
        (3, 3, Decision(False, None, (), 3, (), ""), "deadlock"),
    ],
)
def test_the_outcome_is_worked_out(rounds: int, seats: int, decision: Decision, expected: str) -> None:
    """Unanimous in round 1, consensus later or without a seat, split with a majority, else deadlock."""
    transcript = Transcript(
        problem="",
        agents=tuple(Seat(f"Agent {'ABCD'[i]}", "", "") for i in range(seats)),
        rounds=tuple(Round(number) for number in range(1, rounds + 1)),
    )
    assert outcome(transcript, decision) == expected
