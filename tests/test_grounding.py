"""What a model says about the debate is held to what was said."""

from __future__ import annotations

from typing import Any

from debateroom.debating.grounding import held_to_transcript
from debateroom.messages import Entry, Round, Seat, Transcript

SEATS = (Seat("Agent A", "Architect", ""), Seat("Agent B", "Critic", ""))


def said(name: str, text: str) -> Entry:
    """A reply of the seat `name`."""
    return Entry(name, "role", text)


TRANSCRIPT = Transcript(
    problem="Queue or loop?",
    agents=SEATS,
    rounds=(
        Round(1, (said("Agent A", "Use a **durable queue**."), said("Agent B", "A loop is enough."))),
        Round(2, (said("Agent A", "Still a queue."), said("Agent B", "Fine, the queue."))),
    ),
)  # fmt: skip
EMPTY: dict[str, Any] = {
    "summary": "", "consensus": [], "disagreements": [], "recommended_action": "", "sharpest_disagreement": "",
    "unresolved_risks": [], "mind_changes": [], "highlights": [], "opening_positions": [],
}  # fmt: skip


def held(**claims: Any) -> tuple[dict[str, Any], int]:
    """The claims that were given, after the check, and how many fell."""
    result = held_to_transcript({**EMPTY, **claims}, TRANSCRIPT)
    return {key: result.claims[key] for key in claims}, result.unsupported


def test_a_sentence_with_an_invented_quote_or_seat_is_dropped_from_a_text() -> None:
    """Quotes are compared without emphasis marks, case and spacing; the rest of the text stays."""
    summary = 'Agent A wants a "Durable  queue". Agent B said "never a queue". Agent Q left. Both agree now.'
    assert held(summary=summary) == ({"summary": 'Agent A wants a "Durable  queue". Both agree now.'}, 2)


def test_a_quote_must_stand_in_the_reply_of_the_seat_it_is_given_to() -> None:
    """A phrase of Agent B is not a quote of Agent A."""
    assert held(highlights=["Agent A: «A loop is enough»", "Agent B: «A loop is enough»"]) == (
        {"highlights": ["Agent B: «A loop is enough»"]},
        1,
    )


def test_sides_and_risks_without_a_seat_of_this_room_are_dropped() -> None:
    """Unknown names are taken out and counted; a side that loses all its names goes with them."""
    sides = [{"agents": ["Agent A", "Agent Z"], "claim": "a queue"}, {"agents": ["Moderator"], "claim": "a loop"}]
    risks = [{"risk": "load", "raised_by": ["agent b"]}, {"risk": "meteors", "raised_by": []}]
    claims, dropped = held(disagreements=[{"question": "Which?", "sides": sides}], unresolved_risks=risks)
    assert claims == {
        "disagreements": [{"question": "Which?", "sides": [{"agents": ["Agent A"], "claim": "a queue"}]}],
        "unresolved_risks": [{"risk": "load", "raised_by": ["Agent B"]}],
    }
    assert dropped == 3


def test_a_change_of_mind_needs_a_seat_that_spoke_before_and_then() -> None:
    """Nobody changes their mind in their first reply, in a round that was not played, or without being a seat."""
    change = {"agent": "Agent B", "from": "a loop", "to": "a queue", "because": "retries", "round": 2}
    others = [change | {"round": 1}, change | {"round": 3}, change | {"agent": "Agent C"}]
    assert held(mind_changes=[change, *others]) == ({"mind_changes": [change]}, 3)


def test_the_problem_may_be_quoted_where_no_seat_is_named() -> None:
    """Words of the question are nobody's invention."""
    assert held(sharpest_disagreement="Is it “queue or loop”?") == (
        {"sharpest_disagreement": "Is it “queue or loop”?"},
        0,
    )
