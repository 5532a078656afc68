"""What a coordinator is told, in its language, from `templates/playbooks`: the playbook itself, and its tools."""

from __future__ import annotations

from collections.abc import Sequence

from debateroom import language as languages
from debateroom import templates
from debateroom.playbooks.plan import Plan


def say(language: str, key: str, /, **values: object) -> str:
    """The text `key` about tools with its places filled in."""
    text: str = templates.data(f"playbooks/{language}.toml")["tools"][key]
    return text.strip("\n").format(**values)


def prompt(plan: Plan) -> str:
    """All that the coordinator is told: the command, the three steps, the rule, the goal and how to use its tools."""
    playbook, words = plan.playbook, templates.data(f"playbooks/{plan.language}.toml")["words"]
    steps = "\n".join(
        words["step"].format(number=number, do=step.do, proof=step.proof)
        for number, step in enumerate(playbook.steps, 1)
    )
    goal = words["goal"].format(field=playbook.field, goal=plan.goal) if plan.goal else ""
    data = words["data"] if plan.outside else words["fenced"].format(fence=plan.fence)
    text: str = words["prompt"].strip("\n")
    return text.format(
        id=playbook.id,
        name=playbook.name,
        description=playbook.description,
        steps=steps,
        rule=playbook.rule,
        goal=goal,
        note=words["note_outside" if plan.outside else "note"],
        tools=words["tools_outside" if plan.outside else "tools"].strip("\n"),
        data=data,
    )


def outside(plan: Plan, *, record: str, delegate: str, finish: str) -> str:
    """What follows for a coordinator that calls us: the three commands it needs."""
    words = templates.data(f"playbooks/{plan.language}.toml")["words"]
    text: str = words["outside"].strip("\n")
    return text.format(record=record, delegate=delegate, finish=finish)


def brief(language: str) -> str:
    """The position of a worker."""
    text: str = templates.data(f"playbooks/{language}.toml")["words"]["brief"]
    return text.strip("\n") + "\n"


def summary(language: str, states: Sequence[str]) -> str:
    """How the steps stand, in a sentence: `Steps: 1 ok, 2 ok, 3 missing.`"""
    told = [f"{number} {languages.say(language, f'step_{state}')}" for number, state in enumerate(states, 1)]
    return languages.say(language, "steps_summary", steps=languages.say(language, "listed").join(told))
