"""`--wake-on-failure`: which ends of a run wake somebody, what they are told, and that the run stays what it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from arenas import judge, prefers
from commands import until
from coordinators import coordinator
from coordinators import record as proof
from debates import QUESTION, run
from dialogues import complete, done, script
from hooks import HOST, Hooks, reply, serving

from debateroom.cli import front
from debateroom.wake import delivery, hook, workspace

SHOP = Path(__file__).parent / "agents" / "shop.yaml"
POSITION = "You look after orders.\n- Trigger: an order is late\n  Work: say it\n  Beneficiary: Eva\n-- END --\n"
SCENARIO = "persona: hurried\ngoals: The agent says where order W1001 is.\nopening: Where is my order W1001?\n"
WAKE = "--wake-on-failure"


@pytest.fixture
def desk(here: Path) -> Path:
    """A folder with scripts: models that answer, models that fail, and an agent whose server is down."""
    (here / "s.yaml").write_text(SCENARIO)
    (here / "POSITION.md").write_text(POSITION)
    (here / "good.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: A.\nPROPOSAL: B."}) + "\n")
    (here / "down.jsonl").write_text(json.dumps({"default": True, "error": "the server is down"}) + "\n")
    (here / "shop.jsonl").write_text(json.dumps({"agent": "shop", "response": "It is being prepared."}) + "\n")
    (here / "broken.jsonl").write_text(json.dumps({"agent": "shop", "error": "the server is down"}) + "\n")
    return here


@pytest.fixture
def hooks(desk: Path) -> Iterator[Hooks]:
    """The webhook that the current folder wakes."""
    with serving() as server:
        hook.keep(workspace.of_active(desk / "active"), hook.Hook(server.url, "key-0042-secret"))
        yield server


def debate(capsys: pytest.CaptureFixture[str], model: str, *more: str) -> tuple[int, str, str]:
    return run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", f"scripted:{model}.jsonl", WAKE, *more)


def told(server: Hooks) -> list[tuple[str, Any, str]]:
    """Event, run and message of each call."""
    bodies = [json.loads(asked.body) for asked in server.asked]
    return [(body["event"], body["run"], body["message"]) for body in bodies]


def test_a_debate_that_fails_wakes_once(hooks: Hooks, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code, object on stdout and error are those of the run; the call is one line on stderr."""
    code, out, err = debate(capsys, "down", "--json")
    value = json.loads(out)
    assert (code, value["exit_code"], value["status"]) == (5, 5, "failed")
    ((event, about, message),) = told(hooks)
    assert event == "debateroom.run_failed"
    assert about == {
        "type": "agent_run",
        "uuid": json.loads(Path("active/chatroom/chat.json").read_text())["uuid"],
        "status": "failed",
        "title": f"/debate · {QUESTION}",
        "error": value["error"],
        "summary": None,
    }
    assert message == f"/debate · {QUESTION}: failed. {value['error']}"
    assert err.count(f"woke https://{HOST}/…: accepted (HTTP 204)") == 1
    assert not any("0042" in path.read_text() for path in Path("active").rglob("*") if path.is_file())


def test_the_line_is_in_the_language_of_the_room(hooks: Hooks, capsys: pytest.CaptureFixture[str]) -> None:
    """And so is the message."""
    code, _, err = debate(capsys, "down", "--language", "fr")
    assert code == 5
    assert f"https://{HOST}/… réveillé : accepté (HTTP 204)" in err
    assert " : échoué. " in told(hooks)[0][2]


def test_one_that_is_done_wakes_nobody(hooks: Hooks, capsys: pytest.CaptureFixture[str]) -> None:
    """A deadlock is a result."""
    code, out, _ = debate(capsys, "good", "--json")
    assert (code, json.loads(out)["outcome"], hooks.accepted) == (0, "deadlock", 0)


@pytest.mark.parametrize(
    "more", [["-n", "0"], ["--language", "tlh"], ["--role", "A@nowhere:x: y"], ["--moderator", "nowhere:x"]]
)
def test_a_call_that_was_refused_wakes_nobody(
    hooks: Hooks, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    """Whoever made it reads why; nor does a vague question, or a busy room."""
    assert debate(capsys, "good", *more)[0] in (2, 4)
    assert run(capsys, "performance", "--model", "scripted:good.jsonl", WAKE)[0] == 8
    events = [event for event, _, _ in told(hooks)]
    assert events in ([], ["debateroom.wake"])


def test_no_key_wakes_although_there_is_no_room(
    hooks: Hooks, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nightly run that never began: a call about no run, with the error."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    code, _, err = run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", "opus", WAKE)
    assert code == 4
    ((event, about, message),) = told(hooks)
    assert (event, about) == ("debateroom.wake", None)
    assert f"debateroom: {message}" in err


def test_a_verdict_that_is_no_wakes_with_a_plain_call(
    hooks: Hooks, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run did not fail: `run` is null, the message says what came of it, after it was printed."""
    code, out, err = run(
        capsys, "simulate", "s.yaml", "--agent", str(SHOP), "--agent-model", "scripted:shop.jsonl",
        "--model", script(desk, done(False, "", "Rude.")), WAKE,
    )  # fmt: skip
    assert (code, out.splitlines()[0]) == (3, "Failed: Rude.")
    ((event, about, message),) = told(hooks)
    assert (event, about) == ("debateroom.wake", None)
    assert message.startswith("/simulation · ")
    assert message.endswith(": finished. Rude.")
    assert err.splitlines()[-1].startswith("woke ")


@pytest.mark.parametrize(
    "command", [["simulate", "s.yaml"], ["work", "Where is order W1001?", "--brief", "POSITION.md"]]
)
def test_dialogues_that_break_wake_and_so_does_their_resume(
    hooks: Hooks, desk: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """Whatever the kind; each time it fails again, unless that is within five seconds."""
    plan = {"call": "plan", "response": {"steps": ["a", "b"]}}
    driver = script(desk, plan, "Where is order W1001?", done(), first=1)
    given = ["--agent", str(SHOP), "--agent-model", "scripted:broken.jsonl", "--model", driver]
    assert run(capsys, *command, *given, WAKE)[0] == 1
    kind = "simulation" if command[0] == "simulate" else "work"
    assert told(hooks)[0][1]["title"].startswith(f"/{kind} · ")
    assert "the server is down" in told(hooks)[0][1]["error"]
    code, _, err = run(capsys, "resume", kind, WAKE)
    assert (code, f"https://{HOST}/… was not asked: at most one call in 5 s" in err) == (1, True)
    workspace.of_active(desk / "active").own.joinpath("wake.last").unlink()
    assert run(capsys, "resume", str(desk / "active" / kind), WAKE)[0] == 1
    assert [event for event, _, _ in told(hooks)] == ["debateroom.run_failed"] * 2


def test_resuming_a_finished_room_tells_nothing_again(
    hooks: Hooks, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever its exit code was."""
    run(capsys, "simulate", "s.yaml", "--agent", str(SHOP), "--agent-model", "scripted:shop.jsonl",
        "--model", script(desk, done(False, "", "Rude.")))  # fmt: skip
    assert run(capsys, "resume", "simulation", WAKE)[0] == 0
    assert hooks.accepted == 0


@pytest.mark.parametrize("status", [302, 401, 500])
def test_a_call_that_is_not_accepted_changes_nothing(
    hooks: Hooks, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    """The exit code stays the run's; stderr says what became of the call and of the run."""
    hooks.say = lambda asked: reply(status, b"SECRET")
    code, out, err = debate(capsys, "down")
    assert (code, out) == (5, "")
    assert f"(HTTP {status})" in err
    assert "debateroom: only 0 of 2 agents answered" in err
    assert "SECRET" not in err


def nobody(server: Hooks, desk: Path, patch: pytest.MonkeyPatch) -> None:
    hook.keep(workspace.of_active(desk / "active"), hook.Hook(f"https://{HOST}:1/", "key-0042-secret"))


def somebody_else(server: Hooks, desk: Path, patch: pytest.MonkeyPatch) -> None:
    place = workspace.of_active(desk / "active")
    hook.keep(place, hook.Hook(f"https://other.example.com:{server.port}/", "key-0042-secret"))


def late(server: Hooks, desk: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(delivery, "SECONDS", 0.2)

    def say(asked: object) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        threading.Event().wait(5)

    server.say = say


def blocked(server: Hooks, desk: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr("debateroom.outbound.loopback.current", lambda: None)
    patch.setattr("debateroom.outbound.guard._system", lambda host: ["10.0.0.1"])


def full_disk(server: Hooks, desk: Path, patch: pytest.MonkeyPatch) -> None:
    (desk / ".debateroom" / "wake.lock").mkdir()


def fault_of_ours(server: Hooks, desk: Path, patch: pytest.MonkeyPatch) -> None:
    def deliver(*given: Any, **more: Any) -> None:
        raise RuntimeError("two\nlines")

    patch.setattr(delivery, "deliver", deliver)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (nobody, "could not be reached"), (somebody_else, "the certificate of other.example.com is not trusted"),
        (late, "did not answer within 0.2 s"), (blocked, "was not asked: "), (full_disk, "wake.last cannot be writ"),
        (fault_of_ours, "debateroom: RuntimeError: two lines"),
    ],
)  # fmt: skip
def test_whatever_becomes_of_the_call_the_run_stays_what_it_was(
    hooks: Hooks, desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Hooks, Path, pytest.MonkeyPatch], None], said: str,
) -> None:  # fmt: skip
    """The same exit code and object, and one line on stderr more than without it."""
    words = [QUESTION, "-n", "2", "-r", "1", "--model", "scripted:down.jsonl", "--json"]
    code, out, before = run(capsys, *words)
    make(hooks, desk, monkeypatch)
    again, value, err = run(capsys, *words, WAKE)
    assert (again, json.loads(value)) == (code, json.loads(out))
    assert len([line for line in err.splitlines() if said in line]) == 1
    assert len(err.splitlines()) == len(before.splitlines()) + 1
    assert hooks.asked == [] or make is late


def test_a_workspace_that_wakes_nobody_says_so_before_anything_is_asked(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not when it is too late: exit code 2 with the command that sets one, and no room."""
    code, _, err = debate(capsys, "good")
    assert (code, hook.SET in err, Path("active").exists()) == (2, True, False)


def test_the_webhook_is_the_one_of_the_rooms_workspace(
    hooks: Hooks, desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A room that is resumed from elsewhere wakes whom its own workspace names."""
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", f"scripted:{desk}/down.jsonl")[0] == 5
    (desk / "elsewhere").mkdir()
    monkeypatch.chdir(desk / "elsewhere")
    assert run(capsys, "resume", str(desk / "active" / "chatroom"), WAKE)[0] == 5
    assert json.loads(hooks.asked[0].body)["project"]["name"] == desk.name


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full standard output, as Linux has it")
def test_an_answer_that_cannot_be_printed_is_no_failed_run(hooks: Hooks) -> None:
    """The room is finished: exit code 1 says that standard output is full, and nobody is woken."""
    command = [QUESTION, "-n", "2", "-r", "1", "--model", "scripted:good.jsonl", WAKE]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "debateroom", *command], stdout=full, stderr=subprocess.PIPE, env=environment
        )
    assert (ran.returncode, b"standard output cannot be written" in ran.stderr) == (1, True)
    assert not Path(".debateroom/wakes.jsonl").exists()


def test_a_run_in_the_background_wakes_too(hooks: Hooks, capsys: pytest.CaptureFixture[str]) -> None:
    """The process that runs the room does it. It is another one than this test's, so its guard holds: the port of a
    server on this machine is not asked, which its log says."""
    command = [QUESTION, "-n", "2", "-r", "1", "--model", "scripted:down.jsonl", "--detach", WAKE]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    subprocess.run([sys.executable, "-m", "debateroom", *command], check=True, capture_output=True, env=environment)
    assert run(capsys, "wait", "--timeout", "60")[0] == 5
    log = Path("active/chatroom/run.log")
    until(lambda: f"https://{HOST}/… was not asked: port {hooks.port} is not asked" in log.read_text())
    record = json.loads(Path(".debateroom/wakes.jsonl").read_text())
    assert (record["result"], record["event"], "loopback" in record) == ("blocked", "debateroom.run_failed", False)
    assert hooks.accepted == 0


TASK = {"id": "T-1", "scenario": {"instruction": "Ask where order W1001 is."}, "expected_user_satisfied": True}
GIVEN = ["--agent", str(SHOP), "--agent-model", "scripted:AGENT.jsonl"]
MADE = ["--vendor", "scripted:AGENT.jsonl=acme"]
LONG = {
    "arena": [QUESTION, *["--seat", "scripted:AGENT.jsonl"] * 2, *MADE, "--judge", "scripted:judge.jsonl"],
    "debate": [QUESTION, "-n", "2", "-r", "1", "--model", "scripted:AGENT.jsonl"],
    "simulate": ["s.yaml", *GIVEN, "--model", "scripted:driver.jsonl"],
    "work": ["Where is order W1001?", "--brief", "POSITION.md", *GIVEN, "--model", "scripted:worker.jsonl"],
    "eval run": ["task.jsonl", *GIVEN, "--customer", "scripted:customer.jsonl", "--trials", "1"],
    "eval meta": ["--judge", "scripted:AGENT.scores.jsonl"],
    "playbook run": ["reflect", "--agent", "scripted:AGENT.jsonl"],
    "playbook finish": [],
    "resume": ["coordinator"],
}
"""Every command that may take long, as a run that depends on how the model AGENT is."""


def commands(group: click.Group = front.group, before: str = "") -> dict[str, set[str]]:
    """Every command there is, by its name, with its options."""
    found: dict[str, set[str]] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found |= commands(command, f"{before}{name} ")
        elif command is not None:
            found[f"{before}{name}"] = {option for parameter in command.params for option in parameter.opts}
    return found


@pytest.fixture
def office(desk: Path) -> Path:
    """The same folder, with what each long command needs; `up` is a model that does all of it, `broken` none."""
    (desk / "task.jsonl").write_text(json.dumps(TASK) + "\n")
    script(desk, done(), name="driver.jsonl")
    judge(desk, *prefers(["Agent A", "Agent B"]))
    plan = {"call": "plan", "response": {"steps": ["a", "b"]}}
    script(desk, plan, "Where is order W1001?", complete("It is being prepared."), first=1, name="worker.jsonl")
    script(desk, "Where is order W1001?", "Thank you. ###STOP###", first=1, name="customer.jsonl")
    lines = (desk / "broken.jsonl").read_text().replace('"shop"', '"agent"')
    (desk / "broken.jsonl").write_text(
        lines + (desk / "broken.jsonl").read_text() + (desk / "down.jsonl").read_text()
    )
    coordinator(desk, [proof(number, "https://example.com/x") for number in (1, 2, 3)], "Done.", name="up.jsonl")
    look = {"agent": "shop", "calls": [{"name": "get_order", "arguments": {"order_id": "W1001"}}]}
    rest = [json.dumps(look) + "\n", (desk / "shop.jsonl").read_text(), (desk / "good.jsonl").read_text()]
    (desk / "up.jsonl").write_text("".join([(desk / "up.jsonl").read_text(), *rest]))
    scores = json.dumps({"info_fidelity": 1, "persona_consistency": 1, "reasoning": "It is."})
    (desk / "up.scores.jsonl").write_text(json.dumps({"default": True, "response": scores}) + "\n")
    (desk / "broken.scores.jsonl").write_text((desk / "down.jsonl").read_text())
    return desk


def begun(name: str, model: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The words of the command `name`, after what must have come before it."""
    if name == "resume":
        assert run(capsys, "playbook", "run", "reflect", "--agent", "scripted:later.jsonl")[0] == 1
        Path("later.jsonl").write_text(Path(f"{model}.jsonl").read_text())
    if name == "eval meta":
        assert run(capsys, "eval", *(word.replace("AGENT", "up") for word in LONG["eval run"]))[0] == 0
    if name == "playbook finish":
        assert run(capsys, "playbook", "start", "reflect")[0] == 0
        for step in (1, 2, 3) if model == "up" else ():
            words = ["--step", str(step), "--evidence", "https://example.com/x", "--outcome", "ok"]
            assert run(capsys, "record", "--what", "Found it", "--why", "So", *words)[0] == 0
    return [*name.split(), *(word.replace("AGENT", model) for word in LONG[name]), WAKE]


@pytest.mark.parametrize("name", LONG)
def test_each_long_command_wakes_once_when_it_fails(
    office: Path, hooks: Hooks, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """One request on one connection, about the room that failed; an evaluation's own did not."""
    (office / "later.jsonl").write_text((office / "broken.jsonl").read_text())
    code, _, err = run(capsys, *begun(name, "broken", capsys))
    assert code in (1, 3, 5)
    ((event, about, message),) = told(hooks)
    whole = code == 3 or name == "eval meta"
    assert event == ("debateroom.wake" if whole else "debateroom.run_failed")
    assert (about or {}).get("status") == (None if whole else "failed")
    assert message.startswith("eval: the judge" if name == "eval meta" else "/")
    assert (hooks.accepted, err.count("woke ")) == (1, 1)


@pytest.mark.parametrize("name", LONG)
def test_each_long_command_wakes_nobody_when_it_succeeds(
    office: Path, hooks: Hooks, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """The same commands with a model that answers."""
    (office / "later.jsonl").write_text((office / "broken.jsonl").read_text())
    code, _, err = run(capsys, *begun(name, "up", capsys))
    assert (code, hooks.accepted, "woke" in err) == (0, 0, False), err


def test_no_long_command_is_left_out() -> None:
    """The two tests above try all that can wake, and what can be left alone can wake; a batch has a test below."""
    known = commands()
    assert WAKE in known.pop("batch")
    assert {name for name, options in known.items() if WAKE in options} == set(LONG)
    assert {name for name, options in known.items() if options & {"--detach", "--budget"}} <= set(LONG)


def test_a_batch_wakes_once_for_all_that_failed(hooks: Hooks, capsys: pytest.CaptureFixture[str]) -> None:
    """Not for each debate; nobody when all are done."""
    Path("q.jsonl").write_text(json.dumps(QUESTION) + "\n" + json.dumps("Monolith or services for us?") + "\n")
    command = ("batch", "q.jsonl", "-n", "2", "-r", "1", "-q", WAKE, "--model")
    assert run(capsys, *command, "scripted:down.jsonl")[0] == 1
    ((event, about, message),) = told(hooks)
    assert (event, about) == ("debateroom.wake", None)
    assert message.startswith("q: 2 debates failed: ")
    assert run(capsys, *command, "scripted:good.jsonl", "--room", "good")[0] == 0
    assert len(hooks.asked) == 1
