"""Messages about the debate: the same ones in all three languages, with the same places to fill, none left over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from debateroom import templates
from debateroom.debating.convergence import OBSTACLES
from debateroom.language import LANGUAGES

SOURCES = "".join(path.read_text(encoding="utf-8") for path in (Path(templates.__file__).parent).rglob("*.py"))
OUTCOMES = ("unanimous", "consensus", "split", "deadlock")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_messages_with_the_same_places(language: str) -> None:
    """A message that is missing, or lacks a figure, would show in one language only."""
    english, other = templates.data("labels/en.toml"), templates.data(f"labels/{language}.toml")

    def places(text: str) -> set[str]:
        return {match.split("!")[0] for match in re.findall(r"\{([\w!]+)\}", text)}

    assert {key: places(text) for key, text in other.items()} == {key: places(text) for key, text in english.items()}


def test_no_message_is_left_over() -> None:
    """Each message is asked for somewhere in the code."""
    made = {f"{kind}_{outcome}" for kind in ("finding", "extract", "verdict") for outcome in OUTCOMES}
    made |= {f"why_{obstacle}" for obstacle in OBSTACLES}
    assert [key for key in templates.data("labels/en.toml") if f'"{key}"' not in SOURCES and f"'{key}'" not in SOURCES
            and key not in made] == []  # fmt: skip
