"""Which of a request's temperature and seed reach a model."""

from __future__ import annotations

from debateroom.messages import Model

SAMPLING = frozenset({"temperature", "seed"})


def ignored(model: Model) -> frozenset[str]:
    """Of `temperature` and `seed`, those that the model is not sent: it uses its own.

    A server may refuse one when it is asked for the first time; from then on it is among them.
    """
    found: frozenset[str] = getattr(model, "ignores", SAMPLING)
    return found
