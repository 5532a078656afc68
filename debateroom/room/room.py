"""A room: the folder with the journal, the transcript projected from it, and the lock. One process writes.

The journal is the truth. `chat.json` and the reports follow from it and may be written again at any time.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from debateroom import clock, files
from debateroom.errors import RoomBusy, RoomError, UsageError
from debateroom.files import AppendLog
from debateroom.interruption import held
from debateroom.messages import Transcript
from debateroom.models import batch_log
from debateroom.models.quote import without_keys
from debateroom.room import lock, shapes, transcript
from debateroom.room.events import Event, State, apply, replay
from debateroom.room.foreign import Notes
from debateroom.room.played import EVALUATION, PLAYBOOK
from debateroom.terminal import quoted

if TYPE_CHECKING:
    from filelock import FileLock

JOURNAL, CHAT = "journal.jsonl", "chat.json"
REPORT, PAGE = "chatroom_report.md", "chatroom_report.html"
RUN_LOG = "run.log"
BRIEF = "brief.md"
"""What whoever concludes a debate needs for it."""
ORIGINAL = "chat.original.json"
"""The file that a room was made from, when there was no journal; what `chat.json` was when lines of it were lost."""
OWN_FILES = (JOURNAL, CHAT, REPORT, PAGE, RUN_LOG, "deliverable.md", "receipts.jsonl", BRIEF, batch_log.FILE)
"""What debateroom writes into a room, and all it ever replaces there."""

LONGEST_NAME = 100
"""Bytes the name of a room may have: folders of runs that are kept add a date to it."""

_MILESTONES = {
    "room_opened",
    "round_finished",
    "synthesized",
    "baseline_finished",
    "room_interrupted",
    "room_finished",
}
"""Events after which `chat.json` is written anew."""

_NOTES = ("decision_recorded", "worker_delegated")
"""Events that are kept although no answer stands beside them: whoever coordinates may be no model of ours."""

_LOOKED_BACK_ON = {PLAYBOOK: "decisions", EVALUATION: "report"}
"""Kinds of rooms that are kept when they are finished, and the command that shows them."""

OnEvent = Callable[[Event], None]


def command(verb: str, place: Path, *more: str) -> str:
    """What a person types to do `verb` with the room or the file at `place`, from whatever folder."""
    return " ".join(("debateroom", verb, quoted(str(place.resolve())), *more))


def folder_of(active: Path, name: str) -> Path:
    """The folder of room `name` below `active`. Raises UsageError for a name that is not one plain folder name."""
    forbidden = name.startswith(".") or any(mark in name for mark in '/\\\0:*?"<>|\n\r\t')
    if not name or forbidden or len(name.encode()) > LONGEST_NAME:
        raise UsageError(f"{name!r} is no name for a room", hint="use letters, digits and dashes: --room my-room")
    return active / name


def read(folder: Path) -> State:
    """What the journal in `folder` says, without taking the room. Raises UsageError when there is none."""
    if not (folder / JOURNAL).is_file():
        raise UsageError(f"there is no room in {folder}", hint='start one: debateroom "your question?"')
    return _replayed(journal(folder))


def journal(folder: Path) -> files.Lines:
    """The events of the journal in `folder`. Lines that hold none that this version can read are damaged ones.

    Raises RoomError when the file cannot be read, or the event that opened the room: nothing follows without it.
    """
    lines = files.read_lines(folder / JOURNAL)
    values, numbers, damaged = [], [], list(lines.damaged)
    for number, value in zip(lines.numbers, lines.values, strict=True):
        try:
            shapes.check(value)
        except ValueError as error:
            if value.get("event") == "room_opened":
                what = f"the journal in {folder} holds an event that this version cannot read: {error}"
                raise RoomError(what, hint=_way_out(folder)) from error
            damaged.append(number)
            continue
        values.append(value)
        numbers.append(number)
    return replace(lines, values=tuple(values), numbers=tuple(numbers), damaged=tuple(sorted(damaged)))


def _replayed(lines: files.Lines) -> State:
    """The state after the journal's events; what is left out is in the transcript's notes."""
    state = replay(lines.values)
    if not lines.damaged:
        return state
    notes = Notes(state.transcript.language)
    notes.add("journal", numbers=", ".join(map(str, lines.damaged)))
    return replace(state, transcript=replace(state.transcript, notes=tuple(notes.said)))


def _way_out(folder: Path) -> str:
    """The next command for a room whose journal does not say how it was opened."""
    known = (folder / CHAT).is_file()
    return command("resume", folder / CHAT) if known else 'start the debate again: debateroom "your question?"'


def is_opened(folder: Path) -> bool:
    """Whether the journal in `folder` says how the room was opened: without that it cannot be gone on with."""
    try:
        return bool(opening_event(folder))
    except (UsageError, RoomError):
        return False


def opening_event(folder: Path) -> Event:
    """The event that the room in `folder` was opened with. Raises UsageError when its journal has none."""
    for value in journal(folder).values:
        if value.get("event") == "room_opened":
            return value
    raise UsageError(f"the journal in {folder} does not say how the room was opened", hint=_way_out(folder))


class Room:
    """An open room that this process may write in. Use as a context manager, or call `close`."""

    def __init__(self, folder: Path, held: FileLock, log: AppendLog, state: State, on_event: OnEvent | None) -> None:
        self.folder = folder
        self.state = state
        self.damaged: tuple[int, ...] = ()
        """Numbers of the journal's lines that cannot be read, and are left out."""
        self.cut = log.cut
        """Bytes of a torn last line that were cut from the journal."""
        self._lock = held
        self._log = log
        self._on_event = on_event

    @classmethod
    def create(cls, folder: Path, opening: Event, *, on_event: OnEvent | None = None) -> Self:
        """A new room in `folder`, its journal begun with `opening`, its `chat.json` written.

        An unfinished run that was there is moved aside, and so is one of a playbook. Raises RoomBusy when another
        process has the room, RoomError when the folder cannot be written.
        """
        held = _take(folder, what=str(opening.get("problem", "")))
        try:
            moved = _clear(folder)
            room = cls(folder, held, AppendLog(folder / JOURNAL), replay(()), on_event)
            room.write(opening, *moved)
        except BaseException:
            held.release()
            raise
        return room

    @classmethod
    def reopen(cls, folder: Path, *, on_event: OnEvent | None = None) -> Self:
        """The room in `folder` as its journal left it, open for writing.

        Raises UsageError when there is no journal, RoomBusy and RoomError as `create`.
        """
        state = read(folder)
        held = _take(folder, what=state.transcript.problem)
        try:
            log = AppendLog(folder / JOURNAL)
            lines = journal(folder)
            room = cls(folder, held, log, _replayed(lines), on_event)
            room.damaged = lines.damaged
        except BaseException:
            held.release()
            raise
        return room

    @property
    def transcript(self) -> Transcript:
        """The transcript as it stands."""
        return self.state.transcript

    @property
    def chat_path(self) -> Path:
        """Absolute path of `chat.json`."""
        return (self.folder / CHAT).resolve()

    def write(self, *events: Event) -> None:
        """Puts `events` into the journal, durably, then into the transcript. Main thread only: one writer.

        Whatever was read or answered, no key that is in use gets into a room.
        """
        events = tuple(map(without_keys, events))
        with held():
            before = self._log.appended
            try:
                self._log.append(events)
            finally:  # of many that landed at once, the first may have been written before the disk was full
                for event in events[: self._log.appended - before]:
                    self.state = apply(self.state, event)
            if any(event["event"] in _MILESTONES for event in events):
                self.project()
        if self._on_event:
            for event in events:
                self._on_event(event)

    def note_damage(self) -> None:
        """Says in the journal what of it could not be read, when there is such damage."""
        if self.cut or self.damaged:
            self.write(event("journal_mended", cut=self.cut, damaged=list(self.damaged)))

    def project(self) -> None:
        """Writes `chat.json` from the transcript. One that may hold more than a damaged journal is kept first."""
        original = self.folder / ORIGINAL
        if self.damaged and self.chat_path.exists() and not original.exists():
            files.replace(original, self.chat_path.read_bytes())
        files.replace(self.folder / CHAT, files.dumps(transcript.to_json(self.transcript), indent=True) + b"\n")

    def write_file(self, name: str, text: str) -> Path:
        """Puts one of debateroom's own files into the room; its absolute path."""
        if name not in OWN_FILES:
            raise RoomError(f"{name} is not a file of a room")
        files.replace(self.folder / name, files.whole_characters(text).encode())
        return (self.folder / name).resolve()

    def close(self, *, handed_over: bool = False) -> None:
        """Gives the room back; a second call does nothing. `handed_over`: to a process about to be started."""
        if self._lock.is_locked:
            self._log.close()
            lock.give_back(self.folder, self._lock, handed_over=handed_over)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def event(name: str, **values: Any) -> dict[str, Any]:
    """An event with its time, ready for `Room.write`."""
    return {"event": name, "at": clock.now().isoformat(), **values}


def _take(folder: Path, *, what: str) -> FileLock:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        blocked = next((part for part in [folder, *folder.parents] if part.exists() and not part.is_dir()), folder)
        reason = "it is a file" if blocked.is_file() else error.strerror or str(error)
        raise RoomError(
            f"cannot make a room in {folder}: {blocked}: {reason}", hint="choose with --active"
        ) from error
    try:
        taken = lock.take(folder)
    except RoomBusy:
        raise busy(folder) from None
    try:
        _claim(folder, what)
    except BaseException:
        taken.release()
        raise
    return taken


def _claim(folder: Path, what: str) -> None:
    """Names this process as the owner. Raises RoomBusy when another was sent to take the room, and is on its way."""
    if lock.starting(folder) and _running(folder):
        raise busy(folder)
    lock.name_owner(folder, os.getpid(), what=what)
    _sweep(folder)


def busy(folder: Path) -> RoomBusy:
    """The error for a room that another process has, with what can be done about it."""
    wait, status = command("wait", folder), command("status", folder)
    error = RoomBusy(lock.held_by(folder), hint=f"{wait}, or {status}, or for another debate --room NAME")
    error.room = folder.resolve()
    return error


def _sweep(folder: Path) -> None:
    """Removes what a killed process left of files that it was just replacing."""
    for name in (*OWN_FILES, ORIGINAL):
        files.sweep(folder / name)
    files.sweep(folder / lock.OWNER, older=60.0)  # written also by who has not the lock


def _clear(folder: Path) -> list[Event]:
    """Removes an earlier run's files; one that is kept is moved aside, and an event says where it is now."""
    present = [name for name in OWN_FILES if (folder / name).exists()]
    try:
        verb = _kept(folder) if (folder / JOURNAL).exists() else None
        if verb:
            aside = _aside(folder, "unfinished" if verb == "resume" else "finished")
            aside.mkdir()
            for name in present:
                shutil.move(folder / name, aside / name)
            return [_told_of(aside, verb)]
        for name in present:
            (folder / name).unlink()
    except OSError as error:
        reason = error.strerror or error
        raise RoomError(f"cannot clear {folder}: {reason}", hint=files.space_hint(folder / CHAT)) from error
    return []


def _running(folder: Path) -> bool:
    try:
        return read(folder).transcript.status == "running"
    except (UsageError, RoomError, KeyError, TypeError):
        return False


def _kept(folder: Path) -> str | None:
    """The command for the run in `folder`, which is not thrown away; None when it may go.

    `resume`: it is unfinished, and its journal holds answers or notes, or what may be some. Another: it is a
    playbook's, whose decisions and receipts are looked back on, or an evaluation's, with which the next is compared.
    """
    try:
        lines = journal(folder)
    except RoomError:  # not our journal: nothing can be resumed, but nothing is thrown away either
        return "resume"
    state = _replayed(lines)
    asked = state.unreadable or state.looked or state.spoken
    noted = any(each["event"] in _NOTES for each in lines.values)
    kept = any(item.entries for item in state.transcript.rounds) or asked or noted or lines.damaged
    if state.transcript.status == "finished":
        return _LOOKED_BACK_ON.get(state.transcript.kind)
    return "resume" if kept else None


def _told_of(moved: Path, verb: str) -> Event:
    """The event that says where an earlier run is kept now, and the command for it."""
    hint = command(verb, moved)
    return event("moved_aside", folder=str(moved.resolve()), finished=verb != "resume", hint=hint)


def _aside(folder: Path, why: str) -> Path:
    stamp = clock.now().strftime("%Y%m%d-%H%M%S")
    for number in range(1, 1000):
        suffix = "" if number == 1 else f"-{number}"
        place = folder.with_name(f"{folder.name}.{why}-{stamp}{suffix}")
        if not place.exists():
            return place
    raise RoomError(f"too many {why} runs beside {folder}")
