"""The command line: the front door, exit codes, stdout for answers and stderr for everything on the way."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from debateroom import cli
from debateroom.cli import front

QUESTION = "Should background jobs use a queue or a loop?"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a scripted model that never agrees, in an empty current folder."""
    monkeypatch.chdir(tmp_path)
    lines = [
        {"round": 1, "response": "POSITION: A queue.\nREASONING: Retries.\nPROPOSAL: Build it.\nCONCERNS: Cost."},
        {
            "default": True,
            "response": "AGREEMENTS: Some.\nDISAGREEMENTS: Much.\nREFINED PROPOSAL: Mine.\nCONFIDENCE: 7",
        },
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return "scripted:replies.jsonl"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one call."""
    code = cli.run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["queue vs loop?", "-n", "5"], ["debate", "queue vs loop?", "-n", "5"]),
        (["-n", "5", "queue vs loop?"], ["debate", "-n", "5", "queue vs loop?"]),
        (["debate", "queue vs loop?"], ["debate", "queue vs loop?"]),
        (["report"], ["report"]),
        (["--version"], ["--version"]),
        (["-h"], ["-h"]),
        (["--", "--help"], ["debate", "--", "--help"]),
        (["--", "report"], ["debate", "--", "report"]),
        (["-"], ["debate", "-"]),
        (["performance"], ["debate", "performance"]),
    ],
)
def test_a_first_word_that_is_no_command_starts_a_question(arguments: list[str], expected: list[str]) -> None:
    """The main job needs no command; a command keeps its name; -- always protects a question."""
    assert front.with_command(arguments) == expected


@pytest.mark.parametrize("word", ["reprot", "reports", "debat", "resmue", "model"])
def test_one_lone_word_close_to_a_command_is_a_typo(capsys: pytest.CaptureFixture[str], word: str) -> None:
    """A misspelt command is not a paid question: exit 2 with what was probably meant."""
    code, out, err = run(capsys, word)
    assert (code, out) == (2, "")
    assert f"there is no command '{word}'; did you mean " in err
    assert f"debateroom -- {word}" in err


def test_at_the_end_stdout_has_four_things(capsys: pytest.CaptureFixture[str], script: str, tmp_path: Path) -> None:
    """A paragraph, the recommended action, the sharpest disagreement, the absolute paths; the rest is on stderr."""
    code, out, err = run(capsys, QUESTION, "-r", "2", "--model", script)
    paragraph, action, sharpest, paths = out.strip().split("\n\n")
    assert code == 0
    assert paragraph.startswith("Deadlock: After round 2 the 3 agents are in deadlock")
    assert action.startswith("Recommended action: No proposal stands out")
    assert sharpest == "Sharpest disagreement: Agent A (Architect): Much."
    room = tmp_path / "active" / "chatroom"
    assert paths.split("\n") == [f"Report: {room}/chatroom_report.md", f"Transcript: {room}/chat.json"]
    assert "round 2 of 2: 3 of 3 agents answered, confidence 7 7 7" in err
    assert "Agent C    Critic      scripted:replies.jsonl" in err


def test_quiet_says_nothing_on_stderr(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """-q leaves stdout alone and stderr empty."""
    code, out, err = run(capsys, QUESTION, "-q", "-r", "1", "--model", script)
    assert (code, err) == (0, "")
    assert "Recommended action" in out


def test_json_is_one_object_with_all_keys_under_2_kb(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """`--json` prints exactly one line, also when texts are long or Chinese."""
    long = "很长的提案。" * 500
    Path("replies.jsonl").write_text(
        json.dumps({"default": True, "response": f"立场：{long}\n提案：{long}\n顾虑：{long}"})
    )
    code, out, _ = run(capsys, "后台任务用队列还是用简单循环？", "-r", "1", "--model", script, "--json")
    value = json.loads(out)
    assert (code, out.count("\n")) == (0, 1)
    assert len(out.encode()) < 2048
    assert list(value) == [
        "ok", "exit_code", "room", "kind", "status", "outcome", "summary", "recommended_action",
        "sharpest_disagreement", "rounds_played", "agents", "effective_agents", "missing", "degraded", "cost",
        "currency", "report", "transcript", "brief", "error", "hint",
    ]  # fmt: skip
    assert (value["ok"], value["status"], value["outcome"], value["agents"]) == (True, "finished", "deadlock", 3)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("queue vs loop? -n 5", 'debateroom "queue vs loop?" -n 5'),
        ("debate -n 5 queue vs loop?", 'debateroom "queue vs loop?" -n 5'),
        ("queue vs 5 -n 5", 'debateroom "queue vs 5"'),
    ],
)
def test_the_hint_for_a_question_without_quotes_keeps_the_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, meant: str
) -> None:
    """What is to be typed instead is shown whole, but for options that could be words of the question."""
    monkeypatch.setattr("sys.argv", ["debateroom", *typed.split()])
    code, _, err = run(capsys, *typed.split())
    assert (code, err.splitlines()[-1]) == (2, f"  next: {meant}")


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        ([QUESTION, "-n", "1"], 2, "a room needs two agents or more, not 1"),
        ([QUESTION, "-n", "-3"], 2, "a room needs two agents or more, not -3"),
        ([QUESTION, "-n", "3.5"], 2, "'3.5' is not a valid integer"),
        ([QUESTION, "--colour-me-surprised"], 2, "--colour-me-surprised"),
        ([QUESTION, "--model", "no-such-model"], 4, "no-such-model"),
        ([QUESTION, "--context", "missing.md"], 2, "missing.md"),
        ([QUESTION, "--budget", "0"], 2, "--budget is 0.0: it must be more than 0"),
        ([QUESTION, "--call-timeout", "-1"], 2, "--call-timeout is -1.0: it must be more than 0"),
        ([QUESTION, "--language", "de"], 2, "--language is 'de': it must be 'auto', 'en', 'fr' or 'zh'"),
        ([QUESTION, "-n", "500", "--yes", "--context", "missing.md"], 2, "missing.md"),
        ([QUESTION, "-n", "67"], 2, "67 agents × 3 rounds are 201 calls"),
        (["queue", "vs", "loop?"], 2, "the question is more than one word: quote it"),
        ([QUESTION, "-n", "1", "--roles", "a, b"], 2, "a room needs two agents or more, not 1"),
        (["performance"], 8, "too vague"),
        (["--", "--help"], 8, "too vague"),
        (["nosuchcommand"], 8, "too vague"),
        (["-", "--context", "-"], 2, "standard input cannot be both"),
        (["report", "nowhere"], 2, "there is no room in"),
    ],
)
def test_every_refusal_says_what_with_its_exit_code_also_as_json(
    capsys: pytest.CaptureFixture[str], script: str, arguments: list[str], code: int, error: str
) -> None:
    """The same error as text on stderr and, with --json, as one object on stdout; no room is left behind."""
    if "--model" not in arguments and arguments[0] != "report":
        arguments = [*arguments[: arguments.index("--")], "--model", script, *arguments[arguments.index("--") :]] \
            if "--" in arguments else [*arguments, "--model", script]  # fmt: skip
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert error in err
    assert "Traceback" not in err
    if arguments[0] != "report" and "--" not in arguments:
        found, out, _ = run(capsys, *arguments, "--json")
        value = json.loads(out)
        assert (found, value["ok"], value["exit_code"]) == (code, False, code)
        assert error in value["error"]
    assert not Path("active").exists()


def test_several_bare_words_show_the_quoted_command(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """Never is only the first word debated."""
    _, _, err = run(capsys, "queue", "vs", "loop?", "--model", script)
    assert 'debateroom "queue vs loop?"' in err


class Stdin(io.TextIOWrapper):
    """Standard input that is no terminal."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_the_question_may_come_from_standard_input(
    capsys: pytest.CaptureFixture[str], script: str, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    """Without a question, or with -, standard input is read when it is no terminal."""
    monkeypatch.setattr("sys.stdin", Stdin(b"\xef\xbb\xbfShould jobs use a queue or a loop?\n"))
    code, _, _ = run(capsys, *arguments, "-r", "1", "--model", script)
    assert code == 0
    assert (
        json.loads(Path("active/chatroom/chat.json").read_text())["problem"] == "Should jobs use a queue or a loop?"
    )


@pytest.mark.parametrize(
    ("data", "error"),
    [(b"", "standard input is empty"), (b"caf\xe9 or tea?", "not UTF-8"), (b"queue\0loop?", "NUL")],
)
def test_standard_input_that_is_no_question_is_refused(
    capsys: pytest.CaptureFixture[str], script: str, monkeypatch: pytest.MonkeyPatch, data: bytes, error: str
) -> None:
    """An empty pipe, another encoding and a NUL byte are usage errors."""
    monkeypatch.setattr("sys.stdin", Stdin(data))
    code, out, err = run(capsys, "-", "--model", script)
    assert (code, out) == (2, "")
    assert error in err


def test_context_from_standard_input_is_read_beside_a_question(
    capsys: pytest.CaptureFixture[str], script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--context -` reads the pipe, says the size, and puts the text into the transcript."""
    monkeypatch.setattr("sys.stdin", Stdin(b"We are four developers."))
    code, _, err = run(capsys, QUESTION, "--context", "-", "--note", "No broker.", "-r", "1", "--model", script)
    assert code == 0
    assert "context: standard input 23 characters, note 1 10 characters" in err
    context = json.loads(Path("active/chatroom/chat.json").read_text())["context"]
    assert "We are four developers." in context
    assert "No broker." in context


def test_roles_are_taken_as_typed_and_break_no_table(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """Pipes, back-slashes, quotes and markdown in role names stay what was typed; the table keeps three columns."""
    roles = 'Ops | Infra,Critic\\,The "skeptic",**Bold**,# Heading,安全工程师'
    code, _, _ = run(capsys, QUESTION, "--roles", roles, "-r", "1", "--model", script)
    assert code == 0
    chat = json.loads(Path("active/chatroom/chat.json").read_text())
    assert [seat["role"] for seat in chat["agents"]] == [
        "Ops | Infra", "Critic\\", 'The "skeptic"', "**Bold**", "# Heading", "安全工程师",
    ]  # fmt: skip
    report = Path("active/chatroom/chatroom_report.md").read_text()
    rows = [line for line in report.splitlines() if line.startswith("| Agent ")]
    assert len(rows) == 7
    assert all(line.replace("\\|", "").count("|") == 4 for line in rows)


def test_more_than_ten_rounds_and_one_round_work(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """Twelve rounds are played; one round has no confidence, which is shown as unknown and never as a number."""
    assert run(capsys, QUESTION, "-r", "12", "-n", "2", "--model", script)[0] == 0
    assert len(json.loads(Path("active/chatroom/chat.json").read_text())["rounds"]) == 12
    assert run(capsys, QUESTION, "-r", "1", "-n", "2", "--model", script)[0] == 0
    report = Path("active/chatroom/chatroom_report.md").read_text()
    assert "None/10" not in report
    assert "/10" not in report
    assert "| Agent A | Architect | — |" in report


def test_a_finished_room_is_overwritten_and_an_unfinished_one_kept(
    capsys: pytest.CaptureFixture[str], script: str
) -> None:
    """Finished rooms are ephemeral; what was paid for and not finished is moved aside and named; other files stay."""
    room = Path("active/chatroom")
    assert run(capsys, QUESTION, "-r", "1", "--model", script)[0] == 0
    (room / "mine.txt").write_text("keep")
    assert run(capsys, QUESTION, "-r", "1", "--model", script)[0] == 0
    assert [path.name for path in Path("active").iterdir()] == ["chatroom"]
    lines = [{"agent": "Agent A", "response": "POSITION: x\nPROPOSAL: y"}, {"agent": "Agent B", "error": "down"}]
    Path("broken.jsonl").write_text("\n".join(map(json.dumps, lines)))
    code, _, err = run(capsys, QUESTION, "-n", "2", "--model", "scripted:broken.jsonl")
    assert code == 5
    assert "down" in err
    code, _, err = run(capsys, QUESTION, "-r", "1", "--model", script)
    assert code == 0
    (aside,) = (path for path in Path("active").iterdir() if path.name.startswith("chatroom.unfinished-"))
    assert f"debateroom resume {aside.resolve()}" in err
    assert json.loads((aside / "chat.json").read_text())["status"] == "failed"
    assert (room / "mine.txt").read_text() == "keep"


@pytest.mark.parametrize("where", ["afile", "afile/below"])
def test_a_file_where_the_rooms_should_be_is_named(
    capsys: pytest.CaptureFixture[str], script: str, where: str
) -> None:
    """An output path that is a file fails before the first call."""
    Path("afile").write_text("x")
    code, _, err = run(capsys, QUESTION, "--active", where, "--model", script)
    assert code == 1
    assert "afile" in err
    assert "it is a file" in err


def test_hostile_text_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """Escape sequences and direction marks in replies are not printed."""
    evil = "A queue \x1b[31mred\x1b]0;title\x07 \u202edesrever."
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": f"POSITION: {evil}\nCONCERNS: {evil}"}))
    code, out, err = run(capsys, QUESTION, "-r", "1", "--model", script)
    assert code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(out + err)


def test_report_renders_a_room_again_and_prints_any_chat_json(
    capsys: pytest.CaptureFixture[str], script: str
) -> None:
    """Without a format the room's files are written and named; with one, or for a path, the report is printed."""
    run(capsys, QUESTION, "-r", "1", "--model", script)
    written = Path("active/chatroom/chatroom_report.md")
    before = written.read_text()
    written.unlink()
    code, out, _ = run(capsys, "report")
    assert code == 0
    assert out.splitlines() == [str(written.resolve()), str(written.with_suffix(".html").resolve())]
    assert written.read_text() == before
    code, out, _ = run(capsys, "report", "active/chatroom/chat.json")
    assert (code, out.startswith("# ")) == (0, True)
    code, out, _ = run(capsys, "report", "chatroom", "--format", "json")
    assert json.loads(out)["problem"] == QUESTION
    code, out, err = run(capsys, "report", "--format", "html", "-o", "page.html")
    assert (code, out, err.strip()) == (0, "", str(Path("page.html").resolve()))
    assert Path("page.html").read_text().startswith("<!doctype html>")


def test_resume_of_a_finished_room_says_so(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """Nothing is asked again; exit 0 with the same answer."""
    _, before, _ = run(capsys, QUESTION, "-r", "1", "--model", script)
    code, out, err = run(capsys, "resume")
    assert (code, out) == (0, before)
    assert "finished" in err


def test_resume_repeats_no_finished_call(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """After a quorum failure the seats that answered are not asked again; the others are."""
    answers: list[dict[str, Any]] = [
        {"agent": "Agent A", "response": "POSITION: first"},
        {"agent": "Agent B", "error": "down"},
    ]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, answers)))
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", script)[0] == 5
    answers = [{"agent": "Agent A", "response": "POSITION: again"}, {"agent": "Agent B", "response": "POSITION: now"}]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, answers)))
    code, _, _ = run(capsys, "resume")
    assert code == 0
    chat = json.loads(Path("active/chatroom/chat.json").read_text())
    assert [entry["response"] for entry in chat["rounds"][0]["entries"]] == ["POSITION: first", "POSITION: now"]
    assert (chat["status"], chat["rounds"][0]["failures"]) == ("finished", [])


def test_context_too_large_for_the_window_is_refused_with_the_figures(
    capsys: pytest.CaptureFixture[str], script: str
) -> None:
    """Before the first call: how much was given, and how much the model takes."""
    lines = [{"about": {"window": 4000}}, {"default": True, "response": "POSITION: x"}]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    Path("long.md").write_text("A word and another one. " * 1000)
    code, out, err = run(capsys, QUESTION, "--context", "long.md", "--model", script)
    assert (code, out) == (2, "")
    assert "has a window of 4,000" in err
    assert not Path("active").exists()


def test_verbose_says_how_each_reply_was_read(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """-v adds a line a reply: time, tokens, confidence, and what had to be mended."""
    code, _, err = run(capsys, QUESTION, "-v", "-r", "2", "-n", "2", "--model", script)
    assert code == 0
    assert err.count("confidence 7, endorses —; mended: ") == 2


def test_resume_refuses_options_that_contradict_the_room(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """The difference is named; options that agree with the room are fine."""
    Path("replies.jsonl").write_text(json.dumps({"agent": "Agent A", "response": "POSITION: x"}))
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", script)[0] == 5
    code, _, err = run(capsys, "resume", "-r", "4")
    assert (code, "this room was started with rounds 1, not 4" in err) == (2, True)
    code, _, err = run(capsys, "resume", "--model", "sonnet")
    assert (code, "this room was started with model scripted:replies.jsonl, not anthropic:" in err) == (2, True)
    code, _, err = run(capsys, "resume", "--moderator", "gpt", "--budget", "2", "--timeout", "60")
    assert (code, "moderator none, not openai:" in err) == (2, True)
    assert "budget None, not 2.0; timeout None, not 60.0" in err
    code, out, _ = run(capsys, "resume", "-r", "4", "--json")
    assert (code, json.loads(out)["room"]) == (2, str(Path("active/chatroom").resolve()))
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: x"}))
    assert run(capsys, "resume", "-r", "1", "-n", "2", "--model", script)[0] == 0


def test_a_chat_json_without_a_journal_is_continued(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """Finished rounds are kept, a partial one is completed and not doubled."""
    seats = [{"name": f"Agent {x}", "role": f"Role {x}", "framing": "f"} for x in "AB"]
    entries = [{"agent": f"Agent {x}", "role": f"Role {x}", "response": f"POSITION: {x} old"} for x in "AB"]
    chat = {"problem": QUESTION, "context": "c", "agents": seats, "rounds": [
        {"round": 1, "entries": entries}, {"round": 2, "entries": entries[:1]},
    ], "final_output": None}  # fmt: skip
    Path("here").mkdir()
    Path("here/chat.json").write_text(json.dumps(chat))
    code, _, err = run(capsys, "resume", "here/chat.json", "--model", script, "-r", "2")
    assert code == 0, err
    found = json.loads(Path("here/chat.json").read_text())
    assert [[entry["response"] for entry in item["entries"]] for item in found["rounds"]] == [
        ["POSITION: A old", "POSITION: B old"],
        ["POSITION: A old", "AGREEMENTS: Some.\nDISAGREEMENTS: Much.\nREFINED PROPOSAL: Mine.\nCONFIDENCE: 7"],
    ]
    assert (found["context"], found["status"]) == ("c", "finished")


@pytest.mark.parametrize(
    ("data", "words"), [(b"\0" * 144_258, "NUL"), (b"{", "JSON"), (b"[1]", ""), (b'{"problem": ""}', "")]
)
def test_an_unreadable_chat_json_is_exit_2_with_the_reason(
    capsys: pytest.CaptureFixture[str], script: str, data: bytes, words: str
) -> None:
    """NUL bytes, cut JSON and JSON of another kind are refused, and the file is left as it was."""
    Path("here").mkdir()
    Path("here/chat.json").write_bytes(data)
    code, out, err = run(capsys, "resume", "here/chat.json", "--model", script)
    assert (code, out) == (2, "")
    assert words in err
    assert Path("here/chat.json").read_bytes() == data


@pytest.mark.parametrize("place", ["nowhere", "nowhere/chat.json"])
def test_resume_of_nothing_is_exit_2(capsys: pytest.CaptureFixture[str], script: str, place: str) -> None:
    """A room that is not there is named."""
    code, _, err = run(capsys, "resume", place)
    assert (code, "nowhere" in err) == (2, True)


def test_damage_in_the_journal_is_named_and_the_rest_kept(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """A torn last line is cut and said; a line in the middle that cannot be read is named by its number."""
    Path("replies.jsonl").write_text(json.dumps({"agent": "Agent A", "response": "POSITION: x"}))
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", script)[0] == 5
    journal = Path("active/chatroom/journal.jsonl")
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join([*lines[:2], b"\xff garbage", *lines[2:-1]]) + b'\n{"event": "rep')
    Path("replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: x"}))
    code, _, err = run(capsys, "resume")
    assert code == 0
    assert "14 bytes were cut" in err
    assert "line 3 of the journal cannot be read" in err
    assert len(json.loads(Path("active/chatroom/chat.json").read_text())["rounds"][0]["entries"]) == 2


def test_a_finished_room_with_a_damaged_journal_keeps_its_transcript(
    capsys: pytest.CaptureFixture[str], script: str
) -> None:
    """A reply whose line cannot be read any more is still in chat.json, and stays there."""
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", script)[0] == 0
    room = Path("active/chatroom")
    before = (room / "chat.json").read_bytes()
    lines = (room / "journal.jsonl").read_bytes().split(b"\n")
    broken = [b"garbage" if b'"event":"reply"' in line and b"Agent A" in line else line for line in lines]
    (room / "journal.jsonl").write_bytes(b"\n".join(broken))
    assert run(capsys, "report")[0] == 0
    assert run(capsys, "resume")[0] == 0
    assert (room / "chat.json").read_bytes() == before
    assert "Agent A (Architect)" in (room / "chatroom_report.md").read_text()
    assert (room / "journal.jsonl").read_bytes() == b"\n".join(broken)


def test_going_on_from_a_transcript_keeps_the_original_and_its_neighbours(
    capsys: pytest.CaptureFixture[str], script: str
) -> None:
    """The file that was named is kept as it was; another chat.json beside it is not touched; options must agree."""
    seats = [{"name": f"Agent {x}", "role": f"Role {x}", "framing": "f"} for x in "AB"]
    chat = {"problem": QUESTION, "author": "me", "agents": seats, "rounds": [], "final_output": None}
    Path("old").mkdir()
    Path("old/mine.json").write_text(json.dumps(chat))
    Path("old/chat.json").write_text("another")
    code, _, err = run(capsys, "resume", "old/mine.json", "-n", "7", "--model", script)
    assert (code, "agents 2, not 7" in err, Path("old/mine").exists()) == (2, True, False)
    code, _, err = run(capsys, "resume", "old/mine.json", "--model", script)
    assert code == 0, err
    assert Path("old/chat.json").read_text() == "another"
    assert json.loads(Path("old/mine.json").read_text())["author"] == "me"
    assert json.loads(Path("old/mine/chat.original.json").read_text())["author"] == "me"
    assert json.loads(Path("old/mine/chat.json").read_text())["status"] == "finished"


@pytest.mark.parametrize(
    "event", ['{"event": "reply"}', '{"event": "seat_failed", "round": "x"}', '{"event": "moderated"}']
)
def test_an_event_of_another_version_is_left_out(capsys: pytest.CaptureFixture[str], script: str, event: str) -> None:
    """The room is read all the same, the line named; nothing is thrown away."""
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", script)[0] == 0
    journal = Path("active/chatroom/journal.jsonl")
    before = journal.read_text().splitlines()[:-1]
    journal.write_text("\n".join([*before, event]) + "\n")
    assert [run(capsys, command)[0] for command in ("status", "report")] == [0, 0]
    assert f"line {len(before) + 1} of the journal cannot be read" in run(capsys, "resume")[2]
    journal.write_text("\n".join([*before, event]) + "\n")
    assert run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", script)[0] == 0
    assert [path for path in Path("active").iterdir() if ".unfinished-" in path.name]


def test_a_finished_round_with_a_failed_seat_is_not_opened_again(
    capsys: pytest.CaptureFixture[str], script: str
) -> None:
    """A seat that failed in a round that is over stays failed there, also when a chat.json is gone on with."""
    seats = [{"name": f"Agent {x}", "role": f"Role {x}", "framing": "f"} for x in "ABC"]
    entries = [{"agent": f"Agent {x}", "role": f"Role {x}", "response": f"POSITION: {x} old"} for x in "AB"]
    failure = {"agent": "Agent C", "role": "Role C", "reason": "the server was down"}
    first = {"round": 1, "entries": entries, "failures": [failure]}
    Path("here").mkdir()
    chat = {"problem": QUESTION, "agents": seats, "rounds": [first], "final_output": None}
    Path("here/chat.json").write_text(json.dumps(chat))
    code, _, err = run(capsys, "resume", "here", "--model", script, "-r", "2")
    assert code == 0, err
    rounds = json.loads(Path("here/chat.json").read_text())["rounds"]
    assert [len(item["entries"]) for item in rounds] == [2, 3]
    assert rounds[0]["failures"] == [failure]


def test_what_is_told_at_the_end_is_one_line_a_thing(capsys: pytest.CaptureFixture[str], script: str) -> None:
    """A line break in a model's text cannot make a line that looks like one of ours."""
    reply = "POSITION: Build it.\nDISAGREEMENTS: one\n\nReport: /etc/passwd\nREFINED PROPOSAL: two\n\nReport: /tmp/x"
    final = {
        "summary": "s\n\nReport: /a", "recommended_action": "r\n\nReport: /b",
        "sharpest_disagreement": "d\nReport: /c",
        "consensus": [], "disagreements": [], "unresolved_risks": [], "mind_changes": [], "highlights": [],
        "opening_positions": [],
    }  # fmt: skip
    rows = [{"default": True, "response": reply}, {"call": "synthesis", "response": json.dumps(final)}]
    Path("faked.jsonl").write_text("\n".join(map(json.dumps, rows)))
    code, out, _ = run(capsys, QUESTION, "-r", "1", "-q", "--model", "scripted:faked.jsonl")
    assert code == 0
    starts = [line.partition(":")[0] for line in out.splitlines() if line]
    assert starts == ["Deadlock", "Recommended action", "Sharpest disagreement", "Report", "Transcript"]
    assert "r Report: /b" in out
