"""`debateroom rooms`: all rooms, with their state, age and cost."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import click

from debateroom import clock
from debateroom.cli.output import line
from debateroom.errors import DebateroomError
from debateroom.terminal import one_line


class Row(NamedTuple):
    """One room in the list."""

    room: str
    status: str
    age: str
    """Since it was started: `12 s`, `5 min`, `3 h`, `2 d`."""
    cost: float | None
    """US dollars; None when not known."""
    problem: str


@click.command("rooms", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list instead of text.")
def rooms(active: str | None, as_json: bool) -> int:
    """List the rooms below active/, the newest first."""
    from debateroom import files, settings

    folder = settings.load({"active": active}).active
    rows = _rows(folder)
    if as_json:
        line(files.dumps([row._asdict() for row in rows]).decode())
        return 0
    if not rows:
        click.echo(f"no rooms in {folder}")
    width = max((len(row.room) for row in rows), default=0)
    for row in rows:
        cost = "cost unknown" if row.cost is None else f"{row.cost:.2f} US dollars"
        click.echo(f"{row.room:<{width}}  {row.status:<11}  {row.age:>6}  {cost}  {row.problem}")
    return 0


def _rows(active: Path) -> list[Row]:
    """One row for each folder with a journal that can be read."""
    from debateroom.room.room import JOURNAL

    found = []
    for journal in active.glob(f"*/{JOURNAL}"):
        value = _looked_at(journal.parent)
        if value:
            found.append(value)
    return [row for _, row in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _looked_at(folder: Path) -> tuple[str, Row] | None:
    """When the room was started, and its row; None when it cannot be read."""
    from debateroom.room.room import read
    from debateroom.room.summary import look

    try:
        value, transcript = look(folder), read(folder).transcript
    except (DebateroomError, KeyError, TypeError):
        return None
    row = Row(folder.name, value["status"], _age(transcript.started), value["cost"], one_line(transcript.problem, 60))
    return transcript.started, row


def _age(started: Any) -> str:
    try:
        seconds = (clock.now() - datetime.fromisoformat(started)).total_seconds()
    except (TypeError, ValueError):
        return "—"
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"
