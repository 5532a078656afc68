"""Values on the scale 1–10 in a short text: `8`, `8/10`, `85%`, `7-8`, `7 → 8`. What they mean is told elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

_GLUED_BEFORE = r"(?<![A-Za-z0-9_À-ɏ\u200b$€£¥#/²³¹⁰-⁹])(?<!\d[.,:])(?<!\.)"
_NUMBER = re.compile(rf"{_GLUED_BEFORE}\d{{1,4}}(?:[.,]\d{{1,6}})?(?![\d\u200b²³¹⁰-⁹⁄]|[.,:]\d)")
_OF_TEN = re.compile(
    r"\s?(?:/|\bout of\b(?: a possible\b)?|\bof\b|\bsur\b|\bover\b|\bde\b|\bvon\b|／)\s?"
    r"(?P<base>100|10|20|5)(?![\d\u200b²³¹⁰-⁹/%]|[.,:]\d|[A-Za-z])",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"\s?(?:%|％|\b(?:per ?cent|pour ?cent|pct)\b)", re.IGNORECASE)
_UNIT = re.compile(r"\s?(?P<tenths>成)|\s?分(?!钟|之)|\s?\b(?:points?|pts?|stars?|étoiles?)\b", re.IGNORECASE)
_RANGE = re.compile(
    r"\s?(?:-|–|—|−|~|～|\bto\b|\bà\b|到|至|\bor\b|\bou\b|或者?|,?\s?\b(?:maybe|perhaps|possibly|or maybe|or even|"
    r"peut-être|voire)\b|，?(?:或许|可能))\s?",
    re.IGNORECASE,
)
_ARROW = re.compile(r"\s?(?:→|-{1,2}>|=>|⇒|⟶|➔|➜|➝|►)\s?")
_AND = re.compile(r"\s?(?:\band\b|\bet\b|和|与|到|至)\s?", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:\bbetween|\bentre|介于|在)\s?$", re.IGNORECASE)
_MOVED_TO = re.compile(
    r"\s?(?:\bto\b|\bà\b|(?:上?升|提高?|增|下?降|变|调|改|涨|增加|降低|上调|下调)?(?:到|至|为|成))\s?", re.IGNORECASE
)
_MOVED_FROM = re.compile(
    r"(?:\b(?:up|down|raised|increased|moved?|moves|went|gone|rose|risen|dropped|fell|fallen|lowered|decreased|"
    r"changed|shifted|"
    r"updated|revised|climbed)(?: it| mine| my confidence)?\s+from|"
    r"\b(?:passée?|passe|monte|montée?|baisse|baissée?|descendue?|descend|relevée?)\s+de|从|由)\s?$",
    re.IGNORECASE,
)
_WHOLE_SCALES = frozenset({(1, 10), (0, 10), (1, 100), (0, 100), (1, 5), (0, 5), (0, 1)})

How = Literal["plain", "scale", "percent", "range", "change"]


@dataclass(frozen=True, slots=True)
class Value:
    """One statement of a value, with where it stands."""

    start: int
    end: int
    number: float
    """On the scale 1–10 where the writer's scale is known; may lie outside it."""
    how: How
    base: float = 10.0
    """The writer's scale: 10 unless another one is written."""


def values(text: str) -> list[Value]:
    """All values in `text`, in order; ranges by their low end, changes by where they end."""
    return _joined(text, _single(text))


def _single(text: str) -> list[Value]:
    found: list[Value] = []
    for match in _NUMBER.finditer(text):
        number = _number(match.group())
        if (found and match.start() < found[-1].end) or number is None:
            continue
        value = _scaled(text, match, number)
        if value and not _glued_behind(text, value.end):
            found.append(value)
    return found


def _number(written: str) -> float | None:
    """The number; None for `8,000`, which is thousands in one language and a fraction in another."""
    whole, comma, part = written.partition(",")
    if comma and len(part) == 3:
        return None
    return float(f"{whole}.{part}") if comma else float(written)


def _scaled(text: str, match: re.Match[str], number: float) -> Value | None:
    before = text[max(0, match.start() - 8) : match.start()]
    if re.search(r"(?:\bof|\bsur|满分|/)\s?$", before, re.IGNORECASE):
        return None
    if of := _OF_TEN.match(text, match.end()):
        base = float(of["base"])
        return Value(match.start(), of.end(), number * 10 / base, "scale", base)
    if percent := _PERCENT.match(text, match.end()):
        return Value(match.start(), percent.end(), number / 10, "percent", 100.0)
    if unit := _UNIT.match(text, match.end()):
        if of := _OF_TEN.match(text, unit.end()):
            return Value(match.start(), of.end(), number * 10 / float(of["base"]), "scale", float(of["base"]))
        return Value(match.start(), unit.end(), number, "scale" if unit["tenths"] else "plain")
    return Value(match.start(), match.end(), number, "plain")


def _glued_behind(text: str, end: int) -> bool:
    """Whether the number goes on as something else: `8x`, `8/7`, `8°`, `8€`."""
    return bool(re.match(r"[A-Za-z_À-ɏ\u200b$€£¥°²³¹⁰-⁹⁄'’]|/\s?\d|[.,:]\d", text[end : end + 3]))


def _joined(text: str, single: list[Value]) -> list[Value]:
    """Ranges and changes taken as one value, bounds of the scale itself left out."""
    found: list[Value] = []
    at = 0
    while at < len(single):
        value = single[at]
        at += 1
        while at < len(single):
            joined = _pair(text, value, single[at])
            if joined is None:
                break
            value = joined
            at += 1
        if value.how != "range" or value.number >= 0:
            found.append(value)
    return found


def _pair(text: str, one: Value, other: Value) -> Value | None:
    """Two neighbours as one value; a range over the whole scale comes back as -1."""
    between, before = text[one.end : other.start], text[max(0, one.start - 40) : one.start]
    if one.how == "plain" and other.how in ("scale", "percent"):
        one = replace(one, number=one.number * 10 / other.base, how=other.how, base=other.base)
    span = Value(one.start, other.end, other.number, "change", other.base)
    if _ARROW.fullmatch(between) or (_MOVED_TO.fullmatch(between) and _MOVED_FROM.search(before)):
        return span
    if _RANGE.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(before)):
        if (one.number, other.number) in _WHOLE_SCALES and one.how == other.how == "plain":
            return replace(span, number=-1.0, how="range")
        if one.how == "change":
            return None
        inside = all(1 <= number <= 10 for number in (one.number, other.number))
        return replace(span, number=min(one.number, other.number) if inside else 0.0, how="range")
    return None
