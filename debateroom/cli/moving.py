"""A line on stderr that moves while a run goes on, below the lines of what is over. For terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debateroom import clock
from debateroom.cli import output
from debateroom.models.quote import scrub
from debateroom.terminal import printable

if TYPE_CHECKING:
    from rich.live import Live

_EVERY = 0.1
"""Seconds between two drawings of what changes all the time."""


def say_above(live: Live, text: str) -> None:
    """One line above what moves: the console keeps the two apart, whichever thread it is said in."""
    live.console.print(printable(scrub(text)), markup=False, highlight=False, soft_wrap=True)


class MovingLine:
    """The line, which is there from its first text on."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._often = 0.0

    def show(self, text: str) -> None:
        """Draws the line with `text`, cut at the edge of the terminal."""
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        shown = Text(printable(scrub(text)), no_wrap=True, overflow="ellipsis")
        if self._live is None:
            self._live = Live(shown, console=Console(stderr=True), transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(shown, refresh=True)

    def show_often(self, text: str) -> None:
        """The same for what changes all the time: ten times a second at most."""
        now = clock.monotonic()
        if now - self._often > _EVERY:
            self._often = now
            self.show(text)

    def note(self, text: str) -> None:
        """One line above it."""
        if self._live is None:
            output.note(text)
        else:
            say_above(self._live, text)

    def close(self) -> None:
        """Takes the line down."""
        if self._live:
            self._live.stop()
            self._live = None
