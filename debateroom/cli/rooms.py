"""`debateroom rooms`: all rooms, with their state, age and cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from debateroom.cli import output, states
from debateroom.terminal import one_line, padded, width


class Row(NamedTuple):
    """One room in the list."""

    room: str
    status: str
    age: str
    """Since it was started: `12 s`, `5 min`, `3 h`, `2 d`."""
    cost: float | None
    """US dollars; None when not known."""
    problem: str
    error: str | None
    """Why it cannot be read, or what went wrong in it; None when nothing did."""
    started: str
    """ISO 8601; empty when not known."""
    language: str
    hint: str | None
    """The next command, where there is one."""


@click.command("rooms", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list instead of text.")
def rooms(active: str | None, as_json: bool) -> int:
    """List the rooms below active/, the newest first. One whose journal cannot be read is named with the reason."""
    from debateroom import files, settings

    folder = settings.load({"active": active}).active
    rows = _rows(folder)
    if as_json:
        output.line(files.dumps([row._asdict() for row in rows]).decode())
    elif rows:
        _show(rows)
    else:
        output.tell(f"no rooms in {folder.resolve()}")
    return 0


def _show(rows: Sequence[Row]) -> None:
    """One line a room, each in the language of its debate."""
    from debateroom.room.summary import UNREADABLE

    lines = []
    for row in rows:
        if row.status == UNREADABLE:
            said = (one_line(row.error or "", 160), row.hint)
            lines.append((row.room, UNREADABLE, "—", "—", "; next: ".join(filter(None, said))))
            continue
        told = (states.status(row.language, row.status), states.age(row.language, row.started))
        lines.append((row.room, *told, states.cost(row.language, row.cost), row.problem))
    widths = [max(width(line[column]) for line in lines) for column in range(4)]
    for line in lines:
        shown = [padded(text, columns) for text, columns in zip(line, widths, strict=False)]
        output.tell("  ".join([*shown, line[4]]).rstrip())


def _rows(active: Path) -> list[Row]:
    """One row for each folder with a journal."""
    from debateroom.room.room import JOURNAL

    found = [_looked_at(journal.parent) for journal in active.glob(f"*/{JOURNAL}")]
    return sorted(found, key=lambda row: row.started, reverse=True)


def _looked_at(folder: Path) -> Row:
    from debateroom.room.room import read
    from debateroom.room.summary import UNREADABLE, look

    value = look(folder)
    if value["status"] == UNREADABLE:
        return Row(folder.name, UNREADABLE, "—", None, "", value["error"], "", "en", value["hint"])
    transcript = read(folder).transcript
    return Row(
        folder.name,
        value["status"],
        states.age("en", transcript.started),
        value["cost"],
        one_line(transcript.problem, 60),
        value["error"],
        transcript.started,
        transcript.language,
        value["hint"],
    )
