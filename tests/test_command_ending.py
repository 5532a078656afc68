"""No program outlives its call: not its time, not a stop, not Ctrl-C, and none of its children does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from commands import Installed, alive, until

from debateroom import clock
from debateroom.errors import CallFailed
from debateroom.messages import Request
from debateroom.models.registry import Models, ModelSettings

QUESTION = "Should background jobs use a queue or a loop?"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """The programs, first on PATH; their temporary folders are below the test's."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return Installed(tmp_path, monkeypatch)


def order(what: str, timeout: float = 60.0, ends: float | None = None) -> Request:
    return Request(shared=(), own=f"DO {what}", timeout=timeout, until=ends)


def test_at_its_deadline_a_program_is_ended_with_all_its_children(installed: Installed, tmp_path: Path) -> None:
    """A family that is deaf to SIGTERM, one child of it in a session of its own, is gone a moment later."""
    with Models(ModelSettings(attempts=1)) as models:
        model = models.open("command:own")
        began = time.monotonic()
        with pytest.raises(CallFailed) as caught:
            model.ask(order("family", timeout=3.0))
        took = time.monotonic() - began
    assert (str(caught.value), caught.value.cause) == ("own did not answer within 3 s and was ended.", "timeout")
    assert 3.0 <= took < 7.0, "the time, and at most the grace on a busy machine"
    assert len(installed.pids()) == 3
    until(lambda: not any(map(alive, installed.pids())), 2.0)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_program_that_was_ended_is_quoted_with_its_last_words(installed: Installed) -> None:
    """What it was waiting for is often said before: a vendor that is down, a login that was refused."""
    with Models(ModelSettings(attempts=1)) as models, pytest.raises(CallFailed) as caught:
        models.open("command:codex").ask(order("waits", timeout=2.0))
    assert str(caught.value) == (
        "codex did not answer within 2 s and was ended. "
        "It last said: Reconnecting... 2/5 (unexpected status 503 Service Unavailable)"
    )


def test_nobody_waits_longer_than_the_round(installed: Installed) -> None:
    """The moment after which nobody wants the answer ends a call as its own time does."""
    with Models(ModelSettings(attempts=1)) as models:
        began = time.monotonic()
        with pytest.raises(CallFailed, match="was ended"):
            models.open("command:own").ask(order("sleep", ends=clock.monotonic() + 0.5))
    assert time.monotonic() - began < 3.0


def test_what_a_program_leaves_running_is_ended_with_it(installed: Installed) -> None:
    """A finished program's answer counts, and its children in its group do not stay."""
    with Models() as models:
        found = models.open("command:own").ask(order("leave children"))
    assert found.text.startswith("POSITION:")
    _, child, apart = installed.pids()
    until(lambda: not alive(child), 2.0)
    if alive(apart):
        os.kill(apart, signal.SIGKILL)  # what made a session of its own of a finished program may be meant to stay


@pytest.mark.parametrize("way", ["stop", "close"])
def test_a_stopped_run_ends_its_programs(installed: Installed, way: str) -> None:
    """Setting `stop` and closing the models both end what is running; closing has ended it when it returns."""
    models = Models()
    model = models.open("command:own")
    caught: list[str] = []

    def ask() -> None:
        try:
            model.ask(order("family"))
        except CallFailed as error:
            caught.append(str(error))

    seats = [threading.Thread(target=ask) for _ in range(3)]
    for seat in seats:
        seat.start()
    until(lambda: len(installed.pids()) == 9)
    if way == "stop":
        models.stop.set()
    else:
        models.close()
        until(lambda: not any(map(alive, installed.pids())), 0.2)
    for seat in seats:
        seat.join(5.0)
    assert caught == ["The run was stopped before own had answered."] * 3
    until(lambda: not any(map(alive, installed.pids())), 1.0)
    with pytest.raises(CallFailed, match="stopped"):
        model.ask(order("answer"))
    models.close()


def start(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """The command as a user runs it, in a folder with a slow program."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    return subprocess.Popen(
        [sys.executable, "-m", "debateroom", *arguments],
        cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_ends_every_program_within_the_second(
    installed: Installed, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """The real command line: nothing is left, neither a process nor a folder, and the room can be resumed."""
    process = start(tmp_path, QUESTION, "--note", "DO family", "--model", "command:own", "-r", "1", "-n", "3")
    until(lambda: len(installed.pids()) == 9)
    sent = time.monotonic()
    process.send_signal(number)
    _, err = process.communicate(timeout=10)
    took = time.monotonic() - sent
    assert took < 2.0, "the aim is one second; two leave room for a busy machine"
    until(lambda: not any(map(alive, installed.pids())), 0.5)
    assert process.returncode == code
    again = f"debateroom resume {tmp_path / 'active' / 'chatroom'}"
    assert err.strip().splitlines()[-1] == f"debateroom: interrupted; continue with: {again}"
    assert "Traceback" not in err
    assert [path.name for path in (tmp_path / "tmp").iterdir() if path.name.startswith("debateroom-")] == []


def test_ctrl_c_ends_the_moderators_program_too(installed: Installed, tmp_path: Path) -> None:
    """The moderator is asked on the main thread, where the signal arrives in the middle of its call."""
    (tmp_path / "replies.jsonl").write_text('{"default": true, "response": "POSITION: A queue.\\nCONFIDENCE: 9"}\n')
    process = start(
        tmp_path, QUESTION, "--note", "DO family", "--model", "scripted:replies.jsonl", "--moderator", "command:own",
        "-r", "1", "-n", "2",
    )  # fmt: skip
    until(lambda: len(installed.pids()) == 3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130, err
    until(lambda: not any(map(alive, installed.pids())), 0.5)
    assert [path.name for path in (tmp_path / "tmp").iterdir() if path.name.startswith("debateroom-")] == []


def test_a_run_that_fails_leaves_no_program_behind(installed: Installed, tmp_path: Path) -> None:
    """Late seats of a round that missed its quorum are ended with the command."""
    process = start(
        tmp_path, QUESTION, "--note", "DO family", "--model", "command:own", "-r", "1", "-n", "2",
        "--round-timeout", "3", "--json",
    )  # fmt: skip
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, json.loads(out)["exit_code"]) == (5, 5)
    assert len(installed.pids()) == 6
    until(lambda: not any(map(alive, installed.pids())), 0.5)


def test_a_debate_is_held_between_assistants(installed: Installed, tmp_path: Path) -> None:
    """Seats on three programs, from question to reports, each entry with its model and usage."""
    process = start(
        tmp_path, QUESTION, "--role", "Architect@command:claude", "--role", "Tester@command:codex",
        "--role", "Owner@command:gemini", "--model", "command:claude", "-r", "1", "--moderator", "none", "--json",
    )  # fmt: skip
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    chat = json.loads((tmp_path / "active" / "chatroom" / "chat.json").read_text())
    (played,) = chat["rounds"]
    assert [(entry["model"], entry["response"]) for entry in played["entries"]] == [
        ("claude-opus-5-5", "POSITION: a queue"), ("command:codex", "POSITION: a loop"),
        ("gemini-3-pro", "POSITION: both"),
    ]  # fmt: skip
    assert [agent["vendor"] for agent in chat["agents"]] == ["anthropic", "openai", "google"]
    assert json.loads(out)["cost"] is None
