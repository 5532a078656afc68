"""Tokens before anybody has counted them."""

from __future__ import annotations

from debateroom import tokens


def test_an_estimate_grows_with_the_text_and_is_nothing_for_nothing() -> None:
    """Empty is 0; twice the text is twice the tokens."""
    assert tokens.estimate("") == 0
    sentence = "Keep the monolith and measure arrivals for a week. "
    assert abs(tokens.estimate(sentence * 20) - 20 * tokens.estimate(sentence)) <= 20


def test_each_kind_of_character_has_its_weight() -> None:
    """Chinese is counted by character, digits one by one, words as wholes."""
    assert tokens.estimate("队列" * 50) == 57
    assert tokens.estimate("：、。" * 10) == 30
    assert tokens.estimate("one 1 队") == 4
    assert tokens.estimate("1" * 10) == 9
    assert tokens.estimate("one two six ten") == 4


def test_a_large_text_is_read_in_one_pass() -> None:
    """A megabyte of any character gives a number."""
    assert tokens.estimate("\n" * 1_000_000) == 0 or tokens.estimate("\n" * 1_000_000) == 1
    assert tokens.estimate("é" * 1_000_000) > 900_000
