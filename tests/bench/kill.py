"""kill -9 at random moments: what is on disk afterwards, and what resume makes of it.

Run: python tests/bench/kill.py [KILLS] (200 unless said otherwise). Each run is a debate of 5 × 4 against a server on
loopback, in which the moderator is asked after every round; it is killed once and resumed. Counted are transcripts
that are not valid JSON, calls whose answer was in the journal and that resume made again (to seats, to the moderator
about a round, for the synthesis), answers in the journal that are missing from the final transcript, and temporary
files that are left. All of them must be 0.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from vendor import Call, Reply, VendorServer, debate_script, place_of

QUESTION = "Should background jobs use a queue or a loop?"
SYNTHESIS: dict[str, Any] = {
    "summary": "No agreement.", "consensus": [], "disagreements": [], "recommended_action": "Measure first.",
    "sharpest_disagreement": "Retries.", "unresolved_risks": [], "mind_changes": [], "highlights": [],
    "opening_positions": [],
}  # fmt: skip
APART: dict[str, Any] = {
    "aligned": False, "proposal": "Agent A", "holdouts": ["Agent B"], "open_blockers": [], "off_topic": [],
    "shared_premise": "",
}  # fmt: skip
SURE = {f"Agent {letter}": [(9, f"Agent {letter}")] for letter in "ABCDE"}
"""Everyone is sure of its own proposal: the moderator is asked after every round, and the debate goes on."""
LONGEST = 1.8
"""Seconds after the room is there at which a run is killed at the latest: about as long as the debate takes."""
ENDED_WITH = {"reply": "seat", "moderated": "moderator", "synthesized": "synthesis"}
"""The event that an answered call ends with, and what was called."""


class Asked(NamedTuple):
    """What a call was for: the same one is never made twice when its answer is in the journal."""

    kind: str
    round: int
    seat: str


class Found(NamedTuple):
    """What one kill came to, or all of them together."""

    mid_debate: int = 0
    """Kills that found some answers on disk and the debate unfinished."""
    torn: int = 0
    """Kills that left half a line at the end of the journal."""
    invalid: int = 0
    seats: int = 0
    """Calls to seats that were repeated."""
    moderator: int = 0
    synthesis: int = 0
    missing: int = 0
    left: int = 0

    @property
    def wrong(self) -> int:
        """All that must not be."""
        return sum(self[2:])


def main(kills: int, *, seed: int = 7) -> Found:
    """Kills so many debates, resumes each, and counts."""
    chance = random.Random(seed)
    total = Found()
    for number in range(kills):
        with tempfile.TemporaryDirectory() as folder:
            found = one_kill(Path(folder), chance, number)
        total = Found(*map(sum, zip(total, found, strict=True)))
    return total


def one_kill(folder: Path, chance: random.Random, number: int) -> Found:
    """One debate, killed and resumed."""
    delays = random.Random(number)

    def answer(call: Call) -> Any:
        # every answer is its own: what is missing or repeated can be told
        verdict = APART | {"why": f"Verdict {call.number}."}
        said = debate_script(SURE, moderator=verdict, synthesis=SYNTHESIS)(call)
        if call.schema is not None:
            return Reply(json.dumps(said), latency=delays.uniform(0.0, 0.15))
        return Reply(f"{said}\n\nNUMBER: {call.number}", latency=delays.uniform(0.0, 0.25))

    with VendorServer(answer) as server:
        process = start(folder, server, QUESTION, "-n", "5", "-r", "4", "--model", "sonnet")
        room = folder / "active" / "chatroom"
        while not (room / "journal.jsonl").exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, LONGEST))
        process.kill()
        process.wait()
        invalid, torn, before = int(not readable(room / "chat.json")), is_torn(room), list(events(room))
        if not before:  # killed before the first event was whole: nothing was asked, nothing can be resumed
            return Found(torn=torn, invalid=invalid)
        known = set(answered(before))
        asked = len(server.calls)
        again = start(folder, server, "resume", str(room))
        if again.wait(60) != 0:
            raise SystemExit(f"resume failed in kill {number}")
        repeated = Counter(what.kind for what in map(purpose, server.calls[asked:]) if what in known)
        repeated.update(what.kind for what, times in Counter(answered(events(room))).items() if times > 1)
    finished = any(event["event"] == "room_finished" for event in before)
    return Found(
        mid_debate=int(bool(known) and not finished),
        torn=torn,
        invalid=invalid + int(not readable(room / "chat.json")),
        seats=repeated["seat"],
        moderator=repeated["moderator"],
        synthesis=repeated["synthesis"],
        missing=missing(before, json.loads((room / "chat.json").read_text(encoding="utf-8"))),
        left=len(list(room.glob(".*.part"))),
    )


def start(folder: Path, server: VendorServer, *arguments: str) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    environment = os.environ | {"ANTHROPIC_API_KEY": "sk-ant-test-01", "DEBATEROOM_ANTHROPIC_BASE_URL": server.url}
    return subprocess.Popen(
        [sys.executable, "-m", "debateroom", *arguments, "-q"],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def purpose(call: Call) -> Asked:
    """What a call to the server was for."""
    properties = (call.schema or {}).get("properties", {})
    if "recommended_action" in properties:
        return Asked("synthesis", 0, "")
    if "aligned" in properties:
        return Asked("moderator", len(call.shared) - 1, "")
    place = place_of(call)
    assert place is not None
    return Asked("seat", place.round, place.seat)


def answered(found: Any) -> Iterator[Asked]:
    """The calls whose answers these events hold."""
    for event in found:
        kind = ENDED_WITH.get(event["event"])
        if kind:
            yield Asked(kind, event.get("round", 0), event.get("agent", ""))


def missing(before: list[dict[str, Any]], chat: dict[str, Any]) -> int:
    """Answers that the journal held and that the transcript does not: replies, verdicts, the synthesis."""
    replies = {
        (item["round"], entry["agent"], entry["response"]) for item in chat["rounds"] for entry in item["entries"]
    }
    verdicts = {(item["round"], item["moderation"]["why"]) for item in chat["rounds"] if item["moderation"]}
    lost = 0
    for event in before:
        if event["event"] == "reply":
            lost += (event["round"], event["agent"], event["response"]) not in replies
        elif event["event"] == "moderated":
            lost += (event["round"], event["verdict"]["why"]) not in verdicts
        elif event["event"] == "synthesized":
            lost += event["final_output"] != chat["final_output"]
    return lost


def readable(chat: Path) -> bool:
    """Whether `chat.json` is not there yet or is valid."""
    try:
        return not chat.exists() or isinstance(json.loads(chat.read_text(encoding="utf-8")), dict)
    except ValueError:
        return False


def is_torn(room: Path) -> int:
    """Whether the journal ends in half a line."""
    path = room / "journal.jsonl"
    return int(path.exists() and not path.read_bytes().endswith(b"\n") and path.stat().st_size > 0)


def events(room: Path) -> Iterator[dict[str, Any]]:
    """Whole lines of the journal."""
    path = room / "journal.jsonl"
    if path.exists():
        yield from (json.loads(line) for line in path.read_bytes().split(b"\n")[:-1])


if __name__ == "__main__":
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    tally = main(kills)
    print(
        f"{kills} kills, {tally.mid_debate} of them in mid-debate, {tally.torn} with a torn line: "
        f"{tally.invalid} invalid chat.json; repeated: {tally.seats} calls to seats, {tally.moderator} to the "
        f"moderator, {tally.synthesis} for the synthesis; {tally.missing} journaled answers missing, "
        f"{tally.left} temporary files left"
    )
    raise SystemExit(int(bool(tally.wrong)))
