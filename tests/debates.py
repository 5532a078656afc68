"""What tests of whole debates share: a question, the moderator's answers, and ways to look at what was left."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from vendor import Call, VendorServer

from debateroom.activities import Outcome

QUESTION = "Should background jobs use a queue or a loop?"
SYNTHESIS: dict[str, Any] = {
    "summary": "Agent B gave way.", "consensus": ["Jobs must be idempotent."],
    "disagreements": [{"question": "When?", "sides": [{"agents": ["Agent A"], "claim": "now"}]}],
    "recommended_action": "Build the queue.", "sharpest_disagreement": "How many workers?",
    "unresolved_risks": [{"risk": "Ordering.", "raised_by": ["Agent C"]}],
    "mind_changes": [], "highlights": [], "opening_positions": [],
}  # fmt: skip
ALIGNED = {
    "aligned": True, "proposal": "Agent A", "holdouts": [], "open_blockers": [], "off_topic": [],
    "why": "All want the queue.", "shared_premise": "Jobs arrive in bursts.",
}  # fmt: skip
APART = {**ALIGNED, "aligned": False, "holdouts": ["Agent B"], "why": "Agent B wants a loop.", "shared_premise": ""}

Serve = Callable[..., VendorServer]
"""The fixture `serve`: starts a server that `sonnet` and `gpt` are asked on."""


def chat(outcome: Outcome) -> dict[str, Any]:
    """What `chat.json` holds."""
    return dict(json.loads(outcome.chat.read_text(encoding="utf-8")))


def seat_calls(server: VendorServer) -> list[Call]:
    """The calls to seats, without the moderator's and the synthesis."""
    return [call for call in server.calls if call.schema is None]


def moderated_calls(server: VendorServer) -> list[Call]:
    """The moderator's calls, without the synthesis."""
    return [call for call in server.calls if "aligned" in (call.schema or {}).get("properties", {})]
