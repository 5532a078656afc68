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


def test_a_value_that_cannot_be_used_names_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says which setting, from where, and what it was."""
    monkeypatch.setenv("DEBATEROOM_ROUNDS", "many")
    with pytest.raises(UsageError, match=r"`rounds` from the environment is 'many': input should be a valid integer"):
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


def test_lists_come_from_the_environment_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several roles are separated by line breaks, several paths as paths are."""
    monkeypatch.setenv("DEBATEROOM_ROLE", "Architect\nCritic: finds faults")
    monkeypatch.setenv("DEBATEROOM_CONTEXT", os.pathsep.join(["a.md", "b.md"]))
    chosen = settings.load({}, folder=tmp_path)
    assert (chosen.role, chosen.context) == (("Architect", "Critic: finds faults"), ("a.md", "b.md"))


def test_every_setting_says_what_it_is() -> None:
    """Each field carries a sentence with its unit and default."""
    assert [name for name, field in settings.Settings.model_fields.items() if not field.description] == []
