"""Keeps what tools print off standard output, which belongs to the answer: their threads write to standard error."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TOOL_THREAD = "tool-"
"""How the name of a thread begins in which a tool runs."""


class _Parted:
    """Standard output for all threads but those of tools."""

    def __init__(self, out: Any) -> None:
        self.out = out

    def __getattr__(self, name: str) -> Any:
        tool = threading.current_thread().name.startswith(TOOL_THREAD)
        return getattr(sys.stderr if tool else self.out, name)


class _Parting:
    """The one place where standard output is replaced, as long as any tool runs."""

    def __init__(self) -> None:
        self._running = 0
        self._parted: _Parted | None = None
        self._lock = threading.Lock()  # protects both: answers are made in several threads at once

    def begin(self) -> None:
        with self._lock:
            self._running += 1
            if self._parted is None or sys.stdout is not self._parted:
                self._parted = _Parted(sys.stdout)
                sys.stdout = self._parted

    def end(self) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0 and self._parted is not None:
                if sys.stdout is self._parted:
                    sys.stdout = self._parted.out
                self._parted = None


_PARTING = _Parting()


@contextmanager
def aside() -> Iterator[None]:
    """A block in which what tools print goes to standard error, and what anybody else prints where it always goes."""
    _PARTING.begin()
    try:
        yield
    finally:
        _PARTING.end()
