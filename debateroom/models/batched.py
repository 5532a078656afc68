"""Models whose calls go into the batches of their providers: half the price, and an answer within a day."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from debateroom.errors import CallFailed, DebateroomError, UsageError
from debateroom.files import dumps
from debateroom.messages import Answer, Model, OnText, Paid, Request
from debateroom.models import faults
from debateroom.models.calls import Call, too_dear
from debateroom.models.catalog import resolve, web_providers
from debateroom.models.courier import Courier
from debateroom.models.draft import Draft
from debateroom.models.parcels import Desk, Parcel
from debateroom.models.prices import BATCH_RATE
from debateroom.models.registry import Models, ModelSettings
from debateroom.models.retry import helps, tried
from debateroom.models.sampling import SAMPLING
from debateroom.models.vendor_batches import Came, Item, MessageBatches, OpenAIBatches, VendorBatches
from debateroom.models.web import WebModel

ATTEMPTS = 3
"""Batches in which one call is, at most, before it has failed."""
_STREAMING = ("stream", "stream_options")


def takes_batches(name: str) -> bool:
    """Whether the provider of a model has batches."""
    return resolve(name).provider in web_providers()


def require(names: Collection[str]) -> None:
    """Raises UsageError when the provider of one of the models `names` has no batches."""
    for name in sorted(names):
        if not takes_batches(name):
            providers = ", ".join(f"{each}:" for each in web_providers())
            raise UsageError(
                f"--provider-batch: {name} is asked here, and no provider takes batches for it",
                hint=f"name models of {providers}, or leave --provider-batch out: --concurrency 32 asks many at once",
            )


class BatchedModels(Models):
    """Models that are asked by way of a courier, where their provider has batches; others as ever."""

    def __init__(self, settings: ModelSettings, courier: Courier) -> None:
        super().__init__(settings)
        self.courier = courier
        self._batched: dict[str, BatchedModel] = {}

    def open(self, name: str) -> Model:
        """The model called `name`. Raises NoModel as `Models` does."""
        model = super().open(name)
        if not isinstance(model, WebModel):
            return model
        with self._opening:
            if model.name not in self._batched:
                self._batched[model.name] = BatchedModel(model, self.courier)
            return self._batched[model.name]


class BatchedModel:
    """One model on the web, asked in batches."""

    def __init__(self, model: WebModel, courier: Courier) -> None:
        self.name = model.name
        self.vendor = model.vendor
        self.window = model.window
        self.moderates = model.moderates
        self._model = copy.copy(model)
        # in a batch nobody knows what runs when: a mark would pay for writing what nobody finds
        self._model.known = replace(model.known, cache_minimum=0, breakpoints=False)
        self._provider = resolve(model.name).provider
        self._courier = courier
        self._desk = self._desk_of(model)

    @property
    def ignores(self) -> frozenset[str]:
        """Of temperature and seed, what the server does not take."""
        return frozenset(getattr(self._model, "ignores", SAMPLING))

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """The model's answer, once the batch that it is in is over.

        What failed or expired is asked again in a later batch, up to three in all. Raises CallFailed and NoModel.
        """
        digest, number, thrown_away = _digest(request), 0, list[Paid]()
        limit = request.max_tokens
        for attempt in range(1, ATTEMPTS + 1):
            call, number = self._courier.next_id(digest, number)
            asked = replace(request, max_tokens=limit)
            under_way = Call(self._provider, self._model.model_id, float("inf"), limit)
            came = self._courier.post(self._parcel(call, asked, together=request.together if attempt == 1 else 1))
            try:
                answer = self._read(under_way, asked, came)
                return replace(answer, before=tuple(thrown_away), rate=BATCH_RATE)
            except DebateroomError as error:
                self._courier.spoil(call)
                lost = [replace(paid, rate=BATCH_RATE) for paid in under_way.paid(asked, error)]
                thrown_away += lost
                failure = error
            if not (isinstance(failure, CallFailed) and helps(failure, request)):
                break
            if attempt == ATTEMPTS:
                failure = tried(failure, ATTEMPTS)
            elif lost and request.allowance is not None:
                fitting = request.allowance.again(lost)
                if fitting is None:
                    failure = too_dear(failure)
                    break
                limit = min(limit, fitting)
        failure.paid = tuple(thrown_away)
        raise failure

    def _parcel(self, call: str, request: Request, *, together: int) -> Parcel:
        body = {name: value for name, value in self._model.body(request).items() if name not in _STREAMING}
        return Parcel(self._desk, Item(call, body), request.cache_key, request.purpose, together)

    def _read(self, call: Call, request: Request, came: Came) -> Answer:
        """The answer that came. Raises CallFailed or NoModel for what is none."""
        if came.kind == "error":
            raise faults.failed_answer(came.status, came.value, provider=self._provider, model=self._model.model_id)
        if came.kind != "answer":
            raise call.failed(came.kind)
        with faults.translated(self._provider, self._model.model_id):
            draft = Draft(call)
            draft.content = self._model.content() if request.tools else None
            for event in self._model.unfolded(came.value):
                self._model.read(call, draft, event)
            return draft.answer()

    def _desk_of(self, model: WebModel) -> Desk:
        if self._provider == "anthropic":
            batches: VendorBatches = MessageBatches(model.client)
            return Desk(self._provider, model.model_id, self._provider, batches)
        return Desk(self._provider, model.model_id, self.name, OpenAIBatches(model.client, model.path))


def _digest(request: Request) -> str:
    """What tells a call from all others: room, round and seat, and what is asked. Not its limit, which may change."""
    purpose = request.purpose
    told: list[Any] = [request.cache_key, *((purpose.call, purpose.agent, purpose.round) if purpose else ())]
    told += [request.texts, request.schema, [tool.name for tool in request.tools], request.may_call]
    calls = [(each.id, each.arguments) for turn in request.turns for each in turn.calls]
    return f"dr-{hashlib.sha256(dumps([*told, calls])).hexdigest()[:40]}"
