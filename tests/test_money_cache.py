"""The cache: which blocks are marked, who reads the same prefix, and who goes ahead."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from debates import (
    APART,
    LONG,
    QUESTION,
    SURE,
    SYNTHESIS,
    Serve,
    chat,
    moderated_calls,
    over_responses,
    seat_calls,
)
from vendor import Call, VendorServer, debate_script
from vendor.faults import HttpError

from debateroom import activities, tokens
from debateroom.debating import asking


def test_anthropic_is_given_one_mark_on_the_last_shared_block(serve: Serve) -> None:
    """`cache_control` sits on the last shared block itself, never on the top level or on what is a seat's own."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    activities.debate(QUESTION, agents=3, rounds=3, model="sonnet", note=(LONG,), stagger="off")
    assert len(server.calls) == 13
    for call in server.calls:
        assert call.marks == (len(call.prompt) - 2,)
        assert "cache_control" not in call.body
        assert "cache_control" not in call.body["messages"][0]["content"][-1]


def test_newer_openai_models_are_given_explicit_breakpoints_and_a_stable_key(here: Path) -> None:
    """The mode is `explicit`, at most four breakpoints are on the last shared blocks, and one key is the room's."""
    with VendorServer(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)) as server:
        outcome = over_responses(server, agents=2, rounds=6, model="gpt", note=(LONG,))
        seats = seat_calls(server)
        assert {len(call.shared) for call in seats} == {1, 2, 3, 4, 5, 6}
        for call in server.calls:
            assert call.endpoint == "openai.responses"
            assert call.body["prompt_cache_options"] == {"mode": "explicit"}
            last = len(call.shared) - 1
            assert call.marks == tuple(range(max(0, last - 3), last + 1))
        assert {call.body["prompt_cache_key"] for call in server.calls} == {chat(outcome)["uuid"]}
        assert seats[-1].usage is not None
        assert seats[-1].usage.cached > 0.8 * seats[-1].usage.input


def test_older_openai_models_are_sent_no_marks(here: Path) -> None:
    """Before gpt-5.6 prefixes are cached by themselves: the key is sent, options and breakpoints are not."""
    with VendorServer(debate_script(synthesis=SYNTHESIS)) as server:
        over_responses(server, agents=2, rounds=2, model="openai:gpt-5.4-2026-03-01", note=(LONG,))
        for call in server.calls:
            assert call.marks == ()
            assert "prompt_cache_options" not in call.body
            assert call.body["prompt_cache_key"]


def test_the_moderators_and_the_synthesis_calls_are_on_the_prefix_of_the_next_round(serve: Serve) -> None:
    """What the moderator reads after a round is, to the byte, what the seats read in the next: cached once."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    activities.debate(QUESTION, agents=3, rounds=3, model="sonnet", note=(LONG,))
    asked, rounds = moderated_calls(server), [seat_calls(server)[start : start + 3] for start in (0, 3, 6)]
    for verdict, following in zip(asked, [*rounds[1:], [server.calls[-1]]], strict=True):
        assert all(call.shared == verdict.shared for call in following)
        assert all(call.usage and call.usage.written == 0 for call in following)
    assert [call.usage.cached > 0 for call in asked if call.usage] == [True, True, True]


def test_the_synthesis_writes_nothing_that_nobody_will_read(serve: Serve) -> None:
    """Where the moderator has not read the last round, its block stays outside the cached part."""
    server = serve(debate_script(synthesis=SYNTHESIS))
    activities.debate(QUESTION, agents=3, rounds=2, model="sonnet", note=(LONG,), stagger="on")
    last, before = server.calls[-1], seat_calls(server)[-1]
    assert last.shared == before.shared
    assert last.own.startswith("WHAT WAS SAID IN ROUND 2:")
    assert last.usage is not None
    assert (last.usage.written, last.usage.cached) == (0, before.usage.cached if before.usage else None)


def test_from_round_2_on_most_of_the_input_is_read_from_the_cache(serve: Serve) -> None:
    """With the layout and the first seat ahead, at least 80 % of the seats' input comes from the cache."""
    server = serve(debate_script(synthesis=SYNTHESIS), latency=0.1, first_token=0.05)
    activities.debate(QUESTION, agents=5, rounds=3, model="sonnet", note=(LONG * 3,), stagger="on")
    later = [call.usage for call in seat_calls(server)[5:] if call.usage]
    assert sum(usage.cached for usage in later) >= 0.8 * sum(usage.input for usage in later)
    assert sum(usage.written > 0 for usage in later) == 2, "each round is written once"


def arrivals(calls: list[Call]) -> list[bool]:
    """Whether each of one round's calls arrived only after the first one's first token."""
    first = calls[0].first_token
    assert first is not None
    return [call.arrived >= first for call in calls[1:]]


@pytest.mark.parametrize(
    ("stagger", "agents", "note", "ahead"),
    [
        ("auto", 3, LONG, True),
        ("auto", 2, LONG, False),
        ("auto", 3, "Short.", False),
        ("off", 3, LONG, False),
        ("on", 2, "Short.", True),
    ],
)
def test_the_first_seat_goes_ahead_where_there_is_enough_to_write(
    serve: Serve, stagger: str, agents: int, note: str, ahead: bool
) -> None:
    """`auto` is on when the part not yet cached is above the provider's minimum and there are three seats or more."""
    server = serve(debate_script(), latency=1.0, first_token=0.2 if ahead else 1.0, together=agents)
    activities.debate(
        QUESTION, agents=agents, rounds=1, model="sonnet", note=(note,), stagger=stagger, moderator="none"
    )
    assert arrivals(server.calls) == [ahead] * (agents - 1)


def test_auto_looks_at_what_is_not_cached_yet_and_not_at_the_last_block_alone(serve: Serve) -> None:
    """A short room is below the minimum in round 1, so in round 2 all of it has to be written: now one goes ahead."""
    filler = "Further grounds for it. " * 60
    script = debate_script()
    server = serve(
        lambda call: f"{script(call)}\n{filler}",
        latency=1.0,
        first_token=lambda call: 1.0 if len(call.shared) == 1 else 0.2,
        together=3,
    )
    activities.debate(QUESTION, agents=3, rounds=3, model="sonnet", moderator="none", stagger="auto")
    rounds = [server.calls[start : start + 3] for start in (0, 3, 6)]
    sizes = [tokens.estimate(call[0].prompt[-2]) for call in rounds]
    assert sizes[0] < 1024 < sizes[1], "sonnet keeps from 1,024 tokens on"
    assert [arrivals(calls) for calls in rounds] == [[False, False], [True, True], [True, True]]


def test_after_the_moderator_nothing_is_left_to_write_and_nobody_waits(serve: Serve) -> None:
    """The moderator's call has written the next round's prefix, so its seats are all sent at once."""
    filler = "Further grounds for it. " * 100
    script = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)

    server = serve(
        lambda call: script(call) if call.schema else f"{script(call)}\n{filler}",
        latency=lambda call: 0.0 if call.schema else 1.0,
        first_token=lambda call: 0.2 if len(call.shared) == 1 else 1.0,
        together=3,
    )
    activities.debate(QUESTION, agents=3, rounds=2, model="sonnet", note=(LONG,))
    seats = seat_calls(server)
    assert [arrivals(seats[:3]), arrivals(seats[3:])] == [[True, True], [False, False]]


def test_each_model_of_a_mixed_room_has_its_own_first_seat(serve: Serve) -> None:
    """Models do not share a cache: one seat of each goes ahead, and its failure sends its own followers only."""
    roles = [f"R{n}@{model}: argues" for n, model in enumerate(("sonnet", "opus", "sonnet", "opus"))]
    script = debate_script()

    class OnceBothAreAsked(HttpError):
        """The error, but not before the other model's first seat has arrived."""

        async def play(self, call: Call, wire: Any, out: Any) -> None:
            while len(server.calls) < 2:
                await asyncio.sleep(0.01)
            await super().play(call, wire, out)

    def answer(call: Call) -> Any:
        if call.number == 2:  # the failed seat's follower
            server.hurry()
        return OnceBothAreAsked(400) if "Agent B" in call.own.split("\n")[0] else script(call)

    server = serve(answer, latency=2.5, first_token=2.0)
    activities.debate(QUESTION, role=tuple(roles), rounds=1, note=(LONG,), moderator="none", model="sonnet")
    order = [(call.model, call.said is not None and isinstance(call.said, HttpError)) for call in server.calls]
    assert sorted(order[:2]) == [("claude-opus-5-5", True), ("claude-sonnet-5-5", False)]
    assert order[2:] == [("claude-opus-5-5", False), ("claude-sonnet-5-5", False)]
    lead = next(call for call in server.calls if call.model == "claude-sonnet-5-5")
    assert lead.first_token is not None
    assert server.calls[2].arrived < lead.first_token < server.calls[3].arrived


def test_a_first_seat_that_says_nothing_holds_the_others_for_three_seconds_only(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 3 s without a token the rest are sent all the same; here after half a second."""
    assert asking.AHEAD == 3.0
    monkeypatch.setattr(asking, "AHEAD", 0.5)
    server = serve(debate_script(), latency=60.0, first_token=60.0, together=3)
    began = time.monotonic()
    activities.debate(QUESTION, agents=3, rounds=1, model="sonnet", stagger="on", moderator="none")
    first, *others = server.calls
    assert first.first_token is not None
    assert all(began + 0.5 <= call.arrived < first.first_token for call in others)
