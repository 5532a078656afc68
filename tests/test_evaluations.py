"""Evaluations as rooms, over real HTTP: thirty tasks × four trials, figures, resume, gate, budget, regrade."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from evaluations import AGENT, DATASET, TASKS, WORLD, Shop
from vendor import Call, Reply, VendorServer
from vendor.faults import HttpError

from debateroom import evaluations
from debateroom.activities import Outcome
from debateroom.evaluation.dataset import read_dataset
from debateroom.evaluation.task import ReferenceCall, Task
from debateroom.room.room import read

Serve = Callable[..., VendorServer]


def evaluate(here: Path, **more: Any) -> Outcome:
    given = {
        "dataset": DATASET,
        "agent": AGENT,
        "world": WORLD,
        "customer": "haiku",
        "agent_model": "haiku",
        "seed": 7,
    }
    given |= {"active": here / "active", **more}
    return evaluations.evaluate(given.pop("dataset"), **given)


def few(here: Path, *lines: dict[str, Any]) -> str:
    """A dataset of our own."""
    path = here / "few.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def now_and_then(task: Task, before: int) -> Sequence[ReferenceCall]:
    """The first ten tasks are solved each time, the next ten every other time, the rest never."""
    calls = task.reference.calls if task.reference else ()
    place = TASKS.index(task)
    good = place < 10 or (place < 20 and before % 2 == 0)
    return calls if good else calls[:-1]


def test_thirty_tasks_four_trials(serve: Serve, here: Path) -> None:
    """Every figure of 120 trials, compared whole."""
    serve(Shop(now_and_then))
    outcome = evaluate(here, trials=4)
    final = dict(outcome.transcript.final_output or {})
    figures = final["figures"]
    assert final["lines"] == [
        "pass^1 by tool_call_match:     60/120 (50%)",
        "pass^1 by db_state:            60/120 (50%)",
        "user_satisfied (###STOP###):   104/120 (87%)",
        "avg turns per task:            2.0",
    ]
    assert figures["overall"] == {
        "passed": 60, "trials": 120, "interval": [0.411939, 0.588061],
        "pass_hat": [0.5, 0.388889, 0.333333, 0.333333], "left_out": {},
    }  # fmt: skip
    counted = {name: (rate["passed"], rate["trials"], rate["pass_hat"]) for name, rate in figures["by_check"].items()}
    assert counted == {
        "tool_calls": (60, 120, [0.5, 0.388889, 0.333333, 0.333333]),
        "db_state": (60, 120, [0.5, 0.388889, 0.333333, 0.333333]),
        "user_satisfied": (112, 112, [1.0, 1.0, 1.0, 1.0]),
        "communicate": (88, 88, [1.0, 1.0, 1.0, 1.0]),
    }
    assert {key: figures[key] for key in ("trials", "valid", "errors", "simulator_invalid", "inconclusive")} == {
        "trials": 120, "valid": 120, "errors": 0, "simulator_invalid": 0, "inconclusive": 0,
    }  # fmt: skip
    assert figures["stops"] == {"stop": 104, "out_of_scope": 16}
    assert (figures["do_nothing"], figures["average_turns"]) == ([0, 30], 2.0)
    assert (len(final["tasks"]), len(final["failed"])) == (30, 60)
    assert [item["passed"] for item in final["tasks"]] == [4] * 10 + [2] * 10 + [0] * 10
    assert final["spent"]["judge"] == {
        "usage": {"input": 0, "cached": 0, "written": 0, "output": 0}, "cost": 0.0,
    }  # fmt: skip
    assert 0 < final["spent"]["agent"]["cost"] < final["spent"]["customer"]["cost"]
    assert outcome.transcript.cost == pytest.approx(sum(each["cost"] for each in final["spent"].values()), abs=2e-6)
    assert (outcome.summary["exit_code"], outcome.summary["kind"], outcome.summary["outcome"]) == (
        0,
        "eval",
        "scored",
    )
    assert evaluations.regrade(outcome.folder) == []


def said_in(folder: Path, party: str = "") -> list[tuple[str, int, str]]:
    """Task, trial and party of everything that was paid for, in the journal's order."""
    events = [json.loads(line) for line in (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        (event["task"], event["trial"], event["party"])
        for event in events
        if event["event"] == "trial_said" and party in ("", event["party"])
    ]


def test_a_killed_run_goes_on_where_it_broke_off(serve: Serve, here: Path) -> None:
    """No finished call is repeated, and the world of a trial that was under way stands where it stood."""
    shop = Shop()
    slow = {"after": 20}

    def answer(call: Call) -> Reply:
        reply = shop(call)
        return reply if call.number < slow["after"] else Reply(reply.text, calls=reply.calls, latency=3.0)

    serve(answer)
    command = [sys.executable, "-m", "debateroom", "eval", DATASET, "--agent", AGENT, "--world", WORLD]
    command += ["--customer", "haiku", "--agent-model", "haiku", "--seed", "7", "--concurrency", "4", "-q"]
    process = subprocess.Popen(command, cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = here / "active" / "eval" / "journal.jsonl"
    while not journal.exists() or len(said_in(journal.parent)) < 9:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = Counter(said_in(journal.parent))
    slow["after"] = 10**9
    done = subprocess.run(
        [sys.executable, "-m", "debateroom", "resume", "eval", "--json"], cwd=here, capture_output=True, check=False
    )
    value = json.loads(done.stdout)
    assert (done.returncode, value["status"], value["outcome"]) == (0, "finished", "scored"), done.stderr
    after = Counter(said_in(journal.parent))
    assert before
    assert not before - after
    # two words of each customer, one answer of the agent, in every trial once
    assert after == Counter(
        {(task.id, 1, "customer"): 2 for task in TASKS} | {(task.id, 1, "agent"): 1 for task in TASKS}
    )
    final = dict(read(journal.parent).transcript.final_output or {})
    assert (final["figures"]["overall"]["passed"], final["figures"]["errors"]) == (30, 0)


def test_a_trial_that_breaks_is_in_no_figure_and_played_again(serve: Serve, here: Path) -> None:
    """An agent that crashes is no failed agent: exit code 1, a failed room, and resume plays only that trial."""
    broken = {"on": True}
    shop = Shop()

    def answer(call: Call) -> Any:
        reply = shop(call)
        if broken["on"] and shop.asked[-1] == ("agent", "S-005"):
            return HttpError(400)
        return reply

    serve(answer)
    outcome = evaluate(here, dataset=DATASET, concurrency=1)
    figures = (outcome.transcript.final_output or {})["figures"]
    assert (outcome.summary["exit_code"], outcome.transcript.status) == (1, "failed")
    assert (figures["errors"], figures["error_trials"]) == (1, [["S-005", 1]])
    assert (figures["overall"]["passed"], figures["overall"]["trials"]) == (29, 29)
    asked = len(shop.asked)
    broken["on"] = False
    from debateroom import resuming, settings

    again = resuming.resume(outcome.folder, settings.load({}))
    figures = (again.transcript.final_output or {})["figures"]
    assert (again.summary["exit_code"], figures["errors"], figures["overall"]["passed"]) == (0, 0, 30)
    assert {task for _, task in shop.asked[asked:]} == {"S-005"}


def test_the_gate_ends_with_3(serve: Serve, here: Path) -> None:
    """Reached is 0; missed is 3, also where no task has so many valid trials."""
    serve(Shop(now_and_then))
    for gate, code, outcome in (
        ("pass^1>=0.6", 0, "reached"),
        ("pass^1>=70%", 3, "missed"),
        ("pass^2>=0", 3, "missed"),
    ):
        found = evaluate(here, gate=gate)
        assert (found.summary["exit_code"], found.summary["outcome"]) == (code, outcome), gate


def test_regrading_lists_what_a_changed_dataset_finds(serve: Serve, here: Path) -> None:
    """The checks run again on what is stored; nobody is asked."""
    server = serve(Shop())
    outcome = evaluate(here)
    calls = len(server.calls)
    lines = (
        Path(DATASET)
        .read_text(encoding="utf-8")
        .replace('"W9812"}}, {"tool": "add_note"', '"W1"}}, {"tool": "add_note"')
    )
    changed = here / "changed.jsonl"
    changed.write_text(lines, encoding="utf-8")
    found = evaluations.regrade(outcome.folder, read_dataset(str(changed)))
    assert found == ["S-001 #1 tool_calls: pass → fail"]
    assert len(server.calls) == calls


def test_the_command_prints_four_lines_first(serve: Serve, here: Path) -> None:
    """The figures on stdout, progress with a forecast on stderr, JUnit in its file."""
    serve(Shop(now_and_then))
    command = [
        sys.executable,
        "-m",
        "debateroom",
        "eval",
        DATASET,
        "--agent",
        AGENT,
        "--world",
        WORLD,
        "--trials",
        "2",
    ]
    command += [
        "--customer",
        "haiku",
        "--agent-model",
        "haiku",
        "--seed",
        "7",
        "--junit",
        "out.xml",
        "--language",
        "en",
    ]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False, env=dict(os.environ))
    lines, told = done.stdout.splitlines(), done.stderr.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[:4] == [
        "pass^1 by tool_call_match:     30/60 (50%)",
        "pass^1 by db_state:            30/60 (50%)",
        "user_satisfied (###STOP###):   52/60 (87%)",
        "avg turns per task:            2.0",
    ]
    assert "30 tasks × 2: shop (anthropic:claude-haiku-5-5) against customer (anthropic:claude-haiku-5-5)" in told[0]
    assert "anthropic:claude-haiku-5-5 takes no seed" in told[1]
    counted = [line for line in told if re.match(r"\d+ of 60: ", line)]
    assert len(counted) == 20  # not one for each
    assert re.fullmatch(r"3 of 60: .*\d+ passed.*; about (\d+ min )?\d+ s and 0\.\d\d US dollars left", counted[0])
    assert told[-1] == "60 of 60: 30 passed, 30 failed; all done"
    suite = ElementTree.parse(here / "out.xml").getroot()  # noqa: S314 — our own file
    assert dict(suite.attrib) == {
        "name": DATASET, "tests": "60", "failures": "30", "errors": "0", "skipped": "0",
    }  # fmt: skip
