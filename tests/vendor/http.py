"""As much HTTP/1.1 as the SDKs speak: requests with a length, answers whole or in chunks, connections kept alive."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable, Mapping
from http.client import responses as phrases
from typing import Any, NamedTuple

_SECRET = ("x-api-key", "authorization", "api-key", "cookie")


class Request(NamedTuple):
    """One request, whole."""

    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def key(self) -> str:
        """The key the client sent, whichever header it used; empty when none."""
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")

    def safe_headers(self) -> dict[str, str]:
        """The headers with every key replaced."""
        return {name: "[redacted]" if name in _SECRET else value for name, value in self.headers.items()}


def take_request(buffer: bytearray) -> Request | None:
    """Removes the first request from `buffer` and returns it; None while it is incomplete."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = buffer[:end].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    length = int(headers.get("content-length", "0"))
    if len(buffer) < end + 4 + length:
        return None
    body = bytes(buffer[end + 4 : end + 4 + length])
    del buffer[: end + 4 + length]
    method, path, _ = first.split(" ", 2)
    return Request(method, path, headers, body)


class Channel:
    """The answering side of one connection.

    `ended` is called with the status just before the last byte goes out, so that whoever has the answer also
    finds it in the log.
    """

    def __init__(
        self, transport: asyncio.Transport, headers: Mapping[str, str], ended: Callable[[int | None], None]
    ) -> None:
        self._transport = transport
        self._headers = headers
        self._ended = ended
        self.status: int | None = None
        """What was sent; None before the head."""

    def _head(self, status: int, headers: Mapping[str, str]) -> bytes:
        self.status = status
        lines = [f"HTTP/1.1 {status} {phrases.get(status, 'Unknown')}"]
        lines += [f"{name}: {value}" for name, value in {**self._headers, **headers}.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def whole(
        self,
        body: Any,
        *,
        status: int = 200,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Sends a complete answer; anything but bytes goes as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        head = self._head(status, {"content-type": kind, "content-length": str(len(data)), **(headers or {})})
        self._ended(status)
        self._transport.write(head + data)

    def open(self, first: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """Begins a stream of server-sent events with `first`."""
        stream = {"content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked"}
        self._transport.write(self._head(200, {**stream, **(headers or {})}) + _chunk(first))

    def send(self, data: bytes) -> None:
        """One more part of the stream."""
        self._transport.write(_chunk(data))

    def part(self, data: bytes, *, of: int) -> None:
        """Begins an answer of `of` bytes in one piece, and sends only the first ones."""
        self._transport.write(self._head(200, {"content-type": "application/json", "content-length": str(of)}) + data)

    def more(self, data: bytes) -> None:
        """Further bytes of an answer that was begun with `part`."""
        self._transport.write(data)

    def end(self) -> None:
        """Ends the stream the proper way; the connection stays open."""
        self._ended(self.status)
        self._transport.write(b"0\r\n\r\n")

    def drop(self) -> None:
        """Closes the connection where it is: a stream cut in the middle."""
        self._ended(self.status)
        self._transport.close()

    def reset(self) -> None:
        """Breaks the connection with a reset, as a crashing server does."""
        sock: socket.socket = self._transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._ended(self.status)
        self._transport.abort()


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data) if data else b""
