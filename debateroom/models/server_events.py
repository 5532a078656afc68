"""Server-sent events as JSON values, as far as vendors use them: names and data. The rest is passed over."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

_LONGEST = 16_000_000
"""Bytes of one event that are taken: no answer is as long."""
_LAST = "[DONE]"
"""What stands in place of a value in the last event of some vendors."""


class ServerEvent(NamedTuple):
    """One event of a stream."""

    name: str
    """Empty where the vendor sends none."""
    value: Any


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
