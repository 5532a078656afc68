"""Whose words are whose: a reply's labels sorted into the speaker's own block and blocks of others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from debateroom.messages import Kind
from debateroom.reading.candidates import Candidate
from debateroom.reading.labels import Label
from debateroom.reading.lines import Line
from debateroom.reading.seats import Heading, heading, named
from debateroom.reading.vocabulary import order

Owner = Literal["plain", "own", "other"]
_FIRST_PERSON = re.compile(r"\b(?:I|my|mine|me|je|j'|mon|ma|mes|moi)\b|我", re.IGNORECASE)


@dataclass(slots=True)
class Block:
    """Labels that follow one another under one speaker."""

    owner: Owner
    seat: str | None = None
    labels: list[Label] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    boundary: int | None = None
    """Where the line that announces the block begins; None when nothing does."""

    def add(self, label: Label) -> None:
        self.labels.append(label)
        self.keys.add(label.key)


def sort_blocks(text: str, found: Sequence[Candidate], kind: Kind, speaker: str | None) -> list[Block]:
    """The blocks of `text` in order; labels in a quotation that a line introduces are in none."""
    sorter = _Sorter(text, kind, speaker)
    for each in found:
        sorter.add(each)
    return [block for block in sorter.blocks if block.labels]


def own_block(blocks: Sequence[Block], speaker: str | None) -> Block | None:
    """The block that is the speaker's: the last one announced as such, else the first unannounced one.

    With the speaker unknown, a single announced seat is taken for it; of several none is.
    """
    announced = [block for block in blocks if block.owner == "own"]
    if announced:
        return announced[-1]
    for block in blocks:
        if block.owner == "plain":
            return block
    seats = {block.seat for block in blocks}
    return blocks[0] if speaker is None and len(seats) == 1 and None not in seats else None


class _Sorter:
    """Puts one label after the other into the block it belongs to."""

    def __init__(self, text: str, kind: Kind, speaker: str | None) -> None:
        self.text, self.kind, self.speaker = text, kind, speaker
        self.blocks = [Block("plain")]
        self.quoted: set[str] | None = None
        """Keys met since a line like *the README says:*; None outside a quotation."""

    @property
    def current(self) -> Block:
        return self.blocks[-1]

    @property
    def mine(self) -> bool:
        """Whether the speaker has begun and nobody else has since."""
        return self.current.owner != "other" and bool(self.current.labels)

    def add(self, each: Candidate) -> None:
        label, line = each.label, each.line
        if line.open_fence and label.key in ("confidence", "endorses"):
            return
        if label.key in ("confidence", "endorses") and set(named(label.note)) - {self.speaker}:
            return
        says = self._announced(each.before)
        if self._is_quoted(each, says):
            return
        if line.seat:
            if not self._by_seat_on_its_line(each, line.seat):
                return
        elif each.before and not each.before.label:
            self._by_heading(says, label.key, each.before)
        if self.current.owner == "other" and label.key in self.current.keys and not self._has_own():
            self.blocks.append(Block("plain"))
        self.current.add(label)

    def _announced(self, before: Line | None) -> Heading:
        if before is None or before.hidden:
            return Heading("nobody")
        start = before.label.value if before.label else before.start
        return heading(self.text[start : before.end], self.speaker)

    def _has_own(self) -> bool:
        return any(block.labels and block.owner != "other" for block in self.blocks)

    def _is_quoted(self, each: Candidate, says: Heading) -> bool:
        """Whether the label stands in a quotation that a line of the speaker introduced."""
        key = each.label.key
        if says.saying and self.mine and not self._starts_block(each, says):
            self.quoted = {key}
            return True
        if self.quoted is None:
            return False
        last = order(self.kind, self.current.labels[-1].key) if self.current.labels else -1
        follows = order(self.kind, key) == last + 1
        loose = each.line.blank_before and key not in ("confidence", "endorses")
        if follows or loose or key in self.quoted or says.announces == "own":
            self.quoted = None
            return False
        self.quoted.add(key)
        return True

    def _starts_block(self, each: Candidate, says: Heading) -> bool:
        """Whether a whole reply of another begins here, not a line or two of it."""
        if each.before and each.before.label:
            return False
        first = order(self.kind, each.label.key) == 0
        return says.announces == "other" and (first or each.label.key in self.current.keys)

    def _by_seat_on_its_line(self, each: Candidate, seat: str) -> bool:
        """Whether the label of `Agent B: POSITION: …` counts at all; opens that seat's block."""
        key = each.label.key
        if seat == self.speaker:
            if self.current.owner == "other":
                self.blocks.append(Block("own", seat))
            return True
        if self.current.owner == "other" and self.current.seat == seat:
            return True
        if self.mine and order(self.kind, key) != 0 and key not in self.current.keys:
            return False
        self.blocks.append(Block("other", seat, boundary=each.line.start))
        return True

    def _by_heading(self, says: Heading, key: str, before: Line) -> None:
        """Opens a new block when the line before says so."""
        seen, theirs = key in self.current.keys, self.current.owner == "other"
        if says.announces == "own":
            if theirs or seen:
                self.blocks.append(Block("own", self.speaker, boundary=before.start))
            elif not self.current.labels:
                self.current.owner = "own"
        elif says.announces == "other":
            if not (self.mine and says.bare and not seen and self._is_value(says, key, before)):
                self.blocks.append(Block("other", says.seat, boundary=before.start))
        elif says.announces == "someone" and seen:
            first_person = bool(_FIRST_PERSON.search(self.text[before.start : before.end]))
            owner: Owner = "own" if theirs and first_person else "other"
            self.blocks.append(Block(owner, boundary=before.start))

    def _is_value(self, says: Heading, key: str, line: Line) -> bool:
        """Whether a line that only names a seat belongs to the label above it: `ENDORSES:`, then `Agent B`."""
        between = self.text[self.current.labels[-1].value : line.start]
        listed = self.text[line.start : line.end].lstrip().startswith(("- ", "* ", "• "))
        first = order(self.kind, key) == 0
        return not between.strip(" \t\n*_`") or (not first and (listed or not says.colon))
