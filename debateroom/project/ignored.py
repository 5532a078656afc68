"""What a project's `.gitignore` files leave out, as git decides it; git itself is not asked, nor need it be here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_LARGEST = 1_000_000
"""Bytes of one file of patterns that are read."""

Parts = tuple[str, ...]


class Ignored:
    """The patterns of one project; those of the folders above it count up to the clone it is part of."""

    def __init__(self, root: Path, more: Sequence[str] = ()) -> None:
        """`more` are patterns that no other one takes back."""
        base = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
        self._base = base
        self._above: Parts = root.relative_to(base).parts
        self._more = spec_of(more)
        self._exclude = spec_of(_lines(base / ".git" / "info" / "exclude"))
        self._specs: dict[Parts, GitIgnoreSpec] = {}

    def __call__(self, parts: Parts, *, folder: bool) -> bool:
        """Whether the path of these parts below the project, or a folder that it leads through, is left out."""
        return any(
            self._one(parts[:length], folder=folder or length < len(parts)) for length in range(1, len(parts) + 1)
        )

    def _one(self, parts: Parts, *, folder: bool) -> bool:
        slash = "/" if folder else ""
        if self._more.match_file("/".join(parts) + slash):
            return True
        whole, left_out = self._above + parts, False
        for length, spec in self._along(whole[:-1]):
            verdict = _verdict(spec, "/".join(whole[length:]) + slash)
            left_out = left_out if verdict is None else verdict
        return left_out

    def _along(self, folders: Parts) -> Iterator[tuple[int, GitIgnoreSpec]]:
        """The patterns that count in a folder, from the weakest on, with how much of a path stands before them."""
        yield 0, self._exclude
        for length in range(len(folders) + 1):
            place = folders[:length]
            if place not in self._specs:
                self._specs[place] = spec_of(_lines(self._base.joinpath(*place) / ".gitignore"))
            yield length, self._specs[place]


def _verdict(spec: GitIgnoreSpec, path: str) -> bool | None:
    """What the last pattern says that matches; None when none does.

    One that matches a folder says nothing here of what stands in it: each part of a path is asked about by itself.
    """
    for pattern in reversed(list(spec.patterns)):
        match = pattern.match_file(path) if pattern.include is not None else None
        if match is None:
            continue
        marked = match.match.groupdict().get("ps_d")
        if not marked or match.match.end("ps_d") == len(path):
            return bool(pattern.include)
    return None


def spec_of(lines: Sequence[str]) -> GitIgnoreSpec:
    """The patterns in `lines`; one that is none is passed over, as git does."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec([pattern for line in lines for pattern in _pattern(line)])


def _pattern(line: str) -> list[Any]:
    from pathspec import GitIgnoreSpec

    try:
        return list(GitIgnoreSpec.from_lines([line]).patterns)
    except ValueError:
        return []


def _lines(path: Path) -> list[str]:
    """The lines of a file of patterns; none where it cannot be read, and none through a link, as with git."""
    if path.is_symlink() or not path.is_file():
        return []
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
