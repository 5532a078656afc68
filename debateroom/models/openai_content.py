"""Conversations in OpenAI's words: as items of Responses and as messages of Chat Completions, and calls read back."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from debateroom.messages import ToolCall, ToolSpec, Turn
from debateroom.models.draft import at

RESPONSES, CHAT = "openai.responses", "openai.chat"
"""Marks content that only this API gets back."""
SEALED = "reasoning.encrypted_content"
"""What must be asked for so that reasoning, which is not stored, can be sent back."""


def items(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """The turns as input items of Responses; reasoning goes back unchanged and before what followed it."""
    found: list[dict[str, Any]] = []
    for turn in turns:
        if turn.role == "assistant":
            found += _said(turn)
            continue
        found += [
            {"type": "function_call_output", "call_id": result.call_id, "output": result.content}
            for result in turn.results
        ]
        if turn.text.strip():
            found.append({"role": "user", "content": [{"type": "input_text", "text": turn.text}]})
    return found


def _said(turn: Turn) -> list[dict[str, Any]]:
    if at(turn.raw, "api") == RESPONSES:
        return list(turn.raw["content"])
    text = (
        [{"role": "assistant", "content": [{"type": "output_text", "text": turn.text}]}] if turn.text.strip() else []
    )
    return text + [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
        for call in turn.calls
    ]


def function_tools(specs: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Tools as Responses takes them. Not strict: that would make every argument required."""
    return [{"type": "function", **_function(spec), "strict": False} for spec in specs]


def chat_messages(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """The turns as messages of Chat Completions."""
    found: list[dict[str, Any]] = []
    for turn in turns:
        if turn.role == "assistant":
            found += _chat_said(turn)
            continue
        found += [
            {"role": "tool", "tool_call_id": result.call_id, "content": result.content} for result in turn.results
        ]
        if turn.text.strip():
            found.append({"role": "user", "content": turn.text})
    return found


def _chat_said(turn: Turn) -> list[dict[str, Any]]:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in turn.calls
    ]
    if at(turn.raw, "api") == CHAT:
        calls = list(turn.raw["content"])
    if calls:
        return [{"role": "assistant", "content": turn.text or None, "tool_calls": calls}]
    return [{"role": "assistant", "content": turn.text}] if turn.text.strip() else []


def chat_tools(specs: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Tools as Chat Completions takes them."""
    return [{"type": "function", "function": _function(spec)} for spec in specs]


def _function(spec: ToolSpec) -> dict[str, Any]:
    return {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}


class Items:
    """The output items of one Responses answer, each as it was when it was done."""

    def __init__(self) -> None:
        self._items: dict[int, dict[str, Any]] = {}

    def take(self, event: Any) -> None:
        """Takes what one event of the stream says of an item."""
        kind = at(event, "type")
        if kind == "response.output_item.done":
            self._put(at(event, "output_index"), at(event, "item"))
        elif kind in ("response.completed", "response.incomplete") and not self._items:
            # a server of one's own may send the whole alone
            output = at(event, "response", "output")
            for index, item in enumerate(output if isinstance(output, list) else ()):
                self._put(index, item)

    def _put(self, index: Any, item: Any) -> None:
        if isinstance(item, Mapping):
            self._items[index if type(index) is int else len(self._items)] = dict(item)

    def calls(self) -> tuple[ToolCall, ...]:
        """The tools that the answer asks for, in order."""
        return tuple(
            ToolCall(item["call_id"], item["name"], item["arguments"])
            for item in self._ordered()
            if item.get("type") == "function_call"
            and all(isinstance(item.get(key), str) for key in ("call_id", "name", "arguments"))
        )

    def raw(self) -> dict[str, Any]:
        """The items as they go back."""
        return {"api": RESPONSES, "content": self._ordered()}

    def _ordered(self) -> list[dict[str, Any]]:
        return [self._items[index] for index in sorted(self._items)]


class ChatCalls:
    """The calls of one Chat Completions answer while they arrive in pieces."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, Any]] = {}

    def take(self, said: Any) -> None:
        """Takes the calls in one delta, or in a whole message."""
        pieces = at(said, "tool_calls")
        for place, piece in enumerate(pieces if isinstance(pieces, list) else ()):
            if isinstance(piece, Mapping):
                index = piece["index"] if type(piece.get("index")) is int else place
                self._merge(self._calls.setdefault(index, {"type": "function", "function": {}}), piece)

    def _merge(self, call: dict[str, Any], piece: Mapping[str, Any]) -> None:
        """Adds a piece: arguments grow, everything else is said once. What a gateway adds of its own is kept."""
        function: dict[str, Any] = call["function"]
        told = piece.get("function")
        for key, value in (told if isinstance(told, Mapping) else {}).items():
            if key == "arguments" and isinstance(value, str):
                function[key] = function.get(key, "") + value
            elif value:
                function[key] = value
        call |= {key: value for key, value in piece.items() if key not in ("index", "function") and value}

    def calls(self) -> tuple[ToolCall, ...]:
        """The tools that the answer asks for, in order; one without a name is none."""
        return tuple(
            ToolCall(call["id"], call["function"]["name"], call["function"].get("arguments", ""))
            for call in self._complete()
        )

    def raw(self) -> dict[str, Any]:
        """The calls as they go back."""
        return {"api": CHAT, "content": self._complete()}

    def _complete(self) -> list[dict[str, Any]]:
        found = []
        for index in sorted(self._calls):
            call = self._calls[index]
            if isinstance(call["function"].get("name"), str):
                # servers of one's own leave the id out, and the result needs one
                call.setdefault("id", f"call_{uuid.uuid4().hex[:12]}")
                call["function"].setdefault("arguments", "{}")
                found.append(call)
        return found
