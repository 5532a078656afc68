"""Replies given as JSON objects."""

from __future__ import annotations

import pytest

from debateroom.reading.reply import read_reply

OWN = '"agreements": "Drain.", "refined_proposal": "Queue."'
OTHER = '{"agent": "Agent B", "agreements": "x", "confidence": 10}'
THIRD = '{"agent": "Agent C", "agreements": "y", "confidence": 9}'
JSON = [
    (f'{{{OWN}, "confidence": 8, "endorses": "Agent B"}}', 8, "Agent B"),
    (f'{{{OWN}, "confidence": "8/10", "endorses": ["Agent B"]}}', 8, "Agent B"),
    (f'{{{OWN}, "confidence": {{"score": 8, "why": "tests"}}, "endorses": null}}', 8, None),
    (f'{{{OWN}, "confidence": 0.9, "endorses": ["Agent B", "Agent C"]}}', None, None),
    (f'{{{OWN}, "confidence": true, "endorses": "none"}}', None, None),
    (f'{{{OWN}, "confidence": 11}}', None, None),
    (f'{{{OWN}, "confidence": 9, "confidence": 3}}', None, None),
    (f'{{"agent": "Agent A", {OWN}, "confidence": 7}}', 7, None),
    (f'[{OTHER}, {{"agent": "Agent A", {OWN}, "confidence": 7}}]', 7, None),
    (f'{{{OWN}, "confidence": 7', None, None),
    (f'{{{OWN}, "confidenceScore": 7,}}', 7, None),
    ('{"agreements": "Drain.", "refinedProposal": "Queue.", "confidence": "High (7/10)"}', 7, None),
    ('{"accords": "Drain.", "proposition affinée": "Queue.", "confiance": 7, "soutient": "moi-même"}', 7, "Agent A"),
    ('{"共识": "Drain.", "修订提案": "Queue.", "信心": "7分", "支持": "自己"}', 7, "Agent A"),
]


@pytest.mark.parametrize(("text", "confidence", "endorses"), JSON)
def test_a_json_object_is_a_reply(text: str, confidence: float | None, endorses: str | None) -> None:
    """Keys are labels in any language and spelling of an identifier; values are read like text."""
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (reply.sections["agreements"], reply.sections["refined_proposal"]) == ("Drain.", "Queue.")
    assert (reply.confidence, reply.endorses, "json" in reply.repairs) == (confidence, endorses, True)


@pytest.mark.parametrize(
    "text",
    [
        OTHER,
        f"[{OTHER}, {THIRD}]",
        'Agent B wrote: {"agreements": "x", "confidence": 10}',
        '{"error": {"type": "overloaded_error"}}',
        "{" * 50,
    ],
)
def test_a_json_object_that_is_not_the_speakers_is_none(text: str) -> None:
    """Another seat's object, an error object and broken braces give no section."""
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (dict(reply.sections), reply.confidence) == ({}, None)
