"""The extract that stands in for a synthesis: the seats' own sections, and nothing else."""

from __future__ import annotations

from dataclasses import replace

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


@pytest.mark.parametrize(
    ("language", "begins"),
    [
        (
            "en",
            "No proposal has a majority; the largest minority, 1 of 2 agents, would sign the proposal of Agent A: ",
        ),
        (
            "fr",
            "Aucune proposition n’a la majorité ; la plus grande minorité, 1 agent sur 2, signerait celle d’Agent A : ",  # noqa: E501
        ),
        ("zh", "没有哪个提案获得多数；最大的少数派，2 位参与者中的 1 位，会签署 Agent A 的提案："),
    ],
)
def test_a_deadlock_does_not_recommend_a_minority_s_proposal_as_if_it_were_settled(
    language: str, begins: str
) -> None:
    """The seats' words follow, behind how many would sign them."""
    alone = Round(1, (OPENING.entries[0], entry("Agent B", "CONCERNS: Both are late.")))
    decision = replace(decide(CLOSING, moderated=False, quorum=2), proposal="Agent A", backers=("Agent A",))
    found = extract.build(transcript(alone, language=language), decision, "deadlock")
    assert found["recommended_action"] == begins + "Build a table queue."


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
