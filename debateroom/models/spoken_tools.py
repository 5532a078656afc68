"""Tools for a small model that returns no calls: told in words, and a reply that is one JSON object read as a call.

What its tools gave is told with the message that it answers, and not as calls and results of their own: such a model
writes on in the way it sees, and would call the same tool for ever. For the same reason a tool that it has used for
an answer cannot be used again for that answer. It stays among those it is told of: a model on this machine would have
to read its instructions again from there on.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from debateroom import templates
from debateroom.language import detect_language
from debateroom.messages import Answer, Request, ToolCall, ToolSpec, Turn
from debateroom.reading import strict

_WRAPPED = re.compile(r"\A(?:```[\w-]*\s*(.*?)\s*```|<tool_call>\s*(.*?)\s*(?:</tool_call>)?)\Z", re.DOTALL)


def offered(request: Request) -> tuple[ToolSpec, ...]:
    """The tools that may still be asked for: those not used since the last message of the other party."""
    if not request.may_call:
        return ()
    used: set[str] = set()
    for turn in request.turns:
        used = set() if turn.role == "user" else used | {call.name for call in turn.calls}
    return tuple(tool for tool in request.tools if tool.name not in used)


def in_words(request: Request, tools: Sequence[ToolSpec]) -> Request:
    """The request with `tools` told in the system text, and what tools gave told with the message before it.

    A schema and a reply format are left out where there are tools: a reply held to one could call none.
    """
    if not request.tools:
        return request
    words = templates.data(f"prompts/{detect_language(request.system or request.own)}/agents.toml")
    system = request.system
    if tools:
        told = words["spoken_tools"].strip("\n").format(tools="\n".join(map(_described, tools)))
        system = f"{system}\n\n{told}".strip()
    held = request.schema is not None or request.reply_format is not None
    turns = tuple(_folded(request.turns, words, now=words["spoken_reply" if held else "spoken_now"]))
    free = replace(request, schema=None, reply_format=None) if tools else request
    return replace(free, system=system, turns=turns, tools=())


def with_call(answer: Answer, tools: Sequence[ToolSpec]) -> Answer:
    """The answer with the call that its text is; the same answer when the text is anything else.

    What was only copied from how a tool was told is no call: nobody meant it.
    """
    known = {tool.name: tool for tool in tools}
    call = read_call(answer.text, list(known))
    if call is None or _copied(known[call.name], json.loads(call.arguments)):
        return answer
    return replace(answer, text="", calls=(call,), stop_reason="tools")


def read_call(text: str, names: Iterable[str]) -> ToolCall | None:
    """The call of one of `names` that `text` is as a whole, perhaps in a fence; None when it is anything else."""
    wrapped = _WRAPPED.match(text.strip())
    inner = (wrapped[1] or wrapped[2] or "") if wrapped else text
    try:
        value = strict.loads(inner)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or set(value) != {"name", "arguments"} or value["name"] not in names:
        return None
    arguments = value["arguments"]
    if not isinstance(arguments, dict):
        return None
    return ToolCall(f"call_{uuid.uuid4().hex[:12]}", value["name"], json.dumps(arguments, ensure_ascii=False))


def _described(tool: ToolSpec) -> str:
    """One tool: what it does, and its call with what each argument stands for.

    No JSON Schema: a small model writes it down again in place of a call.
    """
    properties = tool.parameters.get("properties", {})
    required = tool.parameters.get("required", ())
    names = [name for name in properties if name in required] or list(properties)
    values = {name: _stands_for(name, properties[name]) for name in names}
    call = json.dumps({"name": tool.name, "arguments": values}, ensure_ascii=False)
    return f"- {tool.description.strip()}\n  {call}"


def _stands_for(name: str, schema: Any) -> Any:
    """A value that shows what an argument is: one of those it may have, or its description."""
    told = schema if isinstance(schema, dict) else {}
    if isinstance(told.get("enum"), list) and told["enum"]:
        return told["enum"][0]
    shown = {"number": 1.5, "integer": 1, "boolean": True, "array": [], "object": {}}.get(str(told.get("type")))
    return f"<{_meaning(name, told)}>" if shown is None else shown


def _meaning(name: str, schema: Any) -> str:
    """What an argument is, in words."""
    return str((schema.get("description") if isinstance(schema, dict) else None) or name)


def _copied(tool: ToolSpec, arguments: Mapping[str, Any]) -> bool:
    """Whether `arguments` are the tool's schema, or hold a piece of it or words that only stand for a value."""
    properties = tool.parameters.get("properties", {})
    return arguments == tool.parameters or any(
        name in properties and (value == properties[name] or value == f"<{_meaning(name, properties[name])}>")
        for name, value in arguments.items()
    )


def _folded(turns: Sequence[Turn], words: Mapping[str, str], *, now: str) -> Iterable[Turn]:
    """The turns without calls and results: what tools gave stands below the message that they were called for, and
    `now` at the end when the last message was.
    """
    message: list[str] = []
    names: dict[str, str] = {}
    used = False
    for turn in turns:
        if turn.role == "tools":
            used = True
            for result in turn.results:
                told = words["spoken_error" if result.is_error else "spoken_result"]
                message.append(told.format(name=names.get(result.call_id, "?"), result=result.content))
        elif turn.calls:
            names |= {call.id: call.name for call in turn.calls}
        elif turn.role == "user":
            message.append(turn.text)
            used = False
        else:
            if message:
                yield Turn("user", "\n\n".join(message))
            message = []
            yield turn
    if used:
        message.append(now)
    if message:
        yield Turn("user", "\n\n".join(message))
