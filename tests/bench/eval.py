"""1,000 trials against a server on loopback: wall time against the ideal, and whether memory grows with their number.

Run: python tests/bench/eval.py. Each trial is three calls of 0.25 s, one after the other (customer, agent, customer),
20 trials at once; the ideal is the time of these calls alone. Aims on a quiet machine: wall/ideal at most 1.2, and a
peak memory for 1,000 trials within 15 % of that for 250.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LATENCY, CALLS, AT_ONCE = 0.25, 3, 20
SIZES = (250, 1_000)
TASKS = 50

CLIENT = """
import json, resource, sys, time
from debateroom import activities, evaluations, settings
from debateroom.evaluation.dataset import read_dataset
from debateroom.evaluation.plan import Asked
from debateroom.room.room import Room
dataset, trials, at_once, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
chosen = settings.load({"active": folder, "concurrency": at_once})
asked = Asked(agent="sonnet", trials=trials, customer="sonnet", seed=1)
models = activities.open_models(chosen)
cast = evaluations.cast(read_dataset(dataset), asked, chosen, models, "sonnet")
before, wall = time.process_time(), time.monotonic()
outcome = evaluations.run(cast, chosen, models)
used, took = time.process_time() - before, time.monotonic() - wall
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
found = outcome.transcript.final_output["figures"]
print(json.dumps({"wall": took, "cpu": used, "memory": memory, "valid": found["valid"]}))
"""
"""One run in a process of its own, so that the server's work is not counted as ours."""
SERVER = """
import sys
from vendor import VendorServer
with VendorServer("All right, thank you.", latency=float(sys.argv[1]), first_token=0.1) as server:
    print(server.url, flush=True)
    sys.stdin.readline()
    print(len(server.calls), flush=True)
"""


def main() -> None:
    """Prints a line for each number of trials, and how much memory the larger one takes beyond the smaller."""
    memories = []
    for count in SIZES:
        run = one_run(count)
        assert run["calls"] == CALLS * count
        ideal = CALLS * LATENCY * count / AT_ONCE
        memories.append(run["memory"])
        print(
            f"trials = {count:>5}: wall/ideal {run['wall'] / ideal:.2f} ({run['wall']:.1f} s of {ideal:.1f} s), "
            f"CPU {run['cpu'] / count * 1000:.1f} ms a trial, peak memory {run['memory']:.0f} MB, "
            f"valid {run['valid']}, load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    print(f"memory of {SIZES[1]:,} trials over that of {SIZES[0]}: {memories[1] / memories[0]:.2f}")


def one_run(count: int) -> dict[str, Any]:
    """Figures of one evaluation: one message, one answer, and a word that comes after the turn limit."""
    tests = Path(__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(tests), str(tests.parent)))}
    pipe = subprocess.PIPE
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(LATENCY)], env=environment, text=True, stdin=pipe, stdout=pipe
    )
    with tempfile.TemporaryDirectory() as folder:
        assert server.stdout
        url = server.stdout.readline().strip()
        dataset = Path(folder) / "tasks.jsonl"
        lines = [{"id": f"T{n}", "instruction": f"Ask about order {n}.", "max_turns": 1} for n in range(TASKS)]
        dataset.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        environment |= {"ANTHROPIC_API_KEY": "sk-ant-bench", "DEBATEROOM_ANTHROPIC_BASE_URL": url}
        command = [sys.executable, "-c", CLIENT, str(dataset), str(count // TASKS), str(AT_ONCE), folder]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    calls, _ = server.communicate("\n", timeout=30)
    return {**json.loads(done.stdout.splitlines()[-1]), "calls": int(calls)}


if __name__ == "__main__":
    main()
