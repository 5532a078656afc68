"""Paths into JSON values: dotted (`orders.W1.items.0`) or JSON Pointers (`/orders/W1`, RFC 6901; `""` is all)."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from debateroom.errors import UsageError

_HALF_ESCAPE = re.compile(r"~(?![01])")
Tokens = tuple[str, ...]
"""Keys from the top down; an index of a list is its decimal digits."""


class _Deleted:
    """The value of a path that leads to nothing."""

    def __repr__(self) -> str:
        return "DELETED"


DELETED: Any = _Deleted()
"""What a path holds that is not there; neither null nor empty. In JSON it is written `{"$deleted": true}`."""


def is_deleted(value: Any) -> bool:
    """Whether an expected value says that there must be nothing."""
    return value is DELETED or (
        isinstance(value, Mapping) and value.keys() == {"$deleted"} and bool(value["$deleted"])
    )


def tokens(path: str, *documents: Any) -> Tokens:
    """The keys that `path` means. In a dotted path a key may hold dots itself, when one of `documents` has it.

    Raises UsageError for a path that is neither form.
    """
    if path == "" or path.startswith("/"):
        if _HALF_ESCAPE.search(path):
            raise UsageError(f"{path!r} is no path: behind ~ stands 0 (for ~) or 1 (for /)")
        return tuple(part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:])
    parts = path.split(".")
    if not all(parts):
        raise UsageError(f"{path!r} is no path: it has an empty part")
    for document in documents:
        if (found := _followed(document, parts)) is not None:
            return found
    return tuple(parts)


def _followed(document: Any, parts: Sequence[str]) -> Tokens | None:
    """The keys on which all of `parts` lead through `document`, the shortest key first; None when they do not."""
    if not parts:
        return ()
    for length in range(1, len(parts) + 1):
        key = ".".join(parts[:length])
        inner = child(document, key)
        if inner is not DELETED and (rest := _followed(inner, parts[length:])) is not None:
            return (key, *rest)
    return None


def child(value: Any, key: str) -> Any:
    """What `value` holds under `key`; DELETED when nothing."""
    if isinstance(value, Mapping):
        return value.get(key, DELETED)
    if isinstance(value, list | tuple) and (at := _index(key)) is not None and at < len(value):
        return value[at]
    return DELETED


def _index(key: str) -> int | None:
    plain = key.isascii() and key.isdigit() and (key == "0" or not key.startswith("0")) and len(key) < 10
    return int(key) if plain else None


def look_up(value: Any, keys: Tokens) -> Any:
    """What `value` holds at the end of `keys`; DELETED when nothing."""
    for key in keys:
        value = child(value, key)
    return value


def put(value: Any, keys: Tokens, new: Any) -> Any:
    """`value` changed so that it holds `new` at the end of `keys`; objects on the way are made, DELETED takes away.

    Changes `value` in place where it can. Raises UsageError for a way that leads through a text or a number.
    """
    if not keys:
        return copy.deepcopy(new)
    key, rest = keys[0], keys[1:]
    inner = child(value, key)
    if new is DELETED and inner is DELETED:
        return value
    if new is not DELETED or rest:
        made = put({} if inner is DELETED else inner, rest, new)
        _set(value, key, made)
    elif isinstance(value, dict):
        del value[key]
    else:
        value.pop(int(key))
    return value


def _set(value: Any, key: str, new: Any) -> None:
    if isinstance(value, dict):
        value[key] = new
        return
    at = _index(key) if isinstance(value, list) else None
    if at is None or at > len(value):
        raise UsageError(f"no value can stand under {key!r}: what is there holds no such key")
    value[at : at + 1] = [new]


def leaves(value: Any, above: Tokens = ()) -> Iterator[tuple[Tokens, Any]]:
    """Every path of `value` that leads to no object or list, or to an empty one, with what it holds, in order."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*above, str(key)))
    elif isinstance(value, list | tuple) and value:
        for at, inner in enumerate(value):
            yield from leaves(inner, (*above, str(at)))
    else:
        yield above, value


def written(keys: Tokens) -> str:
    """The path as people read it: dotted, or a JSON Pointer where a key has dots or slashes or is empty."""
    if keys and all(key and "." not in key and not key.startswith("/") for key in keys):
        return ".".join(keys)
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)
