"""Changes of mind: said in words, by the seat itself, of itself."""

from __future__ import annotations

from typing import Any

import pytest
from reading_cases import rows, shown

from debateroom.reading.mind import changed_mind
from debateroom.reading.reply import read_reply


@pytest.mark.parametrize("row", rows("minds"), ids=shown)
def test_a_change_of_mind_is_seen_only_when_the_seat_says_so(row: dict[str, Any]) -> None:
    """A seat that says it changed its mind did; a denial, a condition, a quotation or another's change is none."""
    assert changed_mind(row["text"]) is row["changed"]


def test_a_change_of_mind_of_another_seat_is_not_the_speakers() -> None:
    """Quotes, fences and other seats' turns say nothing about the speaker's mind."""
    own = "AGREEMENTS: Drain.\nREFINED PROPOSAL: Queue.\nCONFIDENCE: 7\n"
    others = (
        f"{own}\nAgent B:\nAGREEMENTS: I changed my mind.\nCONFIDENCE: 9",
        f"> I changed my mind.\n{own}",
        f"```\nI changed my mind.\n```\n{own}",
    )
    assert [read_reply(text, kind="debate", speaker="Agent A").mind_changed for text in others] == [False] * 3
    assert read_reply(f"I changed my mind.\n{own}", kind="debate", speaker="Agent A").mind_changed is True
