"""`chatroom_report.md`: the original skill's sections in its order, every text of others shown as typed."""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple
from urllib.parse import quote as percent

from debateroom import templates
from debateroom.messages import Entry, Round, Transcript
from debateroom.report import arena, baseline, decision, evaluation, talk
from debateroom.report import facts as facts_of
from debateroom.report.facts import Facts
from debateroom.report.phrases import change_text, finding, reply_marks, round_title
from debateroom.report.text import authored, cell, flat, line, sentence_start, spans, typed
from debateroom.report.verdict import Risk
from debateroom.room.played import EVALUATION

_LONGEST_PROBLEM = 2_000
"""Characters of the question that a heading has room for."""


class _Reply(NamedTuple):
    heading: str
    about: str
    text: str


class _Folded(NamedTuple):
    title: str
    finding: str
    replies: list[_Reply]
    failures: list[tuple[str, str]]


def render(transcript: Transcript, *, chat_path: PurePath | str | None = "chat.json") -> str:
    """The report as Markdown. `chat_path` is the transcript's path, linked by its name; None links nothing."""
    _add_filters()
    if transcript.kind == EVALUATION:
        return _evaluation(transcript, chat_path)
    if transcript.kind in talk.KINDS:
        return _talk(transcript, chat_path)
    if transcript.kind == arena.KIND:
        return _arena(transcript, chat_path)
    facts = facts_of.of(transcript)
    words = facts.words
    cost, tokens, time = facts_of.spending(facts)
    text = templates.render(
        "reports/chatroom_report.md.j2",
        w=words,
        title=_title(facts, words("title")),
        problem=_problem(facts),
        seats=facts.seats,
        rounds=_rounds(facts),
        date=facts.transcript.started if facts.date else words("no_date", date=facts.written.isoformat()),
        outcome=facts.outcome.sentence,
        blockers=words.join([words("quoted", text=flat(text)) for text in facts.outcome.blockers]),
        unjudged=facts.extracted and bool(facts.verdict.risks),
        trust=words("sentence", text=words("semicolon").join(_plain(item.text) for item in facts.trust)),
        cost=cost,
        tokens=tokens,
        time=time,
        verdict=facts.verdict,
        decided=decision.values(facts.transcript, words),
        state=facts.state,
        concluded=facts.transcript.final_output is not None,
        participants=_participants(facts),
        risk=lambda risk: _risk(facts, risk),
        names=lambda names: words.join([facts.long_name(name) for name in names]),
        changes=[change_text(move, facts) for move in facts.moves],
        baseline=baseline.of(facts),
        chat_link=_link(chat_path),
        folded=[_folded(facts, round_) for round_ in (*facts.transcript.rounds, *facts.broken_off)],
        notes=facts.transcript.notes,
    )
    return text.strip("\n") + "\n"


def _talk(transcript: Transcript, chat_path: PurePath | str | None) -> str:
    shown = talk.values(transcript)
    rounds = talk.turns(shown["facts"])
    text = templates.render(
        "reports/dialogue_report.md.j2", **{**shown, "rounds": rounds}, chat_link=_link(chat_path)
    )
    return text.strip("\n") + "\n"


def _arena(transcript: Transcript, chat_path: PurePath | str | None) -> str:
    shown = arena.values(transcript)
    facts: Facts = shown["facts"]
    text = templates.render(
        "reports/arena_report.md.j2",
        **shown,
        title=_title(facts, facts.words("arena.title")),
        rounds=_rounds(facts),
        trust=facts.words("sentence", text=facts.words("semicolon").join(_plain(item.text) for item in facts.trust)),
        folded=[_folded(facts, round_) for round_ in (*facts.transcript.rounds, *facts.broken_off)],
        chat_link=_link(chat_path),
    )
    return text.strip("\n") + "\n"


def _evaluation(transcript: Transcript, chat_path: PurePath | str | None) -> str:
    text = templates.render("reports/eval_report.md.j2", **evaluation.values(transcript), chat_link=_link(chat_path))
    return text.strip("\n") + "\n"


def _add_filters() -> None:
    templates.add_filters(
        sentence_start=sentence_start,
        line=line,
        cell=cell,
        typed=typed,
        authored=authored,
        spans=spans,
        item=_item,
        quote=_quote,
    )


def _title(facts: Facts, title: str) -> str:
    """The heading; a seat that never came back is named in it."""
    gone = [facts.seats[dead.seat] for dead in facts.dead if not dead.returned]
    if not gone:
        return title
    names = facts.words.join([facts.long_name(seat.name) for seat in gone])
    return facts.words("dead_title", title=title, seats=names)


def _problem(facts: Facts) -> str:
    problem = facts.transcript.problem.strip()
    if len(problem) <= _LONGEST_PROBLEM:
        return problem or "—"
    return f"{problem[:_LONGEST_PROBLEM].rstrip()}… {facts.words('cut_problem')}"


def _rounds(facts: Facts) -> str:
    asked = facts.transcript.rounds_asked
    if asked is None:
        return facts.words("played_only", played=facts.played)
    return facts.words("played_of_asked", played=facts.played, asked=asked)


def _participants(facts: Facts) -> list[tuple[str, str, str]]:
    rows = []
    for seat, final in zip(facts.seats, facts.finals, strict=True):
        shown = facts.words.of_ten(final.confidence)
        if final.round is not None:
            shown = facts.words("confidence_of_round", confidence=shown, round=final.round)
        rows.append((seat.name, seat.role or "—", shown))
    return rows


def _risk(facts: Facts, risk: Risk) -> str:
    if not risk.raised_by:
        return risk.risk
    names = facts.words.join([facts.long_name(name) for name in risk.raised_by])
    return facts.words("brackets", before=risk.risk, text=facts.words("body.raised_by", seats=names))


def _folded(facts: Facts, round_: Round) -> _Folded:
    replies = [
        _Reply(facts.long_name(entry.agent), _about(facts, entry, round_), entry.response) for entry in round_.entries
    ]
    failures = [(facts.long_name(failure.agent), failure.reason) for failure in round_.failures]
    return _Folded(round_title(round_, facts.words), finding(round_, facts), replies, failures)


def _about(facts: Facts, entry: Entry, round_: Round) -> str:
    if entry.confidence is None and facts.transcript.kind == arena.KIND:
        return " · ".join(reply_marks(entry, round_, facts))
    confidence = facts.words("body.confidence", confidence=facts.words.of_ten(entry.confidence))
    return " · ".join([confidence, *reply_marks(entry, round_, facts)])


def _link(chat_path: PurePath | str | None) -> str:
    if chat_path is None:
        return ""
    name = PurePath(chat_path).name
    return f"[{line(name)}]({percent(name)})"


def _item(text: str) -> str:
    """`text` as the content of a list item, with its author's bold and code; further lines are indented below it."""
    return authored(text.strip()).replace("\n", "\n  ").replace("\n  \n", "\n\n")


def _quote(text: str) -> str:
    return typed(text.strip("\n"), prefix="> ")


def _plain(text: str) -> str:
    return flat(text).removesuffix(".").removesuffix("。")
