"""The handed command-line cases, one test each: exit code, words that must and must not appear."""

from __future__ import annotations

import ctypes
import io
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debateroom import cli
from debateroom.room.room import Room

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases" / "cli_cases.jsonl").read_text().splitlines()]
ELSEWHERE = {
    "k069": "test_a_kill_during_a_save_leaves_a_whole_transcript",
    "k027": "test_an_argument_of_200_kb_is_refused_by_the_system",
}
"""Cases that another test stands for."""
PLACES = {
    "{agents}": "-n",
    "{rounds}": "-r",
    "{roles}": "--roles",
    "{model}": "--model",
    "{out}": "--active",
    "{context}": "--context",
}
NEEDS_RIGHTS = {"k059", "k085"}
"""Cases about permissions, which do not hold root back: they run without root's right to pass over them."""
SEATS = [{"name": f"Agent {x}", "role": f"Role {x}", "framing": "f"} for x in "ABC"]
ENTRIES = [{"agent": f"Agent {x}", "role": f"Role {x}", "response": f"POSITION: {x}"} for x in "ABC"]
PARTIAL = {
    "problem": "Should background jobs use a queue or a loop?", "context": "", "agents": SEATS,
    "rounds": [{"round": 1, "entries": ENTRIES}, {"round": 2, "entries": ENTRIES[:2]}], "final_output": None,
}  # fmt: skip
SETUPS: dict[str, Callable[[], object]] = {
    "touch afile": lambda: Path("afile").write_text(""),
    "mkdir adir": lambda: Path("adir").mkdir(),
    "byte 0xe9 in the file": lambda: Path("latin1.txt").write_bytes(b"caf\xe9"),
    "GBK bytes": lambda: Path("gbk.txt").write_bytes("背景说明".encode("gbk")),
    "PNG bytes": lambda: Path("image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    "300 MB of text": lambda: os.truncate(os.open("huge.txt", os.O_CREAT | os.O_RDWR), 300_000_000),
    "chmod 000 (not as root)": lambda: (Path("noread.txt").write_text("x"), Path("noread.txt").chmod(0)),
    "mkdir ro; chmod 555 ro (not as root)": lambda: Path("ro").mkdir(mode=0o555),
    "144258 NUL bytes": lambda: room_file(b"\0" * 144_258),
    "partial round 2": lambda: room_file(json.dumps(PARTIAL).encode()),
    "stub reply with \\ud83d": lambda: Path("replies.jsonl").write_text(
        json.dumps({"default": True, "response": "POSITION: A queue \ud83d.\nPROPOSAL: Build it."})
    ),
    "stub never converges": lambda: None,
    "stdin is an open pipe, never written, never closed": lambda: None,
}


def room_file(data: bytes) -> None:
    """A folder `here` with this chat.json and nothing else."""
    Path("here").mkdir()
    Path("here/chat.json").write_bytes(data)


def arguments_of(case: dict[str, Any]) -> list[str]:
    """The case's words with our options in the places of its placeholders."""
    words = [PLACES.get(word, word) for word in case["argv"]]
    if words[0] == "{run}":
        words = words[1:]
    elif words[0] == "{resume}":
        place = "here/chat.json" if Path("here/chat.json").exists() else words[1]
        return ["resume", place, "--model", "scripted:replies.jsonl"]
    if "--model" in words:
        return words
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], "--model", "scripted:replies.jsonl", *words[end:]]


def without_rights() -> None:
    """In the child: root loses its right to read and write what permissions forbid."""
    drop = 24
    library = ctypes.CDLL(None, use_errno=True)
    for right in (1, 2):
        library.prctl(drop, right, 0, 0, 0)


def in_process(case: dict[str, Any], words: list[str], capsys: Any, monkeypatch: Any) -> tuple[int, str]:
    """Exit code and all output of a call in this process."""
    text = case["stdin"]
    if "stdin_gen" in case:
        text = case["stdin_gen"]["repeat"] * case["stdin_gen"]["times"]
    if case["id"] == "k028":
        words = ["-", *words[1:]]  # the NUL is in what stdin holds: ask for it
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((text or "").encode())))
    code = cli.run(words)
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def as_process(case: dict[str, Any], words: list[str]) -> tuple[int, str]:
    """The same in a process of its own: with a pipe that never closes, or without root's rights."""
    ours, theirs = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "debateroom", *words],
            stdin=ours if "open pipe" in (case["setup"] or "") else subprocess.DEVNULL,
            capture_output=True, text=True, timeout=30, check=False,
            preexec_fn=without_rights if case["id"] in NEEDS_RIGHTS else None,
        )  # fmt: skip
    finally:
        os.close(ours)
        os.close(theirs)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("case", [case for case in CASES if case["id"] not in ELSEWHERE], ids=lambda case: case["id"])
def test_a_handed_case(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The behaviour each case asks for, as far as exit code and words tell it."""
    monkeypatch.chdir(tmp_path)
    replies = [
        {"round": 1, "response": "POSITION: A queue.\nPROPOSAL: Build it.\nCONCERNS: Cost."},
        {"default": True, "response": "AGREEMENTS: Some.\nREFINED PROPOSAL: Mine.\nCONFIDENCE: 7"},
    ]
    Path("replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    if case["setup"]:
        SETUPS[case["setup"]]()
    words = arguments_of(case)
    apart = case["id"] in NEEDS_RIGHTS or "open pipe" in (case["setup"] or "")
    code, output = as_process(case, words) if apart else in_process(case, words, capsys, monkeypatch)
    expected = case["expect"]["exit"]
    if expected == "zero":
        assert code == 0, output
    elif expected == "nonzero" and not (case["ambiguous"] and code == 0):
        assert code not in (0, 1) or case["id"] in {"k059", "k060"}, output
    assert "Traceback" not in output
    wanted = case["expect"].get("message_mentions_any")
    assert wanted is None or any(word in output for word in wanted)
    for never in case["expect"].get("never", ()):
        assert not re.search(rf"\b{re.escape(never)}\b", output)
    check_room(case)


def check_room(case: dict[str, Any]) -> None:
    """What the cases say about the files: a table of three columns, rounds not doubled, no number for the unknown."""
    report = Path("active/chatroom/chatroom_report.md")
    if report.exists():
        text = report.read_text()
        assert "None/10" not in text
        assert " nan" not in text.lower()
        rows = [line for line in text.splitlines() if line.startswith("| Agent ")]
        assert rows
        assert all(line.replace("\\\\", "").replace("\\|", "").count("|") == 4 for line in rows)
    if case["id"] == "k075":
        chat = json.loads(Path("here/chat.json").read_text())
        assert [len(item["entries"]) for item in chat["rounds"]][:2] == [3, 3]
    if case["id"] in {"k049", "k059", "k078", "k082"}:
        assert not list(Path().rglob("chatroom_report.md"))


def test_an_argument_of_200_kb_is_refused_by_the_system() -> None:
    """k027: the system says no before the tool starts; standard input is the way for long questions (k026)."""
    with pytest.raises(OSError, match="too long"):
        subprocess.run([sys.executable, "-m", "debateroom", "Should jobs use a queue? " * 8000], check=False)


SAVING = """
import sys
from pathlib import Path
from debateroom.room.room import Room, event
seats = [{"name": f"Agent {x}", "role": x, "framing": ""} for x in "AB"]
room = Room.create(Path(sys.argv[1]), event("room_opened", problem="?" * 500_000, agents=seats))
print("saving", flush=True)
while True:
    room.project()
"""


def test_a_kill_during_a_save_leaves_a_whole_transcript(tmp_path: Path) -> None:
    """k069: SIGKILL while chat.json is being replaced, again and again: never cut, and nothing left lying about."""
    left = 0
    for number in range(12):
        process = subprocess.Popen([sys.executable, "-c", SAVING, str(tmp_path / "here")], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.003 * number)
        process.kill()
        process.communicate()
        assert len(json.loads((tmp_path / "here" / "chat.json").read_text())["problem"]) == 500_000
        left += len(list((tmp_path / "here").glob(".*.part")))
        Room.reopen(tmp_path / "here").close()
        assert not list((tmp_path / "here").glob(".*.part"))
    assert left, "no kill came in the middle of a save"


def test_every_case_is_tested_here_or_named_elsewhere() -> None:
    """The file is whole, and nothing in it is passed over in silence."""
    assert len(CASES) == 40
    assert set(ELSEWHERE) <= {case["id"] for case in CASES}
    assert all(callable(globals()[name]) for name in ELSEWHERE.values())
    assert {case["setup"] for case in CASES if case["id"] not in ELSEWHERE} - {None} == set(SETUPS)
