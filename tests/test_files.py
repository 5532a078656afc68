"""Files that survive: replaced whole, appended durably, torn lines cut."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debateroom import files
from debateroom.errors import RoomError
from debateroom.files import AppendLog
from debateroom.room.room import Room, event


def test_replace_leaves_the_new_content_and_nothing_else(tmp_path: Path) -> None:
    """After `replace` the folder holds the file with the new bytes, and no temporary one."""
    target = tmp_path / "chat.json"
    files.replace(target, b"old")
    files.replace(target, b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"chat.json": b"new"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are of POSIX")
def test_what_is_no_file_is_written_into_and_stays_what_it_is(tmp_path: Path) -> None:
    """`-o /dev/null` must not make a file of the device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files.replace(pipe, b"report")
    assert (os.read(reader, 100), pipe.is_fifo(), len(list(tmp_path.iterdir()))) == (b"report", True, 1)
    os.close(reader)


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    """Temporary files of that file go, of a certain age if that is asked for; a user's own stay."""
    mine = tmp_path / "chat.json.part"
    for path in (mine, tmp_path / ".chat.json.x1.part", tmp_path / ".other.json.x1.part"):
        path.write_text("half")
    files.sweep(tmp_path / "chat.json", older=60.0)
    assert len(list(tmp_path.iterdir())) == 3
    files.sweep(tmp_path / "chat.json")
    assert {path.name for path in tmp_path.iterdir()} == {"chat.json.part", ".other.json.x1.part"}


def test_replace_into_a_missing_folder_names_the_file(tmp_path: Path) -> None:
    """A folder that is not there is an error that names the file, exit code 1."""
    with pytest.raises(RoomError, match=r"cannot write .*chat\.json") as caught:
        files.replace(tmp_path / "gone" / "chat.json", b"x")
    assert caught.value.exit_code == 1


def test_lone_surrogates_are_written_as_the_replacement_character() -> None:
    """A reply may hold half a character; it is written as U+FFFD, and a whole pair as its character."""
    assert json.loads(files.dumps({"a": ["x\ud83d", "\ud83d\ude00"]})) == {"a": ["x\ufffd", "\U0001f600"]}


def test_a_log_gives_back_what_was_appended(tmp_path: Path) -> None:
    """Values come back in order, one line each."""
    log = AppendLog(tmp_path / "journal.jsonl")
    log.append([{"n": 1}, {"n": 2}])
    log.append([{"n": 3}])
    log.close()
    assert files.read_lines(tmp_path / "journal.jsonl") == files.Lines(
        ({"n": 1}, {"n": 2}, {"n": 3}), numbers=(1, 2, 3)
    )


def test_lines_are_written_one_by_one_and_made_durable_by_one_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that came before one that could not be written. The sync is the real one, looked at on its way."""
    done: list[str] = []
    for name in {"write", "fdatasync" if hasattr(os, "fdatasync") else "fsync"}:
        monkeypatch.setattr(os, name, seen(done, name, getattr(os, name)))
    log = AppendLog(tmp_path / "journal.jsonl")
    done.clear()
    log.append([{"n": 1}, {"n": 2}, {"n": 3}])
    assert (done, log.appended) == (["write", "write", "write", "sync"], 3)
    done.clear()
    monkeypatch.setattr(os, "write", full_after(1, done, os.write))
    with pytest.raises(RoomError, match="No space"):
        log.append([{"n": 4}, {"n": 5}])
    assert (done, log.appended) == (["write", "full", "sync"], 4)
    log.close()
    assert [value["n"] for value in files.read_lines(tmp_path / "journal.jsonl").values] == [1, 2, 3, 4]


def test_an_answer_is_used_only_when_it_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who listens to a room hears of what landed together after the one sync of it."""
    done: list[str] = []
    monkeypatch.setattr(os, "fdatasync", seen(done, "fdatasync", os.fsync), raising=False)
    opening = event("room_opened", problem="Queue or loop?", language="en", agents=[])
    with Room.create(tmp_path / "room", opening, on_event=lambda heard: done.append(heard["event"])) as room:
        done.clear()
        room.write(event("round_started", round=1), event("round_finished", round=1))
    assert done == ["sync", "round_started", "round_finished"]


def seen(done: list[str], name: str, act: Callable[..., Any]) -> Callable[..., Any]:
    """`act`, noted in `done`."""

    def called(*given: Any) -> Any:
        done.append("write" if name == "write" else "sync")
        return act(*given)

    return called


def full_after(count: int, done: list[str], act: Callable[..., Any]) -> Callable[..., Any]:
    """`act` on a disk that takes so many lines more."""
    left = [count]

    def called(*given: Any) -> Any:
        if not left[0]:
            done.append("full")
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 1
        return act(*given)

    return called


@pytest.mark.parametrize("rest", [b'{"n": 2', b"x" * 200_000, b"\0\0\0"])
def test_a_torn_last_line_is_cut_on_the_next_open(tmp_path: Path, rest: bytes) -> None:
    """What was being written when the process died is removed; whole lines stay, and new ones follow them."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"n": 1}\n' + rest)
    log = AppendLog(path)
    assert log.cut == len(rest)
    log.append([{"n": 3}])
    log.close()
    assert path.read_bytes() == b'{"n": 1}\n{"n":3}\n'


def test_a_damaged_line_in_the_middle_is_named_and_the_rest_kept(tmp_path: Path) -> None:
    """A line that is no JSON object is reported by its number; lines around it are read."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"n": 1}\n\xff\xfe\n[1]\n{"n": 2}\n{"n"')
    assert files.read_lines(path) == files.Lines(({"n": 1}, {"n": 2}), damaged=(2, 3), torn=4, numbers=(1, 4))


_FILL = """
import resource, signal, sys
from pathlib import Path
from debateroom import files
from debateroom.errors import RoomError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
folder = Path(sys.argv[1])
log = files.AppendLog(folder / "journal.jsonl")
try:
    for number in range(1000):
        log.append([{"n": number, "text": "x" * 100}])
except RoomError as error:
    print(error)
try:
    files.replace(folder / "chat.json", b"y" * 5000)
except RoomError as error:
    print(error)
"""


def test_a_full_disk_is_a_clear_error_and_earlier_data_stay_whole(tmp_path: Path) -> None:
    """When no more bytes can be written, the log ends with a whole line and a replaced file stays the old one."""
    assert resource.RLIMIT_FSIZE is not None
    (tmp_path / "chat.json").write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", _FILL, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.count("cannot write") == 2
    assert (tmp_path / "chat.json").read_bytes() == b"old"
    lines = files.read_lines(tmp_path / "journal.jsonl")
    assert (lines.damaged, lines.torn) == ((), 0)
    assert [value["n"] for value in lines.values] == list(range(len(lines.values)))
    assert len(lines.values) > 20


def test_integers_of_any_length_are_written_as_text() -> None:
    """JSON has them, and what a file or a model holds must not stop a room."""
    assert files.dumps({"a": 2**63, "b": 2**64, "c": -(2**63) - 1, "d": True}) == (
        b'{"a":9223372036854775808,"b":"18446744073709551616","c":"-9223372036854775809","d":true}'
    )
    assert files.writable([1, "x"])
    nested: list[object] = []
    for _ in range(2_000):
        nested = [nested]
    assert not files.writable(nested)
