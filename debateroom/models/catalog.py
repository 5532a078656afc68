"""Names of models and what is known about them, from `models.toml`. Opens nothing and asks nobody."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from debateroom.errors import NoModel

_JOINED = "+"
"""Between the makers of one model."""
PROVIDERS = ("anthropic", "openai", "embedded", "command", "scripted")
"""What may stand before the colon of a model's name."""

NAMES = "opus, sonnet, haiku, gpt, anthropic:MODEL, openai:MODEL, embedded, command:PROGRAM, scripted:PATH"
"""What a model may be called, for people."""


class ModelName(NamedTuple):
    """A model by who serves it and what it is called there. Its text is `provider:model`, or `embedded`."""

    provider: str
    """One of PROVIDERS."""
    model: str
    """The provider's id, the program or the path; empty for `embedded`."""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known about a model without asking it."""

    name: str
    """`provider:model`."""
    vendor: str
    """The maker, or several (see `makers`); `unknown` when the id does not tell."""
    window: int
    """Tokens a request and its answer may have together."""
    max_output: int
    """Tokens an answer may have, thinking included."""
    cache_minimum: int
    """Tokens below which the provider caches no prefix; 0 when there is nothing to mark."""
    sampling: bool
    """Whether temperature and its kin are accepted."""
    breakpoints: bool
    """Whether explicit OpenAI cache breakpoints are accepted."""
    tier: str
    """`top` for the dearest class, else `standard`."""
    moderates: bool = True
    """Whether it may moderate and conclude; a scripted model is asked for that after it was opened."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider is reached, and with what."""

    name: str
    key_variable: str
    """The environment variable of its key."""
    url: str
    """Its own endpoint."""
    url_variables: tuple[str, ...]
    """Environment variables that name another endpoint; the first one set counts."""


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("models.toml").read_text(encoding="utf-8"))


def aliases() -> Mapping[str, str]:
    """Short names and the `provider:model` each stands for."""
    found: Mapping[str, str] = _data()["aliases"]
    return found


def default_order() -> tuple[str, ...]:
    """Aliases to look for a key for, in order; the first is the default."""
    return tuple(_data()["defaults"]["with_key"])


def provider(name: str) -> Provider:
    """The web provider `anthropic` or `openai`."""
    entry = _data()["providers"][name]
    return Provider(name, entry["key"], entry["url"], tuple(entry["url_variables"]))


def web_providers() -> tuple[str, ...]:
    """Providers that are reached over the web with a key."""
    return tuple(_data()["providers"])


def resolve(name: str) -> ModelName:
    """The model that `name` means: an alias, `provider:model`, or a vendor's bare id like `claude-opus-5-5`.

    A gateway's `owner/model` is an id of the server that `openai:` is reached at. Raises NoModel, naming what would
    do, for a name that means nothing.
    """
    wanted = name.strip()
    alias = aliases().get(wanted.lower())
    if alias:
        return resolve(alias)
    before, colon, after = wanted.partition(":")
    if before.lower() in PROVIDERS:
        return _of_provider(before.lower(), after.strip(), wanted)
    for known, entry in _data()["providers"].items():
        if re.match(entry["bare"], wanted, re.IGNORECASE):
            return ModelName(known, wanted)
    if "/" in wanted and not colon and wanted.partition("/")[0].lower() in _data()["owners"]:
        return ModelName("openai", wanted)
    raise NoModel(f"There is no model called {wanted!r}. {_suggestion(wanted)}", hint="debateroom models")


def _of_provider(given: str, model: str, wanted: str) -> ModelName:
    if given == "embedded":
        return ModelName("embedded", "")
    if not model:
        raise NoModel(f"{wanted!r} names no model of that provider. Known names: {NAMES}.", hint="debateroom models")
    alias = aliases().get(model.lower(), "")
    if alias.startswith(f"{given}:"):
        return resolve(alias)
    return ModelName(given, model)


def _suggestion(wanted: str) -> str:
    close = get_close_matches(wanted.lower().split(":")[0], [*aliases(), *PROVIDERS], n=2, cutoff=0.6)
    if close:
        return f"Did you mean {' or '.join(close)}? Known names: {NAMES}."
    return f"Known names: {NAMES}."


def info(name: str | ModelName) -> ModelInfo:
    """What is known about the model. Raises NoModel for a name that means nothing."""
    named = resolve(name) if isinstance(name, str) else name
    plain = f"{named.provider}:{_own_id(named)}"
    entry = next(entry for entry in _data()["models"] if re.match(entry["pattern"], plain, re.IGNORECASE))
    return ModelInfo(
        name=str(named),
        vendor=vendor(named),
        window=entry["window"],
        max_output=entry["max_output"],
        cache_minimum=entry.get("cache_minimum", 0),
        sampling=entry.get("sampling", False),
        breakpoints=entry.get("breakpoints", False),
        tier=entry.get("tier", "standard"),
        moderates=entry.get("moderates", True),
    )


def vendor(named: ModelName) -> str:
    """The maker of a model, by its id: `anthropic`, `openai`, `google` …; `unknown` when the id does not tell.

    A model that one tuned from another's has both, as `deepseek+meta`.
    """
    if named.provider == "embedded":
        return "alibaba"
    if named.provider == "scripted":
        return "unknown"
    if named.provider == "command":
        return _maker_behind(named.model)
    found = _makers(named.model)
    return found or ("anthropic" if named.provider == "anthropic" else "unknown")


def makers(vendor: str) -> frozenset[str]:
    """The makers that a model's vendor names: one, or those of a model that was tuned from another's."""
    return frozenset(vendor.split(_JOINED))


def maker_called(word: str) -> str:
    """The maker that people mean by `word`, as the table calls it: `x-ai` is `xai`; one it does not know stays."""
    return str(_data()["owners"].get(word.lower(), word.lower()))


def _makers(model_id: str) -> str:
    """The makers that an id names, joined; empty when none.

    Beside the one it begins with those of what follows in it, `deepseek-r1-distill-llama`, and the owner before it,
    `nvidia/llama-…`: whoever tuned a model and whoever made what was tuned.
    """
    own = model_id.rsplit("/", 1)[-1]
    first, owner = _maker(own), _owner(model_id)
    later = [_maker(own[mark.end() :]) for mark in re.finditer("-", own)] if first else []
    return _JOINED.join(dict.fromkeys(filter(None, (first, *later, owner))))


def _maker(model_id: str) -> str:
    """The maker that an id begins to name; empty when none. A tuned model has that of what was tuned."""
    own = model_id.removeprefix("ft:")
    return next((str(maker) for maker, start in _data()["vendors"].items() if re.match(start, own, re.I)), "")


def _owner(model_id: str) -> str:
    """The maker whose name stands before the id, with a slash or a dot; empty when it is none's."""
    before = re.split(r"[/.]", model_id.lower())[:-1]
    return next((str(_data()["owners"][part]) for part in reversed(before) if part in _data()["owners"]), "")


def _maker_behind(line: str) -> str:
    """The maker of the model that a command asks: the one its `--model` names, else the program's own."""
    try:
        words = shlex.split(line)
    except ValueError:
        return "unknown"
    known = str(_data()["commands"].get(program(line), "unknown"))
    for option, value in zip(words[1:], [*words[2:], ""], strict=False):
        name, equals, given = option.partition("=")
        if name in ("--model", "-m"):
            wanted = ModelName("openai", given if equals else value)
            return _makers(wanted.model) or known
    return known


def program(line: str) -> str:
    """The name of the program that a command line starts: its first word, without folder and `.exe` or `.cmd`."""
    try:
        first = shlex.split(line)[:1]
    except ValueError:
        first = []
    return re.sub(r"\.(exe|cmd|bat)$", "", PurePath(*first).name.lower())


def _own_id(named: ModelName) -> str:
    """The id without the `owner/` that gateways put before it."""
    return named.model.rsplit("/", 1)[-1]
