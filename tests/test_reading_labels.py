"""What is a label: misspelt ones are, ordinary words are not."""

from __future__ import annotations

from typing import Any

import pytest
from reading_cases import rows, shown

from debateroom.language import LABELS, SECTIONS
from debateroom.reading.reply import read_reply


@pytest.mark.parametrize("row", rows("labels", "misspelt"), ids=shown)
def test_a_label_misspelt_by_two_letters_is_read(row: dict[str, Any]) -> None:
    """One or two wrong letters in a label, with accents or without, leave it readable."""
    written = {**LABELS[row["language"]], row["key"]: row["label"]}
    texts = {key: {"confidence": "7", "endorses": "Agent C"}.get(key, "Words.") for key in SECTIONS[row["kind"]]}
    text = "\n".join(f"{written[key]}: {value}" for key, value in texts.items())
    reply = read_reply(text, kind=row["kind"], language=row["language"], speaker="Agent A")
    assert reply.sections == texts
    assert {"spelling", "synonym"} & set(reply.repairs)


@pytest.mark.parametrize("row", rows("labels", "ordinary"), ids=shown)
def test_an_ordinary_word_is_no_label(row: dict[str, Any]) -> None:
    """A word like a label, or a label's word inside a sentence, stays in the section it stands in."""
    line = row["line"]
    text = (
        f"POSITION: Queue.\nREASONING: First.\n{line}\nLast.\nPROPOSAL: Queue first.\nCONCERNS: None.\nCONFIDENCE: 6"
    )
    reply = read_reply(text, kind="opening", speaker="Agent A")
    assert reply.sections == {
        "position": "Queue.",
        "reasoning": f"First.\n{line}\nLast.",
        "proposal": "Queue first.",
        "concerns": "None.",
        "confidence": "6",
    }
    assert reply.confidence == 6
