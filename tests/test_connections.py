"""The connections under an SDK's client: kept for the next call, and never used again once something was wrong."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from vendor import Said, VendorServer
from vendor.faults import BrokenJSON, Cut, HttpError, Reset, StreamError, fail_first
from web_models import KEYS, models

from debateroom.errors import CallFailed
from debateroom.messages import Request
from debateroom.models import retry
from debateroom.models.connections import Connections
from debateroom.models.registry import Models, ModelSettings

REQUEST = Request((), "own")
PEM = Path(__file__).with_name("loopback.pem")
"""A certificate for 127.0.0.1 that nobody trusts, with its key."""


@contextmanager
def client(context: ssl.SSLContext | None = None, idle_seconds: float = 30.0, **more: Any) -> Iterator[httpx2.Client]:
    """A plain client on connections of its own."""
    connections = Connections(context=context or ssl.create_default_context(), idle_seconds=idle_seconds)
    with httpx2.Client(transport=connections, timeout=10, **more) as opened:
        yield opened


def close_from_the_servers_side(server: VendorServer) -> None:
    """Closes every connection that is open, as a server does with one that was idle for long."""

    async def close() -> None:
        for connection in list(server.connections):
            connection.transport.close()
        await asyncio.sleep(0.1)

    asyncio.run_coroutine_threadsafe(close(), server._loop).result(10)


@pytest.mark.parametrize(
    ("name", "api"),
    [("opus", "responses"), ("gpt", "responses"), ("openai:qwen", "chat")],
    ids=["messages", "responses", "chat"],
)
class TestEveryApi:
    def test_one_connection_serves_one_call_after_the_other(self, name: str, api: Any) -> None:
        """Also where the stream is left at its last event, before the end of its body."""
        with VendorServer("yes") as server, models(server, api) as opened:
            assert [opened.open(name).ask(REQUEST).text for _ in range(3)] == ["yes"] * 3
            assert server.accepted == 1

    def test_one_that_the_server_closed_is_not_used_again(self, name: str, api: Any) -> None:
        """The next call opens another and does not fail first."""
        with VendorServer("yes") as server, models(server, api, attempts=1) as opened:
            for _ in range(3):
                assert opened.open(name).ask(REQUEST).text == "yes"
                close_from_the_servers_side(server)
            assert server.accepted == 3

    @pytest.mark.parametrize(
        "said",
        [Cut(), Cut(abrupt=True), Reset("POSITION: we"), StreamError(529), BrokenJSON(), HttpError(503)],
        ids=lambda value: repr(value)[:30],
    )
    def test_after_a_fault_the_next_call_is_answered_whole(self, name: str, api: Any, said: Said) -> None:
        """Nothing of a broken answer is left for the call after it, twenty times in a row."""
        with (
            retry.no_sleep(),
            VendorServer(fail_first(20, said, "yes")) as server,
            models(server, api, attempts=21) as opened,
        ):
            assert opened.open(name).ask(REQUEST).text == "yes"
            assert len(server.calls) == 21


def test_an_idle_connection_has_its_time() -> None:
    """One that was idle for too long is closed, and the next call opens another."""
    with VendorServer("yes") as server, client(idle_seconds=0.0) as opened:
        for _ in range(3):
            assert opened.get(f"{server.url}/v1/models").status_code == 200
        assert server.accepted == 3


def test_a_body_that_is_shorter_than_announced_is_an_error() -> None:
    """A connection that closes in the middle is no end of an answer."""
    with VendorServer(Cut()) as server, client() as opened, pytest.raises(httpx2.RemoteProtocolError):
        opened.post(
            f"{server.url}/v1/messages",
            json={"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]},
            headers={"anthropic-version": "x"},
        )


def test_what_never_comes_is_a_timeout() -> None:
    """Neither an answer's head nor a connection is waited for longer than the request says."""
    with socket.create_server(("127.0.0.1", 0)) as silent, client() as opened:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(httpx2.ReadTimeout):
            opened.get(url, timeout=httpx2.Timeout(5, read=0.2))


def test_a_header_that_would_break_out_of_its_line_is_not_sent() -> None:
    """It is refused before anything is sent."""
    with VendorServer("yes") as server, client() as opened, pytest.raises(httpx2.LocalProtocolError):
        opened.get(f"{server.url}/v1/models", headers={"x-key": "a\r\nx-other: b"})
    assert server.lookups == []


class _Chat(BaseHTTPRequestHandler):
    """A compatible server that answers in one piece."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = b'{"choices": [{"finish_reason": "stop", "message": {"content": "POSITION: yes"}}]}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *said: Any) -> None:
        """Nothing: a test's output is its own."""


@pytest.fixture
def encrypted() -> Iterator[str]:
    """The address of a server that speaks TLS with a certificate of its own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Chat) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign] # a client that leaves is what is tested
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"https://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_a_certificate_that_is_trusted_is_enough(encrypted: str) -> None:
    """A call over TLS is a call like any other, and its connection is kept."""
    with client(ssl.create_default_context(cafile=PEM)) as opened:
        answers = [opened.post(encrypted, json={"x": "y"}) for _ in range(2)]
    assert [answer.json()["choices"][0]["message"]["content"] for answer in answers] == ["POSITION: yes"] * 2


def test_a_certificate_that_nobody_trusts_ends_the_call(encrypted: str) -> None:
    """It is named as the reason, and not tried again."""
    settings = ModelSettings(openai_url=encrypted, openai_api="chat")
    with Models(settings, keys=KEYS) as opened, pytest.raises(CallFailed) as caught:
        opened.open("openai:qwen").ask(REQUEST)
    assert str(caught.value) == "The certificate of openai is not trusted here, so qwen was not asked."
    assert (caught.value.retry, caught.value.cause) == (False, "connection")
