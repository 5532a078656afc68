"""The shop's agent on the real embedded model: it calls a tool that is really executed, and then it answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from debateroom.agents.agent import open_agent
from debateroom.messages import Turn
from debateroom.models.registry import Models

pytestmark = pytest.mark.embedded

SHOP = Path(__file__).parent / "agents" / "shop.yaml"


def test_the_shop_agent_executes_a_tool_and_answers() -> None:
    """The record is what the shop really did or refused; whatever the model makes of it is text, never a call."""
    pytest.importorskip("xllamacpp")
    with Models() as models:
        agent = open_agent(str(SHOP), models=models, model="embedded", session="embedded", call_timeout=290.0)
        answered = agent.answer([Turn("user", "Please cancel order W1001, I no longer need it.")])
    assert answered.tools
    assert {record.name for record in answered.tools} <= {
        "get_order", "list_orders", "cancel_order", "refund", "add_note", "change_item",
    }  # fmt: skip
    for record in answered.tools:
        if record.name == "get_order" and record.ok:
            assert json.loads(record.result)["order_id"] == record.arguments["order_id"]
    assert answered.text.strip()
    assert (answered.model, answered.stop_reason) != ("", "tools")
