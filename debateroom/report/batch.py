"""`index.html` of a batch: its debates with what each came to, and links to their reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote as percent

from markupsafe import Markup

from debateroom import templates
from debateroom.report import html
from debateroom.report.outcome import TONES
from debateroom.report.text import shorten
from debateroom.report.words import Words
from debateroom.room.summary import has_result

_LONGEST = 300
"""Columns of a text in the table; the whole is in the debate's report."""


class Row(NamedTuple):
    """One debate of a batch."""

    id: str
    question: str
    value: Mapping[str, Any] | None
    """The object of its room; None while it is not over."""
    report: str
    """Where its page is, from the batch's folder; empty when there is none."""


class Shown(NamedTuple):
    """A row as the page has it."""

    id: str
    question: str
    href: str
    tone: str
    outcome: str
    action: str
    rounds: str
    cost: str


def render(name: str, rows: Sequence[Row], language: str) -> str:
    """The page of the batch called `name`."""
    words = Words(language)
    over = [row.value for row in rows if row.value is not None]
    failed = sum(not has_result(value) for value in over)
    costs = [value.get("cost", 0.0) for value in over]
    facts = [words("batch.over", done=words.number(len(over) - failed), all=words.number(len(rows)))]
    facts += [words("batch.failed_count", n=words.number(failed))] if failed else []
    facts += [words("footer.cost_unknown") if None in costs else words.money(sum(costs))]
    return (
        templates.render(
            "reports/batch_index.html.j2",
            w=words,
            policy=html.policy(),
            style=Markup(html.asset("report.css")),  # noqa: S704 — our own file
            name=name,
            facts=facts,
            rows=[_shown(row, words) for row in rows],
        )
        + "\n"
    )


def _shown(row: Row, words: Words) -> Shown:
    question, href = shorten(row.question, _LONGEST), percent(row.report)
    if row.value is None:
        return Shown(row.id, question, href, "none", words("batch.open"), "", "—", "—")
    value = row.value
    failed = not has_result(value)
    outcome = "failed" if failed else str(value.get("outcome") or "over")
    told = value.get("error") if failed else value.get("recommended_action")
    cost = value.get("cost", 0.0)
    return Shown(
        row.id,
        question,
        href,
        "open" if failed else TONES.get(outcome, "none"),
        words(f"batch.{outcome}") if outcome in {*TONES, "failed"} else words("batch.ended"),
        shorten(str(told or ""), _LONGEST),
        words.number(value.get("rounds_played") or 0),
        "—" if cost is None else words.money(cost),
    )
