"""Tools for a model that returns no calls: described in words, and a reply that is one JSON object read as a call."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace

from debateroom import templates
from debateroom.language import detect_language
from debateroom.messages import Answer, Request, ToolCall, ToolSpec, Turn

_WRAPPED = re.compile(r"\A(?:```[\w-]*\s*(.*?)\s*```|<tool_call>\s*(.*?)\s*(?:</tool_call>)?)\Z", re.DOTALL)


def in_words(request: Request) -> Request:
    """The request with its tools in the system text, and with calls and their results as what was said.

    A schema is left out where there are tools: a reply held to it could call none.
    """
    if not request.tools:
        return request
    words = templates.data(f"prompts/{detect_language(request.system)}/agents.toml")
    told = words["spoken_tools"].strip("\n").format(tools="\n".join(map(_described, request.tools)))
    system = f"{request.system}\n\n{told}".strip()
    turns = tuple(_spoken(turn, names, words) for turn, names in _with_names(request.turns))
    return replace(request, system=system, turns=turns, tools=(), schema=None)


def with_call(answer: Answer, tools: Sequence[ToolSpec]) -> Answer:
    """The answer with the call that its text is; the same answer when the text is anything else."""
    call = read_call(answer.text, [tool.name for tool in tools])
    return answer if call is None else replace(answer, text="", calls=(call,), stop_reason="tools")


def read_call(text: str, names: Iterable[str]) -> ToolCall | None:
    """The call of one of `names` that `text` is as a whole, perhaps in a fence; None when it is anything else."""
    wrapped = _WRAPPED.match(text.strip())
    inner = (wrapped[1] or wrapped[2] or "") if wrapped else text
    try:
        value = json.loads(inner)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or set(value) != {"name", "arguments"} or value["name"] not in names:
        return None
    arguments = value["arguments"]
    if not isinstance(arguments, dict):
        return None
    return ToolCall(f"call_{uuid.uuid4().hex[:12]}", value["name"], json.dumps(arguments, ensure_ascii=False))


def _described(tool: ToolSpec) -> str:
    """One tool as a line of JSON."""
    row = {"name": tool.name, "description": tool.description, "arguments": tool.parameters.get("properties", {})}
    required = tool.parameters.get("required")
    return json.dumps({**row, "required": required} if required else row, ensure_ascii=False)


def _with_names(turns: Sequence[Turn]) -> Iterable[tuple[Turn, dict[str, str]]]:
    """Each turn with the tool's name of each call that was made before it."""
    names: dict[str, str] = {}
    for turn in turns:
        names |= {call.id: call.name for call in turn.calls}
        yield turn, names


def _spoken(turn: Turn, names: dict[str, str], words: dict[str, str]) -> Turn:
    if turn.role == "tools":
        lines = [
            words["spoken_error" if result.is_error else "spoken_result"].format(name=names.get(result.call_id, "?"))
            + f"\n{result.content}"
            for result in turn.results
        ]
        return Turn("user", "\n\n".join(lines))
    if turn.calls:
        return Turn("assistant", "\n".join(filter(None, (turn.text, *map(_written, turn.calls)))))
    return turn


def _written(call: ToolCall) -> str:
    """A call as the model writes it."""
    return f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}'
