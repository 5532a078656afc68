"""When two texts are the same for a conversation: near-identical, the same question again, nothing new. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from debateroom.dialogue import signs
from debateroom.reading.topic import content, tongue

NEAR = 0.93
"""Share of two normalised texts, in order, from which they are near-identical."""
_SHORT = 12
"""Normalised characters below which only the very same text is the same: `yes` and `yet` are near."""
_FACT = 3
"""New words with a subject from which they tell something."""
_LONGEST = 4_000
"""Normalised characters that are compared."""
_FILLER = re.compile(r"[\W_]+")
_FIGURE = re.compile(r"\d+")
_SENTENCE = re.compile(r"[^.!?。！？\n]*[?？]")


def normalized(text: str) -> str:
    """`text` without case, accents, width, punctuation and spacing."""
    plain = unicodedata.normalize("NFKD", text)
    letters = "".join(mark for mark in plain if not unicodedata.combining(mark)).casefold()
    return _FILLER.sub(" ", letters).strip()[:_LONGEST]


def near_identical(one: str, other: str) -> bool:
    """Whether two texts say the same in nearly the same words; another figure makes another text.

    Two empty texts are the same.
    """
    first, second = normalized(one), normalized(other)
    if first == second:
        return True
    if min(len(first), len(second)) < _SHORT or _FIGURE.findall(first) != _FIGURE.findall(second):
        return False
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR and matcher.ratio() >= NEAR


def questions(text: str) -> tuple[str, ...]:
    """The sentences of `text` that end in a question mark."""
    return tuple(match.group(0).strip(" \t-*>\"'«»“”") for match in _SENTENCE.finditer(text[:20_000]))


def asks_again(text: str, before: Iterable[str]) -> str:
    """The question in `text` that stands in one of the texts `before` too; empty when none does.

    What is asked out of courtesy at the end of an answer asks for nothing.
    """
    earlier = [question for other in before for question in questions(other)]
    for question in questions(text):
        if signs.shows("courtesy", question):
            continue
        if len(normalized(question)) > 3 and any(near_identical(question, other) for other in earlier):
            return question
    return ""


def brings_news(text: str, before: Sequence[str]) -> bool:
    """Whether `text` has a figure or a word with a subject that stands in none of the texts `before`."""
    return bool(_news(text, before))


def brings_facts(text: str, before: Sequence[str]) -> bool:
    """The same where a word alone may be a kind one: a new figure, or several new words with a subject."""
    news = _news(text, before)
    return len(news) >= _FACT or any(_FIGURE.fullmatch(word) for word in news)


def _news(text: str, before: Sequence[str]) -> set[str]:
    known: set[str] = set().union(*(_subjects(other) for other in before)) if before else set()
    return set(_subjects(text) - known)


def _subjects(text: str) -> frozenset[str]:
    language = tongue(text) or ("zh" if re.search("[\u4e00-\u9fff]", text) else "en")
    return frozenset(content(text, language)) | frozenset(_FIGURE.findall(text))


def tells_more(message: str, known: str, told: Sequence[str]) -> bool:
    """Whether `message` has something of what its writer knows that was not told before."""
    said: set[str] = set().union(*(_subjects(other) for other in told)) if told else set()
    return bool((_subjects(message) & _subjects(known)) - said)
