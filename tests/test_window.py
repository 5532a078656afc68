"""A request that is too long for its model's window is cut to the room and the last round, whoever is asked."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from debates import APART, QUESTION, SURE, SYNTHESIS, moderated_calls, seat_calls
from vendor import Call, Said, VendorServer, debate_script
from web_models import models

from debateroom import activities, context, settings
from debateroom.activities import Outcome
from debateroom.debating import plan as plans
from debateroom.errors import UsageError

LONG = "A line of what a seat has to say about the queue. " * 130
"""About 1,400 tokens more in every reply."""


def held(server: VendorServer, window: int, **given: Any) -> Outcome:
    """A debate in which models of compatible servers have this window, and Claude a large one."""
    chosen = settings.load({"agents": 3, "rounds": 3, "stagger": "off", **given})
    with models(server, "chat", openai_window=window) as opened:
        plan = plans.make(QUESTION, chosen, context.collect(chosen.context, chosen.note), opened)
        return activities.run(plan, chosen, opened, on_event=None, on_progress=None)


def talkative(call: Call) -> Said:
    """Seats that say much, a moderator that never finds them agreed."""
    said = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)(call)
    return f"{said}\n\nPROPOSAL: {LONG}" if isinstance(said, str) else said


def headings(call: Call) -> list[str]:
    """The shared blocks after the room's, by their first line."""
    return [block.strip().splitlines()[0] for block in call.shared[1:]]


def events(outcome: Outcome, name: str) -> list[dict[str, Any]]:
    lines = (json.loads(line) for line in (outcome.folder / "journal.jsonl").read_text().splitlines())
    return [line for line in lines if line["event"] == name]


def test_the_moderator_and_the_synthesis_are_given_what_their_window_holds(here: object) -> None:
    """From the round on that does not fit, the room and the last round alone; the seats read everything."""
    with VendorServer(talkative) as server:
        outcome = held(server, 9_000, model="sonnet", moderator="openai:small")
        seats = [len(call.shared) for call in seat_calls(server)]
        moderated = [headings(call) for call in moderated_calls(server)]
        (synthesis,) = [call for call in server.calls if "highlights" in (call.schema or {}).get("properties", {})]
    assert seats == [1] * 3 + [2] * 3 + [3] * 3
    assert [len(found) for found in moderated] == [1, 1, 1]
    assert [found[0] != other[0] for found, other in pairwise(moderated)] == [True, True]
    assert headings(synthesis) == moderated[-1]
    assert [line["history"] for line in events(outcome, "moderated")] == ["full", "last_round", "last_round"]
    assert events(outcome, "synthesized")[0]["history"] == "last_round"


def test_a_seat_and_its_repair_are_given_what_their_window_holds(here: object) -> None:
    """The repair holds the unreadable answer besides, and is cut where the question itself was not."""

    def answer(call: Call) -> Said:
        unreadable = call.model == "small" and len(call.shared) > 1 and "none of the labels" not in call.own
        return LONG if unreadable else talkative(call)

    with VendorServer(answer) as server:
        outcome = held(server, 15_800, rounds=3, role=("A@openai:small: x", "B@sonnet: x", "C@sonnet: x"),
                       agents=None, model="sonnet", moderator="none")  # fmt: skip
        small = [len(call.shared) for call in server.calls if call.model == "small"]
    assert small == [1, 2, 2, 3, 2]
    kept = [item.entries[0].history for item in outcome.transcript.rounds]
    assert kept == ["full", "full", "last_round"]


def test_a_moderator_that_cannot_read_the_question_is_refused_before_any_call(here: object) -> None:
    """As with a seat: the message has the figures, and nothing is asked."""
    with VendorServer(talkative) as server, pytest.raises(UsageError, match="openai:small has a window of 2,000"):
        held(server, 2_000, model="sonnet", moderator="openai:small", note=(LONG,))
    assert server.calls == []
