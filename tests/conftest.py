"""What every test stands on: no network beyond loopback, no keys from outside, skips that count where they must."""

from __future__ import annotations

import itertools
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from vendor import VendorServer

from debateroom.models import retry

_LOOPBACK = ("127.", "::1", "localhost")
_KEYS = ("ANTHROPIC_", "OPENAI_", "DEBATEROOM_", "CLAUDE", "CODEX_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_KEPT = ("DEBATEROOM_GGUF", "DEBATEROOM_NO_SKIPS")


@pytest.fixture(scope="session")
def _config(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes an empty folder for a test's own settings and keys."""
    # a `mktemp` for each would look through the folders of all tests before, for a free number
    parent, numbers = tmp_path_factory.mktemp("config"), itertools.count()

    def make() -> Path:
        folder = parent / str(next(numbers))
        folder.mkdir()
        return folder

    return make


@pytest.fixture(autouse=True)
def _no_keys_from_outside(monkeypatch: pytest.MonkeyPatch, _config: Callable[[], Path]) -> None:
    for name in list(os.environ):
        if name.upper().startswith(_KEYS) and name not in _KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(_config()))
    # without what is compiled, every process that a test starts would compile the package anew
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that reaches for the network fails; only the marked ones may use the package registries."""
    if request.node.get_closest_marker("embedded"):
        yield
        return
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else str(address)
        if self.family != socket.AF_UNIX and not str(host).startswith(_LOOPBACK):
            raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    yield


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and keys for both vendors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-0123456789")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    return tmp_path


@pytest.fixture
def serve(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., VendorServer]]:
    """Starts servers that `sonnet` and `gpt` are asked on."""
    open_servers: list[VendorServer] = []

    def start(reply: Any, **options: Any) -> VendorServer:
        server = VendorServer(reply, **options).__enter__()
        open_servers.append(server)
        monkeypatch.setenv("DEBATEROOM_ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("DEBATEROOM_OPENAI_BASE_URL", server.openai_url)
        return server

    yield start
    for server in open_servers:
        server.__exit__(None, None, None)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """With DEBATEROOM_NO_SKIPS a skipped test is a failed one: CI must not lose a marked test in silence."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("DEBATEROOM_NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and nothing may be skipped here: {report.longrepr}"


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """The same for a whole file that skips itself, such as one whose library is missing."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.outcome == "skipped" and os.environ.get("DEBATEROOM_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and nothing may be skipped here: {report.longrepr}"


@pytest.fixture
def no_waits() -> Iterator[list[float]]:
    """The retries' test mode: nothing sleeps."""
    with retry.no_sleep() as waits:
        yield waits
