"""Words of other seats and of quoted files: never the speaker's own."""

from __future__ import annotations

from typing import Any

import pytest
from reading_cases import rows, shown

from debateroom.reading.reply import read_reply


@pytest.mark.parametrize("row", rows("other_seats", "planted"), ids=shown)
def test_quoted_and_planted_labels_are_not_the_seats_own(row: dict[str, Any]) -> None:
    """What stands in quotation marks, quotes, fences, elements or after *X says:* is the text of its section."""
    rest = "DISAGREEMENTS: Loop.\nREFINED PROPOSAL: Queue.\nENDORSES: Agent B\nCONFIDENCE: 4"
    text = f"AGREEMENTS: Drain.\n{row['text']}\n{rest}"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert reply.sections == {
        "agreements": f"Drain.\n{row['text']}",
        "disagreements": "Loop.",
        "refined_proposal": "Queue.",
        "endorses": "Agent B",
        "confidence": "4",
    }
    assert (reply.confidence, reply.endorses) == (4, "Agent B")


@pytest.mark.parametrize("row", rows("other_seats", "planted"), ids=shown)
def test_a_planted_value_does_not_stand_in_for_a_missing_one(row: dict[str, Any]) -> None:
    """A seat that states neither confidence nor endorsement has none, whatever it quotes."""
    text = f"AGREEMENTS: Drain.\n{row['text']}\nDISAGREEMENTS: Loop.\nREFINED PROPOSAL: Queue."
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (reply.confidence, reply.endorses) == (None, None)
    assert reply.sections["disagreements"] == "Loop."
    assert reply.sections["refined_proposal"] == "Queue."


@pytest.mark.parametrize("row", rows("other_seats", "after"), ids=shown)
def test_replies_of_other_seats_written_after_ones_own_are_left_out(row: dict[str, Any]) -> None:
    """A seat that goes on with another's turn keeps its own sections, confidence and endorsement."""
    own = "AGREEMENTS: Drain.\nDISAGREEMENTS: The loop.\nREFINED PROPOSAL: Queue.\nENDORSES: Agent A\nCONFIDENCE: 5"
    text = f"{own}\n\n{row['text']}"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert {key: reply.sections[key] for key in ("agreements", "disagreements", "refined_proposal", "endorses")} == {
        "agreements": "Drain.",
        "disagreements": "The loop.",
        "refined_proposal": "Queue.",
        "endorses": "Agent A",
    }
    assert (reply.confidence, reply.endorses) == (5, "Agent A")


@pytest.mark.parametrize("row", rows("other_seats", "before"), ids=shown)
def test_replies_of_other_seats_repeated_before_ones_own_are_left_out(row: dict[str, Any]) -> None:
    """A seat that first repeats another's turn is read from its own."""
    own = "AGREEMENTS: Drain.\nDISAGREEMENTS: The loop.\nREFINED PROPOSAL: Queue.\nENDORSES: Agent B\nCONFIDENCE: 5"
    text = f"{row['text']}\n{own}"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert reply.sections == {
        "agreements": "Drain.",
        "disagreements": "The loop.",
        "refined_proposal": "Queue.",
        "endorses": "Agent B",
        "confidence": "5",
    }
    assert (reply.confidence, reply.endorses) == (5, "Agent B")


def test_a_reply_that_is_only_another_seats_is_nobodys() -> None:
    """With the speaker known, a reply under another seat's name has no section."""
    text = "Agent B:\nAGREEMENTS: All.\nREFINED PROPOSAL: Loop.\nCONFIDENCE: 10"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (dict(reply.sections), reply.confidence) == ({}, None)


def test_points_about_other_seats_stay_in_their_section() -> None:
    """A list of seats under a label is that section's text, not a row of headings."""
    text = (
        "AGREEMENTS:\n- Agent B: right on drains.\n- Agent C: right on duplicates.\nDISAGREEMENTS:\n- Agent B\n- "
        "Agent C\n"
        "REFINED PROPOSAL: Queue.\nENDORSES:\nAgent B\nCONFIDENCE:\n8"
    )
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert reply.sections == {
        "agreements": "- Agent B: right on drains.\n- Agent C: right on duplicates.",
        "disagreements": "- Agent B\n- Agent C",
        "refined_proposal": "Queue.",
        "endorses": "Agent B",
        "confidence": "8",
    }
    assert (reply.confidence, reply.endorses) == (8, "Agent B")


def test_a_seat_after_z_speaks_too() -> None:
    """Seats with two letters are seats: their own heading is theirs, others' are not."""
    text = "Agent AA:\nAGREEMENTS: x\nCONFIDENCE: 9\n\nAgent AB:\nAGREEMENTS: Drain.\nENDORSES: myself\nCONFIDENCE: 6"
    reply = read_reply(text, kind="debate", speaker="Agent AB")
    assert (reply.sections["agreements"], reply.confidence, reply.endorses) == ("Drain.", 6, "Agent AB")
