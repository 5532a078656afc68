"""Labels in the middle of a line: `… the workers.REASONING: …`. Only where a section is missing otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from debateroom.language import SECTIONS
from debateroom.messages import Kind
from debateroom.reading.labels import Label, case_of
from debateroom.reading.lines import Line
from debateroom.reading.vocabulary import SYNONYM, Name, asked, name_at, order

_COLON = re.compile("[:：】]")
_WORD_START = re.compile(
    r"(?<![^\W\d_])[^\W\d_]|(?<=[a-zà-ÿ])[A-Z](?=[A-Z])|(?<=gent [A-Z])[A-Z](?=[A-Z]{4})|(?:(?<=[.。！？;；])|"
    r"(?<=gent [A-Z]))[\u4e00-\u9fff]"
)
_BEHIND_NAME = re.compile(r"[*_`\]]{0,3}[ \u00a0\u202f]?(?:[(（][^()（）\n]{0,20}[)）])?[*_`\]]{0,3}[ \u00a0\u202f]?")
_BEHIND_COLON = re.compile(r"[:：]?[*_`]{0,3}[ \t]*")
_SEAT_BEFORE = re.compile(r"(?<![A-Za-z])(?:[Aa]gent|AGENT) [A-Z]{1,2}[ ,]{0,2}$")
"""`ENDORSES: Agent B CONFIDENCE: 8`: a seat's name has no full stop behind it."""
_DRESS = "*_`【["
_SENTENCE_ENDS = ".!?。！？;；…|)）”>"
_LOOK_BACK = 40
_COLONS = 2_000
"""Colons that are looked at: a reply has some tens, a hostile one a million."""
_SHORT = 24
"""Characters of a confidence with its scale; what is longer is a sentence that quotes one."""

Strength = Literal["strong", "faint"]


class _Place(NamedTuple):
    """A name with a colon in the middle of a line."""

    name: Name
    start: int
    value: int
    strength: Strength
    case: str
    dressed: bool
    after_colon: bool
    after_seat: bool


@dataclass(slots=True)
class _Search:
    """What is known while going through the lines from first to last."""

    text: str
    kind: Kind
    labels: Sequence[Label]
    missing: set[str]
    passed: int = 0
    """How many of `labels` lie behind."""
    last: int = -1
    """Place in the format of the section that is open here; -1 before the first."""
    colons: int = _COLONS


def glued_labels(text: str, own: Sequence[Line], labels: Sequence[Label], kind: Kind) -> list[Label]:
    """Labels inside the lines `own` for sections that `labels` do not open, in the order of the format.

    Upper-case and bold ones count; others only when the whole reply is written that way. A confidence must be
    all that follows on its line, so that *the file says CONFIDENCE: 10, which is wrong* is none.
    """
    present = {label.key for label in labels}
    search = _Search(text, kind, labels, set(SECTIONS[kind]) - present)
    found: list[tuple[Label, Strength]] = []
    for line in own:
        if search.colons <= 0 or not search.missing:
            break
        if not line.open_fence:
            _in_line(search, line, found)
    whole = len(labels) <= 1 and len(present) + len(found) >= 3
    return [label for label, strength in found if strength == "strong" or whole]


def _in_line(search: _Search, line: Line, found: list[tuple[Label, Strength]]) -> None:
    text, start = search.text, line.start
    while search.passed < len(search.labels) and search.labels[search.passed].start < line.end:
        label = search.labels[search.passed]
        search.passed += 1
        search.last = order(search.kind, label.key)
        if label.start >= line.start:
            start = label.value
    quotes, counted = 0, start
    for colon in _COLON.finditer(text, start, line.end):
        search.colons -= 1
        if search.colons <= 0:
            return
        place = _place(text, start, colon)
        if not place:
            continue
        quotes, counted = quotes + text.count('"', counted, place.start), place.start
        if quotes % 2 or not _belongs(search, place, line):
            continue
        search.last = order(search.kind, place.name.key)
        search.missing.discard(place.name.key)
        label = Label(place.name, place.start, place.value, place.case, "", place.dressed, ":", glued=True)
        found.append((label, place.strength))
        start = place.value


def _place(text: str, start: int, colon: re.Match[str]) -> _Place | None:
    """The name right before `colon`, if a sentence ended before it or it stands out."""
    end = colon.start()
    if text[end - 1 : end] in ("", "\n", ":", "："):
        return None
    window = max(start, end - _LOOK_BACK)
    for word in _WORD_START.finditer(text, window, end):
        prefix = name_at(text, word.start(), end)
        behind = prefix and _BEHIND_NAME.fullmatch(text, prefix.end, end)
        if not prefix or not behind or prefix.name.grade == SYNONYM:
            continue
        dress = word.start()
        while dress > start and text[dress - 1] in _DRESS:
            dress -= 1
        dressed = dress < word.start()
        if colon.group() == "】" and not dressed:
            return None
        strength = _strength(text[word.start() : prefix.end], text[max(start, dress - 12) : dress], dressed)
        after = _BEHIND_COLON.match(text, colon.end())
        value = after.end() if after else colon.end()
        case = case_of(text[word.start() : prefix.end])
        if not strength:
            return None
        if text[max(start, dress - 12) : dress].rstrip().endswith("|"):
            dress = text.rindex("|", start, dress)
        after_colon = text[max(start, dress - 12) : dress].rstrip()[-1:] in (":", "：")
        return _Place(
            prefix.name,
            dress,
            value,
            strength,
            case,
            dressed,
            after_colon,
            bool(_SEAT_BEFORE.search(text[max(start, dress - 12) : dress])),
        )
    return None


def _strength(name: str, before: str, dressed: bool) -> Strength | None:
    """How clearly `name` stands out from the words `before` it on its line; None for a word of the sentence."""
    tail = before[-12:]
    ends = tail.rstrip()[-1:]
    if not ends:
        return None
    sentence_over = ends in _SENTENCE_ENDS
    if _SEAT_BEFORE.search(tail) and (name.isupper() or not name.isascii()):
        return "strong"
    if name.isupper():
        return "strong" if tail[-1:].islower() or sentence_over or dressed or ends in ":：" else None
    if dressed:
        return "strong" if not tail[-1].isalnum() else None
    if name.lower() == name.upper():
        return "strong" if sentence_over else None
    return "faint" if sentence_over and name[0].isupper() else None


def _belongs(search: _Search, place: _Place, line: Line) -> bool:
    """Whether the section is missing, and this is where the format puts it."""
    name = asked(place.name, search.kind)
    at = order(search.kind, name.key)
    if name.key not in search.missing or at <= search.last or name != place.name:
        return False
    if place.after_seat and search.last != order(search.kind, "endorses"):
        return False
    if place.after_colon and (at or search.last >= 0):
        return False
    later = [order(search.kind, label.key) for label in search.labels[search.passed : search.passed + 8]]
    if any(0 <= other < at for other in later):
        return False
    if name.key != "confidence":
        return True
    rest = search.text[place.value : line.end].strip()
    return len(rest) <= _SHORT and not re.search(r"[.。!]\s*[^\s\d]", rest) and search.last in (at - 1, at - 2)
