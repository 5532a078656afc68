"""Ctrl-C and SIGTERM: an orderly stop. The signal waits while an event is being written, and comes once."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn


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
    raised: int | None = None
    over = False
    """Whether the stop was obeyed, or the process ends anyway: nothing more is raised."""


_AGAIN = 0.2
"""Seconds after which a stop that has not reached anyone is raised once more."""


def install() -> None:
    """Makes SIGINT, SIGTERM and SIGHUP raise Interrupted in the main thread. A further signal changes nothing.

    Python drops what is raised in a callback of its own, such as a finaliser or an import's lock, and libraries turn
    it into errors of theirs. So it is raised again, by a timer where there is one and by every further signal, until
    it is being handled.
    """
    _State.depth, _State.pending, _State.raised, _State.over = 0, None, None, False
    sys.unraisablehook = _unraisable
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None or (name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN):
            continue  # Windows has none; nohup asked to live on
        signal.signal(number, _handle)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _remind)


def _handle(number: int, frame: FrameType | None) -> None:
    if _State.depth:
        _State.pending = number
    elif not _State.over and not _is_handled():
        _interrupt(number)


def _remind(number: int, frame: FrameType | None) -> None:
    """What the timer calls: raises the stop again where it got lost."""
    if _State.raised is not None:
        _handle(_State.raised, frame)


def _interrupt(number: int) -> NoReturn:
    """Raises the stop that came first, and sees to it that it arrives."""
    if _State.raised is None:
        _State.raised = number
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
    raise Interrupted(_State.raised)


def _is_handled() -> bool:
    """Whether the main thread is on its way out: in a `finally`, an `except`, the end of a `with`."""
    error = sys.exception()
    while error is not None and not isinstance(error, Interrupted):
        error = error.__cause__ or error.__context__
    return error is not None


def _unraisable(dropped: sys.UnraisableHookArgs) -> None:
    """Says what Python drops, but for a stop: that is raised again."""
    if not isinstance(dropped.exc_value, Interrupted):
        sys.__unraisablehook__(dropped)


def behind(error: BaseException) -> Interrupted | None:
    """The stop that `error` is, or that a library made into an error of its own; None when there was none."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, Interrupted):
        found = found.__cause__ or found.__context__
    return found if found is not None or _State.raised is None else Interrupted(_State.raised)


def obeyed() -> None:
    """From now on nothing is raised: the process is about to end."""
    _State.over = True
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """A section that is finished before a signal is obeyed. Keep it short. Signals come to the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _State.depth += 1
    try:
        yield
    finally:
        _State.depth -= 1
        number = _State.pending
        if number is not None and not _State.depth:
            _State.pending = None
            _handle(number, None)


_LAST_ACTS: list[Callable[[], object]] = []


def before_leaving(act: Callable[[], object]) -> None:
    """Has `act` called when the command line ends, however it ends: `os._exit` runs no exit handlers of its own."""
    _LAST_ACTS.append(act)


def leave() -> None:
    """Does what has to be done before the process ends. Each act must be quick and raise nothing."""
    obeyed()
    for act in _LAST_ACTS:
        act()
