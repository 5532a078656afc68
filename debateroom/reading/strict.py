"""JSON that means one thing: no key twice in one object, no number that JSON does not have. Nothing is mended."""

from __future__ import annotations

import json
from typing import Any


class KeyTwice(ValueError):
    """A key stands twice in one object: which of its values is meant, nobody knows."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} stands there twice in one object")
        self.key = key


def loads(text: str | bytes) -> Any:
    """The one value that `text` is. Raises KeyTwice, ValueError for any other fault, RecursionError."""
    return DECODER.decode(text.decode() if isinstance(text, bytes) else text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise KeyTwice(next(key for key in value if sum(key == name for name, _ in pairs) > 1))
    return value


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no value of JSON")


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)
