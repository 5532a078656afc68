"""A coordinator that calls us: `start`, `record`, `finish`, whatever comes between, and who keeps whom out."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from commands import until
from coordinators import coordinator, events, record, slowly, states, worker
from debates import run

from debateroom import cli, coordinating
from debateroom.cli import watch

LINK = "https://example.com/proof"
DECISION = {"what": "Found it", "why": "So", "evidence": "src/app.py", "outcome": "ok", "step": 1}
GIVEN = ("--what", "Found it", "--why", "It is needed", "--outcome", "ok")


@pytest.fixture
def project(here: Path) -> Path:
    """A project with a source file."""
    (here / "src").mkdir()
    (here / "src/app.py").write_text("PORT = 80\n")
    return here


def note(capsys: pytest.CaptureFixture[str], step: int, evidence: str, *more: str) -> tuple[int, str, str]:
    return run(capsys, "record", "--step", str(step), "--evidence", evidence, *GIVEN, *more)


def at_once(folder: Path, *commands: Sequence[str]) -> list[int]:
    """The exit codes of several commands, each a process of its own, given at the same moment."""
    program = (
        "import sys\nfrom debateroom import cli, coordinating\nprint('ready', flush=True)\nsys.stdin.readline()\n"
        "sys.exit(cli.run(sys.argv[1:]))"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, *command], cwd=folder, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]  # fmt: skip
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    return [process.returncode for process in processes]


def test_it_records_and_finishes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`start` says what to do, `record` notes, `finish` gives the verdict."""
    code, out, _ = run(capsys, "playbook", "start", "deploy-verify", "--goal", "release 12", "--json")
    begun = json.loads(out)
    assert (code, begun["playbook"]["id"], begun["status"]) == (0, "deploy-verify", "running")
    assert "debateroom record --step N" in begun["instructions"]
    assert "release 12" in begun["instructions"]
    ours = ("record_decision", "read_path", "fetch_page", "delegate_task")
    assert not [tool for tool in ours if tool in begun["instructions"]]  # it has none of them
    _, out, _ = run(capsys, "status", "coordinator", "--json")
    assert json.loads(out)["status"] == "running"
    code, out, _ = note(capsys, 1, "src/app.py:1", "--json")
    assert code == 0
    assert json.loads(out)["sha256"] == hashlib.sha256(b"PORT = 80\n").hexdigest()
    code, out, _ = note(capsys, 2, LINK)
    assert (code, out.strip()) == (0, f"step 2, ok: Found it — It is needed [{LINK}]")
    for evidence, step in (("nowhere.txt", 3), (LINK, 4), ("it is fine", 3)):
        assert note(capsys, step, evidence)[0] == 2
    code, out, _ = run(capsys, "playbook", "finish", "--json")
    value = json.loads(out)
    assert (code, value["outcome"], value["status"]) == (3, "incomplete", "finished")
    assert value["cost"] is None  # nobody knows what it was
    assert states(project) == ["ok", "ok", "missing"]
    assert note(capsys, 3, LINK)[0] == 2
    assert run(capsys, "playbook", "run", "reflect", "--agent", coordinator(project, "x"), "--room", "two")[0] == 3
    code, _, err = note(capsys, 1, LINK, "--room", "two")
    assert (code, "has no coordinator that notes its own steps" in err) == (2, True)


def test_whoever_goes_on_is_told_again_what_is_to_be_done(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And how the steps stand: an assistant that lost its memory has nothing else."""
    _, begun, _ = run(capsys, "playbook", "start", "reflect")
    note(capsys, 1, "src/app.py")
    code, out, _ = run(capsys, "resume", "coordinator")
    assert (code, out.startswith(begun.rstrip())) == (0, True)
    assert out.splitlines()[-3:] == [
        "step 1, ok: Collect what was meant to happen and what did. [src/app.py]",
        "step 2, running: Find what made the difference, for better and for worse.",
        "step 3, pending: Name one to three changes, each with the place where it has to be made.",
    ]
    code, out, _ = run(capsys, "resume", "coordinator", "--json")
    value = json.loads(out)
    assert (code, [step["state"] for step in value["steps"]]) == (0, ["ok", "running", "pending"])
    assert len(events(project, "room_resumed")) == 0
    assert run(capsys, "playbook", "finish")[0] == 3
    assert "is finished" in run(capsys, "resume", "coordinator")[2]


@pytest.mark.parametrize("more", [(), ("--room", "two"), ("--active", "rooms")])
def test_it_keeps_everybody_else_out(
    project: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    """In whichever room of the project's folder, with the command that ends it."""
    assert run(capsys, "playbook", "start", "reflect")[0] == 0
    agent = coordinator(project, "x")
    for command in (["start", "swarm"], ["run", "swarm", "--agent", agent]):
        code, _, err = run(capsys, "playbook", *command, *more)
        assert (code, "is at work already, in the room coordinator" in err) == (6, True)
        assert f"debateroom playbook finish --room coordinator --active {project}/active" in err
    assert run(capsys, "playbook", "finish", "--room", "coordinator", "--active", f"{project}/active")[0] == 3
    assert run(capsys, "playbook", "start", "swarm", *more)[0] == 0


@pytest.mark.parametrize("rooms", [("coordinator", "coordinator"), ("one", "two")])
def test_of_two_that_start_at_once_one_is_refused(project: Path, rooms: tuple[str, str]) -> None:
    """Whichever comes first; the other gets exit code 6."""
    assert sorted(at_once(project, *(["playbook", "start", "reflect", "--room", room] for room in rooms))) == [0, 6]


def test_notes_that_are_made_at_once_are_all_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An assistant may call its tools in parallel: they wait for one another."""
    run(capsys, "playbook", "start", "reflect")
    given = [["record", "--step", str(step), "--evidence", LINK, *GIVEN] for step in (1, 2, 3)]
    assert at_once(project, *given) == [0, 0, 0]
    assert sorted(each["step"] for each in events(project, "decision_recorded")) == [1, 2, 3]
    assert run(capsys, "playbook", "finish")[0] == 0


def test_a_note_that_was_torn_off_is_not_there_and_the_next_one_is(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`kill -9` in the middle of a line, and between the two lines that end a run."""
    run(capsys, "playbook", "start", "reflect")
    note(capsys, 1, LINK)
    journal = project / "active/coordinator/journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-40])
    assert note(capsys, 2, LINK)[0] == 0
    assert [each["step"] for each in events(project, "decision_recorded")] == [2]
    run(capsys, "playbook", "finish")
    lines = journal.read_text().splitlines(keepends=True)
    end = next(number for number, line in enumerate(lines) if '"synthesized"' in line)
    journal.write_text("".join(lines[: end + 1]))
    (project / "active/coordinator/chatroom_report.md").unlink()
    code, out, _ = run(capsys, "playbook", "finish", "--json")
    assert (code, json.loads(out)["status"]) == (3, "finished")
    assert (len(events(project, "synthesized")), len(events(project, "room_finished"))) == (1, 1)
    assert (project / "active/coordinator/chatroom_report.md").exists()


def test_one_that_has_gone_keeps_nobody_out_for_ever(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After two hours without a note the place is free; what it had noted is moved aside, not lost."""
    run(capsys, "playbook", "start", "reflect")
    note(capsys, 1, LINK)
    journal = project / "active/coordinator/journal.jsonl"
    before = journal.stat().st_mtime
    for seconds, code, status in ((7_100, 6, "running"), (7_300, 0, "interrupted")):
        os.utime(journal, (before - seconds, before - seconds))
        assert json.loads(run(capsys, "status", "coordinator", "--json")[1])["status"] == status
        assert json.loads(run(capsys, "watch", "--once", "--json")[1])["status"] == status
        if code:
            assert run(capsys, "playbook", "start", "swarm")[0] == code
    code, _, err = run(capsys, "playbook", "start", "swarm")
    (aside,) = project.glob("active/coordinator.unfinished-*")
    assert (code, f"debateroom resume {aside}" in err) == (0, True)
    assert "decision_recorded" in (aside / "journal.jsonl").read_text()
    assert "/swarm" in journal.read_text()


def test_one_of_ours_that_was_killed_keeps_nobody_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its process is known, so it is seen at once that it is gone; its run can still be gone on with, afterwards."""
    agent = coordinator(project, [record(1, LINK)], "Done.")
    slowly(project)
    words = [sys.executable, "-m", "debateroom", "playbook", "run", "reflect", "--agent", agent, "-q"]
    process = subprocess.Popen(words, cwd=project)
    try:
        until(lambda: events(project, "decision_recorded"))
        assert run(capsys, "playbook", "start", "reflect", "--room", "two")[0] == 6
    finally:
        process.kill()
        process.wait()
    assert run(capsys, "playbook", "start", "reflect", "--room", "two")[0] == 0
    assert run(capsys, "resume", "coordinator")[0] == 6
    assert run(capsys, "playbook", "finish")[0] == 3
    coordinator(project, [record(1, LINK)], "Done.")
    assert run(capsys, "resume", "coordinator")[0] == 3
    assert states(project) == ["ok", "missing", "missing"]


@pytest.mark.parametrize("words", [("finish",), ("finish", "--room", "nothing")])
def test_where_there_is_no_run_it_is_said_with_the_next_command(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    """What, where, and how one is started; the same for a note."""
    room = project / "active" / ("nothing" if len(words) > 1 else "coordinator")
    told = f"debateroom: there is no run in {room}\n  next: debateroom playbook start ID\n"
    assert run(capsys, "playbook", *words) == (2, "", told)
    assert note(capsys, 1, LINK, *words[1:]) == (2, "", told)


BROKEN = "does not say how the room was opened"


@pytest.mark.parametrize(
    ("text", "what"),
    [("", BROKEN), ("garbage\n", BROKEN), ('{"event": "room_opened", "agents": 7}\n', "cannot read: `")],
)
@pytest.mark.parametrize("words", [("watch",), ("watch", "--once"), ("decisions",)])
def test_a_journal_of_which_nothing_can_be_read_is_said_at_once(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str, what: str
) -> None:
    """One line with what and where, and the next command; nothing is waited for."""
    (project / "active/broken").mkdir(parents=True)
    (project / "active/broken/journal.jsonl").write_text(text)
    got, out, err = run(capsys, words[0], "broken", *words[1:])
    assert (got, out) == (1, "")
    first, second = err.splitlines()
    assert what in first
    assert "active/broken" in first
    assert second.startswith("  next: ")


@pytest.mark.parametrize("words", [("watch", "--once"), ("decisions",)])
def test_a_journal_that_is_damaged_in_part_says_which_line(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    """On stderr; the rest is shown."""
    run(capsys, "playbook", "start", "reflect")
    note(capsys, 1, LINK)
    journal = project / "active/coordinator/journal.jsonl"
    opened, *more = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([opened, "garbage\n", *more]))
    code, out, err = run(capsys, *words)
    assert (code, LINK in out, len(err.splitlines())) == (0, True, 1)
    assert "left out: line 2" in err


def test_watch_once_shows_what_is_still_to_come(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All three steps, whatever their state."""
    run(capsys, "playbook", "start", "reflect")
    note(capsys, 1, LINK)
    shown = [line.partition(":")[0] for line in run(capsys, "watch", "--once")[1].splitlines()]
    assert shown[1:4] == ["step 1, ok", "step 2, running", "step 3, pending"]


def test_watch_follows_a_run_to_its_end(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line for each change, nothing twice, and what it came to last; as JSON the card each time."""
    for as_json in (False, True):
        assert cli.run(["playbook", "start", "reflect"]) == 0
        meanwhile: Iterator[Callable[[], object]] = iter(
            [
                lambda: coordinating.note(project / "active/coordinator", **DECISION),
                lambda: None,
                lambda: coordinating.finish(project / "active/coordinator"),
            ]
        )
        monkeypatch.setattr(watch.time, "sleep", lambda seconds, turns=meanwhile: next(turns)())
        capsys.readouterr()
        code, out, _ = run(capsys, "watch", *(["--json"] if as_json else []))
        assert (code, list(meanwhile)) == (0, [])
        if not as_json:
            assert out.splitlines() == [
                "/reflect · Look back",
                "queued …",
                "step 1, ok: Collect what was meant to happen and what did. [src/app.py]",
                "step 2, running: Find what made the difference, for better and for worse.",
                "noted: Found it",
                "step 2, missing: Find what made the difference, for better and for worse.",
                "step 3, missing: Name one to three changes, each with the place where it has to be made.",
                "Incomplete: Steps: 1 ok, 2 missing, 3 missing.",
            ]
            continue
        cards = [json.loads(line) for line in out.splitlines()]
        assert [(card["status"], card["verdict"]) for card in cards] == [
            ("queued", None), ("running", None), ("finished", "incomplete"),
        ]  # fmt: skip


def test_what_is_noted_from_outside_is_proved_inside_the_project(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As for a coordinator of ours: no path leads out of the folder, by whatever way."""
    (project.parent / "outside.txt").write_text("x")
    (project / "link.txt").symlink_to(project.parent / "outside.txt")
    assert run(capsys, "playbook", "start", "reflect")[0] == 0
    for path in ("../outside.txt", "/etc/passwd", "link.txt", str(project.parent / "outside.txt")):
        code, _, err = note(capsys, 1, path)
        assert (code, "leads out" in err) == (2, True), path
    assert note(capsys, 1, str(project / "src/app.py"))[0] == 0


def test_a_swarm_from_outside_has_real_workers(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Started by the command that it is told; its last step follows them, and their ends are in its journal."""
    one, agent = worker(project, "one", "Part one is 12 files.")
    two, broken = worker(project, "two", None)
    code, begun, _ = run(capsys, "playbook", "start", "swarm")
    assert (code, 'debateroom playbook delegate "TASK" --agent AGENT --room coordinator' in begun) == (0, True)
    for step in (1, 2):
        note(capsys, step, LINK)
    code, out, err = run(capsys, "playbook", "delegate", "Count part 1", "--agent", agent, "--model", one)
    assert (code, out) == (0, "Part one is 12 files.\n"), err
    assert [each["outcome"] for each in events(project, "worker_ended")] == ["delivered"]
    opened = json.loads((project / "active" / events(project, "worker_delegated")[0]["room"] / "journal.jsonl")
                        .read_text().split("\n")[0])  # fmt: skip
    assert opened["settings"]["job"]["parent"] == events(project)[0]["uuid"]
    card = json.loads(run(capsys, "watch", "--once", "--json")[1])
    assert [step["state"] for step in card["steps"]] == ["ok", "ok", "ok"]
    code, out, _ = run(capsys, "playbook", "delegate", "2", "--agent", broken, "--model", two, "--json")
    assert (code, json.loads(out)["outcome"]) == (1, "broken")
    assert run(capsys, "playbook", "finish")[0] == 3
    assert states(project) == ["ok", "ok", "failed"]
    code, _, err = run(capsys, "playbook", "delegate", "Count part 1", "--agent", agent, "--model", one)
    assert (code, "has ended" in err) == (2, True)


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\x1b", "\udcff\udcfe", "…"])
def test_a_text_of_which_nothing_can_be_read_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """Whether it is empty or only becomes so."""
    run(capsys, "playbook", "start", "reflect")
    for name in ("--what", "--why"):
        code, _, err = note(capsys, 1, LINK, name, text)
        assert (code, f"`{name[2:]}` is to be said in a sentence" in err) == (2, True)
    assert not events(project, "decision_recorded")


def test_what_a_run_writes_itself_proves_nothing_but_a_receipt(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its journal would prove every step."""
    run(capsys, "playbook", "start", "reflect")
    room = project / "active/coordinator"
    (room / "receipts.jsonl").write_text("{}\n")
    (project / "link").symlink_to(room)
    for path in ("active/coordinator/journal.jsonl", "link/journal.jsonl", "active/coordinator/receipts.jsonl"):
        code, _, err = note(capsys, 1, path)
        assert (code, "is what this run writes itself" in err) == (2, True)
    receipt = "active/coordinator/receipts.jsonl#0b0f2a52-1c1f-4f4e-9d0a-0f3f6a3f7c11"
    assert note(capsys, 1, receipt)[0] == 0
