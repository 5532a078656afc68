"""A vague question on a terminal: what is asked, why it is asked again, and how one gets out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("terminals of POSIX", allow_module_level=True)

import pty

UNFILLED = "The brackets are not filled in yet."
VAGUE = "Still too vague."


def asked(folder: Path, typed: str) -> tuple[str, str]:
    """What the terminal showed when `typed` was typed there, and the question that was debated."""
    shown, code = told(folder, typed)
    assert code == 0, shown
    chat = json.loads((folder / "active" / "chatroom" / "chat.json").read_text(encoding="utf-8"))
    return shown, chat["problem"]


def told(folder: Path, typed: str) -> tuple[str, int]:
    """What the terminal showed when `typed` was typed there, and the exit code."""
    reply = "POSITION: A queue.\nPROPOSAL: Build it.\nCONFIDENCE: 7"
    (folder / "replies.jsonl").write_text(json.dumps({"default": True, "response": reply}))
    ours, theirs = pty.openpty()
    arguments = ["performance", "-r", "1", "--model", "scripted:replies.jsonl", "--moderator", "none"]
    with subprocess.Popen(
        [sys.executable, "-m", "debateroom", *arguments],
        cwd=folder, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, env=os.environ | {"COLUMNS": "400"},
    ) as process:  # fmt: skip
        os.close(theirs)
        os.write(ours, typed.encode() + b"\x04")  # and the end of input: a further question ends the run
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # how Linux says that nobody is at the other end any more
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    return shown.decode(), process.returncode


def test_enter_in_place_of_the_filled_brackets_says_why_it_asks_again(tmp_path: Path) -> None:
    """And Enter once more debates the first question, as was said."""
    shown, debated = asked(tmp_path, "1\n\n\n")
    assert shown.count(UNFILLED) == 1
    assert "Enter debates the first one all the same, Ctrl-C ends" in shown
    assert debated == "performance"


def test_each_reason_is_told_until_the_question_is_clear(tmp_path: Path) -> None:
    """Brackets left in, and a question that is as vague; a number takes a suggestion at any time."""
    clear = "Should we use Postgres or MySQL for the orders service?"
    shown, debated = asked(tmp_path, f"2\nShould we [option]?\nwhich is better?\n1\n{clear}\n")
    assert (shown.count(UNFILLED), shown.count(VAGUE)) == (1, 1)
    assert debated == clear


def test_the_end_of_input_is_no_answer_and_is_said(tmp_path: Path) -> None:
    """On a line of its own, behind the prompt; nothing is debated."""
    shown, code = told(tmp_path, "")
    assert shown.splitlines()[-2] == "debateroom: the question was not answered: standard input ended"
    assert shown.splitlines()[-1].startswith("  next: debateroom debate --help")
    assert code == 1
    assert not (tmp_path / "active").exists()
