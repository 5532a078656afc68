"""Answers made alike for somebody who judges them: no format of a house, no signature, no name of its writer. Pure.

What it means to say is left as it is. What no rule can find, a habit of style, stays: blinding has that limit.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from debateroom.language import say
from debateroom.models import catalog
from debateroom.reading.chatter import end_of_answer
from debateroom.reading.clean import visible
from debateroom.reading.thinking import without_thinking

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_RULE = re.compile(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(.*)")
_QUOTED = re.compile(r"^(?:[ \t]{0,3}>[ \t]?)+")
_BULLET = re.compile(r"^([ \t]*)[*+•‣▪●–][ \t]+")
_NUMBER = re.compile(r"^([ \t]*)(\d{1,3})[)．、][ \t]*")
_STRONG = re.compile(r"(\*\*\*|\*\*|___|__)(?=\S)(.{1,400}?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_PICTURE = re.compile("[\U0001f000-\U0001faff\ufe0f]+[ \t]?")
_SIGNATURE = re.compile(r"[ \t*_]*(?:[—–―]|--)[ \t]*\S[^\n]*")
_SIGNED = 60
"""Characters of a line that may be a signature."""
_START, _END = r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9_])"
"""Around a name; letters of Chinese may stand beside it."""
_PLAIN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "—": "-", "–": "-", "…": "..."})


def alike(text: str, *, language: str, about: str, seats: Collection[str] = ()) -> str:
    """`text` as its reader is shown it.

    Names of models and makers are left out unless `about`, the task with its context, has them too: then they are
    what the answer is about. `seats` are the names of the room's seats.
    """
    said = without_thinking(visible(text).text)
    said = said[: end_of_answer(said, None)].strip()
    said = _unsigned(_nameless(said, language, about))
    for seat in sorted(seats, key=len, reverse=True):
        said = re.sub(rf"{re.escape(seat)}(?![A-Za-z])", say(language, "blind_agent"), said)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(_plain_lines(said))).strip()


def _plain_lines(text: str) -> list[str]:
    """The lines of `text` without marks of format; code stays as it is, in fences that are all alike."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1][0] == fence[0] and len(mark[1]) >= len(fence))):
            lines.append("```")
            fence = "" if fence else mark[1]
        elif fence:
            lines.append(line)
        else:
            lines.append(_plain(line))
    return lines


def _plain(line: str) -> str:
    if _RULE.fullmatch(line):
        return ""
    line = _QUOTED.sub("", line, count=1)
    if heading := _HEADING.fullmatch(line):
        line = _without_end_mark(heading[1].rstrip())
    line = _NUMBER.sub(r"\1\2. ", _BULLET.sub(r"\1- ", _PICTURE.sub("", line), count=1), count=1)
    line = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\2", line))
    return line.translate(_PLAIN).rstrip()


def _without_end_mark(heading: str) -> str:
    """A heading without the marks that may close it; `C#` keeps its own."""
    bare = heading.rstrip("#")
    return bare.rstrip() if bare[-1:] in ("", " ", "\t") else heading


def _nameless(text: str, language: str, about: str) -> str:
    """`text` with a word in place of each name of a model or a maker.

    One that is the subject stays, but where a model introduces itself or signs.
    """
    subject = about.casefold()

    def masked(match: re.Match[str]) -> str:
        name = match["name"].casefold()
        known = name in subject or name.replace(" ", "") in subject
        return match[0] if known else match["before"] + say(language, "blind_model")

    for pattern in _introductions():
        text = pattern.sub(lambda match: match["before"] + say(language, "blind_model"), text)
    for pattern in _mentions():
        text = pattern.sub(masked, text)
    return text


@cache
def _introductions() -> tuple[re.Pattern[str], ...]:
    """A name after an introduction, or alone on a line after a dash."""
    known, variants = catalog.self_names(), _variants()
    word = rf"(?P<name>{known['distinct']}|{known['everyday']}){variants}*"
    return _compiled(
        rf"(?P<before>{known['introduction']}){word}{_END}",
        rf"^(?P<before>[ \t]*[-—–―*_]+[ \t]*){word}(?=[ \t.*_]*$)",
    )


@cache
def _mentions() -> tuple[re.Pattern[str], ...]:
    """Names that mean nothing else; everyday words with a variant behind them; makers after a word of origin."""
    known, variants = catalog.self_names(), _variants()
    return _compiled(
        rf"{_START}(?P<before>)(?P<name>{known['distinct']}){variants}*{_END}",
        rf"{_START}(?P<before>)(?P<name>{known['everyday']}){variants}+{_END}",
        rf"(?P<before>{known['origin']})(?P<name>{known['makers']}){_END}",
    )


def _variants() -> str:
    return rf"(?:{catalog.self_names()['variant']})"


def _compiled(*shapes: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(shape, re.IGNORECASE | re.MULTILINE) for shape in shapes)


def _unsigned(text: str) -> str:
    """`text` without a signature: a short last line that a dash begins, with a blank line above it."""
    body, blank, last = text.rpartition("\n\n")
    return body.rstrip() if blank and len(last) <= _SIGNED and _SIGNATURE.fullmatch(last.rstrip("*_ ")) else text
