"""What a batch is before it runs: its questions and rooms, which debates are over, and the plans of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from debateroom import context, settings
from debateroom.batch import questions as asked
from debateroom.batch import standing
from debateroom.batch.questions import Question
from debateroom.batch.standing import Item
from debateroom.debating import plan as plans
from debateroom.debating.plan import Plan
from debateroom.errors import DebateroomError, UsageError
from debateroom.models.registry import Models
from debateroom.reading.question import classify_question
from debateroom.room.room import folder_of
from debateroom.settings import Settings

MOST_TOGETHER = 300
"""Debates at once in the providers' batches: each has a thread for every seat, and two open files."""
Value = Mapping[str, Any]
"""The object of a debate, as `room.summary` has it."""


class Planned(NamedTuple):
    """A debate that is to be played."""

    item: Item
    plan: Plan | None
    """None for one that was begun: it has that of its room."""
    chosen: Settings


class Batch:
    """A file of questions and where their rooms are. `given` are settings of all debates."""

    def __init__(
        self, questions: list[Question], name: str, given: Mapping[str, Any], *, provider_batch: bool = False
    ) -> None:
        self.given = dict(given)
        self.provider_batch = provider_batch
        """Whether all calls go into the providers' batches."""
        self.chosen: Settings = settings.load({**given, "room": name})
        self.folder = folder_of(self.chosen.active, name)
        self.items = [Item(question, self.folder / question.id) for question in questions]
        self.language = self.chosen.language if self.chosen.language != "auto" else _language(questions)

    def at_once(self) -> int:
        """Debates at once: enough to keep as many calls under way as may be, and no more than these."""
        if self.provider_batch:  # a round of all is one batch
            return min(len(self.items), MOST_TOGETHER)
        seats = max(self.chosen.agents or len(self.chosen.role) or 3, 1)
        return max(1, min(self.chosen.concurrency, 2 * self.chosen.concurrency // seats))

    def steps(self) -> int:
        """Batches of a provider one after the other, about: a round and what the moderator says of it, the end."""
        rounds = max(int(item.question.given.get("rounds") or self.chosen.rounds) for item in self.items)
        moderated = self.chosen.moderator != plans.NO_MODERATOR
        return rounds * (2 if moderated else 1) + (1 if moderated else 0)

    def over(self) -> dict[str, Value]:
        """The objects of the debates that are over, by id. Raises UsageError when a room is another question's."""
        found = ((item.question.id, standing.finished(item)) for item in self.items)
        return {name: value for name, value in found if value is not None}

    def to_play(self, over: Mapping[str, Value], models: Models) -> list[Planned]:
        """The debates that are not over, those begun first. Raises what is wrong with a line, with its place."""
        found = []
        for item in self.items:
            if item.question.id not in over:
                chosen = self._settings(item)
                found.append(Planned(item, self._planned(item, chosen, models), chosen))
        return sorted(found, key=lambda each: each.plan is not None)

    def _planned(self, item: Item, chosen: Settings, models: Models) -> Plan | None:
        """The plan of a debate; None for one that was begun, which must have been asked in the same way."""
        asked_in_batches = self.provider_batch
        if not standing.is_begun(item):
            return _plan(item.question, chosen, models, provider_batch=asked_in_batches)
        if bool(standing.begun_with(item).get("provider_batch")) is not asked_in_batches:
            how = "without" if asked_in_batches else "with"
            hint = f"give the command {how} it, or name another batch with --room"
            raise UsageError(f"{item.question.where}: this debate was begun {how} --provider-batch", hint=hint)
        return None

    def _settings(self, item: Item) -> Settings:
        """Of one debate: its own, in its own room; the batch's time is not its."""
        question = item.question
        given = asked.together({**self.given, "timeout": None}, question)
        try:
            chosen = settings.load(given)
        except DebateroomError as error:
            raise _at(question, error) from error.__cause__
        timeout = chosen.timeout if "timeout" in question.given else None
        return chosen.model_copy(update={"active": self.folder, "room": question.id, "timeout": timeout})


def _plan(question: Question, chosen: Settings, models: Models, *, provider_batch: bool) -> Plan:
    """The plan of one debate. Raises what is wrong with it, with file and line."""
    try:
        gathered = context.collect(chosen.context, chosen.note)
        plan = plans.make(question.text, chosen, gathered, models)
        return plans.in_batches(plan) if provider_batch else plan
    except DebateroomError as error:
        raise _at(question, error) from error.__cause__


def _at(question: Question, error: DebateroomError) -> DebateroomError:
    """The same error, with file and line before it."""
    error.args = (f"{question.where}: {error}",)
    error.wording = ()
    return error


def _language(questions: list[Question]) -> str:
    """That of most questions."""
    counted = Counter(classify_question(question.text).language for question in questions)
    return counted.most_common(1)[0][0]
