"""Messages about the debate: the same ones in all three languages, with the same places to fill, none left over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from debateroom import templates
from debateroom.debating.convergence import OBSTACLES
from debateroom.dialogue.simulation import EXIT_CODES
from debateroom.language import LANGUAGES, say
from debateroom.room.transcript import STATUSES

SOURCES = "".join(path.read_text(encoding="utf-8") for path in (Path(templates.__file__).parent).rglob("*.py"))
OUTCOMES = ("unanimous", "consensus", "split", "deadlock")


@pytest.mark.parametrize(
    ("language", "one", "many"),
    [
        ("en", "1 round played", ["0 rounds played", "2 rounds played"]),
        ("fr", "1 tour joué", ["0 tour joué", "2 tours joués"]),
        ("zh", "已进行 1 轮", ["已进行 0 轮", "已进行 2 轮"]),
    ],
)
def test_what_is_counted_is_in_the_right_number(language: str, one: str, many: list[str]) -> None:
    """English knows two forms, French takes the singular for none as well, Chinese has one."""
    assert say(language, "rounds_played", count=1) == one
    assert [say(language, "rounds_played", count=count) for count in (0, 2)] == many


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_messages_with_the_same_places(language: str) -> None:
    """A message that is missing, or lacks a figure, would show in one language only."""
    english, other = templates.data("labels/en.toml"), templates.data(f"labels/{language}.toml")

    def places(message: str | list[str]) -> set[str]:
        return {match.split("!")[0] for match in re.findall(r"\{([\w!]+)\}", "".join(message))}

    assert {key: places(text) for key, text in other.items()} == {key: places(text) for key, text in english.items()}


def test_no_message_is_left_over() -> None:
    """Each message is asked for somewhere in the code."""
    made = {f"{kind}_{outcome}" for kind in ("finding", "extract", "verdict") for outcome in OUTCOMES}
    made |= {f"verdict_{outcome}" for outcome in (*EXIT_CODES, "delivered", "partial", "refused")}
    made |= {f"why_{obstacle}" for obstacle in OBSTACLES} | {f"status_{status}" for status in STATUSES}
    assert [key for key in templates.data("labels/en.toml") if f'"{key}"' not in SOURCES and f"'{key}'" not in SOURCES
            and key not in made] == []  # fmt: skip
