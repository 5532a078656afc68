"""The places in files that a text cites as `path:line`. Pure: whether they exist is not known here."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST = 200
"""Citations of one text that are read; more is no citing any more."""
_LETTERS = r"A-Za-z0-9_\u00c0-\u024f.@+~/-"
_LINES = r"[:：]L?\d{1,7}(?:\s?[-–—]\s?L?\d{1,7})?"
_CITED = re.compile(
    r"\b[a-z][a-z0-9+.-]{0,20}://\S+"  # an address has a colon and a number of its own
    rf"|`(?P<quoted>[^`\n:：]{{1,300}}{_LINES})[^`\n]{{0,80}}`"
    rf"|(?<![{_LETTERS}])(?P<bare>[{_LETTERS}]{{1,300}}{_LINES})(?!\d|\.\d)",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(.*)[:：]L?(\d+)(?:\s?[-–—]\s?L?(\d+))?", re.IGNORECASE | re.DOTALL)
_ENDING = re.compile(r"\.[A-Za-z]\w{0,15}$")
_HOST = re.compile(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|local|internal|localhost|example|test|app|cloud|ai|eu)")


class Cited(NamedTuple):
    """A place in a file."""

    path: str
    first: int
    last: int
    """The same as `first` for a single line."""

    @property
    def text(self) -> str:
        """`path:line`, or `path:first-last`."""
        return f"{self.path}:{self.first}" + (f"-{self.last}" if self.last != self.first else "")


def citations(text: str) -> tuple[Cited, ...]:
    """What `text` cites, each place once, in order.

    Web addresses, hosts with a port and times are none. Outside backticks a path has no blank and ends as files do.
    """
    found = (_cited(match) for match in _CITED.finditer(text))
    return tuple(dict.fromkeys(cited for cited in found if cited))[:MOST]


def _cited(match: re.Match[str]) -> Cited | None:
    place = _PLACE.fullmatch(match["quoted"] or match["bare"] or "")
    if place is None:
        return None
    path, first, last = place[1].strip(), int(place[2]), int(place[3] or place[2])
    is_path = _ENDING.search(path) or (match["quoted"] and "/" in path)
    if not is_path or _HOST.fullmatch(path):
        return None
    return Cited(path.removeprefix("./"), first, last)
