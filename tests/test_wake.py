"""The wake-up call: what is kept and how, what is sent, and what its answers are called."""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import itertools
import json
import os
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from debates import run
from filelock import FileLock
from hooks import AUTHORITY, HOST, Hooks, reply, serving

from debateroom import clock, settings
from debateroom.errors import UsageError
from debateroom.language import LANGUAGES
from debateroom.outbound.exchange import Ask, _authorities, exchange
from debateroom.room.room import Room, event
from debateroom.wake import body, delivery, hook, pacing, signature, workspace
from debateroom.wake.workspace import Workspace

KEY = "send-key-0042-secret"
Set = Callable[..., Hooks]


@pytest.fixture
def place(here: Path) -> Workspace:
    """The current folder as a workspace."""
    return workspace.of_active(here / "active")


@pytest.fixture
def hooks(place: Workspace) -> Iterator[Hooks]:
    """A webhook on this machine that the workspace wakes."""
    with serving() as server:
        hook.keep(place, hook.checked(server.url, KEY, hook.PREFIX))
        yield server


def rested(place: Workspace) -> None:
    """Makes the last call one of long ago."""
    os.utime(place.own / "wake.last", (0, 0))


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Puts `text` on standard input."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def sent(server: Hooks) -> dict[str, Any]:
    """The body of the one request."""
    (asked,) = server.asked
    return dict(json.loads(asked.body))


def a_room(folder: Path, **ending: Any) -> Path:
    """A room that ended so."""
    seats = [{"name": "Agent A", "role": "Critic", "framing": "f", "model": "scripted:x", "vendor": "x"}]
    opening = {"problem": "Queue or loop?", "agents": seats, "language": "en", "rounds": 1, "kind": "debate",
               "model": "scripted:x", "uuid": "0000-room", "context": "", "version": "0.1.0"}  # fmt: skip
    with Room.create(folder, event("room_opened", **opening)) as room:
        if ending:
            room.write(event("room_finished", seconds=1.0, **ending))
    return folder


FAILED = {"status": "failed", "stopped": "quorum", "exit_code": 5, "error": "nobody answered", "hint": "resume"}
FINISHED = {"status": "finished", "stopped": "rounds", "exit_code": 0, "error": None, "hint": None}


# What is kept


def test_url_and_key_are_kept_encrypted_and_shown_no_more(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file of the workspace or of the user's holds them, and no command prints more than the host."""
    with serving() as server:
        for given in (["--url", server.url], ["--url", "-"]):
            typed(monkeypatch, KEY if given[1] != "-" else f"{server.url}\n{KEY}\n")
            code, out, err = run(capsys, "wake", "set", *given, "--key", "-")
            assert (code, out) == (0, f"from now on https://{HOST}/… is woken; try it: debateroom wake test\n")
            _, shown, more = run(capsys, "wake")
            assert shown == f"https://{HOST}/… is woken, with events named debateroom.…\n"
            assert not any(part in out + err + shown + more for part in (KEY, "/wake ", str(server.port)))
    for root in (here, hook.key_file().parent):
        for path in (path for path in root.rglob("*") if path.is_file()):
            assert not any(part in path.read_bytes() for part in (KEY.encode(), b'/wake"', HOST.encode())), path
    assert KEY not in repr(hook.required(workspace.of_active(here / "active")))


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_only_the_owner_reads_key_and_box(place: Workspace, hooks: Hooks) -> None:
    """Whatever the umask; the key lies outside of workspace and rooms, and an open one is refused."""
    assert hook.key_file().stat().st_mode & 0o777 == 0o600
    assert (place.own / "wake.box").stat().st_mode & 0o777 == 0o600
    assert place.folder not in hook.key_file().parents
    hook.key_file().chmod(0o640)
    with pytest.raises(hook.WakeUnreadable) as caught:
        hook.known(place)
    assert caught.value.hint == f"chmod 600 {hook.key_file()}"


def test_a_box_of_somebody_else_or_a_damaged_one_is_not_believed(place: Workspace, hooks: Hooks) -> None:
    """It is authenticated: nobody without the key can name another webhook. Nothing of it is quoted."""
    path = place.own / "wake.box"
    value = json.loads(path.read_bytes())
    sealed = bytearray(base64.b64decode(value["box"]))
    sealed[-1] ^= 1
    for content in (
        json.dumps({**value, "box": base64.b64encode(sealed).decode()}),
        "{}",
        "[]",
        '{"box": 1}',
        "x\x00",
    ):
        path.write_text(content)
        with pytest.raises(hook.WakeUnreadable) as caught:
            hook.known(place)
        assert (caught.value.exit_code, caught.value.hint) == (1, hook.SET)
        assert caught.value.__cause__ is None
    path.write_text(json.dumps(value))
    hook.key_file().write_bytes(base64.b64encode(bytes(32)))
    with pytest.raises(hook.WakeUnreadable):
        hook.known(place)
    hook.key_file().unlink()
    with pytest.raises(hook.WakeUnreadable, match="no key"):
        hook.known(place)


def test_version_control_leaves_it_out(place: Workspace, hooks: Hooks) -> None:
    """The uuid of the project may go along, the rest not."""
    place.project(None)
    subprocess.run(["git", "init", "-q"], cwd=place.folder, check=True)  # noqa: S607
    listed = subprocess.run(
        ["git", "status", "--porcelain", "-uall", ".debateroom"],  # noqa: S607
        cwd=place.folder, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert listed.stdout == "?? .debateroom/project.json\n"


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (["--url", "https://a.example/"], "", "a webhook is a URL and a key"),
        (["--key", "-"], KEY, "a webhook is a URL and a key"),
        ([], "", "a webhook is a URL and a key"),
        (["--url", "https://a.example/", "--key", KEY], "", "a key is no flag"),
        (["--url", "http://a.example/", "--key", "-"], KEY, "https://"),
        (["--url", "https://10.0.0.1/x", "--key", "-"], KEY, "10.0.0.0/8"),
        (["--url", "https://1.1.1.1:8443/x", "--key", "-"], KEY, "port 8443"),
        (["--url", "https://1.1.1.1/x", "--key", "-"], "\n", "one word"),
        (["--url", "https://1.1.1.1/x", "--key", "-"], "two words", "one word"),
        (["--url", "https://1.1.1.1/x", "--key", "-"], "clé", "one word"),
        (["--url", "https://1.1.1.1/x", "--key", "-"], "whsec_ä?", "one word"),
        (["--url", "https://1.1.1.1/x", "--key", "-"], "whsec_a?", "base64"),
        (["--url", "https://1.1.1.1/x", "--key", "-", "--event-prefix", "A b"], KEY, "a prefix"),
        (["--event-prefix", "devforge"], "", "no wake-up call is set"),
    ],
)
def test_what_cannot_be_a_webhook_is_not_stored(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    stdin: str,
    said: str,
) -> None:
    """Exit code 2 with the reason, and the key is not repeated."""
    typed(monkeypatch, stdin)
    code, out, err = run(capsys, "wake", "set", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert KEY not in err
    assert not list(here.rglob("wake.box"))


def test_another_port_is_a_setting_that_no_project_can_make(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the environment or the user's own file; several by commas."""
    monkeypatch.setenv("DEBATEROOM_WEB_PORTS", "8443,9443")
    assert settings.load({}).web_ports == (8443, 9443)
    monkeypatch.delenv("DEBATEROOM_WEB_PORTS")
    (here / "debateroom.toml").write_text("web_ports = [22]\n")
    with pytest.raises(UsageError, match="only you may say"):
        settings.load({})


def test_a_prefix_is_changed_alone_and_a_hook_removed(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """URL and key stay; after `remove` there is none."""
    assert run(capsys, "wake", "set", "--event-prefix", "devforge")[0] == 0
    assert hook.required(place) == hook.Hook(hooks.url, KEY, "devforge")
    assert run(capsys, "wake", "test")[0] == 0
    assert sent(hooks)["event"] == "devforge.test"
    assert run(capsys, "wake", "remove")[:2] == (0, "nobody is woken any more\n")
    code, _, err = run(capsys, "wake", "test")
    assert (code, hook.SET in err) == (2, True)


# What is sent


def test_a_test_is_about_no_run_and_no_project(hooks: Hooks, capsys: pytest.CaptureFixture[str]) -> None:
    """One POST with the body of the contract, the key in both headers, and a signature that can be verified."""
    code, out, _ = run(capsys, "wake", "test")
    assert (code, out) == (0, f"woke https://{HOST}/…: accepted (HTTP 204) (a test's own server)\n")
    assert sent(hooks) == {
        "event": "debateroom.test",
        "project": None,
        "run": None,
        "message": "This is a test of debateroom's wake-up call. Nothing has failed.",
    }
    (asked,) = hooks.asked
    assert (asked.line, asked.name) == ("POST /wake HTTP/1.1", HOST)
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["x-automation-key"] == KEY
    signed = f"{asked.headers['webhook-id']}.{asked.headers['webhook-timestamp']}.".encode() + asked.body
    digest = base64.b64encode(hmac.digest(KEY.encode(), signed, hashlib.sha256)).decode()
    assert asked.headers["webhook-signature"] == f"v1,{digest}"


def test_the_signature_is_that_of_the_specification() -> None:
    """The example that the specification's libraries test themselves with."""
    made = signature.headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    )
    assert made == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_failed_room_is_told_with_its_error(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """The project by a uuid that stays, its folder and its url; the run by kind, uuid, title and error."""
    a_room(place.folder / "active" / "chatroom", **FAILED)
    (place.folder / "debateroom.toml").write_text('url = "https://example.com/project"\n')
    assert run(capsys, "wake", "send", "chatroom")[0] == 0
    value = sent(hooks)
    assert uuid.UUID(value["project"]["uuid"])
    assert value == {
        "event": "debateroom.run_failed",
        "project": {**value["project"], "name": place.folder.name, "url": "https://example.com/project"},
        "run": {
            "type": "agent_run",
            "uuid": "0000-room",
            "status": "failed",
            "title": "/debate · Queue or loop?",
            "error": "nobody answered",
            "summary": None,
        },
        "message": "/debate · Queue or loop?: failed. nobody answered",
    }
    assert place.project(None) == {**value["project"], "url": None}


def test_a_room_that_did_not_fail_is_a_plain_call(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its message tells of it, `run` is null; a room of another workspace wakes that one's webhook."""
    folder = a_room(place.folder / "elsewhere" / "active" / "done", **FINISHED)
    code, _, err = run(capsys, "wake", "send", str(folder))
    assert (code, str(folder.parents[1]) in err) == (2, True)
    os.chdir(folder.parents[1])
    other = workspace.of_room(folder)
    hook.keep(other, hook.Hook(hooks.url, KEY))
    assert run(capsys, "wake", "send", str(folder))[0] == 0
    value = sent(hooks)
    assert (value["event"], value["run"]) == ("debateroom.wake", None)
    assert value["project"]["name"] == "elsewhere"
    assert value["message"] == "/debate · Queue or loop?: finished"


def test_a_message_of_ones_own_is_cut(hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    """At 2,000 characters, without keys; without a room it is about no run."""
    assert run(capsys, "wake", "send", "-m", f"{KEY} " + "é" * 3_000)[0] == 0
    value = sent(hooks)
    assert (len(value["message"]), value["message"][:8], value["message"][-2:]) == (2_000, "[key] éé", "é…")
    assert (value["event"], value["run"]) == ("debateroom.wake", None)


def test_a_run_whose_process_is_gone_has_failed(place: Workspace) -> None:
    """Nobody was there to say so."""
    call = body.of_room(a_room(place.folder / "active" / "gone"))
    assert call.event == "run_failed"
    assert call.run is not None
    assert (call.run["status"], call.run["error"]) == ("interrupted", "the process that ran this room is gone")


def test_a_deployment_is_told_by_its_file(hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    """Its four fields and nothing else of the file."""
    given = {"uuid": "d-1", "status": "failed", "title": "Fix the queue", "error": "exit 1", "token": "hidden"}
    Path("deployment.json").write_text(json.dumps(given))
    assert run(capsys, "wake", "send", "--deployment", "deployment.json")[0] == 0
    value = sent(hooks)
    assert value["event"] == "debateroom.deploy_failed"
    assert value["run"] == {
        "type": "deployment", "uuid": "d-1", "status": "failed", "title": "Fix the queue", "error": "exit 1",
    }  # fmt: skip
    assert value["message"] == "Fix the queue: failed. exit 1"


UNTOLD = ["", "[]", "{}", '{"uuid": 1, "status": "x", "title": "y"}', '{"uuid": "", "status": "x", "title": "y"}',
          '{"uuid": "a", "status": "b", "title": "c", "error": []}', '{"x": "' + "y" * 70_000 + '"}']  # fmt: skip


@pytest.mark.parametrize("content", UNTOLD)
def test_a_file_that_tells_no_deployment_wakes_nobody(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    """Exit code 2 before anything is sent; so is a room beside it."""
    Path("d.json").write_text(content)
    assert run(capsys, "wake", "send", "--deployment", "d.json")[0] == 2
    assert run(capsys, "wake", "send", "--deployment", "missing.json")[0] == 2
    assert run(capsys, "wake", "send", "chatroom", "--deployment", "d.json")[0] == 2
    assert hooks.accepted == 0


# What comes of it


@pytest.mark.parametrize(
    ("status", "result", "code"),
    [
        (200, "accepted", 0), (202, "accepted", 0), (204, "accepted", 0), (301, "redirect_refused", 1),
        (307, "redirect_refused", 1), (401, "key_refused", 1), (403, "key_refused", 1), (404, "other_status", 1),
        (429, "other_status", 1), (500, "other_status", 1),
    ],
)  # fmt: skip
def test_each_status_has_its_name(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str], status: int, result: str, code: int
) -> None:
    """One request each, whatever the answer says or where it points; its body is shown nowhere."""
    hooks.say = lambda asked: reply(status, b"SECRET ANSWER" * 10_000, Location="http://169.254.169.254/latest/")
    found, out, err = run(capsys, "wake", "test", "--json")
    assert found == code
    assert json.loads(out) == {
        "ok": code == 0, "exit_code": code, "result": result, "status": status, "event": "debateroom.test",
        "to": f"https://{HOST}/…", "error": None, "loopback": True,
    }  # fmt: skip
    assert len(hooks.asked) == hooks.accepted == 1
    assert "SECRET" not in out + err + (place.own / delivery.RECORD).read_text()


AFTER = [
    case["expect"]["after"]
    for line in (Path(__file__).parent / "cases" / "ssrf_urls.jsonl").read_text().splitlines()
    for case in [json.loads(line)]
    if "after" in case["expect"]
]


@pytest.mark.parametrize("after", AFTER, ids=lambda after: after["location"])
def test_what_follows_a_good_address(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str], after: dict[str, Any]
) -> None:
    """The handed cases whose address is fine and whose answer leads elsewhere: refused, after one request only."""
    hooks.say = lambda asked: reply(after["http_status"], Location=after["location"])
    assert after["expect"] == "redirect refused, one request only"
    assert json.loads(run(capsys, "wake", "test", "--json")[1])["result"] == "redirect_refused"
    assert len(hooks.asked) == hooks.accepted == 1


def test_a_call_has_eight_seconds_in_all_and_reads_64_kb(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """These are the limits that the request is made with; `test_exchange` shows that they hold."""
    made: list[Ask] = []
    monkeypatch.setattr(delivery, "exchange", lambda ask: made.append(ask) or exchange(ask))
    assert run(capsys, "wake", "test")[0] == 0
    assert [(ask.seconds, ask.most) for ask in made] == [(8.0, 65_536)]


def test_an_answer_without_an_end_is_read_no_further_than_allowed(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """After 64 KB what it says is known: it was accepted. Nothing of it is shown or kept."""
    over = threading.Event()

    def endless(asked: object) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while not over.is_set():
            yield b"SECRET" * 1_000

    hooks.say = endless
    code, out, err = run(capsys, "wake", "test", "--json")
    over.set()
    assert (code, json.loads(out)["result"], "SECRET" in out + err) == (0, "accepted", False)
    assert not any(b"SECRET" in path.read_bytes() for path in place.folder.rglob("*") if path.is_file())


def test_a_proxy_of_the_environment_is_not_asked(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever name it has there; the call goes where the webhook is."""
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        assert run(capsys, "wake", "test")[0] == 0
        proxy.setblocking(False)
        with pytest.raises(BlockingIOError):
            proxy.accept()


def test_a_certificate_that_nobody_signed_is_refused(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the authorities of every day, who know nothing of a test's: no request is sent."""
    monkeypatch.setattr("debateroom.outbound.exchange._trust", _authorities)
    code, out, _ = run(capsys, "wake", "test", "--json")
    value = json.loads(out)
    assert (code, value["result"], "certificate" in value["error"]) == (1, "unreachable", True)
    assert (hooks.accepted, hooks.asked) == (1, [])


def test_the_record_says_what_was_sent_and_to_whom(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line a call; what a test of ours sent to a server on this machine says so."""
    folder = a_room(place.folder / "active" / "chatroom", **FAILED)
    run(capsys, "wake", "send", str(folder))
    (line,) = map(json.loads, (place.own / delivery.RECORD).read_text().splitlines())
    assert line.pop("at")
    assert line == {
        "result": "accepted", "status": 204, "event": "debateroom.run_failed", "to": f"https://{HOST}/…",
        "error": None, "loopback": True, "run": "0000-room",
    }  # fmt: skip


def test_a_webhook_that_leads_inside_by_now_is_blocked(
    place: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guard is asked at each call, not only when it is set; nothing is sent."""
    monkeypatch.setattr("debateroom.outbound.guard._system", lambda host: ["169.254.169.254"])
    hook.keep(place, hook.Hook(f"https://{HOST}/wake", KEY))
    code, out, err = run(capsys, "wake", "test")
    assert (code, out) == (1, "")
    assert err == (
        f"https://{HOST}/… was not asked: {HOST} has the address 169.254.169.254, "
        "which is no public server's (169.254.0.0/16)\n"
    )


def test_a_name_that_is_gone_is_out_of_reach(
    place: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without network has a webhook that is out of reach, not a forbidden one."""

    def nothing(host: str) -> list[str]:
        raise OSError("Temporary failure in name resolution")

    monkeypatch.setattr("debateroom.outbound.guard._system", nothing)
    hook.keep(place, hook.Hook(f"https://{HOST}/wake", KEY))
    assert json.loads(run(capsys, "wake", "test", "--json")[1])["result"] == "unreachable"


@pytest.mark.parametrize("phase", ["handshake", "headers", "body"])
def test_one_that_dawdles_is_left(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    """The time is for everything; a drop now and then does not begin it anew."""
    over = threading.Event()
    monkeypatch.setattr(delivery, "SECONDS", 0.5)

    def slowly(asked: object) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n" + (b"\r\n" if phase == "body" else b"")
        for number in itertools.count():
            if over.wait(0.05):
                return
            yield b"x: %d\r\n" % number

    if phase == "handshake":
        hooks._context.sni_callback = lambda *given: over.wait(20) and None
    hooks.say = slowly
    code, out, _ = run(capsys, "wake", "test", "--json")
    over.set()
    assert (code, json.loads(out)["result"], len(hooks.asked) <= 1) == (1, "timed_out", True)


def test_nobody_there_is_unreachable_and_not_tried_again(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also one with another's certificate, and one that answers with garbage, of which nothing is shown."""
    hooks.say = lambda asked: b"GARBAGE\r\n\r\n"
    code, out, err = run(capsys, "wake", "test", "--json")
    assert (code, json.loads(out)["result"], "GARBAGE" in out + err) == (1, "unreachable", False)
    rested(place)
    hook.keep(place, hook.Hook(f"https://other.example.com:{hooks.port}/", KEY))
    code, _, err = run(capsys, "wake", "test")
    assert (code, "the certificate of other.example.com is not trusted" in err) == (1, True)
    assert hooks.accepted == 2


def test_a_second_call_within_five_seconds_is_too_soon(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not sent; after them the next one is. Another workspace has a time of its own."""
    now = [1_000_000.0]
    monkeypatch.setattr(clock, "epoch", lambda: now[0])
    assert run(capsys, "wake", "test")[0] == 0
    now[0] += 4.9
    code, out, _ = run(capsys, "wake", "send", "-m", "now", "--json")
    assert (code, json.loads(out)["result"], json.loads(out)["status"]) == (1, "too_soon", None)
    assert len(hooks.asked) == 1
    now[0] += 0.2
    assert run(capsys, "wake", "test")[0] == 0
    other = Workspace(place.folder / "other")
    other.folder.mkdir()
    assert [pacing.take_turn(other), pacing.take_turn(other), pacing.take_turn(place)] == [True, False, False]


def test_of_many_processes_at_once_one_has_its_turn(place: Workspace) -> None:
    """Whoever comes first: the time is looked at and set under a lock."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom debateroom.wake.pacing import take_turn\n"
        "from debateroom.wake.workspace import Workspace\nimport filelock\n"
        "print('ready', flush=True)\nsys.stdin.readline()\n"
        "print(take_turn(Workspace(Path(sys.argv[1]))))"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(place.folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )
        for _ in range(6)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60)[0].strip() for process in processes]
    assert sorted(said) == ["False"] * 5 + ["True"]


WAKING = """import ssl, sys
from debateroom import cli
from debateroom.outbound.loopback import Loopback, opened
import debateroom.wake.delivery
trust = ssl.create_default_context(cafile=sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
with opened(Loopback(lambda host: ["127.0.0.1"], trust)):
    sys.exit(cli.run(["wake", "send", "-m", "it is down", "--json"]))
"""
"""Wakes as a command does, over TLS to a server of a test's."""


def test_of_two_commands_at_once_one_wakes(hooks: Hooks, place: Workspace) -> None:
    """Two processes, one request; the other is told that it is too soon."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WAKING, str(AUTHORITY)], cwd=place.folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    said = [json.loads(process.communicate("\n", timeout=60)[0]) for process in processes]
    assert sorted(each["result"] for each in said) == ["accepted", "too_soon"]
    assert sorted(process.returncode for process in processes) == [0, 1]
    assert len(hooks.asked) == hooks.accepted == 1


def test_while_another_process_has_the_lock_nobody_wakes(place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at the time just now, and may wake; once it has done, the turn is free."""
    monkeypatch.setattr(pacing, "_WAIT", 0.05)
    place.make()
    with FileLock(place.own / "wake.lock"):
        assert not pacing.take_turn(place)
    assert pacing.take_turn(place)


def test_a_clock_that_was_set_back_keeps_nobody_asleep(place: Workspace) -> None:
    """A time in the far future is not waited for."""
    assert pacing.take_turn(place)
    os.utime(place.own / "wake.last", (4e9, 4e9))
    assert pacing.take_turn(place)


def test_nothing_is_set_is_said_with_the_command_that_sets_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and no file is made for it."""
    for command in (["wake"], ["wake", "test"], ["wake", "send"], ["wake", "set", "--event-prefix", "x"]):
        code, out, err = run(capsys, *command)
        assert (code, out) == (2, "")
        assert f"no wake-up call is set in {here}" in err
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("result", delivery.RESULTS)
def test_results_are_said_in_three_languages(language: str, result: delivery.Result) -> None:
    """Each with the host, and with the reason where there is one."""
    reason = UsageError("because")
    said = delivery.Delivery(result, "debateroom.wake", "https://h/…", 404, reason).said(language)
    assert "https://h/…" in said
    assert ("because" in said) == (result in ("timed_out", "unreachable", "blocked"))


def test_a_project_whose_url_is_no_link_is_a_usage_error(
    hooks: Hooks, place: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is sent."""
    monkeypatch.setenv("DEBATEROOM_URL", "javascript:alert(1)")
    code, _, err = run(capsys, "wake", "send", "-m", "x")
    assert (code, "no web link" in err, hooks.accepted) == (2, True, 0)
