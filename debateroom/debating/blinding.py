"""Answers made alike for somebody who judges them: no format of a house, and not who wrote them. Pure.

What they say stays word for word, and code as it is. What no rule can find, a habit of style, stays: blinding has
that limit.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from debateroom.debating.bylines import without_writer
from debateroom.language import say
from debateroom.reading.clean import visible
from debateroom.reading.code import set_aside
from debateroom.reading.thinking import without_opening_thought

_RULE = re.compile(r"[ \t]*([-*_=])(?:[ \t]*\1){2,}[ \t]*")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(.*)")
_QUOTED = re.compile(r"^(?:[ \t]{0,3}>[ \t]?)+")
_BULLET = re.compile(r"^([ \t]*)[*+•‣▪●–][ \t]+")
_NUMBER = re.compile(r"^([ \t]*)(\d{1,3})[)．、][ \t]*")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*/\\])([^*\n]{1,400})(?<=[^\s*/\\])\1(?![\w*])")
_UNDERLINED = re.compile(r"(?<![\w_])(_{2,3})(?=[^\s_])([^_\n]{0,400}[ ][^_\n]{0,400})(?<=[^\s_])\1(?![\w_])")
_PICTURE = "[\U0001f000-\U0001faff\ufe0f]+"
_FIRST_PICTURE = re.compile(rf"^([ \t]*(?:[-+*•][ \t]+)?){_PICTURE}[ \t]+(?=\S)")
_LAST_PICTURE = re.compile(rf"(?<=\S)[ \t]+{_PICTURE}$")
_PLAIN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "—": "-", "–": "-", "…": "..."})


def alike(text: str, *, language: str, about: str, seats: Collection[str] = ()) -> str:
    """`text` as its reader is shown it.

    `about` is the task with its context (see `bylines`). `seats` are the names of the room's seats, for answers that
    were written by who knows them.
    """
    aside = set_aside(without_opening_thought(visible(text).text))
    said = "\n".join(map(_plain, aside.text.split("\n")))
    said = without_writer(said, say(language, "blind_model"), about)
    for seat in sorted(seats, key=len, reverse=True):
        said = re.sub(rf"{re.escape(seat)}(?![A-Za-z])", say(language, "blind_agent"), said)
    return aside.restored(re.sub(r"\n{3,}", "\n\n", said).strip())


def _plain(line: str) -> str:
    """A line without marks of format."""
    if _RULE.fullmatch(line):
        return ""
    line = _QUOTED.sub("", line, count=1)
    if heading := _HEADING.fullmatch(line):
        line = _LAST_PICTURE.sub("", _without_end_mark(heading[1].rstrip()))
    line = _FIRST_PICTURE.sub(r"\1", line)
    line = _NUMBER.sub(r"\1\2. ", _BULLET.sub(r"\1- ", line, count=1), count=1)
    line = _UNDERLINED.sub(r"\2", _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", line)))
    return line.translate(_PLAIN).rstrip()


def _without_end_mark(heading: str) -> str:
    """A heading without the marks that may close it; `C#` keeps its own."""
    bare = heading.rstrip("#")
    return bare.rstrip() if bare[-1:] in ("", " ", "\t") else heading
