"""How sure a seat says it is: one number from 1 to 10, or None. Never a number that another seat or a scale gave."""

from __future__ import annotations

import re
from typing import NamedTuple

from debateroom.reading import hedges
from debateroom.reading.numbers import plain_digits, words_as_digits
from debateroom.reading.seats import letters
from debateroom.reading.values import Value, values

LOWEST, HIGHEST = 1.0, 10.0
_LONGEST = 300
"""Characters of a line that are read: a confidence comes first or not at all."""
_DECORATION = re.compile(r"[*_`]+|(?<=\D)~~|^~~|\\boxed\{|\\text(?:bf)?\{")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[*_`]+(?=\d)")
_FORMULA = re.compile(r"\$([^$\n]{1,20})\$")
_LINES = 6
_FEW_WORDS = 6
_MENDED = {"plain": (), "scale": ("scale",), "percent": ("scale",), "range": ("range",), "change": ("change",)}
_SCALE_IN_NOTE = re.compile(
    r"\D{0,20}(?:(?:\b[01]\s?(?:-|–|—|~|to|à|到|至)\s?|/\s?|out of |sur |满分)(\d{1,3})%?|%|percent|pourcent)\s?",
    re.IGNORECASE,
)
_BARE = re.compile(r"\s*(\d{1,4}(?:[.,]\d{1,6})?)\s*\.?\s*")
_SCALES = frozenset({5, 20, 100})
_BULLET = re.compile(r"^[-+•*][ \t]+")


class Confidence(NamedTuple):
    """The number as stated, None when unknown; and a word of REPAIRS for each way in which it was not a plain one."""

    value: float | None
    repairs: tuple[str, ...] = ()


def read_confidence(text: str, *, note: str = "", speaker: str | None = None) -> Confidence:
    """What the section `text` states, on the scale 1–10; `note` is what stood in brackets behind its label.

    A value on another stated scale is converted, a range gives its low end, a change its end. Unknown (None) are:
    no number, a number out of range or on no known scale, two that contradict each other, words like *high*.
    """
    lines = _own_lines(text)
    if sum(bool(hedges.PART.match(line)) for line in lines) > 1:
        whole = [line for line in lines if hedges.PART.match(line) and hedges.OVERALL.search(line.split(":")[0])]
        lines = whole if len(whole) == 1 else []
    for at, line in enumerate(lines):
        read = _on_scale(_read_line(line, speaker, alone=at > 0), line, note)
        if read.value is not None or read.repairs:
            return read
    if note:
        read = _read_line(note, speaker, alone=True)
        return read if read.value is not None else Confidence(None)
    return Confidence(None, ("unreadable",) if text.strip() else ())


def _on_scale(read: Confidence, line: str, note: str) -> Confidence:
    """What was read of a bare number, converted from the scale in `note`: 80 under `CONFIDENCE (0-100)` is 8."""
    scale = _SCALE_IN_NOTE.fullmatch(plain_digits(note))
    number = _BARE.fullmatch(plain_digits(line))
    if not scale or not number or int(scale[1] or 100) == HIGHEST:
        return read
    top = int(scale[1] or 100)
    value = float(number[1].replace(",", ".")) * HIGHEST / top if top in _SCALES else 0.0
    if not LOWEST <= value <= HIGHEST:
        return Confidence(None, ("out_of_range",))
    return Confidence(round(value, 6), ("scale",))


def _own_lines(text: str) -> list[str]:
    """The first lines with words in them that are not quoted."""
    lines = [_BULLET.sub("", line.strip()) for line in text[: 4 * _LONGEST].split("\n")]
    return [line[:_LONGEST] for line in lines if line and not line.startswith(">")][:4]


def _read_line(line: str, speaker: str | None, *, alone: bool) -> Confidence:
    """The value of one line. With `alone` the line must hold nothing else than the value."""
    plain = plain_digits(_undecorated(line))
    if hedges.DECLINED.match(plain):
        return Confidence(None, () if alone else ("unreadable",))
    digits = words_as_digits(plain)
    masked = _masked(digits, speaker)
    found = [value for value in values(masked) if _counts(masked, value)]
    chosen = _chosen(masked, found)
    if (
        chosen is None
        or _said_of_another(masked[: chosen.start], speaker)
        or (alone and masked[chosen.end :].strip(" .!。*)]）"))
    ):
        return Confidence(None)
    words = ("words",) if digits != plain else ()
    prose = ("prose",) if masked[: chosen.start].strip() or masked[chosen.end :].strip(" .!。") else ()
    repairs = (*_MENDED[chosen.how], *words, *prose)
    if not LOWEST <= chosen.number <= HIGHEST:
        return Confidence(None, (*repairs, "out_of_range"))
    return Confidence(round(chosen.number, 6), repairs)


def _undecorated(line: str) -> str:
    """`line` without bold, code and formula marks; digits that a mark holds apart stay apart."""
    apart = _BETWEEN_DIGITS.sub("\u200b", line)
    return _DECORATION.sub("", _FORMULA.sub(r"\1", apart))


def _said_of_another(before: str, speaker: str | None) -> bool:
    """Whether another seat is named in the words `before` a value, and nothing turns back to the writer."""
    own = letters(speaker)
    others = [
        each for each in hedges.SOMEBODY.finditer(before) if own not in (each["seat"], each["letter"]) or not own
    ]
    return bool(others) and not hedges.MYSELF.search(before, others[-1].end())


def _masked(text: str, speaker: str | None) -> str:
    """`text` with scales, round numbers, denied values and other seats' values blotted out, letter for letter.

    The speaker's own name is written as *I*.
    """
    own = letters(speaker)

    def others(match: re.Match[str]) -> str:
        groups = match.groupdict()
        mine = own is not None and own in (groups.get("seat"), groups.get("letter"))
        return match.group() if mine else "·" * len(match.group())

    def myself(match: re.Match[str]) -> str:
        return "I".ljust(len(match.group())) if own is not None and match["seat"] == own else match.group()

    for pattern in (hedges.NOT_A_VALUE, hedges.DENIED):
        text = pattern.sub(lambda match: "·" * len(match.group()), text)
    text = hedges.VALUE_FOR_OTHERS.sub(others, hedges.OTHERS_VALUE.sub(others, text))
    return hedges.SOMEBODY.sub(myself, text)


def _counts(text: str, value: Value) -> bool:
    """Whether the value is said of now and of the seat itself, not denied, and not a count of things."""
    before, behind = text[max(0, value.start - 30) : value.start], text[value.end :]
    if (
        hedges.OLD_BEHIND.match(behind)
        or not hedges.GOES_ON.match(behind)
        or re.match(r"\s+\d|\s*(?:\+/-|\+-|±)", behind)
    ):
        return False
    if value.how == "change":
        return True
    if value.how == "range":
        before = hedges.BOUNDS.sub("", before)
    return not (hedges.NEGATIVE.search(before) or hedges.BELOW.search(before) or hedges.OLD_BEFORE.search(before))


def _chosen(text: str, found: list[Value]) -> Value | None:
    """The one value that the line states; None when none is, or when it cannot be told which."""
    if not found:
        return None
    current = [value for value in found if _is_now(text, value)]
    if len(current) == 1:
        return current[0]
    first = found[0]
    if first.how == "change" and len(text[: first.start].split()) <= _FEW_WORDS:
        return first
    if hedges.HEDGE.fullmatch(text, 0, first.start):
        return None if _one_of_several(text, first, found[1:]) else first
    tens = [value for value in found if value.how == "scale" and value.base == 10]
    if len({value.number for value in tens or found}) > 1:
        return None
    if tens:
        return tens[0]
    return first if _is_prose_value(text, first) else None


def _is_now(text: str, value: Value) -> bool:
    before, behind = text[max(0, value.start - 30) : value.start], text[value.end :]
    return bool(hedges.NOW_BEFORE.search(before) or hedges.NOW_BEHIND.match(behind))


def _one_of_several(text: str, first: Value, rest: list[Value]) -> bool:
    """Whether the line gives different values: `9 for the queue, 3 for the loop`, `8 if tested, otherwise 4`."""
    aspect = hedges.ASPECT.match(text, first.end)
    others = [value for value in rest if value.number != first.number]
    if others and hedges.OTHERWISE.search(text, first.end):
        return True
    for value in others:
        if aspect and (other := hedges.ASPECT.match(text, value.end)) and other[1].lower() == aspect[1].lower():
            return True
        if value.how == first.how == "scale" and value.base == first.base:
            return True
    return False


def _is_prose_value(text: str, value: Value) -> bool:
    """Whether a number further on in a line is how sure the writer is: `fairly high, 7` or `I would give it a 7`."""
    before = text[: value.start]
    if re.search(r"\d", before):
        return False
    if value.how == "percent":
        near = text[max(0, value.start - 30) : value.end + 30]
        return bool(hedges.SURE.search(near)) or (
            before.rstrip().endswith(("(", "（", ",", ":", "：")) and len(before.split()) <= 3
        )
    sure = hedges.ABOUT_BEING_SURE.search(before) and hedges.CUE.search(before)
    return bool(sure) and bool(hedges.STOPS.match(text, value.end))
