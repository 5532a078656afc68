"""Two sharper questions for a vague one, and the word lists behind the reading of questions."""

from __future__ import annotations

import tomllib

import pytest

from debateroom import templates
from debateroom.reading.lexicon import lexicon
from debateroom.reading.question import classify_question, sharpen


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "performance",
            "en",
            (
                "Performance: should we [do A] or [do B], if [cost, time or risk] counts most?",
                "Performance: what should we change first to reach [a goal with a number] by [a date]?",
            ),
        ),
        (
            "Améliorer le site",
            "fr",
            (
                "Site : vaut-il mieux [solution A] ou [solution B], si le plus important est "
                "[le coût, le délai ou le risque] ?",
                "Site : que changer en premier pour atteindre [un objectif chiffré] avant [une date] ?",
            ),
        ),
        (
            "怎么办",
            "zh",
            (
                "如果最看重[成本、时间或风险]，该选[方案 A]还是[方案 B]？",
                "[某项改动]要花[时间或金钱]，预计带来[收益]，值得做吗？",
            ),
        ),
    ],
)
def test_suggestions_are_made_of_the_users_words(text: str, language: str, expected: tuple[str, str]) -> None:
    """The topic is what the user named; what is missing stands in square brackets; the wording is the language's."""
    assert sharpen(text, language) == expected


def test_the_field_chooses_the_criteria() -> None:
    """A software question is offered other criteria than one outside the three fields."""
    assert sharpen("Best database?", "en", domain="software") == (
        "Database for [the use, with its size]: [A] or [B]?",
        "Database: is [A] better for us than [B], if [latency, running cost or time to build] counts most?",
    )


@pytest.mark.parametrize("language", ["en", "fr", "zh"])
@pytest.mark.parametrize("text", ["", "which one is better?", "{topic} {0} %s", "x" * 5000, "a\nb\x1b[31mred\u202e?"])
def test_any_text_gets_two_short_lines(text: str, language: str) -> None:
    """Two different lines without control characters, however odd or long the text is."""
    first, second = sharpen(text, language)
    assert first != second
    assert all(len(line) < 250 and line.isprintable() for line in (first, second))


@pytest.mark.parametrize(
    ("text", "language"), [("performance", "en"), ("Améliorer le site", "fr"), ("用什么数据库好？", "zh")]
)
def test_a_filled_in_suggestion_is_no_longer_vague(text: str, language: str) -> None:
    """A user who fills in the brackets and sends the line is not asked again."""
    for line in sharpen(text, language):
        filled = line.replace("[", "").replace("]", " Postgres 20 ")
        assert not classify_question(filled).vague


@pytest.mark.parametrize("language", ["en", "fr", "zh"])
def test_every_word_list_is_there_in_each_language(language: str) -> None:
    """The three files hold the same lists, so that no rule is silent in one language."""
    english, own = (templates.data(f"questions/{name}.toml") for name in ("en", language))
    assert own["empty"].keys() == english["empty"].keys()
    assert own["sharpen"].keys() == english["sharpen"].keys()
    assert own["sharpen"]["criteria"].keys() == english["sharpen"]["criteria"].keys()
    assert len(lexicon(language).senses) > 4000


@pytest.mark.parametrize("name", ["en", "fr", "zh", "names"])
def test_no_entry_is_listed_twice_at_different_strength(name: str) -> None:
    """Within one field an entry has one weight, else the file says two things."""
    text = (templates.folder() / f"questions/{name}.toml").read_text(encoding="utf-8")
    twice = []
    for field, lists in tomllib.loads(text).items():
        if field not in ("software", "product", "strategy", "outside"):
            continue
        seen: dict[str, str] = {}
        for strength in ("strong", "plain", "weak"):
            for entry in filter(None, (word.strip() for word in lists.get(strength, "").split(","))):
                if seen.setdefault(entry, strength) != strength:
                    twice.append((field, entry))
    assert twice == []
