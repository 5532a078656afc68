"""What a request asks for: its figures, and its words without those that only ask. Pure.

Two that have the same are one. A word of the one without its like in the other makes another request: desk chairs in
Geneva are not the desk lamps that were asked for before.
"""

from __future__ import annotations

import re
from functools import cache
from math import ceil

from debateroom import templates
from debateroom.dialogue import sameness
from debateroom.reading.topic import content, stem, tongue

_LEAST = 2
"""Words and figures that two requests must share: with fewer nothing can be said about them."""
_BEGINNING, _SHARE = 5, 0.8
"""Letters with which two forms of one word begin, and their share of the longer one."""
_FIGURE = re.compile(r"\d+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_LOOKED_AT = 4_000


def repeated(one: str, other: str) -> bool:
    """Whether two messages are the same in nearly the same words."""
    return sameness.near_identical(one, other) and not _differ(one, other)


def same_request(one: str, other: str) -> bool:
    """Whether two requests ask for the same, be it in other words."""
    if repeated(one, other):
        return True
    figures = [frozenset(_FIGURE.findall(text[:_LOOKED_AT])) for text in (one, other)]
    if figures[0] != figures[1] or _differ(one, other):
        return False
    return min(_count(subjects(one)), _count(subjects(other))) + len(figures[0]) >= _LEAST


def _count(words: frozenset[str]) -> int:
    """How many words these are; in Chinese two characters are about one."""
    return sum(max(1, len(word) // 2) if _HAN.match(word) else 1 for word in words)


def _differ(one: str, other: str) -> bool:
    """Whether a word of the one has no like in the other."""
    first, second = subjects(one), subjects(other)
    return bool(_without_like(first, second) or _without_like(second, first))


def shares(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether some of these subjects have their like among the others."""
    return len(_without_like(words, others)) < len(words)


def _without_like(words: frozenset[str], others: frozenset[str]) -> set[str]:
    return {word for word in words if not (_in_han(word, others) if _HAN.match(word) else _has_form(word, others))}


def _has_form(word: str, others: frozenset[str]) -> bool:
    """Whether a stem is, or is another form of, one of the others."""
    return any(_alike(word, other) for other in others)


def _alike(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    needed = max(_BEGINNING, ceil(_SHARE * len(longer)))
    return word == other or (len(shorter) >= needed and shorter[:needed] == longer[:needed])


def _in_han(word: str, others: frozenset[str]) -> bool:
    """Whether Chinese words that are written together stand in the others, together or one by one."""
    parts = "|".join(sorted(map(re.escape, others), key=len, reverse=True))
    return any(word in other for other in others) or not re.sub(parts, "", word)


def subjects(text: str) -> frozenset[str]:
    """The words that say what is asked for: stems, and of Chinese what stands between words that only ask."""
    text = text[:_LOOKED_AT]
    if tongue(text) == "zh" or _HAN.search(text):
        found = frozenset(_HAN.findall(_asking_zh().sub(" ", text)))
        return found | frozenset(word for word in content(text, "en") if not word.isdigit())
    return frozenset(word for word in content(text, tongue(text) or "en") if not word.isdigit()) - _asking()


@cache
def _asking() -> frozenset[str]:
    words = templates.data("dialogue/asking.toml")
    listed = f"{words['en']} {words['fr']}".split()
    return frozenset({*listed, *map(stem, listed)})


@cache
def _asking_zh() -> re.Pattern[str]:
    words = sorted(templates.data("dialogue/asking.toml")["zh"].split(), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, words)))
