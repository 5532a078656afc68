"""What every command that runs a room in one go has in common: the options of a run, beside those of a debate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import click

from debateroom.cli import waking

ACTIVE = click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
LIMITS = (
    click.option("--timeout", type=float, metavar="S", help="Seconds the whole run may take.  [default: no limit]"),
    click.option("--budget", type=float, metavar="USD", help="US dollars the run may cost.  [default: no limit]"),
)
"""How long and how dear it may get."""


def showing(more: str) -> tuple[Callable[[Any], Any], ...]:
    """The options that say where a run goes on and what is seen of it; `more` is what `-v` tells."""
    return (
        click.option("--detach", is_flag=True, help="Run in the background; print room and pid as JSON at once."),
        waking.option,
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text."),
        click.option("--events", is_flag=True, help="Print the events as JSON lines, the object of --json last."),
        click.option("-q", "--quiet", is_flag=True, help="No progress on stderr."),
        click.option("-v", "--verbose", count=True, help=f"More on stderr: {more}; -vv: every event."),
    )


_OPTIONS = (
    ACTIVE,
    click.option(
        "--call-timeout",
        type=float,
        metavar="S",
        help="Seconds one call, or answer of an outside agent, may take.  [default: 120]",
    ),
    *LIMITS,
    *showing("what was kept back and why"),
)


class Shown(NamedTuple):
    """What of the options says where a run goes on, and what is seen of it; the others are settings."""

    detach: bool
    wake_on_failure: bool
    as_json: bool
    events: bool
    quiet: bool
    verbose: int

    @property
    def json(self) -> bool:
        """Whether standard output ends with one object."""
        return self.as_json or self.events


def with_options(command: Callable[..., int]) -> Callable[..., int]:
    """Gives a command the options of a run, behind its own."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def shown(given: dict[str, Any]) -> Shown:
    """How the run is shown; it is taken out of the options that were `given`."""
    return Shown(*(given.pop(name) for name in Shown._fields))
