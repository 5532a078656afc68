"""The transcript as the HTML report folds it: rounds of cards, one card a reply or a seat that gave none."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from debateroom.language import LABELS, SECTIONS
from debateroom.messages import Entry, Failure, Kind, Round
from debateroom.reading.reply import read_reply
from debateroom.report import chart, prose, talk
from debateroom.report.facts import Facts
from debateroom.report.phrases import finding, reply_marks
from debateroom.report.text import flat
from debateroom.room.played import DEBATES

_IN_HEADER = ("endorses", "confidence")
"""Sections that are shown in a card's header and not in its body."""
_LEFT_OUT = 40
"""Characters outside every section from which the reply is also shown as it was written."""


class Who(NamedTuple):
    """A seat as a card's header names it."""

    mark: str
    name: str
    colour: int | None
    """Which of the style sheet's colours; None for somebody without a seat."""


class ReplyCard(NamedTuple):
    """A reply."""

    anchor: str
    who: Who
    confidence: str
    marks: list[str]
    sections: list[tuple[str, Markup]]
    """Label and body; one without a label when the reply has no section."""
    raw: str
    """The whole reply, where the sections leave something out."""


class FailureCard(NamedTuple):
    """A seat that gave no reply."""

    who: Who
    reason: str


class RoundCards(NamedTuple):
    """One round."""

    title: str
    about: str
    finding: str
    """What the moderator found; empty without one."""
    replies: list[ReplyCard]
    failures: list[FailureCard]


def rounds(facts: Facts) -> list[RoundCards]:
    """Every round in its order."""
    shown = (*facts.transcript.rounds, *facts.broken_off)
    return [_round(facts, round_, position) for position, round_ in enumerate(shown)]


def anchor(round_: Round, entry: Entry) -> str:
    """The id of a reply's card; unique on the page, also where a seat replied twice."""
    return f"r{round_.round}-{next(n for n, other in enumerate(round_.entries, 1) if other is entry)}"


def _round(facts: Facts, round_: Round, position: int) -> RoundCards:
    words, failures = facts.words, round_.failures
    moved = [
        seat.short
        for seat, row in zip(facts.seats, facts.rows, strict=True)
        if any(at.moved for at in row[position : position + 1])
    ]
    about = [words.count("replies", len(round_.entries))]
    if position == 0 and facts.transcript.kind in DEBATES:
        about.append(words("body.openings"))
    if moved:
        about.append(words("body.moves", seats=words.join(moved)))
    if failures:
        about.append(words("body.silent", seats=words.join([facts.name(failure.agent) for failure in failures])))
    if position + 1 == facts.played and facts.state in ("unanimous", "consensus"):
        about.append(words("body.converged"))
    kind: Kind = "opening" if position == 0 else "debate"
    return RoundCards(
        title=_title(facts, round_),
        about=" · ".join(about),
        finding=finding(round_, facts),
        replies=[_reply(facts, round_, entry, kind) for entry in round_.entries],
        failures=[_failure(facts, failure) for failure in failures],
    )


def _title(facts: Facts, round_: Round) -> str:
    if facts.transcript.kind in talk.KINDS:
        return talk.turn_title(round_, facts.words)
    return facts.words("body.round", round=round_.round)


def _reply(facts: Facts, round_: Round, entry: Entry, kind: Kind) -> ReplyCard:
    sections, raw = _sections(facts, entry, kind)
    return ReplyCard(
        anchor=anchor(round_, entry),
        who=_who(facts, entry.agent),
        confidence=_confidence(facts, entry),
        marks=reply_marks(entry, round_, facts),
        sections=sections,
        raw=raw,
    )


def _confidence(facts: Facts, entry: Entry) -> str:
    """How sure the seat says it is; nothing where nobody was asked that."""
    known = entry.confidence is not None or facts.transcript.kind == "debate"
    return facts.words.of_ten(entry.confidence) if known and facts.transcript.kind in DEBATES else ""


def _failure(facts: Facts, failure: Failure) -> FailureCard:
    return FailureCard(_who(facts, failure.agent), facts.words("body.no_reply", reason=failure.reason))


def _who(facts: Facts, agent: str) -> Who:
    index = facts.find(agent)
    if index is None:
        return Who("?", facts.name(agent), None)
    seat = facts.seats[index]
    return Who(seat.mark, seat.short, index % chart.COLOURS)


def _sections(facts: Facts, entry: Entry, kind: Kind) -> tuple[list[tuple[str, Markup]], str]:
    """The reply's sections under their labels, and the whole text where they leave something out.

    A reply without sections is one body without a label.
    """
    labels = LABELS[facts.words.language]
    plain = [("", prose.block(entry.response.strip() or facts.words("body.empty")))]
    if facts.transcript.kind not in DEBATES:
        return plain, ""
    reply = read_reply(entry.response, kind=kind, language=facts.words.language, speaker=entry.agent or None)
    order = [*SECTIONS[kind], *(key for key in reply.sections if key not in SECTIONS[kind])]
    shown = {key: text for key in order if (text := reply.sections.get(key, "").strip())}
    body = [(labels.get(key, key), prose.block(text)) for key, text in shown.items() if key not in _IN_HEADER]
    if not body:
        return plain, ""
    said = sum(len(flat(text)) + len(labels.get(key, key)) + 2 for key, text in shown.items())
    return body, entry.response.strip() if len(flat(entry.response)) - said > _LEFT_OUT else ""
