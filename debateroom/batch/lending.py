"""The models that all debates of one process share: one client and one gate for a provider, however many ask."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator
from dataclasses import replace

from debateroom.models import catalog
from debateroom.models.addresses import address
from debateroom.models.batched import BatchedModels
from debateroom.models.courier import Courier
from debateroom.models.registry import Models, ModelSettings, OnWait


class Lending:
    """Lends models to rooms, in whatever thread they are played. `concurrency` calls at once with each provider."""

    def __init__(self, concurrency: int, on_wait: OnWait | None = None, *, courier: Courier | None = None) -> None:
        self._concurrency = concurrency
        self._on_wait = on_wait
        self._courier = courier
        """Takes the calls to the providers' batches; None: each is made at once."""
        self._lock = threading.Lock()  # protects what follows
        self._models: dict[ModelSettings, Models] = {}

    @contextlib.contextmanager
    def lend(self, settings: ModelSettings, names: Collection[str]) -> Iterator[Models]:
        """The models reached as `settings` say. A script is read by one room alone: it counts who asked."""
        if all(catalog.resolve(name).provider == "scripted" for name in names):
            with Models(settings) as models:
                yield models
            return
        yield self._shared(settings)

    def close(self) -> None:
        """Closes all clients."""
        with self._lock:
            while self._models:
                self._models.popitem()[1].close()

    def _shared(self, settings: ModelSettings) -> Models:
        alike = replace(  # a room notes only the addresses that it asks
            settings,
            anthropic_url=address("anthropic", settings.anthropic_url),
            openai_url=address("openai", settings.openai_url),
            concurrency=self._concurrency,
        )
        with self._lock:
            if alike not in self._models:
                made = BatchedModels(alike, self._courier) if self._courier else Models(alike)
                self._models[alike] = made
                self._models[alike].on_wait = self._on_wait
            return self._models[alike]
