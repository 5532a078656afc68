"""Text from outside made safe for a terminal: no control character, no escape sequence, no reversed direction."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import unicodedata

_KEPT = "\n\t"
_UNSEEN = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that leave no trace, though they count as printable."""
_DIRECTION = set("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """`text` without characters that steer a terminal; line breaks and tabs stay."""
    return "".join(
        mark
        for mark in text
        if mark in _KEPT or (unicodedata.category(mark) not in {"Cc", "Cs"} and mark not in _DIRECTION)
    )


def visible(text: str) -> str:
    """`text`, with every character that cannot be seen as its JSON escape (`\\u202e`); ordinary blanks stay."""
    return "".join(
        mark if mark.isprintable() and not _UNSEEN.match(mark) else json.dumps(mark)[1:-1] for mark in text
    )


def quoted(text: str) -> str:
    """`text` as one word of a command line, to be pasted into a shell: in double quotes where that is enough."""
    if sys.platform == "win32":
        return subprocess.list2cmdline([text])
    safe = shlex.quote(text)
    return f'"{text}"' if safe != text and not set(text) & set('"$`\\!\n') else safe


def width(text: str) -> int:
    """Columns that `text` takes on a terminal: East Asian characters two, combining ones none."""
    return sum(
        0 if unicodedata.combining(mark) else 2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in text
    )


def padded(text: str, columns: int) -> str:
    """`text` with blanks up to `columns`; a longer one stays as it is."""
    return text + " " * max(0, columns - width(text))


def one_line(text: str, limit: int = 200) -> str:
    """`text` on one line, at most `limit` characters, safe to print."""
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def is_blank(text: str) -> bool:
    """Whether nothing in `text` can be seen: spaces, and characters that only format."""
    return all(mark.isspace() or unicodedata.category(mark) in ("Cf", "Cc") for mark in text)
