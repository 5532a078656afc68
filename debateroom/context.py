"""The context a room is given: files, folders, globs, standard input and typed notes, as one text.

Only text is taken: a named file that is binary or cannot be decoded is an error with its name.
"""

from __future__ import annotations

import glob
import shlex
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TextIO

from debateroom.errors import UsageError
from debateroom.language import say
from debateroom.secrecy import is_secret

_STDIN = "standard input"
LIMIT = 20_000_000
"""Bytes of context that are read at most: more fits into no model's window."""
_SKIPPED_FOLDERS = {"node_modules", "__pycache__", "venv", "dist", "build"}


class Source(NamedTuple):
    """One piece of context: its name as shown to people and seats, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that was given, in the order given."""

    sources: tuple[Source, ...] = ()
    skipped: tuple[str, ...] = ()
    """Files inside folders that are not text; named files are never skipped."""

    @property
    def text(self) -> str:
        """All sources as one text, each under its name; empty when there are none."""
        return "\n\n".join(f"{source.name}:\n{source.text.strip()}" for source in self.sources)

    def sizes(self, language: str) -> str:
        """`notes.md 1,204 characters, plan.txt 310 characters`: what people are shown."""
        sizes = (say(language, "context_size", name=item.name, count=len(item.text)) for item in self.sources)
        return say(language, "listed").join(sizes)


def collect(paths: Iterable[str], notes: Iterable[str], *, stdin: TextIO | None = None) -> Context:
    """The context from `paths` (files, folders, globs, `-` for `stdin`) and typed `notes`.

    Raises UsageError that names the file when one is missing, unreadable, binary, not UTF-8 or too large.
    """
    sources: list[Source] = []
    skipped: list[str] = []
    taken: set[Path] = set()
    room_left = LIMIT
    for path in paths:
        if not path.strip():
            raise UsageError("--context is empty", hint="name a file, or leave it out")
        if path == "-":
            if stdin is None:
                raise UsageError("standard input is already the question; it cannot be the context too")
            found: Iterator[Source | str] = iter([Source(_STDIN, _read_stdin(stdin))])
        else:
            found = _read_path(path, room_left, taken)
        for item in found:
            if isinstance(item, str):
                skipped.append(item)
                continue
            room_left -= len(item.text.encode("utf-8", "replace"))
            if room_left < 0:
                raise UsageError(f"the context is over {LIMIT:,} bytes with {item.name}: give less")
            sources.append(item)
    sources += [Source(f"note {number}", note) for number, note in enumerate(notes, 1) if note.strip()]
    return Context(tuple(sources), tuple(skipped))


def _read_stdin(stdin: TextIO) -> str:
    data = stdin.buffer.read(LIMIT + 1) if hasattr(stdin, "buffer") else stdin.read(LIMIT + 1).encode()
    if len(data) > LIMIT:
        raise UsageError(f"the context on standard input is over {LIMIT:,} bytes: give less")
    return _decode(data, _STDIN)


def _read_path(path: str, limit: int, taken: set[Path]) -> Iterator[Source | str]:
    """The text files that `path` names; a bare name for each file in a folder that is not text.

    A file is given once, by whatever ways it is reached: `taken` holds those that were.
    """
    if Path(path).is_dir():
        yield from _read_folder(Path(path), limit, taken)
    elif Path(path).exists() or not glob.has_magic(path):
        if _is_new(Path(path), taken):
            yield Source(path, _read_file(Path(path), limit))
    else:
        yield from _read_matches(path, limit, taken)


def _read_matches(pattern: str, limit: int, taken: set[Path]) -> Iterator[Source]:
    matches = [path for path in _matches(pattern) if path.is_file()]
    if not matches:
        raise UsageError(f"no file matches {pattern}", hint="quote the pattern, or name the files")
    asked = set(Path(pattern).parts)
    files = [path for path in sorted(matches, key=_own_place_first) if not _is_left_out(path, asked)]
    for path in sorted([path for path in files if _is_new(path, taken)], key=str):
        yield Source(str(path), _read_file(path, limit))


def _matches(pattern: str) -> Iterator[Path]:
    """What `pattern` names. `**` goes through no link, so that a loop of them has an end."""
    parts = Path(pattern).parts
    first = next(place for place, part in enumerate(parts) if glob.has_magic(part))
    rest = [part if part == "**" else part.replace("**", "*") for part in parts[first:]]
    rest += ["*"] if rest[-1] == "**" else []
    shows_hidden = any(part.startswith(".") for part in rest)
    for path in Path(*parts[:first]).glob("/".join(rest)):
        if shows_hidden or not any(part.startswith(".") for part in path.parts[first:]):
            yield path


def _is_left_out(path: Path, asked: Collection[str]) -> bool:
    """Whether a pattern finds it that nobody means to send: a key, a file of what others installed."""
    return bool((_SKIPPED_FOLDERS & set(path.parts[:-1])) - set(asked)) or (
        path.name not in asked and is_secret(path.parts)
    )


def _own_place_first(path: Path) -> tuple[bool, int, str]:
    """The order of matches: of a file that links lead to as well, its own place comes first."""
    return path.is_symlink(), len(path.parts), str(path)


def _is_new(path: Path, taken: set[Path]) -> bool:
    """Whether this file was not taken yet; then it is now. What is no regular file has no other name."""
    if not path.is_file():
        return True
    place = path.resolve()
    is_new = place not in taken
    taken.add(place)
    return is_new


def _read_folder(folder: Path, limit: int, taken: set[Path]) -> Iterator[Source | str]:
    found = False
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if any(part.startswith(".") or part in _SKIPPED_FOLDERS for part in parts) or not path.is_file():
            continue
        if is_secret(parts) or (path.parent / "journal.jsonl").exists():  # keys, and rooms of our own
            continue
        if not _is_new(path, taken):
            found = True
            continue
        try:
            yield Source(str(path), _read_file(path, limit))
            found = True
        except _NotTextError:
            yield str(path)
    if not found:
        raise UsageError(f"the folder {folder} holds no text file")


def _operand(name: str) -> str:
    """What follows a command so that it reads `name`; nothing where that is standard input."""
    return "" if name == _STDIN else f" {shlex.quote(name)}"


class _NotTextError(UsageError):
    """A file that is binary or in another encoding."""


def _read_file(path: Path, limit: int) -> str:
    try:
        size = path.stat().st_size
        if size > limit:
            raise UsageError(f"{path} has {size:,} bytes; the context may have {limit:,}: give a part of it")
        with path.open("rb") as file:
            data = file.read(limit + 1)  # a pipe or a device has no size beforehand
        if len(data) > limit:
            raise UsageError(f"{path} has over {limit:,} bytes; the context may have no more: give a part of it")
    except FileNotFoundError as error:
        raise UsageError(f"context file {path} does not exist") from error
    except OSError as error:
        raise UsageError(f"context file {path} cannot be read: {error.strerror or error}") from error
    return _decode(data, str(path))


def _decode(data: bytes, name: str) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    if encoding != "utf-16" and b"\0" in data[:65_536]:
        raise _NotTextError(f"{name} is a binary file; context is text only", hint="convert it to text first")
    try:
        return data.decode(encoding).replace("\0", "\ufffd")
    except UnicodeDecodeError as error:
        raise _NotTextError(
            f"{name} is not UTF-8 text (byte {error.start:,})",
            hint=f"convert it first: iconv -f ITS-ENCODING -t utf-8{_operand(name)} (latin1, gbk, …)",
        ) from error
