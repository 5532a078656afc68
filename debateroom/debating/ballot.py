"""The vote over single answers: which recommend the same, and which option most are for. Counted here, by no model.

The moderator may say which answers decide the same (see `Ballot`); without its word they are grouped by the option
that each declares. Items are numbered from 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from debateroom.language import say
from debateroom.reading.lexicon import MARKS, fold, singular, tokens

_ARTICLES = frozenset({"a", "an", "the", "un", "une", "le", "la", "les", "l", "des", "du"})


class BallotGroup(BaseModel):
    """Items that decide the same."""

    model_config = ConfigDict(frozen=True, strict=True)
    option: str
    items: list[int]


class Ballot(BaseModel):
    """What the moderator is asked for: each item in one group. It counts nothing."""

    model_config = ConfigDict(frozen=True, strict=True)
    groups: list[BallotGroup]


class Group(NamedTuple):
    """An option, and the items that are for it."""

    option: str
    items: tuple[int, ...]


def problem(ballot: Ballot, count: int, language: str) -> str:
    """Why the groups cannot be used, in words: an item is missing, twice there, or none; empty when they can."""
    named = [item for group in ballot.groups for item in group.items]
    if sorted(named) == list(range(1, count + 1)):
        return ""
    return say(language, "ballot_items", last=count)


def moderated(ballot: Ballot) -> tuple[Group, ...]:
    """The groups of a ballot without a problem; empty ones are left out."""
    return tuple(
        Group(" ".join(group.option.split()), tuple(sorted(group.items))) for group in ballot.groups if group.items
    )


def declared(options: Mapping[int, str], language: str) -> tuple[Group, ...]:
    """The items with one declared option: the same words in the same order, but for case, articles and plurals.

    Nothing else is left out: "no queue" is not "a queue".
    """
    groups: dict[str, list[int]] = {}
    for item, option in sorted(options.items()):
        words = [singular(fold(token)) for token in tokens(option) if token not in MARKS]
        kept = [word for word in words if word not in _ARTICLES] or words
        groups.setdefault(("" if language == "zh" else " ").join(kept), []).append(item)
    return tuple(Group(" ".join(options[items[0]].split()), tuple(items)) for items in groups.values())


def ranked(groups: Sequence[Group], voters: Sequence[int]) -> tuple[Group, ...]:
    """The groups with the items that vote, most votes first, then in the order of the first vote."""
    counted = [Group(group.option, tuple(item for item in group.items if item in voters)) for group in groups]
    return tuple(
        sorted((group for group in counted if group.items), key=lambda group: (-len(group.items), group.items))
    )


def winner(groups: Sequence[Group]) -> Group | None:
    """The first of the `ranked` groups; None when there is none, or a tie at the top."""
    if not groups or (len(groups) > 1 and len(groups[0].items) == len(groups[1].items)):
        return None
    return groups[0]


def together(groups: Sequence[Group], item: int, others: Sequence[int]) -> bool:
    """Whether `item` stands in one group with any of the `others`."""
    return any(item in group.items and set(others) & set(group.items) for group in groups)


def spoken(answers: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The answer that speaks for all of a group: the surest one, the first of several."""
    return max(answers, key=lambda answer: answer.get("confidence") or 0.0)
