"""Text of others in Markdown: shown as typed, whatever it holds."""

from __future__ import annotations

import html
import re

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from debateroom.report.text import authored, cell, columns, flat, harmless, harmless_value, line, shorten, typed

# The richest reader that is likely: tables, strikethrough, HTML and all.
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
MARKS = st.text(alphabet=st.sampled_from("ab1 \n\t|\\`*_#>-+=~[](){}<>&;:!.$\"'/é中"), max_size=60)


def squash(text: str) -> str:
    """Every run of white space as one space: a reader sees no more of it."""
    return " ".join(text.split())


def seen(markdown: str) -> str:
    """What a reader of the rendered Markdown sees, white space aside."""
    rendered = READER.render(markdown)
    assert not re.search(r"<(?!/?(p|br|blockquote|ul|li|table|thead|tbody|tr|th|td)\b)", rendered), rendered
    return squash(html.unescape(re.sub(r"<[^>]+>", " ", rendered)))


@given(st.one_of(MARKS, st.text(max_size=60)))
def test_a_line_is_seen_as_it_was_typed(text: str) -> None:
    """Nothing in a line of others is read as Markdown or HTML."""
    text = harmless(text)
    assert seen(line(text)) == squash(text)
    assert seen(f"- {line(text)}") == squash(text)


@given(st.one_of(MARKS, st.text(max_size=60)))
def test_a_cell_is_seen_as_it_was_typed_and_splits_no_row(text: str) -> None:
    """A pipe, with or without backslashes before it, neither adds a cell nor ends the row."""
    text = harmless(text)
    row = f"| {cell(text)} | second | third |"
    assert row.count("|") == 4
    rendered = READER.render(f"| a | b | c |\n|---|---|---|\n{row}\n")
    cells = re.findall(r"<td>(.*?)</td>", rendered, re.DOTALL)
    assert [squash(html.unescape(text)) for text in cells] == [squash(text), "second", "third"]


@given(st.one_of(MARKS, st.text(max_size=80)))
def test_a_quotation_is_seen_as_it_was_typed_and_stays_one_quotation(text: str) -> None:
    """A reply can neither leave its quotation nor become a heading, a list, a fence, a table or HTML."""
    text = harmless(text)
    if not text.strip():
        return
    rendered = READER.render(typed(text, prefix="> ") + "\n\nafter\n")
    assert set(re.findall(r"</?(\w+)", rendered)) <= {"p", "br", "blockquote"}
    assert rendered.count("<blockquote>") == 1
    inside, after = rendered.split("</blockquote>")
    assert squash(html.unescape(re.sub(r"<[^>]+>", " ", inside))) == squash(text)
    assert after.strip() == "<p>after</p>"


@pytest.mark.parametrize("text", samples.HOSTILE)
def test_a_hostile_text_is_seen_as_it_was_typed(text: str) -> None:
    """The same for the texts that try hardest."""
    text = harmless(text)
    assert seen(line(text)) == squash(text)
    assert seen(typed(text, prefix="> ")) == squash(text)


def test_lines_and_indents_of_a_reply_are_kept() -> None:
    """Each line ends in a break, an indent is kept, and an empty line parts paragraphs."""
    assert typed("a\n    b\n\n# c\n1. d", prefix="> ") == "> a  \n> \xa0\xa0\xa0\xa0b\n>\n> \\# c  \n> 1\\. d"


def test_typography_is_kept() -> None:
    """One line has one space for every blank, and keeps the spaces that are part of the writing."""
    assert flat(" a \n\t b\u202f: «\xa0c\xa0»　。 ") == "a b\u202f: «\xa0c\xa0»　。"


def test_names_and_figures_stay_readable_in_the_source() -> None:
    """What needs no escape gets none: the Markdown is read as it stands, too."""
    text = "Use max_tokens=4_096 (about 3.5 kB), e.g. R&D's queue; cost: $0.19 - a lot!"
    assert line(text) == text.replace("$", "\\$")


def test_what_is_invisible_cannot_act() -> None:
    """Controls are shown as pictures, overrides and tags are dropped, lone surrogates and separators replaced."""
    text = "a\x00b\x1b[31m\u202eevil\u202c\u2066x\u2069 \ud83d \U000e0041tag\ufeff\u2028new\r\nline\x85z"
    assert harmless(text) == "a␀b␛[31mevilx � tag\nnew\nline\nz"


def test_joined_emoji_and_arabic_stay_whole() -> None:
    """Joiners and direction marks are part of honest text."""
    text = "👩\u200d💻 می\u200cخواهم \u200fمهندس"
    assert harmless(text) == text


@given(st.text())
def test_harmless_is_harmless_already(text: str) -> None:
    """Doing it twice changes nothing, and the result is UTF-8."""
    once = harmless(text)
    assert harmless(once) == once
    once.encode("utf-8")


def test_every_text_inside_a_value_is_made_harmless() -> None:
    """Dataclasses, mappings, keys and tuples are gone through; numbers stay."""
    assert harmless_value({"a\x00": ("b\x07", [1, None, True])}) == {"a␀": ("b␇", [1, None, True])}
    assert harmless_value(samples.one_round()) == samples.one_round()


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 5, "short"),
        ("a bit longer", 6, "a bit…"),
        ("辩论室报告", 6, "辩论…"),
        ("辩论室", 6, "辩论室"),
        ("", 3, ""),
    ],
)
def test_a_text_is_cut_by_columns(text: str, limit: int, expected: str) -> None:
    """What is cut is marked, CJK counts double, and the result is never wider than asked."""
    assert shorten(text, limit) == expected
    assert columns(shorten(text, limit)) <= limit


@given(MARKS)
def test_an_authors_lists_bold_and_code_are_all_that_is_kept(text: str) -> None:
    """No heading, table, quotation, rule, fence, link or HTML comes of it, in a list item neither."""
    kinds = {
        kind
        for token in READER.parse(authored(harmless(text)))
        for kind in (token.type, *(child.type for child in token.children or ()))
    }
    assert kinds <= {
        "paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak", "code_inline",
        "strong_open", "strong_close", "bullet_list_open", "bullet_list_close", "ordered_list_open",
        "ordered_list_close", "list_item_open", "list_item_close", "text_special",
    }  # fmt: skip


@pytest.mark.parametrize("text", samples.HOSTILE)
def test_what_an_author_may_not_do_is_shown_as_typed(text: str) -> None:
    """A hostile text as an author's is nothing but paragraphs, lists, bold and code."""
    rendered = READER.render(authored(harmless(text)))
    assert not re.search(r"<(?!/?(p|br|ul|ol|li|strong|code)\b)", rendered), rendered
