"""What is said of simulated customers: the judge's two scores, what rules found, how far both agree, their recall."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from debateroom import files
from debateroom.cli import output
from debateroom.cli.moving import MovingLine
from debateroom.language import say
from debateroom.messages import dollars
from debateroom.report.scores import spent_lines
from debateroom.room.events import usage_json
from debateroom.terminal import one_line, printable

if TYPE_CHECKING:
    from debateroom.evaluation.customer_judge import OnJudged
    from debateroom.evaluation.journal import Ledger
    from debateroom.evaluation.meta import Meta

_SCORES = {"info_fidelity": "Info Fidelity", "persona_consistency": "Persona Consistency"}


@contextlib.contextmanager
def shown(language: str) -> Iterator[OnJudged | None]:
    """Shows on a terminal how many customers have been judged, while it goes on; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    line = MovingLine()
    try:
        yield lambda done, whole: line.show(say(language, "eval_judged", done=done, all=whole))
    finally:
        line.close()


def tell(found: Meta, language: str, *, as_json: bool) -> None:
    """Prints the result, as lines or as one object."""
    if as_json:
        output.line(files.dumps(_as_json(found)).decode())
        return
    for text in texts(found, language):
        output.tell(printable(text))


def texts(found: Meta, language: str) -> Iterator[str]:
    """The result as lines: `Info Fidelity: 28/30 = 93%` first."""
    judged = any(each.score is not None for each in found.played)
    for name, title in _SCORES.items():
        if judged:
            share = found.share(name)
            unread = len(found.played) - share[1]
            yield f"{title}: {_of(*share)}" + (f"; {say(language, 'eval_unread', count=unread)}" if unread else "")
    yield say(language, "eval_rules", found=_counts(found.findings), count=len(found.played))
    for name, title in _SCORES.items():
        if judged:
            yield say(language, "eval_agree", score=title, share=_of(*found.agreement(name)))
    for each in found.played:
        told = [f"{finding.rule} {finding.message}: {one_line(finding.quote, 100)}" for finding in each.findings]
        score = each.score
        if score is not None and (score.info_fidelity, score.persona_consistency) != (1, 1):
            given = [score.info_fidelity, score.persona_consistency]
            shown = "/".join("-" if each is None else str(each) for each in given)
            told.append(f"{shown}: {one_line(score.reasoning, 200) or '-'}")
        if told:
            yield f"  {each.trial.task} #{each.trial.number}  {'; '.join(told)}"
    yield from _recalled(found, language)
    if found.spent is not None:
        yield from spent_lines(_spent(found.spent), language)
        yield say(language, "eval_asked", count=found.asked)


def failure(found: Meta, language: str) -> str:
    """What is said when the judge left customers without scores; empty when it did not."""
    unjudged = found.unjudged
    if not unjudged:
        return ""
    reasons = (each.score.reasoning for each in unjudged if each.score is not None)
    reason = one_line(next(filter(None, reasons), say(language, "eval_judge_garbage")), 200)
    return say(language, "eval_judge_failed", count=len(unjudged), all=len(found.played), reason=reason)


def _recalled(found: Meta, language: str) -> Iterator[str]:
    recall = found.recall
    if recall is not None and not recall.planted:
        clean = any(not each.findings for each in found.played)
        yield say(language, "eval_no_room") if clean else say(language, "eval_no_clean", count=len(found.played))
    elif recall is not None:
        whole = sum(recall.planted.values())
        yield say(
            language, "eval_recall", who=say(language, "eval_by_rules"), share=_of(sum(recall.rules.values()), whole)
        )
        if recall.judge is not None:
            by_judge = sum(recall.judge.values())
            yield say(language, "eval_recall", who=say(language, "eval_by_judge"), share=_of(by_judge, whole))
        for kind, count in recall.planted.items():
            judge = "" if recall.judge is None else f", {say(language, 'eval_by_judge')} {recall.judge[kind]}/{count}"
            yield f"  {kind}: {say(language, 'eval_by_rules')} {recall.rules[kind]}/{count}{judge}"


def _as_json(found: Meta) -> dict[str, Any]:
    """The same as one object."""
    recall = found.recall
    return {
        "customers": len(found.played),
        **{name: list(found.share(name)) for name in _SCORES},
        "agreement": {name: list(found.agreement(name)) for name in _SCORES},
        "findings": dict(found.findings),
        "spent": found.spent and _spent(found.spent),
        "asked": found.asked,
        "unjudged": len(found.unjudged),
        "recall": None
        if recall is None
        else {
            "planted": dict(recall.planted),
            "rules": dict(recall.rules),
            "judge": recall.judge and dict(recall.judge),
        },
        "scores": [
            {
                "task": each.trial.task,
                "trial": each.trial.number,
                "info_fidelity": each.score.info_fidelity if each.score else None,
                "persona_consistency": each.score.persona_consistency if each.score else None,
                "reasoning": each.score.reasoning if each.score else "",
                "findings": [finding._asdict() for finding in each.findings],
            }
            for each in found.played
        ],
    }


def _spent(ledger: Ledger) -> dict[str, Any]:
    return {"judge": {"usage": usage_json(ledger.usage), "cost": dollars(ledger.cost)}}


def _of(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.0%}" if whole else "-"


def _counts(found: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in found.items() if count) or "-"
