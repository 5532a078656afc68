"""The report of a dialogue: verdict or deliverable first, then the parties, findings, and every turn, folded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote as percent

from debateroom.messages import Entry, Round, Transcript
from debateroom.report import coordinated
from debateroom.report import facts as facts_of
from debateroom.report.facts import Facts
from debateroom.report.seats import model_name
from debateroom.report.text import flat, shorten
from debateroom.report.verdict import prose
from debateroom.report.words import Words

KINDS = ("simulation", "work", coordinated.KIND)
"""Kinds of rooms in which two parties talk in turns, or one works with its tools."""
_TONES = {
    "passed": "good", "delivered": "good", "complete": "good", "partial": "mixed", "inconclusive": "mixed",
    "incomplete": "mixed",
}  # fmt: skip
_TITLE = 150
"""Columns of the opening or the mission that a headline has room for."""


class Party(NamedTuple):
    """Who takes part."""

    name: str
    model: str


class ShownEntry(NamedTuple):
    """What one party said in a turn."""

    agent: str
    tools: str
    text: str


class ShownTurn(NamedTuple):
    """One turn."""

    title: str
    entries: list[ShownEntry]


def values(transcript: Transcript) -> dict[str, Any]:
    """What both templates show of a dialogue."""
    facts = facts_of.of(transcript)
    words, told = facts.words, facts.transcript
    final = told.final_output or {}
    cost, tokens, time = facts_of.spending(facts)
    return {
        "facts": facts,
        "w": words,
        "kind": told.kind,
        "title": words(f"talk.title_{told.kind}"),
        "short": shorten(told.problem, _TITLE) or "—",
        "whole_problem": told.problem if len(flat(told.problem)) > _TITLE else "",
        "problem": told.problem.strip() or "—",
        "verdict": _verdict(final, words),
        "tone": _TONES.get(str(final.get("outcome")), "open" if final else "none"),
        "parties": [Party(seat.name, model_name(seat.model) or words("unknown")) for seat in told.agents],
        "turns": "" if told.kind == coordinated.KIND else _turns(facts),
        "tools": _counted(tool for round_ in told.rounds for entry in round_.entries for tool in entry.tools)
        or words("talk.no_tools"),
        "job": words.join([flat(str(final[key])) for key in ("job_id", "description") if final.get(key)]),
        "date": told.started if facts.date else words("no_date", date=facts.written.isoformat()),
        "cost": cost,
        "tokens": tokens,
        "time": time,
        "sections": _sections(told.kind, final, words),
        "findings": [_finding(item, words) for item in _listed(final.get("findings"))],
        "notes": told.notes,
    }


def turns(facts: Facts) -> list[ShownTurn]:
    """Every turn with what was said in it; the last one may hold only the end."""
    words = facts.words
    return [
        ShownTurn(
            turn_title(round_, words),
            [_entry(entry, words) for entry in round_.entries]
            + [ShownEntry(failure.agent, "", failure.reason) for failure in round_.failures],
        )
        for round_ in facts.transcript.rounds
    ]


def turn_title(round_: Round, words: Words) -> str:
    """`Turn 2`, or `The end` where only one party speaks."""
    return (
        words("talk.end")
        if len(round_.entries) == 1 and not round_.failures
        else words("talk.turn", turn=round_.round)
    )


def tools_mark(entry: Entry, words: Words) -> str:
    """`tools: get_order ×2`, and which were interrupted; empty without any."""
    marks = [words("talk.with_tools", tools=_counted(entry.tools))] if entry.tools else []
    marks += [words("talk.interrupted", tools=_counted(entry.interrupted))] if entry.interrupted else []
    return " · ".join(marks)


def link(chat_path: PurePath | str | None) -> tuple[str, str]:
    """The transcript's name as an address and as text; both empty where there is none."""
    return ("", "") if chat_path is None else (percent(PurePath(chat_path).name), PurePath(chat_path).name)


def _entry(entry: Entry, words: Words) -> ShownEntry:
    return ShownEntry(entry.agent, tools_mark(entry, words), entry.response)


def _verdict(final: Mapping[str, Any], words: Words) -> str:
    try:
        return words(f"talk_verdict.{final.get('outcome', 'none')}")
    except KeyError:
        return flat(str(final.get("outcome")))


def _turns(facts: Facts) -> str:
    played = sum(len(round_.entries) > 1 for round_ in facts.transcript.rounds)
    asked = facts.transcript.rounds_asked
    return str(played) if asked is None else facts.words("talk.turns_of", played=played, asked=asked)


def _sections(kind: str, final: Mapping[str, Any], words: Words) -> list[tuple[str, str]]:
    """What came of it: the judge's words, the deliverable with its summary, or the steps of a playbook."""
    if kind == coordinated.KIND:
        return coordinated.sections(final, words)
    keys = ("explain", "error") if kind == "simulation" else ("deliverable", "summary")
    because = str(final.get("because") or "")
    shown = [(words(f"talk.{key}"), prose(final.get(key))) for key in keys if (key, because) != ("error", "turns")]
    if because:
        shown.append((words("talk.because"), _known("talk_because", because, words)))
    confidence = final.get("confidence")
    if kind == "work" and isinstance(confidence, int | float) and not isinstance(confidence, bool):
        shown.append((words("talk.confidence"), words.share(round(confidence * 100), 100)))
    return [(label, text) for label, text in shown if text.strip()]


def _finding(item: Mapping[str, Any], words: Words) -> tuple[str, str]:
    rule = _known("talk_rules", str(item.get("rule")), words)
    return words("talk.finding", turn=item.get("turn", "—"), rule=rule), flat(str(item.get("quote") or ""))


def _known(section: str, key: str, words: Words) -> str:
    """The words for `key`, or the key itself where another version wrote it."""
    try:
        return words(f"{section}.{key}")
    except KeyError:
        return key


def _listed(value: Any) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _counted(names: Any) -> str:
    counts = Counter(map(str, names))
    return ", ".join(name if times == 1 else f"{name} ×{times}" for name, times in counts.items())
