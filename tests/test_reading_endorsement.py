"""Whose proposal a seat would sign: one seat named plainly, or nobody."""

from __future__ import annotations

from typing import Any

import pytest
from reading_cases import rows, shown

from debateroom.reading.endorsement import read_endorsement


@pytest.mark.parametrize("row", rows("endorsements", "one"), ids=shown)
def test_one_seat_named_plainly_is_endorsed(row: dict[str, Any]) -> None:
    """A seat named once is endorsed, however it is dressed and whatever reason follows."""
    assert read_endorsement(row["text"], speaker="Agent D") == row["seat"]


@pytest.mark.parametrize("row", rows("endorsements", "self"), ids=shown)
def test_a_seat_may_endorse_itself(row: dict[str, Any]) -> None:
    """Words for oneself mean the speaker, in three languages."""
    assert read_endorsement(row["text"], speaker="Agent A") == "Agent A"


@pytest.mark.parametrize("text", ["myself", "my own", "moi-même", "自己"])
def test_oneself_is_nobody_when_the_speaker_is_not_known(text: str) -> None:
    """Without a speaker, words for oneself name no seat."""
    assert read_endorsement(text) is None


@pytest.mark.parametrize("row", rows("endorsements", "nobody"), ids=shown)
def test_anything_less_than_a_plain_yes_is_no_endorsement(row: dict[str, Any]) -> None:
    """Several seats, a condition, a change, a denial or a role: no seat is endorsed."""
    assert read_endorsement(row["text"], speaker="Agent A") is None
