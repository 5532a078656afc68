"""`debateroom eval --provider-batch`: what all trials ask next is one batch; what cannot go into one is said."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from debates import Serve, broken_off, run
from evaluations import TASKS, Shop, few

FEW = TASKS[:4]
ROOM = Path("active/eval")
BATCHED = ("--provider-batch", "--poll", "0.01")


@pytest.fixture
def command(here: Path) -> list[str]:
    """An evaluation of four of the shop's tasks."""
    return few(FEW)


def said() -> list[dict[str, Any]]:
    """What was said in the trials, in order."""
    return [each for each in map(json.loads, (ROOM / "journal.jsonl").read_text().splitlines()) if "party" in each]


def test_what_all_trials_ask_next_is_one_batch(
    command: list[str], serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """Customers and agents, tool by tool; every trial passes as ever, at half the price."""
    server = serve(Shop(tasks=FEW), cache_minimum=10**9)
    code, out, err = run(capsys, *command, *BATCHED, "--trials", "2", "--json")
    assert code == 0, err
    assert "at half the price" in err
    assert "what the trials ask next, 8 calls in the batch" in err
    sizes = [len(batch.items) for batch in server.batches.all]
    assert sizes[0] == 8
    assert len(sizes) < 10
    assert not [call for call in server.calls if call.stream]
    halved, texts = json.loads(out)["cost"], sorted(each["text"] for each in said())
    serve(Shop(tasks=FEW), cache_minimum=10**9)  # another one: it counts how often a task was begun
    code, out, _ = run(capsys, *command, "--trials", "2", "--json", "-q")
    assert code == 0
    assert halved == pytest.approx(
        json.loads(out)["cost"] / 2, rel=0.05
    )  # two trials of a task begin in another order
    assert sorted(each["text"] for each in said()) == texts
    assert not (ROOM / "provider_batches.jsonl").exists()  # it was the run's before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_evaluation_is_resumed_with_its_batch(
    command: list[str], serve: Serve, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    """`resume` waits for the same batch; nothing is handed over twice."""
    server = serve(Shop(tasks=FEW))
    server.batches.open = False
    _, err = broken_off(server, [*command, *BATCHED], number)
    if number == signal.SIGINT:
        assert "debateroom resume" in err.splitlines()[-1]
    server.batches.open = True
    code, _, err = run(capsys, "resume", str(ROOM))
    assert code == 0, err
    assert f"the batch {server.batches.all[0].id} of an earlier run" in err
    ids = [name for batch in server.batches.all for name in batch.ids]
    assert len(set(ids)) == len(ids)
    assert len(server.calls) == len(ids)


def test_an_agent_from_outside_is_asked_directly(
    command: list[str], serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """And that is said; the customers' calls go into batches all the same."""
    server = serve(Shop(tasks=FEW))
    Path("desk.py").write_text("def answer(messages):\n    return 'It is done.'\n", encoding="utf-8")
    given = ["eval", "few.jsonl", "--agent", "python:desk:answer", "--customer", "haiku", *BATCHED]
    code, _, err = run(capsys, *given)
    assert code in (0, 3), err
    assert "python:desk:answer is not asked in batches: each call to it is made at once" in err
    assert len(server.batches.all[0].items) == 4
    opened = json.loads((ROOM / "journal.jsonl").read_text().splitlines()[0])["settings"]
    assert opened["direct"] == ["python:desk:answer"]


def test_nothing_that_goes_into_batches_is_a_usage_error(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, with what would do."""
    Path("r.jsonl").write_text(json.dumps({"default": True, "response": "Thank you. ###STOP###"}))
    code, _, err = run(
        capsys, "eval", "few.jsonl", "--agent", "scripted:r.jsonl", "--customer", "scripted:r.jsonl", *BATCHED
    )
    assert code == 2
    assert "no provider takes batches for it" in err
    assert not (ROOM / "journal.jsonl").exists()
