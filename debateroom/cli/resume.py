"""`debateroom resume`: an unfinished room goes on with the settings it was started with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from debateroom.cli import output, place, progress


@click.command("resume", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("room", metavar="[ROOM|CHAT.JSON]", required=False)
@click.option("-n", "--agents", type=int, metavar="N", help="What the room must have; else it is refused.")
@click.option("-r", "--rounds", type=int, metavar="R", help="The same; for a chat.json, rounds at most.")
@click.option("--model", metavar="NAME", help="The same; for a chat.json, the seats' model.")
@click.option("--language", metavar="LANG", help="The same.")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--events", is_flag=True, help="Print the events as JSON lines, the object of --json last.")
@click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
@click.option("-v", "--verbose", count=True, help="More on stderr: tokens of each reply; -vv: every event.")
def resume(
    room: str | None,
    *,
    active: str | None,
    as_json: bool,
    events: bool,
    quiet: bool,
    verbose: int,
    **expected: int | str | None,
) -> int:
    """Continue ROOM (a name below active/, or a folder) where it stopped. No finished call is repeated.

    A room keeps the settings it was started with. Of a chat.json without a journal, finished rounds are kept.
    """
    from debateroom import activities, settings

    file = _transcript(room, active)
    if file is not None:
        given = {"model": expected["model"], "rounds": expected["rounds"], "active": active}
        folder = activities.adopt(file, settings.load(given))
        expected = {name: expected[name] for name in ("agents", "language")}
    else:
        folder = place.folder(room, active)
    finished = activities.is_finished(folder)
    if finished:
        output.note(f"the room {folder} is finished; nothing was asked again")
    shown = progress.make(quiet=quiet, verbose=verbose, events=events)
    try:
        outcome = activities.resume(folder, shown.on_event, shown.on_progress, _named(expected))
    finally:
        shown.close()
    code = output.finished(outcome, as_json=as_json or events)
    return 0 if finished else code


def _transcript(room: str | None, active: str | None) -> Path | None:
    """The chat.json to go on from, when one is named or lies in a folder without a journal."""
    if room and (Path(room).is_file() or Path(room).suffix == ".json"):
        return Path(room)
    folder = place.folder(room, active)
    alone = (folder / "chat.json").is_file() and not (folder / "journal.jsonl").exists()
    return folder / "chat.json" if alone else None


def _named(expected: Mapping[str, int | str | None]) -> dict[str, Any]:
    """What was asked of the room, models by their full names."""
    from debateroom.models.registry import resolve

    model = expected.get("model")
    return {**expected, **({"model": str(resolve(str(model)))} if model else {})}
