"""Rooms from outside: a look harms nobody, a stop is told whenever it comes, and no file alone ends a process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import until
from debates import QUESTION, SYNTHESIS, Serve, run
from vendor import debate_script

from debateroom import cli, clock
from debateroom.room import lock
from debateroom.room.room import Room, event
from debateroom.room.summary import look

ROOM = Path("active/chatroom")
SEATS = [{"name": f"Agent {x}", "role": x, "framing": ""} for x in "AB"]
OPENED = event("room_opened", problem=QUESTION, agents=SEATS)


def start(*arguments: str) -> subprocess.Popen[str]:
    """The command as a process of its own, in the current folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "debateroom", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_running_room_is_looked_at(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing has gone wrong and there is no exit code yet; the hint is how to wait for one."""
    server = serve(debate_script(synthesis=SYNTHESIS), latency=60.0, first_token=0.0)
    first = start(QUESTION, "--model", "gpt", "-r", "1")
    until(lambda: len(server.calls) == 3)
    code, out, _ = run(capsys, "status", "--json")
    value = json.loads(out)
    assert code == 0
    assert [value[key] for key in ("ok", "exit_code", "status", "error", "hint")] == [
        True, None, "running", None, f"debateroom wait {ROOM.resolve()}",
    ]  # fmt: skip
    server.hurry()
    first.communicate(timeout=30)
    assert first.returncode == 0


def test_whoever_only_looks_keeps_nobody_out(tmp_path: Path) -> None:
    """Looking takes the lock for a moment; a run that begins in that moment gets its room all the same."""
    looker = (
        "import sys; from pathlib import Path; from debateroom.room import lock\n"
        "print('looking', flush=True)\nwhile True: lock.busy(Path(sys.argv[1]))"
    )
    (tmp_path / ".lock").touch()
    process = subprocess.Popen([sys.executable, "-c", looker, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "looking\n"
    try:
        for _ in range(300):
            lock.take(tmp_path).release()
    finally:
        process.kill()
        process.communicate()


def test_a_run_that_ends_while_it_is_looked_at_has_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between reading the journal and trying the lock a run may come to its end: it is not called gone."""
    (tmp_path / "journal.jsonl").write_text(json.dumps(OPENED) + "\n")

    def busy(folder: Path) -> bool:
        with (folder / "journal.jsonl").open("a") as file:
            file.write(json.dumps(event("room_finished", status="finished", stopped="rounds", exit_code=0)) + "\n")
        return False

    monkeypatch.setattr(lock, "busy", busy)
    assert (look(tmp_path)["status"], look(tmp_path)["exit_code"]) == ("finished", 0)


@pytest.mark.parametrize("seconds", [0.0, 0.15, 0.4, 0.8])
def test_a_detached_run_is_stopped_at_any_moment_of_its_start(
    serve: Serve, capsys: pytest.CaptureFixture[str], seconds: float
) -> None:
    """Also before it listens to signals: `wait` ends with 143, and the room can be resumed."""
    server = serve(debate_script(synthesis=SYNTHESIS), latency=60.0, first_token=0.0)
    out, err = start(QUESTION, "--model", "gpt", "-r", "1", "-n", "2", "--detach").communicate(timeout=30)
    room = Path(json.loads(out)["room"])
    waiting = start("wait", "--timeout", "60")
    time.sleep(seconds)
    assert run(capsys, "stop", str(room))[0] == 0, err
    out, _ = waiting.communicate(timeout=60)
    value = json.loads(out)
    assert (waiting.returncode, value["exit_code"], value["status"]) == (143, 143, "interrupted")
    assert value["hint"] == f"debateroom resume {room}"
    assert json.loads((room / "chat.json").read_text())["status"] == "interrupted"
    server.hurry()
    assert run(capsys, *value["hint"].split()[1:])[0] == 0


def test_a_signal_before_the_room_is_open_is_told_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SIGTERM from anywhere, as soon as a detached process listens."""
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: x"}))
    assert run(capsys, QUESTION, "-r", "1", "--model", "scripted:replies.jsonl")[0] == 0
    lines = (ROOM / "journal.jsonl").read_bytes().split(b"\n")
    (ROOM / "journal.jsonl").write_bytes(b"\n".join(lines[:2]) + b"\n")
    program = (
        "import os, signal, sys; from debateroom import cli, interruption, resuming\n"
        "resuming.is_finished = lambda folder: os.kill(os.getpid(), signal.SIGTERM)\n"
        "interruption.install(); sys.exit(cli.run(['resume', sys.argv[1]]))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(ROOM)], capture_output=True, text=True, check=False)
    assert done.returncode == 143
    assert done.stderr.splitlines()[-1].endswith(f"continue with: debateroom resume {ROOM.resolve()}")
    assert (look(ROOM)["exit_code"], look(ROOM)["status"]) == (143, "interrupted")


@pytest.mark.parametrize(
    "owner", ['{"pid": -1, "started": "NOW"}', '{"pid": 0, "started": "NOW"}', '{"pid": "1", "started": "NOW"}',
              '{"pid": true, "started": "NOW"}', '{"pid": PID, "started": "2999-01-01T00:00:00+00:00"}', "[1]", ""]
)  # fmt: skip
def test_stop_ends_nobody_whom_only_a_file_names(
    tmp_path: Path, owner: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stands beside the lock is believed when it can be true: no group of processes, no start in the future."""
    (tmp_path / "journal.jsonl").write_text(json.dumps(OPENED) + "\n")
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    filled = owner.replace("NOW", clock.now().isoformat()).replace("PID", str(bystander.pid))
    (tmp_path / ".owner.json").write_text(filled)
    try:
        assert cli.run(["stop", str(tmp_path)]) == 0
        assert capsys.readouterr().err == f"nothing is running in {tmp_path}\n"
        assert bystander.poll() is None
    finally:
        bystander.communicate(b"\n")


def test_a_room_that_was_given_back_names_no_owner(tmp_path: Path) -> None:
    """A program that has closed its room and lives on keeps nobody out, also when the room is unfinished."""
    with Room.create(tmp_path / "room", OPENED):
        assert lock.owner(tmp_path / "room") is not None
    assert (lock.owner(tmp_path / "room"), look(tmp_path / "room")["status"]) == (None, "interrupted")
    program = (
        "import sys; from pathlib import Path; from debateroom.room.room import Room; Room.reopen(Path(sys.argv[1]))"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path / "room")], check=False).returncode == 0


def test_of_many_that_take_a_room_at_once_one_has_it(here: Path) -> None:
    """The room that a detached run was given is nobody else's before that run is there: the others get exit 6."""
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: x", "seconds": 60}))
    questions = [f"Should we use {name} or a loop?" for name in ("a queue", "cron", "threads", "an actor")]
    started = [start(text, "-r", "1", "--model", "scripted:replies.jsonl", "--detach") for text in questions]
    outs = [process.communicate(timeout=60)[0] for process in started]
    codes = [process.returncode for process in started]
    try:
        assert sorted(codes) == [0, 6, 6, 6]
        assert json.loads((ROOM / "chat.json").read_text())["problem"] == questions[codes.index(0)]
        assert [bool(out) for out in outs] == [code == 0 for code in codes]
    finally:
        cli.run(["stop"])
