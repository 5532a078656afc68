"""What the journal of an evaluation holds: who said what in which attempt of which trial, and how trials ended.

A trial may be attempted more than once: one that broke is played anew when the room is resumed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson
from pydantic import ValidationError

from debateroom.evaluation.trial import Trial
from debateroom.messages import Usage
from debateroom.room import shapes
from debateroom.room.room import JOURNAL

Party = Literal["customer", "agent", "judge"]


class Key(NamedTuple):
    """One trial of one task."""

    task: str
    number: int
    """1 and up."""


@dataclass(slots=True)
class Attempt:
    """A trial as far as the journal has it."""

    number: int = 0
    """1 and up; 0 before the first."""
    tape: deque[Mapping[str, Any]] = field(default_factory=deque)
    """What was said in an attempt that did not end, in order."""
    over: bool = False
    """It ended, and not by an error."""


@dataclass(slots=True)
class Ledger:
    """What one party used and cost."""

    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """US dollars; None when a price is unknown."""

    def add(self, event: Mapping[str, Any]) -> None:
        """Adds what the call of an event cost; an event without one adds nothing."""
        if not event.get("usage"):
            return
        self.usage = self.usage + Usage(**event["usage"])
        cost = event.get("cost")
        self.cost = None if self.cost is None or cost is None else round(self.cost + cost, 9)


def events(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The events of a room one by one, so that none but one is in memory; what cannot be read is left out."""
    with (folder / JOURNAL).open("rb") as lines:
        yield from readable(lines)


def readable(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    """The events in lines of JSON; what holds none that this version can read is left out."""
    for line in lines:
        try:
            value = orjson.loads(line)
            shapes.check(value)
        except (ValueError, AttributeError):
            continue
        yield value


OF_TRIALS = ("trial_started", "trial_said", "trial_call_failed", "trial_finished")
"""Events that are of one trial."""


def told_of_trials(folder: Path, keys: Collection[Key]) -> dict[Key, list[Mapping[str, Any]]]:
    """All events of the trials `keys`, in order."""
    found: dict[Key, list[Mapping[str, Any]]] = {}
    for event in events(folder):
        if event["event"] in OF_TRIALS and key_of(event) in keys:
            found.setdefault(key_of(event), []).append(event)
    return found


class Finished(NamedTuple):
    """A trial that ended, and what its checks came to then."""

    trial: Trial
    statuses: Mapping[str, str]
    """Check → status."""


def finished(folder: Path) -> Iterator[Finished]:
    """The trials that ended, each as it ended last."""
    last: dict[Key, int] = {}
    for event in events(folder):
        if event["event"] == "trial_finished":
            last[key_of(event)] = event["attempt"]
    for event in events(folder):
        if event["event"] == "trial_finished" and last[key_of(event)] == event["attempt"]:
            found = read_trial(event)
            if found is not None:
                yield Finished(found, event["checks"])


def attempts(told: Iterable[Mapping[str, Any]]) -> dict[Key, Attempt]:
    """How far each trial has come, from the events of a room."""
    found: dict[Key, Attempt] = {}
    for event in told:
        if event["event"] not in ("trial_started", "trial_said", "trial_finished"):
            continue
        known = found.setdefault(key_of(event), Attempt())
        if event["attempt"] > known.number:
            known.number, known.over = event["attempt"], False
            known.tape.clear()
        if event["event"] == "trial_finished":
            trial = read_trial(event)
            known.over = trial is not None and trial.stop.cause != "error"
            known.tape.clear()
            if not known.over:  # a broken one is played anew, from its beginning
                known.number = event["attempt"] + 1
        elif event["event"] == "trial_said" and event["attempt"] == known.number:
            known.tape.append(event)
            if event.get("place", len(known.tape)) != len(known.tape):  # something before it is lost: played anew too
                known.number += 1
                known.tape.clear()
    return found


def key_of(event: Mapping[str, Any]) -> Key:
    """Which trial an event belongs to."""
    return Key(str(event["task"]), int(event["trial"]))


def read_trial(event: Mapping[str, Any]) -> Trial | None:
    """The trial that ended; None when another version wrote it in a way that this one cannot read."""
    try:
        return Trial.model_validate(event["result"])
    except ValidationError:
        return None
