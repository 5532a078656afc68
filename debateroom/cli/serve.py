"""`debateroom serve`: all rooms on a page on this machine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from debateroom.cli import output
from debateroom.errors import UsageError


@click.command("serve", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--port", type=click.IntRange(0, 65_535), default=8790, metavar="N", help="Port; 0 is any.  [8790]")
@click.option("--agent", metavar="AGENT", help="The coordinator that *start* starts; without it there is no start.")
@click.option("--language", metavar="LANG", help="Language of the page: en, fr or zh.  [default: en]")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--open", "in_browser", is_flag=True, help="Open it in the browser.")
@click.option("--json", "as_json", is_flag=True, help="Print the address as one JSON object.")
def serve(
    port: int, agent: str | None, language: str | None, active: str | None, in_browser: bool, as_json: bool
) -> int:
    """Show all rooms with their cards on a page on 127.0.0.1, as they go on. Ctrl-C ends it.

    It reads, but for three buttons: start a playbook with --agent, stop a run, wake whom the workspace has named.
    """
    from debateroom import files, settings

    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UsageError("the page needs the extra `web`", hint='pip install "debateroom[web]"')
    from debateroom.doors.serving import serving

    chosen = settings.load({"active": active, "language": language})
    told = "en" if chosen.language == "auto" else chosen.language
    with serving(chosen.active.resolve(), port=port, agent=agent, language=told, folder=Path.cwd()) as served:
        output.line(files.dumps({"ok": True, "url": served.url}).decode() if as_json else served.url)
        if in_browser:
            import webbrowser

            webbrowser.open(served.url)
        served.wait()
    return 0
