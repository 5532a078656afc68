"""An answer's steps as events, and back: what a journal says was asked for and run before the answer broke off."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from debateroom import files
from debateroom.agents.agent import ToolRecord
from debateroom.agents.loop import Taped
from debateroom.messages import Answer, ToolCall, Usage

_RECORD = ("name", "arguments", "result", "ok", "seconds")


def asked(agent: str, answer: Answer) -> dict[str, Any]:
    """The fields of a `tools_asked` event for an `answer` that asks for tools; what it cost is not in it."""
    return {
        "agent": agent,
        "text": answer.text,
        "asked": [asdict(call) for call in answer.calls],
        "raw": answer.raw if files.writable(answer.raw) else None,
        "model": answer.model,
        "seconds": round(answer.seconds, 3),
    }


def taped(asked: Mapping[str, Any], ran: Mapping[str, Mapping[str, Any]], begun: Collection[str] = ()) -> Taped:
    """The step that a `tools_asked` event tells, with the `tool_answered` events of its calls by the call's id.

    `begun` are the ids of calls that must not be made again though nothing says what came of them.
    """
    calls = tuple(ToolCall(**call) for call in asked["asked"])
    used = Usage(**asked["usage"]) if asked.get("usage") else Usage()
    answer = Answer(asked["text"], used, "tools", asked["model"], asked["seconds"], calls=calls, raw=asked["raw"])
    records = {key: ToolRecord(**{name: each[name] for name in _RECORD}) for key, each in ran.items()}
    return Taped(answer, records, frozenset(begun))
