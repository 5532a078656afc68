"""`debateroom resume`: an unfinished room goes on with the settings it was started with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import asking, background, clusters, output, place, playbook, progress, stdout, trials, waking
from debateroom.errors import DebateroomError, UsageError
from debateroom.interruption import Interrupted

if TYPE_CHECKING:
    from debateroom.activities import Outcome
    from debateroom.evaluation.remote import Workers
    from debateroom.settings import Settings

_FREE = ("rounds", "model", "moderator", "budget", "timeout")
"""Options that a chat.json leaves to the caller."""


@click.command("resume", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("room", metavar="[ROOM|CHAT.JSON]", required=False)
@click.option("-n", "--agents", type=int, metavar="N", help="What the room must have; else it is refused.")
@click.option("-r", "--rounds", type=int, metavar="R", help="The same; for a chat.json, rounds at most.")
@click.option("--model", metavar="NAME", help="The same; for a chat.json, the seats' model.")
@click.option("--moderator", metavar="NAME", help="The same; for a chat.json, who judges.")
@click.option("--budget", type=float, metavar="USD", help="The same; for a chat.json, the limit.")
@click.option("--timeout", type=float, metavar="S", help="The same; for a chat.json, the limit.")
@click.option("--language", metavar="LANG", help="The same.")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@clusters.option
@click.option("--detach", is_flag=True, help="Run in the background; print room and pid as JSON at once.")
@waking.option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--events", is_flag=True, help="Print the events as JSON lines, the object of --json last.")
@click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
@click.option("-v", "--verbose", count=True, help="More on stderr: tokens of each reply; -vv: every event.")
def resume(
    room: str | None,
    *,
    active: str | None,
    cluster: str | None,
    detach: bool,
    wake_on_failure: bool,
    as_json: bool,
    events: bool,
    quiet: bool,
    verbose: int,
    **expected: float | str | None,
) -> int:
    """Continue ROOM (a name below active/, or a folder) where it stopped. No finished call is repeated.

    A room keeps the settings it was started with, from whatever folder it is resumed. Of a chat.json without a
    journal, finished rounds are kept. Who coordinates a playbook without us is told again what is to be done.
    """
    stdout.take()
    as_json = as_json or events
    wanted = _named(expected)
    with _interruptible(_as_named(room, active)):
        from debateroom import coordinating, resuming, settings

        folder = _folder(room, active, wanted)
        begun = coordinating.begun(folder)
        if begun:
            playbook.tell_begun(begun, as_json=as_json)
            return 0
        chosen, finished = settings.load({"active": active}), resuming.is_finished(folder)
    with waking.watching(wake_on_failure, chosen, folder) as watched:
        watched.quiet = finished  # it was told when it came to its end
        with _interruptible(folder):
            if finished:
                output.note(_finished_line(folder))
            elif detach and cluster:
                raise UsageError(
                    "--detach goes on in a process that knows no --cluster", hint="leave one of them out"
                )
            elif detach:
                problem = resuming.prepare(folder, chosen, wanted).problem
                return background.start(folder, problem, verbose=verbose, wake=wake_on_failure)
            shown = _shown(folder, quiet=quiet, verbose=verbose, events=events)
            with _workers(cluster, folder, quiet=quiet) as workers:
                outcome = _gone_on(folder, chosen, wanted, shown, workers)
        watched.outcome = outcome
        for said in outcome.transcript.notes if finished else ():
            output.note(said)
        code = output.finished(outcome, as_json=as_json or detach)
    return 0 if finished else code


def _folder(room: str | None, active: str | None, wanted: dict[str, Any]) -> Path:
    """The room to go on with; made out of a chat.json that has no journal, `wanted` without what that is free in."""
    file = _transcript(room, active)
    if file is None:
        return place.folder(room, active)
    from debateroom import resuming, settings

    free = {name: wanted.pop(name) for name in _FREE}
    given = settings.load({**free, "active": active, "model": None})
    return resuming.adopt(file, given, rounds=free["rounds"], model=free["model"], expected=wanted)


def _shown(folder: Path, *, quiet: bool, verbose: int, events: bool) -> progress.Progress:
    """The progress of the kind of room that `folder` is."""
    from debateroom import resuming
    from debateroom.room.room import journal

    if resuming.is_evaluation(folder):
        return trials.make(quiet=quiet, verbose=verbose, events=events)
    known = journal(folder).values if resuming.kind_of(folder) == "playbook" else None
    turns = resuming.is_dialogue(folder)
    return progress.make(quiet=quiet, verbose=verbose, events=events, turns=turns, coordinated=known)


def _gone_on(
    folder: Path, chosen: Settings, wanted: Mapping[str, Any], shown: progress.Progress, workers: Workers | None
) -> Outcome:
    from debateroom import resuming

    try:
        return resuming.resume(
            folder,
            chosen,
            on_event=shown.on_event,
            on_progress=shown.on_progress,
            on_wait=shown.on_wait,
            on_batch=getattr(shown, "on_batch", None),
            workers=workers,
            expected=wanted,
            ask=asking.person(),
        )
    finally:
        shown.close()


@contextmanager
def _workers(cluster: str | None, folder: Path, *, quiet: bool) -> Iterator[Workers | None]:
    """Who plays the trials of an evaluation that goes on. Raises UsageError for a cluster with another room."""
    if not cluster:
        yield None
        return
    from debateroom import evaluations

    with clusters.workers(cluster, evaluations.plan_of(folder), quiet=quiet) as found:
        yield found


@contextmanager
def _interruptible(folder: Path) -> Iterator[None]:
    """A signal that comes before the room is open is written into it too: it may be waited for from outside.

    An error names the room, when there is one.
    """
    try:
        yield
    except DebateroomError as error:
        error.room = error.room or (folder if (folder / "journal.jsonl").exists() else None)
        raise
    except Interrupted as stop:
        if stop.room is None and (folder / "journal.jsonl").exists():
            from debateroom.room import stopping

            stop.room = folder
            stopping.close(folder, stop.exit_code)
        raise


def _as_named(room: str | None, active: str | None) -> Path:
    """The folder that was named, or that of the chat.json that was."""
    file = _transcript(room, active)
    return file.parent if file else place.folder(room, active)


def _finished_line(folder: Path) -> str:
    from debateroom.language import say
    from debateroom.room.room import read

    return say(read(folder).transcript.language, "already_finished", room=folder.resolve())


def _transcript(room: str | None, active: str | None) -> Path | None:
    """The chat.json to go on from, when one is named or lies in a folder without a journal."""
    if room and (Path(room).is_file() or Path(room).suffix == ".json"):
        return Path(room)
    folder = place.folder(room, active)
    alone = (folder / "chat.json").is_file() and not (folder / "journal.jsonl").exists()
    return folder / "chat.json" if alone else None


def _named(expected: Mapping[str, float | str | None]) -> dict[str, Any]:
    """What was asked of the room, models by their full names."""
    from debateroom.debating.plan import NO_MODERATOR
    from debateroom.models.registry import resolve

    models = {name: str(expected[name]) for name in ("model", "moderator") if expected.get(name)}
    return {
        **expected, **{name: text if text == NO_MODERATOR else str(resolve(text)) for name, text in models.items()}
    }  # fmt: skip
