"""What a provider said is shown as one short line without keys."""

from __future__ import annotations

import pytest

from debateroom.models.quote import safe_line, scrub


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("Incorrect API key provided: sk-proj-abc_DEF-123.", "Incorrect API key provided: [key]"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer [key]"),
        ("{'x-api-key': 'abcdef'}", "{'x-api-key': '[key]'}"),
        ('"api_key": "abcdef", "n": 1', '"api_key": "[key]", "n": 1'),
        ("Illegal header value b'Bearer sk-ant-12345678'", "Illegal header value b'Bearer [key]'"),
        ("key gsk_0123456789abc or AIzaSyA-0123456789", "key [key] or [key]"),
        ("at most 4096 tokens: shorten the prompt", "at most 4096 tokens: shorten the prompt"),
    ],
)
def test_whatever_looks_like_a_key_is_replaced(text: str, safe: str) -> None:
    """Keys by their prefix, bearer tokens and key headers never reach a message; other words stay."""
    assert scrub(text) == safe


def test_a_providers_words_become_one_short_line() -> None:
    """Line breaks, control characters and escapes go, long texts are cut, web pages are left out."""
    assert safe_line("a\n b\x1b[31m\u202e c\x00") == "a b[31m c"
    assert safe_line("x" * 500) == "x" * 240 + " …"
    assert safe_line("<html>") == ""
    assert safe_line(None) == ""
