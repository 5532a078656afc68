"""JSON objects that stand behind a token, folded into one mark each while the text around them is read.

So nothing inside an object is taken for a token, a thought, a quotation or a sentence of the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from debateroom.reading.endings import Protocol, Token, next_token
from debateroom.reading.objects import Found, object_at

_MARK = "\ufffc"
"""U+FFFC, the object replacement character; one that a model wrote becomes U+FFFD."""
_FOLD = re.compile(f"{_MARK}(\\d+){_MARK}")
_GAP = 300
"""Characters between a token and its object at most: *Here is the result:*."""
_TIGHT = re.compile(r"[\s:：=>*_`~\"'“”«»-]*(?:json)?[\s:：=*_`~]*", re.IGNORECASE)
"""What may stand between a token and an object without being words."""
_NEXT = re.compile(r"[\s,;`]{0,20}(?=\{)")
_NEXT_FOLD = re.compile(rf"[\s,;`]{{0,20}}{_FOLD.pattern}")
_MOST = 20
"""Objects that are folded: a talk ends once."""
_MOST_BROKEN = 3
"""Objects that cannot be read; each attempt may look at the whole rest of the text."""


class Folded(NamedTuple):
    """A text with a mark in place of each object that stands behind a token."""

    text: str
    objects: tuple[Found, ...] = ()
    sources: tuple[str, ...] = ()
    """What each object was written as."""

    def unfolded(self, text: str) -> str:
        """`text` with the objects that are still folded in it as they were written."""
        return _FOLD.sub(lambda match: self.sources[int(match[1])], text) if self.sources else text


class Behind(NamedTuple):
    """What stands behind a token."""

    start: int
    """Where the first object, or what should be one, starts."""
    end: int
    objects: tuple[int, ...] = ()
    """Numbers of the objects in `Folded.objects`."""
    broken: bool = False
    """An object starts there that cannot be read."""
    tight: bool = False
    """No words stand between the token and it."""


def fold(text: str, protocol: Protocol) -> Folded:
    """`text` with the objects behind tokens of `protocol` folded. Work grows with the text alone."""
    if not protocol.written:
        return Folded(text)
    text = text.replace(_MARK, "\ufffd")
    pieces: list[str] = []
    objects: list[Found] = []
    copied = at = broken = 0
    while len(objects) < _MOST and broken <= _MOST_BROKEN and (token := next_token(text, at, protocol)):
        at = token.end
        brace = _brace_behind(text, token, protocol)
        found = _whole(text, brace) if brace >= 0 else None
        broken += brace >= 0 and found is None
        while found and len(objects) < _MOST:
            pieces += text[copied : found.start], f"{_MARK}{len(objects)}{_MARK}"
            objects.append(found)
            copied = at = found.end
            more = _NEXT.match(text, at)
            found = _whole(text, more.end()) if more else None
    sources = tuple(text[each.start : each.end] for each in objects)
    return Folded("".join((*pieces, text[copied:])), tuple(objects), sources)


def _brace_behind(text: str, token: Token, protocol: Protocol) -> int:
    """Where the object of `token` starts; -1 when none does, or it is in a list."""
    brace = text.find("{", token.end, token.end + _GAP)
    if brace < 0 or protocol.pattern.search(text, token.end, brace) or _in_list(text, token.end, brace):
        return -1
    return brace


def _in_list(text: str, start: int, brace: int) -> bool:
    return text[start:brace].rstrip().endswith("[")


def _whole(text: str, brace: int) -> Found | None:
    """The object at `brace`, unless its end is missing."""
    found = object_at(text, brace)
    return None if found is None or found.cut else found


def behind(text: str, token: Token, protocol: Protocol) -> Behind:
    """What stands behind `token` in a folded text: objects, a broken one, or nothing (an empty span)."""
    nothing = Behind(token.end, token.end)
    if not protocol.written:
        return nothing
    limit = token.end + _GAP
    following = protocol.pattern.search(text, token.end, limit)
    limit = following.start() if following else limit
    brace = text.find("{", token.end, limit)
    first = _FOLD.search(text, token.end, brace if brace >= 0 else limit + len(_MARK) + 2)
    if first:
        numbers, end = [int(first[1])], first.end()
        while more := _NEXT_FOLD.match(text, end):
            numbers.append(int(more[1]))
            end = more.end()
        tight = bool(_TIGHT.fullmatch(text, token.end, first.start()))
        return Behind(first.start(), end, tuple(numbers), tight=tight)
    if brace >= 0:
        tight = bool(_TIGHT.fullmatch(text, token.end, brace)) or _in_list(text, token.end, brace)
        return Behind(brace, brace, broken=True, tight=tight) if tight else nothing
    return nothing
