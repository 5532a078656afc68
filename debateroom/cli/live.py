"""The table of seats that moves on a terminal while they write."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from debateroom import clock
from debateroom.cli.moving import say_above
from debateroom.cli.progress import Event, PlainProgress, looking_at
from debateroom.language import in_marks, say
from debateroom.terminal import one_line, width

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

_GAP = 2
"""Columns between two cells."""
_ROLE = 40
"""Columns of a role at most."""
_SHORTEST_ROLE = 6
"""Columns below which a role says nothing."""
_EVERY = 0.1
"""Seconds between two drawings."""


class Row(NamedTuple):
    """A seat in the table; an empty role is left out."""

    name: str
    role: str
    state: str


def rows(
    seats: Sequence[Mapping[str, str]], states: Mapping[str, str], done: Collection[str], *, columns: int, lines: int
) -> list[Row]:
    """The rows that fit into so many columns and lines, in seat order; the last one counts those left out.

    Where it is narrow the role gives way first, then what all names have in common; letters and figures stay. Where
    it is low, the seats that are done give way.
    """
    shown = _fitting(seats, done, lines)
    names = [seat["name"] for seat in shown]
    left = columns - max((width(states[name]) for name in names), default=0) - 2 * _GAP
    called = names if left >= _widest(names) + _SHORTEST_ROLE else [name.split()[-1] for name in names]
    for_role = min(_ROLE, left - _widest(called))
    roles = [one_line(seat["role"], for_role) if for_role >= _SHORTEST_ROLE else "" for seat in shown]
    found = [Row(name, role, states[seat["name"]]) for name, role, seat in zip(called, roles, shown, strict=True)]
    return found if len(found) == len(seats) else [*found, Row(f"… +{len(seats) - len(found)}", "", "")]


def _fitting(seats: Sequence[Mapping[str, str]], done: Collection[str], lines: int) -> list[Mapping[str, str]]:
    """All seats, or as many as leave a line for the number of the others: first those that are not done."""
    if len(seats) <= lines:
        return list(seats)
    wanted = sorted(range(len(seats)), key=lambda place: (seats[place]["name"] in done, place))[: max(0, lines - 1)]
    return [seats[place] for place in sorted(wanted)]


def _widest(names: Sequence[str]) -> int:
    return max(map(width, names), default=0)


class LiveProgress(PlainProgress):
    """A table of the seats that moves while they write, and above it the lines of what is over."""

    def __init__(self) -> None:
        super().__init__()
        self._agents: Sequence[Mapping[str, str]] = ()
        self._agents_shown: Sequence[Mapping[str, str]] = ()
        self._state: dict[str, str] = {}
        self._done: set[str] = set()
        self._live: Live | None = None
        self._title = ""
        self._shown = 0.0

    def on_event(self, event: Event) -> None:
        super().on_event(event)
        self._refresh(at_once=True)

    def on_progress(self, agent: str, characters: int) -> None:
        self._state[agent] = say(self._language, "writing", characters=characters)
        self._refresh()

    def _note(self, text: str) -> None:
        """The line, above the table."""
        if self._live is None:
            super()._note(text)
        else:
            say_above(self._live, text)

    def close(self) -> None:
        if self._live:
            self._live.stop()
            self._live = None

    def _room_opened(self, event: Event) -> None:
        super()._room_opened(event)
        self._agents = event["agents"]

    def _round_started(self, event: Event) -> None:
        super()._round_started(event)
        self._state = {seat["name"]: say(self._language, "waiting") for seat in self._agents}
        self._state |= {name: self._done_with(known) for name, known in self._confidence.items()}
        self._title = say(self._language, "round_title", round=event["round"], rounds=self._rounds)
        self._agents_shown, self._done = self._agents, set(self._confidence)
        self._start()

    def _moderator_asked(self, event: Event) -> None:
        self._wait_for("moderating")

    def _moderated(self, event: Event) -> None:
        self.close()
        super()._moderated(event)

    def _synthesis_asked(self, event: Event) -> None:
        self._wait_for("concluding")

    def _synthesized(self, event: Event) -> None:
        self.close()
        super()._synthesized(event)

    def _baseline_started(self, event: Event) -> None:
        super()._baseline_started(event)
        self._wait_for("asking_alone")

    def _baseline_finished(self, event: Event) -> None:
        self.close()
        super()._baseline_finished(event)

    def _judging_started(self, event: Event) -> None:
        super()._judging_started(event)
        self._wait_for("judging")

    def _room_finished(self, event: Event) -> None:
        self.close()
        super()._room_finished(event)

    def _wait_for(self, key: str) -> None:
        """A line that stands while one call is under way."""
        self._agents_shown, self._title = (), say(self._language, key) + " …"
        self._start()

    def _start(self) -> None:
        from rich.console import Console
        from rich.live import Live

        if self._live is None:
            console = Console(stderr=True)
            self._live = Live(self._table(console), console=console, transient=True, auto_refresh=False)
            self._live.start()

    def _tool_called(self, event: Event) -> None:
        self._state[event["agent"]] = looking_at(event)

    def _reply(self, event: Event) -> None:
        super()._reply(event)
        self._state[event["agent"]] = self._done_with(event["confidence"])
        self._done.add(event["agent"])

    def _done_with(self, confidence: float | None) -> str:
        if confidence is None:
            return say(self._language, "done")
        return say(self._language, "done_confidence", confidence=in_marks(self._language, f"{confidence:g}"))

    def _seat_failed(self, event: Event) -> None:
        self._state[event["agent"]] = say(self._language, "failed")
        self._done.add(event["agent"])
        super()._seat_failed(event)

    def _round_finished(self, event: Event) -> None:
        self.close()
        super()._round_finished(event)

    def _refresh(self, *, at_once: bool = False) -> None:
        """Draws the table, at most ten times a second."""
        now = clock.monotonic()
        if self._live and (at_once or now - self._shown > _EVERY):
            self._shown = now
            self._live.update(self._table(self._live.console), refresh=True)

    def _table(self, console: Console) -> Table:
        from rich.table import Table
        from rich.text import Text

        columns, lines = console.size
        found = rows(self._agents_shown, self._state, self._done, columns=columns, lines=lines - 2)
        table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, title=self._title, title_justify="left")
        table.show_header = False
        with_roles = any(row.role for row in found)
        for _ in range(2 + with_roles):
            table.add_column(no_wrap=True)
        for row in found:
            cells = row if with_roles else (row.name, row.state)
            table.add_row(*map(Text, cells))
        return table
