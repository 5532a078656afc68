"""Keys and authorization headers: in nothing that is written or said, however much is asked and whatever fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from debates import QUESTION, SYNTHESIS, Serve
from vendor import Answerer, Call, Said, VendorServer, debate_script
from vendor.faults import Cut, HttpError, Page, Reset, StreamError

from debateroom import activities, cli
from debateroom.errors import DebateroomError

KEYS = {"ANTHROPIC_API_KEY": "sk-ant-known-0042-secret", "OPENAI_API_KEY": "known.0043/secret+without_a_prefix"}
"""One as the vendors make them, and one as servers of one's own do."""
ROOM = Path("active/chatroom")


@pytest.fixture
def keyed(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the known keys in the environment."""
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    return here


def shown_keys(*texts: str) -> list[str]:
    """What of the known keys or their headers stands in `texts`."""
    wanted = [*KEYS.values(), "Bearer sk-", "Bearer known", "x-api-key: sk-"]
    return [part for part in wanted for text in texts if part in text]


def written(folder: Path) -> dict[str, str]:
    """Every file below `folder`, hidden ones too, as text."""
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8", errors="replace")
        for path in folder.rglob("*")
        if path.is_file()
    }


def echoing(status: int | None) -> Answerer:
    """A server that says the key back: in the error's message, as a gateway in debug mode does."""
    script = debate_script(synthesis=SYNTHESIS)

    def answer(call: Call) -> Said:
        if "Agent B" not in call.own.split("\n")[0]:
            return script(call)
        key = KEYS["ANTHROPIC_API_KEY" if "anthropic" in call.endpoint else "OPENAI_API_KEY"]
        message = f"bad header Authorization: Bearer {key}; x-api-key: {key}; the key {key} is wrong"
        return HttpError(status, message=message) if status else Page(message.encode(), "text/plain")

    return answer


@pytest.mark.parametrize("model", ["sonnet", "gpt"])
@pytest.mark.parametrize("loud", ["-v", "-vv"])
def test_a_debate_writes_and_says_no_key(
    keyed: Path, serve: Serve, capsys: pytest.CaptureFixture[str], model: str, loud: str
) -> None:
    """Journal, chat.json, both reports, stdout and stderr of a debate that works, and of its resume."""
    serve(debate_script(synthesis=SYNTHESIS))
    assert cli.run([QUESTION, "-n", "2", "-r", "2", "--model", model, loud, "--events"]) == 0
    assert cli.run(["resume", loud]) == 0
    said = capsys.readouterr()
    files = written(keyed)
    assert {f"active/chatroom/{name}" for name in ("journal.jsonl", "chat.json", "chatroom_report.html")} <= set(
        files
    )
    assert shown_keys(said.out, said.err, *files.values()) == []
    assert ('reply {"event":"reply"' in said.err) == (loud == "-vv")


@pytest.mark.usefixtures("no_waits")
@pytest.mark.parametrize("model", ["sonnet", "gpt"])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 501, None])
def test_a_server_that_says_the_keys_back_does_not_get_them_written(
    keyed: Path, serve: Serve, capsys: pytest.CaptureFixture[str], model: str, status: int | None
) -> None:
    """Error messages are quoted without keys, also one that looks like no key; traceback and cause hold none."""
    serve(echoing(status))
    cli.run([QUESTION, "-n", "3", "-r", "1", "--model", model, "-vv", "--json"])
    said = capsys.readouterr()
    files = written(keyed)
    assert json.loads((ROOM / "chat.json").read_text())["rounds"][0]["failures"]
    assert shown_keys(said.out, said.err, *files.values()) == []
    if status in (401, 403):
        with pytest.raises(DebateroomError) as caught:
            activities.debate(QUESTION, agents=3, rounds=1, model=model)
        assert shown_keys("".join(traceback.format_exception(caught.value)), repr(caught.value.__dict__)) == []


@pytest.mark.usefixtures("no_waits")
@pytest.mark.parametrize("fault", [Cut(), Reset(), StreamError(529)], ids=["cut", "reset", "overloaded"])
def test_broken_connections_tell_no_key(
    keyed: Path, serve: Serve, capsys: pytest.CaptureFixture[str], fault: Said
) -> None:
    """Faults below the API are told without the request that met them."""
    script = debate_script(synthesis=SYNTHESIS)
    serve(lambda call: fault if "Agent B" in call.own.split("\n")[0] else script(call))
    cli.run([QUESTION, "-n", "3", "-r", "1", "--model", "sonnet", "-vv"])
    said = capsys.readouterr()
    assert shown_keys(said.out, said.err, *written(keyed).values()) == []


@pytest.mark.usefixtures("no_waits")
@pytest.mark.parametrize("key", ["sk-ant-known-0042-secret\nx", "sk-ant-known-0042-secret\r\nhost: x"])
def test_a_key_that_cannot_be_sent_is_not_quoted(
    keyed: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    """It is refused before any call, and the refusal does not hold it either."""
    serve(debate_script(synthesis=SYNTHESIS))
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    code = cli.run([QUESTION, "-n", "2", "-r", "1", "--model", "sonnet", "-vv", "--json"])
    said = capsys.readouterr()
    assert code == 4
    assert shown_keys(said.out, said.err, *written(keyed).values()) == []


@pytest.mark.parametrize("owner", ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
def test_a_key_in_the_context_or_in_an_answer_is_not_written(
    keyed: Path, serve: Serve, capsys: pytest.CaptureFixture[str], owner: str
) -> None:
    """A file with the keys may be among what everybody reads, and a model may say them again."""
    script = debate_script(synthesis={**SYNTHESIS, "summary": f"Use {KEYS[owner]}."})

    def answer(call: Call) -> Said:
        said = script(call)
        return f"{said}\n\nThe key is {KEYS[owner]}." if isinstance(said, str) else said

    (keyed / "settings.txt").write_text(f"KEY={KEYS[owner]}\n")
    serve(answer)
    given = [f"Queue or loop, with {KEYS[owner]}?", "-n", "2", "-r", "1", "--model", "sonnet", "-vv", "--events"]
    assert cli.run([*given, "--context", "settings.txt"]) == 0
    said = capsys.readouterr()
    (keyed / "settings.txt").unlink()
    assert shown_keys(said.out, said.err, *written(keyed).values()) == []
    assert "The key is [key]." in (ROOM / "chat.json").read_text()


def test_a_command_line_with_a_key_is_refused(keyed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It would stand in the room and on the screen; a variable is the place for it."""
    for line in (f"own --api-key={KEYS['ANTHROPIC_API_KEY']}", "own --token=abcdefgh"):
        assert cli.run([QUESTION, "--model", f"command:{line}", "--json"]) == 2
        said = capsys.readouterr()
        assert shown_keys(said.out, said.err) == []
        assert json.loads(said.out)["hint"] == "give the key in a variable that the program reads"
    assert not Path("active").exists()


@pytest.fixture
def loud_server(keyed: Path) -> Iterator[VendorServer]:
    """A server for real processes, which echoes the keys to Agent B."""
    with VendorServer(echoing(400)) as server:
        yield server


def environment(server: VendorServer) -> dict[str, str]:
    """A process's environment with the known keys."""
    addresses = {"DEBATEROOM_ANTHROPIC_BASE_URL": server.url, "DEBATEROOM_OPENAI_BASE_URL": server.openai_url}
    root = str(Path(__file__).parents[1])
    return {**os.environ, **KEYS, **addresses, "PYTHONPATH": root, "ANTHROPIC_LOG": "debug", "OPENAI_LOG": "debug"}


def test_a_run_in_the_background_logs_no_key(
    keyed: Path, loud_server: VendorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--detach -vv` writes every event to run.log, and no key there, although the SDKs were told to log all."""
    command = [
        sys.executable,
        "-m",
        "debateroom",
        QUESTION,
        "-n",
        "3",
        "-r",
        "1",
        "--model",
        "gpt",
        "--detach",
        "-vv",
    ]
    began = subprocess.run(command, env=environment(loud_server), capture_output=True, text=True)
    assert began.returncode == 0, began.stderr
    assert cli.run(["wait", "--timeout", "60"]) == 0
    waited = capsys.readouterr()
    files = written(keyed)
    log = files["active/chatroom/run.log"]
    assert 'seat_failed {"event":"seat_failed"' in log
    assert "round 1 of 1: 2 of 3 agents answered" in log
    assert "DEBUG" not in log, "the SDK's own log shows prompts"
    assert shown_keys(began.stdout, began.stderr, waited.out, waited.err, *files.values()) == []


def test_an_interrupted_run_says_no_key(keyed: Path) -> None:
    """Ctrl-C in the middle of a call: what is on disk and the last lines hold no key."""
    with VendorServer(debate_script(), latency=60.0, first_token=0.1) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "debateroom", QUESTION, "-n", "2", "-r", "1", "--model", "sonnet", "-vv"],
            env=environment(server), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while len(server.calls) < 2 and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(2)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "DEBUG" not in err, "the SDK's own log shows prompts"
    assert shown_keys(out, err, *written(keyed).values()) == []
