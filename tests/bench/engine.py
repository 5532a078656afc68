"""How close a round comes to its slowest call: wall time against the ideal, CPU a call, and memory, for N seats.

Run: python tests/bench/engine.py. A server on loopback takes 1.0 s for every call; a debate of N seats plays two
rounds, through the whole engine: HTTP, journal, transcript. The ideal is two seconds. Aims on a quiet machine:
wall/ideal at most 1.03, 1.03, 1.10, 1.15, 1.6 for N = 3, 10, 50, 100, 300, and 3 ms of CPU a call.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from vendor.apart import ServerApart

LATENCY, ROUNDS, RUNS = 1.0, 2, 5
SIZES = (3, 10, 50, 100, 300)
QUESTION = "Should background jobs use a queue or a loop?"

CLIENT = """
import json, resource, sys, time
from debateroom import activities, settings, context
from debateroom.debating import plan as plans, rounds
from debateroom.debating.purse import Purse
from debateroom.room.room import Room, folder_of
count, model, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
chosen = settings.load({"agents": count, "rounds": 2, "model": model, "moderator": "none", "active": folder,
                        "concurrency": count, "stagger": "off"})
models = activities.open_models(chosen)
plan = plans.make(sys.argv[4], chosen, context.Context(), models)
with Room.create(folder_of(chosen.active, chosen.room), activities.opening(plan)) as room:
    before, wall = time.process_time(), time.monotonic()
    rounds.play(room, plan, models, purse=Purse(plan, models.stop))
    used, took = time.process_time() - before, time.monotonic() - wall
    replies = sum(len(item.entries) for item in room.transcript.rounds)
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"wall": took, "cpu": used, "replies": replies, "memory": memory}))
"""
"""One run in a process of its own, so that the server's work is not counted as ours."""


def main() -> None:
    """Prints a line for each size and SDK: medians of the runs, the span of the ratio, the load of the machine."""
    for model in ("sonnet", "gpt"):
        for count in SIZES:
            runs = [one_run(count, model) for _ in range(RUNS)]
            ratios = [run["wall"] / (LATENCY * ROUNDS) for run in runs]
            cpu, serving = (median_of(runs, name) / (count * ROUNDS) * 1000 for name in ("cpu", "serving"))
            lost = count * ROUNDS - min(run["replies"] for run in runs)
            print(
                f"{model:<6} N = {count:>3}: wall/ideal {statistics.median(ratios):.2f} "
                f"({min(ratios):.2f} to {max(ratios):.2f}), CPU {cpu:.1f} ms a call (the server {serving:.1f}), "
                f"peak memory {max(run['memory'] for run in runs):.0f} MB, replies missing {lost}, "
                f"load {os.getloadavg()[0]:.1f}",
                flush=True,
            )


def median_of(runs: list[dict[str, Any]], name: str) -> float:
    return statistics.median(run[name] for run in runs)


def one_run(count: int, model: str) -> dict[str, Any]:
    """Figures of one debate."""
    with ServerApart(latency=LATENCY, first_token=0.2) as server, tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "ANTHROPIC_API_KEY": "sk-ant-test-01",
            "OPENAI_API_KEY": "sk-test-01",
            "DEBATEROOM_ANTHROPIC_BASE_URL": server.url,
            "DEBATEROOM_OPENAI_BASE_URL": server.openai_url,
        }
        command = [sys.executable, "-c", CLIENT, str(count), model, folder, QUESTION]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return {**json.loads(done.stdout), "serving": server.summary["cpu"]}


if __name__ == "__main__":
    main()
