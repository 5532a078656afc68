"""What a simulator and a worker are told: the prompt, an answer of the agent with its context, notes on the way."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any

from debateroom import templates
from debateroom.dialogue import brief as briefs
from debateroom.dialogue.plan import Plan
from debateroom.dialogue.tool_names import Equivalences

_CONTEXT = re.compile(r"<(/?)\s*execution-context", re.IGNORECASE)


def system(plan: Plan) -> str:
    """The driver's prompt: the same for all its calls, so that providers can serve it from their cache."""
    length = "_short" if plan.short else ""
    if plan.scenario is None:
        wanted = briefs.intent(plan.problem, briefs.read(plan.brief), plan.language)
        chosen = wanted if wanted.source == "trigger" else None
        return templates.render(
            f"prompts/{plan.language}/worker{length}.j2",
            fence=plan.fence,
            brief=plan.brief,
            capabilities="\n".join(f"- {line}" for line in plan.capabilities) or plan.worded["not_given"],
            persona=plan.persona,
            goal=chosen.goal if chosen else "",
            recipient=chosen.recipient if chosen else "",
        ).strip()
    return templates.render(
        f"prompts/{plan.language}/simulator{length}.j2",
        fence=plan.fence,
        opening=unfenced(plan, plan.scenario.opening),
        persona=plan.persona,
        criteria=plan.scenario.result,
        goals=plan.scenario.goals,
        equivalences=_grouped(plan.scenario.all_equivalences),
        instructions=plan.scenario.instructions,
    ).strip()


def answered(plan: Plan, answer: str, context: dict[str, Any], *notes: str) -> str:
    """An answer of the agent as the driver gets it: quoted, then the real execution context, then notes of ours."""
    quoted = unfenced(plan, answer).strip() or plan.worded["empty_answer"]
    parts = [f"<{plan.fence}>\n{quoted}\n</{plan.fence}>", execution_context(context), *filter(None, notes)]
    return "\n\n".join(parts)


def execution_context(context: dict[str, Any]) -> str:
    """The block with which each message to a driver ends."""
    return f"<execution-context>{json.dumps(context, ensure_ascii=False)}</execution-context>"


def unfenced(plan: Plan, text: str) -> str:
    """`text` without the run's fence, and without anything that could be taken for an execution context."""
    return _CONTEXT.sub(r"<\1quoted-context", text.replace(plan.fence, "said"))


def _grouped(equivalences: Equivalences) -> list[tuple[str, str]]:
    """Names that mean the same, with the patterns of their tools: `M-Files = GED`, `resolve*, lookupMfiles*`."""
    groups: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, patterns in equivalences.items():
        groups[tuple(patterns)].append(name)
    return [
        (" = ".join(f"`{name}`" for name in names), ", ".join(f"`{pattern}`" for pattern in patterns))
        for patterns, names in groups.items()
    ]
