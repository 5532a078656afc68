"""Sub-agents: each is a tool `subAgent<Name>` of its parent, with a mission in and a strict result out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal

from debateroom.agents import tape
from debateroom.agents.contract import RESULT_SCHEMA, SubAgentResult, failed, read_result
from debateroom.agents.conversation import Conversation, Equipped
from debateroom.agents.definition import PARAMS, AgentDefinition
from debateroom.agents.loop import Listens, converse
from debateroom.agents.run import Run
from debateroom.agents.tools import Outcome, first_line
from debateroom.agents.wording import say
from debateroom.errors import CallFailed
from debateroom.messages import ToolSpec, Turn


class SubAgentTool:
    """One sub-agent, as its parent calls it. The parent's model never sees its instructions."""

    timeout = math.inf
    """It watches the time of the whole answer by itself."""
    one_by_one: Literal[True] = True
    """Whether it may be called once more is known only when it has answered."""
    goes_on: Literal[True] = True

    def __init__(self, definition: AgentDefinition, equipped: Equipped, *, language: str) -> None:
        """`language` is the parent's, in which the tool is described."""
        self._equipped = equipped
        self._legacy = definition.legacy
        self.declared = declared(equipped)
        self.asked = asked(equipped)
        parameters = parameters_of(definition, language)
        description = describe(definition, equipped, language)
        self.spec = ToolSpec(tool_name(definition.name), description, parameters)
        known = parameters["properties"]
        self.aliases: Mapping[str, str] = {
            old: new for old, new in definition.legacy.items() if new in known and old not in known
        }

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """The sub-agent's result, whatever happened to it. Each of its steps is told as it is made."""
        if run.depth >= run.limits.depth:
            refused = failed(say(run.language, "too_deep", depth=run.limits.depth), can_retry=False)
            return self._outcome(refused, run, Conversation(), executed=False)
        talk, deeper = Conversation(), run.deeper(self._equipped.language)
        mission = compose_mission(arguments, self._legacy, self._equipped.language)
        listens = Listens(None, lambda step: run.tell(tape.told(self._equipped, step)))
        try:
            request = self._equipped.request([Turn("user", mission)], deeper, schema=RESULT_SCHEMA)
            converse(self._equipped, request, deeper, run.tell, talk=talk, listens=listens, tape=run.tape)
            result = self._read(talk, run)
        except CallFailed as error:
            result = failed(say(run.language, "sub_agent_failed", reason=error), can_retry=False)
        return self._outcome(result, run, talk)

    def _read(self, talk: Conversation, run: Run) -> SubAgentResult:
        if talk.answer is None or talk.stop_reason == "steps":
            reason = say(run.language, "steps_over")
            return failed(say(run.language, "sub_agent_failed", reason=reason), can_retry=False)
        return read_result(talk.answer.text, run.language)

    def _outcome(self, result: SubAgentResult, run: Run, talk: Conversation, *, executed: bool = True) -> Outcome:
        return Outcome(
            result.for_parent(self.spec.name, run.language),
            ok=result.value["status"] != "error",
            executed=executed,
            again=result.can_retry,
            records=tuple(talk.records),
            paid=talk.paid,
            untold=talk.untold,
        )


def declared(equipped: Equipped) -> tuple[str, ...]:
    """Names of all tools that can be executed for an answer, those of its sub-agents included."""
    below = [tool.declared for tool in equipped.tools.values() if isinstance(tool, SubAgentTool)]
    return tuple(dict.fromkeys([*equipped.tools, *(name for names in below for name in names)]))


def asked(equipped: Equipped) -> frozenset[str]:
    """Names of all models that may be asked for an answer, those of its sub-agents included."""
    below = [tool.asked for tool in equipped.tools.values() if isinstance(tool, SubAgentTool)]
    return frozenset({equipped.model.name}).union(*below)


def tool_name(name: str) -> str:
    """`subAgent<Name>`, as a tool may be called: `order desk` is `subAgentOrderDesk`."""
    words = re.split(r"[ _-]+", name)
    return "subAgent" + "".join(word[:1].upper() + word[1:] for word in words)


def describe(definition: AgentDefinition, equipped: Equipped, language: str) -> str:
    """What the parent is told: the public description, and the first line of each of its tools' descriptions."""
    description = definition.public_description or definition.name
    lines = [f"- {first_line(tool)}" for tool in equipped.tools.values()]
    if not lines:
        return description
    return say(language, "sub_agent", description=description, capabilities="\n".join(lines))


def parameters_of(definition: AgentDefinition, language: str) -> dict[str, Any]:
    """JSON Schema of the mission: the file's `sub_agent_params`, else query, context and goal; all required."""
    properties = definition.params or {
        name: {"type": "string", "description": say(language, f"param_{name}")} for name in PARAMS
    }
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def compose_mission(arguments: Mapping[str, Any], legacy: Mapping[str, str], language: str) -> str:
    """The sub-agent's mission in words, from query, context and goal or from their older names.

    What else it was called with follows under its own name.
    """
    given = {legacy.get(name, name): value for name, value in arguments.items()}
    parts = []
    for name in (*PARAMS, *(name for name in given if name not in PARAMS)):
        if name not in given:
            continue
        title = say(language, f"mission_{name}") if name in PARAMS else name
        parts.append(f"{title}:\n{_words(given[name]) or say(language, 'mission_none')}")
    return "\n\n".join(parts)


def _words(value: Any) -> str:
    from debateroom.agents.functions import as_text

    return as_text(value).strip()
