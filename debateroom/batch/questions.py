"""The file of questions: one a line, a JSON string or an object with settings of its debate."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from debateroom.errors import UsageError
from debateroom.room.room import folder_of
from debateroom.settings import Settings

_HINT = 'each line is "a question?" or {"question": "…", "id": "…", "agents": 5}'
_NOT_HERE = {
    "room", "active", "concurrency", "prices", "url", "web_ports", "anthropic_base_url", "openai_base_url", "tools",
    "poll",
}  # fmt: skip
"""Settings that are the batch's, or that only the person who starts it may say: the file may be another's."""
_ADDED = ("context", "note")
"""Settings of a line that come to those of the whole batch; all others stand in their place."""
_FILES = ("summary.jsonl", "index.html", "provider_batches.jsonl")
"""What lies beside the rooms."""


class Question(NamedTuple):
    """One line of the file."""

    id: str
    """The name of its room."""
    text: str
    given: Mapping[str, Any]
    """Settings of this debate alone."""
    where: str
    """File and line, for errors."""


def read(path: str) -> list[Question]:
    """The questions in the file at `path`, `-` is standard input. Raises UsageError that names file and line."""
    found: list[Question] = []
    lines: dict[str, str] = {}
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        question = _question(line, len(found) + 1, where)
        name = question.id.casefold()  # file systems may not tell large letters from small ones
        if name in lines:
            raise UsageError(f"{where}: the id {question.id!r} is taken by {lines[name]}", hint="give another id")
        lines[name] = where
        found.append(question)
    if not found:
        raise UsageError(f"{path} has no question", hint=_HINT)
    return found


def _text(path: str) -> str:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path} cannot be read: {reason}", hint=_HINT) from error


def _question(line: str, position: int, where: str) -> Question:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{where}: this is no JSON: {error}", hint=_HINT) from error
    given = {"question": value} if isinstance(value, str) else value
    if not isinstance(given, dict):
        raise UsageError(f"{where}: neither a text nor an object", hint=_HINT)
    text, name = given.pop("question", None), given.pop("id", f"{position:03}")
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{where}: there is no `question`", hint=_HINT)
    return Question(_id(name, where), text, _settings(given, where), where)


def _id(value: object, where: str) -> str:
    """The id as the name of a folder. Raises UsageError for what is none."""
    name = value if isinstance(value, str) else str(value) if type(value) is int else ""
    hint = "an id names a folder: use letters, digits and dashes"
    if not name or not name.isprintable() or name != name.strip(" .") or name.casefold() in _FILES:
        raise UsageError(f"{where}: the id {value!r} is no name for a room", hint=hint)
    try:
        folder_of(Path(), name)
    except UsageError as error:
        raise UsageError(f"{where}: the id {error}", hint=hint) from error
    return name


def _settings(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    for name in given:
        if name not in Settings.model_fields:
            raise UsageError(f"{where}: there is no setting `{name}`", hint="debateroom batch --help")
        if name in _NOT_HERE:
            raise UsageError(f"{where}: a line cannot set `{name}`", hint="set it for the whole batch")
    found = {name: value for name, value in given.items() if value is not None}
    for name in ("context", "note", "role", "vendor"):
        if isinstance(found.get(name), str):
            found[name] = [found[name]]
    if "-" in found.get("context", ()):
        raise UsageError(f"{where}: a line cannot read standard input", hint="--context - gives it to all debates")
    return found


def together(batch: Mapping[str, Any], question: Question) -> dict[str, Any]:
    """What was given for the whole batch, with the line's own over it; context and notes are added."""
    own = dict(question.given)
    for name in _ADDED:
        if name in own and isinstance(own[name], list):
            own[name] = [*(batch.get(name) or ()), *own[name]]
    return {**batch, **own}
