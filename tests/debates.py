"""What tests of whole debates share: a question, the moderator's answers, and ways to look at what was left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import until
from vendor import Call, VendorServer
from web_models import models as web_models

from debateroom import activities, cli, context, settings
from debateroom.activities import Outcome
from debateroom.debating import plan as plans

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

LONG = "A line of what everybody should know about the queue. " * 120
"""A note of about 1,300 tokens: more than either vendor's minimum."""
SURE = {f"Agent {letter}": [(9, f"Agent {letter}")] for letter in "ABCDE"}
"""Everyone is sure of its own proposal, so the moderator is asked after every round."""

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


def over_responses(server: VendorServer, **given: Any) -> Outcome:
    """A debate in which OpenAI is spoken to as on its own endpoint, with the cache fields of its newer models."""
    chosen = settings.load({"stagger": "off", **given})
    with web_models(server) as opened:
        gathered = context.collect(chosen.context, chosen.note)
        plan = plans.make(QUESTION, chosen, gathered, opened)
        return activities.run(plan, chosen, opened, on_event=None, on_progress=None)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one call."""
    code = cli.run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def broken_off(server: VendorServer, command: Sequence[str], number: int) -> tuple[int, str]:
    """Exit code and stderr of a run that gets the signal `number` while it waits for its first batch."""
    process = subprocess.Popen(
        [sys.executable, "-m", "debateroom", *command], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
    )  # fmt: skip
    until(lambda: bool(server.batches.all) and server.batches.all[0].looked > 2)
    process.send_signal(number)
    _, err = process.communicate(timeout=10)
    return process.returncode, err
