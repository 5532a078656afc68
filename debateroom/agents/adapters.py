"""What stands after `--agent`, and the agent it means: one of ours, or somebody else's spoken to from outside."""

from __future__ import annotations

from pathlib import Path

from debateroom.agents.agent import Agent
from debateroom.agents.conversation import Equipped
from debateroom.agents.definition import read_agents
from debateroom.agents.endpoint import endpoint_agent
from debateroom.agents.load import Guard, load_agent
from debateroom.agents.model_agent import ModelAgent
from debateroom.agents.program import command_agent, python_agent
from debateroom.agents.run import Limits
from debateroom.agents.scripted import ScriptedAgent
from debateroom.errors import UsageError
from debateroom.models.assistants import assistants
from debateroom.models.catalog import program
from debateroom.models.processes import Programs
from debateroom.models.registry import Models

PLAIN = "agent"
"""The name of an agent that has none of its own."""


def adapt(
    text: str,
    *,
    models: Models,
    model: str | None,
    start: str | None,
    session: str,
    call_timeout: float,
    seed: int | None,
    guard: Guard | None,
) -> Agent:
    """The agent that `text` means; see `agent.open_agent`."""
    wanted = text.strip()
    if Path(wanted).suffix.lower() in (".yaml", ".yml"):
        file = read_agents(Path(wanted), start=start)
        return load_agent(
            file, models=models, model=model, session=session, call_timeout=call_timeout, seed=seed, guard=guard
        )
    if start is not None:
        raise UsageError(f"--start names an agent of a YAML file, and {wanted!r} is none.")
    kind, _, rest = wanted.partition(":")
    if kind in ("http", "https"):
        return endpoint_agent(wanted, models, model=model, session=session, call_timeout=call_timeout)
    if is_outside(wanted):
        made, programs = (python_agent if kind == "python" else command_agent), models.shared(Programs)
        agent = made(rest, programs, folder=_folder(models), session=session, call_timeout=call_timeout)
        return _kept(agent, models)
    if kind == "scripted":
        return ScriptedAgent(PLAIN, Path(rest), stop=models.stop, call_timeout=call_timeout)
    plain, limits = Equipped(PLAIN, models.open(model or wanted)), Limits().for_calls(call_timeout)
    return ModelAgent(plain, limits=limits, session=session, seed=seed)


def is_outside(text: str) -> bool:
    """Whether the agent that `text` means is somebody else's, whose tools are run where nobody here is asked."""
    kind, _, rest = text.strip().partition(":")
    return kind in ("python", "http", "https") or (kind == "command" and program(rest) not in assistants())


def _folder(models: Models) -> Path:
    """Where an agent's relative paths start: where its room was started, also when it is resumed elsewhere."""
    return models.settings.folder or Path.cwd()


def _kept(agent: Agent, models: Models) -> Agent:
    """The agent, closed with `models` before what it stands on."""
    models.keep(agent)
    return agent
