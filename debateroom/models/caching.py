"""When a provider's cache may be counted on: a hit needs marks in the request, or an API that caches by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from debateroom.models.addresses import is_own_endpoint
from debateroom.models.catalog import info, resolve


@dataclass(frozen=True, slots=True)
class Caching:
    """How a model's provider keeps the prefix that calls share."""

    sure: bool
    """Whether a hit may be counted on before one was seen; never of a server that only speaks a vendor's API."""
    minimum: int
    """Tokens from which a prefix is kept, at least 1."""
    marked: bool
    """Whether no more than the marked prefix is written; else the server may write all of a prompt."""


UNCACHED = Caching(sure=False, minimum=1, marked=False)
"""In a provider's batch: its calls may run in any order and at any time, so none carries a mark."""


def caching(model: str, addresses: Mapping[str, str]) -> Caching:
    """How `model` (`provider:model`) is cached where `addresses` has its provider, by name, without secrets."""
    provider, known = resolve(model).provider, info(model)
    minimum = max(known.cache_minimum, 1)
    if provider == "anthropic":
        return Caching(sure=known.cache_minimum > 0, minimum=minimum, marked=True)
    own = provider == "openai" and is_own_endpoint("openai", addresses.get("openai", ""))
    return Caching(sure=own and known.cache_minimum > 0, minimum=minimum, marked=own and known.breakpoints)
