"""The synthesis, read from a `final_output` of any shape."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debateroom.report.verdict import Disagreement, Excluded, MindChange, Risk, Side, Verdict, Vote, read

SEATS = {"Agent A": 0, "Agent B": 1, "Agent C": 2}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["Agent A", "", "agent", "sides", "claim", "risk", "round", "x"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


def test_the_synthesis_as_debateroom_writes_it() -> None:
    """Every field is read as it is."""
    said = {
        "summary": "They agree.",
        "outcome": "consensus",
        "consensus": ["a", "b"],
        "disagreements": [{"question": "When?", "sides": [{"agents": ["Agent A", "Agent B"], "claim": "now"}]}],
        "recommended_action": "Do it.",
        "sharpest_disagreement": "When?",
        "unresolved_risks": [
            {"risk": "r", "raised_by": "Agent A"},
            {"risk": "s", "raised_by": ["Agent B", "Agent C"]},
        ],
        "mind_changes": [{"agent": "Agent B", "from": "x", "to": "y", "because": "z", "round": 2}],
        "highlights": ["h"],
        "opening_vote": {"Agent A": ["Agent A", "Agent C"], "Agent B": 1, "": ["Agent B"]},
        "final_vote": {"Agent A": ["Agent A", "Agent B"], "null": 1},
        "effective_agents": 3,
        "excluded": [{"agent": "Agent C", "round": 2, "reason": "off topic"}],
        "synthesized_by": "scripted:x",
        "unsupported": 2,
        "shared_premise": "p",
    }
    assert read(said, SEATS.get) == Verdict(
        summary="They agree.",
        outcome="consensus",
        consensus=("a", "b"),
        disagreements=(Disagreement("When?", (Side(("Agent A", "Agent B"), "now"),)),),
        recommended_action="Do it.",
        sharpest="When?",
        risks=(Risk("r", ("Agent A",)), Risk("s", ("Agent B", "Agent C"))),
        changes=(MindChange("Agent B", "x", "y", "z", 2),),
        highlights=("h",),
        opening_vote=Vote({0: 2, 1: 1}, {0: (0, 2), 1: ()}, 1),
        final_vote=Vote({0: 2}, {0: (0, 1)}, 1),
        effective_agents=3,
        excluded=(Excluded("Agent C", 2, "off topic"),),
        synthesized_by="scripted:x",
        unsupported=2,
        shared_premise="p",
    )


def test_the_synthesis_as_an_assistant_left_it() -> None:
    """Other names of the same fields, texts for lists and objects for lists are read; the rest is kept as extras."""
    said = {
        "Key disagreements": {"Acceptable delay": {"Agent A": "minutes", "Agent B": "seconds"}},
        "consensus": "All want a queue.",
        "recommendation": ["Build it.", "Measure it."],
        "risks": ["ordering", {"concern": "growth", "agent": "Agent C"}],
        "Debate highlights": "B gave up the loop.",
        "excluded": ["Agent C"],
        "mind_changes": ["B changed its mind."],
        "next_steps": {"first": "a table", "then": ["a pool", "an alert"]},
        "empty": None,
    }
    assert read(said, SEATS.get) == Verdict(
        consensus=("All want a queue.",),
        disagreements=(
            Disagreement("Acceptable delay", (Side(("Agent A",), "minutes"), Side(("Agent B",), "seconds"))),
        ),
        recommended_action="Build it.\nMeasure it.",
        risks=(Risk("ordering", ()), Risk("growth", ("Agent C",))),
        changes=(MindChange("", "", "B changed its mind.", "", None),),
        highlights=("B gave up the loop.",),
        excluded=(Excluded("Agent C", None, ""),),
        extras=(("next_steps", "first: a table\nthen: a pool\nan alert"),),
    )


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("When to start", Disagreement("When to start", ())),
        ({"topic": "When", "positions": {"Agent A": "now"}}, Disagreement("When", (Side(("Agent A",), "now"),))),
        ({"question": "When", "sides": ["now", "later"]}, Disagreement("When", (Side((), "now"), Side((), "later")))),
        ({"question": "When", "Agent A": "now"}, Disagreement("When", (Side(("Agent A",), "now"),))),
        ({"Agent A": "now", "Agent B": "later"}, Disagreement("Agent A: now\nAgent B: later", ())),
        (None, Disagreement("", ())),
    ],
)
def test_a_disagreement_of_any_shape_keeps_its_sides(item: object, expected: Disagreement) -> None:
    """Who claims what is read where it is said, and the rest is shown as it stands."""
    assert read({"disagreements": [item]}, SEATS.get).disagreements == (expected,)


@pytest.mark.parametrize(
    "vote", [None, {}, "3-1", [3, 1], {"Agent A": "x", "Agent Z": 2}, {"Agent A": -1}, {"Agent A": 1.5}]
)
def test_a_vote_that_cannot_be_read_is_no_vote(vote: object) -> None:
    """A vote for a seat that is not in the room, or of a strange number, is not counted in part."""
    assert read({"final_vote": vote}, SEATS.get).final_vote is None


@pytest.mark.parametrize("outcome", [None, "", "agreement", 3, ["split"]])
def test_an_outcome_of_another_name_is_not_guessed(outcome: object) -> None:
    """Only the five known outcomes are outcomes."""
    assert read({"outcome": outcome}, SEATS.get).outcome is None


def test_no_synthesis_says_nothing() -> None:
    """None is the empty verdict."""
    assert read(None, SEATS.get) == Verdict()


@given(
    st.dictionaries(st.sampled_from([*Verdict.__dataclass_fields__, "unresolved_risks", "mind_changes", "x"]), JSON)
)
def test_any_shape_is_read_without_an_error(value: dict[str, Any]) -> None:
    """A synthesis may be anything; the verdict is a verdict."""
    assert isinstance(read(value, SEATS.get), Verdict)
