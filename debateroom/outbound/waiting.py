"""Waiting for something that may never come back: it runs in a thread of its own, which is left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T], *, name: str) -> T:
    """What `work` gave, or the error it raised. Raises TimeoutError after `seconds`; it then goes on unheard.

    A look-up of a name cannot be stopped at all, and a slow answer starts a library's timeout anew with each byte.
    """
    done: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            done.put((work(), None))
        except BaseException as error:  # it is raised where it is waited for
            done.put((None, error))

    threading.Thread(target=run, name=f"debateroom-{name}", daemon=True).start()
    try:
        given, error = done.get(timeout=max(0.0, seconds))
    except Empty:
        raise TimeoutError(f"not finished after {seconds:g} s") from None
    if error is not None:
        raise error
    return given  # type: ignore[return-value]  # without an error there is what `work` gave
