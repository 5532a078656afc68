"""An agent file: YAML that says who the agents are, what they can do, and which one begins. Checked when it is read.

    start: desk                      # needed where there are several
    limits: {steps: 12, depth: 3, calls: 60, seconds: 300}
    agents:
      - name: desk
        public_description: Answers customers about their orders.
        instructions: You answer customers …
        model: sonnet
        tools: ["python:shop:get_order", {command: [grep, -n, "{word}", faq.md], name: search, …}]
        sub_agents: [books]
      - name: books
        …

A file with one agent may leave `agents` out and begin with its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from debateroom.agents.fields import Field, read_fields
from debateroom.agents.run import Limits
from debateroom.errors import NoModel, UsageError
from debateroom.language import LANGUAGES, detect_language
from debateroom.models.catalog import resolve

_FILE = ("start", "limits", "agents")
_AGENT = (
    "name", "public_description", "instructions", "model", "tools", "sub_agents", "language", "sub_agent_params",
    "legacy_params",
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,49}")
PARAMS = ("query", "context", "goal")
"""What a sub-agent is called with, unless its `sub_agent_params` say otherwise."""
_MOST: Mapping[str, float] = {"steps": 1_000, "depth": 10, "calls": 10_000, "seconds": 86_400}


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """One agent as its file describes it."""

    name: str
    public_description: str
    """What others may know of it: a parent agent's model reads this, and never the instructions."""
    instructions: str
    model: str | None
    """None: the model that the file is opened with."""
    language: Literal["en", "fr", "zh"]
    """In which the model is told of tools: that of the instructions, where `language` does not say."""
    tools: tuple[Field, ...]
    sub_agents: tuple[Field, ...]
    """Names of agents of the same file."""
    params: Mapping[str, Any] | None
    """JSON Schema of each parameter it is called with as a sub-agent; None for query, context and goal."""
    legacy: Mapping[str, str]
    """Older names of query, context and goal that are still understood."""
    place: Field


@dataclass(frozen=True, slots=True)
class AgentFile:
    """All agents of one file."""

    path: Path
    agents: Mapping[str, AgentDefinition]
    start: str
    limits: Limits


def read_agents(path: Path, *, start: str | None = None) -> AgentFile:
    """The agents in `path`; `start` wins over the file's own. Raises UsageError naming file, line and field."""
    top = read_fields(path)
    alone = "agents" not in top.mapping()
    given = top.mapping((*_FILE, *_AGENT) if alone else _FILE)
    fields_of = [top] if alone else given["agents"].items()
    if not fields_of:
        given["agents"].fail("there is no agent in here")
    agents: dict[str, AgentDefinition] = {}
    for field in fields_of:
        agent = _agent(field, more=_FILE if alone else ())
        if agent.name in agents:
            agent.place.fail(f"there are two agents called {agent.name}")
        agents[agent.name] = agent
    _check_sub_agents(agents)
    return AgentFile(path, agents, _start(top, given, agents, start), _limits(given.get("limits")))


def _agent(field: Field, *, more: Sequence[str]) -> AgentDefinition:
    given = field.mapping((*_AGENT, *more), required=("name", "instructions"))
    name = given["name"].text()
    if not _NAME.fullmatch(name):
        given["name"].fail("a name is letters a to z, digits, blanks, - and _, at most 50, and begins with a letter")
    instructions = given["instructions"].text()
    return AgentDefinition(
        name=name,
        public_description=given["public_description"].text() if "public_description" in given else "",
        instructions=instructions,
        model=_model(given.get("model")),
        language=_language(given.get("language"), instructions),
        tools=tuple(given["tools"].items()) if "tools" in given else (),
        sub_agents=tuple(given["sub_agents"].items()) if "sub_agents" in given else (),
        params=_params(given.get("sub_agent_params")),
        legacy=_legacy(given.get("legacy_params")),
        place=given["name"],
    )


def _model(field: Field | None) -> str | None:
    if field is None:
        return None
    name = field.text()
    try:
        resolve(name)
    except NoModel as error:
        field.fail(str(error))
    return name


def _language(field: Field | None, instructions: str) -> Any:
    if field is None:
        return detect_language(instructions)
    if field.text() not in LANGUAGES:
        field.fail(f"a language is one of {', '.join(LANGUAGES)}")
    return field.text()


def _params(field: Field | None) -> Mapping[str, Any] | None:
    """Schemas by parameter. A text in place of a schema is the description of a text."""
    if field is None:
        return None
    params: dict[str, Any] = {}
    for name, each in field.mapping().items():
        schema = each.plain()
        if isinstance(schema, str):
            schema = {"type": "string", "description": schema}
        if not isinstance(schema, dict):
            each.fail("a parameter is a JSON Schema, or its description in words")
        params[name] = schema
    if not params:
        field.fail("there is no parameter in here")
    return params


def _legacy(field: Field | None) -> Mapping[str, str]:
    if field is None:
        return {}
    legacy: dict[str, str] = {}
    for old, new in field.mapping().items():
        if new.text() not in PARAMS:
            new.fail(f"an older name stands for one of {', '.join(PARAMS)}")
        if new.text() in legacy.values():
            new.fail(f"two older names stand for {new.text()}")
        legacy[old] = new.text()
    return legacy


def _check_sub_agents(agents: Mapping[str, AgentDefinition]) -> None:
    """Raises UsageError for a sub-agent that does not exist, stands twice, or leads back to its own parent."""
    for agent in agents.values():
        seen: set[str] = set()
        for field in agent.sub_agents:
            if field.text() not in agents:
                field.fail(f"there is no agent called {field.text()} in this file; there are {', '.join(agents)}")
            if field.text() in seen:
                field.fail(f"{field.text()} stands here twice")
            seen.add(field.text())
    for name in agents:
        _follow(agents, (name,))


def _follow(agents: Mapping[str, AgentDefinition], path: tuple[str, ...]) -> None:
    for field in agents[path[-1]].sub_agents:
        if field.text() in path:
            circle = " → ".join((*path[path.index(field.text()) :], field.text()))
            field.fail(f"sub-agents go in a circle: {circle}")
        _follow(agents, (*path, field.text()))


def _start(top: Field, given: Mapping[str, Field], agents: Mapping[str, AgentDefinition], wanted: str | None) -> str:
    known = ", ".join(agents)
    if wanted is not None:
        if wanted not in agents:
            raise UsageError(f"There is no agent called {wanted!r} in {top.file}; there are {known}.")
        return wanted
    if "start" in given:
        if given["start"].text() not in agents:
            given["start"].fail(f"there is no agent called {given['start'].text()} in this file; there are {known}")
        return given["start"].text()
    if len(agents) > 1:
        top.fail(f"there are several agents ({known}): the key `start`, or --start, says which one begins")
    return next(iter(agents))


def _limits(field: Field | None) -> Limits:
    if field is None:
        return Limits()
    values: dict[str, Any] = {}
    for name, each in field.mapping(tuple(_MOST)).items():
        number = each.number(1, _MOST[name])
        if name != "seconds" and number != int(number):
            each.fail("this is not a whole number")
        values[name] = float(number) if name == "seconds" else int(number)
    return Limits(**values)
