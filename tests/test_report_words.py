"""The words of the reports: three languages that say the same things, and numbers as each writes them."""

from __future__ import annotations

import re
import tomllib
from datetime import datetime
from typing import Any

import pytest

from debateroom import templates
from debateroom.report.words import Words


def texts(language: str) -> dict[str, Any]:
    """Every text of one language by its dotted key."""
    whole = tomllib.loads((templates.folder() / "labels" / f"report.{language}.toml").read_text(encoding="utf-8"))
    found: dict[str, Any] = {}
    for key, value in whole.items():
        if isinstance(value, dict):
            found.update({f"{key}.{name}": text for name, text in value.items()})
        else:
            found[key] = value
    return found


@pytest.mark.parametrize("language", ["fr", "zh"])
def test_every_language_says_everything(language: str) -> None:
    """The three files have the same keys and the same {names}."""
    english, other = texts("en"), texts(language)

    def names(value: object) -> set[str]:
        return set(re.findall(r"\{(\w+)\}", str(value)))

    assert other.keys() == english.keys()
    assert {key: names(other[key]) for key in english} == {key: names(english[key]) for key in english}


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            [
                "61,240", "0.19 US dollars", "0.0040 US dollars", "81%", "48 s", "3 min 5 s",
                "1 h 12 min", "7.99/10", "30 Nov 2026",
            ],
        ),
        (
            "fr",
            [
                "61\u202f240", "0,19\u202f$\u202fUS", "0,0040\u202f$\u202fUS", "81\u202f%", "48\xa0s",
                "3\xa0min 5\xa0s",
                "1\xa0h 12\xa0min", "7,99/10", "30 nov. 2026",
            ],
        ),
        (
            "zh",
            [
                "61,240", "0.19 美元", "0.0040 美元", "81%", "48 秒", "3 分 5 秒",
                "1 小时 12 分", "7.99/10", "2026 年 11 月 30 日",
            ],
        ),
    ],
)  # fmt: skip
def test_numbers_are_written_as_the_language_writes_them(language: str, expected: list[str]) -> None:
    """Thousands, decimals, money, shares, durations, confidences and dates follow the language."""
    words = Words(language)
    assert [
        words.number(61_240),
        words.money(0.1874),
        words.money(0.004),
        words.share(49_604, 61_240),
        words.duration(48.2),
        words.duration(185),
        words.duration(4_320),
        words.of_ten(7.99),
        words.day(datetime(2026, 11, 30)),
    ] == expected


def test_a_count_takes_the_form_its_language_wants() -> None:
    """One is singular; nought is plural in English and singular in French; Chinese has one form."""
    assert [Words("en").count("replies", n) for n in (0, 1, 2)] == ["0 replies", "1 reply", "2 replies"]
    assert [Words("fr").count("replies", n) for n in (0, 1, 2)] == ["0 réponse", "1 réponse", "2 réponses"]
    assert [Words("zh").count("replies", n) for n in (0, 1, 2)] == ["0 条回复", "1 条回复", "2 条回复"]


def test_an_unknown_confidence_is_a_dash_and_an_unknown_language_is_english() -> None:
    """Unknown is `—`, never 0 or None."""
    assert Words("de").of_ten(None) == "—"
    assert Words("de")("title") == Words("en")("title")


def test_a_value_is_never_read_as_a_format() -> None:
    """Braces that a model wrote stay braces."""
    assert Words("en")("body.no_reply", reason="{seat} {0} {{x}}") == "no reply: {seat} {0} {{x}}"


@pytest.mark.parametrize(
    ("language", "one", "one_of_three"),
    [
        ("en", "1 of 1 round", "1 of 3 rounds"),
        ("fr", "1 tour sur 1", "1 tour sur 3"),
        ("zh", "要求 1 轮，进行了 1 轮", "要求 3 轮，进行了 1 轮"),
    ],
)
def test_rounds_are_counted_as_the_language_does(language: str, one: str, one_of_three: str) -> None:
    """English counts those asked for, French those played."""
    words = Words(language)
    assert (words.rounds(1, 1), words.rounds(1, 3)) == (one, one_of_three)
