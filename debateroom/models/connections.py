"""Connections to a vendor, kept from one call to the next: the transport under an SDK's client. Loaded late.

Python's own HTTP client speaks here. The one that comes with the SDKs passes every piece of a stream through a dozen
layers and, for every call, looks at each connection it has: with hundreds of seats that was most of a call's CPU.
"""

from __future__ import annotations

import encodings.idna  # noqa: F401 - names of hosts need it: many first calls at once would all wait for its import
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import NamedTuple

import httpx2

from debateroom import clock
from debateroom.models.deadline import wait_on

_PIECE = 65_536
"""Bytes of a body that are read at once, at most."""
_END_SECONDS = 0.05
"""A body that was read up to its last event is given so long to end, so that its connection can serve again."""


class _Place(NamedTuple):
    """Whom a connection leads to."""

    scheme: str
    host: str
    port: int


class _Kept(NamedTuple):
    """A connection that waits for its next call."""

    connection: HTTPConnection
    since: float


class Connections(httpx2.BaseTransport):
    """A transport with as many connections as there are calls at once; errors are those of `httpx2`."""

    def __init__(self, *, context: ssl.SSLContext, idle_seconds: float) -> None:
        """`idle_seconds` after its last call a connection is not used again."""
        context.set_alpn_protocols(["http/1.1"])
        self._context = context
        self._idle_seconds = idle_seconds
        self._idle: dict[_Place, list[_Kept]] = {}
        """The one used last at the end."""
        self._closed = False
        self._lock = threading.Lock()  # protects both: every seat's thread comes through here

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, whose connection serves another call once its body was read and it was closed."""
        waits = request.extensions.get("timeout", {})
        scheme = request.url.scheme
        place = _Place(
            scheme, request.url.raw_host.decode("ascii"), request.url.port or (443 if scheme == "https" else 80)
        )
        connection = self._take(place) or self._open(place, waits.get("connect"))
        sock = connection.sock  # the connection forgets it when the server says that it will close
        try:
            with _as_http_errors():
                sock.settimeout(waits.get("read"))
                wait_on(sock)
                answer = _ask(connection, request)
        except BaseException:
            connection.close()
            raise
        return httpx2.Response(
            answer.status,
            headers=[(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.getheaders()],
            stream=_Body(answer, connection, partial(self._keep, place)),
            extensions={"socket": sock, "reason_phrase": answer.reason.encode("latin-1", "replace")},
        )

    def close(self) -> None:
        """Closes the connections that no call uses; one in use is closed when its call ends."""
        with self._lock:
            self._closed = True
            idle = [kept.connection for waiting in self._idle.values() for kept in waiting]
            self._idle.clear()
        for connection in idle:
            connection.close()

    def _take(self, place: _Place) -> HTTPConnection | None:
        """The connection that was used last and still stands; None when there is none."""
        while True:
            with self._lock:
                waiting = self._idle.get(place)
                if not waiting:
                    return None
                kept = waiting.pop()
            if clock.monotonic() - kept.since < self._idle_seconds and not _is_readable(kept.connection.sock):
                return kept.connection
            kept.connection.close()

    def _open(self, place: _Place, seconds: float | None) -> HTTPConnection:
        if place.scheme == "https":
            connection: HTTPConnection = HTTPSConnection(
                place.host, place.port, timeout=seconds, context=self._context
            )
        else:
            connection = HTTPConnection(place.host, place.port, timeout=seconds)
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            kind = httpx2.ConnectTimeout if isinstance(error, TimeoutError) else httpx2.ConnectError
            raise kind(str(error)) from error
        return connection

    def _keep(self, place: _Place, connection: HTTPConnection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.setdefault(place, []).append(_Kept(connection, clock.monotonic()))
                return
        connection.close()


class _Body(httpx2.SyncByteStream):
    """A response's body, piece by piece as it comes."""

    def __init__(
        self, answer: HTTPResponse, connection: HTTPConnection, keep: Callable[[HTTPConnection], None]
    ) -> None:
        self._answer = answer
        self._connection: HTTPConnection | None = connection
        self._keep = keep
        self._ended = False

    def __iter__(self) -> Iterator[bytes]:
        with _as_http_errors():
            while piece := self._answer.read1(_PIECE):
                yield piece
        if self._answer.length:
            raise httpx2.RemoteProtocolError("the connection was closed before the answer's end")
        self._ended = True

    def close(self) -> None:
        """Gives the connection back, or closes it when it cannot serve another call."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        wait_on(None)
        again = self._leaves_nothing(connection)
        self._answer.close()
        if again:
            self._keep(connection)
        else:
            connection.close()

    def _leaves_nothing(self, connection: HTTPConnection) -> bool:
        """Whether the body is over. Who stops at a stream's last event leaves its end, which is on its way."""
        if connection.sock is None:  # the server said that it would close
            return False
        if self._ended or self._answer.isclosed():  # a body that broke off is closed as well
            return self._ended
        try:
            connection.sock.settimeout(_END_SECONDS)
            return not self._answer.read1(1)
        except (OSError, HTTPException):
            return False


def _ask(connection: HTTPConnection, request: httpx2.Request) -> HTTPResponse:
    """Sends `request`, whose headers are complete, and reads the head of what comes back."""
    target = request.url.raw_path.decode("ascii")
    connection.putrequest(request.method, target, skip_host=True, skip_accept_encoding=True)
    for name, value in request.headers.raw:
        connection.putheader(name, value)  # it refuses what would break out of its line
    connection.endheaders(request.read())
    return connection.getresponse()


def _is_readable(sock: socket.socket) -> bool:
    """Whether an idle connection has something to read: its end, or what nobody asked for."""
    if not hasattr(select, "poll"):
        return bool(select.select([sock], [], [], 0)[0])
    poll = select.poll()  # unlike `select` it takes sockets of any number
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


@contextmanager
def _as_http_errors() -> Iterator[None]:
    """A block whose errors on the network leave it as those of the SDKs' HTTP library, which our table knows."""
    try:
        yield
    except TimeoutError as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except OSError as error:
        raise httpx2.NetworkError(str(error)) from error
    except HTTPException as error:
        raise httpx2.RemoteProtocolError(type(error).__name__) from error
    except ValueError as error:  # a header that cannot be sent
        raise httpx2.LocalProtocolError(str(error)) from error
