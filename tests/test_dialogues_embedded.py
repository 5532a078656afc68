"""A simulation and a worker's job with the real embedded model on both sides, against the shop's agent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dialogues import journal

from debateroom import activities, dialogues, settings
from debateroom.activities import Outcome
from debateroom.dialogue import scenario as scenarios
from debateroom.dialogue.plan import Job
from debateroom.dialogues import Cast
from debateroom.models.registry import Models
from debateroom.settings import Settings

pytestmark = pytest.mark.embedded

SHOP = str(Path(__file__).parent / "agents" / "shop.yaml")
TOLD = Job(agent=SHOP, agent_model="embedded", max_turns=2)
POSITION = (
    "You look after the customers of a small shop.\n"
    "- Trigger: a customer asks where an order is\n  Work: find the order and say its status\n"
    "  Beneficiary: the customer\n-- END --\n"
)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Callable[[Callable[[Settings, Models], Cast]], Outcome]]:
    """Plays a dialogue in a folder of its own, bounded in words and time. Its fence is not drawn, so that each run
    asks the model the very same.
    """
    pytest.importorskip("xllamacpp")
    given = {"model": "embedded", "active": tmp_path / "active", "max_tokens": 256, "timeout": 400.0}
    chosen = settings.load(given)
    with activities.open_models(chosen) as models:

        def run(cast: Callable[[Settings, Models], Cast]) -> Outcome:
            made = cast(chosen, models)
            assert made.plan.short
            return dialogues.run(replace(made, plan=replace(made.plan, fence="said-4f2a")), chosen, models)

        yield run


def executed(outcome: Outcome) -> list[dict[str, Any]]:
    """Calls of tools that gave what they were called for; an order that was looked up is the one that was named."""
    calls = [event for event in journal(outcome.folder, "tool_answered") if event["ok"]]
    for call in calls:
        if call["name"] == "get_order":
            assert json.loads(call["result"])["order_id"] == call["arguments"]["order_id"]
    return calls


def test_a_simulation_executes_a_tool_and_ends_in_a_verdict(play: Any) -> None:
    """The order is really looked up, what the agent says of it is on record, and the verdict is one of the three."""
    scenario = scenarios.parse(
        {
            "persona": "hurried",
            "goals": "The agent looks the order up and says its status.",
            "opening": "What is the status of order W1001?",
        },
        "here",
    )
    outcome = play(lambda chosen, models: dialogues.cast_simulation(scenario, TOLD, chosen, models, SHOP))
    looked_up = executed(outcome)
    assert looked_up
    final = dict(outcome.transcript.final_output or {})
    assert final["outcome"] in ("passed", "failed", "inconclusive")
    assert looked_up[0]["name"] in final["tools"]
    assert outcome.summary["exit_code"] == (0 if final["outcome"] == "passed" else 3)
    assert (outcome.transcript.status, json.loads(outcome.chat.read_text())["kind"]) == ("finished", "simulation")


def test_a_job_executes_a_tool_and_ends_in_a_deliverable(play: Any) -> None:
    """What is delivered stands in the agent's answers, and it counts as delivered only when it was accepted."""
    mission = "Find out the status of order W1002."
    outcome = play(lambda chosen, models: dialogues.cast_work(mission, POSITION, TOLD, chosen, models, SHOP))
    assert executed(outcome)
    final = dict(outcome.transcript.final_output or {})
    assert final["outcome"] in ("delivered", "partial", "refused")
    assert (final["success"], outcome.summary["exit_code"]) == (
        final["outcome"] == "delivered",
        0 if final["outcome"] == "delivered" else 3,
    )
    assert final["deliverable"].strip()
    assert (outcome.folder / "deliverable.md").read_text().strip() == final["deliverable"].strip()
    assert [item["rule"] for item in final["findings"] if item["rule"].startswith("unsupported")] == []
