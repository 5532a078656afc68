"""`debateroom watch`: a room while it goes on: a card on a terminal, one line for each change elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from debateroom.cli import card, output, place

if TYPE_CHECKING:
    from debateroom.playbooks.live import Live

_PAUSE = 0.5
"""Seconds between two looks at the journal."""


@click.command("watch", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("room", required=False)
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--once", is_flag=True, help="Show it as it stands, and end.")
@click.option("--json", "as_json", is_flag=True, help="Print the card as one JSON object for each change.")
def watch(room: str | None, active: str | None, once: bool, as_json: bool) -> int:
    """Show ROOM while it goes on: what it does now, its steps, workers and decisions, or its seats and rounds.

    Ends when the run does. Watching disturbs nothing.
    """
    folder = place.coordinator(room, active) if room is None else place.folder(room, active)
    shown = _looks(folder, once=once)
    if as_json:
        _print(shown)
    elif sys.stdout is not None and sys.stdout.isatty() and not once:
        _draw(shown)
    else:
        _tell(shown, once=once)
    return 0


def _looks(folder: Path, *, once: bool) -> Iterator[Live]:
    """The card, then again whenever something of it has changed, until the run is over."""
    from debateroom.playbooks.looking import look

    before = None
    while True:
        live = look(folder)
        if live.damage and (before is None or live.damage != before.damage):
            output.note(live.damage)
        if before is None or _without_time(live) != _without_time(before):
            yield live
            before = live
        if once or live.status not in ("queued", "running"):
            return
        time.sleep(_PAUSE)


def _without_time(live: Live) -> Live:
    from dataclasses import replace

    return replace(live, seconds=None)


def _print(shown: Iterator[Live]) -> None:
    from debateroom import files

    for live in shown:
        output.line(files.dumps(live.to_json()).decode())


def _tell(shown: Iterator[Live], *, once: bool) -> None:
    before = None
    for live in shown:
        for line in card.changes(before, live, whole=once):
            output.tell(line)
        before = live
        if once and live.kind == "playbook":
            output.tell(card.counted(live))


def _draw(shown: Iterator[Live]) -> None:
    from rich.console import Console
    from rich.live import Live as Drawn

    from debateroom.cli.panel import Card

    with Drawn(console=Console(), auto_refresh=False) as drawn:
        for live in shown:
            drawn.update(Card(live), refresh=True)
