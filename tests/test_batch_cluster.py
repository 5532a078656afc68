"""A batch on a real Dask cluster: a worker is killed half-way, and no answer that was paid for is asked for again."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from clusters import Asked, LoopbackCluster, answered, place
from debates import APART, SURE, SYNTHESIS, Serve, run
from vendor import Call, debate_script

from debateroom.batch import cluster
from debateroom.batch.cluster import Cluster
from debateroom.errors import RoomError, UsageError

DEBATES = 20
QUESTIONS = [f"Should service number {number} use a queue or a loop?" for number in range(DEBATES)]


def test_an_address_is_checked_before_anything_is_asked() -> None:
    """What is no address is refused, and a port where nobody answers is named with the way out."""
    pytest.importorskip("distributed")
    with pytest.raises(UsageError, match="no address of a scheduler"), cluster.connected("http://127.0.0.1:1"):
        pass


@pytest.mark.cluster
def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says where, and how a cluster is started."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_CONNECT", 0.2)
    with pytest.raises(RoomError, match="no scheduler answers") as caught, cluster.connected("tcp://127.0.0.1:9"):
        pass
    assert "dask worker" in str(caught.value.hint)


@pytest.mark.cluster
@pytest.mark.filterwarnings("default")
def test_a_worker_is_killed_half_way(here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """All debates have results; what was in a journal was not asked for again; no key is in a task."""
    pytest.importorskip("distributed")
    script = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)
    half = threading.Event()
    seen: list[Call] = []

    def answer(call: Call) -> Any:
        seen.append(call)
        if len(seen) > DEBATES * 4:
            half.set()
        return script(call)

    server = serve(answer, latency=0.05)
    Path("q.jsonl").write_text("".join(json.dumps(each) + "\n" for each in QUESTIONS), encoding="utf-8")
    addressed = {"DEBATEROOM_ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": os.environ["ANTHROPIC_API_KEY"]}
    with LoopbackCluster(here, addressed, workers=2, threads=4) as dask:

        def kill() -> None:
            half.wait(60)
            at_kill.update(answered(Path("active/q")))
            dask.kill_worker()

        at_kill: Counter[Asked] = Counter()
        killer = threading.Thread(target=kill)
        killer.start()
        command = ("batch", "q.jsonl", "-n", "3", "-r", "2", "--model", "sonnet", "--cluster", dask.address)
        code, out, err = run(capsys, *command, "--json")
        killer.join()
    assert code == 0, err
    assert "2 workers of the cluster take them" in err
    found = json.loads(out)
    assert (found["done"], found["failed"]) == (DEBATES, 0)
    lines = Path("active/q/summary.jsonl").read_text(encoding="utf-8").splitlines()
    assert len({json.loads(line)["id"] for line in lines}) == len(lines) == DEBATES
    assert at_kill
    assert len(at_kill) < DEBATES * 6  # it was in the middle
    asked = Counter(filter(None, (place(call, QUESTIONS) for call in server.calls)))
    again = {key for key, times in asked.items() if times > 1}
    assert not again & set(at_kill)  # of the killed worker's calls only those under way were made again
    assert len(again) <= 4 * 3


class Pickling(ThreadPoolExecutor):
    """Sends a task as a cluster does, and keeps what was sent."""

    def __init__(self) -> None:
        super().__init__(max_workers=2)
        self.sent: list[bytes] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Only what can be pickled reaches a worker."""
        self.sent.append(pickle.dumps((fn, args, kwargs)))
        fn, args, kwargs = pickle.loads(self.sent[-1])  # noqa: S301 - our own
        return super().submit(fn, *args, **kwargs)


def test_any_executor_serves_and_no_task_holds_a_secret(
    here: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A task is a path and this worker's part of the calls at once; key and login are the worker's own."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    monkeypatch.setenv("DEBATEROOM_ANTHROPIC_BASE_URL", server.url.replace("://", "://someone:hunter2hunter2@"))
    pool = Pickling()
    connected = contextlib.nullcontext(Cluster(pool, 4))
    monkeypatch.setattr(cluster, "connected", lambda address: connected)
    Path("q.jsonl").write_text("".join(json.dumps(each) + "\n" for each in QUESTIONS[:2]), encoding="utf-8")
    command = ("batch", "q.jsonl", "-n", "2", "-r", "1", "--model", "sonnet", "--cluster", "tcp://h:1", "-q")
    assert run(capsys, *command)[0] == 0
    assert len(pool.sent) == 2
    for sent in pool.sent:
        assert os.environ["ANTHROPIC_API_KEY"].encode() not in sent
        assert b"hunter2" not in sent
        assert pickle.loads(sent)[1][1] == 32 // 4  # noqa: S301 - our own


def test_a_cluster_that_is_gone_fails_its_debates(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is lost in silence: exit code 1, and the same command goes on."""
    reply = "POSITION: x\nPROPOSAL: y\nENDORSES: Agent A\nCONFIDENCE: 9"
    Path("r.jsonl").write_text(json.dumps({"default": True, "response": reply}))
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    monkeypatch.setattr(cluster, "connected", lambda address: contextlib.nullcontext(Cluster(pool, 1)))
    Path("q.jsonl").write_text(json.dumps(QUESTIONS[0]), encoding="utf-8")
    command = ("batch", "q.jsonl", "-n", "2", "-r", "1", "--model", "scripted:r.jsonl", "-q")
    code, _, err = run(capsys, *command, "--cluster", "tcp://h:1")
    assert code == 1
    assert "1 debate failed: 001" in err
    assert run(capsys, *command)[0] == 0
