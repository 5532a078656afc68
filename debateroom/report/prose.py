"""Markdown that models wrote, as HTML that can do nothing: no HTML of theirs, no images, no headings, plain links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LONGEST = 60_000
"""Characters that are parsed as Markdown; a longer text is shown as it was typed."""
_SCHEMES = ("http://", "https://", "mailto:")


def block(text: str) -> Markup:
    """`text` as HTML blocks. HTML in it is shown, headings become bold lines, links go to http(s) and mailto only."""
    if len(text) > _LONGEST:
        return Markup(f'<p class="typed">{escape(text)}</p>')  # noqa: S704 — escaped on this line
    return Markup(_parser().render(text))  # noqa: S704 — the parser escapes: html is off, and tests attack it


def inline(text: str) -> Markup:
    """`text` as HTML for one line: a single paragraph without its tags, or blocks where it has several."""
    rendered = block(text.strip())
    body = rendered.strip()
    if body.startswith("<p>") and body.endswith("</p>") and body.count("<p") == 1:
        return Markup(body[3:-4])  # noqa: S704 — cut from what the parser wrote
    return rendered


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "typographer": False})
    parser.enable(["table", "strikethrough"]).disable("image")
    parser.validateLink = lambda url: url.strip().lower().startswith(_SCHEMES)  # type: ignore[method-assign]
    parser.add_render_rule("heading_open", _heading_open)
    parser.add_render_rule("heading_close", _heading_close)
    parser.add_render_rule("link_open", _link_open)
    for cell in ("th_open", "td_open"):
        parser.add_render_rule(cell, _cell_open)
    return parser


def _heading_open(_: Any, tokens: Sequence[Any], index: int, options: Mapping[str, Any], env: Any) -> str:
    return '<p class="heading">'


def _heading_close(_: Any, tokens: Sequence[Any], index: int, options: Mapping[str, Any], env: Any) -> str:
    return "</p>\n"


def _link_open(_: Any, tokens: Sequence[Any], index: int, options: Mapping[str, Any], env: Any) -> str:
    target = escape(str(tokens[index].attrs.get("href", "")))
    return f'<a href="{target}" rel="noopener noreferrer nofollow">'


def _cell_open(_: Any, tokens: Sequence[Any], index: int, options: Mapping[str, Any], env: Any) -> str:
    return f"<{tokens[index].tag}>"  # without the style attribute that says how it is aligned: the policy refuses it
