"""What the embedded model costs here: loading, reading and writing a token, and a whole debate of 3 seats × 2 rounds.

Run: python tests/bench/embedded.py [en|fr|zh]. The model's file must be there (debateroom models pull). Aim: 45 s on
two idle cores. `others` is how many cores were busy with something else (Linux only): figures with more than 0.1
are not to be compared.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from debateroom import activities, context, settings
from debateroom.debating import plan as plans
from debateroom.debating import rounds
from debateroom.debating.purse import Purse
from debateroom.messages import Model, Request
from debateroom.models.embedded import Embedded
from debateroom.room.room import Room, folder_of

QUESTIONS = {
    "en": "Should our order service use a durable queue or a simple polling loop?",
    "fr": "Faut-il réécrire le service de facturation en Rust ?",
    "zh": "我们应该使用微服务还是单体架构？",
}
PROSE = "A queue keeps what a loop would lose when the process stops between two looks. "


class Moment(NamedTuple):
    """Seconds by three clocks."""

    wall: float
    own: float
    """CPU of this process."""
    all: float
    """CPU of the whole machine."""


def now() -> Moment:
    """The three clocks."""
    machine = Path("/proc/stat")
    jiffies = [int(word) for word in machine.read_text().split("\n")[0].split()[1:]] if machine.exists() else []
    return Moment(time.monotonic(), time.process_time(), (sum(jiffies) - sum(jiffies[3:5])) / 100)


def since(start: Moment) -> str:
    """What happened from `start` on, in words."""
    end = now()
    wall, own = end.wall - start.wall, end.own - start.own
    others = max(0.0, end.all - start.all - own) / wall
    return f"{wall:.1f} s, {own:.1f} s of CPU, others {others:.2f}"


def rates(model: Model) -> str:
    """Tokens a second: reading a prompt of some 1,500 tokens, and writing."""
    began, first = time.monotonic(), []

    def on_text(piece: str) -> None:
        first.append(time.monotonic() - began)

    answer = model.ask(Request((PROSE * 85,), "Tell a long story about it.", max_tokens=120), on_text=on_text)
    reading = answer.usage.input / first[0]
    writing = (answer.usage.output - 1) / (first[-1] - first[0])
    return f"reading {reading:.0f} tokens/s ({answer.usage.input}), writing {writing:.0f} tokens/s"


def main(language: str) -> None:
    """Prints the figures for one language."""
    with tempfile.TemporaryDirectory() as folder:
        given = {"agents": 3, "rounds": 2, "model": "embedded", "active": folder, "early_stop": False}
        chosen = settings.load(given)
        start = now()
        models = activities.open_models(chosen)
        model = models.open("embedded")
        assert isinstance(model, Embedded)
        model.start()
        print("loading:", since(start))
        start = now()
        print("rates:", rates(model), "|", since(start))
        plan = plans.make(QUESTIONS[language], chosen, context.Context(), models)
        start = now()
        with Room.create(folder_of(chosen.active, chosen.room), activities.opening(plan)) as room:
            rounds.play(room, plan, models, purse=Purse(plan, models.stop))
            usage, played = room.transcript.usage, room.transcript.rounds
        print(f"3 x 2 ({language}):", since(start))
        print(f"  {usage.input:,} tokens sent, {usage.cached:,} of them cached; {usage.output:,} written")
        for item in played:
            print(f"  round {item.round}: " + ", ".join(f"{entry.seconds:.1f} s" for entry in item.entries))
        models.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "en")
