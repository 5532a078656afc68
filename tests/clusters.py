"""A real Dask cluster on loopback: a scheduler and workers, each a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from vendor import Call, place_of

_ADDRESS = re.compile(r"tcp://127\.0\.0\.1:\d+")
_START = 60.0
"""Seconds that one of the processes may take until it is there."""


class LoopbackCluster:
    """A scheduler, and workers that know their keys and addresses from `environment`. A context manager."""

    def __init__(self, folder: Path, environment: Mapping[str, str], *, workers: int, threads: int) -> None:
        root = Path(__file__).parents[1]
        self._environment = {**os.environ, **environment, "PYTHONPATH": str(root)}
        self._folder = folder
        self._count = workers
        self._threads = threads
        self._processes: list[subprocess.Popen[str]] = []
        self.address = ""
        """Of the scheduler."""

    def __enter__(self) -> LoopbackCluster:
        try:
            self.address = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
            for number in range(self._count):
                self._start("worker", self.address, *self._worker(number))
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait(10)
            if process.stderr:
                process.stderr.close()

    def kill_worker(self) -> None:
        """One worker is gone, as if its machine had lost power; nobody starts it again."""
        self._processes[1].send_signal(signal.SIGKILL)
        self._processes[1].wait(10)

    def _worker(self, number: int) -> Iterator[str]:
        yield from ("--host", "127.0.0.1", "--no-nanny", "--no-dashboard", "--nworkers", "1")
        yield from ("--nthreads", str(self._threads), "--name", f"w{number}")
        yield from ("--local-directory", str(self._folder / f"w{number}"), "--death-timeout", "60")

    def _start(self, what: str, *arguments: str) -> str:
        """Starts a process and waits until it says where it is."""
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + what, *arguments],
            env=self._environment, cwd=self._folder, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._processes.append(process)
        assert process.stderr
        end, said = time.monotonic() + _START, []
        mark = "Scheduler at" if what == "scheduler" else "Registered to"
        for line in process.stderr:
            said.append(line)
            found = _ADDRESS.search(line)
            if mark in line and found:
                threading.Thread(target=_drain, args=(process,), daemon=True).start()
                return found[0]
            if time.monotonic() > end:
                break
        raise AssertionError(f"no {what}: {''.join(said)[-2000:]}")


def _drain(process: subprocess.Popen[str]) -> None:
    """Reads on, so that the process never waits for somebody to read what it says."""
    assert process.stderr
    with contextlib.suppress(ValueError, OSError):
        for _ in process.stderr:
            pass


class Asked(NamedTuple):
    """What a seat was asked: the same is never asked twice when its answer is in a journal."""

    question: str
    seat: str
    round: int


def place(call: Call, questions: Sequence[str]) -> Asked | None:
    """What a call to a seat asks for; None for any other call."""
    known = place_of(call)
    text = "\n".join(call.prompt)
    question = next((each for each in questions if each in text), None)
    if call.schema is not None or known is None or question is None:
        return None
    return Asked(question, known.seat, known.round)


def answered(folder: Path) -> Counter[Asked]:
    """The replies in the journals of a batch."""
    found: Counter[Asked] = Counter()
    for path in folder.glob("*/journal.jsonl"):
        events = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
        found.update(
            Asked(events[0]["problem"], each["agent"], each["round"]) for each in events if each["event"] == "reply"
        )
    return found
