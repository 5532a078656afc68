"""Ctrl-C, SIGTERM and kill -9 on the real process: gone at once, nothing lost, and resumable.

The run that is hit is a process of its own; what looks at its room or goes on with it runs here.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import until
from debates import QUESTION, SYNTHESIS, Serve, run
from vendor import Call, VendorServer, debate_script

from debateroom import interruption

ROOM = Path("active/chatroom")


def late_b() -> Callable[[Call], float]:
    """Seat B takes a minute the first time it is asked, everyone else no time."""
    asked: list[int] = []

    def seconds(call: Call) -> float:
        if "Agent B" not in call.own.split("\n")[0]:
            return 0.0
        if call.number not in asked:
            asked.append(call.number)
        return 60.0 if call.number == asked[0] else 0.0

    return seconds


@pytest.fixture
def server(serve: Serve) -> VendorServer:
    """A vendor on which one seat of a round is late, until it is told to hurry."""
    return serve(debate_script(synthesis=SYNTHESIS), latency=late_b(), first_token=0.0)


def start(*arguments: str) -> subprocess.Popen[str]:
    """The command as a user runs it, in the current folder."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    return subprocess.Popen(
        [sys.executable, "-m", "debateroom", *arguments],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip


def begun(model: str = "gpt") -> subprocess.Popen[str]:
    """A debate of one round in which everyone but seat B has answered."""
    process = start(QUESTION, "--model", model, "-r", "1")
    until(lambda: len(replies()) == 2)
    return process


def journal() -> list[dict[str, Any]]:
    """The events on disk, a torn last line left out."""
    path = ROOM / "journal.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def chat() -> dict[str, Any]:
    """What `chat.json` holds."""
    return dict(json.loads((ROOM / "chat.json").read_text()))


def replies() -> list[tuple[int, str]]:
    """Round and seat of every reply on disk."""
    return [(line["round"], line["agent"]) for line in journal() if line["event"] == "reply"]


@pytest.mark.parametrize(("number", "code", "model"), [(signal.SIGINT, 130, "sonnet"), (signal.SIGTERM, 143, "gpt")])
def test_a_signal_ends_the_run_within_a_second_with_everything_answered_on_disk(
    server: VendorServer, capsys: pytest.CaptureFixture[str], number: signal.Signals, code: int, model: str
) -> None:
    """Calls in flight hold nothing up; the last line says how to go on, and going on repeats no call."""
    process = begun(model)
    sent = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert time.monotonic() - sent < 2.0, "the aim is one second; two leave room for a busy machine"
    assert (process.returncode, out) == (code, "")
    again = f"debateroom resume {ROOM.resolve()}"
    assert err.strip().splitlines()[-1] == f"debateroom: interrupted; continue with: {again}"
    assert (chat()["status"], chat()["stopped"]) == ("interrupted", "interrupted")
    assert [entry["agent"] for entry in chat()["rounds"][0]["entries"]] == ["Agent A", "Agent C"]
    before = len(server.calls)
    done, out, err = run(capsys, "resume", "active/chatroom", "--json")
    assert done == 0, err
    assert json.loads(out)["status"] == "finished"
    asked = [call.own.split(",")[0] for call in server.calls[before:] if call.schema is None]
    assert asked == ["You are Agent B"]
    assert sorted(replies()) == [(1, "Agent A"), (1, "Agent B"), (1, "Agent C")]


@pytest.mark.parametrize(
    ("question", "interrupted", "stopped"),
    [
        ("Faut-il une file d'attente ou une boucle ?", "debateroom : interrompu ; pour continuer : ", "arrêté ; "),
        ("后台任务用队列还是用循环？", "debateroom：已中断；继续：", "已停止；继续："),
    ],
)
def test_the_last_line_speaks_the_language_of_the_debate(
    server: VendorServer, capsys: pytest.CaptureFixture[str], question: str, interrupted: str, stopped: str
) -> None:
    """Ctrl-C and `stop` end in French and in Chinese too."""
    process = start(question, "--model", "gpt", "-r", "1")
    until(lambda: len(replies()) == 2)
    _, out, _ = run(capsys, "stop")
    _, err = process.communicate(timeout=10)
    assert err.splitlines()[-1] == f"{interrupted}debateroom resume {ROOM.resolve()}"
    assert (out.startswith(stopped), out.endswith(f"debateroom resume {ROOM.resolve()}\n")) == (True, True)


def test_a_second_ctrl_c_changes_nothing_for_the_worse(server: VendorServer) -> None:
    """Two signals in a row end as one does."""
    process = begun()
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert journal()[-1]["event"] == "room_interrupted"


def test_after_kill_9_the_room_is_whole_and_resumes(server: VendorServer, capsys: pytest.CaptureFixture[str]) -> None:
    """What was journaled is there, `chat.json` is valid, a dead process's lock does not block."""
    process = begun()
    process.kill()
    process.communicate(timeout=10)
    assert chat()["problem"] == QUESTION
    _, out, _ = run(capsys, "status", "--json")
    assert json.loads(out)["status"] == "interrupted"
    code, _, err = run(capsys, "resume")
    assert code == 0, err
    assert sorted(replies()) == [(1, "Agent A"), (1, "Agent B"), (1, "Agent C")]


def test_a_second_run_in_a_room_is_refused_naming_the_first(
    server: VendorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 6 with pid and start time of the running one, which goes on undisturbed, and with what can be done."""
    first = begun()
    room = ROOM.resolve()
    hint = f"debateroom wait {room}, or debateroom status {room}, or for another debate --room NAME"
    for arguments in ([QUESTION, "--model", "gpt"], ["resume"], ["resume", "--detach"]):
        code, out, err = run(capsys, *arguments)
        assert (code, out) == (6, "")
        assert f"the room chatroom is in use by process {first.pid}, started 20" in err
        assert err.rstrip().endswith(f"next: {hint}")
        code, out, _ = run(capsys, *arguments, "--json")
        value = json.loads(out)
        assert (code, value["exit_code"], value["ok"], value["hint"]) == (6, 6, False, hint)
        assert (value["room"], value["status"], value["agents"]) == (str(room), "running", 3)
    server.hurry()
    first.communicate(timeout=30)
    assert first.returncode == 0


def test_a_detached_run_is_waited_for_and_stopped_from_outside(
    server: VendorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """--detach answers at once with room and pid; wait says 124 while it runs; stop ends it."""
    process = start(QUESTION, "--model", "gpt", "-r", "1", "--detach")
    out, err = process.communicate(timeout=30)  # the late seat takes twice as long: detach does not wait for it
    assert process.returncode == 0, err
    value = json.loads(out)
    assert (value["room"], value["status"]) == (str(ROOM.resolve()), "running")
    code, out, _ = run(capsys, "wait", "chatroom", "--timeout", "0.1")
    assert (code, json.loads(out)["status"]) == (124, "running")
    until(lambda: len(replies()) == 2)
    code, _, err = run(capsys, "stop", "chatroom")
    assert (code, err) == (0, "")
    code, out, _ = run(capsys, "wait", "chatroom")
    assert (code, json.loads(out)["status"]) == (143, "interrupted")
    _, out, _ = run(capsys, "rooms", "--json")
    assert [(row["room"], row["status"], row["problem"]) for row in json.loads(out)] == [
        ("chatroom", "interrupted", QUESTION)
    ]


def test_events_are_json_lines_and_the_last_is_the_object(
    server: VendorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """--events prints what the journal gets, in its order, then the object of --json."""
    server.hurry()
    _, out, _ = run(capsys, QUESTION, "--model", "gpt", "-r", "1", "-n", "2", "--events")
    *events, last = map(json.loads, out.splitlines())
    assert events == journal()
    assert (last["ok"], last["status"]) == (True, "finished")


def test_a_second_detached_run_does_not_wipe_the_first(
    server: VendorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first one has been sent to take the room, and has it: the second is refused with exit 6."""
    first = start(QUESTION, "--model", "gpt", "-r", "1", "--detach")
    _, err = first.communicate(timeout=30)
    assert first.returncode == 0, err
    code, out, _ = run(capsys, "Tabs or spaces for our code?", "--model", "gpt", "--detach")
    assert (code, out) == (6, "")
    server.hurry()
    code, out, _ = run(capsys, "wait", "chatroom", "--timeout", "60")
    value = json.loads(out)
    assert (code, value["status"]) == (0, "finished")
    assert value["report"] is not None, "a room that is finished has its report"
    assert chat()["problem"] == QUESTION


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


def test_a_signal_while_everything_is_still_being_imported_ends_with_one_line(tmp_path: Path) -> None:
    """Before our own handlers stand, Python's is there: 130 and no traceback."""
    # Python sets its handler only where SIGINT was not ignored, as it is for jobs in the background
    lines = (
        "import signal",
        "signal.signal(signal.SIGINT, signal.default_int_handler)",
        "signal.raise_signal(signal.SIGINT)",
    )
    (tmp_path / "click.py").write_text("\n".join(lines))
    found = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-P", "-m", "debateroom", "rooms"],
        env=os.environ | {"PYTHONPATH": found}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "debateroom: interrupted; nothing had been asked\n"


LOST = """
import signal, sys
class Dropping:
    def __del__(self):
        signal.raise_signal(signal.{name})  # what the handler raises here is dropped by Python
class Converting:
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.{name})  # and made into a RuntimeError here
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "debateroom.debating.plan":
            sys.meta_path.remove(self)
            {act}
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("act", ["Dropping()", "type('Made', (), {'it': Converting()})"])
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_that_python_drops_or_a_library_converts_is_obeyed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int, act: str
) -> None:
    """While modules are imported, and without a second signal; nothing of it is shown."""
    (tmp_path / "shim").mkdir()
    (tmp_path / "shim" / "sitecustomize.py").write_text(LOST.format(name=name, act=act))
    paths = [str(tmp_path / "shim"), *os.environ.get("PYTHONPATH", str(Path(__file__).parents[1])).split(os.pathsep)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    (tmp_path / "replies.jsonl").write_text('{"default": true, "response": "POSITION: A queue.", "seconds": 60}')
    process = start(QUESTION, "--model", f"scripted:{tmp_path / 'replies.jsonl'}", "--moderator", "none")
    _, said = process.communicate(timeout=30)
    assert process.returncode == code, said
    assert "Traceback" not in said
    assert "ignored" not in said
    assert said.splitlines()[-1].startswith("debateroom: interrupted")


def test_a_further_signal_raises_what_got_lost_where_there_is_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows. While the stop is being handled nothing is raised again."""
    program = """
import os, signal
from debateroom import interruption
del signal.setitimer
interruption.install()
class Dropping:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
Dropping()
try:
    signal.raise_signal(signal.SIGTERM)
except interruption.Interrupted as stop:
    signal.raise_signal(signal.SIGTERM)
    print(stop.exit_code)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=30)
    assert (done.stdout, done.stderr) == ("130\n", "")


def test_a_thread_holds_no_signal_back() -> None:
    """Signals are the main thread's: what other threads write does not delay them, nor is it raised there."""
    depths: list[int] = []

    def write() -> None:
        with interruption.held():
            depths.append(interruption._State.depth)

    with interruption.held():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        assert depths == [interruption._State.depth] == [1]
