"""What a room keeps about how its models were reached, so that it asks the same ones when it is resumed elsewhere.

Holds no secret: keys come from the environment or the keys file each time, addresses are kept without their logins.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from debateroom.models import addresses, catalog
from debateroom.models.registry import ModelSettings


@dataclass(frozen=True, slots=True)
class Reach:
    """How a room's models are reached."""

    folder: str = ""
    """Absolute path where relative ones in models' names start; empty is wherever resume runs."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """The address of each provider on the web that is asked."""


def noted(names: Collection[str], settings: ModelSettings) -> Reach:
    """How the models called `names` are reached with `settings` from the current folder."""
    providers = {catalog.resolve(name).provider for name in names}
    return Reach(
        folder=str(settings.folder or Path.cwd()),
        addresses={name: _here(name, settings) for name in catalog.web_providers() if name in providers},
    )


def again(reach: Reach, settings: ModelSettings) -> ModelSettings:
    """`settings`, with the models reached as `reach` has it.

    Raises UsageError for a server that nobody has named here: see `addresses.kept`.
    """
    found = {name: addresses.kept(name, url, settings.url(name)) for name, url in _known(reach)}
    return replace(
        settings,
        anthropic_url=found.get("anthropic", settings.anthropic_url),
        openai_url=found.get("openai", settings.openai_url),
        folder=Path(reach.folder) if reach.folder else None,
    )


def elsewhere(reach: Reach, settings: ModelSettings) -> dict[str, str]:
    """The addresses of `reach`, by provider, that are not those in force here: worth a word before they are asked."""
    return {name: url for name, url in _known(reach) if url != _here(name, settings)}


def _known(reach: Reach) -> list[tuple[str, str]]:
    return [(name, reach.addresses[name]) for name in catalog.web_providers() if name in reach.addresses]


def _here(provider: str, settings: ModelSettings) -> str:
    return addresses.without_secrets(addresses.address(provider, settings.url(provider)))
