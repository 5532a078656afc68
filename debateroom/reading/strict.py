"""JSON that means one thing: no key twice in one object, no number that JSON does not have. Nothing is mended."""

from __future__ import annotations

import json
import math
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


def no_number(name: str) -> Any:
    """For `json`: NaN and the like are refused. Raises ValueError."""
    raise ValueError(f"{name} is no value of JSON")


def finite(text: str) -> float:
    """For `json`: a number that is too large for one is refused. Raises ValueError."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:40]} is too large for a number")
    return value


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=no_number, parse_float=finite)
