"""What holds for any text at all: no exception, no invented number, no invented words, no runaway."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading_cases import calls

from debateroom.language import LABELS, SECTIONS
from debateroom.messages import Kind
from debateroom.reading.confidence import read_confidence
from debateroom.reading.endorsement import read_endorsement
from debateroom.reading.reply import LONGEST, REPAIRS, normalised, read_reply

WORDS = [label for labels in LABELS.values() for label in labels.values()]
PIECES = st.sampled_from(
    [
        *WORDS,
        *map(str.lower, WORDS),
        *map(str.title, WORDS),
        "Agent A",
        "Agent B",
        "Agent AB",
        "myself",
        "STANCE",
        "RISKS",
        "CONFIDNECE",
        "My own answer:",
        "The file says:",
        "wrote:",
        ":",
        ": ",
        "：",
        " - ",
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "\u00a0",
        "\u200b",
        "\ufeff",
        "\x00",
        "\ud83d",
        "**",
        "*",
        "_",
        "`",
        "```",
        "```json\n",
        "~~~",
        "> ",
        "- ",
        "1. ",
        "# ",
        "|",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        '"',
        "'",
        ",",
        ".",
        "。",
        "，",
        "<think>",
        "</think>",
        "<b>",
        "<x>\n",
        "</x>\n",
        "<|channel|>final<|message|>",
        "8",
        "10",
        "1",
        "0",
        "9.5",
        "8/10",
        "85%",
        "7-8",
        "7 → 8",
        "/10",
        "-8",
        "八",
        "十分",
        "eight",
        "High",
        "N/A",
        "was 9",
        "now 6",
        "not 9",
        "Let me know",
        "Queue",
        "\\n",
        "true",
        "null",
        "error 529",
        "½",
        "８",
        "⑧",
        "\u0301",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=40).map("".join),
    st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=30).map("".join),
)
KINDS = st.sampled_from(["opening", "debate"])
SPEAKERS = st.sampled_from([None, "Agent A", "Agent AB", "x"])
many = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@many
@given(
    text=TEXTS,
    kind=KINDS,
    speaker=SPEAKERS,
    problem=st.one_of(st.none(), TEXTS),
    stop=st.sampled_from([None, "stop", "length"]),
)
def test_any_text_gives_a_reply(
    text: str, kind: Kind, speaker: str | None, problem: str | None, stop: str | None
) -> None:
    """No text raises; the confidence is unknown or 1–10, sections are pieces of the text, names are seats."""
    reply = read_reply(text, kind=kind, language="fr", speaker=speaker, problem=problem, stop_reason=stop)
    assert reply.confidence is None or 1 <= reply.confidence <= 10
    assert reply.endorses is None or reply.endorses.startswith("Agent ")
    assert set(reply.repairs) <= set(REPAIRS)
    assert set(reply.sections) <= set(SECTIONS["opening"]) | set(SECTIONS["debate"])
    read = normalised(text)
    for section in (*reply.sections.values(), *(each for texts in reply.further.values() for each in texts)):
        assert section
        assert section == section.strip()
        assert section in read


@many
@given(text=TEXTS)
def test_any_section_text_gives_a_confidence_or_none(text: str) -> None:
    """What a section states is unknown or a number from 1 to 10, and stands in the text or is converted from it."""
    value = read_confidence(text, speaker="Agent A").value
    assert value is None or 1 <= value <= 10


@many
@given(text=st.text(alphabet=st.characters(exclude_categories=("Nd", "No", "Nl")), max_size=120))
def test_a_text_without_numbers_has_at_most_a_number_word(text: str) -> None:
    """Where no digit stands, only a written number can be a confidence."""
    value = read_confidence(text).value
    assert value is None or any(word in text.lower() for word in (*"零一二两三四五六七八九十", *NUMBER_WORDS))


NUMBER_WORDS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "un", "deux", "trois", "quatre"),
    *(
        "cinq",
        "sept",
        "huit",
        "neuf",
        "dix",
        "cent",
        "vingt",
        "trente",
        "quarante",
        "soixante",
        "septante",
        "octante",
    ),
    *("huitante", "nonante", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred"),
    "🔟",
)


@many
@given(text=TEXTS)
def test_an_endorsement_is_written_in_the_text(text: str) -> None:
    """A seat other than the speaker is endorsed only if its letter stands in the text."""
    seat = read_endorsement(text, speaker="Agent Q")
    assert seat in (None, "Agent Q") or seat.removeprefix("Agent ").lower() in text.lower()


HOSTILE = {
    "labels": "CONFIDENCE: 8\n",
    "bold labels": "**POSITION:** x ",
    "labels without text": "POSITION\n",
    "near labels": "POSITTON: x\n",
    "thinking": "<think>",
    "closed thinking": "x</think>\n",
    "stars": "*",
    "digits": "8",
    "spaces": " ",
    "lines": "\n",
    "colons": "A:",
    "fences": "```\n",
    "quotes": '"a ',
    "braces": '{"a":',
    "brackets": "[{",
    "tags": "<a>\n",
    "seats": "Agent B:\n",
    "headings": "My own answer:\nPOSITION: x\n",
    "ranges": "7-",
    "arrows": "7 → ",
    "hidden": "1\u200b",
    "Chinese labels": "信心：八\n",
    "bars": "| POSITION | x |\n",
    "rules": "---\n",
    "quoted lines": "> x\n",
    "notes": "POSITION (",
    "minds": "I changed my mind ",
    "errors": "API error 529 ",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_work_grows_no_faster_than_the_text(piece: str) -> None:
    """Twice the hostile text makes at most about twice the calls, whatever is repeated in it."""
    small, large = (f"POSITION: {piece * (size // len(piece))}" for size in (3_000, 6_000))
    for text in (small, large):  # fills the caches of words
        read_reply(text, kind="debate", speaker="Agent A")
    few = calls(lambda: read_reply(small, kind="debate", speaker="Agent A"))
    many_calls = calls(lambda: read_reply(large, kind="debate", speaker="Agent A"))
    assert many_calls <= 2.5 * few + 2_000


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_a_megabyte_of_hostile_text_is_read(piece: str) -> None:
    """No text makes the reader run away: a quadratic step would take minutes of CPU here, not seconds."""
    text = f"POSITION: {piece * (1_000_000 // len(piece))}"
    start = time.process_time()
    read_reply(text, kind="debate", speaker="Agent A", problem="Should jobs use a queue?")
    assert time.process_time() - start < 30
    assert len(normalised(text)) <= LONGEST + 1
