"""Text that models, files and people wrote, made safe to show: invisible characters first, then Markdown's marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

_INVISIBLE: dict[int, str | None] = {
    **{code: chr(0x2400 + code) for code in range(32)},  # control characters become their pictures: ␀ ␛
    **dict.fromkeys(range(0x80, 0xA0), "�"),
    **dict.fromkeys(range(0x202A, 0x202F)),  # bidi embeddings and overrides: they reorder what stands around them
    **dict.fromkeys(range(0x2066, 0x206A)),  # bidi isolates: an open one swallows the line
    **dict.fromkeys(range(0xE0000, 0xE0080)),  # tag characters: whole sentences nobody sees
    **dict.fromkeys((0x200B, 0x2060, 0xFEFF)),
    **dict.fromkeys((0x0A, 0x0B, 0x0C, 0x85, 0x2028, 0x2029), "\n"),
    0x09: "\t",
    0x7F: "␡",
}
_MARKS = re.compile(r"[\\`*\[<|~$]|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
_BLANKS = re.compile(r"[ \t\n\r\v\f]+")
_LINE_START = re.compile(r"(?:[#>+=:-]|\d+(?=[.)]))")
_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,3}[.)])[ \t]+(\S.*)")
_SPAN = re.compile(r"\*\*([^\s*`|<](?:[^*`|<]*[^\s*`|<\\])?)\*\*(?!\*)|`([^`|<\\]+)`(?!`)")
"""Bold and code without anything in them that could be more than text."""
_ROOM_FOR_TABLE = str.maketrans({"|": "&#124;"})


def harmless(text: str) -> str:
    """`text` without controls, bidi overrides, lone surrogates and the like; lines end in `\\n`."""
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\r\n", "\n").replace("\r", "\n").translate(_INVISIBLE)


def harmless_value(value: Any) -> Any:
    """A copy of a value (dataclass, mapping, sequence, text) in which every text is `harmless`."""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, Mapping):
        return {harmless_value(key): harmless_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(harmless_value(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: harmless_value(getattr(value, field.name)) for field in fields(value)})
    return value


def flat(text: str) -> str:
    """`text` on one line; no-break and wide spaces are typography and stay."""
    return _BLANKS.sub(" ", text).strip(" ")


def shorten(text: str, limit: int) -> str:
    """`text` on one line, at most `limit` columns wide; what is cut is marked with `…`. CJK counts double."""
    line, width = flat(text), 0
    for position, char in enumerate(line):
        width += columns(char)
        if width > limit:
            while position and columns(line[:position]) >= limit:
                position -= 1
            return line[:position].rstrip() + "…"
    return line


def sentence_start(text: str) -> str:
    """`text` with a capital first letter."""
    return text[:1].upper() + text[1:]


def columns(text: str) -> int:
    """How many columns of a fixed-width font `text` takes."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def line(text: str) -> str:
    """`text` as one line of Markdown that shows every character as typed."""
    return _escape_line(flat(text))


def cell(text: str) -> str:
    """`text` as one cell of a Markdown table. A pipe is an entity: no renderer can split the row there."""
    return _MARKS.sub(lambda mark: "|" if mark[0] == "|" else f"\\{mark[0]}", flat(text)).translate(_ROOM_FOR_TABLE)


def typed(text: str, *, prefix: str = "") -> str:
    """`text` as Markdown that shows every line as typed, each one after `prefix` (`> ` for a quotation).

    Line ends are kept by two spaces, indents by no-break spaces. Nothing in `text` can open a heading, a fence,
    a list, a table, HTML or a link, or end the block it stands in.
    """
    lines = text.strip("\n").split("\n")
    shown = []
    for position, raw in enumerate(lines):
        body = raw.strip()
        indent = raw[: len(raw) - len(raw.lstrip())].expandtabs(4)
        last = position + 1 == len(lines) or not lines[position + 1].strip()
        escaped = "\N{NO-BREAK SPACE}" * len(indent) + _escape_line(body) if body else ""
        shown.append((prefix + escaped).rstrip(" ") + ("  " if body and not last else ""))
    return "\n".join(shown)


def authored(text: str) -> str:
    """`text` as Markdown that keeps its author's lists, bold and code, and nothing else; the rest is as typed.

    Headings, tables, HTML, links, quotations, rules and fences are shown, never made, in a list item too.
    """
    shown: list[str] = []
    was_item = False
    lines = text.strip("\n").split("\n")
    for position, raw in enumerate(lines):
        item = _ITEM.match(raw)
        last = position + 1 == len(lines) or not lines[position + 1].strip() or bool(_ITEM.match(lines[position + 1]))
        if item and shown and shown[-1] and not was_item:
            shown.append("")  # a list that follows a paragraph at once is none for every renderer
        if item:
            indent, mark, body = item.groups()
            deep = "   " if was_item and len(indent.expandtabs(4)) > 1 else ""
            shown.append(f"{deep}{mark if mark[0].isdigit() else '-'} {_spans(body.strip())}")
        else:
            shown.append((_spans(raw.strip()) + ("" if last else "  ")) if raw.strip() else "")
        was_item = bool(item) or (was_item and not raw.strip())
    return "\n".join(shown)


def spans(text: str) -> str:
    """`text` as one line of Markdown that keeps its author's bold and code; the rest is as typed."""
    return _spans(flat(text))


def _spans(text: str) -> str:
    parts, end = [], 0
    for span in _SPAN.finditer(text):
        parts.append(_inner(text[end : span.start()], first=not end))
        parts.append(f"**{_inner(span[1], first=False)}**" if span[1] else f"`{span[2]}`")
        end = span.end()
    return "".join([*parts, _inner(text[end:], first=not end)])


def _inner(text: str, *, first: bool) -> str:
    return _escape_line(text) if first else _MARKS.sub(lambda mark: f"\\{mark[0]}", text)


def _escape_line(text: str) -> str:
    escaped = _MARKS.sub(lambda mark: f"\\{mark[0]}", text)
    start = _LINE_START.match(escaped)
    if not start:
        return escaped
    mark, rest = start[0], escaped[start.end() :]
    return f"{mark}\\{rest}" if mark[0].isdigit() else f"\\{mark}{rest}"
