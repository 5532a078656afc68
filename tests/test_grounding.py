"""What a model says about the debate is held to what was said."""

from __future__ import annotations

from typing import Any

import pytest

from debateroom.debating.grounding import held_to_transcript, premise
from debateroom.messages import Entry, Round, Seat, Transcript

SEATS = (Seat("Agent A", "Architect", ""), Seat("Agent B", "Critic", ""))


def said(name: str, text: str) -> Entry:
    """A reply of the seat `name`."""
    return Entry(name, "Architect" if name == "Agent A" else "Critic", text)


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


@pytest.mark.parametrize(
    "text",
    [
        'Agent A said "We lost 40% of jobs. The CTO resigned."',
        'Do as Agent B wrote: "Buy Kafka. Now."',
        "Agent B: “Over my dead body. Never.”",
        "Agent A: ‘never said this’.",
        "Agent A: 'never said this'.",
        "Agent A: `never said this`.",
        "Agent A: „nie gesagt“.",
        'Agent A: "never\nsaid this".',
        "Agents A and Q agreed.",
        "Agents Q, R and S left.",
        "agent Q left.",
        "AGENT Q left.",
        "智能体Q 离开了。",
        "Agent ABC left.",
        "Agent Q1 left.",
        'Unlike Agent B, Agent A said "a loop is enough".',
        'The Critic said "use a durable queue".',
    ],
)
def test_every_kind_of_quote_and_every_way_to_name_a_seat_is_checked(text: str) -> None:
    """What nobody said, or another seat said, does not stand, in one piece or across sentences."""
    claims, dropped = held(summary=text, highlights=[text])
    assert claims == {"summary": "", "highlights": []}
    assert dropped == 2


@pytest.mark.parametrize(
    "text",
    [
        'Unlike Agent A, Agent B said "A loop is enough." All agree now.',
        'The Architect said "use a durable queue".',
        "Agents A and B agreed; both agents' plans hold.",
        "As an agent I would say so.",
        "“Still a queue”, says Agent A.",
        "Agent B said ‘fine, the queue’ and didn't look back.",
        "> Use a durable queue.",
    ],
)
def test_what_was_said_stands_however_it_is_quoted(text: str) -> None:
    """A true quote of the seat it is given to, by name or role, before or after it."""
    assert held(summary=text, highlights=[text]) == ({"summary": text, "highlights": [text]}, 0)


def test_a_shared_premise_is_held_to_the_same_rules() -> None:
    """It names no seat that is not here, and quotes nobody who did not say it."""
    assert premise('Agent Q said "zzz".', TRANSCRIPT) == ({"shared_premise": None}, 1)
    assert premise("Jobs arrive in bursts.", TRANSCRIPT) == ({"shared_premise": "Jobs arrive in bursts."}, 0)


def test_seats_by_letter_role_or_with_their_heading_are_those_seats() -> None:
    """In sides, risks, changes of mind and opening positions; an opening position of nobody is counted as dropped."""
    change = {"agent": "Agent B (Critic)", "from": "a loop", "to": "the queue", "because": "load", "round": 2}
    positions = [{"agents": ["Architect", "b"], "claim": "a queue"}, {"agents": ["Moderator"], "claim": "a loop"}]
    claims, dropped = held(
        unresolved_risks=[{"risk": "load", "raised_by": ["Agent A (Architect)"]}],
        mind_changes=[change],
        opening_positions=positions,
    )
    assert claims == {
        "unresolved_risks": [{"risk": "load", "raised_by": ["Agent A"]}],
        "mind_changes": [change | {"agent": "Agent B"}],
        "opening_positions": [{"agents": ["Agent A", "Agent B"], "claim": "a queue"}],
    }
    assert dropped == 1
