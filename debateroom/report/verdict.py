"""The synthesis of a transcript, read from a `final_output` of any shape into one value. Decides nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from debateroom.room.foreign import as_count

Find = Callable[[str], int | None]
"""The index of the seat that a text names; None when it names none."""

UNDECIDED = (
    "few_replies", "unsure", "unknown_confidence", "few_confidences", "no_verdict", "no_agreement", "blocker",
    "no_common_proposal",
)  # fmt: skip
"""Why a debate did not end in agreement, as debateroom writes it."""
OUTCOMES = ("unanimous", "consensus", "split", "deadlock", "extract")
_UNKNOWN_VOTE = ("", "null", "none", "unknown", "?")
_ALIASES: Mapping[str, tuple[str, ...]] = {
    "summary": ("summary", "synthesis", "synthèse", "résumé", "摘要"),
    "outcome": ("outcome",),
    "consensus": ("consensus", "consensus_points", "agreements", "共识"),
    "disagreements": ("disagreements", "key_disagreements", "désaccords", "désaccords_clés", "分歧"),
    "recommended_action": ("recommended_action", "recommendation", "action", "action_recommandée", "建议"),
    "sharpest_disagreement": ("sharpest_disagreement", "désaccord_le_plus_fort"),
    "unresolved_risks": ("unresolved_risks", "risks", "open_risks", "risques_non_résolus", "风险"),
    "mind_changes": ("mind_changes", "changed_minds", "changements_d_avis"),
    "highlights": ("highlights", "debate_highlights", "points_forts"),
    "opening_vote": ("opening_vote",),
    "final_vote": ("final_vote",),
    "effective_agents": ("effective_agents",),
    "excluded": ("excluded",),
    "synthesized_by": ("synthesized_by",),
    "extract_because": ("extract_because",),
    "undecided_because": ("undecided_because",),
    "open_blockers": ("open_blockers",),
    "moderator_problems": ("moderator_problems",),
    "unsupported": ("unsupported",),
    "shared_premise": ("shared_premise",),
}


@dataclass(frozen=True, slots=True)
class Side:
    """Who holds a claim, as the synthesis names them, and the claim."""

    agents: tuple[str, ...]
    claim: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One question that stayed open, and its sides; either may be empty."""

    question: str
    sides: tuple[Side, ...]

    @property
    def names_its_seat(self) -> bool:
        """Whether the question says already who the only side is."""
        return any(name.casefold() in self.question.casefold() for side in self.sides for name in side.agents)


@dataclass(frozen=True, slots=True)
class Risk:
    """A risk that nobody resolved, and who raised it."""

    risk: str
    raised_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MindChange:
    """What a seat held before and after, and because of what; an unknown part is empty, an unknown round None."""

    agent: str
    before: str
    after: str
    because: str
    round: int | None


@dataclass(frozen=True, slots=True)
class Vote:
    """How many would sign whose proposal."""

    counts: Mapping[int, int]
    """Votes per seat's index; seats without votes may be absent."""
    backers: Mapping[int, tuple[int, ...]]
    """Who voted, per seat's index, where the synthesis says it."""
    unknown: int
    """Seats whose vote is not known."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """A reply or a seat that was left out."""

    agent: str
    round: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class ModeratorProblem:
    """A round of which the moderator gave no verdict that could be used, and why."""

    round: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything the synthesis says. What it does not say is empty or None, never made up."""

    summary: str = ""
    outcome: str | None = None
    """One of `OUTCOMES`, or None."""
    consensus: tuple[str, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    recommended_action: str = ""
    sharpest: str = ""
    risks: tuple[Risk, ...] = ()
    changes: tuple[MindChange, ...] = ()
    highlights: tuple[str, ...] = ()
    opening_vote: Vote | None = None
    final_vote: Vote | None = None
    effective_agents: int | None = None
    excluded: tuple[Excluded, ...] = ()
    synthesized_by: str = ""
    extract_because: str | None = None
    """Why the moderator's synthesis could not be used; empty without a moderator, None where not recorded."""
    undecided_because: str | None = None
    """One of `UNDECIDED`, or None."""
    open_blockers: tuple[str, ...] | None = None
    """What still stands against agreement; None where not recorded."""
    moderator_problems: tuple[ModeratorProblem, ...] = ()
    unsupported: int = 0
    shared_premise: str = ""
    extras: tuple[tuple[str, str], ...] = ()
    """Fields with other names, as `(name, text)`: shown as they stand."""


def read(value: Mapping[str, Any] | None, find: Find) -> Verdict:
    """The verdict in `value`, a `final_output` of any shape. `find` says which seat a name means. Never raises."""
    fields, extras = _by_known_name(value or {})
    return Verdict(
        summary=prose(fields.get("summary")),
        outcome=_one_of(OUTCOMES, fields.get("outcome")),
        consensus=items(fields.get("consensus")),
        disagreements=tuple(_disagreement(item) for item in _listed(fields.get("disagreements"))),
        recommended_action=prose(fields.get("recommended_action")),
        sharpest=prose(fields.get("sharpest_disagreement")),
        risks=tuple(_risk(item) for item in _listed(fields.get("unresolved_risks"))),
        changes=tuple(_change(item) for item in _listed(fields.get("mind_changes"))),
        highlights=items(fields.get("highlights")),
        opening_vote=_vote(fields.get("opening_vote"), find),
        final_vote=_vote(fields.get("final_vote"), find),
        effective_agents=as_count(fields.get("effective_agents")),
        excluded=tuple(_excluded(item) for item in _listed(fields.get("excluded"))),
        synthesized_by=prose(fields.get("synthesized_by")),
        extract_because=None if fields.get("extract_because") is None else prose(fields["extract_because"]),
        undecided_because=_one_of(UNDECIDED, fields.get("undecided_because")),
        open_blockers=None if fields.get("open_blockers") is None else items(fields["open_blockers"]),
        moderator_problems=tuple(_problem(item) for item in _listed(fields.get("moderator_problems"))),
        unsupported=as_count(fields.get("unsupported")) or 0,
        shared_premise=prose(fields.get("shared_premise")),
        extras=tuple((key, prose(item)) for key, item in extras.items() if prose(item)),
    )


def prose(value: object) -> str:
    """Any JSON value as text for people: items one a line, fields as `name: text`."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {text}" for key, item in value.items() if (text := prose(item)))
    if isinstance(value, list | tuple):
        return "\n".join(text for item in value if (text := prose(item)))
    return str(value).strip()


def items(value: object) -> tuple[str, ...]:
    """Any JSON value as texts, one an item."""
    return tuple(text for item in _listed(value) if (text := prose(item)))


def _by_known_name(value: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields under our names, the first alias that is there winning, and what remains."""
    rest = {str(key): item for key, item in value.items()}
    plain = {re.sub(r"[\s'’-]+", "_", key.strip().lower()): key for key in reversed(rest)}
    fields = {}
    for name, aliases in _ALIASES.items():
        key = next((plain[alias] for alias in aliases if alias in plain), None)
        if key is not None:
            fields[name] = rest.pop(key, None)
    return fields, rest


def _listed(value: object) -> Sequence[object]:
    """A list as it is; an object's fields as named items; anything else as the only item; nothing as none."""
    if value is None or value == "":
        return ()
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, Mapping) and value and all(isinstance(item, Mapping | list) for item in value.values()):
        return [{"question": key, "sides": item} for key, item in value.items()]
    return (value,)


def _one_of(known: Sequence[str], value: object) -> str | None:
    word = value.strip().lower() if isinstance(value, str) else ""
    return word if word in known else None


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value.strip(),) if value.strip() else ()
    return items(value)


def _disagreement(item: object) -> Disagreement:
    if not isinstance(item, Mapping):
        return Disagreement(prose(item), ())
    question = prose(_first(item, "question", "topic", "issue", "title", "point"))
    sides = _first(item, "sides", "positions")
    if sides is None:
        rest = {key: text for key, text in item.items() if prose(text) != question}
        return Disagreement(question or prose(item), _sides(rest) if question else ())
    return Disagreement(question, _sides(sides))


def _sides(value: object) -> tuple[Side, ...]:
    if isinstance(value, Mapping):
        return tuple(Side((str(key),), text) for key, item in value.items() if (text := prose(item)))
    found = []
    for item in _listed(value):
        if isinstance(item, Mapping) and (claim := _first(item, "claim", "position", "view", "argument")) is not None:
            found.append(Side(_names(_first(item, "agents", "agent", "seats")), prose(claim)))
        elif text := prose(item):
            found.append(Side((), text))
    return tuple(found)


def _risk(item: object) -> Risk:
    if isinstance(item, Mapping) and (risk := _first(item, "risk", "concern", "description")) is not None:
        return Risk(prose(risk), _names(_first(item, "raised_by", "agent", "agents")))
    return Risk(prose(item), ())


def _change(item: object) -> MindChange:
    if not isinstance(item, Mapping):
        return MindChange("", "", prose(item), "", None)
    return MindChange(
        agent=prose(_first(item, "agent", "seat", "name")),
        before=prose(_first(item, "from", "before")),
        after=prose(_first(item, "to", "after", "change")),
        because=prose(_first(item, "because", "reason", "cause")),
        round=as_count(item.get("round")),
    )


def _excluded(item: object) -> Excluded:
    if not isinstance(item, Mapping):
        return Excluded(prose(item), None, "")
    return Excluded(
        prose(_first(item, "agent", "seat", "name")), as_count(item.get("round")), prose(item.get("reason"))
    )


def _problem(item: object) -> ModeratorProblem:
    if not isinstance(item, Mapping):
        return ModeratorProblem(None, prose(item))
    return ModeratorProblem(as_count(item.get("round")), prose(item.get("reason")))


def _vote(value: object, find: Find) -> Vote | None:
    """From `{proposal's seat: how many, or who}`; `""`, null or `unknown` holds those whose vote is not known."""
    if not isinstance(value, Mapping) or not value:
        return None
    counts: dict[int, int] = {}
    backers: dict[int, tuple[int, ...]] = {}
    unknown = 0
    for key, voters in value.items():
        names = _names(voters) if isinstance(voters, list | tuple | str) else ()
        number = len(names) if isinstance(voters, list | tuple | str) else as_count(voters)
        seat = find(str(key))
        if number is None or (seat is None and str(key).strip().lower() not in _UNKNOWN_VOTE):
            return None
        if seat is None:
            unknown += number
            continue
        counts[seat] = counts.get(seat, 0) + number
        known = tuple(index for name in names if (index := find(name)) is not None)
        backers[seat] = backers.get(seat, ()) + known
    return Vote(counts, backers, unknown)


def _first(item: Mapping[str, Any], *keys: str) -> Any:
    return next((item[key] for key in keys if item.get(key) not in (None, "", [], {})), None)
