"""`--wake-on-failure`: a run that ends without its result wakes whom the workspace has named for that."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from debateroom.cli import output
from debateroom.errors import DebateroomError, Declined
from debateroom.terminal import one_line

if TYPE_CHECKING:
    from debateroom.activities import Outcome
    from debateroom.settings import Settings
    from debateroom.wake.body import Call
    from debateroom.wake.hook import Hook
    from debateroom.wake.workspace import Workspace

option = click.option(
    "--wake-on-failure", is_flag=True, help="Call the workspace's webhook when the run fails: debateroom wake."
)
SILENT = frozenset({0, 2, 6, 8, 130, 143})
"""Exit codes that wake nobody: done; a call that was refused before there was a run; a person who stopped it."""


@dataclass(slots=True)
class Watched:
    """A run that is looked after."""

    outcome: Outcome | None = None
    """What it left, once it has."""
    failed: DebateroomError | None = None
    """Why a run of many rooms is not done."""
    quiet: bool = False
    """Whether nobody is woken all the same."""


@contextlib.contextmanager
def watching(wanted: bool, chosen: Settings, folder: Path | None = None) -> Iterator[Watched]:
    """A block in which a run is made. When it ends with an exit code that is not silent, the webhook is called.

    `folder` is the room where it is known already. Raises UsageError, before anything is asked, when no webhook is
    set. What comes of the call is one line on stderr; the exit code stays the run's.
    """
    watched = Watched()
    if not wanted:
        yield watched
        return
    from debateroom.wake import hook, workspace

    place = workspace.of_room(folder) if folder else workspace.of_active(chosen.active)
    whom = hook.required(place)
    place.project(chosen.url)
    try:
        yield watched
    except DebateroomError as error:
        # once there is an outcome, an error is about showing it, and no failure of the run
        if watched.outcome is None and error.exit_code not in SILENT and not isinstance(error, Declined):
            _wake(chosen, place, whom, error.room, error)
        _tell_outcome(watched, chosen, place, whom)
        raise
    _tell_outcome(watched, chosen, place, whom)


def _tell_outcome(watched: Watched, chosen: Settings, place: Workspace, whom: Hook) -> None:
    outcome = watched.outcome
    if watched.failed is not None:
        _wake(chosen, place, whom, None, watched.failed)
    if outcome is not None and not watched.quiet and int(outcome.summary["exit_code"]) not in SILENT:
        _wake(chosen, place, whom, outcome.folder, None)


def _wake(chosen: Settings, place: Workspace, whom: Hook, room: Path | None, error: DebateroomError | None) -> None:
    """Calls, and says on stderr what came of it. Whatever goes wrong with the call does not hide what went wrong."""
    from debateroom.wake import delivery

    try:
        call, language = _call(room, error)
        made = delivery.deliver(place, whom, call, url=chosen.url, ports=chosen.web_ports)
        output.note(made.said(language))
    except Exception as second:
        said = str(second) if isinstance(second, DebateroomError) else f"{type(second).__name__}: {second}"
        output.note(f"debateroom: {one_line(said, 500)}")


def _call(room: Path | None, error: DebateroomError | None) -> tuple[Call, str]:
    """What is said, and in which language: that of the room, where there is one."""
    from debateroom.room.room import read
    from debateroom.wake import body

    if room is None:
        return body.plain(str(error)), error.language if error else "en"
    return body.of_room(room, error=str(error) if error else None), read(room).transcript.language
