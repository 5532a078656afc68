"""One request to an address that the guard has checked, and its answer: one attempt, one connection, one deadline."""

from __future__ import annotations

import socket
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from ssl import SSLCertVerificationError
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit, urlunsplit

from debateroom import __version__, clock
from debateroom.errors import TimedOut, Unreachable, Wording
from debateroom.language import worded
from debateroom.outbound import loopback
from debateroom.outbound.guard import HTTPS, PATIENCE, Pinned, Resolve, check_webhook_url
from debateroom.outbound.waiting import within

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import Response

_OWN = {"User-Agent": f"debateroom/{__version__}", "Accept-Encoding": "identity", "Connection": "close"}


@dataclass(frozen=True, slots=True)
class Ask:
    """One request."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    seconds: float = 8.0
    """For everything: the name's look-up, the connection, the answer."""
    most: int = 65_536
    """Bytes of the answer's body that are read."""
    ports: Collection[int] = ()
    """Ports that are allowed besides 443."""
    resolve: Resolve | None = None
    """Stands in for DNS."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes
    """As it was sent, not decompressed; a redirect's is not read."""
    cut: bool
    """Whether the body was longer than may be read."""


def exchange(ask: Ask) -> Answered:
    """The answer to `ask`, a redirect as it stands. Raises RefusedURL, TimedOut, Unreachable.

    The connection goes to the address that was checked: the URL that is sent carries it, so that nothing is looked
    up a second time, while `Host`, SNI and certificate are those of the name. No proxy or other trust is taken from
    the environment.
    """
    until = clock.monotonic() + ask.seconds
    pinned = check_webhook_url(ask.url, resolve=ask.resolve, ports=ask.ports, seconds=min(PATIENCE, ask.seconds))
    line = _Line()
    try:
        return within(until - clock.monotonic(), lambda: _send(ask, pinned, until, line), name="exchange")
    except TimeoutError:
        line.cut()
        raise worded(
            TimedOut, Wording("web_timed_out", {"host": pinned.host, "seconds": f"{ask.seconds:g}"})
        ) from None


class _Line:
    """The connection of one request, so that it can be cut from outside: its thread then comes back."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None

    def note(self, event: str, about: Mapping[str, Any]) -> None:
        """Called by the HTTP library at each of its steps."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = about["return_value"].get_extra_info("socket")

    def cut(self) -> None:
        """Ends the connection, if there is one."""
        if self._socket is not None:
            with suppress(OSError):
                # the plain method: the one of a TLS socket would take the session away under the reading thread
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def _send(ask: Ask, pinned: Pinned, until: float, line: _Line) -> Answered:
    import httpx2

    left = max(0.1, until - clock.monotonic())
    try:
        with httpx2.Client(verify=_trust(), trust_env=False, follow_redirects=False, timeout=left) as client:
            request = client.build_request(
                ask.method,
                _at_address(ask.url, pinned),
                headers={"Host": _host_header(pinned), **_OWN, **ask.headers},
                content=ask.content or None,
                extensions={"sni_hostname": pinned.host, "trace": line.note},
            )
            response = client.send(request, stream=True)
            try:
                body, cut = _body(response, ask.most)
            finally:
                response.close()
    except httpx2.TimeoutException:
        raise TimeoutError from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        _unreachable(pinned.host, error)
    return Answered(response.status_code, {name.lower(): text for name, text in response.headers.items()}, body, cut)


def _at_address(url: str, pinned: Pinned) -> str:
    """`url` with the checked address in the place of its host, without its fragment."""
    parts = urlsplit(url)
    address = f"[{pinned.address}]" if ":" in pinned.address else pinned.address
    return urlunsplit(("https", f"{address}:{pinned.port}", parts.path or "/", parts.query, ""))


def _host_header(pinned: Pinned) -> str:
    host = f"[{pinned.host}]" if ":" in pinned.host else pinned.host
    return host if pinned.port == HTTPS else f"{host}:{pinned.port}"


def _body(response: Response, most: int) -> tuple[bytes, bool]:
    """The first `most` bytes, and whether there were more."""
    if response.is_redirect:
        return b"", False
    read = bytearray()
    for piece in response.iter_raw():
        read += piece
        if len(read) > most:
            return bytes(read[:most]), True
    return bytes(read), False


def _trust() -> SSLContext:
    opened = loopback.current()
    return opened.trust if opened else _authorities()


@cache
def _authorities() -> SSLContext:
    from httpx2 import create_ssl_context

    return create_ssl_context(trust_env=False)


def _unreachable(host: str, error: BaseException) -> NoReturn:
    """Raises Unreachable with what the system says; a library's own words may quote the answer."""
    chain, cause = [], error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__  # type: ignore[assignment]
    if any(isinstance(one, SSLCertVerificationError) for one in chain):
        raise worded(Unreachable, Wording("web_certificate", {"host": host})) from None
    system = next((one.strerror for one in chain if isinstance(one, OSError) and one.strerror), type(error).__name__)
    raise worded(Unreachable, Wording("web_unreachable", {"host": host, "reason": system})) from None
