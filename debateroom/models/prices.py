"""What a call costs, in US dollars: the user's prices first, then our table, then the `genai-prices` library.

What a provider itself says a call cost counts before both tables, and after the user's own prices.

An unknown price is None, never 0. Prices are per call, since long prompts have a price of their own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from debateroom.errors import UsageError, Wording
from debateroom.language import worded
from debateroom.messages import Usage
from debateroom.models.catalog import resolve
from debateroom.settings import PROJECT_FILE, file_with_price, price_line

FREE = ("embedded", "scripted")
"""Providers that charge nothing: they run here."""
BATCH_RATE = 0.5
"""The part of its prices that either vendor charges for what comes in a batch."""
BATCH_SECONDS = 604_800.0
"""A week: nobody waits longer for an answer that comes in batches, each of which may take a day."""
_MILLION = 1_000_000
_SNAPSHOT = re.compile(r"-20\d\d-?\d\d-?\d\d$")
"""The date at the end of a dated model's name, as both vendors write it; it costs what the model costs."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of each kind."""

    input: float
    output: float
    cached: float | None = None
    """Read from the cache; None is the price of input."""
    written: float | None = None
    """Written to the cache; None is the price of input."""
    long_from: int | None = None
    """Tokens of input above which the whole call is dearer; None when it never is."""
    long_input: float = 1.0
    """What everything sent costs then, as a multiple."""
    long_output: float = 1.0

    def of(self, usage: Usage) -> float:
        """US dollars of one call."""
        fresh = usage.input - usage.cached - usage.written
        sent = (
            fresh * self.input
            + usage.cached * (self.input if self.cached is None else self.cached)
            + usage.written * (self.input if self.written is None else self.written)
        )
        received = usage.output * self.output
        if self.long_from is not None and usage.input > self.long_from:
            sent, received = sent * self.long_input, received * self.long_output
        return (sent + received) / _MILLION


@cache
def table_file() -> Path:
    """Our own table, for models that the library does not know yet."""
    return Path(__file__).with_name("prices.toml")


@cache
def _table() -> Mapping[str, Price]:
    values = tomllib.loads(table_file().read_text(encoding="utf-8"))
    return {name: Price(**entry) for name, entry in values.items()}


def own_table(values: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Price]:
    """The user's prices from the settings, by `provider:model`, whichever of its names a model was given there.

    Raises UsageError for an entry that is not one, NoModel for a name that means nothing.
    """
    return {str(resolve(name)): _own(name, entry) for name, entry in values.items()}


def _own(name: str, entry: Mapping[str, Any]) -> Price:
    parts = {part.name for part in fields(Price)}
    missing, unknown = {"input", "output"} - entry.keys(), entry.keys() - parts
    if missing or unknown:
        wrong = f"has no {min(missing)}" if missing else f"has {min(unknown)!r}, which is no part of one"
        file = file_with_price(name)
        raise UsageError(f"the price of {name} in {file} {wrong}", hint=f"in {file}: {price_line(name)}")
    return Price(**entry)


def cost(
    model: str,
    usage: Usage,
    own: Mapping[str, Price] | None = None,
    *,
    stated: float | None = None,
    rate: float = 1.0,
) -> float | None:
    """US dollars of one call to `model` (`provider:model`), `own` prices first, then what its provider `stated`.

    `rate` is the part of the price that is charged; what the provider stated is charged as it is. None when no price
    is known, and when the usage is none or contradicts itself: a paid call has no price of 0.
    """
    provider, _, name = model.partition(":")
    if provider in FREE:
        return 0.0
    if stated is not None and model not in (own or {}):
        return stated
    if not usage.input or usage.cached + usage.written > usage.input:
        return None  # the provider reported nothing, or what cannot be
    undated = _SNAPSHOT.sub("", name)
    for table in (own or {}, _table()):
        price = table.get(model) or table.get(f"{provider}:{undated}")
        if price is not None:
            return price.of(usage) * rate
    listed = _from_library(provider, name, usage)
    listed = _from_library(provider, undated, usage) if listed is None else listed
    return None if listed is None else listed * rate


def known(model: str, own: Mapping[str, Price] | None = None) -> bool:
    """Whether a call to `model` can be priced."""
    return cost(model, Usage(input=1000, output=1000), own) is not None


def require(names: Collection[str], values: Mapping[str, Mapping[str, Any]]) -> None:
    """Raises UsageError when one of the models `names` has no known price: a budget could not be kept."""
    own = own_table(values)
    for name in sorted(names):
        if not known(name, own):
            example = f'prices."{name}" = {{ input = …, output = … }}'
            hint = Wording("no_price_hint", {"file": PROJECT_FILE, "example": example})
            raise worded(UsageError, Wording("no_price", {"model": name}), hint=hint)


@lru_cache(maxsize=4096)
def _from_library(provider: str, name: str, usage: Usage) -> float | None:
    """The library's price. Its `input_tokens` include the cached and the written ones, as ours do.

    Kept: it takes a quarter of a millisecond, and a forecast asks about the same usage for every seat and round.
    """
    if provider not in ("anthropic", "openai"):
        return None
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    tokens = Tokens(
        input_tokens=usage.input,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.written,
        output_tokens=usage.output,
    )
    try:
        return float(calc_price(tokens, model_ref=name, provider_id=provider).total_price)
    except LookupError:
        return None
