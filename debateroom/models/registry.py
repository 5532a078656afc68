"""Opens models by name: one client per provider and address, shared by all seats. Also finds the default model."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from debateroom.errors import NoModel, UsageError, Wording
from debateroom.language import worded
from debateroom.messages import Model
from debateroom.models import catalog, clients, quote
from debateroom.models.addresses import address, asks_for_no_key, is_own_endpoint, without_secrets
from debateroom.models.assistants import SECRETS
from debateroom.models.calls import Caller
from debateroom.models.catalog import ModelInfo, ModelName, info, resolve
from debateroom.models.gate import Gate
from debateroom.models.keys import Keys

__all__ = [
    "Default",
    "Listed",
    "ModelInfo",
    "ModelName",
    "ModelSettings",
    "Models",
    "OnWait",
    "choose_default",
    "describe",
    "info",
    "resolve",
]


OnWait = Callable[[str, float], None]
"""Told, in a worker's thread, that a provider's rate limit holds all calls to it back for so many seconds."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How models are reached. None of it is secret: keys come from `Keys`."""

    anthropic_url: str | None = None
    """Endpoint instead of the vendor's own; None looks in the environment."""
    openai_url: str | None = None
    """The same for `openai:`; any server that speaks its API."""
    openai_window: int | None = None
    """Tokens that a model behind another endpoint takes, where its server is known to differ; None: by its id."""
    openai_api: Literal["auto", "responses", "chat"] = "auto"
    """Which of OpenAI's two APIs is spoken: `auto` is `responses` on the vendor's own endpoint, `chat` elsewhere."""
    folder: Path | None = None
    """Where relative paths in models' names start; None is the current folder."""
    concurrency: int = 32
    """Calls at once per provider, at least 1."""
    attempts: int = 6
    """Times one call is tried before it has failed, at least 1."""

    def url(self, provider: str) -> str | None:
        """The endpoint that is given for `anthropic` or `openai`."""
        return self.anthropic_url if provider == "anthropic" else self.openai_url

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise UsageError(f"--concurrency is {self.concurrency}: at least one call must be allowed.")
        if self.attempts < 1:
            raise UsageError(f"A call is tried {self.attempts} times: it must be at least once.")


class Default(NamedTuple):
    """The model to use, and why in one line for stderr; no reason when there is nothing to say."""

    name: str
    reason: Wording | None = None


def choose_default(wanted: str | None = None, *, keys: Keys | None = None) -> Default:
    """The model that was named, unchanged; else the first one that this machine can use (DESIGN §4).

    Raises NoModel for a name that means nothing, and when nothing can be used: then with the three ways out.
    """
    if wanted and wanted != "auto":
        resolve(wanted)
        return Default(wanted)
    keys = keys or Keys()
    order = catalog.default_order()
    for alias in order:
        if _usable(resolve(alias).provider, keys):
            figures = {"names": order[0], "model": alias}
            return Default(alias, None if alias == order[0] else Wording("default_other", figures))
    if embedded_installed():
        told = "default_embedded_later" if embedded_missing() else "default_embedded"
        return Default("embedded", Wording(told, {"names": ", ".join(order)}))
    raise worded(NoModel, Wording("no_model_here"), hint="debateroom keys set anthropic")


class Listed(NamedTuple):
    """One line of the list of models."""

    alias: str
    """The short name."""
    info: ModelInfo
    key: str | None
    """Where its key comes from: a variable or a file's path; None when there is none, or none is needed."""
    ready: bool
    """Whether it can be asked here as things are."""
    missing: str | None = None
    """The command that makes it ready; None when it is."""


def describe(*, keys: Keys | None = None, settings: ModelSettings | None = None) -> tuple[Listed, ...]:
    """The short names with what is known about their models, and whether each can be used here. Opens nothing."""
    keys, reached = keys or Keys(), settings or ModelSettings()
    sources = keys.list()
    rows = []
    for alias, name in catalog.aliases().items():
        provider = resolve(name).provider
        key = sources[provider]
        wrong = keys.trouble(provider)
        free = asks_for_no_key(provider, address(provider, reached.url(provider)))
        ready = wrong is None and (key is not None or free)
        missing = None if ready else wrong.hint if wrong and wrong.hint else f"debateroom keys set {provider}"
        rows.append(Listed(alias, info(name), key, ready, missing))
    missing = embedded_missing()
    rows.append(Listed("embedded", info("embedded"), None, missing is None, missing))
    return tuple(rows)


def embedded_missing() -> str | None:
    """The command that the embedded model still needs: for the extra, or else for its file; None when it is ready."""
    from debateroom.models import pull

    if not embedded_installed():
        return 'pip install "debateroom[embedded]"'
    return None if pull.cached() else "debateroom models pull"


def embedded_installed() -> bool:
    """Whether the extra `embedded` is there; it is not imported to find out."""
    return find_spec("xllamacpp") is not None


def _usable(provider: str, keys: Keys) -> bool:
    return keys.get(provider) is not None


class Closable(Protocol):
    """What has to be closed at the end."""

    def close(self) -> None: ...


T = TypeVar("T", bound=Closable)


class Line(NamedTuple):
    """What all models at one address share."""

    url: str
    client: Any
    """The SDK's client."""
    caller: Caller
    """The gate and the retries of this address."""


class Models:
    """Opens models and keeps what they share. Open on the main thread, before any pool starts: SDKs load there.

    A context manager; closing it closes every client. Opening the same name twice gives the same model.
    """

    def __init__(self, settings: ModelSettings | None = None, *, keys: Keys | None = None) -> None:
        self.settings = settings or ModelSettings()
        self.keys = keys or Keys()
        self.keys.hide()
        for name in SECRETS:
            quote.hide(os.environ.get(name, ""))
        self.stop = threading.Event()
        """When set, no further call is sent, and every thread that waits for a slot or a retry gives up."""
        self.on_wait: OnWait | None = None
        self._opening = threading.RLock()  # protects what follows: debates of one batch share their models
        self._models: dict[ModelName, Model] = {}
        self._lines: dict[tuple[str, str], Line] = {}
        self._open: list[Closable] = []
        self._shared: dict[Any, Any] = {}

    def open(self, name: str) -> Model:
        """The model called `name`. Raises NoModel when it does not exist, has no key or is not installed."""
        named = resolve(name)
        with self._opening:
            if named not in self._models:
                openers = {"anthropic": self._anthropic, "openai": self._openai, "scripted": self._scripted}
                self._models[named] = openers.get(named.provider, self._by_module)(named)
            return self._models[named]

    def keep(self, thing: Closable) -> None:
        """Something to close at the end."""
        self._open.append(thing)

    def shared(self, kind: Callable[[threading.Event], T]) -> T:
        """What `kind` makes of `stop`: made once, the same for all that is opened here, and closed at the end."""
        with self._opening:
            if kind not in self._shared:
                made = self._shared[kind] = kind(self.stop)
                self.keep(made)
            return self._shared[kind]  # type: ignore[no-any-return]

    def close(self) -> None:
        """Closes every client and local server that was opened. Models cannot be asked afterwards."""
        self.stop.set()
        self._models.clear()
        self._lines.clear()
        self._shared.clear()
        while self._open:
            self._open.pop().close()

    def __enter__(self) -> Models:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _anthropic(self, named: ModelName) -> Model:
        from debateroom.models.anthropic import AnthropicModel

        line = self._line("anthropic")
        return AnthropicModel(info(named), named.model, line.client, line.caller)

    def _openai(self, named: ModelName) -> Model:
        from debateroom.models.openai import ChatCompletions, Responses

        line, known = self._line("openai"), info(named)
        if self._speaks_responses(line.url):
            return Responses(known, named.model, line.client, line.caller)
        known = replace(known, window=self.settings.openai_window or known.window)
        return ChatCompletions(known, named.model, line.client, line.caller)

    def _scripted(self, named: ModelName) -> Model:
        from debateroom.models.scripted import ScriptedModel

        model = ScriptedModel(str(named), Path(self.settings.folder or "", named.model))
        self.keep(model)
        return model

    def _by_module(self, named: ModelName) -> Model:
        """A model whose provider is a module of its own with `open_model(named, models)`."""
        try:
            module = import_module(f"debateroom.models.{named.provider}")
        except ModuleNotFoundError as error:
            raise NoModel(f"{named} cannot be opened here: {error}.", hint="debateroom models") from error
        model: Model = module.open_model(named, self)
        return model

    def _line(self, provider: str) -> Line:
        """The shared client for a provider at its address: one, however many models and seats use it."""
        url = address(provider, self.settings.url(provider))
        if (provider, url) not in self._lines:
            make = clients.anthropic_client if provider == "anthropic" else clients.openai_client
            client = make(url, self._key(provider, url))
            self.keep(client)
            gate = Gate(self.settings.concurrency, stop=self.stop, on_hold=partial(self._tell_wait, provider))
            caller = Caller(provider, gate=gate, attempts=self.settings.attempts, address=without_secrets(url))
            self._lines[provider, url] = Line(url, client, caller)
        return self._lines[provider, url]

    def _tell_wait(self, provider: str, seconds: float) -> None:
        if self.on_wait is not None:
            self.on_wait(provider, seconds)

    def _key(self, provider: str, url: str) -> str:
        if asks_for_no_key(provider, url):
            return self.keys.get(provider) or clients.NO_KEY
        return self.keys.require(provider)

    def _speaks_responses(self, url: str) -> bool:
        if self.settings.openai_api == "auto":
            return is_own_endpoint("openai", url)
        return self.settings.openai_api == "responses"
