"""What agents' models are told by us: the same texts in all three languages, with the same places, none left over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from debateroom import templates
from debateroom.agents.definition import PARAMS
from debateroom.language import LANGUAGES
from debateroom.project.folder import REASONS

SOURCES = "".join(path.read_text(encoding="utf-8") for path in Path(templates.__file__).parent.rglob("*.py"))


def places(text: str) -> set[str]:
    return set(re.findall(r"(?<!\{)\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_texts_with_the_same_places(language: str) -> None:
    """A text that is missing, or lacks a value, would show in one language only."""
    english, other = templates.data("prompts/en/agents.toml"), templates.data(f"prompts/{language}/agents.toml")
    assert {key: places(text) for key, text in other.items()} == {key: places(text) for key, text in english.items()}


def test_no_text_is_left_over() -> None:
    """Each one is asked for somewhere in the code."""
    made = {f"{kind}_{name}" for kind in ("param", "mission") for name in PARAMS}
    made |= {f"path_{why}" for why in REASONS}
    made |= {f"tool_{name}" for name in ("list_files", "read_file", "search_text")}
    texts = templates.data("prompts/en/agents.toml")
    assert [key for key in texts if not re.search(rf"[\"']{key}[\"']", SOURCES) and key not in made] == []
