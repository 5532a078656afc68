"""Which line starts of a reply are labels at all: not those in quotation marks, nor everyday words in a list."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from debateroom.messages import Kind
from debateroom.reading.labels import Label
from debateroom.reading.lines import Line
from debateroom.reading.quotation import in_quotation
from debateroom.reading.vocabulary import SYNONYM, VARIANT, asked, order

_DEEP = 4
"""Columns a label may stand further right than the first one; deeper is a list in a section."""
_SHORT = 24
"""Characters; a value this short is a value, not a point in a list."""

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
        if (
            label
            and (base is None or label.indent < base + _DEEP)
            and not in_quotation(text, line.start, since=section_start)
        ):
            base = label.indent if base is None else base
            section_start = label.value
            name = asked(label.name, kind)
            kept.append(Candidate(label if name is label.name else replace(label, name=name), line, before))
        before = line
    return kept


def _alike(found: list[Candidate], text: str, kind: Kind) -> list[Candidate]:
    """Without everyday words: a doubtful name counts only when it is dressed like the labels that are certain."""
    certain = [each.label for each in found if _certain(each.label, kind)]
    if not certain:
        return _doubtful_only(found)
    usual = _Usual(certain, kind)
    return [
        each
        for each in found
        if (usual.admits(each, text) if _certain(each.label, kind) else usual.admits_doubtful(each.label))
    ]


class _Usual:
    """How most of a reply's labels are dressed, where those stand, and what may be a label beside them."""

    def __init__(self, certain: list[Label], kind: Kind) -> None:
        self.kind = kind
        self.styles = Counter(label.style for label in certain)
        self.main = self.styles.most_common(1)[0][0]
        self.cased = sum(count for (case, _, _), count in self.styles.items() if case in ("upper", "title"))
        self.written_large = {label.key for label in certain if not self._is_small(label)}
        self.written_like_most = {label.key for label in certain if label.style == self.main}
        like_most = [label for label in certain if label.style[:2] == self.main[:2]]
        self.starts = [label.start for label in like_most]
        self.places = [order(kind, label.key) for label in like_most]

    def _is_small(self, label: Label) -> bool:
        """Whether it is in lower case where others are not: `position: absolute;`."""
        return label.case == "lower" and not label.strong and self.cased >= 2

    def admits(self, each: Candidate, text: str) -> bool:
        """Whether a certain name is a label here, and not a word of a list or of code."""
        label = each.label
        if self._is_small(label) and label.key in self.written_large:
            return False
        odd = label.style[:2] != self.main[:2]
        if odd and (label.key in self.written_like_most or not self._has_room_for(label)):
            return False
        return not _point_in_a_list(each, self.main, text)

    def admits_doubtful(self, label: Label) -> bool:
        """Whether a doubtful name is dressed like the certain ones, and its section is missing otherwise."""
        if label.key in self.written_large:
            return False
        if label.name.misspelt:
            small = all(case == "lower" for case, _, _ in self.styles)
            return any(dress == label.dress for _, dress, _ in self.styles) and (label.case != "lower" or small)
        if label.style not in self.styles:
            return False
        if order(self.kind, label.key) >= 0:
            return True
        # a label of the other round's format ends a section only when nothing else can be meant
        return label.name.grade > SYNONYM and (label.case == "upper" or label.strong or label.dress == "#")

    def _has_room_for(self, label: Label) -> bool:
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


def _doubtful_only(found: list[Candidate]) -> list[Candidate]:
    """Doubtful names alone count when at least two different ones are dressed alike."""
    keys: dict[Style, set[str]] = {}
    for each in found:
        keys.setdefault(each.label.style, set()).add(each.label.key)
    return [each for each in found if len(keys[each.label.style]) >= 2]
