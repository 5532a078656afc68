"""What a Python function says about itself: its signature as JSON Schema, its docstring as texts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

SESSION = "session"
"""A parameter of this name gets the conversation's session; the model is not told of it."""
_GOOGLE = re.compile(r"^(?:Args|Arguments|Parameters|Params)\s*:\s*$", re.MULTILINE)
_GOOGLE_ENTRY = re.compile(r"^(\s+)\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_SPHINX = re.compile(r"^\s*:param\s+(?:[\w\[\]., |]+\s)?(\w+)\s*:\s*(.*)$", re.MULTILINE)
_OTHER_PART = re.compile(
    r"^(?:Returns?|Raises?|Yields?|Examples?|Notes?)\s*:|^\s*:(?:returns?|raises?|rtype)\b", re.MULTILINE
)


class NotDescribable(Exception):
    """A function whose parameters no JSON Schema can describe; the message says which."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A function as a tool."""

    description: str
    """Its docstring up to the part on arguments; empty without one."""
    parameters: Mapping[str, Any]
    """JSON Schema of its arguments."""
    model: type[BaseModel]
    """Turns JSON values into what the function's annotations ask for."""
    wants_session: bool


def describe(function: Callable[..., Any]) -> Signature:
    """What `function` says about itself. Raises NotDescribable."""
    from pydantic import ConfigDict, Field, create_model
    from pydantic.errors import PydanticUserError

    hints = _hints(function)
    description, notes = _read_docstring(inspect.getdoc(function) or "")
    fields: dict[str, Any] = {}
    wants_session = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise NotDescribable(f"its parameter {parameter} has no name that a model could give a value to")
        if parameter.name == SESSION:
            wants_session = True
            continue
        default = ... if parameter.default is parameter.empty else parameter.default
        note: dict[str, Any] = {"description": notes[parameter.name]} if parameter.name in notes else {}
        kind = hints.get(parameter.name, Any)
        # the alias lets a parameter be called anything, also what pydantic keeps for itself
        fields[f"p_{parameter.name}"] = (kind, Field(default, alias=parameter.name, **note))
    try:
        model = create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields)
        schema = _without_titles(model.model_json_schema(by_alias=True))
    except (PydanticUserError, TypeError, NameError) as error:
        raise NotDescribable(f"its parameters cannot be described: {str(error).splitlines()[0]}") from error
    schema.setdefault("properties", {})
    return Signature(description, schema, model, wants_session)


def values(signature: Signature, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments for the function. Raises pydantic's ValidationError for what its annotations do not take."""
    given = signature.model.model_validate(dict(arguments))
    return {name.removeprefix("p_"): getattr(given, name) for name in given.model_fields_set}


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    from typing import get_type_hints

    target = function if inspect.isroutine(function) else type(function).__call__
    try:
        return get_type_hints(target, include_extras=True)
    except (NameError, TypeError) as error:
        raise NotDescribable(f"its annotations cannot be read: {error}") from error


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without the titles that pydantic makes out of names; a property called `title` stays."""
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            copy[key] = {name: _without_titles(part) for name, part in value.items()}
        elif isinstance(value, dict) and key not in ("default", "examples"):
            copy[key] = _without_titles(value)
        elif isinstance(value, list) and key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            copy[key] = [_without_titles(part) for part in value]
        elif key != "title":
            copy[key] = value
    return copy


def _read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """The description, and what is said about each parameter, as Google's and Sphinx's styles write it."""
    notes = {match[1]: match[2].strip() for match in _SPHINX.finditer(text)}
    ends = [match.start() for match in (_SPHINX.search(text), _OTHER_PART.search(text)) if match]
    section = _GOOGLE.search(text)
    if section:
        ends.append(section.start())
        notes |= _google_notes(text[section.end() :])
    return text[: min(ends, default=len(text))].strip(), notes


def _google_notes(text: str) -> dict[str, str]:
    notes: dict[str, str] = {}
    name, indent = "", 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        if not line[0].isspace():
            break
        deep = len(line) - len(line.lstrip())
        entry = _GOOGLE_ENTRY.match(line)
        if entry and (not name or deep <= indent):
            name, indent = entry[2], deep
            notes[name] = entry[3].strip()
        elif name:
            notes[name] = f"{notes[name]} {line.strip()}".strip()
    return notes
