"""A disk that is full, on the whole command: a clear error, exit 1, and everything written before is whole."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vendor import Call, VendorServer, debate_script

from debateroom import cli, files
from debateroom.errors import RoomError
from debateroom.room import lock

QUESTION = "Should background jobs use a queue or a loop?"


@pytest.fixture
def server() -> Iterator[VendorServer]:
    """A vendor on which Agent B takes a minute."""

    def seconds(call: Call) -> float:
        return 60.0 if "Agent B," in call.own.split("\n")[0] else 0.0

    with VendorServer(debate_script(), latency=seconds, first_token=0.0) as running:
        yield running


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux fills the disk of a running process")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_on_a_full_disk_ends_the_run_all_the_same(
    tmp_path: Path, server: VendorServer, number: signal.Signals, code: int
) -> None:
    """Neither the journal nor chat.json takes another byte: gone at once, what was written is whole, resumable."""
    environment = os.environ | {"ANTHROPIC_API_KEY": "sk-ant-test-0", "DEBATEROOM_ANTHROPIC_BASE_URL": server.url}
    process = subprocess.Popen(
        [sys.executable, "-m", "debateroom", QUESTION, "-r", "1", "--model", "sonnet", "--json"],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    room = tmp_path / "active" / "chatroom"
    while len(kept(room)) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    before = (room / "journal.jsonl").read_bytes()
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, 1))
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    value = json.loads(out)
    assert (process.returncode, value["exit_code"], value["status"]) == (code, code, "interrupted")
    assert err.splitlines()[-1] == f"debateroom: interrupted; continue with: debateroom resume {room}"
    assert "Traceback" not in err
    assert (room / "journal.jsonl").read_bytes() == before
    assert json.loads((room / "chat.json").read_text())["status"] == "running", "it could not be said there"
    assert not list(room.glob(".*.part"))
    value = json.loads(run(tmp_path, 10_000_000, "status", "--json").stdout)
    assert (value["status"], value["hint"]) == ("interrupted", f"debateroom resume {room}")


def kept(room: Path) -> list[dict[str, Any]]:
    """The replies in the journal."""
    path = room / "journal.jsonl"
    lines = files.read_lines(path).values if path.exists() else ()
    return [line for line in lines if line["event"] == "reply"]


def run(folder: Path, limit: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in `folder`, with no file allowed to grow beyond `limit` bytes."""

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        # -B: of a compiled module that reaches the limit, Python would keep the half that fits
        [sys.executable, "-B", "-m", "debateroom", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, preexec_fn=small_disk,
    )  # fmt: skip


@pytest.mark.parametrize("limit", [1_000, 4_500, 9_000])
def test_a_full_disk_is_exit_1_and_what_was_written_stays_whole(tmp_path: Path, limit: int) -> None:
    """Whether the room cannot be opened, a reply not be journaled or the transcript not be replaced: it is said."""
    reply = f"POSITION: A queue. {'Grounds. ' * 100}\nPROPOSAL: Build it."
    (tmp_path / "replies.jsonl").write_text(json.dumps({"default": True, "response": reply}))
    done = run(tmp_path, limit, QUESTION, "-r", "4", "-q", "--model", "scripted:replies.jsonl", "--json")
    assert done.returncode == 1, done.stderr
    assert "cannot write" in done.stderr
    assert "check the space" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["ok"] is False
    room = tmp_path / "active" / "chatroom"
    lines = files.read_lines(room / "journal.jsonl")
    assert (lines.damaged, lines.torn) == ((), 0)
    chat = room / "chat.json"
    assert not chat.exists() or json.loads(chat.read_text())["problem"] == QUESTION
    assert not list(room.glob(".*.part"))


def test_a_room_whose_disk_was_full_is_resumed_when_there_is_space(tmp_path: Path) -> None:
    """The answers that were journaled are not asked for again."""
    reply = f"POSITION: A queue. {'Grounds. ' * 100}\nPROPOSAL: Build it."
    (tmp_path / "replies.jsonl").write_text(json.dumps({"default": True, "response": reply}))
    assert run(tmp_path, 6_000, QUESTION, "-r", "2", "-q", "--model", "scripted:replies.jsonl").returncode == 1
    room = tmp_path / "active" / "chatroom"
    before = kept(room)
    assert before
    done = run(tmp_path, 10_000_000, "resume", "-q")
    assert done.returncode == 0, done.stderr
    after = kept(room)
    assert after[: len(before)] == before
    assert len(after) == 6


def test_a_detached_run_whose_owner_cannot_be_noted_is_not_left_going(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said that nothing was started, and so it is."""
    reply = {"default": True, "response": "POSITION: A queue.", "seconds": 20}
    Path("replies.jsonl").write_text(json.dumps(reply))
    started: list[int] = []

    def full(folder: Path, pid: int, *, what: str) -> None:
        if pid != os.getpid():
            started.append(pid)
            raise RoomError(f"cannot write {folder}: No space left on device")

    monkeypatch.setattr(lock, "name_owner", full)
    assert cli.run([QUESTION, "--model", "scripted:replies.jsonl", "--detach"]) == 1
    assert "No space left" in capsys.readouterr().err
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)


def test_a_wait_for_a_room_that_is_not_there_prints_its_object_too(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As for every other end of it."""
    assert cli.run(["wait", "nowhere"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["exit_code"], "nowhere" in found["error"]) == (False, 2, True)


@pytest.mark.parametrize("as_json", [False, True])
def test_a_report_that_cannot_be_written_leaves_the_answer_and_is_made_up_for_without_a_call(
    tmp_path: Path, as_json: bool
) -> None:
    """The answer is in the journal: it is printed, `resume` is the next command, and that asks nobody again."""
    reply = f"POSITION: A queue. {'Grounds. ' * 100}\nPROPOSAL: Build it."
    (tmp_path / "replies.jsonl").write_text(json.dumps({"default": True, "response": reply}))
    asked = [QUESTION, "-r", "1", "-q", "--model", "scripted:replies.jsonl", "--moderator", "none"]
    done = run(tmp_path, 20_000, *asked, *(["--json"] if as_json else []))
    room = tmp_path / "active" / "chatroom"
    assert done.returncode == 1
    assert "chatroom_report.html" in done.stderr
    assert done.stderr.splitlines()[-1].endswith(f"then: debateroom resume {room}")
    if as_json:
        assert json.loads(done.stdout)["outcome"] == "deadlock"
    else:
        assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
            "Deadlock", "", "Recommended action", "", "Sharpest disagreement"
        ]  # fmt: skip
    (tmp_path / "replies.jsonl").write_text(json.dumps({"agent": "Agent Z", "round": 1, "response": "nobody"}))
    again = run(tmp_path, 10_000_000, "resume", "-q")
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith(done.stdout if not as_json else "Deadlock")
    assert len(kept(room)) == 3
    assert (room / "chatroom_report.html").exists()
