"""One task with the real embedded model as customer and as the shop's agent, in the shop's world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from evaluations import AGENT, TASKS, WORLD

from debateroom import evaluations

pytestmark = pytest.mark.embedded


def test_a_task_is_played_and_scored_end_to_end(tmp_path: Path) -> None:
    """The trial ends, its checks are made, the customer's temperature is 1.0, and nothing is charged."""
    pytest.importorskip("xllamacpp")
    (task,) = [each for each in TASKS if each.id == "S-005"]
    path = tmp_path / "tasks.jsonl"
    short = task.model_copy(update={"max_turns": 1})
    path.write_text(json.dumps(short.model_dump(mode="json", exclude={"line", "unscored"})), encoding="utf-8")
    outcome = evaluations.evaluate(
        path,
        agent=AGENT,
        world=WORLD,
        customer="embedded",
        agent_model="embedded",
        seed=5,
        active=tmp_path / "active",
    )
    final = dict(outcome.transcript.final_output or {})
    assert (final["figures"]["trials"], final["figures"]["errors"], final["temperature"]) == (1, 0, "1.0")
    assert final["spent"]["customer"]["usage"]["output"] > 0
    assert outcome.transcript.cost == 0.0
