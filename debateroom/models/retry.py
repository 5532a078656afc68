"""One policy for trying a call again, for all providers; the SDKs' own retries are off.

What is worth another try is decided before, in `faults`: here only `CallFailed.retry` counts.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from debateroom import clock
from debateroom.errors import CallFailed, DebateroomError, Wording
from debateroom.language import worded
from debateroom.messages import Request
from debateroom.models.gate import Gate

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

ATTEMPTS = 6
FIRST_WAIT = 1.0
"""Seconds: the longest random wait before the second attempt; it doubles with every further one."""
LONGEST_WAIT = 30.0
"""Seconds a random wait never passes."""
LONGEST_RETRY_AFTER = 60.0
"""Seconds we wait at most when a provider names a time; after that the call is tried, and may fail again."""
JITTER = 1.0
"""Seconds added at random to a time that the provider named, so that not all threads come back at once."""

Deadline = float | Callable[[], float] | None
"""A moment of `clock.monotonic()`; a function when waiting at the gate moves it."""
OnRetry = Callable[[CallFailed, int, float], None]
"""Told the failure, the number of attempts made, and the seconds until the next one."""


def call_with_retries(
    function: Callable[[], T],
    *,
    attempts: int = ATTEMPTS,
    deadline: Deadline = None,
    gate: Gate | None = None,
    longest_hold: float = LONGEST_RETRY_AFTER + JITTER,
    sleep: Callable[[float], object] | None = None,
    on_retry: OnRetry | None = None,
) -> T:
    """What `function` returns, called again as long as it raises a CallFailed that is worth another try.

    Waits as long as the provider says (at most 60 s) plus jitter, else a random, doubling time. Stops after
    `attempts`, or when the next wait would pass `deadline`; then raises the last CallFailed, which says how often
    it was tried. Other errors leave at once. A rate limit holds the whole `gate`, at most for `longest_hold` seconds,
    which is what a call may take: whoever waits for an answer no longer than that is not kept waiting longer for a
    limit. A set `gate.stop` ends the waiting. `sleep` replaces the waiting itself.
    """
    from tenacity import Retrying, retry_if_exception

    stop = gate.stop if gate is not None else threading.Event()
    retrying = Retrying(
        retry=retry_if_exception(_worth_it),
        wait=lambda state: _wait_and_hold(state, gate, longest_hold),
        stop=lambda state: _is_over(state, _TESTING.attempts or attempts, deadline, stop),
        sleep=_sleeper(sleep, stop),
        before_sleep=lambda state: _tell(state, on_retry),
        retry_error_callback=_give_up,
    )
    result: T = retrying(function)
    return result


def helps(failure: DebateroomError, request: Request) -> bool:
    """Whether the call may be made again after it failed."""
    silent = isinstance(failure, CallFailed) and failure.cause == "empty" and request.may_be_silent
    return isinstance(failure, CallFailed) and failure.retry and not silent


def _worth_it(error: BaseException) -> bool:
    return isinstance(error, CallFailed) and error.retry


def _failure(state: RetryCallState) -> CallFailed:
    error = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(error, CallFailed)  # noqa: S101 - for mypy: nothing else is retried
    return error


def _wait_and_hold(state: RetryCallState, gate: Gate | None, longest: float) -> float:
    """Seconds until the next attempt. After a rate limit no other thread's call starts before that either."""
    failure = _failure(state)
    seconds = _seconds_to_wait(state, failure.retry_after)
    if gate is not None and failure.cause == "rate_limit" and not _TESTING.active:
        gate.hold(min(seconds, longest))
    return seconds


def _seconds_to_wait(state: RetryCallState, asked: float | None) -> float:
    """The provider's time, capped, with jitter on top; else a random one out of a window that doubles."""
    if asked is not None:
        return min(asked, LONGEST_RETRY_AFTER) + random.uniform(0, JITTER)  # noqa: S311 - no secret
    from tenacity import wait_random_exponential

    return wait_random_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT)(state)


def _is_over(state: RetryCallState, attempts: int, deadline: Deadline, stop: threading.Event) -> bool:
    if state.attempt_number >= attempts or stop.is_set():
        return True
    moment = deadline() if callable(deadline) else deadline
    return moment is not None and clock.monotonic() + state.upcoming_sleep >= moment


def _tell(state: RetryCallState, on_retry: OnRetry | None) -> None:
    if on_retry is not None:
        on_retry(_failure(state), state.attempt_number, state.upcoming_sleep)


def _give_up(state: RetryCallState) -> Any:
    failure = _failure(state)
    if state.attempt_number == 1:
        raise failure
    raise tried(failure, state.attempt_number) from None


def tried(failure: CallFailed, count: int) -> CallFailed:
    """The same failure, which also says how often it was tried."""
    return worded(
        CallFailed,
        *(failure.wording or (Wording("fault_other", {"words": failure}),)),
        Wording("fault_tries", {"count": count}),
        hint=failure.hint_wording or failure.hint,
        retry=failure.retry,
        retry_after=failure.retry_after,
        cause=failure.cause,
    )


def _sleeper(sleep: Callable[[float], object] | None, stop: threading.Event) -> Callable[[float], None]:
    def pause(seconds: float) -> None:
        if _TESTING.active:
            _TESTING.waits.append(seconds)
        elif sleep is not None:
            sleep(seconds)
        else:
            stop.wait(seconds)

    return pause


class _Testing:
    """Whether waits are only noted, and how many attempts there are then."""

    active = False
    attempts: int | None = None
    waits: list[float]


_TESTING = _Testing()


@contextmanager
def no_sleep(*, attempts: int | None = None) -> Iterator[list[float]]:
    """The test mode: inside the block no retry sleeps and no rate limit holds a gate; all else is the same.

    Gives the list of the seconds that would have been slept, which grows as calls fail. `attempts` replaces
    every call's own number. Holds for all threads; blocks do not nest.
    """
    _TESTING.active, _TESTING.attempts, _TESTING.waits = True, attempts, []
    try:
        yield _TESTING.waits
    finally:
        _TESTING.active, _TESTING.attempts = False, None
