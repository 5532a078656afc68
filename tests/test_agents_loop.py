"""The loop of an agent on the scripted model: tools are really called, what goes wrong is told, it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from debateroom.agents.agent import open_agent
from debateroom.messages import Turn
from debateroom.models.registry import Models

SHOP = Path(__file__).parent / "agents" / "shop.yaml"


def script(folder: Path, *lines: dict[str, Any]) -> str:
    path = folder / "replies.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"scripted:{path}"


def test_a_tool_is_called_and_the_model_reads_its_result(tmp_path: Path) -> None:
    replies = script(
        tmp_path,
        {"agent": "shop", "calls": [{"name": "get_order", "arguments": {"order_id": "W1001"}}]},
        {"agent": "shop", "response": "It is being prepared."},
    )
    with Models() as models:
        agent = open_agent(str(SHOP), models=models, model=replies)
        answered = agent.answer([Turn("user", "Where is W1001?")])
    assert answered.text == "It is being prepared."
