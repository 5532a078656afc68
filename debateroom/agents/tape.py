"""An answer's steps as events, and back: what a journal says was asked for and run before the answer broke off."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from debateroom import files
from debateroom.agents.agent import ToolRecord
from debateroom.agents.conversation import Equipped, Ran, Taped
from debateroom.messages import Answer, ToolCall, Usage

_RECORD = ("name", "arguments", "result", "ok", "seconds")


class Noted(Protocol):
    """A step as a journal has it."""

    @property
    def asked(self) -> Mapping[str, Any]:
        """The `tools_asked` event."""

    @property
    def ran(self) -> Mapping[str, Mapping[str, Any]]:
        """The `tool_answered` event of each call, by its id."""

    @property
    def begun(self) -> Collection[str]:
        """Ids of the calls that were made, ended or not."""

    @property
    def below(self) -> Mapping[str, Sequence[Any]]:
        """Such steps of the sub-agent that a call asked, by the call's id."""


def told(equipped: Equipped, answer: Answer) -> dict[str, Any]:
    """The `tools_asked` event of an `answer` that asks for tools, with `paid` as `agent.OnEvent` says."""
    paid = {"paid": {equipped.model.name: answer.paid}} if answer.paid else {}
    return {"event": "tools_asked", **asked(equipped.name, answer), **paid}


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


def tape(steps: Sequence[Noted], *, repeatable: bool = False) -> tuple[Taped, ...]:
    """The steps that a journal has of an answer that broke off, for it to go on from.

    What was begun and did not end is not made again, unless the calls of the answer itself are `repeatable`.
    """
    return tuple(_taped(step, repeatable=repeatable) for step in steps)


def _taped(step: Noted, *, repeatable: bool) -> Taped:
    said = step.asked
    calls = tuple(ToolCall(**call) for call in said["asked"])
    used = Usage(**said["usage"]) if said.get("usage") else Usage()
    answer = Answer(said["text"], used, "tools", said["model"], said["seconds"], calls=calls, raw=said["raw"])
    ran = {key: _ran(each) for key, each in step.ran.items()}
    below = {key: tape(steps) for key, steps in step.below.items()}
    return Taped(answer, ran, frozenset() if repeatable else frozenset(step.begun), below)


def _ran(ended: Mapping[str, Any]) -> Ran:
    record = ToolRecord(**{name: ended[name] for name in _RECORD})
    return Ran(record, ended.get("executed", True), ended.get("again", True), ended.get("refused", False))
