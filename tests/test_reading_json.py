"""Replies given as JSON objects."""

from __future__ import annotations

import pytest

from debateroom.reading.objects import Found, find_object
from debateroom.reading.reply import normalised, read_reply

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
    (f"{{{OWN}, 'confidence': 7, 'endorses': None, 'final': True}}".replace('"', "'"), 7, None),
    (f'{{{OWN}, "confidence": 7, "endorses": None, "final": True}}', 7, None),
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


RATINGS: list[tuple[str, float | None, set[str]]] = [
    ('"confidence": [8, 9]', 8, {"range"}),
    ('"confidence": [9, 8]', 8, {"range"}),
    ('"confidence": ["8", "9"]', 8, {"range"}),
    ('"confidence": {"low": 7, "high": 9}', 7, {"range"}),
    ('"confidence": [8]', 8, set()),
    ('"confidence": [8, 9, 7]', None, {"unreadable"}),
    ('"confidence": [9, 8, 10]', None, {"unreadable"}),
    ('"confidence": [80, 90]', None, {"range", "out_of_range"}),
    ('"Confidence (1-10)": 8', 8, set()),
    ('"confidence (1–10)": "8/10"', 8, {"scale"}),
    ('"Confiance (sur 10)": 8', 8, set()),
    ('"信心（1-10）": 8', 8, set()),
    ('"Confidence (0-100)": 80', 8, {"scale"}),
    ('"Confidence (%)": 80', 8, {"scale"}),
    ('"Confidence (0-100)": 8', None, {"out_of_range"}),
    ('"Confidence (1-7)": 6', None, {"out_of_range"}),
    ('"confidence": {"value": 8, "scale": 10}', 8, {"scale"}),
    ('"confidence": {"value": 8, "scale": "1-10", "why": "Tests."}', 8, {"scale"}),
    ('"confidence": {"score": 8, "outOf": 10}', 8, {"scale"}),
    ('"confidence": {"value": 8, "scale": "out of 10"}', 8, {"scale"}),
    ('"confidence": {"value": 8, "min": 1, "max": 10}', 8, {"scale"}),
    ('"confidence": {"value": 80, "scale": 100}', 8, {"scale"}),
    ('"confidence": {"value": 4, "scale": [1, 5]}', 8, {"scale"}),
    ('"confidence": {"value": 0.8, "scale": "0-1"}', 8, {"scale"}),
    ('"confidence": {"value": 8, "scale": 7}', None, {"unreadable"}),
    ('"confidence": {"value": 8, "scale": "stars"}', None, {"unreadable"}),
    ('"confidence": {"Agent A": 8, "Agent B": 3}', None, {"unreadable"}),
]


@pytest.mark.parametrize(("field", "confidence", "repairs"), RATINGS)
def test_a_rating_in_json_reads_as_in_text(field: str, confidence: float | None, repairs: set[str]) -> None:
    """A list of two is a range, a stated scale converts, a scale in the key counts; what is unclear is unknown."""
    reply = read_reply(f"{{{OWN}, {field}}}", kind="debate", speaker="Agent A")
    assert (reply.confidence, set(reply.repairs)) == (confidence, {"json"} | repairs)


def test_every_value_in_a_json_section_is_in_its_text() -> None:
    """Numbers, true and false are words of a section like any other; only null says nothing."""
    text = '{"agreements": [true, 2, null, "x"], "refined_proposal": {"retry": false, "times": 3}, "concerns": 0.5}'
    assert read_reply(text, kind="debate").sections == {
        "agreements": "- true\n- 2\n- x",
        "refined_proposal": "retry: false\ntimes: 3",
        "concerns": "0.5",
    }


@pytest.mark.parametrize("speaker", [None, "Agent A", "Agent B", "Agent C"])
@pytest.mark.parametrize(
    "text",
    [
        f'[{{"agent": "Agent A", "agreements": ["x", {{"y": [1, true]}}], "confidence": [8, 9]}}, {OTHER}]',
        f'{{"replies": [{{"agent": "Agent A", "agreements": ["x", "z"], "Confidence (1-10)": 8}}, {THIRD}]}}',
        '{"response": {"agreements": ["a\\nb", " c "], "refined_proposal": {"k": ["d", "e\\u200b"]}}}',
        '{"agent": "Agent A", "response": "AGREEMENTS: a\\nDISAGREEMENTS: b\\nCONFIDENCE: 8"}',
        'Sure.\n{"agreements": ["a", ["b", "c"]], "confidence": {"value": 8, "scale": 10}, }\nBye.',
    ],
)
def test_a_section_from_json_is_a_piece_of_the_normalised_text(text: str, speaker: str | None) -> None:
    """Whosever object is read, what its lists and objects become in plain text stands in `normalised(text)`."""
    reply = read_reply(text, kind="debate", speaker=speaker)
    read = normalised(text)
    assert [key for key, section in reply.sections.items() if section not in read] == []


def test_a_mended_object_says_where_it_ends() -> None:
    """Counted in the text as it was written, whatever was taken out or put in; a cut one ends with the text."""
    written = "{'a': \"}'\", 'b': [True, None,], 'c': {'d': '\n'},}"
    assert find_object(f"x {written} y }}") == Found(
        {"a": "}'", "b": [True, None], "c": {"d": "\n"}}, 2, 2 + len(written), mended=True
    )
    assert find_object('x {"a": "b') == Found({"a": "b"}, 2, 10, mended=True, cut=True)


def test_an_object_inside_a_damaged_one_is_its_field() -> None:
    """A comma too many in the whole does not make the reader take the rating inside for the whole."""
    text = f'{{{OWN}, "confidence": {{"value": 8, "scale": 10}}, }}'
    reply = read_reply(text, kind="debate")
    assert (reply.confidence, reply.repairs) == (8, ("json", "json_syntax", "scale"))
