"""kill -9 at random moments: what is on disk afterwards, and what resume makes of it.

Run: python tests/bench/kill.py [KILLS] (200 unless said otherwise). Each run is a debate of 5 × 4 against a server on
loopback, killed once and resumed. Counted are transcripts that are not valid JSON, journaled calls that resume
repeated, and journaled answers missing from the final transcript. All three must be 0.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from vendor import Call, Reply, VendorServer, debate_script

QUESTION = "Should background jobs use a queue or a loop?"
SYNTHESIS: dict[str, Any] = {
    "summary": "No agreement.", "consensus": [], "disagreements": [], "recommended_action": "Measure first.",
    "sharpest_disagreement": "Retries.", "unresolved_risks": [], "mind_changes": [], "highlights": [],
    "opening_positions": [],
}  # fmt: skip
LONGEST = 1.3
"""Seconds after the room is there at which a run is killed at the latest: about as long as the debate takes."""


class Tally(NamedTuple):
    """What went wrong, over all kills."""

    kills: int
    mid_debate: int
    """Kills that found some answers on disk and the debate unfinished."""
    invalid: int
    repeated: int
    missing: int


def main(kills: int, *, seed: int = 7) -> Tally:
    """Kills so many debates, resumes each, and counts."""
    chance = random.Random(seed)
    mid_debate = invalid = repeated = missing = 0
    for number in range(kills):
        with tempfile.TemporaryDirectory() as folder:
            found = one_kill(Path(folder), chance, number)
        mid_debate += found[0]
        invalid += found[1]
        repeated += found[2]
        missing += found[3]
    return Tally(kills, mid_debate, invalid, repeated, missing)


def one_kill(folder: Path, chance: random.Random, number: int) -> tuple[int, int, int, int]:
    """One debate, killed and resumed: in mid-debate or not, invalid, repeated, missing."""
    delays = random.Random(number)

    def answer(call: Call) -> Any:
        said = debate_script(synthesis=SYNTHESIS)(call)
        if call.schema is not None:
            return said
        # every answer is its own: what is missing or repeated can be told
        return Reply(f"{said}\n\nNUMBER: {call.number}", latency=delays.uniform(0.0, 0.25))

    with VendorServer(answer) as server:
        process = start(folder, server, QUESTION, "-n", "5", "-r", "4", "--model", "sonnet")
        journal = folder / "active" / "chatroom" / "journal.jsonl"
        while not journal.exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, LONGEST))
        process.kill()
        process.wait()
        room = folder / "active" / "chatroom"
        invalid = int(not readable(room / "chat.json"))
        before = replies(room)
        finished = any(event["event"] == "room_finished" for event in events(room))
        asked = len(server.calls)
        if not events(room):  # killed before the first event was whole: nothing was asked, nothing can be resumed
            return 0, invalid, 0, 0
        again = start(folder, server, "resume", str(room))
        if again.wait(60) != 0:
            raise SystemExit(f"resume failed in kill {number}")
        after = replies(room)
        chat = json.loads((room / "chat.json").read_text())
        kept = {(i["round"], e["agent"], e["response"]) for i in chat["rounds"] for e in i["entries"]}
        missing = len([reply for reply in before if reply not in kept])
        repeated = len(after) - len({reply[:2] for reply in after})
        calls = [call for call in server.calls[asked:] if call.schema is None]
        repeated += max(0, len(calls) - (20 - len(before)))
        return int(bool(before) and not finished), invalid, repeated, missing


def start(folder: Path, server: VendorServer, *arguments: str) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    environment = os.environ | {"ANTHROPIC_API_KEY": "sk-ant-test-01", "DEBATEROOM_ANTHROPIC_BASE_URL": server.url}
    return subprocess.Popen(
        [sys.executable, "-m", "debateroom", *arguments, "-q"],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def readable(chat: Path) -> bool:
    """Whether `chat.json` is not there yet or is valid."""
    try:
        return not chat.exists() or isinstance(json.loads(chat.read_text()), dict)
    except ValueError:
        return False


def events(room: Path) -> list[dict[str, Any]]:
    """Whole lines of the journal."""
    path = room / "journal.jsonl"
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] if path.exists() else []


def replies(room: Path) -> list[tuple[int, str, str]]:
    """Round, seat and text of every reply in the journal."""
    return [(e["round"], e["agent"], e["response"]) for e in events(room) if e["event"] == "reply"]


if __name__ == "__main__":
    tally = main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
    print(
        f"{tally.kills} kills, {tally.mid_debate} of them in mid-debate: {tally.invalid} invalid chat.json, "
        f"{tally.repeated} journaled calls repeated, {tally.missing} journaled answers missing"
    )
    raise SystemExit(int(bool(tally.invalid or tally.repeated or tally.missing)))
