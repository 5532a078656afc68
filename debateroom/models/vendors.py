"""Who made a model: as the table of models has it, else as the user states it with `--vendor MODEL=VENDOR`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from debateroom.errors import UsageError, Wording
from debateroom.language import worded
from debateroom.messages import Model
from debateroom.models import catalog
from debateroom.models.addresses import address, is_own_endpoint
from debateroom.models.catalog import ModelName, resolve
from debateroom.models.registry import ModelSettings
from debateroom.terminal import quoted

UNKNOWN = "unknown"
"""The maker of a model whose id does not tell."""
_MAKER = re.compile(r"[^\W_][\w.-]{0,39}")


class Makers:
    """The makers of the models of one room."""

    def __init__(self, stated: Sequence[str], reached: ModelSettings) -> None:
        """Reads what was `stated`, each `MODEL=VENDOR`. Raises UsageError, NoModel for one that is not that."""
        self._stated = dict(_read(text) for text in stated)
        self._reached = reached
        self._used: set[ModelName] = set()

    def of(self, model: Model) -> str:
        """The maker of `model`. Raises UsageError when nobody says who it is, or two say different things."""
        found = self.known_or_stated(model)
        if found == UNKNOWN:
            refused = Wording("vendor_unknown", {"model": model.name})
            raise worded(UsageError, refused, hint=f"--vendor {quoted(f'{model.name}=VENDOR')}")
        return found

    def known_or_stated(self, model: Model) -> str:
        """The same, and `unknown` when nobody says who it is. Raises UsageError when two say different things."""
        named = resolve(model.name)
        known, stated = self._known(named, model.vendor), self._stated.get(named)
        if stated is not None:
            self._used.add(named)
        if known != UNKNOWN and stated is not None and stated not in catalog.makers(known):
            refused = Wording("vendor_contradicts", {"model": model.name, "known": known, "stated": stated})
            raise worded(UsageError, refused)
        return known if known != UNKNOWN else stated or UNKNOWN

    def hold_used(self) -> None:
        """Raises UsageError for a statement about a model that nobody asked for: a name mistyped is no answer."""
        for named in self._stated:
            if named not in self._used:
                raise worded(UsageError, Wording("vendor_unused", {"model": str(named)}))

    def _known(self, named: ModelName, vendor: str) -> str:
        """What is known; at a server that is not Anthropic's, `anthropic:` alone says nothing about the maker."""
        if named.provider == "anthropic" and catalog.vendor(named._replace(provider="openai")) == UNKNOWN:
            own = is_own_endpoint("anthropic", address("anthropic", self._reached.url("anthropic")))
            return vendor if own else UNKNOWN
        return vendor.lower()


def _read(text: str) -> tuple[ModelName, str]:
    model, _, maker = (part.strip() for part in text.rpartition("="))
    if not model or not _MAKER.fullmatch(maker) or maker.lower() == UNKNOWN:
        raise worded(UsageError, Wording("vendor_unreadable", {"text": text}), hint="--vendor MODEL=VENDOR")
    return resolve(model), catalog.maker_called(maker)
