"""A disk that is full, on the whole command: a clear error, exit 1, and everything written before is whole."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from debateroom import files

QUESTION = "Should background jobs use a queue or a loop?"


def run(folder: Path, limit: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in `folder`, with no file allowed to grow beyond `limit` bytes."""

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", "debateroom", *arguments],
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
    assert not list(room.glob("*.part"))


def test_a_room_whose_disk_was_full_is_resumed_when_there_is_space(tmp_path: Path) -> None:
    """The answers that were journaled are not asked for again."""
    reply = f"POSITION: A queue. {'Grounds. ' * 100}\nPROPOSAL: Build it."
    (tmp_path / "replies.jsonl").write_text(json.dumps({"default": True, "response": reply}))
    assert run(tmp_path, 6_000, QUESTION, "-r", "2", "-q", "--model", "scripted:replies.jsonl").returncode == 1
    room = tmp_path / "active" / "chatroom"
    kept = [line for line in files.read_lines(room / "journal.jsonl").values if line["event"] == "reply"]
    assert kept
    done = run(tmp_path, 10_000_000, "resume", "-q")
    assert done.returncode == 0, done.stderr
    after = [line for line in files.read_lines(room / "journal.jsonl").values if line["event"] == "reply"]
    assert after[: len(kept)] == kept
    assert len(after) == 6
