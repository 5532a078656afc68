"""The guard: which web addresses are asked at all, and at which one IP address. It looks a name up once."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Collection
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple, NoReturn
from urllib.parse import SplitResult, urlsplit

from debateroom.errors import RefusedURL, Wording
from debateroom.language import worded
from debateroom.outbound import loopback, ranges
from debateroom.outbound.waiting import within
from debateroom.terminal import one_line

HTTPS = 443
LONGEST = 2_048
"""Characters of an address."""
PATIENCE = 5.0
"""Seconds one look-up of a name may take."""

Resolve = Callable[[str], list[str]]
"""The IP addresses of a name. Raises OSError when it has none."""
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label that makes resolvers read the whole host as an IPv4 address, whatever its spelling."""
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_LOCAL = (".localhost", ".local", ".internal", ".home.arpa", ".onion", ".invalid")
"""Names that are nobody's on the public web."""


class Pinned(NamedTuple):
    """Where a web address leads."""

    host: str
    """The name as the certificate has it, lower case; an IP address in its shortest form."""
    port: int
    address: str
    """The one IP address that was checked, and that the connection goes to."""


class Unresolved(RefusedURL):
    """A name that has no address now: unknown, or the look-up failed."""

    late = False
    """Whether it took too long."""


def check_webhook_url(
    url: str, *, resolve: Resolve | None = None, ports: Collection[int] = (), seconds: float = PATIENCE
) -> Pinned:
    """The pinned `(host, port, address)` of a public `https` address. Raises RefusedURL with the reason.

    `resolve` stands in for DNS and is asked once; one bad address among those of a name refuses it. `ports` are
    allowed besides 443. `seconds` is how long the look-up may take.
    """
    parts = _split(url)
    if parts.scheme != "https":
        _refuse("url_scheme")
    if "@" in parts.netloc:
        _refuse("url_userinfo")
    host, port = _place(parts)
    if port != HTTPS and port not in ports and loopback.current() is None:
        _refuse("url_port", port=str(port))
    literal = _literal(host)
    if literal is not None:
        return Pinned(str(literal), port, _public(str(literal), literal))
    _check_name(host)
    found = _look_up(host, resolve or _resolver(), seconds)
    checked = [_public(host, address) for address in found]
    return Pinned(host, port, checked[0])


def _split(url: object) -> SplitResult:
    if not isinstance(url, str):
        _refuse("url_no_text")
    if not url.strip():
        _refuse("url_empty")
    if len(url) > LONGEST:
        _refuse("url_long", most=LONGEST)
    if not url.isprintable() or any(mark.isspace() or mark in '\\<>"' for mark in url):
        _refuse("url_characters")  # parsers drop some of these and read another host
    try:
        return urlsplit(url)
    except ValueError:
        _refuse("url_malformed")


def _place(parts: SplitResult) -> tuple[str, int]:
    """Host, lower case and without brackets, and port, as they are spelled; nothing is decoded."""
    host, port = parts.netloc, ""
    if host.startswith("["):
        host, closed, port = host[1:].partition("]")
        if not closed or (port and not port.startswith(":")) or ":" not in host:
            _refuse("url_malformed")
        given, port = bool(port), port[1:]
    else:
        host, colon, port = host.partition(":")
        given = bool(colon)
    if not host:
        _refuse("url_no_host")
    if given and (not _PORT.fullmatch(port) or int(port) > 65_535):
        _refuse("url_bad_port")
    return host.lower(), int(port) if given else HTTPS


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    """The IP address that `host` spells; None for a name. Only the one spelling of an IPv4 address is taken."""
    if ":" not in host and not _NUMBER.fullmatch(host.rpartition(".")[2]):
        return None
    try:
        if "%" not in host:
            return ip_address(host)
    except ValueError:
        pass
    return _refuse("url_spelling", host=one_line(host, 80))


def _check_name(host: str) -> None:
    """Raises RefusedURL for what is no full name of a public host in ASCII."""
    if not host.isascii() or "%" in host:
        _refuse("url_spelling", host=one_line(host, 80))
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        _refuse("url_bad_name", host=one_line(host, 80))
    if len(labels) < 2 or host.endswith(_LOCAL):
        _refuse("url_local_name", host=host)


def _resolver() -> Resolve:
    opened = loopback.current()
    return opened.resolve if opened else _system


def _system(host: str) -> list[str]:
    """The addresses that this machine's resolver knows, in the order it prefers."""
    answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def _look_up(host: str, resolve: Resolve, seconds: float) -> list[IPv4Address | IPv6Address]:
    """All addresses of `host`, looked up once."""
    try:
        answers = within(seconds, lambda: resolve(host), name="look-up")
    except TimeoutError:
        late = worded(Unresolved, Wording("url_slow_name", {"host": host}))
        late.late = True
        raise late from None
    except (OSError, ValueError, LookupError):
        answers = []
    if not answers:
        raise worded(Unresolved, Wording("url_no_address", {"host": host}))
    try:
        return [ip_address(answer) for answer in answers]
    except ValueError:
        _refuse("url_no_address", host=host)


def _public(host: str, address: IPv4Address | IPv6Address) -> str:
    """`address` as text. Raises RefusedURL unless it is a public one."""
    if loopback.current() is not None and address.is_loopback:
        return str(address)
    refused_by = ranges.refusing(address)
    scope = getattr(address, "scope_id", None)
    if refused_by is not None or scope:
        key = "url_not_public_itself" if host == str(address) else "url_not_public"
        _refuse(key, host=host, address=str(address), range=refused_by or str(scope))
    return str(address)


def _refuse(key: str, /, **figures: object) -> NoReturn:
    raise worded(RefusedURL, Wording(key, figures))
