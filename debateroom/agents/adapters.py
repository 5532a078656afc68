"""What stands after `--agent`, and the agent it means: one of ours, or somebody else's spoken to from outside."""

from __future__ import annotations

from pathlib import Path

from debateroom.agents.agent import Agent
from debateroom.agents.definition import read_agents
from debateroom.agents.load import load_agent
from debateroom.agents.loop import Equipped, ModelAgent
from debateroom.errors import UsageError
from debateroom.models.registry import Models

PLAIN = "agent"
"""The name of an agent that has none of its own."""


def adapt(text: str, *, models: Models, model: str | None, start: str | None, session: str) -> Agent:
    """The agent that `text` means; see `agent.open_agent`."""
    wanted = text.strip()
    if Path(wanted).suffix.lower() in (".yaml", ".yml"):
        return load_agent(read_agents(Path(wanted), start=start), models=models, model=model, session=session)
    if start is not None:
        raise UsageError(f"--start names an agent of a YAML file, and {wanted!r} is none.")
    return ModelAgent(Equipped(PLAIN, models.open(wanted)), session=session)
