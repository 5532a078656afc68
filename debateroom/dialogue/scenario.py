"""A scenario file: the brief of a simulated person and its judge. YAML or JSON; the old names are read too."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pydantic
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator, model_validator

from debateroom.agents.fields import Field, parse_fields
from debateroom.agents.references import NoSuchCallable, find_callable, next_step
from debateroom.dialogue import tool_names
from debateroom.errors import UsageError
from debateroom.matching.calls import ExpectedCall
from debateroom.reading import strict
from debateroom.validation import fault_of, first_fault

_OLD = {"testPersona": "persona", "testGoals": "goals", "testResult": "result", "expectedTools": "expected_tools",
        "query": "opening"}  # fmt: skip
_MODULE_FUNCTION = re.compile(r"python:[\w.]+:[\w.]+")
LARGEST = 1_000_000
"""Bytes a scenario or a brief may have."""


class Scenario(BaseModel):
    """What a simulation is about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    goals: str = pydantic.Field(min_length=1)
    """What the agent must reach: the simulator's brief."""
    persona: str = "patient"
    """The person: `patient`, `hurried`, `angry`, or a text."""
    result: str = ""
    """More criteria of the silent judge."""
    opening: str = ""
    """The user's first question; the simulator writes one when there is none."""
    equivalences: dict[str, tuple[str, ...]] = {}
    """Business names that mean tools, beside the shipped ones: `{CRM: [lookupCustomer*]}`."""
    expected_tools: tuple[ExpectedCall, ...] = ()
    """Tool calls that must, or must not, happen."""
    instructions: str = ""
    """Appended to the simulator's prompt."""
    before: str = ""
    """`python:module:function`, called with the session's id before the first turn."""

    @model_validator(mode="before")
    @classmethod
    def _old_names(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        twice = [old for old, new in _OLD.items() if old in value and new in value]
        if twice:
            raise ValueError(f"`{twice[0]}` and `{_OLD[twice[0]]}` say the same thing twice")
        return {_OLD.get(str(key), str(key)): item for key, item in value.items()}

    @field_validator("goals", "persona", "result", "opening", "instructions", mode="before")
    @classmethod
    def _lines(cls, value: Any) -> Any:
        """A list of texts is a text with one item a line."""
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return "\n".join(f"- {item}" for item in value)
        return value.strip() if isinstance(value, str) else "" if value is None else value

    @field_validator("expected_tools", mode="before")
    @classmethod
    def _short_tools(cls, value: Any) -> Any:
        """Names alone are calls that must happen; `{name: {…}}` is the older form."""
        if isinstance(value, Mapping):
            value = [{"tool": name, **(about if isinstance(about, Mapping) else {})} for name, about in value.items()]
        return (
            [{"tool": item} if isinstance(item, str) else item for item in value]
            if isinstance(value, list)
            else value
        )

    @field_validator("before")
    @classmethod
    def _callable(cls, value: str) -> str:
        if value and not _MODULE_FUNCTION.fullmatch(value):
            raise ValueError("it is written python:module:function")
        return value

    @property
    def all_equivalences(self) -> tool_names.Equivalences:
        """The shipped ones and the scenario's own."""
        return {**tool_names.SHIPPED, **self.equivalences}


def read(path: Path) -> Scenario:
    """The scenario in `path`. Raises UsageError that names file, line and field."""
    text = read_text(path, "scenario")
    if path.suffix.lower() == ".json":
        value, fields = _json(text, path), _fields_of_json(text, path)
    else:
        fields = parse_fields(text, path)
        value = fields.plain()
    scenario = parse(value, str(path), fields)
    if scenario.before:
        _check_before(scenario.before.removeprefix("python:"), path.resolve().parent, _place(fields, ("before",)))
    return scenario


def _check_before(reference: str, folder: Path, field: Field) -> None:
    """Raises UsageError when what is to be called before the first turn is not there: nothing is paid yet."""
    try:
        find_callable(reference, folder)
    except NoSuchCallable as error:
        field.fail(str(error), hint=next_step(reference, folder))


def parse(value: Any, source: str, fields: Field | None = None) -> Scenario:
    """The scenario in a value that was read from `source`, where it stands in `fields`. Raises UsageError."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{source} holds no scenario: it needs goals, and may have persona and result")
    try:
        return Scenario.model_validate(value)
    except ValidationError as error:
        if fields is not None:
            field, message = fault_of(error)
            _place(fields, field).fail(message)
        raise UsageError(f"{source}: {first_fault(error)}") from error


def _place(fields: Field, loc: Sequence[int | str]) -> Field:
    """Where `loc` stands, under the name that the file gives it; of what is missing, where it should stand."""
    at = fields
    for place, step in enumerate(loc):
        below: Mapping[Any, Field] = at.value if isinstance(at.value, dict) else {}
        items = at.items() if isinstance(at.value, list) else list(below.values())
        names = [step, *(old for old, new in _OLD.items() if new == step and place == 0)]
        found = next((below[name] for name in names if name in below), None)
        if found is None and isinstance(step, int) and step < len(items):
            found = items[step]
        if found is None:
            rest = ".".join(filter(None, (at.name, *map(str, loc[place:]))))
            return replace(at, name=rest)
        at = found
    return at


def read_text(path: Path, what: str) -> str:
    """The text in `path`. Raises UsageError when it is missing, too large or not UTF-8."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"the {what} {path} cannot be read: {error.strerror or error}") from error
    if len(data) > LARGEST:
        raise UsageError(f"the {what} {path} is over {LARGEST:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the {what} {path} is not UTF-8 text (byte {error.start})") from error


def _json(text: str, path: Path) -> Any:
    try:
        return strict.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}, line {error.lineno}: it is no valid JSON") from error
    except strict.KeyTwice as twice:
        _fields_of_json(text, path)  # says on which line
        raise UsageError(f"{path}: {twice}") from twice
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: it is no valid JSON: {error}") from error


def _fields_of_json(text: str, path: Path) -> Field:
    """Where everything stands in JSON, which is YAML but for tabs. What it holds is read by `_json`."""
    return parse_fields(text.replace("\t", " "), path)
