"""What the README says is so: its options, exit codes, settings and code are those of the product."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import click
import pytest

from debateroom import errors, settings
from debateroom.cli import front
from debateroom.cli.debate import debate
from debateroom.models import script

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The README's code blocks in `language`."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_test_command_is_the_second_shell_block() -> None:
    """CI runs the block that calls pytest, exactly as it stands."""
    first, second = blocks("sh")[:2]
    assert "debateroom" in first
    assert second.rstrip().splitlines()[-1].startswith(".venv/bin/pytest ")


def test_every_option_and_command_it_names_exists() -> None:
    """No option or command that only the README knows."""
    door = front.group
    context = click.Context(door)
    top = [door.get_command(context, name) for name in front.COMMANDS]
    every = [*top, *(inner for group in top if isinstance(group, click.Group) for inner in group.commands.values())]
    known = {
        name
        for command in every
        if command is not None
        for parameter in command.params
        for name in parameter.opts + parameter.secondary_opts
    } | {"--help"}
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*(?![\w.])", " ".join(re.findall(r"`([^`\n]+)`", README))))
    assert {name for name in named if name.startswith("--")} <= known
    commands = set(re.findall(r"`debateroom ([a-z]+)", README))
    assert commands <= set(front.COMMANDS), commands


def test_every_command_has_help_that_says_what_it_does() -> None:
    """`debateroom COMMAND --help` works for each, and each option says what it is."""
    for name in front.COMMANDS:
        command = front.group.get_command(click.Context(front.group), name)
        assert command is not None
        assert command.help, name
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, f"{name} {parameter.name}"


def test_its_exit_codes_are_those_of_the_errors() -> None:
    """Each code in the error tree has its row."""
    rows = {int(code) for cell in re.findall(r"^\| ([\d, ]+) \|", README, re.MULTILINE) for code in cell.split(",")}
    tree = [errors.DebateroomError]
    for error in tree:
        tree += error.__subclasses__()
    assert {error.exit_code for error in tree} <= rows


def test_its_settings_file_can_be_read(tmp_path: Path) -> None:
    """The example is a valid debateroom.toml."""
    (example,) = blocks("toml")
    (tmp_path / "debateroom.toml").write_text(example)
    chosen = settings.load({}, folder=tmp_path)
    assert (chosen.model, chosen.rounds, chosen.prices) == (
        "opus",
        4,
        {"openai:my-model": {"input": 0.5, "output": 2.0}},
    )
    assert tomllib.loads(example)


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The example prints the recommended action and the report's path."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies.jsonl").write_text(
        json.dumps({"default": True, "response": "POSITION: A queue.\nPROPOSAL: Build it."})
    )
    (example,) = blocks("python")
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 - our own README
    assert capsys.readouterr().out.rstrip().endswith(str(tmp_path / "active" / "chatroom" / "chatroom_report.md"))


def test_defaults_in_the_help_are_those_of_the_settings() -> None:
    """Help is written without loading the settings, so the figures are compared here."""
    fields = settings.Settings.model_fields
    for parameter in debate.params:
        shown = re.search(r"\[default: ([\d.]+)\]", getattr(parameter, "help", None) or "")
        if shown and parameter.name in fields and fields[parameter.name].default is not None:
            assert float(shown[1]) == float(fields[parameter.name].default), parameter.name


def test_its_script_is_one(tmp_path: Path) -> None:
    """The example is read as it stands, and answers as the README says; without a moderator, an extract stands in."""
    (example,) = (block for block in blocks("json") if '"default"' in block)
    (tmp_path / "replies.jsonl").write_text(example, encoding="utf-8")
    replies = script.read(tmp_path / "replies.jsonl")
    told = {seat: (replies.matching(script.Cue("seat", f"Agent {seat}", 1)) or [])[0] for seat in "ABC"}
    assert told["A"].text.startswith("POSITION: A queue.\n")
    assert (told["B"].error, told["C"].seconds, replies.moderates) == ("the server is down", 2, False)
