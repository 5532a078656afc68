"""Programs that are run for a call, each with all its children in a group of its own, and none of them left behind.

Nothing goes through a pipe: a program that never reads or never stops writing, or a child that keeps its output
open, cannot hold up the thread that waits.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakSet

from debateroom import clock, interruption

GRACE = 0.3
"""Seconds a program has to leave when it is asked to, before it is killed."""
_LONGEST_LOOK = 0.05
"""Seconds between two looks at a running program."""
_MARK = "DEBATEROOM_CALL"
"""The variable by which descendants are found that have left the group."""


class Stopped(Exception):
    """The run was stopped while the program was running."""


class TooMuch(Exception):
    """The program wrote more than it may."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program came to."""

    code: int
    """Its exit code; negative for the signal that ended it."""
    out: str
    """Its standard output, as UTF-8; what is none is replaced."""
    err: str
    """The same of its standard error."""


class TimedOut(TimeoutError):
    """The program's time was over."""

    def __init__(self, ran: Ran) -> None:
        super().__init__()
        self.ran = ran
        """What it had written until then."""


class Programs:
    """The programs of one run. Closing it ends every one of them, and lets none start afterwards."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._closed = False
        self._running: set[Running] = set()
        self._folders: set[Path] = set()
        self._lock = threading.Lock()  # protects all of the above: no program starts while they are being ended
        _ALL.add(self)

    @property
    def stopped(self) -> bool:
        """Whether no program may run any more."""
        return self._closed or self._stop.is_set()

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """A new private folder, removed at the end of the block or when this is closed."""
        folder = Path(tempfile.mkdtemp(prefix="debateroom-"))
        self._folders.add(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self._folders.discard(folder)

    def run(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        seconds: float,
        most: int,
        prompt: bytes = b"",
        where: Path | None = None,
    ) -> Ran:
        """What the program came to, with `prompt` on its standard input.

        It runs in `where`, else in an empty folder made in `folder`, which holds what it is given and writes.
        Raises TimedOut after `seconds`, Stopped when the run was stopped, TooMuch after more than `most` bytes,
        OSError when it cannot be started. In every case none of its children is left.
        """
        until = clock.monotonic() + seconds
        paths = [folder / name for name in ("in", "out", "err")]
        paths[0].write_bytes(prompt)
        with paths[0].open("rb") as given, paths[1].open("wb") as out, paths[2].open("wb") as err:
            running = self.start(
                arguments,
                where or _empty(folder),
                environment,
                (given.fileno(), out.fileno(), err.fileno()),
            )
            late = False
            try:
                self._wait(running, until, paths[1:], most)
            except BaseException as error:
                end([running])
                late = isinstance(error, TimeoutError)
                if not late:
                    raise
            finally:
                code = self.ended(running)
        ran = Ran(code, *(path.read_bytes()[:most].decode("utf-8", "replace") for path in paths[1:]))
        if late:
            raise TimedOut(ran)
        return ran

    def close(self) -> None:
        """Ends every program that is running, with its children, and removes their folders. Takes under a second."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        end(running)
        for folder in list(self._folders):
            shutil.rmtree(folder, ignore_errors=True)

    def start(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], streams: tuple[int, int, int]
    ) -> Running:
        """The program, started in `folder`; whoever starts it calls `ended`. Raises Stopped, or OSError."""
        mark = uuid.uuid4().hex
        with self._lock:
            if self.stopped:
                raise Stopped
            process = subprocess.Popen(
                list(arguments),
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
                cwd=folder,
                env={**environment, _MARK: mark},
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
            running = Running(process, mark)
            self._running.add(running)
        return running

    def ended(self, running: Running) -> int:
        """The exit code of a program that has ended, or ends now; it is no longer one of this run's."""
        code = running.reap()
        with self._lock:
            self._running.discard(running)
        return code

    def _wait(self, running: Running, until: float, written: Sequence[Path], most: int) -> None:
        """Comes back when the program has ended by itself."""
        look = 0.005
        while not running.ended():
            if self.stopped:
                raise Stopped
            if clock.monotonic() >= until:
                raise TimeoutError
            if any(path.stat().st_size > most for path in written):
                raise TooMuch
            self._stop.wait(look)  # a set `stop` is seen at once
            look = min(look * 1.5, _LONGEST_LOOK)
        if self.stopped:
            raise Stopped
        if any(path.stat().st_size > most for path in written):
            raise TooMuch


class Running:
    """A program from its start until its exit code is known."""

    def __init__(self, process: subprocess.Popen[bytes], mark: str) -> None:
        self.mark = mark
        self._process = process
        # held while signalling: once the exit code is fetched, the group's number may become another program's
        self._lock = threading.Lock()

    def ended(self) -> bool:
        """Whether the program itself has ended. Its exit code is not fetched: the group keeps its number."""
        with self._lock:
            if self._process.returncode is not None:
                return True
            if not hasattr(os, "waitid"):
                return self._process.poll() is not None
            try:
                flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
                return os.waitid(os.P_PID, self._process.pid, flags) is not None
            except ChildProcessError:
                return True

    def send(self, number: int) -> None:
        """Sends a signal to the program and everything in its group; on Windows it ends the whole tree."""
        with self._lock:
            if self._process.returncode is None:
                _signal_group(self._process.pid, number)

    def reap(self) -> int:
        """The exit code. What the program has left running in its group is ended first."""
        with self._lock:
            if self._process.returncode is None:
                _signal_group(self._process.pid, _KILL)
            return self._process.wait()


def _empty(folder: Path) -> Path:
    path = folder / "empty"
    path.mkdir(exist_ok=True)
    return path


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def end(running: Sequence[Running]) -> None:
    """Asks the programs and all their children to leave, and kills after `GRACE` seconds what is still there."""
    if not running:
        return
    marks = {item.mark for item in running}
    for item in running:
        item.send(signal.SIGTERM)
    _signal_marked(marks, signal.SIGTERM)
    until = clock.monotonic() + GRACE
    while clock.monotonic() < until and not all(item.ended() for item in running):
        time.sleep(0.01)
    for item in running:
        item.send(_KILL)
    _signal_marked(marks, _KILL)


def _signal_group(number: int, what: int) -> None:
    if sys.platform == "win32":
        command = ["taskkill", "/T", "/F", "/PID", str(number)]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS refuses for a group of zombies
        os.killpg(number, what)


def _signal_marked(marks: set[str], what: int) -> None:
    """The same for descendants in groups of their own, where the system shows every process's variables (Linux)."""
    wanted = [f"{_MARK}={mark}".encode() for mark in marks]
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            variables = (folder / "environ").read_bytes()
            if any(mark in variables for mark in wanted):
                os.kill(int(folder.name), what)


_ALL: WeakSet[Programs] = WeakSet()


def end_all() -> None:
    """Ends every program that this process has started for a call, and lets no other one start."""
    for programs in list(_ALL):
        programs.close()


atexit.register(end_all)
interruption.before_leaving(end_all)
