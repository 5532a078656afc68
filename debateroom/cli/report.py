"""`debateroom report`: renders a room's reports again, or prints one of any chat.json."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from debateroom.cli import output
from debateroom.cli import place as places
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
    from debateroom import activities, resuming
    from debateroom.room.transcript import read_chat

    file = Path(place) if place and _names_a_file(place) else None
    form = form or _form_of(target)
    if file is None:
        folder = places.folder(place, active)
        if form is None:
            outcome = resuming.render_again(folder)
            click.echo(f"{outcome.report}\n{outcome.page}")
            _open(outcome.page, open_page)
            return 0
        file = folder / "chat.json"
    text = _rendered(read_chat(file), form or "md", file)
    if target is None:
        click.echo(text, nl=not text.endswith("\n"))
        return 0
    written = activities.write_text(Path(target), text)
    output.note(str(written))
    _open(written, open_page)
    return 0


def _names_a_file(place: str) -> bool:
    """Whether `place` is meant as a file: it is one, or it looks like one and is no room's name."""
    return Path(place).is_file() or (Path(place).suffix == ".json" and not Path(place).is_dir())


_ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".json": "json"}


def _form_of(target: str | None) -> str | None:
    """The format that a file's name asks for. Raises UsageError for a folder, or an ending that names none."""
    if target is None:
        return None
    if Path(target).is_dir():
        raise UsageError(f"{target} is a folder; -o wants a file", hint=f"-o {Path(target) / 'report.html'}")
    form = _ENDINGS.get(Path(target).suffix.lower())
    if form is None:
        raise UsageError(f"{target} does not say which format: end it in .md, .html or .json, or add --format")
    return form


def _rendered(transcript: Transcript, form: str, file: Path) -> str:
    from debateroom import files
    from debateroom.report import html, markdown
    from debateroom.room.transcript import to_json

    if form == "html":
        return html.render(transcript, chat_path=file.name)
    if form == "md":
        return markdown.render(transcript, chat_path=file.name)
    return files.dumps(to_json(transcript), indent=True).decode()


def _open(page: Path, wanted: bool) -> None:
    if not wanted:
        return
    import webbrowser

    if not webbrowser.open(page.as_uri()):
        raise UsageError(f"no browser could be opened for {page}", hint=f"open {page} yourself")
