"""The real embedded model as customer and as the shop's agent, and how its customers differ by their personas."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from dialogues import Agent
from evaluations import AGENT, TASKS, WORLD

from debateroom import evaluations
from debateroom.evaluation import journal
from debateroom.evaluation.personas import PERSONAS

pytestmark = pytest.mark.embedded


def written(folder: Path, task: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "tasks.jsonl"
    path.write_text(json.dumps(task), encoding="utf-8")
    return path


def test_a_task_is_played_and_scored_end_to_end(tmp_path: Path) -> None:
    """Both speak, every check is made on what happened in the world, and nothing is charged."""
    pytest.importorskip("xllamacpp")
    (task,) = [each for each in TASKS if each.id == "S-005"]
    short = task.model_copy(update={"max_turns": 1}).model_dump(mode="json", exclude={"line", "unscored"})
    outcome = evaluations.evaluate(
        written(tmp_path, short),
        agent=AGENT,
        world=WORLD,
        customer="embedded",
        agent_model="embedded",
        seed=5,
        active=tmp_path / "active",
    )
    final = dict(outcome.transcript.final_output or {})
    assert (final["figures"]["trials"], final["figures"]["errors"]) == (1, 0)
    assert (final["temperature"], final["own_seed"]) == ("1.0", [])
    assert final["spent"]["customer"]["usage"]["output"] > 0 < final["spent"]["agent"]["usage"]["output"]
    assert outcome.transcript.cost == 0.0
    ((trial, checks),) = journal.finished(outcome.folder)
    assert [message.party for message in trial.messages][:2] == ["customer", "agent"]
    assert all(message.text for message in trial.messages[:2])
    assert (trial.seed, trial.initial["orders"]["W2001"]["status"]) == (5, "processing")
    assert checks.keys() == {"tool_calls", "db_state", "user_satisfied"}
    assert set(checks.values()) <= {"pass", "fail"}
    # what the checks said is what the world shows, whatever so small a model did
    cancelled = trial.final["orders"]["W2001"]["status"] == "cancelled"
    assert checks["db_state"] == ("pass" if cancelled and trial.final["orders"]["W2001"]["notes"] == 2 else "fail")


MEASURES = ("words", "questions", "exclamation marks")


def test_the_four_personas_differ(tmp_path: Path) -> None:
    """In words, questions or exclamation marks a message, each from each, on the same seeds; one by another spelling
    says the same word for word, so that nothing else makes the difference.

    The model is small: what it makes of a persona is not what a person would.
    """
    pytest.importorskip("xllamacpp")
    said = {name: messages(tmp_path / str(place), name) for place, name in enumerate((*PERSONAS, " POLITE "))}
    assert said[" POLITE "] == said["polite"]
    profiles = {name: profile(said[name]) for name in PERSONAS}
    for one, other in itertools.combinations(PERSONAS, 2):
        apart = [
            abs(mine - theirs) / max(mine, theirs, 1e-9)
            for mine, theirs in zip(profiles[one], profiles[other], strict=True)
        ]
        assert max(apart) >= 0.05, (one, profiles[one], other, profiles[other])


def messages(folder: Path, persona: str) -> list[str]:
    """What a customer says in two trials to an agent whose answers do not change."""
    task = {
        "instruction": "You want your order W2001 cancelled and the 40 euros back.",
        "known_info": "Your order is W2001, you paid 40 euros, your name is Ines Vale.",
        "persona": persona,
        "max_turns": 1,
    }
    asked = "What is the order number, please?"
    outcome = evaluations.evaluate(
        written(folder, task), agent=lambda session: Agent(asked), customer="embedded", trials=2, seed=12,
        active=folder / "active", concurrency=1,
    )  # fmt: skip
    events = [event for event in journal.events(outcome.folder) if event["event"] == "trial_said"]
    return [event["text"] for event in events]


def profile(said: list[str]) -> tuple[float, ...]:
    """The measures of a message, on average."""
    return tuple(sum(each) / len(said) for each in zip(*map(measured, said), strict=True))


def measured(text: str) -> tuple[int, int, int]:
    return len(text.split()), text.count("?"), text.count("!")
