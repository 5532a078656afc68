"""A web page as a model or a person reads it: its title and its text. Whatever the page does, it is only read.

HTML goes through a sanitizer written for hostile pages (nh3) first: the parser of the standard library takes minutes
for a page of a few kilobytes that was made for that. What is left has a dozen kinds of tags and no attributes.
"""

from __future__ import annotations

import codecs
import html
import re
import unicodedata
from email.message import Message
from typing import NamedTuple

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXT = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/toml", "application/x-ndjson"}
)
_TEXT_ENDINGS = ("+json", "+xml", "+yaml")
_BLOCKS = frozenset({
    "p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "ul", "ol", "dl", "dt", "dd", "hr",
    "blockquote", "figure", "figcaption", "table", "tr", "form", "fieldset", "details", "summary", "address", "br",
})  # fmt: skip
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_CELLS = frozenset({"td", "th"})
_UNREAD = {"script", "style", "svg", "iframe", "select", "object"}
"""Elements of which nothing is read, their content neither."""
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)>")
_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.I)
_ENCODINGS = re.compile(
    r"utf-(?:8|16)(?:-[bl]e)?|ascii|iso8859-\d+|cp12\d\d|koi8-[ru]|gb2312|gbk|gb18030|big5|euc_(?:jp|kr)|shift_jis"
)
"""Python's names of the encodings that pages come in; its others are for other ends."""
_JOINERS = "\u200c\u200d"
"""Invisible, and part of how some scripts are written."""


class Page(NamedTuple):
    """What was read."""

    title: str
    """On one line; empty where there is none."""
    text: str


def media_type(content_type: str) -> str:
    """`text/html` of `text/html; charset=utf-8`, lower case; empty when none is named."""
    return content_type.partition(";")[0].strip().lower()


def read_page(data: bytes, content_type: str) -> Page | None:
    """Title and text of a page of that type; None when it is no text. Bytes that mean nothing become U+FFFD."""
    kind = media_type(content_type)
    if kind in _HTML:
        return _of_html(_decoded(data, content_type, _META.search(data[:2_048])))
    if kind.startswith("text/") or kind in _TEXT or kind.endswith(_TEXT_ENDINGS):
        return Page("", _visible(_decoded(data, content_type, None)).strip())
    return None


def _decoded(data: bytes, content_type: str, meta: re.Match[bytes] | None) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    message = Message()
    message["Content-Type"] = content_type
    named = [str(message.get_param("charset") or ""), meta[1].decode("ascii") if meta else ""]
    return data.decode(next(filter(None, map(_encoding, named)), "utf-8"), "replace")


def _encoding(name: str) -> str | None:
    try:
        known = codecs.lookup(name.strip("\"' ")).name
    except (LookupError, ValueError):
        return None
    return known if _ENCODINGS.fullmatch(known) else None


def _of_html(text: str) -> Page:
    import nh3

    kept = {"title", "pre", "li", *_BLOCKS, *_HEADINGS, *_CELLS}
    plain = nh3.clean(text, tags=kept, attributes={}, clean_content_tags=_UNREAD, link_rel=None)
    return _read(_TAG.split(plain))


def _read(pieces: list[str]) -> Page:
    """Title and text of what the sanitizer left, split at its tags: text, then a slash or none, a name, text …"""
    title, out, as_it_stands, in_title = "", [_flowing(pieces[0])], 0, False
    for closes, name, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        if name == "pre":
            as_it_stands = max(0, as_it_stands + (-1 if closes else 1))
        if name == "title":
            in_title = not closes
        else:
            out.append(_mark(name, closes=bool(closes)))
        if in_title:
            title = title or " ".join(_visible(html.unescape(text)).split())
        else:
            out.append(_visible(html.unescape(text)) if as_it_stands else _flowing(text))
    return Page(title, _tidy("".join(out)))


def _mark(name: str, *, closes: bool) -> str:
    """What stands for a tag."""
    if name in _CELLS:
        return " | " if closes else ""
    if name == "li":
        return "\n" if closes else "\n- "
    if name in _HEADINGS:
        return "\n" if closes else f"\n\n{_HEADINGS[name]} "
    return "\n\n" if name == "p" else "\n"


def _flowing(text: str) -> str:
    """Text in which blanks and line breaks are one blank."""
    return re.sub(r"\s+", " ", _visible(html.unescape(text)))


def _visible(text: str) -> str:
    """`text` without what nobody sees: control and format characters, among them those that hide words."""
    return "".join(
        mark
        for mark in text
        if mark in "\n\t" or mark in _JOINERS or unicodedata.category(mark) not in {"Cc", "Cf", "Cs", "Co"}
    )


def _tidy(text: str) -> str:
    """Lines without blanks at their end, at most one empty line between two."""
    lines = [re.sub(r"^ (?! )", "", line.rstrip(" |\t")) for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
