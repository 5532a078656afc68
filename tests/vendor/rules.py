"""What the vendors refuse with 400: a call that would fail on the real endpoint fails here with the same sense."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from vendor.call import Call
from vendor.tool_rules import tool_faults

MARKS = 4
"""Cache marks one Anthropic call may carry."""
OPEN_SAMPLING = (5, 0)
"""OpenAI families from here on refuse sampling settings and the old name of the limit."""


class Refusal(NamedTuple):
    kind: str
    message: str


def refusal(call: Call) -> Refusal | None:
    """Why the vendor would not take this call; None when it would. Unknown models on Chat Completions take all."""
    check = _anthropic if call.endpoint == "anthropic.messages" else _openai
    wrong = next(tool_faults(call), None)
    return Refusal("invalid_request_error", wrong) if wrong else next(check(call), None)


def _anthropic(call: Call) -> Iterator[Refusal]:
    def wrong(message: str) -> Refusal:
        return Refusal("invalid_request_error", message)

    if "anthropic-version" not in call.headers:
        yield wrong("anthropic-version: header is required")
    if call.limit is None:
        yield wrong("max_tokens: Field required")
    if not call.body.get("messages"):
        yield wrong("messages: at least one message is required")
    if any(not text.strip() for text in call.prompt):
        yield wrong("messages: text content blocks must be non-empty")
    if len(call.marks) > MARKS:
        yield wrong(f"A maximum of {MARKS} blocks with cache_control may be provided. Found {len(call.marks)}.")
    for shape in _objects(call.schema):
        if shape.get("additionalProperties") is not False:
            yield wrong("output_config.format.schema: For 'object' type, 'additionalProperties' must be set to false")


def _openai(call: Call) -> Iterator[Refusal]:
    family = openai_family(call.model)
    if not call.model:
        yield Refusal("missing_required_parameter", "you must provide a model parameter")
    if family is None:
        return
    unsupported = ["temperature", "top_p", "max_tokens"] if family >= OPEN_SAMPLING else []
    unsupported += ["prompt_cache_options"] if family < (5, 6) else []
    for name in unsupported:
        if call.body.get(name) is not None:
            yield Refusal(
                "unsupported_parameter", f"Unsupported parameter: '{name}' is not supported with this model."
            )
    for shape in _objects(call.schema):
        if shape.get("additionalProperties") is not False:
            yield Refusal("invalid_json_schema", "Invalid schema: 'additionalProperties' is required to be false.")
        if set(shape.get("required") or ()) != set(shape.get("properties") or ()):
            yield Refusal("invalid_json_schema", "Invalid schema: 'required' must include every key in properties.")


def openai_family(model: str) -> tuple[int, int] | None:
    """The numbers of a `gpt-` model's family; None for anything else."""
    version = re.match(r"gpt-(\d+)(?:\.(\d+))?", model)
    return (int(version[1]), int(version[2] or 0)) if version else None


def _objects(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Every object shape inside a schema, itself first."""
    if isinstance(schema, Mapping):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from _objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _objects(value)
