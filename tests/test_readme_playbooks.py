"""The README's section about playbooks: what it shows is what its commands print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from coordinators import coordinator, record
from debates import run

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```\n(\$ debateroom (?:playbook|record) .*?)^```$", README, re.MULTILINE | re.DOTALL)
DEPLOYMENT = {"uuid": "d-12", "status": "failed", "title": "Release 12", "error": "the health check timed out"}


def session(shown: str) -> list[tuple[list[str], str]]:
    """The commands of a block, as words, each with what is shown below it."""
    found = []
    for part in re.split(r"^\$ debateroom ", shown, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        words = re.findall(r'"([^"]*)"|(\S+)', re.sub(r"; echo \$\?| \| head -1", "", command))
        found.append(([quoted or plain for quoted, plain in words], printed))
    return found


@pytest.mark.parametrize("shown", SHOWN, ids=["ours", "outside"])
def test_what_is_shown_is_what_is_printed(here: Path, capsys: pytest.CaptureFixture[str], shown: str) -> None:
    """Command by command, in a project with the record of a failed deployment; an exit code that is shown too."""
    (here / "deployment.json").write_text(json.dumps(DEPLOYMENT, indent=1))
    (here / "app.py").write_text("PORT = 80\n")
    first = record(
        1, "deployment.json:4", what="The health check timed out", why="It is the first error of the record."
    )
    second = record(2, "app.py:1", what="The app listens on port 80", why="The check asks port 8080.")
    last = "The app listens on another port than the check asks. Nobody has tried the mended one."
    coordinator(here, [first, second], last, name="why.jsonl")
    if shown is SHOWN[1]:
        assert run(capsys, "playbook", "start", "reflect")[0] == 0
    for words, printed in session(shown):
        code, out, err = run(capsys, *words)
        told = [line for line in printed.replace("/home/you/project", str(here)).splitlines() if line != str(code)]
        assert (out + err).splitlines()[: len(told)] == told, words
        assert str(code) in printed.splitlines() or code == 0 or words[-1] == "finish"


def test_both_blocks_are_found() -> None:
    """That of a coordinator of ours and that of one that calls us."""
    assert len(SHOWN) == 2
