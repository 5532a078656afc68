"""`debateroom report`: renders a room's reports again, or prints one of any chat.json."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from debateroom.cli import output
from debateroom.errors import UsageError

if TYPE_CHECKING:
    from debateroom.messages import Transcript

FORMATS = ("md", "html", "json")


@click.command("report", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("place", metavar="[ROOM|PATH]", required=False)
@click.option("--format", "form", type=click.Choice(FORMATS), help="Print instead of writing the room's files.")
@click.option("-o", "--output", "target", metavar="FILE", help="Write there instead of printing.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
def report(place: str | None, form: str | None, target: str | None, open_page: bool, active: str | None) -> int:
    """Render the report of ROOM again and print the paths; of PATH (a chat.json), or with --format, print it.

    Reads also what other versions and the original skill left behind.
    """
    from debateroom import activities, settings

    chosen = settings.load({"active": active})
    file = Path(place) if place and Path(place).is_file() else None
    if file is None:
        folder = Path(place) if place and Path(place).is_dir() else chosen.active / (place or chosen.room)
        if form is None and target is None:
            outcome = activities.render_again(folder)
            click.echo(f"{outcome.report}\n{outcome.page}")
            _open(outcome.page, open_page)
            return 0
        file = folder / "chat.json"
    text = _rendered(activities.read_transcript(file), form or "md")
    if target is None:
        click.echo(text, nl=not text.endswith("\n"))
        return 0
    written = activities.write_text(Path(target), text)
    output.note(str(written))
    _open(written, open_page)
    return 0


def _rendered(transcript: Transcript, form: str) -> str:
    from debateroom import files
    from debateroom.report import html, markdown
    from debateroom.room.transcript import to_json

    if form == "html":
        return html.render(transcript)
    if form == "md":
        return markdown.render(transcript)
    return files.dumps(to_json(transcript), indent=True).decode()


def _open(page: Path, wanted: bool) -> None:
    if not wanted:
        return
    import webbrowser

    if not webbrowser.open(page.as_uri()):
        raise UsageError(f"no browser could be opened for {page}", hint=f"open {page} yourself")
