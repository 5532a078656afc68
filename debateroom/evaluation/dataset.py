"""Datasets of tasks: JSON objects one after the other, one a line or many, with `//` comments; or τ²-bench's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from debateroom.errors import UsageError
from debateroom.evaluation.task import Task
from debateroom.reading import strict
from debateroom.validation import first_fault

_LARGEST = 50_000_000
"""Bytes of a dataset."""
_MOST_SAID = 5
"""Faults that one error tells of."""
_TAU = "tau2:"
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*')
_BETWEEN = re.compile(r"\s*")


class Dataset(NamedTuple):
    """Tasks in the order of their file."""

    source: str
    tasks: tuple[Task, ...]


def read_dataset(source: str) -> Dataset:
    """The tasks in the file that `source` names, or `tau2:` and the path of a τ²-bench task file.

    Raises UsageError that names the file, the line and the field of what cannot be understood.
    """
    if source.startswith(_TAU):
        from debateroom.evaluation import tau

        path = Path(source.removeprefix(_TAU))
        return Dataset(source, tau.parse(read_file(path), str(path)))
    return Dataset(source, parse(read_file(Path(source)), source))


def read_file(path: Path) -> str:
    """The text of a dataset. Raises UsageError when there is none, or it is no text."""
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"the dataset {path} is over {_LARGEST:,} bytes")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"the dataset {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the dataset {path} is not UTF-8 text (byte {error.start})") from error


def parse(text: str, source: str) -> tuple[Task, ...]:
    """The tasks in a text that was read from `source`. Raises UsageError that tells of the first faults."""
    tasks: list[Task] = []
    faults: list[str] = []
    seen: dict[str, int] = {}
    for number, (line, value) in enumerate(_objects(text, source), 1):
        try:
            task = read_task({**value, "line": line})
        except UsageError as error:
            faults.append(f"{source}, line {line}: {error}")
            continue
        task = task if task.id else task.model_copy(update={"id": str(number)})
        if task.id in seen:
            faults.append(f"{source}, line {line}: id: {task.id!r} is the task of line {seen[task.id]} already")
        seen.setdefault(task.id, line)
        tasks.append(task)
    if faults:
        more = len(faults) - _MOST_SAID
        raise UsageError("\n".join(faults[:_MOST_SAID] + ([f"and {more} more"] if more > 0 else [])))
    if not tasks:
        raise UsageError(f"the dataset {source} has no task")
    return tuple(tasks)


def read_task(value: Mapping[str, Any]) -> Task:
    """The task in one object. Raises UsageError that names the field."""
    try:
        return Task.model_validate(value)
    except ValidationError as error:
        raise UsageError(first_fault(error)) from error


def _objects(text: str, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each object with the line in which it begins. Raises UsageError for what is none, with its line."""
    plain = _STRING_OR_COMMENT.sub(_without_comment, text)
    at = _after_space(plain, 0)
    line, counted = 1, 0
    while at < len(plain):
        line, counted = line + plain.count("\n", counted, at), at
        try:
            value, end = strict.DECODER.raw_decode(plain, at)
        except json.JSONDecodeError as error:
            raise UsageError(f"{source}, line {error.lineno}: it is no valid JSON: {error.msg}") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{source}, line {line}: it is no valid JSON: {error}") from error
        if not isinstance(value, dict):
            raise UsageError(f"{source}, line {line}: a task is an object")
        yield line, value
        at = _after_space(plain, end)


def _without_comment(match: re.Match[str]) -> str:
    """A string as it is; a comment as spaces, so that every character keeps its place."""
    return match[0] if match[0].startswith('"') else " " * len(match[0])


def _after_space(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at
