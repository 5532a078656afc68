"""A TLS server on this machine that stands for a public one called `hooks.example.com`, and what it was asked."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from debateroom.outbound.loopback import Loopback, opened

HOST = "hooks.example.com"
LEAF = Path(__file__).with_name("hooks.pem")
"""Its certificate with its key."""
AUTHORITY = Path(__file__).with_name("hooks_authority.pem")
"""Who signed it; nobody else knows that authority."""


@dataclass(slots=True)
class Asked:
    """One request as it came."""

    line: str
    """`POST /wake HTTP/1.1`."""
    headers: dict[str, str]
    body: bytes
    name: str | None
    """The name that the TLS handshake asked for."""


Say = Callable[[Asked], "bytes | Iterator[bytes]"]
"""The raw answer to a request, whole or in pieces."""


def reply(status: int, body: bytes = b"", **headers: str) -> bytes:
    """A plain answer."""
    lines = [f"HTTP/1.1 {status} Said", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


@dataclass
class Hooks:
    """The server. `say` may be replaced between two requests."""

    say: Say = field(default=lambda asked: reply(204))
    asked: list[Asked] = field(default_factory=list)
    accepted: int = 0
    """Connections, also those that broke off in the handshake."""

    def __post_init__(self) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(LEAF)
        self._names: dict[int, str | None] = {}
        self._context.sni_callback = self._note_name
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._over = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it is, by its name."""
        return f"https://{HOST}:{self.port}/wake"

    def close(self) -> None:
        """Takes no more connections; an answer that goes on comes to its end."""
        self._over.set()
        self._listener.close()

    def _note_name(self, sock: ssl.SSLSocket | ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        self._names[id(sock)] = name

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, plain: socket.socket) -> None:
        plain.settimeout(10)
        try:
            with self._context.wrap_socket(plain, server_side=True) as connection:
                asked = _read(connection)
                asked.name = self._names.get(id(connection))
                self.asked.append(asked)
                said = self.say(asked)
                for piece in [said] if isinstance(said, bytes) else said:
                    if self._over.is_set():
                        return
                    connection.sendall(piece)
        except OSError:
            plain.close()


def _read(connection: ssl.SSLSocket) -> Asked:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if not piece:
            raise OSError("gone")
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    line, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65_536)
    return Asked(line, headers, body, None)


@contextmanager
def serving(say: Say | None = None, *, resolve: Callable[[str], list[str]] | None = None) -> Iterator[Hooks]:
    """A server that this process may ask for as long as the block lasts."""
    server = Hooks(say) if say else Hooks()
    trust = ssl.create_default_context(cafile=AUTHORITY)
    try:
        with opened(Loopback(resolve or (lambda host: ["127.0.0.1"]), trust)):
            yield server
    finally:
        server.close()
