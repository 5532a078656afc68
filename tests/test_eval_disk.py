"""A journal that lost something in the middle of a trial, by a full disk or a damaged line: that is played again."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from evaluations import AGENT, TASKS, WORLD, Shop
from vendor import VendorServer

from debateroom import evaluations, files, resuming, settings
from debateroom.activities import Outcome
from debateroom.errors import RoomError

Serve = Callable[..., VendorServer]
FEW = TASKS[:3]


def evaluate(here: Path) -> Outcome:
    lines = [json.dumps(task.model_dump(mode="json", exclude={"line", "unscored"})) for task in FEW]
    (here / "few.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return evaluations.evaluate(
        here / "few.jsonl", agent=AGENT, world=WORLD, customer="haiku", agent_model="haiku", active=here / "active",
        concurrency=2, seed=7,
    )  # fmt: skip


def read(journal: Path) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]


def figures(outcome: Outcome) -> tuple[int, int, int]:
    """Passed, invalid and broken trials."""
    found = (outcome.transcript.final_output or {})["figures"]
    return found["overall"]["passed"], found["simulator_invalid"], found["errors"]


@pytest.mark.parametrize("lost", [{1}, {2}, {1, 2}])
@pytest.mark.parametrize("numbered", [True, False])
def test_a_trial_of_which_something_is_lost_is_played_anew(
    serve: Serve, here: Path, lost: set[int], numbered: bool
) -> None:
    """As another attempt, and neither broken nor with an invalid customer; one that had ended stays as it is.

    In a journal of an older version nothing has a number: there what does not fit shows by who speaks.
    """
    serve(Shop(tasks=FEW))
    journal = evaluate(here).folder / "journal.jsonl"
    kept, said = [], 0
    for event in read(journal):
        mine = event.get("task") == FEW[0].id
        said += mine and event["event"] == "trial_said"
        gone = mine and (event["event"] == "trial_finished" or (event["event"] == "trial_said" and said in lost))
        if event["event"] in ("synthesized", "room_finished") or gone:
            continue
        kept.append({name: value for name, value in event.items() if numbered or name != "place"})
    journal.write_bytes(b"".join(files.dumps(event) + b"\n" for event in kept))
    outcome = resuming.resume(journal.parent, settings.load({}))
    if numbered or lost != {1, 2}:
        assert figures(outcome) == (3, 0, 0)
    anew = [event for event in read(journal)[len(kept) :] if event["event"] == "trial_said"]
    assert {event["task"] for event in anew} <= {FEW[0].id}
    if numbered:
        assert {(event["attempt"], event["place"]) for event in anew} == {(2, 1), (2, 2), (2, 3)}


def test_after_a_write_that_failed_no_later_word_is_written(
    serve: Serve, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short event may still fit where a long one did not: without what came before it, it would mislead."""
    serve(Shop(tasks=FEW))
    write, full = files.AppendLog._write_line, []

    def full_once(log: files.AppendLog, line: bytes) -> None:
        if b'"party":"agent"' in line and not full:
            full.append(line)
            raise OSError(errno.ENOSPC, "No space left on device")
        write(log, line)

    monkeypatch.setattr(files.AppendLog, "_write_line", full_once)
    with pytest.raises(RoomError, match="No space left"):
        evaluate(here)
    journal = here / "active" / "eval" / "journal.jsonl"
    assert full
    assert [event["event"] for event in read(journal) if event.get("party") == "agent"] == []
    outcome = resuming.resume(journal.parent, settings.load({}))
    assert figures(outcome) == (3, 0, 0)
    assert {event.get("attempt", 1) for event in read(journal)} == {1}
