"""The sections of a reply: what stands under each label of the speaker's own block."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from debateroom.language import LABELS
from debateroom.messages import Kind
from debateroom.reading.blocks import Block, own_block, sort_blocks
from debateroom.reading.candidates import candidates
from debateroom.reading.chatter import end_of_answer
from debateroom.reading.glued import glued_labels
from debateroom.reading.labels import Label
from debateroom.reading.lines import Line, lines
from debateroom.reading.vocabulary import EXACT, Name, fold, order

_RULE_MARKS = tuple("-*_=─━")
_MARKS_BEFORE = re.compile(r"(?:[ \t]*[-*_=─━]{3,}[ \t]*(?:\n|\Z)|[ \t]*[|>][-+]?[ \t]*(?=\n)|[ \t]*\n)++")
_RULE_AFTER = re.compile(r"(?:^|\n)[ \t]*(?:[-*_=─━][ \t]?){3,}\Z")
_LONGEST_RULE = 200
_BRACKETS = re.compile(r"\[[^\[\]\n]{3,200}\]")
_PLACEHOLDER = re.compile(
    r"[\[<{(（【](?=[^\n]{0,200}(?:\byour?\b|\bvotre\b|\bvous\b|你|您|\bhere\b|1\s?[-–]\s?10|\bone sentence\b|"
    r"\.\.\.|…))"
    r"[^\[\]<>{}\n]{1,200}[\]>})）】]\.?",
    re.IGNORECASE,
)


class Section(NamedTuple):
    """The text under one label."""

    key: str
    text: str
    note: str = ""
    """What stands in brackets behind the label."""


@dataclass(slots=True)
class Parts:
    """What a reply falls into."""

    sections: list[Section] = field(default_factory=list)
    """The speaker's own, in the order written; a key may come twice."""
    own: str = ""
    """Everything in the speaker's own words: quotes, code and other seats' blocks left out."""
    repairs: set[str] = field(default_factory=set)
    names: tuple[Name, ...] = ()
    """The labels', in order; none where there was a JSON object."""


def split(text: str, kind: Kind, *, speaker: str | None) -> Parts:
    """The parts of `text`, which is clean and unwrapped. Each section's text is a piece of `text`."""
    found = lines(text, speaker)
    blocks = sort_blocks(text, candidates(text, found, kind), kind, speaker)
    own = own_block(blocks, speaker)
    mine = _own_lines(found, blocks, own)
    parts = Parts(own="\n".join(text[line.start : line.end] for line in mine))
    labels = list(own.labels) if own else []
    extra = glued_labels(text, mine, labels, kind) if own or not blocks else []
    labels = sorted([*labels, *extra], key=lambda label: label.start)
    if any(block.owner == "other" and block is not own for block in blocks):
        parts.repairs.add("others")
    if not labels:
        return parts
    if text[: labels[0].start].strip() and (own is None or own is blocks[0]):
        parts.repairs.add("preamble")
    stops = {label.start for block in blocks for label in block.labels} | {label.start for label in extra}
    stops |= {block.boundary for block in blocks if block.boundary is not None}
    parts.sections = _sections(text, labels, [*sorted(stops), len(text)], speaker, parts.repairs)
    parts.names = tuple(label.name for label in labels)
    parts.repairs |= _damage(labels, kind)
    return parts


def without_half_label(text: str) -> str:
    """`text`, which was cut off, without a last line that is the beginning of a label: `**REASO`."""
    kept, _, last = text.rstrip().rpartition("\n")
    begun = last.strip(" \t*_#`-.0123456789")
    if not kept or not 2 <= len(begun) <= 20 or not begun.isupper():
        return text
    labels = (fold(label) for listed in LABELS.values() for label in listed.values())
    return kept if any(label.startswith(fold(begun)) for label in labels) else text


def _own_lines(found: Sequence[Line], blocks: Sequence[Block], own: Block | None) -> list[Line]:
    """The lines that the speaker wrote: none that is quoted, in a fence, or in another's block."""
    starts = [block.boundary if block.boundary is not None else block.labels[0].start for block in blocks]
    theirs = [block.owner == "other" and block is not own for block in blocks]
    kept = []
    for line in found:
        at = bisect_right(starts, line.start) - 1
        if not line.hidden and not (at >= 0 and theirs[at]):
            kept.append(line)
    return kept


def _sections(
    text: str, labels: Sequence[Label], stops: Sequence[int], speaker: str | None, repairs: set[str]
) -> list[Section]:
    """The text under each label, up to the next one of anybody."""
    sections: list[Section] = []
    covered = -1
    for at, label in enumerate(labels):
        if label.start < covered:
            continue
        stop = stops[bisect_right(stops, label.start)]
        last = at
        while _goes_on(text, labels, last, stops, stop):
            last += 1
            stop = covered = stops[bisect_right(stops, labels[last].start)]
        value = text[label.value : stop]
        if last == len(labels) - 1:
            end = end_of_answer(value, speaker)
            if value[end:].strip(" \n*_-="):
                repairs.add("trailing")
            value = value[:end]
        value = trimmed(value, table=label.dress == "|")
        if value and _PLACEHOLDER.fullmatch(value):
            repairs.add("placeholder")
            value = ""
        sections.append(Section(label.key, value, label.note))
    if "placeholder" in repairs:  # then whatever else stands in brackets was not filled in either
        sections = [each._replace(text="") if _BRACKETS.fullmatch(each.text) else each for each in sections]
    return sections


def _goes_on(text: str, labels: Sequence[Label], at: int, stops: Sequence[int], stop: int) -> bool:
    """Whether the label after `labels[at]` is the same once more, right behind its text, with more to say.

    Then both texts are one section, the second label included: it stays a piece of what was written.
    """
    if at + 1 == len(labels):
        return False
    label, following = labels[at], labels[at + 1]
    if following.start != stop or following.key != label.key or label.key in ("confidence", "endorses"):
        return False
    if "|" in (label.dress, following.dress):
        return False
    here = trimmed(text[label.value : stop])
    more = trimmed(text[following.value : stops[bisect_right(stops, following.start)]])
    unfilled = _PLACEHOLDER.fullmatch(here) or _PLACEHOLDER.fullmatch(more)
    return bool(here and more and fold(here) != fold(more) and not unfilled)


def trimmed(value: str, *, table: bool = False) -> str:
    """`value` without the rules, half-open bold and table marks around it; always a piece of it."""
    if table:
        value = value.partition("\n")[0].rstrip().removesuffix("|")
    before = _MARKS_BEFORE.match(value)
    value = (value[before.end() :] if before else value).strip()
    while value[-1:] in _RULE_MARKS and (rule := _RULE_AFTER.search(value, max(0, len(value) - _LONGEST_RULE))):
        value = value[: rule.start()].rstrip()
    for mark in ("**", "__", "`"):
        if value.endswith(mark) and value.count(mark) % 2:
            value = value.removesuffix(mark).rstrip()
    return value


def _damage(labels: Sequence[Label], kind: Kind) -> set[str]:
    """One word of REPAIRS for each way in which the labels are not as asked."""
    found: set[str] = set()
    for label in labels:
        name = label.name
        found |= {"markup"} if label.dress or label.strong else set()
        found |= {"case"} if label.case in ("title", "lower") else set()
        found |= {"spelling"} if name.misspelt else set()
        found |= {"synonym"} if name.grade < EXACT else set()
        found |= {"separator"} if label.separator != ":" else set()
        found |= {"glued"} if label.glued else set()
    places = [order(kind, label.key) for label in labels]
    if places != sorted(places):
        found.add("order")
    if len({label.key for label in labels}) < len(labels):
        found.add("repeated")
    return found


def is_foreign(name: Name, language: str | None) -> bool:
    """Whether the label is another language's, and written differently in `language`."""
    if language not in LABELS or name.language not in LABELS:
        return False
    return fold(LABELS[name.language][name.key]) != fold(LABELS[language or ""][name.key])
