"""Server-sent events as JSON values, as far as vendors use them: names and data. The rest is passed over.

What a body is shows in how it begins, whatever its content type says: a portal's page comes as any.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Literal, NamedTuple

_LONGEST = 16_000_000
"""Bytes of one event that are taken: no answer is as long."""
_LAST = "[DONE]"
"""What stands in place of a value in the last event of some vendors."""


_FIELDS = (b"data", b"event", b"id", b"retry", b"")
"""With what a line of events may begin, before its colon; nothing is a comment."""
_SHOWS = 8
"""Bytes by which it shows what a body is."""
_BLANK = 65_536
"""Bytes of blanks before it that are waited for."""
_MARK = b"\xef\xbb\xbf"
"""A byte order mark."""


class ServerEvent(NamedTuple):
    """One event of a stream."""

    name: str
    """Empty where the vendor sends none."""
    value: Any


def recognised(pieces: Iterable[bytes]) -> tuple[Literal["events", "value", "page"], Iterator[bytes]]:
    """What a body in `pieces` is, and the body: events, one JSON value, or neither, such as a web page.

    An empty one, and one that ends before it shows, counts as events.
    """
    rest, begun = iter(pieces), b""
    for piece in rest:
        begun += piece
        if len(begun.removeprefix(_MARK).strip()) >= _SHOWS or len(begun) > _BLANK:
            break
    whole, begins = chain((begun,), rest), begun.removeprefix(_MARK).strip()
    if begins[:1] in (b"{", b"["):
        return "value", whole
    line, ended, _ = begins.partition(b"\n")
    field, named, _ = line.partition(b":")
    known = field.rstrip() in _FIELDS if ended or named else any(each.startswith(field) for each in _FIELDS)
    return "events" if known else "page", whole


def server_events(pieces: Iterable[bytes]) -> Iterator[ServerEvent]:
    """The events in `pieces` of a stream, each once it is complete; one that the stream's end cuts off is none.

    Raises JSONDecodeError for data that is no JSON, and for an event without an end.
    """
    rest = b""
    for piece in pieces:
        *blocks, rest = (rest + piece).replace(b"\r\n", b"\n").split(b"\n\n")
        for block in blocks:
            name, data = _fields(block)
            if data == _LAST:
                return
            if data:
                yield ServerEvent(name, json.loads(data))
        if len(rest) > _LONGEST:
            raise json.JSONDecodeError("an event of the stream has no end", "", 0)


def _fields(block: bytes) -> tuple[str, str]:
    """Name and data of one event; several lines of data are one text."""
    name, data = "", []
    for line in block.decode().split("\n"):
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif field == "event":
            name = value.removeprefix(" ")
    return name, "\n".join(data)
