"""The skill for coding assistants: valid by the specification's own library, true in every command, put in place."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import skills_ref
from debates import APART, SYNTHESIS, run
from vendor import VendorServer, debate_script

from debateroom import cli
from debateroom.doors import skill

FLAGS = re.findall(r"\| `(-[^|]*?)`(?:, started[^|]*|; else[^|]*)? \|", skill.text())
"""What the table makes of a request."""


def commands() -> list[str]:
    """Every line of the skill's shell blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", skill.text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def in_background(typed: list[str]) -> tuple[int, str, str]:
    """A run that outlives its caller, started as a user starts it."""
    command = [sys.executable, "-m", "debateroom", *typed]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def test_the_specifications_own_library_finds_nothing() -> None:
    """Valid, with only the six fields, and a body under 150 lines."""
    assert skills_ref.validate(skill.path().parent) == []
    _, head, body = skill.text().split("---\n", 2)
    fields = [line.split(":")[0] for line in head.splitlines() if not line.startswith(" ")]
    assert fields == ["name", "description", "license", "compatibility", "metadata", "allowed-tools"]
    assert "allowed-tools: Bash(debateroom:*) Read\n" in head
    assert len(body.splitlines()) < 150
    assert len(skills_ref.read_properties(skill.path().parent).description) <= 1024


def test_every_command_in_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after the other, as an assistant would, through the real SDK to a server on loopback."""
    monkeypatch.chdir(tmp_path)
    names = [f"Agent {letter}" for letter in "ABCDE"]
    script = debate_script({name: [(7, name)] for name in names}, synthesis=SYNTHESIS, moderator=APART)
    (tmp_path / "FINAL.json").write_text(json.dumps(SYNTHESIS))
    (tmp_path / "questions.jsonl").write_text('"Queue or loop for our jobs?"\n"Tabs or spaces in our code base?"\n')
    ran = commands()
    assert len(ran) == 9
    with VendorServer(script, latency=0.0) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-01")
        monkeypatch.setenv("DEBATEROOM_ANTHROPIC_BASE_URL", server.url)
        for line in ran:
            program, *typed = shlex.split(line)
            assert program == "debateroom"
            code, out, err = in_background(typed) if "--detach" in typed else run(capsys, *typed)
            assert code == 0, (line, err)
            if "--dry-run" not in line:
                assert json.loads(out)["ok"] is True
    assert json.loads((tmp_path / "active/mine/chat.json").read_text())["final_output"]["synthesized_by"] == "host"


@pytest.mark.parametrize("flags", FLAGS)
def test_the_flags_it_names_are_understood(flags: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of them, as a dry run."""
    typed = ["debate", "Queue or loop for our jobs?", *shlex.split(flags), "--dry-run", "--model", "opus"]
    assert cli.run(typed) == 0, capsys.readouterr().err


def test_every_row_of_the_table_has_flags() -> None:
    """The pattern by which they are found misses none."""
    rows = [line for line in skill.text().splitlines() if line.startswith('| "')]
    assert len(rows) == len(FLAGS) == 6


def test_it_is_installed_where_assistants_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Into the project or the home, for one or for all; again is an update; what is not ours stays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    assert cli.run(["skill", "install"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        str(tmp_path / f".{name}/skills/debateroom/SKILL.md") for name in ("claude", "agents")
    ]
    assert cli.run(["skill", "install", "--user", "--for", "agents"]) == 0
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("SKILL.md"))
    assert found == [
        ".agents/skills/debateroom/SKILL.md", ".claude/skills/debateroom/SKILL.md",
        "home/.agents/skills/debateroom/SKILL.md",
    ]  # fmt: skip
    ours, others = tmp_path / found[0], tmp_path / found[1]
    ours.write_text("---\nname: debateroom\n---\nold")
    others.write_text("---\nname: something\n---\n")
    assert cli.run(["skill", "install"]) == 2
    assert ours.read_text().endswith("old")
    assert cli.run(["skill", "install", "--for", "agents"]) == 0
    assert ours.read_text() == skill.text()
    assert others.read_text() == "---\nname: something\n---\n"


def test_show_and_path_agree(capsys: pytest.CaptureFixture[str]) -> None:
    """What is shown is the file at the path."""
    assert cli.run(["skill", "path"]) == 0
    path = Path(capsys.readouterr().out.strip())
    assert cli.run(["skill", "show"]) == 0
    assert capsys.readouterr().out == path.read_text()


def test_an_unwritable_folder_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file where a folder should be: exit 2, and which."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".agents").write_text("a file")
    assert cli.run(["skill", "install", "--for", "agents"]) == 2
    assert ".agents/skills" in capsys.readouterr().err
