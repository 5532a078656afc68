"""`rooms` and `status`: every room is there, each told in the language of its debate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from debates import run

from debateroom import clock
from debateroom.room.room import event
from debateroom.terminal import width

QUESTIONS = {
    "en": "Should background jobs use a queue or a loop?",
    "fr": "Faut-il une file d'attente ou une simple boucle ?",
    "zh": "后台任务用队列还是用简单循环？",
}
SEATS = [{"name": f"Agent {x}", "role": x, "framing": ""} for x in "AB"]


def room(name: str, *events: dict[str, Any], language: str = "en") -> Path:
    """A room with these events after its opening."""
    folder = Path("active", name)
    folder.mkdir(parents=True)
    opening = event("room_opened", problem=QUESTIONS[language], language=language, agents=SEATS)
    lines = [json.dumps(item, ensure_ascii=False) for item in (opening, *events)]
    (folder / "journal.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


FINISHED = event("room_finished", status="finished", stopped="rounds", exit_code=0)
FAILED = event("room_finished", status="failed", stopped="quorum", exit_code=5, error="too few", hint="again")
INTERRUPTED = event("room_interrupted", status="interrupted", exit_code=130, error="interrupted", hint="again")
ROUND = event("round_finished", round=1)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"event": "reply"}\n', "does not say how the room was opened"),
        (b"", "does not say how the room was opened"),
        (b"\0" * 5000, "does not say how the room was opened"),
        (b'{"event": "room_opened", "problem": 7, "agents": []}\n', "cannot read"),
        (b'{"event": "room_opened", "problem": "?", "agents": [{"seat": 1}]}\n', "cannot read"),
    ],
)
def test_a_room_that_cannot_be_read_is_listed_with_the_reason(
    here: Path, capsys: pytest.CaptureFixture[str], content: bytes, reason: str
) -> None:
    """It is not hidden, and hides no other one."""
    room("good", FINISHED)
    Path("active/bad").mkdir()
    Path("active/bad/journal.jsonl").write_bytes(content)
    code, out, err = run(capsys, "rooms", "--json")
    rows = {row["room"]: row for row in json.loads(out)}
    assert (code, err, set(rows)) == (0, "", {"good", "bad"})
    assert (rows["bad"]["status"], rows["bad"]["cost"], reason in rows["bad"]["error"]) == ("unreadable", None, True)
    assert (rows["good"]["status"], rows["good"]["error"]) == ("finished", None)
    _, out, _ = run(capsys, "rooms")
    code, told, _ = run(capsys, "status", "bad", "--json")
    value = json.loads(told)
    assert [value[key] for key in ("status", "error", "hint")] == [
        rows["bad"][key] for key in ("status", "error", "hint")
    ]
    assert (value["ok"], value["exit_code"], code) == (False, code, code)
    assert (code > 0, value["hint"] is not None) == (True, True)
    assert run(capsys, "resume", "bad")[::2] == (code, f"debateroom: {value['error']}\n  next: {value['hint']}\n")
    assert "unreadable" in run(capsys, "status", "bad")[1]
    good, bad = out.splitlines()
    assert good.split()[:2] == ["good", "finished"]
    assert bad.split()[:2] == ["bad", "unreadable"]
    assert reason in bad


def test_a_journal_that_may_not_be_read_is_listed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder in the journal's place stands for whatever the system refuses."""
    Path("active/bad/journal.jsonl").mkdir(parents=True)
    code, out, _ = run(capsys, "rooms", "--json")
    assert (code, [(row["status"], row["error"] is not None) for row in json.loads(out)]) == (
        0,
        [("unreadable", True)],
    )


def test_each_room_is_listed_in_its_own_language_in_straight_columns(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """State, age and cost follow the debate; the JSON is the same for all."""
    for language, ending in (("en", INTERRUPTED), ("fr", FAILED), ("zh", FINISHED)):
        room(f"room-{language}", ending, language=language)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now.replace(year=now.year + 1))
    _, out, _ = run(capsys, "rooms")
    lines = {line[:7]: line for line in out.splitlines()}
    days = (now.replace(year=now.year + 1) - now).days
    assert lines["room-en"].split()[1:6] == ["interrupted", f"{days}", "d", "0.00", "US"]
    assert lines["room-fr"].split()[1:6] == ["échoué", f"{days}", "j", "0,00", "dollars"]
    assert lines["room-zh"].split()[1:6] == ["已结束", f"{days}", "天", "0.00", "美元"]
    starts = {width(line[: line.index(QUESTIONS[name[-2:]])]) for name, line in lines.items()}
    assert len(starts) == 1
    rows = {row["room"]: row for row in json.loads(run(capsys, "rooms", "--json")[1])}
    assert {row["status"] for row in rows.values()} == {"interrupted", "failed", "finished"}
    assert {row["age"] for row in rows.values()} == {f"{days} d"}


@pytest.mark.parametrize(
    ("language", "played", "expected"),
    [
        ("en", 0, ["{room}: interrupted, 0 rounds played", "Next: again"]),
        ("en", 1, ["{room}: interrupted, 1 round played", "Next: again"]),
        ("fr", 0, ["{room} : interrompu, 0 tour joué", "Ensuite : again"]),
        ("fr", 2, ["{room} : interrompu, 2 tours joués", "Ensuite : again"]),
        ("zh", 1, ["{room}：已中断，已进行 1 轮", "下一步：again"]),
    ],
)
def test_status_speaks_the_language_of_the_debate(
    here: Path, capsys: pytest.CaptureFixture[str], language: str, played: int, expected: list[str]
) -> None:
    """In the right number too."""
    rounds = [
        event("reply", round=number, agent=seat["name"], role=seat["role"], response="POSITION: yes")
        for number in range(1, played + 1)
        for seat in SEATS
    ]
    folder = room("chatroom", *rounds, INTERRUPTED, language=language).resolve()
    code, out, _ = run(capsys, "status")
    assert (code, out.splitlines()) == (0, [line.format(room=folder) for line in expected])


@pytest.mark.parametrize(
    ("language", "gone"),
    [
        ("en", "Problem: the process that ran this room is gone"),
        ("fr", "Problème : le processus qui menait ce débat a disparu"),
        ("zh", "问题：运行这场辩论的进程已不存在"),
    ],
)
def test_a_run_whose_process_is_gone_is_interrupted(
    here: Path, capsys: pytest.CaptureFixture[str], language: str, gone: str
) -> None:
    """After kill -9 or a power cut: said, with the command that goes on."""
    folder = room("chatroom", ROUND, language=language).resolve()
    code, out, _ = run(capsys, "status")
    assert (code, out.splitlines()[1]) == (0, gone)
    assert out.splitlines()[2].endswith(f"debateroom resume {folder}")
    value = json.loads(run(capsys, "status", "--json")[1])
    assert [value[key] for key in ("ok", "exit_code", "status")] == [False, 1, "interrupted"]


@pytest.mark.parametrize("language", ["de", "", 7, None])
def test_a_room_of_an_unknown_language_is_told_in_english(
    here: Path, capsys: pytest.CaptureFixture[str], language: object
) -> None:
    """A journal of another version may speak another one."""
    folder = room("chatroom", FINISHED)
    journal = folder / "journal.jsonl"
    opening = json.loads(journal.read_text().splitlines()[0]) | {"language": language}
    journal.write_text("\n".join([json.dumps(opening), json.dumps(FINISHED)]) + "\n")
    assert run(capsys, "status")[1] == f"{folder.resolve()}: finished, 0 rounds played\n"


def test_a_status_of_another_version_is_shown_as_it_stands(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is made of a word that is not known."""
    room("chatroom", FINISHED | {"status": "paused"})
    assert ": paused, " in run(capsys, "status")[1]
    assert "paused" in run(capsys, "rooms")[1]


@pytest.mark.parametrize("command", ["status", "stop"])
def test_a_room_beside_another_active_folder_is_named_in_full(
    here: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """What is printed works from any folder, whatever --active was."""
    room("chatroom", INTERRUPTED)
    Path("active").rename("my rooms")
    _, out, err = run(capsys, command, "--active", "my rooms")
    assert str(Path("my rooms/chatroom").resolve()) in out + err
