"""The mirror simulator: plays a person against an agent, and judges silently. What its prompt asks is enforced here.

The first thing it sees is the agent's answer to the opening question. It ends with `[DONE]` and JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from debateroom.dialogue import asking, progress, prompts, sameness, verdict
from debateroom.dialogue.loop import Dialogue, Exchange, Over, Spoken
from debateroom.dialogue.scenario import Scenario
from debateroom.dialogue.verdict import Verdict
from debateroom.errors import DebateroomError
from debateroom.reading.triggers import Trigger, read_trigger


@dataclass(frozen=True, slots=True)
class Said:
    """A message to the agent."""

    message: str
    spoken: Spoken | None
    """What it was written as, thinking included; None when nobody was asked for it."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a dialogue ended."""

    stopped: str
    """`trigger`, `turns`, `no_progress`, `budget` or `deadline`."""
    verdict: Verdict


def play(dialogue: Dialogue, scenario: Scenario) -> Ended:
    """Plays the simulation to its verdict. Raises AgentFailed, CallFailed, NoModel."""
    try:
        return _play(dialogue, scenario)
    except Over as over:
        errors = dialogue.plan.worded["simulator"]["errors"]
        return Ended(over.why, verdict.none(errors[f"stopped_{over.why}"], over.why))


def _play(dialogue: Dialogue, scenario: Scenario) -> Ended:
    said = Said(scenario.opening, None) if scenario.opening else _opening(dialogue)
    while isinstance(said, Said):
        exchange = dialogue.exchange(said.message, said.spoken)
        said = _Judging(dialogue, scenario, exchange).judge()
    return said


def _opening(dialogue: Dialogue) -> Said | Ended:
    """The opening question that the simulator writes. A verdict before the agent could answer is refused once."""
    words = dialogue.plan.worded["simulator"]
    ask = words["opening"]
    for attempt in range(2):
        spoken = dialogue.ask_driver(ask)
        trigger = read_trigger(spoken.text, protocol="done", speaker="simulator")
        if trigger.kind == "none" and trigger.visible_text.strip():
            return Said(trigger.visible_text.strip(), spoken)
        ask = words["empty"] if trigger.kind == "none" else words["too_early"]
        if attempt == 0:
            dialogue.keep_aside(spoken, ["empty" if trigger.kind == "none" else "too_early"])
    if trigger.kind == "none":
        dialogue.keep_aside(spoken, ["empty"])
        raise _silent()
    dialogue.conclude(spoken)
    early = verdict.none(words["errors"]["too_early"], "too_early")
    return Ended("trigger", early)


def _silent() -> DebateroomError:
    return DebateroomError("the simulator wrote nothing twice", hint="name another model with --model")


class _Judging:
    """The simulator's part after one answer of the agent: its next message, or the end."""

    def __init__(self, dialogue: Dialogue, scenario: Scenario, exchange: Exchange) -> None:
        self._dialogue = dialogue
        self._scenario = scenario
        self._exchange = exchange
        self._words: dict[str, Any] = dialogue.plan.worded["simulator"]
        self._refused: set[str] = set()
        """Rules by which something was sent back; none does it twice."""
        self._due = ""
        """Why the next word must be a verdict: `turns`, `no_progress` or `not_found`; empty when it need not."""
        self._reason = ""

    def judge(self) -> Ended | Said:
        """The end, or the message that goes to the agent."""
        ask = self._first_ask()
        while True:
            spoken = self._dialogue.ask_driver(ask, call="repair" if self._refused else "seat")
            trigger = read_trigger(spoken.text, protocol="done", speaker="simulator")
            ask = self._sent_back(spoken, trigger)
            if ask:
                continue
            if trigger.kind == "none" and not self._due:
                return Said(trigger.visible_text.strip(), spoken)
            self._dialogue.conclude(spoken)
            return Ended(self._stopped(trigger), self._verdict(trigger))

    def _first_ask(self) -> str:
        dialogue = self._dialogue
        reason = progress.stalled(dialogue.exchanges)
        if dialogue.remaining <= 0:
            self._due = "turns"
        elif reason:
            self._due, self._reason = "no_progress", self._words["reasons"][reason]
        context = {
            "turn": dialogue.number,
            "maxTurns": dialogue.plan.job.max_turns,
            "turnsRemaining": dialogue.remaining,
            "tools": [tool.name for tool in self._exchange.tools],
        }
        return prompts.answered(dialogue.plan, self._exchange.answer, context, self._note())

    def _note(self) -> str:
        return str(self._words[self._due or "next"]).format(reason=self._reason)

    def _sent_back(self, spoken: Spoken, trigger: Trigger) -> str:
        """What the simulator is told when what it wrote does not stand; empty when it stands."""
        if trigger.kind == "malformed" or trigger.problem:  # a verdict without its token is meant as one
            return self._once("broken", spoken, problem=trigger.problem or "")
        if trigger.kind == "done":
            why = verdict.refusal(trigger.value or {}, trigger.visible_text, self._exchange.answer)
            return self._once(why, spoken) if why else ""
        if self._due:
            return ""
        message = trigger.visible_text.strip()
        if not message:
            again = self._once("empty", spoken)
            if not again:
                self._dialogue.keep_aside(spoken, ["empty"])
                raise _silent()
            return again
        if self._gave_up_on_nothing(message):
            return self._demand("not_found", spoken)
        earlier = [item.request for item in self._dialogue.exchanges]
        if any(asking.repeated(message, other) for other in earlier):
            self._reason = self._words["reasons"]["message"]
            return self._demand("no_progress", spoken)
        return ""

    def _once(self, rule: str, spoken: Spoken, **values: str) -> str:
        """Sends back what was written, the first time that `rule` speaks against it."""
        if rule in self._refused:
            return ""
        self._refused.add(rule)
        self._dialogue.keep_aside(spoken, [rule])
        return "\n\n".join(filter(None, (self._words[rule].format(**values), self._note())))

    def _demand(self, due: str, spoken: Spoken) -> str:
        """Keeps a message back and asks for the verdict in its place."""
        self._due = due
        self._dialogue.keep_aside(spoken, [due])
        return self._note()

    def _gave_up_on_nothing(self, message: str) -> bool:
        """Whether the agent has searched and found nothing, and `message` tells it nothing new from the brief."""
        if not (progress.searched(self._exchange) and progress.found_nothing(self._exchange)):
            return False
        known = f"{self._dialogue.plan.persona}\n{self._scenario.goals}"
        told = [item.request for item in self._dialogue.exchanges]
        return not sameness.tells_more(message, known, told)

    def _stopped(self, trigger: Trigger) -> str:
        """Why it ends, as the transcript has it."""
        if trigger.kind == "none":
            return {"turns": "turns", "no_progress": "no_progress", "not_found": "trigger"}[self._due]
        return "no_progress" if self._due == "no_progress" else "trigger"

    def _verdict(self, trigger: Trigger) -> Verdict:
        errors: dict[str, str] = self._words["errors"]
        if trigger.kind == "done":
            return verdict.of(trigger.value or {})
        if trigger.kind == "malformed":
            return verdict.none(errors["unreadable"].format(problem=trigger.problem), "invalid")
        if self._due == "turns":
            return verdict.limit_reached("turn limit reached", "turns")
        if self._due == "no_progress" and self._reason != self._words["reasons"]["message"]:
            return verdict.limit_reached(errors["no_progress"].format(reason=self._reason))
        why = "not_found" if self._due == "not_found" else "simulator_repeats"
        return verdict.none(errors["no_verdict"], why)
