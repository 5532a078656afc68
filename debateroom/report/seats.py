"""The seats of a room as reports show them: a mark, a short name, and which seat a text means."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from debateroom.messages import Seat
from debateroom.models.catalog import PROVIDERS
from debateroom.report.text import shorten

LONGEST = 60
"""Columns of a role that running text has room for; the whole stands in the list of seats."""

_LOCAL = re.compile(r"[/~.\\]|[A-Za-z]:[/\\]|[^\s/]+/.*\.(?:jsonl?|gguf)$")
"""How a path of this machine begins, or a relative one to a file of models; `meta/llama-4` is none."""
_OURS = re.compile(r"Agent ([A-Z]{1,2})")


@dataclass(frozen=True, slots=True)
class ShownSeat:
    """One seat with the names a report gives it."""

    index: int
    """Position in the room, from 0."""
    name: str
    role: str
    mark: str
    """One or two letters, unique in the room: `A` for `Agent A`."""
    short: str
    """The role where it names one seat only, else the role with the mark, else the name; at most a line long."""
    framing: str
    model: str


def shown(seats: Sequence[Seat]) -> tuple[ShownSeat, ...]:
    """The seats in their order, with marks and short names."""
    ours = [_OURS.fullmatch(seat.name) for seat in seats]
    marks = [match[1] for match in ours if match] if all(ours) else [_letters(index) for index in range(len(seats))]
    if len(set(marks)) < len(seats):
        marks = [_letters(index) for index in range(len(seats))]
    roles = Counter(shorten(seat.role, LONGEST).casefold() for seat in seats)
    found = []
    for index, (seat, mark) in enumerate(zip(seats, marks, strict=True)):
        role = " ".join(seat.role.split())
        brief = shorten(role, LONGEST)
        alone = roles[brief.casefold()] == 1
        short = (brief if alone else f"{brief} ({mark})") if role else shorten(seat.name, LONGEST)
        found.append(ShownSeat(index, " ".join(seat.name.split()), role, mark, short, seat.framing, seat.model))
    return tuple(found)


class Finder:
    """Says which seat a text means: its name, its name with more behind it, or a role that only one seat has."""

    def __init__(self, seats: Sequence[ShownSeat]) -> None:
        self._names = {seat.name.casefold(): seat.index for seat in seats}
        roles = Counter(seat.role.casefold() for seat in seats)
        self._roles = {seat.role.casefold(): seat.index for seat in seats if roles[seat.role.casefold()] == 1}

    def exactly(self, text: str) -> int | None:
        """The index of the seat whose name or role is the whole of `text`, or None."""
        wanted = " ".join(text.split()).casefold()
        return self._names.get(wanted, self._roles.get(wanted)) if wanted else None

    def __call__(self, text: str) -> int | None:
        """The seat's index, or None."""
        wanted = " ".join(text.split()).casefold()
        if wanted in self._names:
            return self._names[wanted]
        for name in sorted(self._names, key=len, reverse=True):
            if name and wanted.startswith(name) and not wanted[len(name)].isalnum():
                return self._names[name]
        return self._roles.get(wanted) if wanted else None


def model_name(text: str) -> str:
    """A model's name without the folders of a path in it: `scripted:s.jsonl` for `scripted:/a/b/s.jsonl`."""
    provider, colon, rest = text.partition(":")
    if not colon:
        return text
    if _LOCAL.match(rest):
        program, *arguments = rest.split(" ") if provider == "command" else [rest]
        rest = " ".join([re.split(r"[/\\]", program)[-1], *arguments])
    return f"{provider}:{rest}"


def one_name(text: str) -> str:
    """A model's name as it is one, whichever endpoint it was reached at: `gpt-6` for `openai:owner/GPT-6`."""
    provider, _, rest = text.partition(":")
    if provider in ("command", "scripted"):
        return text
    return (rest if provider in PROVIDERS else text).rpartition("/")[2].casefold()


def _letters(index: int) -> str:
    """A … Z, AA, AB …"""
    first, last = divmod(index, 26)
    return (_letters(first - 1) if first else "") + chr(ord("A") + last)
