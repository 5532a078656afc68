"""The guard in front of a project folder: which paths are opened, and how.

A path counts by where it really leads, every link followed; what it is called and what it leads to must both be open.
A file with more than one name (a hard link) is closed: nobody knows whether the other name is a secret's, or lies
outside. That also closes what a program has put there by linking it from its store, which is hardly a project's own.
Opening it then goes down from the project part by part and follows no link, so that nothing can be put in between.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from debateroom.project.ignored import Ignored, Parts, spec_of
from debateroom.secrecy import is_secret

LARGEST = 2_000_000
"""Bytes of a file that is read."""
MOST_ENTRIES = 50_000
"""Files and folders that one look at the project goes through."""
_LONGEST = 1_000
"""Characters of a path."""
_ROOM = "journal.jsonl"
"""What makes a folder one of our rooms: it may hold what others have just answered."""
_BELOW = os.open in os.supports_dir_fd
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


REASONS = (
    "outside", "secret", "linked", "ignored", "room", "missing", "no_file", "no_folder", "binary", "too_large",
    "unreadable",
)  # fmt: skip
"""Why a path may not be opened."""


class Refused(Exception):
    """A path that is not opened."""

    def __init__(self, why: str) -> None:
        """`why` is one of `REASONS`."""
        super().__init__(why)
        self.why = why


class Text(NamedTuple):
    """A file that was read."""

    path: str
    """Where it really is, from the project's folder, with slashes."""
    lines: list[str]
    """Its lines, the first one being line 1."""


class Found(NamedTuple):
    """A file or folder that may be looked at."""

    path: str
    """From the project's folder, with slashes."""
    folder: bool
    size: int
    """Bytes; 0 for a folder."""


class Project:
    """A project folder, looked at through the guard. Used from many threads: it keeps nothing but patterns."""

    def __init__(self, root: Path, *, refuse: Sequence[str] = (), rooms: Path | None = None) -> None:
        """`refuse` are patterns, as `.gitignore` has them, of what is not opened either. `rooms` is the folder of our
        rooms where these are open: for who coordinates, and looks back on what was done.
        """
        self.root = Path(os.path.realpath(root))
        self._rooms = _parts_below(self.root, rooms)
        self._ignored = Ignored(self.root, refuse)

    def read(self, path: str) -> Text:
        """The text of a file. Raises Refused."""
        parts = self._inside(path, folder=False)
        data = self._data(parts)
        text = _decoded(data)
        if text is None:
            raise Refused("binary")
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        return Text("/".join(parts), [line.removesuffix("\r") for line in lines])

    def below(self, folder: str, pattern: str = "") -> Iterator[Found]:
        """What may be looked at in `folder` and in those below it, the nearest first; no link is followed.

        With a `pattern`, as `.gitignore` has them, only the files that match it. Raises Refused for the folder.
        """
        parts = self._inside(folder, folder=True)
        if not os.path.isdir(self.root.joinpath(*parts)):  # noqa: PTH112 - Path.is_dir may raise
            raise Refused("no_folder")
        wanted, seen, queue = spec_of([pattern]) if pattern.strip() else None, 0, deque([parts])
        while queue and seen < MOST_ENTRIES:
            for found, place in self._listed(queue.popleft()):
                seen += 1
                if found.folder:
                    queue.append(place)
                if wanted is None or (not found.folder and wanted.match_file("/".join(place[len(parts) :]))):
                    yield found

    def _inside(self, path: str, *, folder: bool) -> Parts:
        """The parts of where `path` really leads, below the project. Raises Refused when it may not be looked at."""
        if "\0" in path or not path.strip() or len(path) > _LONGEST:
            raise Refused("missing")
        try:
            real = Path(os.path.realpath(self.root / path))
        except (OSError, ValueError):  # half a character is no name
            raise Refused("missing") from None
        if not real.is_relative_to(self.root):
            raise Refused("outside")
        parts = real.relative_to(self.root).parts
        named = Path(os.path.normpath(self.root / path))
        called = named.relative_to(self.root).parts if named.is_relative_to(self.root) else parts
        written = () if Path(path).is_absolute() else Path(path).parts
        if is_secret((*parts, *called, *written)):
            raise Refused("secret")
        if all(map(self._of_rooms, (parts, called))):
            return parts
        if any(self._ignored(each, folder=folder) for each in {parts, called}):
            raise Refused("ignored")
        if any(_is_room(self.root.joinpath(*parts[:length])) for length in range(1, len(parts) + 1)):
            raise Refused("room")
        return parts

    def _of_rooms(self, parts: Parts) -> bool:
        """Whether it is the folder of our rooms, where that is open, or something in it."""
        return self._rooms is not None and parts[: len(self._rooms)] == self._rooms

    def _data(self, parts: Parts) -> bytes:
        """What the file holds. Raises Refused for what is no file, too large, or cannot be read."""
        try:
            opened = self._opened(parts)
            try:
                status = os.fstat(opened)
                if not stat.S_ISREG(status.st_mode):
                    raise Refused("no_file")
                if status.st_nlink > 1:
                    raise Refused("linked")
                with open(opened, "rb", closefd=False) as file:
                    data = file.read(LARGEST + 1)
            finally:
                os.close(opened)
        except (FileNotFoundError, NotADirectoryError):
            raise Refused("missing") from None
        except OSError:
            raise Refused("unreadable") from None
        if len(data) > LARGEST:
            raise Refused("too_large")
        return data

    def _opened(self, parts: Parts) -> int:
        """A descriptor of the file, each part opened below the one before. Raises OSError, also for a link."""
        if not _BELOW or not parts:
            return os.open(self.root.joinpath(*parts), _FLAGS)
        at = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in parts[:-1]:
                below = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=at)
                os.close(at)
                at = below
            return os.open(parts[-1], _FLAGS, dir_fd=at)
        finally:
            os.close(at)

    def _listed(self, parts: Parts) -> Iterator[tuple[Found, Parts]]:
        """What may be looked at right in one folder, by name, with its parts."""
        try:
            with os.scandir(self.root.joinpath(*parts)) as entries:
                there = sorted(islice(entries, MOST_ENTRIES), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in there:
            place = (*parts, entry.name)
            with suppress(OSError):  # it may be gone by now
                folder = entry.is_dir(follow_symlinks=False)
                if not (folder or entry.is_file(follow_symlinks=False)) or is_secret([entry.name]):
                    continue
                closed = folder and _is_room(self.root.joinpath(*place))
                closed = not self._of_rooms(place) and (closed or self._ignored(place, folder=folder))
                if not closed and (folder or entry.stat().st_nlink == 1):
                    yield Found("/".join(place), folder, 0 if folder else entry.stat().st_size), place


def _parts_below(root: Path, folder: Path | None) -> Parts | None:
    """The parts of `folder` below `root`; None when it is not below, or none was named."""
    real = Path(os.path.realpath(folder)) if folder else root
    return real.relative_to(root).parts if real != root and real.is_relative_to(root) else None


def _is_room(folder: Path) -> bool:
    return os.path.exists(folder / _ROOM)  # noqa: PTH110 - Path.exists may raise


def _decoded(data: bytes) -> str | None:
    """The text in `data`; None when it is none."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
