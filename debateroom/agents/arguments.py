"""The arguments of a tool call: JSON text of a model, turned into values that fit the tool's JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from debateroom.agents.wording import say
from debateroom.reading import strict

_MOST_TEXT = 1_000_000
_MOST_FAULTS = 3
_MOST_REASON = 300
_PATIENCE = 0.5
"""Seconds for one pattern on one text: patterns come from servers, and texts from models."""
_NAMED = ("properties", "$defs", "definitions", "dependentSchemas")
"""Keys of a schema below which names stand, and not keys of a schema."""
_BY_PATTERN = ("patternProperties", "additionalProperties", "unevaluatedProperties")


class BadArguments(Exception):
    """Arguments that cannot be used; the message is for the model that wrote them."""


def check_schema(schema: Mapping[str, Any]) -> str | None:
    """What is wrong with a JSON Schema for arguments; None when it can be used."""
    from jsonschema import Draft202012Validator, SchemaError

    if schema.get("type") != "object":
        return "the arguments of a tool are an object: `type` must be `object`"
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"this is no JSON Schema: {error.message[:_MOST_REASON]}"
    except RecursionError:
        return "this is no JSON Schema that can be followed: it is nested too deeply"
    return None


def read_arguments(text: str, language: str) -> dict[str, Any]:
    """The object in `text`; nothing at all is an empty one. Raises BadArguments."""
    if not text.strip():
        return {}
    try:
        value = strict.loads(text[:_MOST_TEXT])
    except strict.KeyTwice as twice:
        raise BadArguments(say(language, "arguments_key_twice", key=twice.key[:80])) from None
    except (ValueError, RecursionError) as error:
        raise BadArguments(say(language, "arguments_not_json", reason=str(error)[:_MOST_REASON])) from None
    if not isinstance(value, dict):
        raise BadArguments(say(language, "arguments_no_object"))
    return value


def renamed(value: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, Any]:
    """`value` with older names replaced, where the newer one is not there as well."""
    return {
        aliases[name] if name in aliases and aliases[name] not in value else name: each
        for name, each in value.items()
    }


def check_arguments(value: Mapping[str, Any], schema: Mapping[str, Any], language: str) -> None:
    """Nothing when `value` fits `schema`. Raises BadArguments with the first faults and where each is."""
    faults = schema_faults(value, schema)
    if faults:
        raise BadArguments(say(language, "arguments_do_not_fit", faults="; ".join(faults)))


def schema_faults(value: Any, schema: Mapping[str, Any], *, quoting: bool = True) -> list[str]:
    """Where `value` does not fit `schema`, at most three sentences; empty when it fits.

    Without `quoting` nothing of the value itself is in them: the place, and the rule that is broken.
    """
    import regex
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        # with a registry of its own a `$ref` to the web is an error and not a request
        validator = _validator()(_without_names_by_pattern(schema), registry=Registry())
        errors = sorted(validator.iter_errors(value), key=lambda error: error.json_path)
    except (Unresolvable, RecursionError, regex.error) as error:  # patterns are those of another language at times
        return [f"the schema cannot be followed: {error}"[:_MOST_REASON]]
    rules = [error.message if quoting else f"{error.validator} {error.validator_value}" for error in errors]
    return [
        f"{error.json_path}: {rule}"[:_MOST_REASON] for error, rule in zip(errors[:_MOST_FAULTS], rules, strict=False)
    ]


@cache
def _validator() -> Any:
    """The validator of JSON Schema with patterns that give up in time."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    return extend(Draft202012Validator, {"pattern": _pattern})


def _pattern(validator: Any, pattern: str, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    import regex
    from jsonschema import ValidationError

    if not isinstance(value, str):
        return
    try:
        if not regex.search(pattern, value, timeout=_PATIENCE, concurrent=True):
            yield ValidationError(f"{value!r} does not match {pattern!r}")
    except TimeoutError:
        yield ValidationError(f"it takes too long to find out whether it matches {pattern!r}")


def _without_names_by_pattern(schema: Any, *, named: bool = False) -> Any:
    """The schema without rules that choose names by a pattern, which nothing could stop: they are left to the tool.

    `named` is for what has names of properties or definitions as its keys.
    """
    if isinstance(schema, list):
        return [_without_names_by_pattern(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    left_out = _BY_PATTERN if not named and "patternProperties" in schema else ()
    return {
        key: _without_names_by_pattern(value, named=not named and key in _NAMED)
        for key, value in schema.items()
        if key not in left_out
    }
