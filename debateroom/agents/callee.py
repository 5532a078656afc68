"""The other side of `python:module:callable`: a process that calls it once a turn and writes what it gives back.

The callable takes the messages, `[{"role": "user" | "assistant", "content": "…"}]`, and `session` when it has such a
parameter. It gives back the text, or an object with `text`, `tools` and `state` (see `outside`); a coroutine is
awaited, and a class is made once and its instance called. What it prints goes to standard error.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from debateroom.agents.functions import as_text
from debateroom.agents.references import NoSuchCallable, find_callable


def main(reference: str) -> int:
    """Answers each line of standard input until it ends; the exit code."""
    with os.fdopen(os.dup(0), "rb") as asked, os.fdopen(os.dup(1), "wb") as told:
        # the callable's own input and output must not get in between
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        try:
            function = _ready(reference)
        except NoSuchCallable as error:
            print(error, file=sys.stderr, flush=True)  # noqa: T201 - a process of its own; its caller reads this
            return 2
        for line in asked:
            told.write(_answer(function, json.loads(line)) + b"\n")
            told.flush()
    return 0


def _ready(reference: str) -> Callable[..., Any]:
    found = find_callable(reference, Path.cwd())
    ready: Any = found() if inspect.isclass(found) else found
    return ready  # type: ignore[no-any-return]


def _answer(function: Callable[..., Any], message: Mapping[str, Any]) -> bytes:
    try:
        said = _called(function, message)
    except BaseException as error:
        traceback.print_exc()
        said = {"error": f"{type(error).__name__}: {error}".strip()}
    value = said if isinstance(said, Mapping) else {"text": said}
    try:
        return as_text(dict(value)).encode("utf-8", "replace")
    except (TypeError, ValueError) as error:
        return json.dumps({"error": f"its answer is not JSON: {error}"}).encode()


def _called(function: Callable[..., Any], message: Mapping[str, Any]) -> Any:
    more = {"session": message["session"]} if _takes_session(function) else {}
    result = function(message["messages"], **more)
    return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result


async def _awaited(result: Any) -> Any:
    return await result


def _takes_session(function: Callable[..., Any]) -> bool:
    return "session" in inspect.signature(function).parameters
