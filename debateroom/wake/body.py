"""What a wake-up call says: the event, the project, the run that failed, and a sentence for whoever is woken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debateroom import files
from debateroom.errors import UsageError
from debateroom.language import say
from debateroom.messages import Transcript
from debateroom.models.quote import scrub
from debateroom.room.room import read
from debateroom.room.summary import look
from debateroom.terminal import one_line, printable

LONGEST = 2_000
"""Characters of a message, and of an error."""
_TITLE = 160
_FILE = 65_536
"""Bytes of a file about a deployment."""


@dataclass(frozen=True, slots=True)
class Call:
    """What is said, still without the project and the names that a hook gives its events."""

    event: str
    """`run_failed`, `deploy_failed`, `wake` or `test`."""
    message: str
    run: Mapping[str, Any] | None = None
    of_project: bool = True
    """Whether the project is named; a test names none."""

    def body(self, prefix: str, project: Mapping[str, Any]) -> bytes:
        """The JSON text that is sent."""
        value = {
            "event": f"{prefix}.{self.event}",
            "project": dict(project) if self.of_project else None,
            "run": dict(self.run) if self.run else None,
            "message": _cut(self.message),
        }
        return files.dumps(value)


def of_test(language: str) -> Call:
    """A call that only tries whether somebody wakes."""
    return Call("test", say(language, "wake_test"), of_project=False)


def plain(message: str) -> Call:
    """A call about no run."""
    return Call("wake", message)


def of_room(folder: Path, message: str = "", *, error: str | None = None) -> Call:
    """A call about the room in `folder`: a failed run, or one that did not fail, of which only the message tells.

    `error` is what has just gone wrong in it: its journal may not say so yet. Raises UsageError when it is no room.
    """
    value, transcript = look(folder), read(folder).transcript
    status = "failed" if error is not None else str(value["status"])
    reason = error or value["error"]
    failed = status == "failed" or (status == "interrupted" and value["exit_code"] == 1)
    title = _title(transcript)
    told = message or _about(transcript.language, title, status, reason or value["summary"] or "")
    if not failed:
        return Call("wake", told)
    run = {
        "type": "agent_run",
        "uuid": transcript.uuid,
        "status": status,
        "title": title,
        "error": _cut(reason) if reason else None,
        "summary": None,
    }
    return Call("run_failed", told, run)


def of_deployment(path: Path, language: str, message: str = "") -> Call:
    """A call about the failed deployment that the JSON file at `path` describes. Raises UsageError."""
    given = _deployment(path)
    title, status = str(given["title"]), str(given["status"])
    told = message or _about(language, one_line(title, _TITLE), one_line(status, 40), given["error"] or "")
    return Call("deploy_failed", told, {"type": "deployment", **given})


def _title(transcript: Transcript) -> str:
    if transcript.kind == "playbook":  # its title has that form already
        return one_line(transcript.problem, _TITLE)
    return one_line(f"/{transcript.kind} · {transcript.problem}", _TITLE)


def _about(language: str, title: str, status: str, why: str) -> str:
    try:
        shown = say(language, f"status_{status}")
    except KeyError:
        shown = status
    if not why:
        return say(language, "wake_about", title=title, status=shown)
    return say(language, "wake_about_why", title=title, status=shown, why=one_line(why, LONGEST))


def _deployment(path: Path) -> dict[str, str | None]:
    """Its `uuid, status, title, error`, as text; nothing else of the file."""
    try:
        with path.open("rb") as file:
            data = file.read(_FILE + 1)
        value = json.loads(data) if len(data) <= _FILE else None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise UsageError(f"{path} is no small JSON object", hint='{"uuid": …, "status": …, "title": …, "error": …}')
    for name in ("uuid", "status", "title"):
        if not isinstance(value.get(name), str) or not value[name].strip():
            raise UsageError(f"{path} does not say `{name}` as text")
    if not isinstance(value.get("error"), str | None):
        raise UsageError(f"{path} does not say `error` as text")
    return {name: _cut(value[name]) if value.get(name) else None for name in ("uuid", "status", "title", "error")}


def _cut(text: str) -> str:
    """`text` without keys and control characters, at most as long as a message may be."""
    shown = scrub(printable(text)).strip()
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
