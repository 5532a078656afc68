"""The live card as a panel on a terminal, drawn again and again: never higher than the terminal, never wider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from debateroom.cli import card
from debateroom.language import say
from debateroom.terminal import one_line, printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

    from debateroom.playbooks.live import Live

_MARKS = {"ok": "✓", "failed": "✗", "running": "▶", "pending": "·", "skipped": "–", "missing": "?"}
_STYLES = {
    "ok": "green", "failed": "red", "running": "bold", "missing": "yellow", "pending": "dim", "skipped": "dim",
    "complete": "green", "incomplete": "yellow", "interrupted": "yellow",
}  # fmt: skip
_SEAT_STATES = {"waiting": "pending", "asking": "running", "done": "ok"}
"""The states of steps that those of seats look like."""
_FIRST = ("running", "failed", "missing", "pending")
"""Which rows stay where there is no room for all, in this order; then the settled ones."""
_DECISIONS = 5
"""Of the newest, that there is room for."""
_FRAME, _BORDERS, _GAP = 4, 2, 2
"""Columns and lines that the panel takes for itself, and columns between label and text."""
_ROWS = 3
"""Rows for which the counters give way."""
_STATUS = 2
"""Lines of the status, where the terminal is low."""


class Row(NamedTuple):
    """Something that has a state: a step, a worker, a seat."""

    state: str
    label: str
    text: str
    about: str = ""
    """What proves it, or what came of it."""


class Card:
    """The card, drawn for the terminal as it is at that moment. What a model wrote in it is text and no markup."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """With all that is told of each row where that fits, else a line for each and as many as fit."""
        below = [*self._decisions(_DECISIONS), *self._counters()]
        whole = self._panel([*self._goal(), self._status()], self._grid(list(self._rows())), below, options.max_width)
        lines = console.size.height - 1  # the cursor's own
        fits = len(console.render_lines(whole, options, pad=False)) <= lines
        yield whole if fits else self._low(console, options.max_width, lines)

    def _low(self, console: Console, columns: int, lines: int) -> RenderableType:
        inside = columns - _FRAME
        status, counters = _few_lines(console, self._status(), inside), self._counters()
        left = lines - _BORDERS - len(status.wrap(console, inside))
        ends = sum(len(text.wrap(console, inside)) for text in counters)
        if left - ends < _ROWS:
            counters, ends = [], 0
        left = max(1, left - ends)
        rows = _chosen(list(self._rows()), left)
        below = [*self._decisions(min(_DECISIONS, left - len(rows))), *counters]
        return self._panel([status], self._grid(rows, columns=inside), below, columns)

    def _panel(
        self, above: Sequence[Text], grid: RenderableType, below: Sequence[Text], columns: int
    ) -> RenderableType:
        from rich.console import Group
        from rich.panel import Panel
        from rich.text import Text

        title = Text(printable(self._live.title))
        title.truncate(max(1, columns - _FRAME - 2), overflow="ellipsis")
        return Panel(Group(*above, grid, *below), title=title, title_align="left")

    def _goal(self) -> list[Text]:
        from rich.text import Text

        return [Text(self._live.goal, style="dim")] if self._live.goal else []

    def _status(self) -> Text:
        from rich.text import Text

        style = _STYLES.get(self._live.verdict or self._live.status, "")
        return Text(printable(self._live.status_text), style=f"bold {style}".strip())

    def _counters(self) -> list[Text]:
        from rich.text import Text

        return [Text(card.counted(self._live))] if self._live.kind == "playbook" else []

    def _decisions(self, most: int) -> list[Text]:
        """The newest ones, a line each."""
        from rich.text import Text

        newest = self._live.decisions[-most:] if most > 0 else ()
        told = [card.decided(self._live.language, each) for each in newest]
        return [Text(text, style="dim", no_wrap=True, overflow="ellipsis") for text in told]

    def _grid(self, rows: Sequence[Row], *, columns: int | None = None) -> RenderableType:
        """The rows; where there are only so many `columns` each is one line, without what is told about it."""
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, _GAP))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        labels = [Text(f"{_MARKS.get(row.state, ' ')} {row.label}", style=_STYLES.get(row.state, "")) for row in rows]
        widest = max((label.cell_len for label in labels), default=0)
        for label, row in zip(labels, rows, strict=True):
            text = Text(one_line(row.text, 300))
            if columns is not None:
                text.truncate(max(1, columns - widest - _GAP), overflow="ellipsis")
            grid.add_row(label, text)
            if row.about and columns is None:
                grid.add_row("", Text(one_line(row.about, 300), style="dim"))
        return grid

    def _rows(self) -> Iterator[Row]:
        live = self._live
        for step in live.steps:
            label = say(live.language, f"step_{step.state}")
            yield Row(step.state, label, f"{step.number}. {step.text}", step.evidence)
        for worker in live.workers:
            label = say(live.language, f"step_{worker.state}")
            yield Row(worker.state, label, worker.task, f"{worker.room}  {worker.outcome}".strip())
        for seat in live.seats:
            text = seat.name if seat.name == seat.role else f"{seat.name}  {one_line(seat.role, 40)}"
            yield Row(_SEAT_STATES.get(seat.state, seat.state), card.seated(live.language, seat), text)


def _chosen(rows: Sequence[Row], most: int) -> list[Row]:
    """All rows, or those that say most and how many others there are, in their order."""
    if len(rows) <= most:
        return list(rows)
    order = {state: place for place, state in enumerate(_FIRST)}
    wanted = sorted(range(len(rows)), key=lambda place: (order.get(rows[place].state, len(order)), place))
    shown = sorted(wanted[: most - 1])
    return [*(rows[place] for place in shown), Row("", "…", f"+{len(rows) - len(shown)}")]


def _few_lines(console: Console, text: Text, columns: int) -> Text:
    """`text` in as many lines as a low terminal has for it, the last one cut with an ellipsis."""
    from rich.text import Text

    lines = [line.plain.strip() for line in text.wrap(console, columns)]
    if len(lines) <= _STATUS:
        return text
    last = Text(" ".join(lines[_STATUS - 1 :]))
    last.truncate(columns, overflow="ellipsis")
    return Text("\n".join([*lines[: _STATUS - 1], last.plain]), style=text.style)
