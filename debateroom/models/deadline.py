"""Ends a call whose time is over from outside: an SDK's timeout is per read, and every ping starts it anew."""

from __future__ import annotations

import heapq
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from debateroom import clock

if TYPE_CHECKING:
    from httpx2 import Response

_LINGER = 1.0
"""Seconds the watching thread stays without work, before it ends."""
_THREAD = threading.local()
"""`deadline`: the innermost Deadline in whose block this thread is."""


class Deadline:
    """A block that may take `seconds`; after that its connection is shut down, once, from another thread.

    Or `close` is called in place of that; it must make the block's own thread come back and must not block. The
    block then ends with TimeoutError in place of whatever the closing raised. One thread watches over all blocks of
    the process.
    """

    def __init__(self, seconds: float, close: Callable[[], object] | None = None) -> None:
        self.seconds = seconds
        self.passed = False
        """Whether the time was over before the block ended."""
        self._close: Callable[[], object] | None = close or self._shut_down
        self._socket: socket.socket | None = None
        self._response: Response | None = None
        self._outer: Deadline | None = None
        # held while closing: the block must not end, and its connection go to another call, in the middle of it
        self._lock = threading.Lock()

    def __enter__(self) -> Deadline:
        self._outer, _THREAD.deadline = getattr(_THREAD, "deadline", None), self
        _WATCH.add(clock.monotonic() + self.seconds, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _THREAD.deadline = self._outer
        with self._lock:
            self._close = self._socket = self._response = None
        _WATCH.sweep()
        if self.passed and (error is None or isinstance(error, Exception)):
            raise TimeoutError(f"not finished after {self.seconds:g} s") from None

    def fire(self) -> None:
        """Closes, unless the block has ended. Called by the watching thread."""
        with self._lock:
            if self._close is not None:
                self.passed = True
                # whatever closing raises belongs to no call; the block's thread sees its own error
                with suppress(Exception):
                    self._close()

    def wait_on(self, sock: socket.socket | None) -> None:
        """Says on which socket the block waits for its answer to begin; None when it has given it back."""
        if sock is not self._socket:
            self._watch(sock, None)

    def read(self, response: Response) -> None:
        """Says that the answer has begun: from now on the block reads this HTTP response."""
        self._watch(None, response)

    def _watch(self, sock: socket.socket | None, response: Response | None) -> None:
        with self._lock:
            if self._response is None:
                self._socket, self._response = sock, response
            if self.passed:
                self._shut_down()

    def _shut_down(self) -> None:
        if self._response is not None:
            hang_up(self._response)
        elif self._socket is not None:
            shut_down(self._socket)

    @property
    def done(self) -> bool:
        """Whether the block has ended."""
        return self._close is None


class _Watch:
    """The deadlines that are running, in order, and the one thread that waits for the next."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Deadline]] = []
        self._added = 0
        self._thread: threading.Thread | None = None
        # protects all of the above
        self._changed = threading.Condition()

    def add(self, moment: float, deadline: Deadline) -> None:
        with self._changed:
            self._added += 1
            heapq.heappush(self._heap, (moment, self._added, deadline))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="debateroom-deadlines", daemon=True)
                self._thread.start()
            elif self._heap[0][2] is deadline:
                self._changed.notify()

    def sweep(self) -> None:
        """Takes ended blocks off the front; with nothing left to watch, the thread begins to linger."""
        with self._changed:
            while self._heap and self._heap[0][2].done:
                heapq.heappop(self._heap)
            if not self._heap:
                self._changed.notify()

    def _run(self) -> None:
        while (due := self._next()) is not None:
            due.fire()

    def _next(self) -> Deadline | None:
        """The next deadline that is over, once it is; None when there was nothing to watch for a while."""
        with self._changed:
            while True:
                if not self._heap:
                    self._changed.wait(_LINGER)
                    if not self._heap:
                        self._thread = None
                        return None
                left = self._heap[0][0] - clock.monotonic()
                if left <= 0:
                    return heapq.heappop(self._heap)[2]
                self._changed.wait(left)


_WATCH = _Watch()


def wait_on(sock: socket.socket | None) -> None:
    """Tells the deadline of the calling thread, if there is one, on which socket it waits for an answer to begin.

    None when it waits on none any more: another call may have it.
    """
    deadline: Deadline | None = getattr(_THREAD, "deadline", None)
    if deadline is not None:
        deadline.wait_on(sock)


def shut_down(sock: socket.socket) -> None:
    """Ends a connection so that the thread that uses it comes back.

    It is shut down, not closed: a closed one's number may be another call's a moment later, while the first thread
    still reads from it.
    """
    # the plain method: the one of a TLS socket would take the session away under the reading thread
    socket.socket.shutdown(sock, socket.SHUT_RDWR)


def hang_up(response: Response) -> None:
    """Ends the connection under an HTTP response. Does nothing to one that was read to its end."""
    if response.is_closed:
        return
    network = response.extensions.get("network_stream")
    sock = network.get_extra_info("socket") if network is not None else response.extensions.get("socket")
    if isinstance(sock, socket.socket):
        shut_down(sock)
    else:
        response.close()
