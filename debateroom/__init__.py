"""debateroom: rooms of language-model agents, on disk. Everything exported here is loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_EXPORTS = {
    "BadEvidence": "debateroom.errors",
    "Outcome": "debateroom.activities",
    "RefusedURL": "debateroom.errors",
    "Room": "debateroom.room.room",
    "arena": "debateroom.activities",
    "check_evidence": "debateroom.reading.evidence",
    "check_webhook_url": "debateroom.outbound.guard",
    "classify_question": "debateroom.reading.question",
    "debate": "debateroom.activities",
    "read_reply": "debateroom.reading.reply",
    "read_trigger": "debateroom.reading.triggers",
    "evaluate": "debateroom.evaluations",
    "simulate": "debateroom.dialogues",
    "work": "debateroom.dialogues",
}

__version__ = "0.1.0"
__all__ = [
    "BadEvidence",
    "Outcome",
    "RefusedURL",
    "Room",
    "__version__",
    "arena",
    "check_evidence",
    "check_webhook_url",
    "classify_question",
    "debate",
    "evaluate",
    "read_reply",
    "read_trigger",
    "simulate",
    "work",
]


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        return getattr(import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module 'debateroom' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
