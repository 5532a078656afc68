"""Many small connection pools instead of a large one. Loaded late: only when a client is made.

For every call the pool below looks at each of its connections and each of its calls, twice: with 300 at once that is
most of the CPU of a call. A pool here is used until it has PER_POOL calls, so a small room still has one.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator

import httpx2

PER_POOL = 16
"""Calls in one pool before the next one is used."""


class Pools(httpx2.BaseTransport):
    """A transport that spreads the calls at once over as many pools as they need."""

    def __init__(self, *, verify: ssl.SSLContext, limits: httpx2.Limits) -> None:
        self._verify = verify
        self._limits = limits
        self._pools: list[httpx2.HTTPTransport] = []
        self._busy: list[int] = []
        """Calls under way, pool by pool."""
        self._lock = threading.Lock()  # protects both lists: every seat's thread comes through here

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, which gives its place back when it is closed."""
        place = self._take()
        try:
            response = self._pools[place].handle_request(request)
        except BaseException:
            self._give_back(place)
            raise
        response.stream = _Counted(response.stream, lambda: self._give_back(place))
        return response

    def close(self) -> None:
        """Closes every connection."""
        for pool in self._pools:
            pool.close()

    def _take(self) -> int:
        """The first pool that has a place, and a new one when none has."""
        with self._lock:
            place = next((index for index, busy in enumerate(self._busy) if busy < PER_POOL), len(self._busy))
            if place == len(self._busy):
                self._pools.append(httpx2.HTTPTransport(verify=self._verify, limits=self._limits, http2=False))
                self._busy.append(0)
            self._busy[place] += 1
            return place

    def _give_back(self, place: int) -> None:
        with self._lock:
            self._busy[place] -= 1


class _Counted(httpx2.SyncByteStream):
    """A response's body that tells once when it is closed."""

    def __init__(
        self, stream: httpx2.SyncByteStream | httpx2.AsyncByteStream | None, closed: Callable[[], None]
    ) -> None:
        if not isinstance(stream, httpx2.SyncByteStream):
            raise TypeError("a response of a synchronous transport has a synchronous body")
        self._stream = stream
        self._closed: Callable[[], None] | None = closed

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        self._stream.close()
        closed, self._closed = self._closed, None
        if closed is not None:
            closed()
