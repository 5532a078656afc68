"""Evaluation: simulated customers, many tasks × trials, and scores that hold. Loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_EXPORTS = {
    "check_customer_text": "debateroom.evaluation.customer_text",
    "compare_state": "debateroom.matching.state",
    "match_calls": "debateroom.matching.calls",
    "pass_hat_k": "debateroom.evaluation.figures",
}

__all__ = ["check_customer_text", "compare_state", "match_calls", "pass_hat_k"]


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        return getattr(import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module 'debateroom.evaluation' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
