"""A Dask cluster as an executor: each debate is one task, with the path of its room and nothing secret in it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any, NamedTuple

from debateroom.errors import RoomError, UsageError

_CONNECT = 10.0
"""Seconds in which the scheduler must answer."""
_SCHEMES = ("tcp://", "tls://", "ucx://")


class Cluster(NamedTuple):
    """An executor, and how many processes work behind it."""

    executor: Executor
    workers: int


@contextlib.contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """The cluster whose scheduler is at `address`. Raises UsageError, and RoomError when nobody answers there."""
    if not address.startswith(_SCHEMES):
        raise UsageError(f"--cluster is {address!r}: no address of a scheduler", hint="--cluster tcp://HOST:8786")
    try:
        import distributed
    except ImportError as error:
        what = "--cluster needs Dask, which is not installed"
        raise UsageError(what, hint='pip install "debateroom[dask]"') from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is said of each debate
    try:
        connect: Any = distributed.Client
        client = connect(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        hint = f"start one: dask scheduler, and workers: dask worker {address} --nthreads 16"
        raise RoomError(f"no scheduler answers at {address}", hint=hint) from error
    closing = contextlib.ExitStack()
    closing.callback(client.close, timeout=1)
    with _but_at_once(closing):
        workers = len(client.nthreads())
        if not workers:
            raise RoomError(
                f"the cluster at {address} has no workers", hint=f"start some: dask worker {address} --nthreads 16"
            )
        yield Cluster(client.get_executor(pure=False), workers)


@contextlib.contextmanager
def _but_at_once(closing: contextlib.ExitStack) -> Iterator[None]:
    """Closes at the end, but not after Ctrl-C: the process ends anyway, and the scheduler notices."""
    try:
        yield
    except Exception:
        closing.close()
        raise
    closing.close()
