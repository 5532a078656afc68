"""Files that survive: atomic replacement, and a log that is on the disk once `append` returns.

Not here: what the files mean (see `room`), and files that people give as context (see `context`).
"""

from __future__ import annotations

import codecs
import contextlib
import glob
import os
import stat
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from debateroom.errors import RoomError


def whole_characters(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced by U+FFFD, so that it can be written."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, Mapping):
        return {whole_characters(str(key)): _writable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(item) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value


def dumps(value: Any, *, indent: bool = False) -> bytes:
    """JSON in UTF-8, keys in the order given; lone surrogates become U+FFFD, NaN null, endless integers text."""
    option = orjson.OPT_INDENT_2 if indent else 0
    try:
        return orjson.dumps(value, option=option)
    except TypeError:  # a lone surrogate, a tuple, an endless integer: rare, so only then the whole is walked
        return orjson.dumps(_writable(value), option=option)


def writable(value: Any) -> bool:
    """Whether `dumps` can write `value`: something nested without end, for one, it cannot."""
    try:
        dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Makes a rename in `folder` durable; where folders cannot be opened (Windows) there is nothing to do."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_MASK = threading.Lock()
"""Held while the mask of the process is read: that is done by setting it."""
_PART = ".part"
"""How the name of a temporary file ends."""


def replace(path: Path, data: bytes) -> None:
    """Puts `data` at `path` so that a reader sees the old file or the new one, never a part.

    A device or a pipe is written into, not replaced: as root, /dev/null would be a file from then on.
    Raises RoomError when it cannot be written; the old file is then untouched.
    """
    temporary = None
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data)
            return
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_PART)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _open_to_readers(Path(temporary))
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise RoomError(f"cannot write {path}: {error.strerror or error}", hint=space_hint(path)) from error
    _sync_folder(path.parent)


def write_private(path: Path, data: bytes) -> None:
    """Puts `data` at `path`, readable by its owner only. Raises OSError; the old file is then untouched.

    By way of a neighbour that was created with mode 0600: there is no moment in which others can read it.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def is_private(path: Path) -> bool:
    """Whether only its owner can read the file, where systems tell (POSIX). Raises OSError when there is none."""
    mode = path.stat().st_mode
    return os.name != "posix" or not mode & (stat.S_IRWXG | stat.S_IRWXO)


def sweep(path: Path, *, older: float = 0.0) -> None:
    """Removes what an interrupted `replace` of `path` left beside it, when it is at least `older` seconds old."""
    with contextlib.suppress(OSError):
        for left in path.parent.glob(f"{glob.escape(f'.{path.name}.')}*{_PART}"):
            if time.time() - left.stat().st_mtime >= older:
                left.unlink(missing_ok=True)


def _open_to_readers(path: Path) -> None:
    """Gives a temporary file the permissions an ordinary new file has (mkstemp makes it private)."""
    with _MASK:
        mask = os.umask(0)
        os.umask(mask)
    with contextlib.suppress(OSError):
        path.chmod(0o666 & ~mask)


def space_hint(path: Path) -> str:
    """What to do when `path` could not be written."""
    return f"check the space and the permissions of {path.parent.resolve()}, then run the same command again"


@dataclass(frozen=True, slots=True)
class Lines:
    """What a log holds: its values, and what could not be read."""

    values: tuple[dict[str, Any], ...]
    damaged: tuple[int, ...] = ()
    """Numbers of lines in the middle that are not JSON objects, from 1."""
    torn: int = 0
    """Bytes of a last line that was cut while being written."""
    numbers: tuple[int, ...] = ()
    """Of the lines that hold the values, from 1."""


def read_lines(path: Path) -> Lines:
    """The JSON objects of the log at `path`, in order. Raises RoomError when the file cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RoomError(f"cannot read {path}: {error.strerror or error}") from error
    *whole, rest = data.removeprefix(codecs.BOM_UTF8).split(b"\n")  # an editor may have put a mark before the first
    values, numbers, damaged = [], [], []
    for number, line in enumerate(whole, 1):
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            value = None
        if isinstance(value, dict):
            values.append(value)
            numbers.append(number)
        elif line.strip():
            damaged.append(number)
    return Lines(tuple(values), tuple(damaged), len(rest), tuple(numbers))


class AppendLog:
    """A file of JSON lines that only grows. A line is on the disk when `append` returns."""

    def __init__(self, path: Path) -> None:
        """Opens or creates the log. A last line that was cut while being written is removed.

        Raises RoomError when the file cannot be opened for writing.
        """
        self.path = path
        self.appended = 0
        """Whole lines that were written since it was opened."""
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        try:
            self._descriptor = os.open(path, flags, 0o666)
            self.cut = self._cut_torn_line()
        except OSError as error:
            raise RoomError(f"cannot write {path}: {error.strerror or error}", hint=space_hint(path)) from error
        _sync_folder(path.parent)

    def _cut_torn_line(self) -> int:
        """Bytes removed from the end, 0 when the last line is whole."""
        size = os.fstat(self._descriptor).st_size
        tail, start = b"", size
        while start and b"\n" not in tail:
            step = min(65_536, start)
            start -= step
            os.lseek(self._descriptor, start, os.SEEK_SET)
            tail = os.read(self._descriptor, step) + tail
        torn = len(tail) - (tail.rfind(b"\n") + 1)
        if torn:
            os.ftruncate(self._descriptor, size - torn)
        return torn

    def append(self, values: Iterable[Mapping[str, Any]]) -> None:
        """Writes one line a value, each with one write, then makes all of them durable with one sync.

        Raises RoomError when the disk is full or the file is gone; lines that were whole before stay whole.
        """
        try:
            try:
                for value in values:
                    self._write_line(dumps(value) + b"\n")
                    self.appended += 1
            finally:  # also what was written before the disk was full
                getattr(os, "fdatasync", os.fsync)(self._descriptor)
        except OSError as error:
            raise RoomError(
                f"cannot write {self.path}: {error.strerror or error}", hint=space_hint(self.path)
            ) from error

    def _write_line(self, line: bytes) -> None:
        before = os.fstat(self._descriptor).st_size
        try:
            written = os.write(self._descriptor, line)
            if written < len(line):  # a nearly full disk takes a part: the second try names the reason
                os.write(self._descriptor, line[written:])
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, before)
            raise

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
