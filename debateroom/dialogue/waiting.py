"""One call at a time in a thread of its own, so that the main thread stays free for Ctrl-C and the live line."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from debateroom import clock

Result = TypeVar("Result")
Tell = Callable[[Callable[[], None]], None]
"""Has something done on the main thread, while it waits, and comes back when it is done: what is written down before
something is done, is on disk before. Raises TooLate when the main thread waits no longer."""
_LOOK = 0.2
"""Seconds between two chances for a signal to be obeyed."""


_GRACE = 1.0
"""Seconds that a call has after its time to stop by itself, and what it started."""


class TooLate(Exception):
    """The time of a call is over, and it did not end by itself."""


def wait_for(call: Callable[[Tell], Result], *, until: float | None = None) -> Result:
    """What `call` returns or raises, made in another thread; it is given a way to have things done on this one.

    A call that goes on after `until`, a moment of `clock.monotonic()`, is left behind: raises TooLate. So is one
    when this thread is interrupted: the process is about to end.
    """
    queue: SimpleQueue[tuple[Callable[[], None], threading.Event] | None] = SimpleQueue()
    landed: dict[str, Any] = {}
    left = threading.Event()

    def tell(do: Callable[[], None]) -> None:
        done = threading.Event()
        queue.put((do, done))
        while not done.wait(_LOOK):
            if left.is_set():
                raise TooLate

    def run() -> None:
        try:
            landed["result"] = call(tell)
        except BaseException as error:
            landed["error"] = error
        queue.put(None)

    threading.Thread(target=run, name="turn", daemon=True).start()
    try:
        _serve(queue, until)
    finally:
        left.set()
    if "error" in landed:
        raise landed["error"]
    result: Result = landed["result"]
    return result


def _serve(queue: SimpleQueue[tuple[Callable[[], None], threading.Event] | None], until: float | None) -> None:
    """Does what is asked for, until nothing more will be."""
    while True:
        try:
            item = queue.get(timeout=_LOOK)
        except Empty:
            if until is not None and clock.monotonic() > until + _GRACE:
                raise TooLate from None
            continue
        if item is None:
            return
        do, done = item
        do()
        done.set()
