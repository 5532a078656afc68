"""`--synthesis host` and `debateroom conclude`: the caller is the orchestrator, and is held to the transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from debateroom import activities, cli, concluding
from debateroom.errors import RoomBusy, UsageError
from debateroom.room.room import Room

QUESTION = "Should our background jobs use a queue or a simple loop?"
GIVEN: dict[str, Any] = {
    "summary": "Two want to poll, one wants a table.",
    "consensus": ["Both survive a restart."],
    "disagreements": [{"question": "Which?", "sides": [{"agents": ["Agent A"], "claim": "A table."}]}],
    "recommended_action": "Poll, and measure for a week.",
    "sharpest_disagreement": "Whether a second of delay matters.",
    "unresolved_risks": [{"risk": "Load on the table.", "raised_by": ["Pragmatist"]}],
    "mind_changes": [],
    "highlights": ["Agent B said “Poll every second.” and kept to it."],
    "opening_positions": [{"agents": ["Agent B", "Agent C"], "claim": "Poll."}],
}


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a room that waits for its caller's synthesis."""
    monkeypatch.chdir(tmp_path)
    labels = ("POSITION", "REASONING", "PROPOSAL", "CONCERNS", "AGREEMENTS", "DISAGREEMENTS", "REFINED PROPOSAL")
    said = {"Agent A": "A table and a worker.", "Agent B": "Poll every second.", "Agent C": "Poll every second."}
    replies = [
        {"agent": name, "response": "\n".join([*(f"{label}: {text}" for label in labels), f"CONFIDENCE: {sure}"])}
        for (name, text), sure in zip(said.items(), (7, 6, 6), strict=True)
    ]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    outcome = activities.debate(QUESTION, agents=3, rounds=2, model="scripted:replies.jsonl", synthesis="host")
    return outcome.folder


def test_after_the_rounds_the_room_waits_with_a_brief(waiting: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0, no final output; the brief names the questions, the schema and the transcript, `--json` its path."""
    assert cli.run(["wait", str(waiting)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["status"], told["ok"], told["outcome"]) == ("waiting_for_host", True, None)
    brief = Path(told["brief"]).read_text()
    assert told["brief"] in told["hint"]
    assert json.loads((waiting / "chat.json").read_text())["final_output"] is None
    assert str(waiting / "chat.json") in brief
    assert "who changed their mind" in brief
    schema = json.loads(brief.split("```json\n")[1].split("```")[0])
    assert set(schema["required"]) == set(GIVEN)
    assert f"debateroom conclude {waiting} --file FINAL.json" in brief


def test_the_synthesis_that_is_handed_in_is_held_to_the_transcript(
    waiting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its words become the final output; outcome and votes are ours, and what nobody said is left out and counted."""
    text = json.dumps(GIVEN | {"outcome": "unanimous", "consensus": ["Agent A said “bananas for ever”."]})
    (waiting.parent / "final.json").write_text(f"```json\n{text}\n```")
    assert cli.run(["conclude", str(waiting), "--file", str(waiting.parent / "final.json"), "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["recommended_action"] == GIVEN["recommended_action"]
    assert "1 claim does not stand on the transcript" in shown.err
    chat = json.loads((waiting / "chat.json").read_text())
    final = chat["final_output"]
    assert (chat["status"], final["synthesized_by"], final["unsupported"]) == ("finished", "host", 1)
    assert (final["outcome"], final["consensus"], final["opening_vote"]) == (
        "deadlock", [], {"Agent A": ["Agent A"], "Agent B": ["Agent B", "Agent C"]},
    )  # fmt: skip
    for name in ("chatroom_report.md", "chatroom_report.html"):
        assert "Poll, and measure for a week." in (waiting / name).read_text()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("no object at all", "there is no JSON object"),
        ({"summary": None}, "summary"),
        ({"summary": "  "}, "“summary” is empty"),
        ({"recommended_action": ""}, "“recommended_action” is empty"),
        ({"consensus": "one text"}, "consensus"),
        ({"unresolved_risks": [{"risk": "x", "raised_by": ["Agent Z"]}]}, "“unresolved_risks.0.raised_by”"),
        ({"mind_changes": [{"agent": "B\x1b[31m", "from": "a", "to": "b", "because": "c", "round": 2}]}, "“B[31m”"),
    ],
)
def test_what_is_no_synthesis_is_refused_with_its_field(
    waiting: Path, capsys: pytest.CaptureFixture[str], change: Any, named: str
) -> None:
    """Exit 2; the room still waits, and takes a better one."""
    before = (waiting / "journal.jsonl").read_bytes()
    text = change if isinstance(change, str) else json.dumps(GIVEN | change)
    (waiting.parent / "final.json").write_text(text)
    assert cli.run(["conclude", str(waiting), "--file", str(waiting.parent / "final.json")]) == 2
    shown = capsys.readouterr().err
    assert named in shown.replace("�", "")
    assert "\x1b" not in shown
    assert (waiting / "journal.jsonl").read_bytes() == before
    assert concluding.conclude(waiting, json.dumps(GIVEN)).summary["status"] == "finished"


def test_a_room_takes_one_synthesis(waiting: Path) -> None:
    """A second one is refused, and so is one for a room that a process holds."""
    with Room.reopen(waiting), pytest.raises(RoomBusy):
        concluding.conclude(waiting, json.dumps(GIVEN))
    concluding.conclude(waiting, json.dumps(GIVEN))
    with pytest.raises(UsageError, match="waits for no synthesis: it is finished"):
        concluding.conclude(waiting, json.dumps(GIVEN))


def test_resume_asks_nobody_again_and_leaves_it_waiting(waiting: Path) -> None:
    """The rounds are over: a resumed room has the same brief and waits on."""
    (waiting / "brief.md").unlink()
    assert cli.run(["resume", str(waiting), "--json"]) == 0
    assert (waiting / "brief.md").exists()
    replies = [line for line in (waiting / "journal.jsonl").read_text().splitlines() if '"event":"reply"' in line]
    assert len(replies) == 6
    assert concluding.conclude(waiting, json.dumps(GIVEN)).summary["exit_code"] == 0
