"""What the assistants' programs print, read into one shape. What cannot be read is a value too. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from debateroom.messages import Looked, Paid, Usage
from debateroom.models.draft import at, count


@dataclass(frozen=True, slots=True)
class Printed:
    """What a program's output says."""

    text: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    """The model's id as the program states it; empty when it does not."""
    cost: float | None = None
    """US dollars that the program says it cost; None when it says nothing."""
    stop_reason: str = "stop"
    """`stop`, `length` or `refusal`."""
    problem: str = ""
    """The failure that the program reports; empty when it reports none."""
    status: int | None = None
    """The HTTP status it states for that."""
    looked: tuple[Looked, ...] = ()
    """What it says that it looked up with tools of its own."""
    complete: bool = True
    """Whether the output is whole: it could be read, and says that the answer is finished."""

    @property
    def paid(self) -> tuple[Paid, ...]:
        """What was paid for, also where the program failed; empty when it says nothing of it."""
        return (Paid(self.usage, self.cost),) if self.usage != Usage() or self.cost else ()


_STOPS = {"max_tokens": "length", "refusal": "refusal"}
_BROKEN = Printed(complete=False)


def claude(out: str, err: str) -> Printed:
    """Claude Code's `--output-format json`: one result, or with `--verbose` all messages and it at their end."""
    value = _value(out)
    looked = _claude_looked(value) if isinstance(value, list) else ()
    if isinstance(value, list):
        value = next((item for item in reversed(value) if at(item, "type") == "result"), None)
    return replace(claude_result(value), looked=looked) if isinstance(value, Mapping) else _BROKEN


def _claude_looked(messages: list[Any]) -> tuple[Looked, ...]:
    """The uses of tools in Claude Code's messages, each with its result; one without a result was not made."""
    blocks = [block for each in messages for block in _list(at(each, "message", "content"))]
    results = {at(each, "tool_use_id"): each for each in blocks if at(each, "type") == "tool_result"}
    return tuple(
        Looked(str(at(each, "name")), given, _claude_text(result.get("content")), result.get("is_error") is not True)
        for each in blocks
        if at(each, "type") == "tool_use"
        and isinstance(given := at(each, "input"), Mapping)
        and (result := results.get(at(each, "id"))) is not None
    )


def _claude_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(text for each in _list(content) if isinstance(text := at(each, "text"), str))


def claude_result(value: Mapping[str, Any]) -> Printed:
    """A result of Claude Code. Its `input_tokens` leave out what was read from or written to the cache."""
    structured, said = value.get("structured_output"), value.get("result")
    text = json.dumps(structured, ensure_ascii=False) if isinstance(structured, Mapping) else said
    read, written = (count(value, "usage", f"cache_{kind}_input_tokens") or 0 for kind in ("read", "creation"))
    printed = Printed(
        text=text if isinstance(text, str) else "",
        usage=Usage(
            (count(value, "usage", "input_tokens") or 0) + read + written,
            read,
            written,
            count(value, "usage", "output_tokens") or 0,
        ),
        model=_busiest(value.get("modelUsage"), "outputTokens"),
        cost=_dollars(value.get("total_cost_usd")) or None,  # 0 is said of a model whose price it does not know
        stop_reason=_STOPS.get(str(value.get("stop_reason")), "stop"),
        complete=isinstance(text, str),
    )
    subtype = value.get("subtype", "success")
    if not value.get("is_error") and subtype == "success":
        return printed
    told = said or "; ".join(map(str, _list(value.get("errors")))) or subtype
    return replace(printed, text="", problem=str(told), status=count(value, "api_error_status"))


def codex(out: str, err: str) -> Printed:
    """The events of `codex exec --json`: the last message of a turn that was completed."""
    printed, last_error = _BROKEN, ""
    for line in out.splitlines():
        event = _value(line)
        kind = at(event, "type")
        if kind == "item.completed" and at(event, "item", "type") == "agent_message":
            printed = replace(printed, text=str(at(event, "item", "text") or ""))
        elif kind == "item.completed" and at(event, "item", "type") == "command_execution":
            printed = replace(printed, looked=(*printed.looked, _codex_looked(at(event, "item"))))
        elif kind == "turn.completed":
            printed = replace(printed, usage=_codex_usage(at(event, "usage")), complete=True)
        elif kind == "turn.failed":
            said = at(event, "error", "message") or last_error or "the turn failed"
            return Printed(problem=_inner_message(str(said)))
        elif kind == "error":  # also said while it tries again by itself: the turn's own end decides
            last_error = str(at(event, "message") or "")
    if not printed.complete and last_error:
        return Printed(problem=_inner_message(last_error))
    return printed


def _codex_looked(item: Any) -> Looked:
    """What Codex ran in its shell."""
    said = {"command": str(at(item, "command") or "")}
    return Looked("shell", said, str(at(item, "aggregated_output") or ""), at(item, "exit_code") == 0)


def gemini(out: str, err: str) -> Printed:
    """Gemini CLI's `--output-format json`. An error may stand on either stream; notices may stand before it."""
    value = _object_in(out) or _object_in(err)
    if value is None:
        return _BROKEN
    models = at(value, "stats", "models")
    usage = sum(map(_gemini_usage, models.values() if isinstance(models, Mapping) else ()), Usage())
    if value.get("error"):
        code = count(value, "error", "code")
        message = _inner_message(str(at(value, "error", "message") or value["error"]))
        return Printed(problem=message, usage=usage, status=401 if code == _GEMINI_LOGIN else code)
    text = value.get("response")
    return Printed(
        text=text if isinstance(text, str) else "",
        usage=usage,
        model=_busiest(models, "tokens", "candidates"),
        looked=_gemini_looked(at(value, "stats", "tools", "byName")),
        complete=isinstance(text, str),
    )


def _gemini_looked(tools: Any) -> tuple[Looked, ...]:
    """The tools that Gemini CLI says it called: their names and how often, and no more of them."""
    named = tools.items() if isinstance(tools, Mapping) else ()
    return tuple(
        Looked(str(name), ok=ok)
        for name, each in named
        for ok, key in ((True, "success"), (False, "fail"))
        for _ in range(min(count(each, key) or 0, _MOST_LOOKED))
    )


_MOST_LOOKED = 100
"""Calls of one tool that are counted."""
_GEMINI_LOGIN = 41
"""The exit code of Gemini CLI for a missing login, which it also prints as the error's code."""


def plain(out: str, err: str) -> Printed:
    """Any other program: its output is the text, unless that is a JSON object with a text in `text` or `result`.

    Beside `text` may stand `model`, `usage` (`input`, `cached`, `written`, `output`) and `cost` in US dollars.
    """
    value = _value(out)
    if isinstance(value, Mapping) and isinstance(value.get("result"), str):
        return claude_result(value)
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        figures = (count(value, "usage", name) or 0 for name in ("input", "cached", "written", "output"))
        model = value.get("model")
        cost = _dollars(value.get("cost"))
        return Printed(value["text"], Usage(*figures), model if isinstance(model, str) else "", cost)
    return Printed(out.removeprefix("\ufeff").strip())


READERS: Mapping[str, Callable[[str, str], Printed]] = {
    "claude": claude, "codex": codex, "gemini": gemini, "plain": plain,
}  # fmt: skip


def _value(text: str) -> Any:
    """The JSON value that `text` is; None when it is none."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _object_in(text: str) -> Mapping[str, Any] | None:
    """The JSON object that `text` is, or ends with after lines of other text."""
    value = _value(text)
    lines = text.splitlines(keepends=True)
    starts = (number for number, line in enumerate(lines) if line.startswith("{"))
    while value is None and (start := next(starts, None)) is not None:
        value = _value("".join(lines[start:]))
    return value if isinstance(value, Mapping) else None


def _dollars(value: Any) -> float | None:
    """An amount of money; None for what is none."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
    return float(value) if known else None


def _gemini_usage(model: Any) -> Usage:
    """What one model was used for in a run of Gemini CLI; thinking is counted apart from the text."""
    output = (count(model, "tokens", "candidates") or 0) + (count(model, "tokens", "thoughts") or 0)
    return Usage(count(model, "tokens", "prompt") or 0, count(model, "tokens", "cached") or 0, 0, output)


def _codex_usage(usage: Any) -> Usage:
    """Codex's figures: its `input_tokens` include the cached ones."""
    names = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
    return Usage(*(count(usage, name) or 0 for name in names))


def _inner_message(said: str) -> str:
    """What is said inside a message that is itself an answer of the vendor in JSON."""
    value = _value(said)
    inner = at(value, "error", "message") or at(value, "detail")
    return str(inner) if inner else said


def _busiest(models: Any, *path: str) -> str:
    """The model that wrote most, where a program used several; empty when it names none."""
    if not isinstance(models, Mapping) or not models:
        return ""
    return str(max(models, key=lambda name: count(models[name], *path) or 0))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
