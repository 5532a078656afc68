"""The report of an arena: the verdict first, how each seat did and why, the best answer, then everything, folded."""

from __future__ import annotations

from typing import Any

from debateroom import templates
from debateroom.messages import Transcript
from debateroom.report import decision
from debateroom.report import facts as facts_of
from debateroom.report.facts import Facts
from debateroom.report.seats import model_name
from debateroom.report.text import flat, shorten
from debateroom.report.words import Words

KIND = "arena"
"""The kind of rooms in which a judge compares what models wrote."""
_TITLE = 150
"""Columns of the task that a headline has room for."""


def values(transcript: Transcript) -> dict[str, Any]:
    """What both templates show of an arena."""
    facts = facts_of.of(transcript)
    words, told = facts.words, facts.transcript
    found, final = decision.of(told), told.final_output or {}
    cost, tokens, time = facts_of.spending(facts)
    winner = str(found.get("winner") or "")
    return {
        "facts": facts,
        "w": words,
        "short": shorten(told.problem, _TITLE) or "—",
        "whole_problem": told.problem if len(flat(told.problem)) > _TITLE else "",
        "problem": told.problem.strip() or "—",
        "seats": facts.seats,
        "parties": [_party(seat.name, seat.model, seat.vendor, facts) for seat in told.agents],
        "verdict": flat(str(final.get("summary") or "")) or words("arena.unjudged", state=facts.outcome.badge),
        "badge": decision.badge(told) or facts.outcome.badge,
        "tone": decision.TONES.get(str(found.get("outcome")), "none"),
        "judge": _judge(told, words),
        "decided": decision.values(told, words),
        "winner": facts.long_name(winner) if winner else "",
        "best": str(final.get("recommended_action") or "") if winner else "",
        "rubric": str(found.get("rubric") or "").strip() or templates.render(f"prompts/{words.language}/rubric.j2"),
        "date": told.started if facts.date else words("no_date", date=facts.written.isoformat()),
        "cost": cost,
        "tokens": tokens,
        "time": time,
        "notes": told.notes,
    }


def _party(name: str, model: str, vendor: str, facts: Facts) -> tuple[str, str]:
    shown = model_name(model) or facts.words("unknown")
    return facts.long_name(name), facts.words("brackets", before=shown, text=vendor or facts.words("unknown"))


def _judge(transcript: Transcript, words: Words) -> str:
    """Who judged, and what the order was drawn by where there was one."""
    found = decision.of(transcript)
    judge, seed = found.get("judge"), found.get("seed")
    if not isinstance(judge, dict):
        return words("arena.nothing_judged")
    model, vendor = (flat(str(judge.get(key) or "")) for key in ("model", "vendor"))
    asked = decision.was_asked(transcript)
    key = "not_asked" if not asked else "rated_by" if found.get("method") == "rating" else "judged_by"
    return words(f"arena.{key}", model=model_name(model), vendor=vendor, seed=seed)
