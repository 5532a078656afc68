"""Which seat a model means where it was asked for a seat's name: one, plainly, or none."""

from __future__ import annotations

import pytest

from debateroom.reading.naming import Names

ROLES = {"A": "Architect", "B": "Pragmatist", "C": "Critic", "D": "Critic", "AB": "B"}
NAMES = Names((f"Agent {letter}", role) for letter, role in ROLES.items())


@pytest.mark.parametrize(
    "text",
    [
        "Agent A", "agent a", "AGENT A.", "**Agent A**", "“Agent A”", "A", "Agent_A", "智能体 A", "Architect",
        "the architect", "l’Architect", "Agent A (Architect)", "Agent A（Architect）", "A (Architect)",
        "Architect (Agent A)", "Agent A (for the queue)",
    ],
)  # fmt: skip
def test_a_seat_is_named_by_its_name_its_letter_its_role_or_two_that_agree(text: str) -> None:
    """Case, emphasis, quotation marks and articles do not count."""
    assert (NAMES.alone(text), NAMES.find(text)) == ("Agent A", "Agent A")


@pytest.mark.parametrize(
    "text",
    [
        "Agent A: Use a queue", "Agent A：用队列", "A: a queue", "Architect: a queue", "Agent A (Architect): a queue",
        "Agent A's proposal", "Agent A’s queue", "Agent A的提案", "Agent A — the queue",
    ],
)  # fmt: skip
def test_what_the_seat_wants_may_follow_its_name(text: str) -> None:
    """Where only the name is asked for; an endorsement needs the name alone, for more may take it back."""
    assert (NAMES.alone(text), NAMES.find(text)) == (None, "Agent A")


@pytest.mark.parametrize(
    "text",
    [
        "", "none", "Agent Q", "Agent", "Critic", "B (Critic)", "Agent A (Pragmatist)", "Architect (Agent B)",
        "Agent A and Agent B", "Agent A, Agent B", "Agents A and B", "Agent A or B",
        "Agent A: like Agent B, but later", "not Agent A", "A queue", "Agent ABC", "Use a queue",
        "Agent A will not sign",
    ],
)  # fmt: skip
def test_two_seats_none_and_a_role_of_several_are_nobody(text: str) -> None:
    """A role called like another seat's letter means neither."""
    assert (NAMES.alone(text), NAMES.find(text)) == (None, None)


def test_seats_among_names_come_in_seat_order_and_the_unknown_are_told() -> None:
    """`none` is no name; a seat that is named twice is one."""
    found = NAMES.among(["Pragmatist", "agent a (Architect)", "A", "none", "Agent Q"])
    assert found == (["Agent A", "Agent B"], ["Agent Q"])
