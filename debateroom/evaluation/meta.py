"""How well the customers of an evaluation were played: by a judge of another model, and by rules beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from debateroom.evaluation.customer_judge import Case, CustomerJudge, Score, language_of
from debateroom.evaluation.customer_rules import ABOUT_FACTS, RULES, Finding, customer_findings
from debateroom.evaluation.journal import Ledger
from debateroom.evaluation.planting import Planted
from debateroom.evaluation.task import Task
from debateroom.evaluation.trial import Trial


class Played(NamedTuple):
    """A customer's part in one trial, as judge and rules see it."""

    task: Task
    trial: Trial
    findings: tuple[Finding, ...]
    score: Score | None
    """None when no judge was asked."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Of planted faults, how many were seen."""

    planted: Mapping[str, int]
    """Kind of fault → how many."""
    rules: Mapping[str, int]
    """Of these, seen by the rule of that kind."""
    judge: Mapping[str, int] | None = None
    """Of these, called 0 by the judge, in the one score or the other; None when none was asked."""


@dataclass(frozen=True, slots=True)
class Meta:
    """What is found of all customers of a room."""

    played: tuple[Played, ...]
    recall: Recall | None = None
    findings: Mapping[str, int] = field(default_factory=dict)
    """Rule → customers with a finding of it."""
    spent: Ledger | None = None
    """What the judge's answers cost, those of earlier runs included; None when none was asked."""
    asked: int = 0
    """Calls that this took; the judge's other answers were in the journal already."""

    def share(self, name: str) -> tuple[int, int]:
        """Customers with a 1 for `name`, and customers with a score."""
        scores = [getattr(each.score, name) for each in self.played if each.score is not None]
        known = [score for score in scores if score is not None]
        return sum(known), len(known)

    @property
    def unjudged(self) -> tuple[Played, ...]:
        """Customers on whom a judge was asked, and gave no answer or not both scores."""
        return tuple(each for each in self.played if each.score is not None and not each.score.whole)

    @property
    def scored(self) -> bool:
        """Whether the judge gave any score."""
        return any(self.share(name)[1] for name in ("info_fidelity", "persona_consistency"))

    def agreement(self, name: str) -> tuple[int, int]:
        """Customers of which judge and rules say the same, and customers with a score."""
        about = {rule for rule in RULES if (rule in ABOUT_FACTS) is (name == "info_fidelity")}
        pairs = [
            (getattr(each.score, name), not any(finding.rule in about for finding in each.findings))
            for each in self.played
            if each.score is not None and getattr(each.score, name) is not None
        ]
        return sum(bool(score) is clean for score, clean in pairs), len(pairs)


def look(pairs: Sequence[tuple[Task, Trial]], judge: CustomerJudge | None) -> Meta:
    """What rules, and a judge where there is one, find in each customer's part. Raises NoModel."""
    found = [customer_findings(task, trial, language_of(task)) for task, trial in pairs]
    scores = judge.scores([Case(*pair) for pair in pairs]) if judge else [None] * len(pairs)
    played = tuple(
        Played(task, trial, findings, score)
        for (task, trial), findings, score in zip(pairs, found, scores, strict=True)
    )
    counts = Counter(rule for each in played for rule in {finding.rule for finding in each.findings})
    return Meta(played, None, {rule: counts[rule] for rule in RULES})


def recall(planted: Sequence[Planted], judge: CustomerJudge | None) -> Recall:
    """How many of the planted faults are seen. Raises NoModel."""
    seen = [
        each.rule in {finding.rule for finding in customer_findings(each.task, each.trial, language_of(each.task))}
        for each in planted
    ]
    by_judge = None
    if judge is not None:
        scores = judge.scores([Case(each.task, each.trial, each.rule) for each in planted])
        by_judge = _counted(planted, [0 in (score.info_fidelity, score.persona_consistency) for score in scores])
    return Recall(_counted(planted, [True] * len(planted)), _counted(planted, seen), by_judge)


def _counted(planted: Sequence[Planted], seen: Sequence[bool]) -> dict[str, int]:
    kinds = dict.fromkeys(each.rule for each in planted)
    return {
        kind: sum(saw for each, saw in zip(planted, seen, strict=True) if each.rule == kind)
        for kind in RULES
        if kind in kinds
    }
