"""Conversations in Anthropic's words: turns as messages, tools, and the blocks of a streamed answer put together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from debateroom import tokens
from debateroom.messages import Request, ToolCall, ToolSpec, Turn
from debateroom.models.draft import at

API = "anthropic.messages"
"""Marks content that only this API gets back."""
_MARK = {"type": "ephemeral"}


def messages(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """The turns as messages. A turn that says nothing is left out: the API refuses empty ones."""
    found = []
    for turn in turns:
        content = _assistant(turn) if turn.role == "assistant" else _user(turn)
        if content:
            found.append({"role": "assistant" if turn.role == "assistant" else "user", "content": content})
    return found


def _user(turn: Turn) -> list[dict[str, Any]]:
    results = [
        {
            "type": "tool_result",
            "tool_use_id": result.call_id,
            "content": result.content,
            **({"is_error": True} if result.is_error else {}),
        }
        for result in turn.results
    ]
    return [*results, *_text(turn.text)]


def _assistant(turn: Turn) -> list[dict[str, Any]]:
    if at(turn.raw, "api") == API:
        return list(turn.raw["content"])
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _object(call.arguments)}
        for call in turn.calls
    ]
    return [*_text(turn.text), *calls]


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _object(text: str) -> dict[str, Any]:
    """Arguments as the object that the API wants; empty for what is none, of which the model has been told."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def tools(specs: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Tools as the API takes them."""
    return [
        {"name": spec.name, "description": spec.description, "input_schema": dict(spec.parameters)} for spec in specs
    ]


def mark_conversation(body: dict[str, Any], request: Request, minimum: int) -> None:
    """Marks the end of the conversation for the cache, when it is long enough: the next turn begins with it."""
    if not request.turns or minimum <= 0 or not body["messages"]:
        return
    texts = [*request.texts, json.dumps(body.get("tools", ""), ensure_ascii=False)]
    last = body["messages"][-1]
    if last["role"] == "user" and sum(map(tokens.estimate, texts)) >= minimum:
        last["content"][-1] = {**last["content"][-1], "cache_control": _MARK}


class Blocks:
    """The blocks of one answer while they arrive, thinking and its signature included."""

    def __init__(self) -> None:
        self._blocks: dict[Any, dict[str, Any]] = {}
        self._inputs: dict[Any, list[str]] = {}

    def take(self, event: Any) -> None:
        """Takes what one event of the stream says of a block."""
        kind, index = at(event, "type"), at(event, "index")
        if kind == "content_block_start" and isinstance(at(event, "content_block"), Mapping):
            self._blocks[index] = dict(event["content_block"])
            self._inputs[index] = []
        elif kind == "content_block_delta" and index in self._blocks:
            self._add(index, at(event, "delta"))

    def _add(self, index: Any, delta: Any) -> None:
        block, kind = self._blocks[index], at(delta, "type")
        for name, key in (("text_delta", "text"), ("thinking_delta", "thinking"), ("signature_delta", "signature")):
            if kind == name and isinstance(at(delta, key), str):
                block[key] = f"{block.get(key) or ''}{delta[key]}"
        if kind == "input_json_delta" and isinstance(at(delta, "partial_json"), str):
            self._inputs[index].append(delta["partial_json"])

    def calls(self) -> tuple[ToolCall, ...]:
        """The tools that the answer asks for, in order."""
        return tuple(
            ToolCall(block["id"], block["name"], self._arguments(index))
            for index, block in self._blocks.items()
            if block.get("type") == "tool_use" and all(isinstance(block.get(key), str) for key in ("id", "name"))
        )

    def raw(self) -> dict[str, Any]:
        """The content as it goes back: unchanged, but for empty texts, which the API refuses."""
        content = []
        for index, block in self._blocks.items():
            if block.get("type") == "tool_use":
                content.append({**block, "input": _object(self._arguments(index))})
            elif block.get("type") != "text" or str(block.get("text") or "").strip():
                content.append(block)
        return {"api": API, "content": content}

    def _arguments(self, index: Any) -> str:
        """The arguments as text: the pieces, else what stood there from the beginning."""
        written = "".join(self._inputs[index])
        return written or json.dumps(self._blocks[index].get("input") or {}, ensure_ascii=False)
