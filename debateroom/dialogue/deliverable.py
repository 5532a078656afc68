"""The rules on how a worker ends: a deliverable that is one, a summary that says what is missing. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from debateroom.agents.agent import ToolRecord
from debateroom.dialogue import data, offers, progress, sameness, signs
from debateroom.dialogue.findings import Finding
from debateroom.dialogue.loop import Exchange
from debateroom.dialogue.requests import Problem

HARD = frozenset({"empty_deliverable", "only_json", "before_search", "forbidden_end", "impossible_action"})
"""Rules without which there is no deliverable: broken twice, it is refused."""
WHOLE = frozenset({"deduced", "summary", "asks_turn"})
"""Rules without which it is a partial one at most. The others are noted."""
_QUOTED = 120
"""Characters of an answer that a finding quotes."""
OVERCONFIDENT = 0.8
"""Confidence above which a stated gap is worth a flag."""
_FENCE = re.compile(r"^\s*```\w*\s*|\s*```\s*$")


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a worker gives at the end."""

    deliverable: str
    summary: str
    confidence: float

    @property
    def partial(self) -> bool:
        """Whether it says itself that something is missing."""
        return signs.shows("partial", self.summary) or signs.states_gap(self.summary)


@dataclass(frozen=True, slots=True)
class Job:
    """What happened before the end."""

    exchanges: Sequence[Exchange]
    known: str
    """The mission and the brief."""
    remaining: int
    forced: str = ""
    """Why the worker had to end: `turns` or `no_progress`; empty when it did so by itself."""

    @property
    def done(self) -> tuple[ToolRecord, ...]:
        """The executed tools that did what they were called for."""
        return tuple(tool for exchange in self.exchanges for tool in exchange.tools if tool.ok)

    @property
    def free(self) -> bool:
        """Whether the worker could still go on."""
        return not self.forced and self.remaining > 1


def of(value: Mapping[str, Any]) -> Conclusion:
    """The conclusion in a worker's JSON."""
    confidence = min(1.0, max(0.0, float(value["confidence"])))
    return Conclusion(str(value["deliverable"]).strip(), str(value["summary"]).strip(), confidence)


def problems(end: Conclusion, job: Job) -> tuple[Problem, ...]:
    """What speaks against ending like this."""
    found = [*_of_deliverable(end, job), *_of_summary(end)]
    if job.exchanges:
        found += _of_lead(end, job)
    if job.forced == "turns" and end.partial and not signs.shows("useful", end.deliverable):
        found.append(Problem("fallback"))
    return tuple(found)


def _of_deliverable(end: Conclusion, job: Job) -> list[Problem]:
    text = end.deliverable
    if not any(mark.isalnum() for mark in text):
        return [Problem("empty_deliverable")]
    found = []
    if _is_json(text):
        found.append(Problem("only_json"))
    if quote := signs.find("forbidden_end", text):
        found.append(Problem("forbidden_end", quote))
    searched = any(progress.searched(exchange) for exchange in job.exchanges)
    if not searched and (signs.shows("not_found", text) or signs.shows("not_found", end.summary)):
        found.append(Problem("before_search"))
    names, results = ("\n".join(getattr(tool, part) for tool in job.done) for part in ("name", "result"))
    claimed = signs.undone_actions(f"{text}\n{end.summary}", names, results)
    found += [Problem("impossible_action", quote) for quote in claimed[:1]]
    if quote := signs.find("asks_turn", text):
        found.append(Problem("asks_turn", quote))
    return found


def _is_json(text: str) -> bool:
    """Whether it is a value of JSON and nothing else; a number alone may be what was asked for."""
    try:
        value = json.loads(_FENCE.sub("", text))
    except (ValueError, RecursionError):
        return False
    return not isinstance(value, int | float) or isinstance(value, bool)


def _of_summary(end: Conclusion) -> list[Problem]:
    missing = signs.states_gap(end.summary) or signs.shows("no_gap", end.summary)
    return [] if missing and signs.says_found(end.summary) else [Problem("summary")]


def _of_lead(end: Conclusion, job: Job) -> list[Problem]:
    """What the answers leave open."""
    last = job.exchanges[-1]
    found = []
    if job.free and deduced(last) and not signs.shows("asks_source", last.request):
        found.append(Problem("deduced", last.answer[:_QUOTED]))
    untried = offers.unused(job.exchanges) if job.free and end.partial else ()
    if untried:
        found.append(Problem("untried_offer", untried[0].text))
    elif job.free and end.partial and _without_alternative(job.exchanges):
        found.append(Problem("untried_alternative"))
    if end.partial and signs.shows("blocked", last.answer) and not explains_block(end.deliverable):
        found.append(Problem("block"))
    return found


def deduced(exchange: Exchange) -> bool:
    """Whether the agent states something without having executed a tool; a mere question back states nothing."""
    if exchange.tools or not exchange.answer.strip() or progress.found_nothing(exchange):
        return False
    statement = exchange.answer
    for question in sameness.questions(exchange.answer):
        statement = statement.replace(question, "")
    return len(sameness.normalized(statement)) > 12


def unsourced(job: Job) -> tuple[int, ...]:
    """Positions of the answers that stay deduced: without a tool, and none was executed afterwards."""
    sourced = [position for position, exchange in enumerate(job.exchanges) if exchange.tools]
    first = sourced[-1] + 1 if sourced else 0
    return tuple(position for position in range(first, len(job.exchanges)) if deduced(job.exchanges[position]))


def _without_alternative(exchanges: Sequence[Exchange]) -> bool:
    """Whether the agent found nothing, or wanted what is not to be had, and was then asked nothing wider."""
    dry = [
        position for position, item in enumerate(exchanges)
        if progress.found_nothing(item) or signs.shows("blocked", item.answer)
    ]  # fmt: skip
    return bool(dry) and not any(signs.shows("alternative", item.request) for item in exchanges[dry[0] + 1 :])


def explains_block(deliverable: str) -> bool:
    """Whether it says what is missing, why that blocks, and what to supply."""
    return all(signs.shows(sign, deliverable) for sign in ("missing", "why", "supply"))


def flags(end: Conclusion, job: Job) -> tuple[Finding, ...]:
    """What a reader should know: unsupported data, deduced answers, and confidence beside a stated gap."""
    said = "\n".join([job.known, *(exchange.answer for exchange in job.exchanges)])
    turn = len(job.exchanges)
    found = [
        Finding(f"unsupported_{datum.kind}", turn, datum.text)
        for datum in (*data.in_text(end.deliverable, names=True), *data.in_text(end.summary))
        if not data.known_in(datum, said)
    ]
    found += [
        Finding("deduced", position + 1, job.exchanges[position].answer[:_QUOTED]) for position in unsourced(job)
    ]
    if end.confidence > OVERCONFIDENT and signs.states_gap(end.summary):
        found.append(Finding("overconfident", turn, f"{end.confidence:g}"))
    return tuple(found)
