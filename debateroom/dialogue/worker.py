"""The worker: drives an agent towards a deliverable for a user who is away. What its prompt asks is enforced here.

It ends with `[WORKER_COMPLETE]` and JSON; where it does not when it must, the runner makes the partial end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from debateroom.dialogue import brief as briefs
from debateroom.dialogue import deliverable, progress, prompts, requests
from debateroom.dialogue.deliverable import HARD, WHOLE, Conclusion
from debateroom.dialogue.findings import Finding
from debateroom.dialogue.loop import Dialogue, Exchange, Over, Spoken
from debateroom.dialogue.requests import Problem
from debateroom.reading.objects import find_object
from debateroom.reading.triggers import Trigger, read_trigger

_PATIENCE = 3
"""Times at most that something is sent back at one place: each costs a call."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended."""

    stopped: str
    """`trigger`, `turns`, `no_progress`, `budget` or `deadline`."""
    outcome: str
    """`delivered`, `partial` or `refused`."""
    conclusion: Conclusion
    findings: tuple[Finding, ...] = ()
    error: str = ""


def play(dialogue: Dialogue, mission: str) -> Ended:
    """Plays the job to its end. Raises AgentFailed, CallFailed, NoModel."""
    worker = Worker(dialogue, mission)
    try:
        return worker.play()
    except Over as over:
        return worker.fallback(over.why, dialogue.plan.worded["worker"]["reasons"][over.why])


class Worker:
    """A worker while it works."""

    def __init__(self, dialogue: Dialogue, mission: str) -> None:
        self._dialogue = dialogue
        self._mission = mission
        self._words: dict[str, Any] = dialogue.plan.worded["worker"]
        self._found: list[Finding] = []

    def play(self) -> Ended:
        """Plan, then request after request, until it concludes or has to."""
        steps = self._plan()
        ask = self._start(steps)
        while True:
            place = _Place(self._dialogue, self._words, self._mission)
            said = place.hear(ask)
            self._found += place.found
            if isinstance(said, Ended):
                return self._with_findings(said)
            if said is None:
                return self.fallback(place.forced or "trigger", place.reason)
            exchange = self._send(said[0], said[1])
            ask = prompts.answered(
                self._dialogue.plan, exchange.answer, self._context_of(exchange), self._note(exchange)
            )

    def _plan(self) -> list[str]:
        """The two or three steps, which stay in the journal. A worker that gives none works without."""
        intent = briefs.intent(self._mission, briefs.read(self._dialogue.plan.brief), self._dialogue.plan.language)
        ask = f"{self._told_mission()}\n\n{self._words['plan'].format()}"
        for _ in range(2):
            spoken = self._dialogue.ask_driver(ask, call="plan")
            found = find_object(spoken.text)
            value = found.value.get("steps") if found and isinstance(found.value, dict) else None
            steps = [str(step) for step in value if str(step).strip()] if isinstance(value, list) else []
            self._dialogue.keep_plan(spoken, steps=steps[:3], **asdict(intent))
            if len(steps) >= 2:
                return steps[:3]
            ask = self._words["plan"].format()
        return []

    def _start(self, steps: Sequence[str]) -> str:
        """What asks for the first request. The plan is told and no longer stands there as said: a small model that
        has written JSON once writes it again.
        """
        self._dialogue.begin_anew()
        told = self._words["planned"] if steps else ""
        plan = "\n".join([told, *(f"- {step}" for step in steps)]) if told else ""
        return "\n\n".join(filter(None, (self._told_mission(), plan, self._context(), self._words["start"])))

    def _told_mission(self) -> str:
        plan = self._dialogue.plan
        mission = prompts.unfenced(plan, self._mission)
        return f"{self._words['mission']}\n<{plan.fence}>\n{mission}\n</{plan.fence}>"

    def _send(self, message: str, spoken: Spoken) -> Exchange:
        number = self._dialogue.number + 1
        told = {"iteration": number, "maxIterations": self._dialogue.plan.job.max_turns, "query": message}
        before = self._dialogue.plan.worded["autonomous"] if number == 1 else ""
        return self._dialogue.exchange(message, spoken, before=before, told=told)

    def _context(self) -> str:
        return prompts.execution_context(self._figures())

    def _context_of(self, exchange: Exchange) -> dict[str, Any]:
        return {**self._figures(), "sourced": bool(exchange.tools)}

    def _figures(self) -> dict[str, int]:
        dialogue = self._dialogue
        return {
            "turn": dialogue.number,
            "maxTurns": dialogue.plan.job.max_turns,
            "turnsRemaining": dialogue.remaining,
        }

    def _note(self, exchange: Exchange) -> str:
        forced, reason = must_end(self._dialogue, self._words)
        if forced == "turns":
            return str(self._words["conclude"])
        if forced:
            return str(self._words["no_progress"]).format(reason=reason)
        return str(self._words["deduced" if deliverable.deduced(exchange) else "next"])

    def _with_findings(self, ended: Ended) -> Ended:
        job = job_of(self._dialogue, self._mission)
        found = (*self._found, *ended.findings, *deliverable.flags(ended.conclusion, job))
        return Ended(ended.stopped, ended.outcome, ended.conclusion, tuple(dict.fromkeys(found)), ended.error)

    def fallback(self, stopped: str, reason: str) -> Ended:
        """The end that the runner makes where the worker makes none: what the agent answered, and how to go on."""
        words = self._words["fallback"]
        answers = [item.answer.strip() for item in self._dialogue.exchanges if item.answer.strip()]
        gathered = "\n\n".join([words["gathered"], *(f"> {answer}".replace("\n", "\n> ") for answer in answers)])
        parts = [f"# {words['title']}", gathered if answers else words["nothing"]]
        parts += [words["hypothesis"]] if answers else []
        parts += [words["options"], words["plan"]]
        summary = str(words["summary"]).format(answers=len(answers), reason=reason)
        made = Conclusion("\n\n".join(parts), summary, 0.0)
        return Ended(
            stopped, "partial", made, (*self._found, Finding("no_conclusion", self._dialogue.number, reason)), reason
        )


def must_end(dialogue: Dialogue, words: dict[str, Any]) -> tuple[str, str]:
    """Whether the worker has to end now: `turns` or `no_progress`, and why in words; both empty when it need not."""
    if not dialogue.exchanges:
        return "", ""
    stuck = progress.stuck(dialogue.exchanges)
    if stuck:
        return "no_progress", str(words["reasons"][stuck])
    return ("turns", str(words["reasons"]["turns"])) if dialogue.remaining <= 1 else ("", "")


def job_of(dialogue: Dialogue, mission: str, forced: str = "") -> deliverable.Job:
    """What happened, as the rules on a deliverable want it."""
    plan = dialogue.plan
    return deliverable.Job(dialogue.exchanges, f"{mission}\n{plan.brief}", dialogue.remaining, forced)


class _Place:
    """The worker's part after one answer: its next request, or the end."""

    def __init__(self, dialogue: Dialogue, words: dict[str, Any], mission: str) -> None:
        self._dialogue = dialogue
        self._words = words
        self._mission = mission
        self._refused: set[str] = set()
        self._sent_back = 0
        self.forced, self.reason = must_end(dialogue, words)
        self.found: list[Finding] = []

    def hear(self, ask: str) -> Ended | tuple[str, Spoken] | None:
        """The end, or the request and what it was written as; None when the worker would not end though it had to."""
        while True:
            spoken = self._dialogue.ask_driver(ask, call="repair" if self._sent_back else "seat")
            trigger = read_trigger(spoken.text, protocol="worker", speaker="worker")
            if trigger.kind == "none" and not trigger.problem and not self.forced:
                message = trigger.visible_text.strip()
                ask = self._about_request(spoken, message)
                if not ask:
                    return self._request(spoken, message)
            else:
                ask = self._about_end(spoken, trigger)
                if not ask:
                    return self._end(spoken, trigger)

    def _about_request(self, spoken: Spoken, message: str) -> str:
        """What the worker is told when its request is not sent; empty when it is."""
        problems = self._problems_of_request(message)
        if any(problem.rule == "repeated_request" and problem.rule in self._refused for problem in problems):
            self.forced, self.reason = "no_progress", self._words["reasons"]["request"]
            self._aside(spoken, problems)
            return str(self._words["no_progress"]).format(reason=self.reason)
        return self._back(spoken, "refused", problems)

    def _problems_of_request(self, message: str) -> tuple[Problem, ...]:
        before = [item.request for item in self._dialogue.exchanges]
        answers = [item.answer for item in self._dialogue.exchanges]
        known = "\n".join([self._mission, self._dialogue.plan.brief, *answers])
        return (
            *requests.problems(message, before, self._dialogue.tool_names),
            *requests.made_up(message, known),
        )

    def _request(self, spoken: Spoken, written: str) -> tuple[str, Spoken] | None:
        """The request that is sent: as it was written, or mended where it broke a rule of form again."""
        problems = self._problems_of_request(written)
        if not problems:
            return written, spoken
        turn = self._dialogue.number + 1
        self.found += [Finding(problem.rule, turn, problem.quote) for problem in problems]
        message = requests.mended(written, self._dialogue.tool_names, self._words["the_function"])
        if message:
            return message, spoken
        self._dialogue.conclude(spoken)
        self.reason = self.reason or self._told(problems[:1])
        return None

    def _about_end(self, spoken: Spoken, trigger: Trigger) -> str:
        """What the worker is told when its end is not accepted; empty when it is, or was told often enough."""
        if trigger.kind == "malformed" or trigger.problem:  # an end without its token is meant as one
            return self._again(spoken, "broken", self._words["broken"].format(problem=trigger.problem or ""))
        if trigger.kind == "none":
            key = "conclude" if self.forced == "turns" else "no_progress"
            return self._again(spoken, "not_ended", self._words[key].format(reason=self.reason))
        end = deliverable.of(trigger.value or {})
        problems = deliverable.problems(end, job_of(self._dialogue, self._mission, self.forced))
        return self._back(spoken, "not_accepted", problems)

    def _end(self, spoken: Spoken, trigger: Trigger) -> Ended | None:
        self._dialogue.conclude(spoken)
        if trigger.kind != "worker_complete":
            self.reason = self.reason or trigger.problem or ""
            return None
        end = deliverable.of(trigger.value or {})
        problems = deliverable.problems(end, job_of(self._dialogue, self._mission, self.forced))
        broken = [problem for problem in problems if problem.rule in HARD]
        findings = tuple(Finding(problem.rule, self._dialogue.number, problem.quote) for problem in problems)
        stopped = self.forced or "trigger"
        if broken:
            return Ended(stopped, "refused", end, findings, self._told(broken))
        lacking = [problem for problem in problems if problem.rule in WHOLE]
        if end.partial or self.forced == "no_progress" or lacking:
            return Ended(stopped, "partial", end, findings, self._told(lacking) or end.summary)
        return Ended(stopped, "delivered", end, findings)

    def _back(self, spoken: Spoken, key: str, problems: Sequence[Problem]) -> str:
        """Sends back what breaks rules that nothing was sent back for yet."""
        new = [problem for problem in problems if problem.rule not in self._refused]
        if not new or self._sent_back >= _PATIENCE:
            return ""
        self._aside(spoken, new)
        return str(self._words[key]).format(reason=self._told(new))

    def _again(self, spoken: Spoken, rule: str, text: str) -> str:
        if rule in self._refused or self._sent_back >= _PATIENCE:
            return ""
        self._aside(spoken, [Problem(rule)])
        return text

    def _aside(self, spoken: Spoken, problems: Sequence[Problem]) -> None:
        self._sent_back += 1
        self._refused |= {problem.rule for problem in problems}
        self._dialogue.keep_aside(spoken, [problem.rule for problem in problems])

    def _told(self, problems: Sequence[Problem]) -> str:
        rules: dict[str, str] = self._words["rules"]
        return " ".join(rules[problem.rule].format(quote=problem.quote) for problem in problems)
