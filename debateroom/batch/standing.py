"""What is on disk of a batch: how its rooms stand, `summary.jsonl` and `index.html`. All follow from the rooms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from debateroom import files
from debateroom.batch.questions import Question
from debateroom.debating.plan import stated
from debateroom.errors import RoomError, UsageError
from debateroom.files import AppendLog
from debateroom.report import batch as page
from debateroom.room.room import JOURNAL, PAGE, opening_event, read
from debateroom.room.summary import look, shortened

SUMMARY, INDEX = "summary.jsonl", "index.html"


class Item(NamedTuple):
    """A debate of the batch."""

    question: Question
    folder: Path
    """Its room."""


def finished(item: Item) -> dict[str, Any] | None:
    """The object of a debate that is over; None while it is not. Raises UsageError when its room is another's."""
    if not (item.folder / JOURNAL).is_file():
        return None
    opened = opening_event(item.folder)
    if opened.get("kind", "debate") != "debate" or opened.get("problem") != stated(item.question.text):
        raise UsageError(
            f"{item.question.where}: the room {item.folder} is of another question",
            hint="give the line another id, or the batch another name: --room NAME",
        )
    value = look(item.folder)
    return value if value["status"] in ("finished", "waiting_for_host") else None


def is_begun(item: Item) -> bool:
    """Whether the debate has a room to go on in."""
    return (item.folder / JOURNAL).is_file()


def begun_with(item: Item) -> Mapping[str, Any]:
    """The settings that a debate was begun with, such as its `budget`; None of it is no limit."""
    return read(item.folder).settings


class Summary:
    """`summary.jsonl`: a line for each debate that is over, as it came."""

    def __init__(self, folder: Path, known: Iterable[tuple[Item, Mapping[str, Any]]]) -> None:
        """Written anew with what is `known` of earlier runs."""
        lines = [files.dumps(_line(item, value)) + b"\n" for item, value in known]
        files.replace(folder / SUMMARY, b"".join(lines))
        self._log = AppendLog(folder / SUMMARY)

    def add(self, item: Item, value: Mapping[str, Any]) -> None:
        """One more. Raises RoomError when it cannot be written."""
        self._log.append([_line(item, value)])

    def close(self) -> None:
        """Closes the file."""
        self._log.close()


def _line(item: Item, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": item.question.id, **shortened(value)}


def write_index(
    folder: Path, items: Sequence[Item], known: Mapping[str, Mapping[str, Any]], *, language: str
) -> Path:
    """Puts the page with all debates into the batch's folder; its absolute path."""
    rows = []
    for item in items:
        name = item.question.id
        there = (item.folder / PAGE).is_file()
        rows.append(page.Row(name, item.question.text, known.get(name), f"{name}/{PAGE}" if there else ""))
    path = folder / INDEX
    files.replace(path, files.whole_characters(page.render(folder.name, rows, language)).encode())
    return path.resolve()


def hold_folder(folder: Path) -> None:
    """Makes the batch's folder. Raises UsageError when it is a room, RoomError when it cannot be made."""
    if (folder / JOURNAL).exists():
        raise UsageError(f"{folder} is a room, and a batch holds rooms", hint="name the batch: --room NAME")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RoomError(f"cannot make {folder}: {error.strerror or error}", hint="choose with --active") from error
