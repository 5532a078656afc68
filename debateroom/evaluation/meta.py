"""How well the customers of an evaluation were played: by a judge of another model, and by rules beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from debateroom import templates
from debateroom.errors import CallFailed
from debateroom.evaluation.customer_rules import ABOUT_FACTS, RULES, Finding, customer_findings
from debateroom.evaluation.personas import persona
from debateroom.evaluation.planting import Planted
from debateroom.evaluation.task import Task
from debateroom.evaluation.trial import Trial
from debateroom.language import detect_language
from debateroom.messages import Model, Paid, Purpose, Request
from debateroom.reading.objects import find_object

MAX_TOKENS = 2_000
_SCHEMA = {
    "type": "object",
    "properties": {
        "info_fidelity": {"type": "integer", "enum": [0, 1]},
        "persona_consistency": {"type": "integer", "enum": [0, 1]},
        "reasoning": {"type": "string"},
    },
    "required": ["info_fidelity", "persona_consistency", "reasoning"],
    "additionalProperties": False,
}


class Score(NamedTuple):
    """What a judge says of one customer."""

    info_fidelity: int | None
    """0 or 1; None when the judge gave no usable answer."""
    persona_consistency: int | None
    reasoning: str
    paid: tuple[Paid, ...] = ()


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

    def share(self, name: str) -> tuple[int, int]:
        """Customers with a 1 for `name`, and customers with a score."""
        scores = [getattr(each.score, name) for each in self.played if each.score is not None]
        known = [score for score in scores if score is not None]
        return sum(known), len(known)

    def agreement(self, name: str) -> tuple[int, int]:
        """Customers of which judge and rules say the same, and customers with a score."""
        about = {rule for rule in RULES if (rule in ABOUT_FACTS) is (name == "info_fidelity")}
        pairs = [
            (getattr(each.score, name), not any(finding.rule in about for finding in each.findings))
            for each in self.played
            if each.score is not None and getattr(each.score, name) is not None
        ]
        return sum(bool(score) is clean for score, clean in pairs), len(pairs)


def language_of(task: Task) -> str:
    """The language in which the customer of a task is played."""
    return detect_language(f"{task.instruction} {task.known_info}")


def look(pairs: Sequence[tuple[Task, Trial]], judge: Model | None, *, fence: str, concurrency: int) -> Meta:
    """What rules, and a judge where there is one, find in each customer's part. Raises NoModel."""
    found = [customer_findings(task, trial, language_of(task)) for task, trial in pairs]
    scores = judged(pairs, judge, fence=fence, concurrency=concurrency) if judge else [None] * len(pairs)
    played = tuple(
        Played(task, trial, findings, score)
        for (task, trial), findings, score in zip(pairs, found, scores, strict=True)
    )
    counts = Counter(rule for each in played for rule in {finding.rule for finding in each.findings})
    return Meta(played, None, {rule: counts[rule] for rule in RULES})


def recall(planted: Sequence[Planted], judge: Model | None, *, fence: str, concurrency: int) -> Recall:
    """How many of the planted faults are seen. Raises NoModel."""
    pairs = [(each.task, each.trial) for each in planted]
    seen = [
        each.rule in {finding.rule for finding in customer_findings(each.task, each.trial, language_of(each.task))}
        for each in planted
    ]
    by_judge = None
    if judge is not None:
        scores = judged(pairs, judge, fence=fence, concurrency=concurrency)
        by_judge = _counted(planted, [0 in (score.info_fidelity, score.persona_consistency) for score in scores])
    return Recall(_counted(planted, [True] * len(planted)), _counted(planted, seen), by_judge)


def _counted(planted: Sequence[Planted], seen: Sequence[bool]) -> dict[str, int]:
    kinds = dict.fromkeys(each.rule for each in planted)
    return {
        kind: sum(saw for each, saw in zip(planted, seen, strict=True) if each.rule == kind)
        for kind in RULES
        if kind in kinds
    }


def judged(pairs: Sequence[tuple[Task, Trial]], judge: Model, *, fence: str, concurrency: int) -> list[Score]:
    """The judge's scores, in order; several calls at once. Raises NoModel."""
    ask: Callable[[tuple[Task, Trial]], Score] = lambda pair: _score(*pair, judge, fence)  # noqa: E731
    with ThreadPoolExecutor(max_workers=concurrency) as pool:
        return list(pool.map(ask, pairs))


def _score(task: Task, trial: Trial, judge: Model, fence: str) -> Score:
    request = Request(
        own=question(task, trial, fence),
        schema=_SCHEMA,
        max_tokens=MAX_TOKENS,
        purpose=Purpose("seat", f"meta {trial.task}", trial.number),
    )
    try:
        answer = judge.ask(request)
    except CallFailed as error:
        return Score(None, None, str(error), error.paid)
    return read_score(answer.text)._replace(paid=answer.paid)


def read_score(text: str) -> Score:
    """What a judge wrote; a score that is neither 0 nor 1 is None."""
    found = find_object(text)
    value = found.value if found is not None and isinstance(found.value, Mapping) else {}
    reasoning = value.get("reasoning")
    return Score(
        _bit(value.get("info_fidelity")),
        _bit(value.get("persona_consistency")),
        reasoning if isinstance(reasoning, str) else "",
    )


def _bit(value: Any) -> int | None:
    return int(value) if value in (0, 1) else None


def question(task: Task, trial: Trial, fence: str) -> str:
    """What a judge is asked about one customer."""
    language = language_of(task)
    messages = [each.model_copy(update={"text": each.text.replace(fence, "said")}) for each in trial.messages]
    return templates.render(
        f"prompts/{language}/meta.j2",
        fence=fence,
        instruction=task.instruction,
        known_info=task.known_info,
        unknown_info="\n".join((task.unknown_info, *task.unknown_values)).strip(),
        persona=persona(task.persona, language),
        messages=messages,
        ended=trial.stop.token or trial.stop.cause,
    ).strip()
