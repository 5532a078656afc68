"""What our layout saves: input of whole debates, priced by a prompt cache, against the naive layout.

Run: python tests/bench/cost.py. The server on loopback has a cache of the vendors' kind: the longest finished prefix
of marked blocks, writing 1.25 times and reading 0.05 times the price of a token, nothing below the model's minimum:
512 tokens for opus, 1,024 for sonnet. Round 1 of a room of three without context is too short for sonnet, so its
round 2 finds nothing: with three rounds and no call of the moderator in between no layout can then reach 80 %, and
that one row misses its bars. The naive layout puts the role first and marks nothing: the same tokens, all at the
full price. Twice: with unsure seats, so that the moderator is never asked, and with sure ones who disagree, so that
it is asked after every round. All calls count, the moderator's and the synthesis too; the cached share is that of
the seats' calls from round 2 on.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from vendor import Call, VendorServer, debate_script

from debateroom import activities
from debateroom.models.registry import info

READ, WRITE = 0.05, 1.25
REPLY = 1000
"""Tokens of a seat's reply, in the server's count of four characters a token."""
QUESTION = (
    "Should our background jobs use a durable queue or a polling loop over a table? We are four engineers with one "
    "Postgres and no broker today. There are about 200 jobs a minute, with peaks of ten times that on Mondays; "
    "most take a second, some ten minutes. Customers were promised that no job is lost, and that none runs twice "
    "without being noticed. We deploy several times a day and have no night shift, so whatever we take must survive "
    "a restart in the middle of a job and be understood by whoever is on call. Money for one more small machine is "
    "there, for a managed service rather not. We can take three weeks, and would like to be able to go back."
)
SYNTHESIS: dict[str, Any] = {
    "summary": "No agreement.", "consensus": [], "disagreements": [], "recommended_action": "Measure first.",
    "sharpest_disagreement": "Retries.", "unresolved_risks": [], "mind_changes": [], "highlights": [],
    "opening_positions": [],
}  # fmt: skip


APART = {
    "aligned": False, "proposal": "Agent A", "holdouts": ["Agent B"], "open_blockers": [], "off_topic": [],
    "why": "They differ.", "shared_premise": "",
}  # fmt: skip


class Room(NamedTuple):
    """One size of debate, and the bar for its input against the naive one."""

    name: str
    agents: int
    rounds: int
    context: int
    """Tokens of context."""
    bar: float


ROOMS = (
    Room("3 x 3", 3, 3, 0, 0.35),
    Room("3 x 3, 1k context", 3, 3, 1_000, 0.35),
    Room("5 x 4", 5, 4, 0, 0.22),
    Room("10 x 5", 10, 5, 0, 0.15),
    Room("5 x 5, 50k context", 5, 5, 50_000, 0.15),
)


def main() -> None:
    """Prints a line a room."""
    os.environ["ANTHROPIC_API_KEY"] = "sk-ant-test-01"
    print(f"replies of {REPLY} tokens; read {READ} x, write {WRITE} x")
    for model in ("opus", "sonnet"):
        for confidence in (7, 9):
            print(f"{model}, seats {confidence} sure:")
            for room in ROOMS:
                print(measure(room, model, confidence))


def measure(room: Room, model: str, confidence: int) -> str:
    """One debate that plays all its rounds, as a line of figures."""
    names = [f"Agent {letter}" for letter in "ABCDEFGHIJ"]
    table = {name: [(confidence, name)] for name in names}
    script = debate_script(table, synthesis=SYNTHESIS, moderator=APART)

    def answer(call: Call) -> Any:
        said = script(call)
        return said if call.schema is not None else f"{said}\n\n{'Further grounds. ' * (REPLY * 4 // 17)}"

    with (
        VendorServer(answer, latency=0.3, first_token=0.05, cache_minimum=info(model).cache_minimum) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        os.environ["DEBATEROOM_ANTHROPIC_BASE_URL"] = server.url
        context = Path(folder) / "context.md"
        context.write_text("A line of what everybody should know. " * (room.context * 4 // 38 + 1))
        given = {"agents": room.agents, "rounds": room.rounds, "model": model, "active": folder}
        activities.debate(QUESTION, context=(str(context),) if room.context else (), **given)
        calls = list(server.calls)
    seats = [call for call in calls if call.schema is None]
    naive = sum(call.usage.input for call in calls if call.usage)
    ours = sum(priced(call) for call in calls)
    later = [call.usage for call in seats[room.agents :] if call.usage]
    share = sum(usage.cached for usage in later) / sum(usage.input for usage in later)
    ratio = ours / naive
    figures = (
        f"{room.name:<20} naive {naive:>9,} tokens, ours priced as {ours:>9,.0f}: ratio {ratio:.3f}, "
        f"cached from round 2 on {share:.1%}"
    )
    verdict = "met" if ratio <= room.bar and share >= 0.8 else "MISSED"
    return f"{figures}: {verdict} (bars {room.bar} and 80%)"


def priced(call: Call) -> float:
    """Tokens of one call's input, each at its price."""
    usage = call.usage
    if usage is None:
        return 0.0
    return usage.input - usage.cached - usage.written + READ * usage.cached + WRITE * usage.written


if __name__ == "__main__":
    main()
