"""What the vendors refuse about tools: schemas they do not take, calls without result, reasoning that was changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from vendor.call import Call

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NOT_ON_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def tool_faults(call: Call) -> Iterator[str]:
    """What is wrong with a call's tools and with the calls and results in its conversation."""
    for tool in call.body.get("tools") or []:
        inner = tool.get("function") or tool
        schema = inner.get("input_schema") or inner.get("parameters")
        if schema is None:
            continue  # one that the vendor runs itself
        if not _NAME.fullmatch(str(inner.get("name"))):
            yield f"tools: {inner.get('name')!r} is no name for a tool"
        if schema.get("type") != "object" or any(key in schema for key in _NOT_ON_TOP):
            yield f"tools: a schema must have type 'object' and none of {', '.join(_NOT_ON_TOP)} at the top level"
        if call.endpoint == "openai.responses" and inner.get("strict") is not False:
            yield "tools: strict schemas must require every property"
    read = {"anthropic.messages": _anthropic, "openai.responses": _responses, "openai.chat": _chat}.get(call.endpoint)
    if read is not None:
        yield from read(call)


def _anthropic(call: Call) -> Iterator[str]:
    waiting: set[str] = set()
    messages = call.body.get("messages") or []
    if messages and messages[0].get("role") != "user":
        yield "messages: first message must use the user role"
    for message in messages:
        blocks = message.get("content")
        blocks = [block for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []
        if not blocks and not message.get("content"):
            yield "messages: all messages must have non-empty content"
        told = {block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"}
        if told != waiting:
            yield f"messages: tool_use ids {sorted(waiting)} and tool_result ids {sorted(told)} do not match"
        waiting = {block["id"] for block in blocks if block.get("type") == "tool_use"}
        if waiting and not call.body.get("tools"):
            yield "messages: requests which include tool_use blocks must define tools"
        if any(block.get("type") == "thinking" and block.get("signature") != "c2lnbmVk" for block in blocks):
            yield "messages: thinking blocks cannot be modified"
        if waiting and any(
            block.get("type") == "tool_use" and not isinstance(block["input"], dict) for block in blocks
        ):
            yield "messages: tool_use.input: Input should be a valid dictionary"
    if waiting:
        yield "messages: tool_use ids were found without tool_result blocks immediately after"


def _responses(call: Call) -> Iterator[str]:
    said = call.body.get("input")
    items = [item for item in said if isinstance(item, Mapping)] if isinstance(said, list) else []
    yield from _unmatched(
        [item["call_id"] for item in items if item.get("type") == "function_call"],
        [item["call_id"] for item in items if item.get("type") == "function_call_output"],
    )
    for place, item in enumerate(items):
        following = items[place + 1] if place + 1 < len(items) else {}
        if item.get("type") == "reasoning":
            if not item.get("encrypted_content"):
                yield f"Item '{item.get('id')}' not found: items are not persisted when `store` is set to false."
            if following.get("type") not in ("function_call", "message", "reasoning"):
                yield f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item."


def _chat(call: Call) -> Iterator[str]:
    asked: list[Any] = []
    told: list[Any] = []
    for message in call.body.get("messages") or []:
        asked += [each["id"] for each in message.get("tool_calls") or []]
        if message.get("role") == "tool":
            told.append(message.get("tool_call_id"))
    yield from _unmatched(asked, told)


def _unmatched(asked: list[Any], told: list[Any]) -> Iterator[str]:
    if missing := [each for each in asked if each not in told]:
        yield f"No tool output found for function call {missing[0]}."
    if unasked := [each for each in told if each not in asked]:
        yield f"No tool call found for function call output with call_id {unasked[0]}."
