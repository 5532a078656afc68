"""Reads the file behind `scripted:PATH` into replies by seat and round. Pure data: nothing in it is executed.

JSON Lines, one object a line, in any order:

    {"agent": "Agent A", "round": 1, "response": "POSITION: …"}
    {"agent": "Agent B", "round": 1, "response": "…", "seconds": 0.5, "finish": "length"}
    {"agent": "Agent C", "round": 1, "error": "the server is down"}
    {"call": "repair", "agent": "Agent B", "round": 1, "response": "…"}
    {"call": "moderator", "round": 1, "response": {"aligned": false}}
    {"call": "synthesis", "response": {"summary": "…"}}
    {"call": "plan", "response": {"steps": ["…", "…"]}}
    {"call": "baseline", "agent": "Answer 1", "round": 1, "response": "OPTION: …"}
    {"call": "ballot", "response": {"groups": [{"option": "…", "items": [1, 2]}]}}
    {"call": "judge", "agent": "Agent B/Agent A", "response": {"why": "…", "better": "answer_2"}}
    {"agent": "desk", "calls": [{"name": "get_order", "arguments": {"order_id": "W1"}}]}
    {"default": true, "response": "…"}
    {"about": {"vendor": "openai", "window": 200000}}

A line without `agent` is for every seat, one without `round` for every round; the closest match counts. Two lines
for one call answer its first and its second time; the last one stays. `default` answers seats only. An object as
`response` becomes JSON text. `calls` are tools that the model asks for, with or without a response. `usage` may hold
`input, cached, written, output`.

One JSON value works too: a list of such objects, an object with that list as `entries`, or a `chat.json`, whose
replies, moderations, failures and final output are replayed, without their waiting times.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from debateroom.errors import UsageError
from debateroom.messages import Usage

CALLS = ("seat", "repair", "moderator", "synthesis", "plan", "judge", "baseline", "ballot")
FINISHES = ("stop", "length", "refusal")


class _Broken(Exception):
    """What is wrong with one value of the file; the reader adds where it stands."""


class Cue(NamedTuple):
    """Which calls a reply answers: an empty agent is any seat, round 0 any round."""

    call: str
    agent: str = ""
    round: int = 0


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool that a reply asks for. In a script played as an agent of its own, one with a result was executed."""

    name: str
    arguments: str
    """JSON text, or whatever the script puts in its place."""
    result: str | None = None
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """One scripted reply, or the error that stands in its place."""

    text: str = ""
    error: str | None = None
    seconds: float = 0.0
    """How long the reply takes to arrive."""
    finish: str = "stop"
    usage: Usage = field(default_factory=Usage)
    calls: tuple[ScriptedCall, ...] = ()
    state: Any = None
    """What an agent shows of its world."""


@dataclass(slots=True)
class Script:
    """All replies of one file."""

    path: Path
    replies: dict[Cue, list[Line]] = field(default_factory=dict)
    default: Line | None = None
    vendor: str = "unknown"
    window: int = 1_000_000

    @property
    def moderates(self) -> bool:
        """Whether the file answers for the moderator or a judge, or writes the synthesis."""
        return any(cue.call in ("moderator", "synthesis", "judge") for cue in self.replies)

    def matching(self, cue: Cue) -> list[Line] | None:
        """The replies to a call, by the closest match; None when the file has none."""
        for agent, number in ((cue.agent, cue.round), (cue.agent, 0), ("", cue.round), ("", 0)):
            found = self.replies.get(Cue(cue.call, agent, number))
            if found:
                return found
        return [self.default] if self.default is not None and cue.call == "seat" else None

    def add(self, cue: Cue, line: Line) -> None:
        """One more reply for a call."""
        self.replies.setdefault(cue, []).append(line)


def read(path: Path) -> Script:
    """The script in `path`. Raises UsageError naming the file, and the line where there is one."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"The script {path} cannot be read: {reason}.") from error
    script = Script(path)
    for place, value in _values(path, text):
        try:
            _take(script, value)
        except _Broken as error:
            raise UsageError(f"The script {path} is broken{place}: {error}.") from error
    if not script.replies and script.default is None:
        raise UsageError(f"The script {path} holds no reply.")
    return script


def _loads(text: str) -> Any:
    """The JSON value in `text`. Half a character (a lone surrogate) is taken: models write it, files hold it."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if "surrogate" not in error.msg:
            raise
        return json.loads(text)


def _values(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Each value of the file with where it stands: its line, or its place in a list."""
    whole = _whole(path, text)
    if isinstance(whole, dict) and isinstance(whole.get("entries"), list):
        whole = whole["entries"]
    if isinstance(whole, list):
        yield from ((f" in entry {number}", value) for number, value in enumerate(whole, start=1))
        return
    if whole is not None:
        yield "", whole
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f" in line {number}", _loads(line)
            except json.JSONDecodeError as error:
                raise UsageError(f"The script {path} is broken in line {number}: {error.msg}.") from error


def _whole(path: Path, text: str) -> Any:
    """The file as one JSON value; None when it is lines. Raises UsageError for JSON that is broken."""
    try:
        return _loads(text)
    except json.JSONDecodeError as error:
        first = next((line for line in text.split("\n") if line.strip()), "")
        if path.suffix != ".json" and _is_object(first):
            return None
        raise UsageError(f"The script {path} is broken in line {error.lineno}: {error.msg}.") from error


def _is_object(line: str) -> bool:
    try:
        return isinstance(_loads(line), dict)
    except json.JSONDecodeError:
        return False


def _take(script: Script, value: Any) -> None:
    """Adds one value of the file to the script. Raises _Broken with what is wrong with it."""
    if not isinstance(value, dict):
        raise _Broken("a reply is an object with `response` or `error`")
    if any(key.startswith("rounds") for key in value):
        _replay(script, value)
    elif isinstance(value.get("about"), dict):
        _describe(script, value["about"])
    elif value.get("default"):
        script.default = _line(value)
    else:
        script.add(_cue(value), _line(value))


def _describe(script: Script, about: Mapping[str, Any]) -> None:
    vendor, window = about.get("vendor", script.vendor), about.get("window", script.window)
    if not isinstance(vendor, str) or type(window) is not int or window < 1:
        raise _Broken("`vendor` is a word and `window` a number of tokens")
    script.vendor, script.window = vendor, window


def _cue(value: Mapping[str, Any]) -> Cue:
    call, agent, number = value.get("call", "seat"), value.get("agent", ""), value.get("round", 0)
    if call not in CALLS:
        raise _Broken(f"`call` is one of {', '.join(CALLS)}")
    if not isinstance(agent, str):
        raise _Broken("`agent` is a seat's name")
    if type(number) is not int or number < 0:
        raise _Broken("`round` is a number, 1 and up")
    return Cue(call, agent, number)


def _line(value: Mapping[str, Any]) -> Line:
    error, seconds, finish = value.get("error"), value.get("seconds", 0), value.get("finish", "stop")
    calls = _calls(value.get("calls"))
    if error is None and value.get("response") is None and not calls:
        raise _Broken("it has neither `response` nor `error`")
    if error is not None and not (isinstance(error, str) and error.strip()):
        raise _Broken("`error` is a sentence")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= 86_400:
        raise _Broken("`seconds` is a number from 0 to 86400")
    if finish not in FINISHES:
        raise _Broken(f"`finish` is one of {', '.join(FINISHES)}")
    text, usage = _text(value.get("response")), _usage(value.get("usage"))
    return Line(text, error, float(seconds), finish, usage, calls, value.get("state"))


def _calls(value: Any) -> tuple[ScriptedCall, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, dict) and each.get("name") for each in value):
        raise _Broken("`calls` is a list of objects with `name` and `arguments`")
    return tuple(
        ScriptedCall(
            str(each["name"]),
            _text(each.get("arguments", {})),
            None if each.get("result") is None else _text(each["result"]),
            each.get("ok") is not False,
        )
        for each in value
    )


def _text(response: Any) -> str:
    if response is None or isinstance(response, str):
        return response or ""
    return json.dumps(response, ensure_ascii=False, separators=(",", ":"))


def _usage(value: Any) -> Usage:
    counts = value if isinstance(value, dict) else {}
    names = ("input", "cached", "written", "output")
    return Usage(*(counts[name] if type(counts.get(name)) is int else 0 for name in names))


def _replay(script: Script, chat: Mapping[str, Any]) -> None:
    """Adds what a `chat.json` holds. Tolerant: what is not a reply is passed over, since the file may be foreign."""
    rounds = [
        item for key, items in chat.items() if key.startswith("rounds") and isinstance(items, list) for item in items
    ]
    for place, item in enumerate(rounds, start=1):
        if not isinstance(item, dict):
            continue
        number = item["round"] if type(item.get("round")) is int else place
        for entry in _objects(item.get("entries")):
            if isinstance(entry.get("agent"), str) and isinstance(entry.get("response"), str):
                finish = entry.get("finish") if entry.get("finish") in FINISHES else "stop"
                line = Line(entry["response"], finish=finish or "stop", usage=_usage(entry.get("usage")))
                script.add(Cue("seat", entry["agent"], number), line)
        for failure in _objects(item.get("failures")):
            if isinstance(failure.get("agent"), str):
                script.add(
                    Cue("seat", failure["agent"], number),
                    Line(error=str(failure.get("reason") or "").strip() or "it failed"),
                )
        if isinstance(item.get("moderation"), dict):
            script.add(Cue("moderator", round=number), Line(_text(item["moderation"])))
    final = chat.get("final_output")
    if final is not None and not (isinstance(final, dict) and final.get("synthesized_by") == "extract"):
        script.add(Cue("synthesis"), Line(_text(chat["final_output"])))


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
