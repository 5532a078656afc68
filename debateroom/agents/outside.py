"""What an agent that is not ours said: one JSON object, read strictly. What does not fit is garbage, never an answer.

    {"text": "…", "tools": [{"name": "…", "arguments": {…}, "result": "…", "ok": true}], "state": …}

`text` is needed. A tool without a `result` was asked for and not executed, and does not count. `state` is any JSON.
`{"error": "…"}` says that the agent failed. Further keys are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from debateroom.agents.agent import Answered, ToolRecord
from debateroom.agents.functions import as_text
from debateroom.agents.tools import MOST_TEXT
from debateroom.errors import AgentFailed
from debateroom.messages import Turn, Usage
from debateroom.models.quote import safe_line
from debateroom.reading import strict

_MOST_TOOLS = 1_000


def ends_at(began: float, call_timeout: float, until: float | None) -> float:
    """The moment at which an agent that was asked at `began` is stopped: its own time is over, or the run's."""
    own = began + call_timeout
    return own if until is None else min(own, until)


def messages(said: Sequence[Turn]) -> list[dict[str, str]]:
    """A conversation as outside agents are given it: `{"role": "user" | "assistant", "content": "…"}`."""
    return [{"role": turn.role, "content": turn.text} for turn in said if turn.role != "tools"]


def read_said(value: Any, *, agent: str, model: str, seconds: float) -> Answered:
    """What the object says. Raises AgentFailed for garbage, and for an `error`."""
    if not isinstance(value, Mapping):
        raise garbage(agent, "its answer is not a JSON object")
    if value.get("error"):
        raise AgentFailed(f"The agent {agent} failed: {safe_line(value['error'])}")
    text = value.get("text")
    if not isinstance(text, str):
        raise garbage(agent, "its answer has no `text`")
    if not text.strip():
        raise garbage(agent, "its `text` is empty")
    return Answered(
        text=text,
        tools=read_records(value.get("tools", value.get("tool_calls")), agent=agent),
        state=value.get("state"),
        usage=_usage(value.get("usage")),
        model=model,
        seconds=seconds,
    )


def read_records(value: Any, *, agent: str) -> tuple[ToolRecord, ...]:
    """The tools that were executed. Raises AgentFailed for what is no list of them."""
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > _MOST_TOOLS:
        raise garbage(agent, "its `tools` are not a list")
    return tuple(record for each in value if (record := _record(each, agent)) is not None)


def _record(value: Any, agent: str) -> ToolRecord | None:
    name = value.get("name") if isinstance(value, Mapping) else None
    if not isinstance(name, str) or not name:
        raise garbage(agent, "one of its `tools` has no name")
    if value.get("result") is None:
        return None
    result, seconds = as_text(value["result"])[:MOST_TEXT], value.get("seconds")
    ok = value.get("ok") is not False
    return ToolRecord(name, _arguments(value.get("arguments")), result, ok, _number(seconds))


def _arguments(value: Any) -> Mapping[str, Any]:
    """The arguments as an object, also where they are its JSON text; empty when they are neither."""
    if isinstance(value, str):
        try:
            value = strict.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def _number(value: Any) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if known else 0.0


def _usage(value: Any) -> Usage:
    told = value if isinstance(value, Mapping) else {}
    counts = [told.get(name) for name in ("input", "cached", "written", "output")]
    return Usage(*(each if type(each) is int and each >= 0 else 0 for each in counts))


def garbage(agent: str, what: str) -> AgentFailed:
    """The error for an answer that cannot be read."""
    return AgentFailed(f"The agent {agent} answered garbage: {what}.")
