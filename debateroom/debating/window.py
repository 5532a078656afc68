"""Cuts a request to what its model's window holds: the room and the last round, where all rounds are too many."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from debateroom import tokens
from debateroom.errors import CallFailed
from debateroom.messages import Model, Request


class Fitted(NamedTuple):
    """A request for a model, and how much of the history is left in it."""

    request: Request
    history: str
    """`full` or `last_round`."""


def fitted(model: Model, request: Request, *, given: int | None = None) -> Fitted:
    """`request`, or only its first and its last shared block when the window of `model` cannot hold all of them.

    `given` is the size of the shared blocks where it is known already. A model that counts its own tokens decides
    for itself; what it cannot take at all fails when it is asked.
    """
    if hasattr(model, "fit"):
        try:
            cut = model.fit(request)
        except CallFailed:
            return Fitted(request, "full")
        return Fitted(cut.request, cut.history)
    shared = sum(map(tokens.estimate, request.shared)) if given is None else given
    left = model.window - shared - min(request.max_tokens, model.window // 4) - request.reserve
    # counting is dear with hundreds of seats, and no letter is two tokens
    if len(request.shared) <= 2 or 2 * len(request.own) <= left or tokens.estimate(request.own) <= left:
        return Fitted(request, "full")
    return Fitted(replace(request, shared=(request.shared[0], request.shared[-1])), "last_round")
