"""One call at a time in a thread of its own, so that the main thread stays free for Ctrl-C and the live line."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")
Tell = Callable[[Callable[[], None]], None]
"""Has something done on the main thread, while it waits."""
_LOOK = 0.2
"""Seconds between two chances for a signal to be obeyed."""


def wait_for(call: Callable[[Tell], Result]) -> Result:
    """What `call` returns or raises, made in another thread; it is given a way to have things done on this one.

    When this thread is interrupted the call is left behind: the process is about to end.
    """
    queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
    landed: dict[str, Any] = {}

    def run() -> None:
        try:
            landed["result"] = call(queue.put)
        except BaseException as error:
            landed["error"] = error
        queue.put(None)

    threading.Thread(target=run, name="turn", daemon=True).start()
    while True:
        try:
            item = queue.get(timeout=_LOOK)
        except Empty:
            continue
        if item is None:
            break
        item()
    if "error" in landed:
        raise landed["error"]
    result: Result = landed["result"]
    return result
