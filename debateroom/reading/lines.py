"""The labels that stand at line starts of a reply, outside code, quotes and elements that hold others' words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from debateroom.reading.labels import Label, label_at
from debateroom.reading.phrases import word_set
from debateroom.reading.seats import named, seat_prefix
from debateroom.reading.vocabulary import name_of

FENCE = re.compile(r"[ \t]{0,12}(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[\w+.#/-]{0,30})[ \t]*$")
_ELEMENT = re.compile(r"\s{0,12}<(?P<name>[A-Za-z][\w:.-]{0,60})(?P<attributes>\s[^<>]{0,200})?>\s*$")
_ELEMENT_END = re.compile(r"^\s{0,12}</(?P<name>[A-Za-z][\w:.-]{0,60})>[ \t]*$", re.MULTILINE)
_BEGINS = re.compile(
    r"\s{0,8}(?:[^\w\s][\W_]{0,8}(?:begin(?:ning)?|start|début|开始)|(?-i:BEGIN|START|DÉBUT))\b[^.!?。\n]{0,60}$",
    re.I,
)
_ENDS = re.compile(
    r"^[^\S\n]{0,8}(?:[^\w\s][^\w\n]{0,8}(?:end|fin|结束)|(?-i:END|FIN))\b[^.!?。\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
_OWN_PART = re.compile(r"reply|answer|response|output|réponse|回答|回复|debate|opening", re.IGNORECASE)
_NEXT_TURN = re.compile(r"[\s*_#]{0,6}(?:Human|Assistant|HUMAN|ASSISTANT)[*_]{0,2}\s?:")
_WRAPPERS = word_set("answer response reply output final result final_answer debate opening div p section")
_MISSPELT_TRIES = 300
"""Lines that are looked at for a misspelt label: a reply has about ten labels, a hostile one a million lines."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line with text in it."""

    start: int
    end: int
    label: Label | None
    seat: str | None = None
    """The seat named before the label on the same line."""
    hidden: bool = False
    """Inside a quote, a fence or an element with others' words: part of a section, never a label."""
    open_fence: bool = False
    """Inside a fence that never closes."""
    blank_before: bool = False


@dataclass(slots=True)
class _State:
    text: str
    speaker: str | None
    first: int
    """Where the first visible character stands."""
    last: int
    """Where the last visible character ends."""
    tries: int = _MISSPELT_TRIES
    closers: dict[str, list[int]] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)
    """Where lines like `[END OF CONTEXT]` stand."""
    hidden_until: int = -1
    """Up to here the text is another's."""
    labels: int = 0


def lines(text: str, speaker: str | None) -> list[Line]:
    """The lines of `text` that are not blank, in order, each with the label it starts with."""
    state = _State(text, speaker, first=len(text) - len(text.lstrip()), last=len(text.rstrip()))
    for match in _ELEMENT_END.finditer(text):
        state.closers.setdefault(match["name"].lower(), []).append(match.start())
    state.ends = [match.start() for match in _ENDS.finditer(text)]
    found: list[Line] = []
    fence, fence_from = "", 0
    blank = False
    for start, end in _spans(text):
        mark = FENCE.match(text, start, end) if text[start:end].lstrip()[:1] in ("`", "~") else None
        if not text[start:end].strip():
            blank = True
            continue
        if fence:
            if mark and _closes(mark, fence):
                fence = ""
            found.append(Line(start, end, None, hidden=True))
        elif mark:
            fence, fence_from = mark["mark"], len(found)
            found.append(Line(start, end, None, hidden=True))
        else:
            found.append(_line(state, start, end, blank))
        blank = False
    if fence:
        found[fence_from + 1 :] = [_reread(state, line) for line in found[fence_from + 1 :]]
    return found


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _closes(mark: re.Match[str], fence: str) -> bool:
    return mark["mark"][0] == fence[0] and len(mark["mark"]) >= len(fence) and not mark["info"]


def _line(state: _State, start: int, end: int, blank: bool) -> Line:
    text = state.text
    first = text[start : min(end, start + 40)].lstrip()[:1]
    if first == ">":
        return Line(start, end, None, hidden=True, blank_before=blank)
    if first == "<" and start > state.hidden_until:
        _enter_element(state, start, end)
    elif start > state.hidden_until and _BEGINS.match(text, start, end):
        _enter_marked(state, start, end)
    elif blank and state.labels and _NEXT_TURN.match(text, start, end):
        state.hidden_until = len(text)  # the model writes on as both sides of a conversation
    if start <= state.hidden_until:
        return Line(start, end, None, hidden=True, blank_before=blank)
    prefix = seat_prefix(text, start, end)
    seat, at = prefix or (None, start)
    label = label_at(text, at, end, fuzzy=state.tries > 0)
    if not label or label.name.misspelt:
        state.tries -= 1 if any(colon in text[start : min(end, start + 30)] for colon in ":：") else 0
    if label and seat:
        label = replace(label, start=start)
    elif not label:
        seat = None
    state.labels += label is not None
    return Line(start, end, label, seat, blank_before=blank)


def _enter_element(state: _State, start: int, end: int) -> None:
    """Skips an element that closes further down, unless it only wraps the reply or is a section itself."""
    match = _ELEMENT.match(state.text, start, end)
    if not match:
        return
    closers = state.closers.get(match["name"].lower(), [])
    at = bisect_right(closers, start)
    if at == len(closers) or name_of(match["name"]):
        return
    others = [seat for seat in named(match["attributes"] or "") if seat != state.speaker]
    whole = start <= state.first and state.text.find(">", closers[-1]) + 1 >= state.last
    if others or not (whole or match["name"].lower() in _WRAPPERS):
        state.hidden_until = closers[at]


def _enter_marked(state: _State, start: int, end: int) -> None:
    """Skips what stands between `[BEGIN …]` and `[END …]`, unless it is the reply itself."""
    at = bisect_right(state.ends, start)
    if at < len(state.ends) and not _OWN_PART.search(state.text, start, end):
        state.hidden_until = state.ends[at]


def _reread(state: _State, line: Line) -> Line:
    """A line after a fence that never closes: its label counts, but less."""
    read = _line(state, line.start, line.end, line.blank_before)
    return Line(
        read.start, read.end, read.label, read.seat, read.hidden, open_fence=True, blank_before=read.blank_before
    )
