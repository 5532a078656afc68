"""A whole simulation: played, held to the facts, and put into the room's final output."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from debateroom import templates
from debateroom.dialogue import findings, simulator, verdict
from debateroom.dialogue.loop import Dialogue
from debateroom.dialogue.scenario import Scenario
from debateroom.dialogue.simulator import Ended
from debateroom.dialogue.verdict import Verdict
from debateroom.errors import BudgetSpent, DeadlinePassed
from debateroom.reading.triggers import read_trigger
from debateroom.room.room import event

EXIT_CODES = {"passed": 0, "failed": 3, "inconclusive": 3}
STOPPED = {"budget": BudgetSpent.exit_code, "deadline": DeadlinePassed.exit_code}
"""Exit codes of runs that were stopped before their own end."""
_TOLD = ("turns", "too_early", "not_found", "simulator_repeats", *STOPPED)
"""Reasons with which all is said: the runner made the verdict, and its error says the same."""


def run(dialogue: Dialogue, scenario: Scenario) -> tuple[str, int]:
    """Plays the simulation, writes its final output, and says why it stopped and with which exit code.

    Raises AgentFailed when the agent turns out to have crashed: then there is no verdict.
    """
    ended = simulator.play(dialogue, scenario)
    dialogue.finish()
    tools = [tool for exchange in dialogue.exchanges for tool in exchange.tools]
    found = ended.verdict
    if ended.stopped not in STOPPED:
        words = dialogue.plan.worded["simulator"]["errors"]
        known, declared = dialogue.tool_names, dialogue.declared
        found = verdict.held_to_facts(found, scenario, tools, words, known=known, declared=declared)
    final = _final(dialogue, scenario, ended, found)
    if dialogue.room.transcript.final_output is None:
        dialogue.room.write(event("synthesized", final_output=final))
    return ended.stopped, STOPPED.get(ended.stopped, EXIT_CODES[found.outcome])


def _final(dialogue: Dialogue, scenario: Scenario, ended: Ended, found: Verdict) -> dict[str, Any]:
    gave_up = ended.verdict.success is False and ended.stopped == "trigger"
    odd = findings.of_simulator(
        dialogue.exchanges, scenario, dialogue.plan.persona, closing=_closing(dialogue), gave_up=gave_up
    )
    return {
        "outcome": found.outcome,
        "summary": _summary(found, dialogue.plan.language),
        "success": found.success,
        "explain": found.explain,
        "error": found.error,
        "because": found.because,
        "turns": dialogue.number,
        "max_turns": dialogue.plan.job.max_turns,
        "tools": list(dialogue.executed),
        "findings": [finding._asdict() for finding in odd],
        "job_id": dialogue.plan.job.job_id,
        "description": dialogue.plan.job.description,
        "verdict": asdict(ended.verdict),
    }


def _summary(found: Verdict, language: str) -> str:
    """The judge's words; before them why the outcome is not theirs, where it is not."""
    said = found.explain if found.outcome == "passed" or not found.error else found.error
    if not found.because:
        return said
    why: str = templates.data(f"labels/report.{language}.toml")["talk_because"][found.because]
    return why if found.because in _TOLD else f"{why} {said}".strip()


def _closing(dialogue: Dialogue) -> str:
    """The words that stand beside the verdict."""
    last = dialogue.room.transcript.rounds[-1] if dialogue.room.transcript.rounds else None
    if last is None or last.round <= dialogue.number:
        return ""
    return read_trigger(last.entries[0].response, protocol="done", speaker="simulator").visible_text
