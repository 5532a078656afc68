"""Builds the agent that a file describes: its models opened, its tools found, its sub-agents under it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from debateroom.agents.conversation import Equipped
from debateroom.agents.definition import AgentDefinition, AgentFile
from debateroom.agents.model_agent import ModelAgent
from debateroom.agents.subagents import SubAgentTool, tool_name
from debateroom.agents.toolbox import acts, read_tools
from debateroom.agents.tools import Tool
from debateroom.agents.wording import say
from debateroom.errors import NoModel, UsageError
from debateroom.messages import CALL_SECONDS, Model
from debateroom.models.registry import Models, choose_default

Guard = Callable[[Tool], Tool]


def load_agent(
    file: AgentFile,
    *,
    models: Models,
    model: str | None = None,
    session: str = "",
    call_timeout: float = CALL_SECONDS,
    seed: int | None = None,
    guard: Guard | None = None,
) -> ModelAgent:
    """The agent with which `file` starts. `model` stands in for every model that the file names.

    `guard` makes something else of each tool that may change something, those of sub-agents included.

    Raises UsageError naming file, line and field, NoModel for a model that cannot be used here.
    """
    builder = _builder(file, models, model, guard)
    start = builder.agent(file.agents[file.start])
    limits = file.limits.for_calls(call_timeout)
    return ModelAgent(start, asks=builder.asked, limits=limits, session=session, seed=seed)


def equip(file: AgentFile, *, models: Models, model: str | None = None, guard: Guard | None = None) -> Equipped:
    """The agent with which `file` starts, with all that it can do; `guard` and errors as with `load_agent`."""
    return _builder(file, models, model, guard).agent(file.agents[file.start])


def _builder(file: AgentFile, models: Models, model: str | None, guard: Guard | None) -> _Builder:
    return _Builder(file, models, model, guard)


class _Builder:
    """Builds each agent of a file once, from those without sub-agents upwards."""

    def __init__(self, file: AgentFile, models: Models, model: str | None, guard: Guard | None) -> None:
        self._file = file
        self._models = models
        self._model = model
        self._guard = guard
        self._built: dict[str, Equipped] = {}

    @property
    def asked(self) -> list[str]:
        """Names of the models of all agents that were built."""
        return [equipped.model.name for equipped in self._built.values()]

    def agent(self, definition: AgentDefinition) -> Equipped:
        """The agent, and before it all that it stands on."""
        if definition.name not in self._built:
            tools = self._tools(definition)
            model = self._open(definition, tools)
            self._built[definition.name] = Equipped(
                definition.name, model, definition.instructions, tools, definition.language
            )
        return self._built[definition.name]

    def _tools(self, definition: AgentDefinition) -> dict[str, Tool]:
        tools: dict[str, Tool] = {}
        for field in definition.tools:
            for tool in read_tools(field, self._models, definition.language, known=tools):
                tools[tool.spec.name] = self._guard(tool) if self._guard and acts(field) else tool
        for field in definition.sub_agents:
            child = self._file.agents[field.text()]
            name = tool_name(child.name)
            if name in tools:
                field.fail(f"there are two tools called {name}")
            tools[name] = SubAgentTool(child, self._under_contract(child), language=definition.language)
        return tools

    def _under_contract(self, child: AgentDefinition) -> Equipped:
        """The agent as a sub-agent: told at the end of its instructions what it owes."""
        equipped = self.agent(child)
        contract = say(child.language, "contract")
        return replace(equipped, instructions=f"{equipped.instructions}\n\n{contract}")

    def _open(self, definition: AgentDefinition, tools: dict[str, Tool]) -> Model:
        name = self._model or definition.model
        if name is None:
            name = choose_default(keys=self._models.keys).name
        if tools and name.startswith("command:"):
            raise UsageError(
                f"{self._file.path}: the agent {definition.name} has tools, and {name} takes none.",
                hint="name a model that is asked through an API, or `embedded`",
            )
        try:
            return self._models.open(name)
        except NoModel as error:
            if self._model is None and definition.model is not None:
                raise NoModel(f"{self._file.path}, the agent {definition.name}: {error}", hint=error.hint) from error
            raise
