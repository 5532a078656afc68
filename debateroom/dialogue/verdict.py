"""The verdict of a simulation: what the judge said, held to what really happened. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from debateroom.agents.agent import ToolRecord
from debateroom.dialogue import sameness, signs, tool_names
from debateroom.dialogue.scenario import Scenario
from debateroom.errors import UsageError
from debateroom.matching.calls import ExpectedCall, match_calls

Result = Literal["passed", "failed", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a simulation ended."""

    outcome: Result
    success: bool | None
    """What the judge said; None when nothing readable."""
    explain: str = ""
    error: str = ""
    because: str = ""
    """Why the outcome is not what the judge said; one word, empty when it is."""


def of(value: Mapping[str, Any]) -> Verdict:
    """The verdict in the judge's JSON. A success with an error contradicts itself: inconclusive."""
    success = value.get("success")
    explain, error = (str(value.get(key) or "").strip() for key in ("explain", "error"))
    if not isinstance(success, bool):
        return Verdict("inconclusive", None, explain, error, "invalid")
    if success and error:
        return Verdict("inconclusive", True, explain, error, "contradiction")
    return Verdict("passed" if success else "failed", success, explain, error)


def limit_reached(error: str, because: str = "") -> Verdict:
    """The verdict where a verdict was due and none came."""
    return Verdict("failed", False, "", error, because)


def none(error: str, because: str) -> Verdict:
    """No verdict on the agent."""
    return Verdict("inconclusive", None, "", error, because)


def held_to_facts(
    said: Verdict, scenario: Scenario, tools: Sequence[ToolRecord], words: Mapping[str, str], *,
    known: Sequence[str], declared: Sequence[str] | None = None,
) -> Verdict:  # fmt: skip
    """`said`, unless the tools contradict it; what is wrong is said in `words`.

    An expected call that is missing, or a forbidden one that was made, is a failure. A success is inconclusive when
    the goals name tools and none of them was executed; `known` are names of tools that no form gives away. `declared`
    are the agent's, None where nobody knows: what is none of them is told.
    """
    unmet = _unmet(scenario.expected_tools, tools, words)
    missing = without_tool(scenario, known, declared)
    absent = [words["absent"].format(names=", ".join(missing))] if missing else []
    if unmet and said.outcome != "failed":
        return Verdict("failed", said.success, said.explain, "; ".join([*unmet, *absent]), "expected_tools")
    executed = [tool.name for tool in tools]
    wanted = tool_names.wanted(scenario.goals, scenario.all_equivalences, known)
    if said.outcome == "passed" and wanted and not tool_names.any_executed(wanted, executed):
        names = ", ".join(pattern for group in wanted for pattern in group)
        told = "; ".join([words["unexecuted"].format(names=names), *absent])
        return Verdict("inconclusive", True, said.explain, told, "tools")
    return said


def without_tool(scenario: Scenario, known: Sequence[str], declared: Sequence[str] | None) -> tuple[str, ...]:
    """The tools that goals and expected calls name and that are none of the `declared` ones; None is not known."""
    if declared is None:
        return ()
    goals = tool_names.wanted(scenario.goals, scenario.all_equivalences, known)
    named = [*((each.tool,) for each in scenario.expected_tools), *goals]
    missing = (", ".join(patterns) for patterns in named if not tool_names.any_executed([patterns], declared))
    return tuple(dict.fromkeys(missing))


def _unmet(expected: Sequence[ExpectedCall], tools: Sequence[ToolRecord], words: Mapping[str, str]) -> list[str]:
    """What is wrong with the calls, one by one. Which agent called is not recorded, so `by` is any."""
    anybody = [each.model_copy(update={"by": None}) for each in expected]
    made = [{"tool": tool.name, "args": tool.arguments} for tool in tools]
    try:
        return [words[each.kind].format(call=each.about) for each in match_calls(anybody, made).evidence]
    except UsageError as error:  # an expectation that cannot be held against these calls
        return [str(error)]


def refusal(
    value: Mapping[str, Any], visible: str, answer: str | None
) -> Literal["", "too_early", "no_answer_claimed"]:
    """Why a verdict of failure is sent back: before the agent could answer, or denying an answer that is there.

    `visible` is what stands beside the trigger: a question in it is one that the agent has not seen. `answer` is the
    agent's last one; None before the first.
    """
    if value.get("success") is not False:
        return ""
    if answer is None or sameness.questions(visible):
        return "too_early"
    said = f"{value.get('error') or ''} {value.get('explain') or ''}"
    if answer.strip() and signs.shows("no_answer_claimed", said):
        return "no_answer_claimed"
    return ""
