"""The judge of simulated customers: its questions and scores. Its answers are kept in the room, and paid for once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any, NamedTuple

from debateroom import templates
from debateroom.errors import CallFailed
from debateroom.evaluation import journal
from debateroom.evaluation.journal import Ledger
from debateroom.evaluation.personas import persona
from debateroom.evaluation.plan import Plan
from debateroom.evaluation.task import Task
from debateroom.evaluation.trial import Trial
from debateroom.language import detect_language
from debateroom.messages import Answer, Model, Purpose, Request
from debateroom.reading.objects import find_object
from debateroom.room.room import Room, event
from debateroom.room.spending import spent_by_model

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
OnJudged = Callable[[int, int], None]
"""Called on the main thread with how many of how many customers have been judged."""


class Score(NamedTuple):
    """What a judge says of one customer."""

    info_fidelity: int | None
    """0 or 1; None when the judge gave no usable answer."""
    persona_consistency: int | None
    reasoning: str

    @property
    def whole(self) -> bool:
        """Whether the judge gave both."""
        return self.info_fidelity is not None and self.persona_consistency is not None


class Case(NamedTuple):
    """A customer's part that is judged."""

    task: Task
    trial: Trial
    planted: str = ""
    """The kind of fault that was put into it; empty for none."""


class CustomerJudge:
    """A model that judges the customers of a room, in which its answers are kept."""

    def __init__(
        self, room: Room, plan: Plan, model: Model, *, timeout: float, concurrency: int, on_judged: OnJudged | None
    ) -> None:
        self._room = room
        self._plan = plan
        self._model = model
        self._timeout = timeout
        self._concurrency = concurrency
        self._on_judged = on_judged
        self._ledger = Ledger()
        self._known: dict[str, str] = {}
        """Fingerprint of a question → the answer that the journal has; one without scores is asked for again."""
        for told in journal.events(room.folder):
            if told["event"] in ("customer_judged", "customer_unjudged") and told["judge"] == model.name:
                self._ledger.add(told)
                if told["event"] == "customer_judged" and None not in read_score(told["text"]):
                    self._known[told["question"]] = told["text"]
        self.asked = 0
        """Calls that were made now; the other answers were there."""

    @property
    def spent(self) -> Ledger:
        """All that this judge's answers on the room's customers cost, now and before."""
        return self._ledger

    def scores(self, cases: Sequence[Case]) -> list[Score]:
        """The judge's scores, in order; several calls at once, each answer on disk as it comes. Raises NoModel.

        A call that fails is no score; it is made again the next time.
        """
        texts = [question(case.task, case.trial, self._plan.fence) for case in cases]
        open_questions = {_mark(text): (case, text) for case, text in zip(cases, texts, strict=True)}
        for mark in self._known.keys() & open_questions.keys():
            del open_questions[mark]
        failed = self._ask_all(open_questions, len(cases))
        return [
            read_score(self._known[mark]) if (mark := _mark(text)) in self._known else Score(None, None, failed[mark])
            for text in texts
        ]

    def _ask_all(self, questions: Mapping[str, tuple[Case, str]], whole: int) -> dict[str, str]:
        """Asks every question; why those without an answer have none, by their marks."""
        failed: dict[str, str] = {}
        # no `with`: leaving it would wait for calls that are under way, and Ctrl-C may not
        pool = ThreadPoolExecutor(max_workers=self._concurrency, thread_name_prefix="judge")
        try:
            asked = {pool.submit(self._ask, *each): mark for mark, each in questions.items()}
            for number, done in enumerate(as_completed(asked), 1):
                mark = asked[done]
                if why := self._take(done, mark, questions[mark][0]):
                    failed[mark] = why
                if self._on_judged:
                    self._on_judged(whole - len(asked) + number, whole)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        return failed

    def _ask(self, case: Case, text: str) -> Answer:
        purpose = Purpose("seat", f"meta {case.trial.task}", case.trial.number)
        return self._model.ask(
            Request(own=text, schema=_SCHEMA, max_tokens=MAX_TOKENS, timeout=self._timeout, purpose=purpose)
        )

    def _take(self, done: Future[Answer], mark: str, case: Case) -> str:
        """Writes what came of a call into the journal; why it gave no answer, empty when it did."""
        self.asked += 1
        told = {"task": case.trial.task, "trial": case.trial.number, "planted": case.planted, "question": mark}
        try:
            answer = done.result()
        except CallFailed as error:
            spent = spent_by_model({self._model.name: error.paid}, prices=self._plan.prices)
            self._write(event("customer_unjudged", judge=self._model.name, reason=str(error), **told, **spent))
            return str(error)
        spent = spent_by_model({self._model.name: answer.paid}, prices=self._plan.prices)
        self._write(event("customer_judged", judge=self._model.name, text=answer.text, **told, **spent))
        self._known[mark] = answer.text
        return ""

    def _write(self, told: Mapping[str, Any]) -> None:
        self._room.write(told)
        self._ledger.add(told)


def _mark(text: str) -> str:
    """What a question is known by: the same one is asked once."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


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
    return int(value) if value in (0, 1, "0", "1") else None


def language_of(task: Task) -> str:
    """The language in which the customer of a task is played."""
    return detect_language(f"{task.instruction} {task.known_info}")


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
