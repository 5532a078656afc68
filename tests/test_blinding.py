"""Answers are made alike before they are judged: no mark of a house, no name, and nothing of what they say lost."""

from __future__ import annotations

import pytest

from debateroom.debating.blinding import alike


def blind(text: str, *, language: str = "en", about: str = "How should jobs run?") -> str:
    return alike(text, language=language, about=about, seats=["Agent A", "Agent B", "Agent AB"])


def test_formats_come_to_one() -> None:
    """Headings, bold, bullets, numbers, rules, quotes and small pictures are habits of a house."""
    one = "## Use a queue 🚀\n\n**Why**: it *holds* jobs — “safely”…\n\n* one\n• two\n\n---\n1) first\n> a quote\n"
    other = 'Use a queue\n\nWhy: it holds jobs - "safely"...\n\n- one\n- two\n\n1. first\na quote'
    assert blind(one) == blind(other) == other


def test_code_stays_as_it_is() -> None:
    """What looks like a mark is none in code, and fences come to one kind; a name is one there too."""
    code = "~~~python\nx = a ** b ** c  # GPT-5, **bold**\n* 2\n~~~"
    assert blind(code) == "```\nx = a ** b ** c  # [a model], **bold**\n* 2\n```"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("As a model trained by OpenAI, I would queue.", "As a model trained by [a model], I would queue."),
        ("I'm ChatGPT. Use a queue.", "I'm [a model]. Use a queue."),
        ("I am Claude Opus 4.5, made by Anthropic.", "I am [a model], made by [a model]."),
        ("As Gemini, built by Google, I say so.", "As [a model], built by [a model], I say so."),
        ("Use a queue.\n\n— Claude", "Use a queue."),
        ("Use a queue.\n\n**— Your assistant**", "Use a queue."),
        ("Use a queue.\n- GPT-6.2-sol", "Use a queue.\n- [a model]"),
        ("gpt-6.2-sol would say so, and so would Claude Sonnet.", "[a model] would say so, and so would [a model]."),
        ("Qwen3-Max knows.", "[a model]-Max knows."),
        ("As Agent AB said to Agent A.", "As [another agent] said to [another agent]."),
        ("Use a queue.\n\nLet me know if you need more!", "Use a queue."),
        ("<think>I am Grok</think>Use a queue.", "Use a queue."),
    ],
)  # fmt: skip
def test_names_and_signatures_are_left_out(text: str, left: str) -> None:
    """What a model calls itself and its maker, other seats' names, greetings and thinking."""
    assert blind(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Write a haiku; the mistral blows; a llama spits; Claude Monet painted; meta data of the codex.",
        "A GUID partition table (GPT) by Gemini Street.",
        "Amazon and Google offer queues, and Meta wrote one.",
    ],
)
def test_everyday_words_stay(text: str) -> None:
    """A name that is also a word is left alone where nothing says that it is a model's."""
    assert blind(text) == text


def test_what_the_task_is_about_stays() -> None:
    """Who asks about models gets answers about them."""
    text = "Take Claude Opus 4.5, not GPT-6; OpenAI bills by token."
    assert blind(text, about="Claude or gpt for our OpenAI account?") == text


def test_an_introduction_is_left_out_whatever_the_task_is_about() -> None:
    """A file of the context may name every model there is; who writes is told by none of that."""
    about = "Read CLAUDE.md, then compare ChatGPT and Gemini."
    assert blind("I'm Claude. Take Gemini 3.", about=about) == "I'm [a model]. Take Gemini 3."
    assert blind("I am ChatGPT, so I know ChatGPT.", about=about) == "I am [a model], so I know ChatGPT."
    assert blind("Take it.\n- Claude Opus 5", about=about) == "Take it.\n- [a model]"


def test_the_words_in_place_of_names_are_in_the_language() -> None:
    """French and Chinese introductions are known as well."""
    assert blind("Je suis Claude. Une file.", language="fr") == "Je suis [un modèle]. Une file."
    assert blind("我是通义千问。用队列。", language="zh") == "我是[某个模型]。用队列。"
    assert blind("作为Claude，我建议用队列。", language="zh") == "作为[某个模型]，我建议用队列。"


def test_a_heading_loses_its_marks_and_nothing_else() -> None:
    """What closes it stands apart; a language's name does not."""
    assert blind("## Use a queue ##\n# In C#\n#5 is no heading\n### #") == "Use a queue\nIn C#\n#5 is no heading"


@pytest.mark.parametrize("piece", ["___a ", "**a __b ***c ", "#", " # ", "gpt-", "*a", "- ", "1) ", "\n\n— x"])
def test_marks_that_never_close_take_no_time(piece: str) -> None:
    """Text of a model is hostile: 100,000 characters of what looks like a mark are read in one go."""
    assert len(blind("# " + piece * (100_000 // len(piece)))) <= 100_000 * 2


def test_invisible_characters_and_thousands_of_lines_are_no_trouble() -> None:
    """Hidden text is not shown to a judge, and long answers take no time."""
    assert blind("Use\u200b a \u202equeue\U000e0041.") == "Use a queue."
    assert len(blind("**bold** _x_ I am GPT-5.\n" * 20_000)) > 200_000
