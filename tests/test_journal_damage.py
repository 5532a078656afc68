"""A journal with a line that is lost, doubled, unreadable or of another kind: said, and the rest is gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from debates import APART, QUESTION, SURE, SYNTHESIS, Serve, run
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
        assert codes[:2] == [0, 0], (number, line)
        code, _, err = run(capsys, "resume", "-q")
        assert "Traceback" not in err
        if number == 0 and damage != "doubled" and unfinished:
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
        (2, lambda event: event.pop("agent"), "`agent` of `reply`: field required"),
        (2, lambda event: event.update(round=0), "`round` of `reply`"),
        (2, lambda event: event.update(endorses=["Agent A"]), "`endorses` of `reply`"),
        (6, lambda event: event["verdict"].pop("aligned"), "`verdict.aligned` of `moderated`: field required"),
        (7, lambda event: event.update(converged="no"), "`converged` of `decided`"),
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
