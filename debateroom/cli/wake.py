"""`debateroom wake`: whom a failed run wakes, a test of it, and a call by hand. URL and key are never shown again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from debateroom.cli import output, place
from debateroom.errors import UsageError

if TYPE_CHECKING:
    from debateroom.settings import Settings
    from debateroom.wake.body import Call
    from debateroom.wake.workspace import Workspace

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
_active = click.option("--active", metavar="DIR", help="Folder of the rooms; the workspace is the one that holds it.")
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


@click.group("wake", invoke_without_command=True, context_settings=_HELP)
@_active
@click.pass_context
def wake(context: click.Context, active: str | None) -> int:
    """Say whom this workspace wakes when a run fails. Each workspace has its own webhook.

    Results: accepted (HTTP 2xx), key refused, redirect refused, other status, timed out, unreachable, blocked, too
    soon. Exit code 0 means accepted, else 1.
    """
    if context.invoked_subcommand:
        return 0
    from debateroom.wake import hook

    chosen, workspace = _here(active)
    known = hook.required(workspace)
    output.tell(_say(chosen, "wake_state", to=known.shown, prefix=known.prefix))
    return 0


@wake.command("set", context_settings=_HELP)
@click.option("--url", metavar="URL", help="The webhook's https address; - reads it from standard input.")
@click.option("--key", metavar="-", help="Only -: the key is asked for, or read from standard input. Never a flag.")
@click.option("--event-prefix", metavar="NAME", help="What names of events begin with.  [default: debateroom]")
@_active
def set_(url: str | None, key: str | None, event_prefix: str | None, active: str | None) -> int:
    """Store the webhook of this workspace, encrypted. With --event-prefix alone, change that."""
    from debateroom.wake import hook

    chosen, workspace = _here(active)
    if (url is None) != (key is None) or (url is None and event_prefix is None):
        raise UsageError("a webhook is a URL and a key", hint=hook.SET)
    if url is None or key is None:
        before = hook.required(workspace)
        given = (before.url, before.key, event_prefix or before.prefix)
    elif key != "-":
        raise UsageError("a key is no flag: it would stand in your shell's history", hint=hook.SET)
    else:
        read = _lines("URL") if url == "-" else iter((url,))
        given = (next(read).strip(), next(_lines("key")).strip(), event_prefix or hook.PREFIX)
    made = hook.checked(*given, ports=chosen.web_ports)
    hook.keep(workspace, made)
    output.tell(_say(chosen, "wake_set", to=made.shown))
    return 0


@wake.command("test", context_settings=_HELP)
@_active
@_json
def test(active: str | None, as_json: bool) -> int:
    """Wake with the event `test`, which is about no run and no project."""
    from debateroom.wake import body

    chosen, workspace = _here(active)
    return _deliver(chosen, workspace, body.of_test(_language(chosen)), as_json=as_json)


@wake.command("send", context_settings=_HELP)
@click.argument("room", required=False)
@click.option("-m", "--message", metavar="TEXT", help="What to say.  [default: the run and its error]")
@click.option("--deployment", metavar="FILE.json", help="A deployment that failed: uuid, status, title, error.")
@_active
@_json
def send(room: str | None, message: str | None, deployment: str | None, active: str | None, as_json: bool) -> int:
    """Wake because of ROOM (a name below active/, or a folder), of a deployment, or for no run at all.

    A failed ROOM is the event `run_failed`, a deployment `deploy_failed`, all else `wake`.
    """
    from debateroom.wake import body, workspace

    if room and deployment:
        raise UsageError("a call is about a room or about a deployment, not both")
    chosen, here = _here(active)
    if room:
        folder = place.folder(room, active)
        call, here = body.of_room(folder, message or ""), workspace.of_room(folder)
    elif deployment:
        call = body.of_deployment(Path(deployment), _language(chosen), message or "")
    else:
        call = body.plain(message or _say(chosen, "wake_plain"))
    return _deliver(chosen, here, call, as_json=as_json)


@wake.command("remove", context_settings=_HELP)
@_active
def remove(active: str | None) -> int:
    """Forget the webhook of this workspace."""
    from debateroom.wake import hook

    chosen, workspace = _here(active)
    hook.forget(workspace)
    output.tell(_say(chosen, "wake_removed"))
    return 0


def _here(active: str | None) -> tuple[Settings, Workspace]:
    from debateroom import settings
    from debateroom.wake import workspace

    chosen = settings.load({"active": active})
    return chosen, workspace.of_active(chosen.active)


def _deliver(chosen: Settings, workspace: Workspace, call: Call, *, as_json: bool) -> int:
    """Makes the call and says what came of it; the exit code."""
    from debateroom import files
    from debateroom.wake import delivery, hook

    made = delivery.deliver(workspace, hook.required(workspace), call, url=chosen.url, ports=chosen.web_ports)
    if as_json:
        value = {"ok": made.exit_code == 0, "exit_code": made.exit_code, **made.figures()}
        output.line(files.dumps(value).decode())
    else:
        (output.tell if made.exit_code == 0 else output.note)(made.said(_language(chosen)))
    return made.exit_code


def _lines(what: str) -> Iterator[str]:
    """Lines that a person types unseen, or that standard input holds."""
    while True:
        if sys.stdin is None:
            raise UsageError(f"the {what} is read from standard input, which is closed")
        if sys.stdin.isatty():
            yield str(click.prompt(f"{what} of the webhook", hide_input=True, err=True))
        else:
            yield sys.stdin.readline()


def _language(chosen: Settings) -> str:
    return "en" if chosen.language == "auto" else chosen.language


def _say(chosen: Settings, key: str, **figures: str) -> str:
    from debateroom.language import say

    return say(_language(chosen), key, **figures)
