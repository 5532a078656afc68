"""An evaluation that is broken off and goes on: Ctrl-C, `stop`, a new run in its room, a broken trial, `--json`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from evaluations import AGENT, TASKS, WORLD, Shop
from vendor import Call, Reply, VendorServer
from vendor.faults import HttpError

from debateroom import cli

Serve = Callable[..., VendorServer]
Run = Callable[..., "Ran"]
FEW = TASKS[:4]


@pytest.fixture
def few(here: Path) -> Path:
    """A dataset of four of the shop's tasks."""
    lines = [json.dumps(task.model_dump(mode="json", exclude={"line", "unscored"})) for task in FEW]
    path = here / "few.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def arguments(few: Path, *more: str) -> list[str]:
    command = ["eval", str(few), "--agent", AGENT, "--world", WORLD, "--customer", "haiku"]
    return [*command, "--agent-model", "haiku", "--seed", "7", "--concurrency", "2", *more]


def started(few: Path, *more: str) -> subprocess.Popen[str]:
    """A process that evaluates."""
    command = [sys.executable, "-m", "debateroom", *arguments(few, *more)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Stalling:
    """The shop, whose calls hang from one on, until it is told to go on."""

    def __init__(self, after: int) -> None:
        self.after = after
        self._shop = Shop(tasks=FEW)

    def __call__(self, call: Call) -> Reply:
        reply = self._shop(call)
        return Reply(reply.text, calls=reply.calls, latency=0.0 if call.number < self.after else 60.0)


def said(folder: Path) -> Counter[tuple[str, str]]:
    """Task and party of everything that was paid for."""
    lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    return Counter((event["task"], event["party"]) for event in events if event["event"] == "trial_said")


def ended(folder: Path) -> int:
    """Trials that came to an end."""
    return (folder / "journal.jsonl").read_text(encoding="utf-8").count('"event":"trial_finished"')


def until(process: subprocess.Popen[Any] | None, come: Callable[[], bool]) -> None:
    """Waits for what a run does."""
    while not come():
        assert process is None or process.poll() is None
        time.sleep(0.02)


class Ran(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs a command in this process."""

    def command(*arguments: str) -> Ran:
        code = cli.run(list(arguments))
        return Ran(code, *capsys.readouterr())

    return command


WHOLE = Counter({(task.id, "customer"): 2 for task in FEW} | {(task.id, "agent"): 1 for task in FEW})
"""What is said in the four trials, once each."""


def test_after_ctrl_c_resume_plays_what_is_missing(serve: Serve, here: Path, few: Path, run: Run) -> None:
    """Exit code 130, the last line says how to go on; status counts; nothing that was answered is asked again."""
    shop = Stalling(after=12)
    serve(shop)
    folder = here / "active" / "eval"
    process = started(few)
    until(process, lambda: folder.exists() and (folder / "journal.jsonl").exists() and ended(folder) >= 1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1].endswith(f"debateroom resume {folder}")
    status = json.loads(run("status", "--json", "eval").out)
    assert (status["status"], status["exit_code"]) == ("interrupted", 130)
    assert status["figures"] == {"planned": 4, "trials": ended(folder)}
    assert status["degraded"]
    assert f"interrupted, {ended(folder)} of 4 trials" in run("status", "eval").out
    before, finished = said(folder), ended(folder)
    shop.after = 10**9
    done = run("resume", "eval")
    assert done.code == 0, done.err
    assert f"resumed; trials that had ended: {finished} of 4" in done.err
    assert not before - said(folder)
    assert said(folder) == WHOLE
    assert "all checks: 4/4" in done.out


def test_stop_ends_a_detached_run_and_a_new_one_keeps_it_aside(serve: Serve, here: Path, few: Path, run: Run) -> None:
    """What was paid for is not thrown away: the room is moved, and resumed from there."""
    shop = Stalling(after=9)
    serve(shop)
    begun, _ = started(few, "--detach").communicate(timeout=30)
    folder = Path(json.loads(begun)["room"])
    until(None, lambda: len(said(folder)) >= 2)
    assert run(*arguments(few)).code == 6
    assert "running, " in run("status", "eval").out
    assert run("stop", "eval").code == 0
    assert json.loads(run("status", "--json", "eval").out)["exit_code"] == 143
    before = said(folder)
    shop.after = 10**9
    assert run(*arguments(few, "-q")).code == 0
    (aside,) = (here / "active").glob("eval.unfinished-*")
    assert said(aside) == before
    resumed = run("resume", str(aside), "--json")
    assert (resumed.code, json.loads(resumed.out)["figures"]["overall"]["passed"]) == (0, 4), resumed.err
    assert said(aside) == WHOLE


def test_a_finished_one_is_kept_aside_as_well(serve: Serve, here: Path, few: Path, run: Run) -> None:
    """It was paid for, and the next one is compared with it; the line names the command that shows it."""
    serve(Shop(tasks=FEW))
    assert run(*arguments(few, "-q")).code == 0
    first = (here / "active" / "eval" / "journal.jsonl").read_bytes()
    done = run(*arguments(few))
    (aside,) = (here / "active").glob("eval.finished-*")
    assert (aside / "journal.jsonl").read_bytes() == first
    assert f"the run that was here is kept: debateroom report {aside}" in done.err
    assert run("report", str(aside)).code == 0


def test_hints_name_the_help_of_the_evaluation(here: Path, few: Path, run: Run) -> None:
    """And not that of a debate."""
    assert "next: debateroom eval run --help" in run(*arguments(few, "--language", "de")).err
    for verb in ("meta", "regrade"):
        assert "next: start one: debateroom eval DATASET --agent AGENT" in run("eval", verb, "--active", "a").err


def test_a_broken_trial_is_played_again_after_a_kill(serve: Serve, here: Path, few: Path, run: Run) -> None:
    """`kill -9` while one trial has broken and another is under way: both are played, the finished one is not."""
    before = {"kill": True}
    shop = Shop(tasks=FEW)

    def answer(call: Call) -> Any:
        reply, prompt = shop(call), "\n".join(call.prompt)
        if before["kill"] and FEW[0].instruction in prompt:
            return HttpError(400)
        return replace(reply, latency=60.0) if before["kill"] and FEW[3].instruction in prompt else reply

    serve(answer)
    folder = here / "active" / "eval"
    process = started(few, "-q")
    until(process, lambda: (folder / "journal.jsonl").exists() and ended(folder) == 3)
    process.kill()
    process.communicate(timeout=20)
    status = json.loads(run("status", "--json", "eval").out)
    assert (status["status"], status["figures"]["trials"]) == ("interrupted", 2)
    before["kill"] = False
    done = run("resume", "eval", "--json")
    value = json.loads(done.out)
    assert (done.code, value["figures"]["overall"]["passed"], value["figures"]["errors"]) == (0, 4, 0)
    assert said(folder) == WHOLE


def test_the_object_has_all_figures(serve: Serve, here: Path, few: Path, run: Run) -> None:
    """One small object: rates with intervals, stops, baseline, counts, and what each party used, by stable names."""
    serve(Shop(lambda task, before: task.reference.calls[:-1] if task is FEW[1] and task.reference else solved(task)))
    done = run(*arguments(few, "--json", "--trials", "2", "--gate", "pass^2>=0.9"))
    assert done.code == 3, done.err
    assert len(done.out.encode()) <= 2_000
    value: Mapping[str, Any] = json.loads(done.out)
    figures = dict(value["figures"])
    spent = figures.pop("spent")
    rate = {"passed": 6, "trials": 8, "interval": [0.409275, 0.928521], "pass_hat": [0.75, 0.75]}
    assert figures == {
        "planned": 8, "trials": 8, "valid": 8, "inconclusive": 0, "style": 0, "errors": 0, "simulator_invalid": 0,
        "missing": 0,
        "satisfied": 8, "average_turns": 2.0, "stops": {"stop": 8}, "do_nothing": [0, 4], "overall": rate,
        "by_check": {
            "tool_calls": rate, "db_state": rate,
            "user_satisfied": {
                "passed": 8, "trials": 8, "interval": [0.675592, 1.0], "pass_hat": [1.0, 1.0]
            },
            "communicate": {"passed": 8, "trials": 8, "interval": [0.675592, 1.0], "pass_hat": [1.0, 1.0]},
        },
    }  # fmt: skip
    assert set(spent) == {"agent", "customer", "judge"}
    assert set(spent["agent"]) == {"usage", "cost"}
    assert set(spent["agent"]["usage"]) == {"input", "cached", "written", "output"}
    assert spent["agent"]["cost"] > 0 == spent["judge"]["cost"]
    assert (value["ok"], value["outcome"], value["error"]) == (
        False, "missed", "the gate pass^2>=0.9 was missed: 0.75",
    )  # fmt: skip


def solved(task: Any) -> Any:
    return task.reference.calls
