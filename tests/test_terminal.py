"""Text for a terminal: words that can be pasted into a shell, columns that stand under one another."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from debateroom.terminal import padded, quoted, width

NASTY = [
    "plain", "/a/b-c_d.e", "two words", "queue vs loop?", 'a "quoted" word', "it's", "$(touch x) `touch x` $HOME",
    "a\\b", "over! and !!", "a;b|c&d>e", "*", "~", "", "后台任务", "line\nbreak", "-n",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")
@pytest.mark.parametrize("text", NASTY)
def test_a_quoted_word_is_pasted_as_it_was(text: str) -> None:
    """A shell takes it for one word, and runs nothing in it."""
    done = subprocess.run(  # noqa: S602 - what a shell makes of it is what is tested
        f"printf '%s' {quoted(text)}", shell=True, capture_output=True, text=True, check=True, executable="/bin/sh"
    )
    assert done.stdout == text


def test_a_question_is_quoted_as_people_do_it() -> None:
    """Double quotes where they are enough, none where none are needed."""
    assert [quoted(text) for text in ("queue vs loop?", "loop", "$5?")] == ['"queue vs loop?"', "loop", "'$5?'"]


def test_columns_stand_under_one_another() -> None:
    """East Asian characters take two columns, combining ones none; a longer text stays as it is."""
    assert [width(text) for text in ("abc", "后台", "é", "e\u0301", "")] == [3, 4, 1, 1, 0]
    assert [padded(text, 4) + "|" for text in ("ab", "后", "后台", "longer")] == [
        "ab  |",
        "后  |",
        "后台|",
        "longer|",
    ]
