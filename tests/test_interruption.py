"""Ctrl-C, SIGTERM and kill -9 on the real process: gone at once, nothing lost, and resumable."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from vendor import Call, VendorServer, debate_script

QUESTION = "Should background jobs use a queue or a loop?"
SYNTHESIS: dict[str, Any] = {
    "summary": "No agreement.", "consensus": [], "disagreements": [], "recommended_action": "Measure first.",
    "sharpest_disagreement": "Retries.", "unresolved_risks": [], "mind_changes": [], "highlights": [],
    "opening_positions": [],
}  # fmt: skip


def slow_b() -> Callable[[Call], float]:
    """Seat B takes 8 seconds the first time it is asked, everyone else none."""
    asked: list[int] = []

    def seconds(call: Call) -> float:
        if "Agent B," not in call.own.split("\n")[0]:
            return 0.0
        if call.number not in asked:
            asked.append(call.number)
        return 8.0 if call.number == asked[0] else 0.0

    return seconds


@pytest.fixture
def server() -> Iterator[VendorServer]:
    """A vendor on which one seat of a round is slow."""
    with VendorServer(debate_script(synthesis=SYNTHESIS), latency=slow_b(), first_token=0.0) as running:
        yield running


def start(tmp_path: Path, server: VendorServer, *arguments: str) -> subprocess.Popen[str]:
    """The command as a user runs it, in an empty folder."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"} | {
        "ANTHROPIC_API_KEY": "sk-ant-test-0123456789",
        "DEBATEROOM_ANTHROPIC_BASE_URL": server.url,
    }
    return subprocess.Popen(
        [sys.executable, "-m", "debateroom", *arguments],
        cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def journal(tmp_path: Path) -> list[dict[str, Any]]:
    """The events on disk, a torn last line left out."""
    path = tmp_path / "active" / "chatroom" / "journal.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def until(condition: Any, seconds: float = 20.0) -> None:
    """Waits for `condition`; fails when it does not come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)


def replies(tmp_path: Path) -> list[tuple[int, str]]:
    """Round and seat of every reply on disk."""
    return [(line["round"], line["agent"]) for line in journal(tmp_path) if line["event"] == "reply"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_within_a_second_with_everything_answered_on_disk(
    tmp_path: Path, server: VendorServer, number: signal.Signals, code: int
) -> None:
    """Calls of 8 s in flight hold nothing up; the last line says how to go on, and going on repeats no call."""
    process = start(tmp_path, server, QUESTION, "--model", "sonnet", "-r", "1")
    until(lambda: len(replies(tmp_path)) == 2)
    sent = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert time.monotonic() - sent < 2.0, "the aim is one second; two leave room for a busy machine"
    assert (process.returncode, out) == (code, "")
    assert err.strip().splitlines()[-1] == "debateroom: interrupted; continue with: debateroom resume active/chatroom"
    chat = json.loads((tmp_path / "active" / "chatroom" / "chat.json").read_text())
    assert (chat["status"], chat["stopped"]) == ("interrupted", "interrupted")
    assert [entry["agent"] for entry in chat["rounds"][0]["entries"]] == ["Agent A", "Agent C"]
    before = len(server.calls)
    again = start(tmp_path, server, "resume", "active/chatroom", "--json")
    out, err = again.communicate(timeout=30)
    assert again.returncode == 0, err
    assert json.loads(out)["status"] == "finished"
    asked = [call.own.split(",")[0] for call in server.calls[before:] if call.schema is None]
    assert asked == ["You are Agent B"]
    assert sorted(replies(tmp_path)) == [(1, "Agent A"), (1, "Agent B"), (1, "Agent C")]


def test_a_second_ctrl_c_changes_nothing_for_the_worse(tmp_path: Path, server: VendorServer) -> None:
    """Two signals in a row end as one does."""
    process = start(tmp_path, server, QUESTION, "--model", "sonnet", "-r", "1")
    until(lambda: len(replies(tmp_path)) == 2)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert journal(tmp_path)[-1]["event"] == "room_interrupted"


def test_after_kill_9_the_room_is_whole_and_resumes(tmp_path: Path, server: VendorServer) -> None:
    """What was journaled is there, `chat.json` is valid, a dead process's lock does not block."""
    process = start(tmp_path, server, QUESTION, "--model", "sonnet", "-r", "1")
    until(lambda: len(replies(tmp_path)) == 2)
    process.kill()
    process.communicate(timeout=10)
    json.loads((tmp_path / "active" / "chatroom" / "chat.json").read_text())
    status = start(tmp_path, server, "status", "--json")
    out, _ = status.communicate(timeout=10)
    assert json.loads(out)["status"] == "interrupted"
    again = start(tmp_path, server, "resume")
    _, err = again.communicate(timeout=30)
    assert again.returncode == 0, err
    assert sorted(replies(tmp_path)) == [(1, "Agent A"), (1, "Agent B"), (1, "Agent C")]


def test_a_second_run_in_a_room_is_refused_naming_the_first(tmp_path: Path, server: VendorServer) -> None:
    """Exit 6 with pid and start time of the running one, which goes on undisturbed."""
    first = start(tmp_path, server, QUESTION, "--model", "sonnet", "-r", "1")
    until(lambda: len(replies(tmp_path)) == 2)
    second = start(tmp_path, server, QUESTION, "--model", "sonnet")
    out, err = second.communicate(timeout=20)
    assert (second.returncode, out) == (6, "")
    assert f"the room chatroom is in use by process {first.pid}, started 20" in err
    first.communicate(timeout=30)
    assert first.returncode == 0


def test_a_detached_run_is_waited_for_and_stopped_from_outside(tmp_path: Path, server: VendorServer) -> None:
    """--detach answers at once with room and pid; wait says 124 while it runs; stop ends it; resume finishes it."""
    begun = time.monotonic()
    process = start(tmp_path, server, QUESTION, "--model", "sonnet", "-r", "1", "--detach")
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert time.monotonic() - begun < 7.0, "the slow seat takes 8 s: detach did not wait for it"
    value = json.loads(out)
    assert (value["room"], value["status"]) == (str(tmp_path / "active" / "chatroom"), "running")
    waiting = start(tmp_path, server, "wait", "chatroom", "--timeout", "0.5")
    out, _ = waiting.communicate(timeout=20)
    assert (waiting.returncode, json.loads(out)["status"]) == (124, "running")
    until(lambda: len(replies(tmp_path)) == 2)
    stopping = start(tmp_path, server, "stop", "chatroom")
    out, err = stopping.communicate(timeout=20)
    assert (stopping.returncode, err) == (0, "")
    again = start(tmp_path, server, "wait", "chatroom")
    out, _ = again.communicate(timeout=20)
    assert (again.returncode, json.loads(out)["status"]) == (143, "interrupted")
    listing = start(tmp_path, server, "rooms", "--json")
    out, _ = listing.communicate(timeout=20)
    assert [(row["room"], row["status"], row["problem"]) for row in json.loads(out)] == [
        ("chatroom", "interrupted", QUESTION)
    ]


def test_events_are_json_lines_and_the_last_is_the_object(tmp_path: Path) -> None:
    """--events prints what the journal gets, in its order, then the object of --json."""
    with VendorServer(debate_script(synthesis=SYNTHESIS)) as quick:
        process = start(tmp_path, quick, QUESTION, "--model", "sonnet", "-r", "1", "-n", "2", "--events")
        out, _ = process.communicate(timeout=30)
    *events, last = map(json.loads, out.splitlines())
    assert events == journal(tmp_path)
    assert (last["ok"], last["status"]) == (True, "finished")


def test_a_second_detached_run_does_not_wipe_the_first(tmp_path: Path, server: VendorServer) -> None:
    """The first one has been sent to take the room, and has it: the second is refused with exit 6."""
    first = start(tmp_path, server, QUESTION, "--model", "sonnet", "-r", "1", "--detach")
    out, err = first.communicate(timeout=20)
    assert first.returncode == 0, err
    second = start(tmp_path, server, "Tabs or spaces for our code?", "--model", "sonnet", "--detach")
    out, err = second.communicate(timeout=20)
    assert (second.returncode, out) == (6, "")
    waiting = start(tmp_path, server, "wait", "chatroom", "--timeout", "60")
    out, _ = waiting.communicate(timeout=90)
    value = json.loads(out)
    assert (waiting.returncode, value["status"]) == (0, "finished")
    assert value["report"] is not None, "a room that is finished has its report"
    chat = json.loads((tmp_path / "active" / "chatroom" / "chat.json").read_text())
    assert chat["problem"] == QUESTION


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">/dev/full", "2>/dev/full", "| true"])
def test_a_stream_that_is_closed_or_full_does_not_stop_a_debate(tmp_path: Path, redirection: str) -> None:
    """The room is finished on disk whatever happens to stdout and stderr; no traceback is shown."""
    (tmp_path / "replies.jsonl").write_text(
        '{"default": true, "response": "POSITION: A queue.\\nPROPOSAL: Build it."}'
    )
    command = f'{sys.executable} -m debateroom "{QUESTION}" -r 2 --model scripted:replies.jsonl {redirection}'
    done = subprocess.run(  # noqa: S602 - the shell's redirections are what is tested
        command, shell=True, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    chat = json.loads((tmp_path / "active" / "chatroom" / "chat.json").read_text())
    assert chat["status"] == "finished"
    assert done.returncode == (1 if redirection == ">/dev/full" else 0)
