"""The extract that stands in for a synthesis: the seats' own sections, and nothing else."""

from __future__ import annotations

import pytest

from debateroom.debating import extract
from debateroom.debating.convergence import decide
from debateroom.messages import Entry, Round, Seat, Transcript

SEATS = (Seat("Agent A", "Architect", ""), Seat("Agent B", "Critic", ""))


def entry(name: str, text: str, *, endorses: str | None = None, confidence: float = 8) -> Entry:
    """A reply of `name`."""
    return Entry(name, "Architect" if name == "Agent A" else "Critic", text, confidence=confidence, endorses=endorses)


def transcript(*rounds: Round, language: str = "en") -> Transcript:
    return Transcript(problem="Queue or loop?", agents=SEATS, rounds=rounds, language=language)


OPENING = Round(
    1,
    (
        entry("Agent A", "POSITION: A queue.\nPROPOSAL: Build a table queue.\nCONCERNS: It is late."),
        entry("Agent B", "POSITION: A loop.\nPROPOSAL: Keep the loop.\nCONCERNS: None of substance."),
    ),
)
CLOSING = Round(
    2,
    (
        entry(
            "Agent A",
            "AGREEMENTS: Yes.\nDISAGREEMENTS: None.\nREFINED PROPOSAL: Build the table queue now.",
            endorses="Agent A",
        ),
        entry(
            "Agent B",
            "AGREEMENTS: Agent A: retries need a table.\nDISAGREEMENTS: The ceiling.\nREFINED PROPOSAL: As Agent A.",
            endorses="Agent A",
            confidence=7,
        ),
    ),
)


def test_an_extract_holds_only_what_the_seats_wrote_and_says_what_it_is() -> None:
    """The leading proposal is recommended; stated disagreements are sides, concerns risks, moves changes of mind."""
    told = transcript(OPENING, CLOSING)
    decision = decide(CLOSING, moderated=False, quorum=2)
    found = extract.build(told, decision, "split")
    assert found == {
        "summary": "After round 2 all 2 agents would sign the proposal of Agent A (Architect), but it is not an "
        "agreement: a seat is less than 8 sure. It says: Build the table queue now. Made without a moderator, from "
        "the agents' own words.",
        "consensus": [],
        "disagreements": [
            {
                "question": "Which proposal?",
                "sides": [
                    {"agents": ["Agent A"], "claim": "Build the table queue now."},
                    {"agents": ["Agent B"], "claim": "As Agent A."},
                ],
            },
            {"question": "Where Agent B still differs", "sides": [{"agents": ["Agent B"], "claim": "The ceiling."}]},
        ],
        "recommended_action": "Build the table queue now.",
        "sharpest_disagreement": "Agent B (Critic): The ceiling.",
        "unresolved_risks": [{"risk": "It is late.", "raised_by": ["Agent A"]}],
        "mind_changes": [
            {
                "agent": "Agent B",
                "from": "Agent B",
                "to": "Agent A",
                "because": "Agent A: retries need a table.",
                "round": 2,
            }
        ],
        "highlights": [],
    }


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("None.", "en"),
        ("None of substance.", "en"),
        ("N/A", "en"),
        ("Aucun.", "fr"),
        ("无。", "zh"),
        ("没有", "zh"),
        ("-", "en"),
    ],
)
def test_nothing_to_say_is_no_disagreement(text: str, language: str) -> None:
    """A seat that writes "None." under the label has stated no disagreement."""
    last = Round(2, tuple(entry(n, f"DISAGREEMENTS: {text}\nREFINED PROPOSAL: x") for n in ("Agent A", "Agent B")))
    found = extract.build(
        transcript(OPENING, last, language=language), decide(last, moderated=False, quorum=2), "deadlock"
    )
    assert len(found["disagreements"]) == 1
    assert "Agent" not in found["sharpest_disagreement"]
