"""How sure a seat says it is: what counts as a value, and what must never become one."""

from __future__ import annotations

from typing import Any

import pytest
from reading_cases import rows, shown

from debateroom.reading.confidence import Confidence, read_confidence


def group(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows("confidences", name), ids=shown)


@group("plain")
def test_a_bare_number_is_the_value(row: dict[str, Any]) -> None:
    """A number on its own is the confidence, in whatever digits and dress."""
    assert read_confidence(row["text"]).value == row["value"]


@group("scaled")
def test_the_scale_is_not_the_value(row: dict[str, Any]) -> None:
    """A stated scale converts the value and is never the value itself."""
    assert read_confidence(row["text"]).value == row["value"]


@group("ranges")
def test_a_range_gives_its_low_end(row: dict[str, Any]) -> None:
    """Of a range the low end counts: the safe reading when a threshold lies inside."""
    assert read_confidence(row["text"]).value == row["value"]


@group("changes")
def test_a_change_gives_the_value_of_now(row: dict[str, Any]) -> None:
    """Of an old and a new value the new one counts, in whatever order they are written."""
    assert read_confidence(row["text"]).value == row["value"]


@group("words")
def test_number_words_are_read(row: dict[str, Any]) -> None:
    """A number written as a word where a value stands is that value."""
    assert read_confidence(row["text"]).value == row["value"]


@group("prose")
def test_prose_around_the_value_does_not_hide_it(row: dict[str, Any]) -> None:
    """Words before and after a value leave it readable."""
    assert read_confidence(row["text"]).value == row["value"]


@group("others")
def test_other_seats_values_are_not_the_speakers(row: dict[str, Any]) -> None:
    """A value said of another seat is never taken."""
    assert read_confidence(row["text"], speaker="Agent A").value == row["value"]


@group("unknown")
def test_what_states_no_value_is_unknown(row: dict[str, Any]) -> None:
    """No number, one out of range, one of something else, a denied one: all are unknown, never a default."""
    assert read_confidence(row["text"], speaker="Agent A").value is None


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("8", Confidence(8)),
        ("8/10", Confidence(8, ("scale",))),
        ("85%", Confidence(8.5, ("scale",))),
        ("8-9", Confidence(8, ("range",))),
        ("7 → 8", Confidence(8, ("change",))),
        ("eight", Confidence(8, ("words",))),
        ("8, because it holds", Confidence(8, ("prose",))),
        ("75", Confidence(None, ("out_of_range",))),
        ("High", Confidence(None, ("unreadable",))),
        ("", Confidence(None)),
    ],
)
def test_what_was_mended_is_named(text: str, read: Confidence) -> None:
    """Each way in which the value was not a plain number has its word."""
    assert read_confidence(text) == read


def test_a_value_in_brackets_behind_the_label_counts_when_nothing_else_is_stated() -> None:
    """`CONFIDENCE (8/10)` is 8; `CONFIDENCE (1-10)` states a scale, and a value after it wins."""
    assert read_confidence("", note="8/10").value == 8
    assert read_confidence("", note="1-10").value is None
    assert read_confidence("6", note="9/10").value == 6
