"""How a request becomes the text parts of one user message, and which of them carry a cache mark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from debateroom import tokens
from debateroom.messages import Request

MARKS = 4
"""Marks that either vendor accepts in one call."""


def marked(request: Request, minimum: int, most: int) -> frozenset[int]:
    """Indexes of the shared blocks to mark: the last one, and up to `most` in all with those right before it.

    None when nothing is to be marked: no minimum is known, or the shared part is estimated to be below it.
    """
    last = len(request.shared) - 1
    if last < 0 or minimum <= 0 or sum(map(tokens.estimate, request.shared)) < minimum:
        return frozenset()
    return frozenset(range(max(0, last - most + 1), last + 1))


def closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a JSON Schema in which no object may have further keys and each must have all of its own."""
    copy = {key: _closed_value(key, value) for key, value in schema.items()}
    if copy.get("type") == "object":
        copy["additionalProperties"] = False
        copy["required"] = list(copy.get("properties", {}))
    return copy


def _closed_value(key: str, value: Any) -> Any:
    if key in ("properties", "$defs") and isinstance(value, Mapping):
        return {name: closed(part) for name, part in value.items()}
    if isinstance(value, Mapping) and key == "items":
        return closed(value)
    if key in ("anyOf", "oneOf", "allOf") and isinstance(value, list):
        return [closed(part) for part in value]
    return value
