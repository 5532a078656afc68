"""Which line starts of a reply are labels at all: not those in quotation marks, nor everyday words in a list."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from debateroom.messages import Kind
from debateroom.reading.labels import Label
from debateroom.reading.lines import Line
from debateroom.reading.vocabulary import SYNONYM, VARIANT, asked, order

_DEEP = 4
"""Columns a label may stand further right than the first one; deeper is a list in a section."""
_LOOK_AROUND = 1_500
"""Characters before and after a label that are searched for the quotation marks around it."""
_SHORT = 24
"""Characters; a value this short is a value, not a point in a list."""
_MARKS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("‹", "›"))
_OPENER = re.compile(r"(?:^|[\s(（\[:：])\"(?=\S)")
_CLOSER = re.compile(r"(?<=\S)\"(?=$|[\s.,;:!?)）\]。，])")

Style = tuple[str, str, bool]


class Candidate(NamedTuple):
    """A label, its line, and the line with text before it."""

    label: Label
    line: Line
    before: Line | None


def candidates(text: str, found: Sequence[Line], kind: Kind) -> list[Candidate]:
    """The labels among the lines of `text`, in order."""
    return _alike(_outside_quotes(text, found, kind), text, kind)


def _outside_quotes(text: str, found: Sequence[Line], kind: Kind) -> list[Candidate]:
    """Without labels that stand too deep or inside quotation marks."""
    kept: list[Candidate] = []
    base: int | None = None
    before: Line | None = None
    section_start = 0
    for line in found:
        label = line.label
        if label and (base is None or label.indent < base + _DEEP) and not _quoted(text, section_start, line):
            base = label.indent if base is None else base
            section_start = label.value
            name = asked(label.name, kind)
            kept.append(Candidate(label if name is label.name else replace(label, name=name), line, before))
        before = line
    return kept


def _quoted(text: str, section_start: int, line: Line) -> bool:
    """Whether a quotation that opens earlier in the section closes only after the label."""
    before = text[max(section_start, line.start - _LOOK_AROUND) : line.start]
    after = text[line.start : line.start + _LOOK_AROUND]
    for opening, closing in _MARKS:
        if before.rfind(opening) > before.rfind(closing) and closing in after:
            return True
    if '"' not in before or '"' not in after:
        return False
    opened = [match.end() for match in _OPENER.finditer(before)]
    closed = [match.end() for match in _CLOSER.finditer(before)]
    first = after.index('"')
    closes = bool(_CLOSER.match(after, first)) and not _OPENER.match(after, max(0, first - 1))
    return bool(opened) and opened[-1] > (closed[-1] if closed else -1) and closes


def _alike(found: list[Candidate], text: str, kind: Kind) -> list[Candidate]:
    """Without everyday words: a doubtful name counts only when it is dressed like the labels that are certain."""
    certain = [each.label for each in found if _certain(each.label, kind)]
    if not certain:
        return _doubtful_only(found)
    styles = Counter(label.style for label in certain)
    main = styles.most_common(1)[0][0]
    cased = sum(count for (case, _, _), count in styles.items() if case in ("upper", "title"))
    written_large = {label.key for label in certain if label.case != "lower" or label.strong or cased < 2}
    written_like_most = {label.key for label in certain if label.style == main}
    usual = _Usual(found, main, kind)
    kept = []
    for each in found:
        label = each.label
        if not _certain(label, kind):
            fits = label.key not in written_large and _fits(label, styles, kind)
        elif label.case == "lower" and not label.strong and cased >= 2 and label.key in written_large:
            fits = False
        elif label.style[:2] != main[:2] and (label.key in written_like_most or not usual.has_room_for(label)):
            fits = False
        else:
            fits = not _point_in_a_list(each, main, text)
        if fits:
            kept.append(each)
    return kept


class _Usual:
    """The labels in the usual dress: where they stand, and which place in the format each has."""

    def __init__(self, found: Sequence[Candidate], main: Style, kind: Kind) -> None:
        self.kind = kind
        labels = [each.label for each in found if each.label.style[:2] == main[:2]]
        labels = [label for label in labels if order(kind, label.key) >= 0]
        self.starts = [label.start for label in labels]
        self.places = [order(kind, label.key) for label in labels]

    def has_room_for(self, label: Label) -> bool:
        """Whether an oddly dressed label stands where the format wants it, between its neighbours."""
        at = bisect_left(self.starts, label.start)
        place = order(self.kind, label.key)
        return (at == 0 or self.places[at - 1] < place) and (at == len(self.places) or place < self.places[at])


def _certain(label: Label, kind: Kind) -> bool:
    named = label.name.grade >= VARIANT and not label.name.misspelt
    return named and bool(label.separator) and order(kind, label.key) >= 0


def _point_in_a_list(each: Candidate, main: Style, text: str) -> bool:
    """`- Confidence: 9 for the queue, 3 for the loop` under labels without bullets is a point in a list."""
    label = each.label
    if label.dress != "-" or main[1] == "-" or label.case == "upper":
        return False
    return len(text[label.value : each.line.end].strip()) > _SHORT


def _fits(label: Label, styles: Counter[Style], kind: Kind) -> bool:
    """Whether a doubtful name is dressed like the certain ones."""
    if label.name.misspelt:
        all_lower = all(case == "lower" for case, _, _ in styles)
        return any(dress == label.dress for _, dress, _ in styles) and (label.case != "lower" or all_lower)
    if label.style not in styles:
        return False
    if order(kind, label.key) >= 0:
        return True
    # a label of the other round's format ends a section only when nothing else can be meant
    return label.name.grade > SYNONYM and (label.case == "upper" or label.strong or label.dress == "#")


def _doubtful_only(found: list[Candidate]) -> list[Candidate]:
    """Doubtful names alone count when at least two different ones are dressed alike."""
    keys: dict[Style, set[str]] = {}
    for each in found:
        keys.setdefault(each.label.style, set()).add(each.label.key)
    return [each for each in found if len(keys[each.label.style]) >= 2]
