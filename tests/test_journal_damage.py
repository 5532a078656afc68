"""A journal with a line that is lost, doubled, unreadable or of another kind: said, and the rest is gone on with."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from debates import APART, QUESTION, SURE, SYNTHESIS, Serve, run, seat_calls
from vendor import debate_script

ROOM = Path("active/chatroom")
EVENTS = [
    "room_opened", "round_started", "reply", "reply", "round_finished", "moderator_asked", "moderated", "decided",
    "round_started", "reply", "reply", "round_finished", "moderator_asked", "moderated", "decided", "synthesis_asked",
    "synthesized", "room_finished",
]  # fmt: skip
"""A debate of two seats and two rounds."""


def journal() -> list[str]:
    """The lines of the room's journal."""
    return (ROOM / "journal.jsonl").read_text(encoding="utf-8").splitlines()


def replies(lines: list[str]) -> dict[tuple[int, str], str]:
    """What the replies in these lines say, by round and seat."""
    events = [json.loads(line) for line in lines]
    return {(event["round"], event["agent"]): event["response"] for event in events if event["event"] == "reply"}


@pytest.mark.parametrize("unfinished", [False, True])
@pytest.mark.parametrize("damage", ["lost", "doubled", "unreadable"])
def test_any_line_of_a_journal_may_be_damaged(
    serve: Serve, capsys: pytest.CaptureFixture[str], damage: str, unfinished: bool
) -> None:
    """Each in turn: nothing crashes, the room is listed, and resume keeps every reply that can still be read."""
    serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    assert run(capsys, QUESTION, "-n", "2", "-r", "2", "--model", "sonnet")[0] == 0
    whole = journal()
    assert [json.loads(line)["event"] for line in whole] == EVENTS
    kept = whole[:-7] if unfinished else whole
    for number, line in enumerate(kept):
        left = kept[:number] + kept[number + 1 :]
        put = {"lost": [], "doubled": [line, line], "unreadable": ["\0\0 garbage"]}[damage]
        (ROOM / "journal.jsonl").write_text("\n".join([*kept[:number], *put, *kept[number + 1 :]]) + "\n")
        codes = [run(capsys, *words)[0] for words in (["status"], ["rooms"], ["wait", "--timeout", "0"])]
        unopened = number == 0 and damage != "doubled"
        assert codes[:2] == [2 if unopened else 0, 0], (number, line)
        code, _, err = run(capsys, "resume", "-q")
        assert "Traceback" not in err
        if unopened:
            assert (code, "does not say how the room was opened" in err) == (2, True)
            continue
        assert code == 0, (number, line, err)
        chat = json.loads((ROOM / "chat.json").read_text(encoding="utf-8"))
        rounds = chat["rounds"]
        found = {(item["round"], said["agent"]): said["response"] for item in rounds for said in item["entries"]}
        before = replies(left)
        assert chat["problem"] == QUESTION
        assert {place: found[place] for place in before} == before
        assert chat["status"] == "finished"


def changed(line: str, change: Callable[[dict[str, Any]], Any]) -> str:
    """The line with its event changed in place."""
    event = json.loads(line)
    change(event)
    return json.dumps(event)


@pytest.mark.parametrize(
    ("number", "change", "said"),
    [
        (0, lambda event: event["settings"].pop("fence"), "`fence`: field required"),
        (0, lambda event: event["settings"].update(novel=1), "`novel`: unexpected keyword argument"),
        (0, lambda event: event["settings"].update(quorum="many"), "`quorum`: input should be a valid integer"),
        (0, lambda event: event.update(agents=event["agents"][:1]), "fewer than two agents"),
    ],
)
def test_what_another_version_wrote_is_named(
    serve: Serve, capsys: pytest.CaptureFixture[str], number: int, change: Callable[[dict[str, Any]], Any], said: str
) -> None:
    """Event and value are in the sentence; nothing is asked, and nothing is written."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    assert run(capsys, QUESTION, "-n", "2", "-r", "2", "--model", "sonnet")[0] == 0
    lines = journal()[:-1]
    lines[number] = changed(lines[number], change)
    (ROOM / "journal.jsonl").write_text("\n".join(lines) + "\n")
    asked = len(server.calls)
    code, _, err = run(capsys, "resume")
    assert (code in (1, 2), said in err) == (True, True), err
    assert (len(server.calls), journal()) == (asked, lines)


@pytest.mark.parametrize(
    ("number", "put"),
    [
        (2, lambda line: line[:29]),
        (2, lambda line: '{"event":"reply"}'),
        (2, lambda line: changed(line, lambda event: event.update(round="two"))),
        (2, lambda line: changed(line, lambda event: event.update(endorses=["Agent A"]))),
        (2, lambda line: '{"a":1}'),
        (2, lambda line: '{"event":"from_the_future"}'),
        (6, lambda line: changed(line, lambda event: event["verdict"].pop("aligned"))),
        (7, lambda line: changed(line, lambda event: event.update(converged="no"))),
    ],
)
def test_a_line_that_is_left_out_is_named_and_its_answer_taken_from_the_transcript(
    serve: Serve, capsys: pytest.CaptureFixture[str], number: int, put: Callable[[str], str]
) -> None:
    """On stderr, in the journal and in the report; what `chat.json` held is kept, and no seat is asked again."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    assert run(capsys, QUESTION, "-n", "2", "-r", "2", "--model", "sonnet")[0] == 0
    whole = json.loads((ROOM / "chat.json").read_text(encoding="utf-8"))
    lines = journal()[:-3]
    before = (ROOM / "chat.json").read_bytes()
    asked = len(seat_calls(server))
    lines[number] = put(lines[number])
    (ROOM / "journal.jsonl").write_text("\n".join(lines) + "\n")
    code, _, err = run(capsys, "resume")
    assert (code, len(seat_calls(server))) == (0, asked), err
    assert f"line {number + 1} of the journal cannot be read and is left out; the rest is kept" in err
    mended = next(
        event for line in journal()[len(lines) :] if (event := json.loads(line))["event"] == "journal_mended"
    )
    assert mended["damaged"] == [number + 1]
    assert (ROOM / "chat.original.json").read_bytes() == before
    chat = json.loads((ROOM / "chat.json").read_text(encoding="utf-8"))
    said = [[entry["response"] for entry in item["entries"]] for item in chat["rounds"]]
    assert said == [[entry["response"] for entry in item["entries"]] for item in whole["rounds"]]
    assert chat["cost"] >= whole["cost"] - 1e-9 or number != 2, "what the lost line cost is counted"
    report = (ROOM / "chatroom_report.md").read_text(encoding="utf-8")
    assert f"left out: line {number + 1}. The rest is kept." in report
    assert f"left out: line {number + 1}." in run(capsys, "resume")[2]
    assert (ROOM / "chat.original.json").read_bytes() == before


def test_a_mark_before_the_first_line_is_no_damage(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Editors put a UTF-8 byte order mark there."""
    serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", "sonnet")[0] == 0
    path = ROOM / "journal.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join(path.read_bytes().split(b"\n")[:-3]) + b"\n")
    code, _, err = run(capsys, "resume")
    assert (code, "left out" in err) == (0, False), err


@pytest.mark.parametrize("first", ["garbage\n", "", "\ufeff\n"])
def test_the_next_command_of_a_room_that_does_not_say_how_it_was_opened_works(
    serve: Serve, capsys: pytest.CaptureFixture[str], first: str
) -> None:
    """`status`, `rooms` and `resume` all name it; it goes on from the transcript, and no answer is asked again."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    assert run(capsys, QUESTION, "-n", "2", "-r", "2", "--model", "sonnet")[0] == 0
    asked = len(seat_calls(server))
    (ROOM / "journal.jsonl").write_text(first + "\n".join(journal()[1:-3]) + "\n" if first else "")
    status = json.loads(run(capsys, "status", "--json")[1])
    assert status["status"] == json.loads(run(capsys, "rooms", "--json")[1])[0]["status"] == "unreadable"
    program, *command = shlex.split(status["hint"])
    assert (program, status["hint"] in run(capsys, "resume")[2], status["hint"] in run(capsys, "rooms")[1]) == (
        "debateroom", True, True,
    )  # fmt: skip
    code, _, err = run(capsys, *command)
    assert (code, len(seat_calls(server))) == (0, asked), err
    assert run(capsys, "status")[0] == 0
