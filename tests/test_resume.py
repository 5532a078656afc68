"""Resume keeps what a room was started with: from another folder, without the variables, in the background."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Installed
from debates import ALIGNED, APART, QUESTION, SURE, SYNTHESIS, Serve, run, seat_calls
from vendor import Call, VendorServer, debate_script
from vendor.faults import HttpError

from debateroom import resuming, settings
from debateroom.errors import UsageError
from debateroom.models import addresses, reach
from debateroom.models.reach import Reach
from debateroom.models.registry import ModelSettings

ROOM = Path("active/chatroom")


def journal(room: Path = ROOM) -> list[dict[str, Any]]:
    """Every event of a room."""
    return [json.loads(line) for line in (room / "journal.jsonl").read_text(encoding="utf-8").splitlines()]


def broken(until: list[bool]) -> Any:
    """Replies for a debate in which Agent B's calls fail while `until` is empty."""
    script = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)

    def answer(call: Call) -> Any:
        down = not until and call.schema is None and "Agent B" in call.own.split("\n")[0]
        return HttpError(400) if down else script(call)

    return answer


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another folder."""
    return tmp_path_factory.mktemp("elsewhere")


def test_a_relative_script_is_found_from_another_folder(
    here: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The journal knows the folder that the paths in models' names start from; the name stays as it was typed."""
    Path("replies.jsonl").write_text(json.dumps({"agent": "Agent A", "response": "POSITION: x"}))
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", "scripted:replies.jsonl")[0] == 5
    assert journal()[0]["settings"]["reach"] == {"folder": str(here), "addresses": {}}
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: x"}))
    room = ROOM.resolve()
    monkeypatch.chdir(elsewhere)
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: the wrong file"}))
    code, out, err = run(capsys, "resume", str(room), "--json")
    assert (code, json.loads(out)["status"]) == (0, "finished"), err
    chat = json.loads((room / "chat.json").read_text())
    assert [entry["response"] for entry in chat["rounds"][0]["entries"]] == ["POSITION: x"] * 2
    assert {seat["model"] for seat in chat["agents"]} == {"scripted:replies.jsonl"}
    assert list(elsewhere.iterdir()) == [elsewhere / "replies.jsonl"]


def test_a_relative_program_is_found_from_another_folder(
    here: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same for the program of `command:` and for files among its arguments."""
    Path("say.sh").write_text('#!/bin/sh\ntest -e broken && exit 3\ncat >/dev/null\ncat "$1"\n')
    Path("say.sh").chmod(0o755)
    Path("reply.txt").write_text("POSITION: A queue.\nPROPOSAL: Build it.")
    name = "command:./say.sh reply.txt"
    script = f"scripted:{elsewhere}/one.jsonl"
    (elsewhere / "one.jsonl").write_text(json.dumps({"agent": "Agent A", "round": 2, "response": "POSITION: x"}))
    given = ["--role", f"Shell@{name}: x", "--role", f"Script@{script}: y", "--moderator", "none", "--model", script]
    assert run(capsys, QUESTION, "-r", "1", *given)[0] == 5
    (elsewhere / "one.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: y"}))
    before = len([event for event in journal() if event["event"] == "reply"])
    assert before == 1, "the program has answered, the script had nothing to say"
    lines = (ROOM / "journal.jsonl").read_text().splitlines()
    (ROOM / "journal.jsonl").write_text("\n".join(line for line in lines if '"event":"reply"' not in line) + "\n")
    room = ROOM.resolve()
    monkeypatch.chdir(elsewhere)
    code, _, err = run(capsys, "resume", str(room))
    assert code == 0, err
    chat = json.loads((room / "chat.json").read_text())
    assert chat["rounds"][0]["entries"][0]["response"] == "POSITION: A queue.\nPROPOSAL: Build it."


@pytest.mark.parametrize(("model", "provider"), [("sonnet", "anthropic"), ("gpt", "openai")])
def test_the_server_that_was_asked_is_asked_again_without_its_variable(
    serve: Serve, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], model: str,
    provider: str,
) -> None:  # fmt: skip
    """Whatever the environment names by now; a line on stderr says where calls go when it is not the same."""
    mended: list[bool] = []
    server = serve(broken(mended))
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", model)[0] == 5
    url = {"anthropic": server.url, "openai": server.openai_url}[provider]
    assert journal()[0]["settings"]["reach"]["addresses"] == {provider: url}
    mended.append(True)
    room, before = ROOM.resolve(), len(seat_calls(server))
    monkeypatch.chdir(elsewhere)
    other = serve(debate_script(synthesis=SYNTHESIS))
    monkeypatch.delenv("DEBATEROOM_ANTHROPIC_BASE_URL")
    code, _, err = run(capsys, "resume", str(room))
    assert (code, other.calls) == (0, []), err
    assert len(seat_calls(server)) - before == 1
    assert f"{provider} is asked at {url}, where this room began" in err.splitlines()


@pytest.mark.parametrize("form", ["http://user:pass-0042@{}", "http://{}/?token=pass-0042", "http://{}#pass-0042"])
def test_a_login_in_an_address_is_used_and_never_written(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """User, password, query and fragment stay out of every file; with the same variable they are used again."""
    mended: list[bool] = []
    server = serve(broken(mended))
    host = server.url.removeprefix("http://")
    monkeypatch.setenv("DEBATEROOM_ANTHROPIC_BASE_URL", form.format(host))
    code, out, err = run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", "sonnet", "-vv", "--json")
    assert journal()[0]["settings"]["reach"]["addresses"] == {
        "anthropic": f"http://{host}{'/' if '/?' in form else ''}"
    }
    written = [path.read_text(encoding="utf-8", errors="replace") for path in Path().rglob("*") if path.is_file()]
    assert not [text for text in [*written, out, err] if "pass-0042" in text]
    noted = Reach(**journal()[0]["settings"]["reach"])
    assert code == 5 or "?" in form
    assert reach.again(noted, ModelSettings()).anthropic_url == form.format(host)


def test_a_foreign_server_of_the_journal_gets_no_key_until_it_is_named(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A journal may come from anywhere: another machine's address must be in force here; the hint says how."""
    serve(broken([]))
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", "sonnet")[0] == 5
    lines = (ROOM / "journal.jsonl").read_text().splitlines()
    opening = json.loads(lines[0])
    opening["settings"]["reach"]["addresses"] = {"anthropic": "https://gateway.example/v1"}
    (ROOM / "journal.jsonl").write_text("\n".join([json.dumps(opening), *lines[1:]]) + "\n")
    code, out, err = run(capsys, "resume", "--json")
    value = json.loads(out)
    assert (code, value["room"]) == (2, str(ROOM.resolve()))
    assert "your key is sent to another server only when you name it" in err
    variable, *command = shlex.split(value["hint"])
    assert command == ["debateroom", "resume", str(ROOM.resolve())]
    monkeypatch.setenv(*variable.split("="))
    found = resuming._as_started(ROOM, {})[0].reach
    assert reach.again(found, ModelSettings()).anthropic_url == "https://gateway.example/v1"


@pytest.mark.parametrize(
    "given",
    [
        "",
        "http://",
        "user:pass-0042@host/v1",
        "ftp://user:pass-0042@host?key=pass-0042",
        "http://h:port/",
        "http://[h",
    ],
)
def test_an_address_that_is_none_is_refused_without_its_login(given: str) -> None:
    """What stands in a journal is checked like what a person types, and no password is quoted."""
    with pytest.raises(UsageError) as caught:
        addresses.kept("openai", given)
    assert "pass-0042" not in str(caught.value)


def test_a_room_on_the_vendors_own_endpoint_stays_there(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that was set since does not send the room's calls elsewhere."""
    noted = reach.noted(["anthropic:claude-opus-5-5", "openai:gpt-6.2-sol"], ModelSettings())
    assert noted.addresses == {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
    assert reach.again(noted, ModelSettings()).openai_url == "https://api.openai.com/v1"
    assert reach.elsewhere(noted, ModelSettings()) == {"openai": "https://api.openai.com/v1"}


def test_base_urls_are_settings_of_the_user_and_not_of_a_project(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The user's settings.toml may name a server; a debateroom.toml may be another's, and a key goes there."""
    server = serve(debate_script(synthesis=SYNTHESIS))
    monkeypatch.delenv("DEBATEROOM_OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    line = f'openai_base_url = "{server.openai_url}"\n'
    settings.user_file().parent.mkdir(parents=True, exist_ok=True)
    settings.user_file().write_text(line)
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", "gpt")[0] == 0
    assert {call.endpoint for call in server.calls} == {"openai.chat"}
    assert "there is no key" not in run(capsys, QUESTION, "--model", "gpt", "--dry-run")[2]
    checks = json.loads(run(capsys, "doctor", "--json")[1])["checks"]
    assert next(check["url"] for check in checks if check["name"] == "openai") == server.openai_url
    settings.user_file().unlink()
    Path("debateroom.toml").write_text(line)
    code, _, err = run(capsys, QUESTION, "--model", "gpt")
    assert code == 2
    assert "debateroom.toml sets `openai_base_url`, and your key is sent there: only you may name it" in err


def test_a_resumed_room_is_told_what_is_still_to_come(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Not the whole plan again: rounds that are finished and seats that have answered are not in the forecast."""
    mended: list[bool] = []

    def answer(call: Call) -> Any:
        script = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)
        down = (
            not mended and len(call.shared) == 2 and call.schema is None and "Agent A" not in call.own.split("\n")[0]
        )
        return HttpError(400) if down else script(call)

    server = serve(answer)
    code, _, err = run(capsys, QUESTION, "-n", "3", "-r", "3", "--model", "sonnet")
    assert (code, "at most 13 calls; " in err) == (5, True)
    mended.append(True)
    asked = len(server.calls)
    code, _, err = run(capsys, "resume")
    assert code == 0
    assert "resumed; rounds finished: 1 of 3" in err
    assert "at most 8 calls; " in err, "two seats of round 2, three of round 3, two verdicts, the synthesis"
    assert "at most 13 calls" not in err
    assert len(server.calls) - asked == 8
    event = next(event for event in journal() if event["event"] == "room_resumed")
    assert (event["finished"], event["forecast"]["calls"]) == (1, 8)


def test_a_room_that_only_lacks_its_synthesis_is_told_so(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """One call, in the singular; nothing else is asked."""
    server = serve(debate_script(SURE, moderator=ALIGNED, synthesis=SYNTHESIS))
    assert run(capsys, QUESTION, "-n", "2", "-r", "3", "--model", "sonnet")[0] == 0
    lines = (ROOM / "journal.jsonl").read_text().splitlines()
    kept = [line for line in lines if '"event":"synthesized"' not in line and '"event":"room_finished"' not in line]
    (ROOM / "journal.jsonl").write_text("\n".join(kept) + "\n")
    asked = len(server.calls)
    code, _, err = run(capsys, "resume")
    assert (code, len(server.calls) - asked) == (0, 1)
    assert "at most 1 call; " in err


def test_events_of_a_resumed_room_begin_with_how_it_was_opened(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--events` prints the opening, without the forecast of then, and what the journal gets from now on."""
    mended: list[bool] = []
    serve(broken(mended))
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", "sonnet")[0] == 5
    before = journal()
    mended.append(True)
    code, out, _ = run(capsys, "resume", "--events")
    opening, *events, last = map(json.loads, out.splitlines())
    assert code == 0
    assert opening == {key: value for key, value in before[0].items() if key != "forecast"}
    assert events == journal()[len(before) :]
    assert last["status"] == "finished"


def test_a_program_that_only_a_transcript_names_is_not_started(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A chat.json is handed around: a program in it runs when the caller names it, and then that one."""
    installed = Installed(here, monkeypatch)
    seats = [{"name": f"Agent {x}", "role": x, "framing": "f", "model": "command:claude"} for x in "AB"]
    Path("here").mkdir()
    Path("here/chat.json").write_text(json.dumps({"problem": QUESTION, "agents": seats, "rounds": []}))
    code, _, err = run(capsys, "resume", "here", "-r", "1")
    assert (code, installed.calls()) == (2, [])
    assert "this transcript names the program command:claude as a model" in err
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: x"}))
    assert run(capsys, "resume", "here", "-r", "1", "--model", "scripted:replies.jsonl")[0] == 0
    chat = json.loads(Path("here/chat.json").read_text())
    assert ({seat["model"] for seat in chat["agents"]}, installed.calls()) == ({"scripted:replies.jsonl"}, [])


def test_what_a_transcript_of_ours_holds_is_not_asked_again(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Without its journal a room goes on in the round that had too few answers; verdicts before it are kept."""
    mended: list[bool] = []

    def answer(call: Call) -> Any:
        script = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)
        down = not mended and len(call.shared) == 2 and call.schema is None and "Agent B" in call.own.split("\n")[0]
        return HttpError(400) if down else script(call)

    server = serve(answer)
    assert run(capsys, QUESTION, "-n", "2", "-r", "2", "--model", "sonnet")[0] == 5
    before, verdict = len(server.calls), json.loads((ROOM / "chat.json").read_text())["rounds"][0]["moderation"]
    (ROOM / "journal.jsonl").unlink()
    mended.append(True)
    code, _, err = run(capsys, "resume", "-r", "2")
    assert (code, "at most 3 calls; " in err) == (0, True)
    later = server.calls[before:]
    assert [call.own.split(",")[0] for call in later if call.schema is None] == ["You are Agent B"]
    moderated = [call for call in later if "aligned" in (call.schema or {}).get("properties", {})]
    assert ([len(call.shared) for call in moderated], len(later)) == ([3], 3)
    chat = json.loads((ROOM / "chat.json").read_text())
    assert chat["rounds"][0]["moderation"] == verdict
    assert [len(item["entries"]) for item in chat["rounds"]] == [2, 2]


@pytest.mark.parametrize("moderation", [{"aligned": "yes"}, {"why": []}, {}, {"aligned": True}])
def test_a_verdict_of_another_form_is_left_out(
    serve: Serve, capsys: pytest.CaptureFixture[str], moderation: dict[str, Any]
) -> None:
    """A foreign transcript goes on whatever it says about its rounds."""
    serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    seats = [{"name": f"Agent {x}", "role": x, "framing": "f"} for x in "AB"]
    entries = [{"agent": f"Agent {x}", "role": x, "response": "POSITION: x\nPROPOSAL: y"} for x in "AB"]
    rounds = [{"round": 1, "entries": entries, "moderation": moderation}]
    Path("old.json").write_text(json.dumps({"problem": QUESTION, "agents": seats, "rounds": rounds}))
    assert run(capsys, "resume", "old.json", "-r", "2", "--model", "sonnet")[0] == 0


@pytest.fixture
def vendor() -> Iterator[VendorServer]:
    """A server for real processes."""
    with VendorServer(debate_script(synthesis=SYNTHESIS), latency=0.2, first_token=0.0) as server:
        yield server


def process(folder: Path, *arguments: str, **variables: str) -> Any:
    """The command as a process in `folder`: exit code, stdout, stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "debateroom", *arguments],
        cwd=folder, env=os.environ | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_resume_detaches_and_is_waited_for_from_another_folder(
    here: Path, elsewhere: Path, vendor: VendorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Room and pid as JSON at once, the rest in run.log; what cannot go on is refused before anything is started."""
    with VendorServer(broken([]), latency=0.0) as server:
        os.environ["DEBATEROOM_ANTHROPIC_BASE_URL"] = server.url
        try:
            assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", "sonnet")[0] == 5
        finally:
            del os.environ["DEBATEROOM_ANTHROPIC_BASE_URL"]
    text = (ROOM / "journal.jsonl").read_text().replace(server.url, vendor.url)
    (ROOM / "journal.jsonl").write_text(text)
    room = str(ROOM.resolve())
    code, out, err = process(elsewhere, "resume", room, "-r", "2", "--detach")
    assert (code, out) == (2, ""), err
    code, out, err = process(elsewhere, "resume", room, "--detach")
    value = json.loads(out)
    assert (code, value["room"], value["status"], err) == (0, room, "running", "")
    assert value["hint"] == f"debateroom wait {room} --timeout 90"
    assert json.loads(process(elsewhere, "status", room, "--json")[1])["status"] in ("running", "finished")
    code, out, err = process(elsewhere, *shlex.split(value["hint"])[1:])
    assert (code, json.loads(out)["status"]) == (0, "finished"), err
    log = (ROOM / "run.log").read_text()
    assert f"anthropic is asked at {vendor.url}, where this room began" in log
    code, out, err = process(elsewhere, "resume", room, "--detach")
    assert (code, json.loads(out)["status"]) == (0, "finished")
    assert f"the room {room} is finished; nothing was asked again" in err


def test_modules_of_the_current_folder_do_not_get_into_a_detached_run(here: Path) -> None:
    """A script called rich.py beside the question is no library, as it is none in the foreground."""
    Path("rich.py").write_text("raise SystemExit('the wrong module')")
    Path("click.py").write_text("raise SystemExit('the wrong module')")
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: x"}))
    given = [QUESTION, "-r", "1", "--model", "scripted:replies.jsonl", "--detach"]
    started = subprocess.run([sys.executable, "-P", "-m", "debateroom", *given], capture_output=True, check=False)
    assert started.returncode == 0, started.stderr
    waited = [sys.executable, "-P", "-m", "debateroom", "wait", "--timeout", "60"]
    assert subprocess.run(waited, capture_output=True, check=False).returncode == 0, (ROOM / "run.log").read_text()
