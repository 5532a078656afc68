"""The shared prefix in the providers' caches: what each model has of it, and whether a seat should go ahead.

Calls that run at once all miss what none of them has written yet, and each pays for writing it. One that goes ahead
writes it once, and the others read it.
"""

from __future__ import annotations

from collections.abc import Sequence

from debateroom import clock, tokens

LIFE = 300.0
"""Seconds a provider keeps what nobody reads: the shortest time among them."""
MANY = 3
"""Calls of one round from which waiting for the first is worth it."""


def goes_ahead(stagger: str, *, missing: float, minimum: int, calls: int) -> bool:
    """Whether one call should go ahead of the others of its model; `stagger` is `auto`, `on` or `off`.

    `auto`: when the part that is not cached yet, `missing` tokens, is above the provider's minimum, and the round has
    three calls or more. A minimum of 0 is a provider that caches nothing.
    """
    if stagger != "auto":
        return stagger == "on"
    return calls >= MANY and 0 < minimum <= missing


class Sent:
    """The prefixes that answered calls of this run have left with each model's provider."""

    def __init__(self) -> None:
        self._when: dict[tuple[str, tuple[str, ...]], float] = {}

    def note(self, model: str, shared: Sequence[str], *, seconds: float = 0.0) -> None:
        """A call to `model` with these shared blocks was answered, so many `seconds` after it was sent."""
        self._when[model, tuple(shared)] = clock.monotonic() - seconds

    def warm(self) -> frozenset[str]:
        """The models whose providers still hold what this run has sent last."""
        now = clock.monotonic()
        return frozenset(model for (model, _), when in self._when.items() if now - when < LIFE)

    def missing(self, model: str, shared: Sequence[str], minimum: int) -> int:
        """Tokens of `shared`, about, that the model's provider does not hold: it keeps whole prefixes for a while."""
        whole = sum(map(tokens.estimate, shared))
        for length in range(len(shared), 0, -1):
            when = self._when.get((model, tuple(shared[:length])))
            if when is not None and clock.monotonic() - when < LIFE:
                held = sum(map(tokens.estimate, shared[:length]))
                return whole - held if held >= minimum else whole
        return whole
