"""`debateroom eval --cluster`: each trial is one task; a lost worker, a killed run, the budget and broken tasks."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from clusters import LoopbackCluster
from debates import Serve, run
from evaluations import TASKS, Shop, few
from vendor import Call

from debateroom.batch import cluster, trial
from debateroom.batch.cluster import Cluster

ROOM = Path("active/eval")
FEW = TASKS[:6]
AWAY = ("--cluster", "tcp://h:1")


@pytest.fixture
def command(here: Path) -> list[str]:
    """An evaluation of six of the shop's tasks."""
    return few(FEW)


class Sending(ThreadPoolExecutor):
    """Sends a task as a cluster does, and keeps what was sent and what came back."""

    def __init__(self, act: Callable[..., Any] | None = None) -> None:
        super().__init__(max_workers=4)
        self._act = act
        self.sent: list[bytes] = []
        self.back: list[Any] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Only what can be pickled reaches a worker."""
        self.sent.append(pickle.dumps((fn, args, kwargs)))
        fn, args, kwargs = pickle.loads(self.sent[-1])  # noqa: S301 - our own
        future = super().submit(self._act or fn, *args, **kwargs)
        future.add_done_callback(lambda done: done.exception() or self.back.append(done.result()))
        return future


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Sending]:
    """Puts an executor in the place of a cluster of four workers."""

    def put(act: Callable[..., Any] | None = None) -> Sending:
        pool = Sending(act)
        monkeypatch.setattr(cluster, "connected", lambda address: contextlib.nullcontext(Cluster(pool, 4)))
        return pool

    return put


def figures() -> dict[str, Any]:
    """What the evaluation came to."""
    return dict(json.loads((ROOM / "chat.json").read_text())["final_output"]["figures"])


def events(name: str) -> list[dict[str, Any]]:
    """The events of a kind in the journal."""
    return [
        each for each in map(json.loads, (ROOM / "journal.jsonl").read_text().splitlines()) if each["event"] == name
    ]


def test_each_trial_is_one_task(
    command: list[str], serve: Serve, workers: Callable[..., Sending], capsys: pytest.CaptureFixture[str]
) -> None:
    """The same figures as in threads; a task has no key in it, little comes back, nothing is left beside the room."""
    serve(Shop(tasks=FEW))
    pool = workers()
    code, _, err = run(capsys, *command, "--trials", "2", *AWAY)
    assert code == 0, err
    assert "4 workers of the cluster play the trials" in err
    assert len(pool.sent) == len(FEW) * 2
    for sent in pool.sent:
        assert os.environ["ANTHROPIC_API_KEY"].encode() not in sent
        assert pickle.loads(sent)[1][1] == 32 // 4  # noqa: S301 - our own
    assert all(len(pickle.dumps(each)) < 200 for each in pool.back)
    assert not list(ROOM.glob(".trials"))
    away = figures()
    serve(Shop(tasks=FEW))
    assert run(capsys, *command, "--trials", "2", "-q")[0] == 0
    assert figures() == away


def test_a_task_that_breaks_is_a_broken_trial(
    command: list[str], serve: Serve, workers: Callable[..., Sending], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named, and played again by `resume`, which asks for nothing of the others."""
    server = serve(Shop(tasks=FEW))

    def act(told: Any, concurrency: int) -> Any:
        if told[2] == 3:
            raise OSError("the machine is gone")
        return trial.play_here(told, concurrency)

    workers(act)
    code, _, err = run(capsys, *command, *AWAY, "-q")
    assert code == 1, err
    (broken,) = [each for each in events("trial_finished") if each["status"] == "error"]
    assert "the machine is gone" in broken["result"]["stop"]["error"]
    assert broken["task"] == FEW[3].id
    asked = len(server.calls)
    workers()
    assert run(capsys, "resume", str(ROOM), *AWAY, "-q")[0] == 0
    assert all(FEW[3].instruction in "".join(call.prompt) for call in server.calls[asked:])
    assert len(events("trial_finished")) == len(FEW) + 1
    assert figures()["trials"] == len(FEW)


@pytest.mark.parametrize("on", [AWAY, ()])
def test_what_a_lost_run_left_is_not_asked_again(
    command: list[str],
    serve: Serve,
    workers: Callable[..., Sending],
    capsys: pytest.CaptureFixture[str],
    on: tuple[str, ...],
) -> None:
    """The run was killed while its workers went on: their files are read, on a cluster and without one."""
    server = serve(Shop(tasks=FEW))
    sent: list[tuple[Any, int]] = []

    def only_sent(told: Any, concurrency: int) -> Any:
        sent.append((told, concurrency))
        raise SystemExit  # as far as the run goes

    workers(only_sent)
    with contextlib.suppress(SystemExit):
        run(capsys, *command, *AWAY, "-q")
    folder = next((ROOM / ".trials").iterdir())
    (folder / "stop").unlink()
    for told, concurrency in sent[:3]:
        assert trial.play_here(told, concurrency)["error"] == ""
    asked = len(server.calls)
    workers()
    code, _, err = run(capsys, "resume", str(ROOM), *on, "-q")
    assert code == 0, err
    done = {FEW[told[2]].instruction for told, _ in sent[:3]}
    assert not [call for call in server.calls[asked:] if any(each in "".join(call.prompt) for each in done)]
    assert figures()["trials"] == len(FEW)


def test_a_finished_trial_that_is_sent_again_pays_nothing(
    command: list[str], serve: Serve, workers: Callable[..., Sending], capsys: pytest.CaptureFixture[str]
) -> None:
    """As a scheduler does when the worker is lost that held the result."""
    server = serve(Shop(tasks=FEW))
    told: list[Any] = []

    def twice(task: Any, concurrency: int) -> Any:
        trial.play_here(task, concurrency)
        before = len([call for call in server.calls if FEW[task[2]].instruction in "".join(call.prompt)])
        again = trial.play_here(task, concurrency)
        told.append(len([call for call in server.calls if FEW[task[2]].instruction in "".join(call.prompt)]) - before)
        return again

    workers(twice)
    assert run(capsys, *command, *AWAY, "-q")[0] == 0
    assert told == [0] * len(FEW)
    assert len(events("trial_finished")) == len(FEW)


def test_the_budget_is_that_of_all_trials(
    command: list[str], serve: Serve, workers: Callable[..., Sending], capsys: pytest.CaptureFixture[str]
) -> None:
    """Workers ask nothing more once it is spent; `resume` says what is missing."""
    serve(Shop(tasks=FEW))
    workers()
    code, out, _ = run(capsys, *command, *AWAY, "-q", "--json", "--budget", "0.0002", "--concurrency", "1")
    assert code == 7, out
    assert 0.0002 <= json.loads(out)["cost"] < 0.0006
    assert 0 < len(events("trial_finished")) < len(FEW)


def test_the_time_is_that_of_the_whole_run(
    command: list[str], serve: Serve, workers: Callable[..., Sending], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 124; what was said until then is kept, and `resume` plays the rest."""
    server = serve(Shop(tasks=FEW), latency=0.15)
    workers()
    code, _, err = run(capsys, *command, *AWAY, "-q", "--timeout", "0.5", "--concurrency", "2")
    assert code == 124, err
    known = {(each["task"], each["text"]) for each in events("trial_said")}
    assert known
    server.hurry()
    assert len(events("trial_finished")) < len(FEW)


def test_a_worker_without_a_key_ends_the_run(
    command: list[str], serve: Serve, workers: Callable[..., Sending], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 4, and where the key is missing."""
    serve(Shop(tasks=FEW), key="another")
    workers()
    code, _, err = run(capsys, *command, *AWAY, "-q")
    assert code == 4, err
    assert "a worker says" in err
    assert "give the workers their keys, in their environment" in err


@pytest.mark.cluster
@pytest.mark.filterwarnings("default")
def test_a_worker_is_killed_half_way(
    command: list[str], here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """A real scheduler: all trials have their end, and what was in a file was not asked for again."""
    pytest.importorskip("distributed")
    shop, half, seen = Shop(tasks=FEW), threading.Event(), []

    def answer(call: Call) -> Any:
        seen.append(call)
        if len(seen) > len(FEW) * 4:
            half.set()
        return shop(call)

    server = serve(answer, latency=0.05)
    addressed = {"DEBATEROOM_ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": os.environ["ANTHROPIC_API_KEY"]}
    at_kill: Counter[str] = Counter()
    with LoopbackCluster(here, addressed, workers=2, threads=4) as dask:

        def kill() -> None:
            half.wait(60)
            dask.kill_worker()
            at_kill.update(said())

        killer = threading.Thread(target=kill)
        killer.start()
        code, out, err = run(capsys, *command, "--trials", "3", "--cluster", dask.address, "--json")
        killer.join()
    assert code == 0, err
    assert "2 workers of the cluster play the trials" in err
    assert json.loads(out)["status"] == "finished"
    assert figures()["trials"] == len(FEW) * 3
    assert at_kill
    assert said() == Counter(dict.fromkeys(said(), 1))
    answered = sum(1 for call in server.calls if call.status == 200)
    noted = [calls_of(each) for each in events("trial_said")]
    assert answered - sum(noted) <= 4 * max(noted)  # only the turns under way, with their look-ups, were made again


def said() -> Counter[str]:
    """What was said in which trial: by whom, and the how manieth."""
    found: Counter[str] = Counter()
    places: Counter[tuple[str, int]] = Counter()
    for each in events("trial_said"):
        places[each["task"], each["trial"]] += 1
        found[f"{each['task']} {each['trial']} {places[each['task'], each['trial']]}"] += 1
    return found


def calls_of(event: dict[str, Any]) -> int:
    """The calls to a model that it took."""
    return int(event.get("calls", 0))
