"""One request under the guard: to the checked address, once, over verified TLS, within its time."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from hooks import HOST, Asked, Hooks, reply, serving
from names import NameServer

from debateroom import clock
from debateroom.errors import RefusedURL, TimedOut, Unreachable
from debateroom.outbound import guard, loopback
from debateroom.outbound.exchange import Ask, _authorities, _body, exchange


def test_the_connection_carries_the_name_and_goes_to_the_address() -> None:
    """Host, SNI and certificate are those of the name; path and query stay, the fragment goes nowhere."""
    with serving(lambda asked: reply(200, b"hello", Content_Type="text/plain")) as server:
        answer = exchange(Ask("GET", f"{server.url}?a=1&b=%20#part", headers={"X-Own": "1"}))
    (asked,) = server.asked
    assert (answer.status, answer.body, answer.cut) == (200, b"hello", False)
    assert answer.headers["content-type"] == "text/plain"
    assert (asked.line, asked.name) == ("GET /wake?a=1&b=%20 HTTP/1.1", HOST)
    assert asked.headers["host"] == f"{HOST}:{server.port}"
    assert (asked.headers["accept-encoding"], asked.headers["x-own"]) == ("identity", "1")


@pytest.fixture
def rebinding(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    """A name server whose second answer differs, below everything in this process that looks a name up."""
    names = NameServer(["127.0.0.1", "127.0.0.2"])
    real = socket.getaddrinfo

    def look_up(host: str, port: Any, *more: Any, **given: Any) -> Any:
        if host != HOST:
            return real(host, port, *more, **given)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (found, port or 0)) for found in names.resolve(host)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    yield names
    names.close()


def test_a_second_answer_of_the_resolver_is_never_used(rebinding: NameServer) -> None:
    """The name leads elsewhere right after the guard has looked: it is asked once, and where it led then."""
    with serving(resolve=guard._system) as server, socket.create_server(("127.0.0.2", server.port)) as other:
        assert exchange(Ask("GET", server.url)).status == 204
        assert (rebinding.asked, len(server.asked)) == ([HOST], 1)
        assert guard._system(HOST) == ["127.0.0.2"]
        other.setblocking(False)
        with pytest.raises(BlockingIOError):
            other.accept()


def test_a_name_that_leads_inside_is_refused_whenever_it_does(rebinding: NameServer) -> None:
    """The guard of every day, without what tests may do: both answers are of this machine, and none is asked."""
    with contextlib.closing(Hooks()) as server:
        for address in (r"127\.0\.0\.1", r"127\.0\.0\.2"):
            with pytest.raises(RefusedURL, match=address):
                exchange(Ask("GET", server.url, ports=(server.port,)))
    assert (rebinding.asked, server.accepted) == ([HOST, HOST], 0)


def test_a_redirect_is_not_followed() -> None:
    """One request; where it leads stands in the answer."""
    target = "http://169.254.169.254/latest/meta-data/"
    with serving(lambda asked: reply(302, b"x" * 10, Location=target)) as server:
        answer = exchange(Ask("GET", server.url))
    assert (answer.status, answer.headers["location"], answer.body) == (302, target, b"")
    assert len(server.asked) == server.accepted == 1


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor are certificates that it names."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with serving() as server:
        assert exchange(Ask("POST", server.url, content=b"{}")).status == 204


def test_a_certificate_of_another_name_or_of_nobody_is_refused() -> None:
    """TLS is verified for the name, though the URL that is sent carries an address."""
    with serving() as server:
        with pytest.raises(Unreachable, match=r"certificate of other\.example\.com"):
            exchange(Ask("GET", f"https://other.example.com:{server.port}/"))
        stranger = loopback.Loopback(lambda host: ["127.0.0.1"], _authorities())  # whom it trusts every day
        with loopback.opened(stranger), pytest.raises(Unreachable, match="certificate"):
            exchange(Ask("GET", server.url))
    assert (server.accepted, server.asked) == (2, [])


def test_a_long_body_is_cut() -> None:
    """No more than allowed is kept, however much is sent."""
    with serving(lambda asked: reply(200, b"x" * 300_000)) as server:
        answer = exchange(Ask("GET", server.url, most=1_000))
    assert (answer.body, answer.cut) == (b"x" * 1_000, True)


class Endless:
    """An answer whose body has no end, and how much of it was taken."""

    is_redirect = False
    taken = 0

    def iter_raw(self) -> Iterator[bytes]:
        while True:
            self.taken += 1_000
            yield b"x" * 1_000


def test_no_more_is_read_than_the_limit() -> None:
    """Of an endless body up to the piece that reaches it, and not one more."""
    answer: Any = Endless()
    assert _body(answer, 65_536) == (b"x" * 65_536, True)
    assert answer.taken == 66_000


def test_one_time_is_for_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the look-up of the name takes is gone for the connection and the answer. The clock is ours."""
    now, given = [100.0], []

    def look_up(host: str) -> list[str]:
        now[0] += 5.0
        return ["127.0.0.1"]

    def noted(seconds: float, work: Any, *, name: str) -> Any:
        given.append(seconds)
        return work()

    class Client(httpx2.Client):
        def __init__(self, **options: Any) -> None:
            given.append(options["timeout"])
            super().__init__(**options)

    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    monkeypatch.setattr("debateroom.outbound.exchange.within", noted)
    monkeypatch.setattr(httpx2, "Client", Client)
    with serving(resolve=look_up) as server:
        assert exchange(Ask("GET", server.url, seconds=8.0)).status == 204
    assert given == [3.0, 3.0]


def dripping(over: threading.Event, head: bytes) -> Iterator[bytes]:
    """An answer that goes on forever, a byte at a time."""
    yield head
    for number in itertools.count():
        if over.wait(0.05):
            return
        yield b"x-%d: y\r\n" % number if head.endswith(b"OK\r\n") else b"x"


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["headers", "body"])
def test_an_answer_that_never_ends_is_left_in_time(head: bytes) -> None:
    """Each byte starts a library's timeout anew; ours holds, and the connection is cut so that its thread ends."""
    over, began = threading.Event(), time.monotonic()
    with serving(lambda asked: dripping(over, head)) as server:
        with pytest.raises(TimedOut, match=r"did not answer within 0\.6 s"):
            exchange(Ask("GET", server.url, seconds=0.6, most=10_000_000))
        assert time.monotonic() - began < 20
        end = time.monotonic() + 20
        while any(thread.name == "debateroom-exchange" for thread in threading.enumerate()):
            assert time.monotonic() < end
            time.sleep(0.02)
        over.set()


def test_a_server_that_says_nothing_is_left_in_time() -> None:
    """Also one that takes the connection and does not begin the handshake."""
    with serving() as server, socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(TimedOut):
            exchange(Ask("GET", f"https://{HOST}:{port}/", seconds=0.5))
        assert server.accepted == 0


def test_a_slow_resolver_counts_too() -> None:
    """The look-up of the name is a part of the time."""
    over = threading.Event()
    with pytest.raises(RefusedURL, match="took too long"):
        exchange(Ask("GET", f"https://{HOST}/", seconds=0.3, resolve=lambda host: [str(over.wait(20))]))
    over.set()


def test_nobody_there_is_said_with_the_reason_of_the_system() -> None:
    """A refused connection, and an answer that is none; what was sent is not quoted."""
    with serving(lambda asked: b"garbage secret-word\r\n\r\n") as server:
        with pytest.raises(Unreachable) as caught:
            exchange(Ask("GET", server.url))
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        with pytest.raises(Unreachable, match="Connection refused"):
            exchange(Ask("GET", f"https://{HOST}:{port}/"))
    assert "secret-word" not in str(caught.value)
    assert caught.value.exit_code == 1


def test_headers_cannot_break_out_of_their_line() -> None:
    """A value with a line break is not sent."""
    with serving() as server, pytest.raises(Unreachable):
        exchange(Ask("GET", server.url, headers={"X-A": "1\r\nX-B: 2"}))
    assert [asked.headers.get("x-b") for asked in server.asked] == []


def test_the_way_past_the_guard_ends_with_its_block() -> None:
    """Also when the block fails; no variable opens it."""
    with contextlib.suppress(ZeroDivisionError), serving():
        assert loopback.current() is not None
        raise ZeroDivisionError
    assert loopback.current() is None


def test_asked_is_whole() -> None:
    """A body of several pieces reaches the server whole."""
    with serving() as server:
        exchange(Ask("POST", server.url, content=b"z" * 200_000))
    (asked,) = server.asked
    assert isinstance(asked, Asked)
    assert asked.body == b"z" * 200_000
