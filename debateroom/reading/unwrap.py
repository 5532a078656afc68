"""A reply taken out of what it is wrapped in as a whole: a code fence, a block quote, tags, a JSON string."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from debateroom.reading.labels import label_at
from debateroom.reading.lines import FENCE
from debateroom.reading.seats import heading, named
from debateroom.reading.vocabulary import SYNONYM, name_of

_TAG = re.compile(r"[ \t]*<(?P<end>/?)(?P<name>[^\W\d_][\w -]{1,30})>[ \t]*")
_LINE_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_BLOCK_END = re.compile(r"</(?:p|li|div|h[1-6]|dd)>|<br ?/?>", re.IGNORECASE)
_BLOCK_TAG = re.compile(r"</?(?:p|li|ul|ol|dl|dt|dd|div|h[1-6]|br)(?:\s[^<>]{0,100})? ?/?>", re.IGNORECASE)
_ELEMENT = re.compile(r"<(?P<name>[A-Za-z][\w-]{0,40})>")
_LONGEST_AROUND = 400
"""Characters of small talk before and after a fenced reply; more is a reply that quotes a fence."""


class Unwrapped(NamedTuple):
    """The text inside, and one word of REPAIRS for each wrapping."""

    text: str
    repairs: tuple[str, ...]


def unwrap(text: str) -> Unwrapped:
    """`text` without wrappings that hold all of it."""
    repairs = []
    for word, step in (
        ("escapes", _json_string),
        ("quote", block_quote),
        ("fence", _fence),
        ("markup", _page),
        ("markup", _element),
        ("markup", _tags),
    ):
        inside = step(text)
        if inside is not None:
            repairs.append(word)
            text = inside
    return Unwrapped(text, tuple(repairs))


def _json_string(text: str) -> str | None:
    stripped = text.strip()
    if not (stripped.startswith('"') and stripped.endswith('"') and "\\n" in stripped):
        return None
    try:
        inside = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return inside if isinstance(inside, str) else None


def block_quote(text: str) -> str | None:
    """The text of a reply each line of which is quoted; None for another one."""
    lines = text.strip().split("\n")
    if not lines[0].startswith(">") or any(line.strip() and not line.lstrip().startswith(">") for line in lines):
        return None
    return "\n".join(re.sub(r"^[ \t]*> ?", "", line) for line in lines)


def _fence(text: str) -> str | None:
    """What stands in the one fence that holds the labels, with at most small talk around it."""
    lines = text.split("\n")
    opening = next((at for at, line in enumerate(lines) if FENCE.match(line)), None)
    if opening is None:
        return None
    mark = FENCE.match(lines[opening])
    fence = mark["mark"] if mark else "```"
    closing = len(lines)
    for at in range(len(lines) - 1, opening, -1):
        if lines[at].strip() and set(lines[at].strip()) == {fence[0]} and len(lines[at].strip()) >= len(fence):
            closing = at
            break
    before, after = lines[:opening], lines[closing + 1 :]
    around = "\n".join(before).strip(), "\n".join(after).strip()
    if sum(map(len, around)) > _LONGEST_AROUND or named(" ".join(around)) or _labels(before) or _labels(after):
        return None
    introduced = heading(around[0].rpartition("\n")[2], None)
    if introduced.saying or introduced.announces == "other":
        return None
    inner = lines[opening + 1 : closing]
    first = next((line.lstrip() for line in inner if line.strip()), "")
    holds_reply = first.startswith("{") or _labels(inner) >= 2
    return "\n".join(inner) if holds_reply else None


def _labels(lines: list[str]) -> int:
    """How many different labels the first few hundred lines start with."""
    found = (label_at(line, 0, len(line), fuzzy=False) for line in lines[:500] if line.strip())
    return len({label.key for label in found if label and label.name.grade > SYNONYM})


def _element(text: str) -> str | None:
    """What stands in `<response>…</response>`, when that is all."""
    stripped = text.strip()
    opening = _ELEMENT.match(stripped)
    closing = f"</{opening['name']}>" if opening else ""
    if not opening or not stripped.endswith(closing) or name_of(opening["name"]):
        return None
    return stripped[opening.end() : -len(closing)]


def _page(text: str) -> str | None:
    """HTML paragraphs and list items as lines, when the reply is written in them or in `<br>`."""
    written = text.lstrip().startswith("<") or len(_LINE_BREAK.findall(text)) > 1
    if not written or len(_BLOCK_END.findall(text)) < 2:
        return None
    return _BLOCK_TAG.sub("\n", text)


def _tags(text: str) -> str | None:
    """`<position>…</position>` written as `position: …`, when at least two sections are written so."""
    if "</" not in text:
        return None
    opened: set[str] = set()
    closed: set[str] = set()
    for tag in _TAG.finditer(text):
        name = name_of(tag["name"])
        if name and name.grade > SYNONYM:
            (closed if tag["end"] else opened).add(name.key)
    if len(opened & closed) < 2:
        return None
    return _TAG.sub(_tag_as_label, text)


def _tag_as_label(tag: re.Match[str]) -> str:
    name = name_of(tag["name"])
    if not name or name.grade == SYNONYM:
        return tag.group()
    return "\n" if tag["end"] else f"\n{tag['name'].replace('_', ' ').upper()}: "
