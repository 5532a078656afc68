"""Replies that may not be about the problem: a suspicion, raised only when the words leave little doubt."""

from __future__ import annotations

from typing import Any

import pytest
from reading_cases import rows, shown

from debateroom.reading.reply import read_reply
from debateroom.reading.topic import tongue


@pytest.mark.parametrize("row", rows("topics"), ids=shown)
def test_errors_remarks_and_strangers_words_are_suspected(row: dict[str, Any]) -> None:
    """Suspected are error text, remarks in place of an answer, and replies without one content word of the problem.

    A shared word, another language, a short reply or an unknown problem raise no suspicion.
    """
    assert read_reply(row["text"], kind="opening", problem=row["problem"]).off_topic is row["off_topic"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Should background jobs use a queue or a simple loop?", "en"),
        ("Faut-il garder le monolithe ou passer aux microservices ?", "fr"),
        ("后台任务应该用 Redis 队列还是简单的循环？", "zh"),
        ("monolithe ?", None),
        ("queue vs loop?", None),
        ("", None),
    ],
)
def test_a_language_is_named_only_when_sure(text: str, language: str | None) -> None:
    """Function words and Han characters tell the language; too little text tells none."""
    assert tongue(text) == language
