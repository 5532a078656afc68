"""Text from outside made safe for a terminal: no control character, no escape sequence, no reversed direction."""

from __future__ import annotations

import unicodedata

_KEPT = "\n\t"
_DIRECTION = set("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """`text` without characters that steer a terminal; line breaks and tabs stay."""
    return "".join(
        mark
        for mark in text
        if mark in _KEPT or (unicodedata.category(mark) not in {"Cc", "Cs"} and mark not in _DIRECTION)
    )


def one_line(text: str, limit: int = 200) -> str:
    """`text` on one line, at most `limit` characters, safe to print."""
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
