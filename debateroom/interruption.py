"""Ctrl-C and SIGTERM: an orderly stop. The signal waits while an event is being written, and comes once."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType


class Interrupted(BaseException):
    """The process was asked to stop. What was answered is on disk."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.room: Path | None = None
        """The room that was interrupted; None when there was none yet."""

    @property
    def exit_code(self) -> int:
        """130 for Ctrl-C, 143 for SIGTERM: 128 and the signal's number, as shells have it."""
        return 128 + self.number


class _State:
    depth = 0
    pending: int | None = None
    leaving = False
    raised: int | None = None


def install() -> None:
    """Makes SIGINT, SIGTERM and SIGHUP raise Interrupted in the main thread. A further signal changes nothing."""
    _State.depth, _State.pending, _State.leaving, _State.raised = 0, None, False, None
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None or (name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN):
            continue  # Windows has none; nohup asked to live on
        signal.signal(number, _handle)


def _handle(number: int, frame: FrameType | None) -> None:
    if _State.leaving:
        return
    if _State.depth:
        _State.pending = number
        return
    _State.leaving, _State.raised = True, number
    raise Interrupted(number)


def insist() -> None:
    """Raises Interrupted once more when it was raised before and got lost; for who waits with nothing else to do.

    Python drops what is raised in a callback of its own, such as those of an import's locks.
    """
    if _State.raised is not None:
        raise Interrupted(_State.raised)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """A section that is finished before a signal is obeyed. Keep it short."""
    _State.depth += 1
    try:
        yield
    finally:
        _State.depth -= 1
        number = _State.pending
        if number is not None and not _State.depth and not _State.leaving:
            _State.pending, _State.leaving, _State.raised = None, True, number
            raise Interrupted(number)


_LAST_ACTS: list[Callable[[], object]] = []


def before_leaving(act: Callable[[], object]) -> None:
    """Has `act` called when the command line ends, however it ends: `os._exit` runs no exit handlers of its own."""
    _LAST_ACTS.append(act)


def leave() -> None:
    """Does what has to be done before the process ends. Each act must be quick and raise nothing."""
    for act in _LAST_ACTS:
        act()
