"""A batch of debates of 3 × 3 against a server on loopback: in threads, then on a Dask cluster that loses a worker.

Run: python tests/bench/batch.py [DEBATES] (200 unless said otherwise). A call takes 0.2 s; the ideal is the time of
all calls alone, 32 at once. On the cluster, a scheduler and two workers, one is killed half-way: all debates must
have results, and no call whose answer was in a journal may be made again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from clusters import Asked, LoopbackCluster, answered

TESTS = Path(__file__).parents[1]
DEBATES = 200
SEATS, ROUNDS, LATENCY, AT_ONCE = 3, 3, 0.2, 32
SERVER = """
import json, sys
from clusters import place
from vendor import VendorServer, debate_script
questions = json.loads(sys.stdin.readline())
with VendorServer(debate_script(), latency=float(sys.argv[1])) as server:
    print(server.url, flush=True)
    sys.stdin.readline()
    print(json.dumps([place(call, questions) for call in server.calls]), flush=True)
"""
"""In a process of its own, so that its work is not counted as ours."""


def main(debates: int) -> None:
    """Prints a line for each of the two ways."""
    for name, workers in (("threads", 0), ("two workers, one killed", 2)):
        run = one_run(debates, workers)
        ideal = debates * SEATS * ROUNDS * LATENCY / AT_ONCE
        print(
            f"{debates} debates, {name}: wall/ideal {run['wall'] / ideal:.2f} "
            f"({run['wall']:.1f} s of {ideal:.1f} s), results {run['done']}, failed {run['failed']}, "
            f"calls {run['calls']}, answered when the worker was killed {run['at_kill']}, "
            f"finished calls repeated {run['repeated']}, load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        assert (run["done"], run["failed"], run["repeated"]) == (debates, 0, 0)


def one_run(debates: int, workers: int) -> dict[str, Any]:
    """Figures of one batch."""
    questions = [f"Should service number {number} use a queue or a loop?" for number in range(debates)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(TESTS), str(TESTS.parent)))}
    pipe = subprocess.PIPE
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(LATENCY)], env=environment, text=True, stdin=pipe, stdout=pipe
    )
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(questions) + "\n")
    server.stdin.flush()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "q.jsonl").write_text("".join(json.dumps(each) + "\n" for each in questions), encoding="utf-8")
        addressed = {
            "ANTHROPIC_API_KEY": "sk-ant-bench",
            "DEBATEROOM_ANTHROPIC_BASE_URL": server.stdout.readline().strip(),
            "XDG_CONFIG_HOME": name,
        }
        command = [sys.executable, "-m", "debateroom", "batch", "q.jsonl", "-n", str(SEATS), "-r", str(ROUNDS)]
        command += ["--model", "sonnet", "--moderator", "none", "--concurrency", str(AT_ONCE), "--json", "-q"]
        at_kill: Counter[Asked] = Counter()
        if workers:
            with LoopbackCluster(folder, addressed, workers=workers, threads=AT_ONCE // workers) as cluster:
                killer = threading.Thread(target=kill_half_way, args=(cluster, folder, debates, at_kill))
                killer.start()
                wall, found = timed([*command, "--cluster", cluster.address], folder, environment | addressed)
                killer.join()
        else:
            wall, found = timed(command, folder, environment | addressed)
    said, _ = server.communicate("\n", timeout=60)
    asked = Counter(Asked(*each) for each in json.loads(said) if each)
    repeated = sum(times > 1 and (key in at_kill or not workers) for key, times in asked.items())
    figures = {"wall": wall, "done": found["done"], "failed": found["failed"], "calls": asked.total()}
    return {**figures, "at_kill": at_kill.total(), "repeated": repeated}


def timed(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, dict[str, Any]]:
    """How long the command took, and the object that it printed."""
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return time.monotonic() - began, json.loads(done.stdout)


def kill_half_way(cluster: LoopbackCluster, folder: Path, debates: int, at_kill: Counter[Asked]) -> None:
    """Kills a worker once half of the replies are there, and notes these."""
    while answered(folder / "active" / "q").total() < debates * SEATS * ROUNDS / 2:
        time.sleep(0.5)
    at_kill.update(answered(folder / "active" / "q"))
    cluster.kill_worker()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEBATES)
