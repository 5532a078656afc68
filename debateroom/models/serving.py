"""llama.cpp's server inside this process: one model, one slot, on a free port of this machine."""

from __future__ import annotations

import atexit
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from debateroom.errors import NoModel

_INSTALL = 'pip install --upgrade "debateroom[embedded]"'
_MOST_THREADS = 8
"""A model this small gains nothing from more: they would only wait for each other."""
_STEP = 128
"""Tokens of a prompt that are read in one go. Nothing is stopped inside one, and larger ones are no faster."""
_SPARE = 256
"""Mebibytes for prompts that the slot had to give up, 12 KiB a token: so two that talk in turns find theirs."""
_PATIENCE = 3.0
"""Seconds that closing waits for a call under way to notice; after that it ends in the background."""
_WAITING = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "300"}
"""How threads wait for each other. As it comes, they spin for milliseconds, and one other busy process makes
everything four times as slow. Sleeping at once costs a third on an idle machine: so a few microseconds first."""
_CGROUP = Path("/sys/fs/cgroup/cpu.max")
_TOPOLOGY = Path("/sys/devices/system/cpu")


class Serving:
    """A running server; `url` and `key` reach it. It answers nobody who lacks the key, and writes to no stream."""

    def __init__(self, path: Path, *, window: int) -> None:
        """Loads the model, about a second. Raises NoModel when the file is no model that can be loaded."""
        try:
            with _waiting():
                import xllamacpp
        except ImportError as error:
            raise NoModel(f"xllamacpp cannot be loaded: {error}", hint=_INSTALL) from error

        self.key = secrets.token_urlsafe(24)
        """Drawn at random: other programs and web pages on this machine can reach the port, but not the model."""
        try:
            self._server: Any = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), path, window, self.key))
        except (RuntimeError, ValueError) as error:
            raise NoModel(
                f"{path} cannot be loaded as a model: it is damaged, of an unknown kind, or larger than the memory",
                hint="debateroom models pull --verify",
            ) from error
        self.url: str = self._server.listening_address
        """`http://127.0.0.1:PORT`."""
        atexit.register(self.close)

    def close(self) -> None:
        """Stops the server. Hang up on it first: it ends when the call under way has noticed, a second at most."""
        atexit.unregister(self.close)
        server = [self._server]
        self._server = None
        # its destructor waits for the call under way, and has no limit of its own
        closing = threading.Thread(target=server.clear, name="embedded-close", daemon=True)
        closing.start()
        closing.join(_PATIENCE)


def _parameters(given: Any, path: Path, window: int, key: str) -> Any:
    given.model.path = str(path)
    given.model_alias = {path.stem}
    # several slots would not share the prompt's common beginning, and each would read it again
    given.n_parallel = 1
    given.n_ctx = window
    given.n_batch = given.n_ubatch = _STEP
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads()
    given.cache_ram_mib = _SPARE
    given.verbosity = -1  # stdout is the answer, stderr is ours
    given.api_keys = [key]
    given.cors_origins = ""
    given.ui = given.endpoint_slots = False
    return given


@contextmanager
def _waiting() -> Iterator[None]:
    """Sets how the library's threads wait, which it reads once, while it is loaded; then all is as it was."""
    added = {name: value for name, value in _WAITING.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def threads() -> int:
    """Cores that this process may use, each once however many threads it has, 8 at most."""
    cores = _cores()
    quota = _quota()
    return max(1, min(cores if quota is None else min(cores, int(quota)), _MOST_THREADS))


def _cores() -> int:
    if not hasattr(os, "sched_getaffinity"):
        # macOS and Windows: as many as there are fast cores, or cores that run two threads
        return (os.cpu_count() or 2) // 2
    mine = os.sched_getaffinity(0)
    return len({_siblings(number) for number in mine})


def _siblings(number: int) -> str:
    """Which logical CPUs share a core with this one, as Linux writes it; the number itself where it does not say."""
    try:
        return (_TOPOLOGY / f"cpu{number}" / "topology" / "thread_siblings_list").read_text().strip()
    except OSError:
        return str(number)


def _quota() -> float | None:
    """CPUs that a container's limit leaves, None where there is no limit."""
    try:
        limit, period = _CGROUP.read_text().split()
        return int(limit) / int(period)
    except (OSError, ValueError):
        return None
