"""The debate beside its baseline, as both reports show it: what each came to, with how many tokens, for how much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from debateroom.report.facts import Facts
from debateroom.report.phrases import change_text
from debateroom.report.text import flat, shorten
from debateroom.report.trust import vote_text
from debateroom.report.verdict import prose
from debateroom.report.words import Words
from debateroom.room.foreign import as_count, as_number
from debateroom.room.played import devil

_REASON = 200
"""Columns of a reason that a note has room for."""


class Shown(NamedTuple):
    """The baseline's part of a report."""

    sentence: str
    """Whether the debate changed the answer."""
    rows: list[tuple[str, str, str]]
    """A label, the debate's value and the baseline's."""
    moves: list[str]
    """Who moved in the debate, and towards what; one sentence where nobody did."""
    options: list[str]
    """The options of the single answers, with their votes."""
    notes: list[str]
    """What else weighs on the comparison."""


def of(facts: Facts) -> Shown | None:
    """The debate of `facts` beside its baseline; None where it has none."""
    told = facts.transcript.baseline
    if told is None:
        return None
    words = facts.words
    answers = _objects(told.get("answers"))
    moves = [change_text(move, facts) for move in facts.moves if move.kept is None]
    return Shown(
        sentence=_sentence(told, len(answers), words),
        rows=list(_rows(facts, told, len(answers))),
        moves=moves or [words("baseline.nobody")],
        options=[_option(group, len(answers), words) for group in _objects(told.get("groups"))],
        notes=list(_notes(facts, told, len(answers))),
    )


def _sentence(told: Mapping[str, Any], count: int, words: Words) -> str:
    """In one sentence what the single answers came to, and whether the debate came to the same."""
    if not count:
        return words("baseline.none")
    option, same = flat(prose(told.get("option"))), told.get("same_as_debate")
    key = "same" if same is True else "other" if same is False else "unjudged"
    figures = {"votes": as_count(told.get("votes")) or 0, "n": count, "option": option}
    said = [words("baseline.vote", **figures) if option else words("baseline.tie", n=count)]
    if told.get("comparable") is False:
        debate = told.get("debate")
        before = debate if isinstance(debate, Mapping) else {}
        said.append(words("baseline.unlike", tokens=_tokens(told, words), debate=_tokens(before, words)))
    elif option:
        said.append(words(f"baseline.{key}"))
    return words("space").join(said)


def _rows(facts: Facts, told: Mapping[str, Any], count: int) -> Iterator[tuple[str, str, str]]:
    words, said, debate = facts.words, facts.verdict, told.get("debate")
    before: Mapping[str, Any] = debate if isinstance(debate, Mapping) else {}
    unknown = words("unknown")
    recommended = flat(prose(told.get("recommended_action"))) or "—"
    yield words("sections.action"), flat(said.recommended_action) or "—", recommended
    voices = len(facts.seats) - bool(facts.transcript.rounds and devil(facts.transcript.rounds[-1]))
    vote = vote_text(said.final_vote, voices, words) if said.final_vote else unknown
    won = as_count(told.get("votes"))
    yield words("baseline.votes"), vote, words("baseline.of", votes=won, n=count) if won else "—"
    yield words("tokens_label"), _tokens(before, words), _tokens(told, words)
    yield words("spent"), _cost(before, words), _cost(told, words)


def _tokens(of: Mapping[str, Any], words: Words) -> str:
    size = as_count(of.get("tokens"))
    return words.number(size) if size else words("unknown")


def _cost(of: Mapping[str, Any], words: Words) -> str:
    cost = as_number(of.get("cost"))
    return words("unknown") if cost is None else words.money(cost)


def _option(group: Mapping[str, Any], count: int, words: Words) -> str:
    """`A queue: 2 of 3`."""
    answers = group.get("answers")
    votes = len(answers) if isinstance(answers, list) else 0
    option = flat(prose(group.get("option"))) or words("unknown")
    return option + words("colon") + words("baseline.of", votes=votes, n=count)


def _notes(facts: Facts, told: Mapping[str, Any], count: int) -> Iterator[str]:
    words, debate = facts.words, told.get("debate")
    costs = [as_number(each.get("cost")) for each in (debate, told) if isinstance(each, Mapping)]
    alike = count and told.get("comparable") is not False
    if alike and len(costs) == 2 and costs[0] is not None and costs[1] is not None:
        more = costs[0] - costs[1]
        key = "dearer" if more > 0 else "cheaper" if more < 0 else "as_dear"
        yield words(f"baseline.{key}", money=words.money(abs(more)))
    yield words("baseline.top")
    if told.get("grouped_by") == "declared":
        yield words("baseline.declared")
    for key in ("stopped", "problem"):
        if reason := flat(prose(told.get(key))):
            yield words(f"baseline.{key}", reason=shorten(reason, _REASON).rstrip(".。"))
    failures = _objects(told.get("failures"))
    for each in failures:
        reason = shorten(flat(prose(each.get("reason"))), _REASON).rstrip(".。")
        key = "failed" if as_count(each.get("step")) in (None, 1) else "not_anew"
        yield words(f"baseline.{key}", answer=as_count(each.get("answer")) or "?", reason=reason)
    asked = as_count(told.get("asked")) or 0
    if count and count + len(failures) < asked and not told.get("stopped"):
        yield words("baseline.fewer", n=count, asked=asked)
    if any(entry.tools for round_ in facts.transcript.rounds for entry in round_.entries):
        yield words("baseline.no_tools")


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
