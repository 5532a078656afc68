"""A program that is spoken to in lines: one in, one out, as long as it runs. It cannot hold up who waits for it."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from debateroom import clock
from debateroom.models.processes import GRACE, Programs, Running, Stopped, TooMuch, end

MOST_LINE = 4_000_000
"""Bytes that one line may have."""
MOST_WRITTEN = 100_000_000
"""Bytes that a program may write in all, what it writes to standard error included."""
_MOST_REASON = 4_000
FIRST_LOOK, LONGEST_LOOK = 0.002, 0.05
"""Seconds between two looks at what it wrote: at first, and after a while."""
_AFTERWARDS = 0.5
"""Seconds after its last line in which it is still seen whether a program crashes."""


class Ended(Exception):
    """The program ended without a line; `code` is its exit code, `err` the end of its standard error."""

    def __init__(self, code: int, err: str) -> None:
        super().__init__(code)
        self.code = code
        self.err = err


class OutOfTurn(Exception):
    """The program wrote a line that nobody had asked for."""


class LineProgram:
    """One program, started when it is first spoken to, and again when it has ended well in between.

    What it writes goes to a file and not through a pipe: it can write as much as it likes, and nobody has to read.
    """

    def __init__(
        self, programs: Programs, arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._programs = programs
        self._arguments = arguments
        self._folder = folder
        self._environment = environment
        self._started: Started | None = None

    def exchange(self, line: bytes, until: float) -> bytes:
        """The line that the program writes after it was given `line`, which ends without a line break.

        Raises TimeoutError at the moment `until`, Ended when it has ended, OutOfTurn, TooMuch, Stopped when the run
        was stopped, OSError when it cannot be started. After each of these it and all its children are gone.
        """
        try:
            started = self._running()
            started.send(line + b"\n")
            return self._wait(started, until)
        except BaseException:
            self.close()
            raise

    def finish(self) -> None:
        """Ends the program, at a moment at which it has had time to crash after its last line.

        Raises Ended when it did, OutOfTurn, TooMuch, Stopped; how it takes the end of its input does not count.
        """
        try:
            while self._started is not None:
                if self._programs.stopped:  # asked first: what was ended by us has not crashed
                    raise Stopped
                if self._over(self._started) or clock.monotonic() >= self._started.told + _AFTERWARDS:
                    break
                time.sleep(LONGEST_LOOK)
        finally:
            self.close()

    def close(self) -> None:
        """Ends the program: its input ends, and what is left of it a moment later is killed."""
        if self._started is not None:
            self._end(self._started)

    def _end(self, started: Started) -> Ended:
        """How it ended, once it has."""
        self._started = None
        code = started.close(self._programs)
        return Ended(code, started.errors())

    def _running(self) -> Started:
        started = self._started
        if started is None or self._over(started):
            started = self._started = Started(self._programs, self._arguments, self._folder, self._environment)
        return started

    def _over(self, started: Started) -> bool:
        """Whether it has ended, and well, since its last line. Raises Ended when not well, OutOfTurn, TooMuch."""
        over = started.running.ended()  # asked first: what it wrote before is then all there
        more = started.line(whole=over)
        if over and (ended := self._end(started)).code != 0:
            raise ended
        if more is not None or (not over and started.has_begun_a_line()):
            raise OutOfTurn
        return over

    def _wait(self, started: Started, until: float) -> bytes:
        look = FIRST_LOOK
        while True:
            over = started.running.ended()  # asked first: what it wrote before is then all there
            line = started.line(whole=over)
            if line is not None:
                return line
            if over:
                if self._programs.stopped:
                    raise Stopped
                raise self._end(started)
            if self._programs.stopped:
                raise Stopped
            if clock.monotonic() >= until:
                raise TimeoutError
            if started.written() > MOST_WRITTEN:
                raise TooMuch
            time.sleep(look)
            look = min(look * 1.5, LONGEST_LOOK)


class Started:
    """The program while it runs, and the files that it writes to."""

    def __init__(
        self, programs: Programs, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._kept = contextlib.ExitStack()
        scratch = self._kept.enter_context(programs.scratch())
        self._paths = [scratch / name for name in ("out", "err")]
        self._err = ""
        self._read = 0
        """Bytes of its output that were taken as lines."""
        self.told = clock.monotonic()
        """When it wrote the last one, as far as that was seen."""
        given, self._input = os.pipe()
        try:
            with self._paths[0].open("wb") as out, self._paths[1].open("wb") as err:
                self.running: Running = programs.start(
                    arguments, folder, environment, (given, out.fileno(), err.fileno())
                )
        except BaseException:
            os.close(self._input)
            self._kept.close()
            raise
        finally:
            os.close(given)
        self._writing: threading.Thread | None = None

    def send(self, data: bytes) -> None:
        """Hands the bytes over in a thread: a program that does not read must not hold up who waits for it."""
        self._writing = threading.Thread(target=_write, args=(self._input, data), daemon=True, name="agent-input")
        self._writing.start()

    @property
    def sent(self) -> bool:
        """Whether all bytes that were handed over have reached it, or never will."""
        return self._writing is None or not self._writing.is_alive()

    def line(self, *, whole: bool = False) -> bytes | None:
        """The next line that is not blank; with `whole`, also one without an end. Raises TooMuch for a long one."""
        with self._paths[0].open("rb") as out:
            out.seek(self._read)
            written = out.read(MOST_LINE + 1)
        for piece in written.splitlines(keepends=True):
            if not piece.endswith(b"\n") and (not whole or len(written) > MOST_LINE):
                break
            self._read += len(piece)
            if piece.strip():
                self.told = clock.monotonic()
                return piece.strip()
        if len(written) > MOST_LINE:
            raise TooMuch
        return None

    def has_begun_a_line(self) -> bool:
        """Whether it has written more than the lines that were taken, be it without an end so far."""
        with self._paths[0].open("rb") as out:
            out.seek(self._read)
            return bool(out.read(MOST_LINE).strip())

    def written(self) -> int:
        """Bytes that it has written."""
        return sum(path.stat().st_size for path in self._paths)

    def errors(self) -> str:
        """The end of what it wrote to standard error; known once it is closed."""
        return self._err

    def close(self, programs: Programs) -> int:
        """Its exit code, once it and all its children are gone."""
        waiting = None if self.sent else self._writing
        if waiting is None:
            os.close(self._input)
        until = clock.monotonic() + GRACE
        while clock.monotonic() < until and not self.running.ended():
            time.sleep(FIRST_LOOK)
        if not self.running.ended():
            end([self.running])
        code = programs.ended(self.running)
        if waiting is not None:
            waiting.join(GRACE)  # nobody reads any more, which ends the writing
            os.close(self._input)
        with contextlib.suppress(OSError):
            self._err = self._paths[1].read_bytes()[-_MOST_REASON:].decode("utf-8", "replace").strip()
        self._kept.close()
        return code


def _write(number: int, data: bytes) -> None:
    view = memoryview(data)
    with contextlib.suppress(OSError):  # it has ended, or was ended: whoever waits sees that
        while view:
            view = view[os.write(number, view) :]
