"""The page's server: on this machine only, in a thread of its own, so that the main one hears Ctrl-C."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import uvicorn

from debateroom.doors import app
from debateroom.errors import DebateroomError, UsageError

HOST = "127.0.0.1"
_GOODBYE = 1
"""Seconds that connections have to end by themselves."""
_START = 10.0
"""Seconds until it answers."""


class Served:
    """A page that is open."""

    def __init__(self, server: uvicorn.Server, thread: threading.Thread, port: int) -> None:
        self.url = f"http://{HOST}:{port}/"
        self._server = server
        self._thread = thread

    def wait(self) -> None:
        """Until it is closed or interrupted."""
        while self._thread.is_alive():
            self._thread.join(0.2)


@contextlib.contextmanager
def serving(active: Path, *, port: int, agent: str | None, language: str, folder: Path) -> Iterator[Served]:
    """A block in which the page is open, at `port` or, for 0, at any free one. Raises UsageError for one in use."""
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise UsageError(f"port {port} cannot be used: {error.strerror or error}", hint="--port 0") from error
    number = int(listener.getsockname()[1])
    hosts = frozenset({f"{HOST}:{number}", f"localhost:{number}"})
    over = threading.Event()
    made = app.make(active, hosts=hosts, agent=agent, language=language, folder=folder, over=over)
    config = uvicorn.Config(
        made, log_config=None, access_log=False, server_header=False, lifespan="off", ws="none",
        timeout_graceful_shutdown=_GOODBYE,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="page", daemon=True)
    thread.start()
    try:
        _wait_until(server, thread)
        yield Served(server, thread, number)
    finally:
        over.set()  # a page that listens would keep its connection
        server.should_exit = True
        thread.join(_GOODBYE + 2)
        listener.close()


def _wait_until(server: uvicorn.Server, thread: threading.Thread) -> None:
    for _ in range(int(_START / 0.02)):
        if server.started:
            return
        thread.join(0.02)
        if not thread.is_alive():
            break
    raise DebateroomError("the page's server did not start")
