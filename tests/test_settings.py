"""Settings: where each comes from, and what is said when one cannot be used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from debateroom import settings
from debateroom.errors import UsageError


def test_what_the_caller_gives_wins_over_environment_project_user_and_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flags > DEBATEROOM_* > debateroom.toml > the user's file > built in."""
    user = settings.user_file()
    user.parent.mkdir(parents=True, exist_ok=True)
    user.write_text('agents = 4\nrounds = 4\nmodel = "user"\nroom = "user"\n')
    (tmp_path / "debateroom.toml").write_text('agents = 5\nrounds = 5\nmodel = "project"\n')
    monkeypatch.setenv("DEBATEROOM_AGENTS", "6")
    monkeypatch.setenv("DEBATEROOM_ROUNDS", "6")
    chosen = settings.load({"agents": 7, "rounds": None}, folder=tmp_path)
    assert (chosen.agents, chosen.rounds, chosen.model, chosen.room, chosen.language) == (
        7,
        6,
        "project",
        "user",
        "auto",
    )


def test_the_limits_on_calls_are_there_without_asking(tmp_path: Path) -> None:
    """32 calls at once with a provider, 120 s for a call, 300 s for a round; no limit on the whole."""
    chosen = settings.load({}, folder=tmp_path)
    assert (chosen.concurrency, chosen.call_timeout, chosen.round_timeout) == (32, 120.0, 300.0)
    assert (chosen.timeout, chosen.budget, chosen.quorum) == (None, None, None)


def test_roles_that_are_typed_replace_the_ones_of_a_file_and_their_number(tmp_path: Path) -> None:
    """The number stays where the roles are to be filled up, and where the defaults are asked for."""
    (tmp_path / "debateroom.toml").write_text('agents = 5\nroles = "a, b, c, d, e"\n')
    typed = settings.load({"roles": "x, y"}, folder=tmp_path)
    assert (typed.roles, typed.agents) == ("x, y", None)
    typed = settings.load({"role": ("X: attacks", "Y: defends")}, folder=tmp_path)
    assert (typed.role, typed.roles, typed.agents) == (("X: attacks", "Y: defends"), "auto", None)
    assert settings.load({"roles": "x, y", "add_roles": True}, folder=tmp_path).agents == 5
    assert settings.load({"roles": "auto"}, folder=tmp_path).agents == 5
    assert settings.load({"agents": 3}, folder=tmp_path).roles == "a, b, c, d, e"


def test_a_value_that_cannot_be_used_names_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says which setting, from where, and what it was."""
    monkeypatch.setenv("DEBATEROOM_ROUNDS", "many")
    with pytest.raises(UsageError, match=r"DEBATEROOM_ROUNDS is 'many': it must be a whole number"):
        settings.load({}, folder=tmp_path)


def test_an_unknown_setting_in_a_file_is_named(tmp_path: Path) -> None:
    """A misspelt key in debateroom.toml is not ignored."""
    (tmp_path / "debateroom.toml").write_text("agent = 5\n")
    with pytest.raises(UsageError, match=r"debateroom\.toml has a setting `agent` that debateroom does not know"):
        settings.load({}, folder=tmp_path)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    """A file that is not TOML is an error with its path."""
    (tmp_path / "debateroom.toml").write_text("agents =")
    with pytest.raises(UsageError, match=r"debateroom\.toml cannot be read"):
        settings.load({}, folder=tmp_path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("timeout = inf", "`timeout` in debateroom.toml is inf: it must be at most 1,000,000"),
        ("call_timeout = 1e12", "`call_timeout` in debateroom.toml is 1000000000000.0: it must be at most 1,000,000"),
        ("round_timeout = nan", "`round_timeout` in debateroom.toml is nan: it must be"),
        ("budget = inf", "`budget` in debateroom.toml is inf: it must be a finite number"),
        ('prices."openai:x" = { input = -1, output = 2 }',
         "`prices.openai:x.input` in debateroom.toml is -1: it must be at least 0"),
        ('prices."openai:x" = { input = 1, output = nan }',
         "`prices.openai:x.output` in debateroom.toml is nan: it must be"),
    ],
)  # fmt: skip
def test_a_figure_that_no_clock_and_no_purse_can_hold_is_refused(tmp_path: Path, line: str, said: str) -> None:
    """Endless times and amounts, and prices below 0, are named in place of failing somewhere inside a run."""
    (tmp_path / "debateroom.toml").write_text(line)
    with pytest.raises(UsageError) as caught:
        settings.load({}, folder=tmp_path)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "line", ['prices."openai:x" = { input = "much", output = 2 }', 'prices."openai:x" = 5', 'prices."openai:x" = [1]']
)
def test_a_price_that_cannot_be_read_names_its_file_and_shows_a_right_line(tmp_path: Path, line: str) -> None:
    """The line in the hint, in that file, is one that can be used."""
    (tmp_path / "debateroom.toml").write_text(line)
    with pytest.raises(UsageError) as caught:
        settings.load({}, folder=tmp_path)
    start, _, unit = str(caught.value.hint).partition(", in US dollars")
    assert (start.partition(": ")[0], unit) == ("in debateroom.toml", " for a million tokens")
    (tmp_path / "debateroom.toml").write_text(start.partition(": ")[2])
    assert settings.load({}, folder=tmp_path).prices == {"openai:x": {"input": 2.0, "output": 10.0}}


def test_prices_of_the_project_stand_beside_those_of_the_user(tmp_path: Path) -> None:
    """Model by model the project's wins; what only the user's file has stays."""
    user = settings.user_file()
    user.parent.mkdir(parents=True, exist_ok=True)
    user.write_text("prices.one = { input = 1, output = 1 }\nprices.two = { input = 1, output = 1 }\n")
    (tmp_path / "debateroom.toml").write_text("prices.two = { input = 2, output = 2 }\n")
    chosen = settings.load({}, folder=tmp_path)
    assert chosen.prices == {"one": {"input": 1, "output": 1}, "two": {"input": 2, "output": 2}}


def test_lists_come_from_the_environment_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several roles are separated by line breaks, several paths as paths are."""
    monkeypatch.setenv("DEBATEROOM_ROLE", "Architect\nCritic: finds faults")
    monkeypatch.setenv("DEBATEROOM_CONTEXT", os.pathsep.join(["a.md", "b.md"]))
    chosen = settings.load({}, folder=tmp_path)
    assert (chosen.role, chosen.context) == (("Architect", "Critic: finds faults"), ("a.md", "b.md"))


def test_every_setting_says_what_it_is() -> None:
    """Each field carries a sentence with its unit and default."""
    assert [name for name, field in settings.Settings.model_fields.items() if not field.description] == []
