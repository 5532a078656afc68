"""What was paid for is counted, also when nothing came of it: per entry, round and room, and toward the budget."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from debates import ALIGNED, QUESTION, SURE, SYNTHESIS, Serve, chat, over_responses, seat_calls
from vendor import Answerer, Call, Reply, Said, VendorServer, debate_script
from vendor.faults import Cut, HttpError, Reset, StreamError, Trickle, fail_first

from debateroom import activities, tokens
from debateroom.debating import plan as plans
from debateroom.debating.measured import measured
from debateroom.messages import Usage
from debateroom.models import retry

LOST = Usage(input=50_000, cached=0, written=0, output=2_000)
"""What an answer that is thrown away used: more than all of a small debate."""
EMPTY = Reply("", usage=LOST)
REFUSED = Reply("", stop_reason="refusal", usage=LOST)
THOUGHT = Reply("", thinking="hmm " * 9, stop_reason="length", usage=LOST)


@pytest.fixture(autouse=True)
def _no_waits() -> Iterator[None]:
    with retry.no_sleep():
        yield


def used(calls: list[Call]) -> Usage:
    """What the server reported for `calls`."""
    return sum((call.usage for call in calls if call.usage), Usage())


def of_agent_b(call: Call) -> bool:
    return call.schema is None and "Agent B" in call.own.split("\n")[0]


def agent_b(fault: Said, then: Answerer, times: int = 99) -> Answerer:
    """`then`, with `fault` for the first calls of Agent B."""
    broken = fail_first(times, fault, then)
    return lambda call: broken(call) if of_agent_b(call) else then(call)


@pytest.mark.parametrize("model", ["sonnet", "gpt"])
def test_an_answer_that_was_thrown_away_is_counted_in_its_entry(serve: Serve, model: str) -> None:
    """Two empty answers and a good one are three calls in the entry, its round and the room, priced one by one."""
    server = serve(agent_b(EMPTY, debate_script(synthesis=SYNTHESIS), times=2))
    outcome = activities.debate(QUESTION, agents=2, rounds=1, model=model)
    found = chat(outcome)
    first, second = outcome.transcript.rounds[0].entries
    assert (first.calls, second.calls) == (1, 3)
    assert second.usage.input == used([call for call in server.calls if of_agent_b(call)]).input
    assert found["rounds"][0]["usage"] == asdict(used(seat_calls(server)))
    assert found["usage"] == asdict(used(server.calls))
    lost = 2 * (LOST.input * 2.0 + LOST.output * 10.0) / 1e6
    assert lost < found["cost"] < lost + 0.05


@pytest.mark.parametrize("fault", [EMPTY, REFUSED, THOUGHT], ids=["empty", "refused", "all thinking"])
def test_a_seat_without_an_answer_is_paid_for_in_its_round(serve: Serve, fault: Said) -> None:
    """What failed in the end is no entry, and its calls are in the round and the room all the same."""
    server = serve(agent_b(fault, debate_script(synthesis=SYNTHESIS)))
    found = chat(activities.debate(QUESTION, agents=3, rounds=1, model="sonnet"))
    (failed,) = found["rounds"][0]["failures"]
    assert failed["agent"] == "Agent B"
    assert found["rounds"][0]["usage"] == asdict(used(seat_calls(server)))
    assert found["usage"] == asdict(used(server.calls))
    assert found["cost"] > LOST.input * 2.0 / 1e6


def test_the_other_api_is_counted_alike(here: Path) -> None:
    """Over Responses, too, the empty answer before the good one is in the room's usage."""
    with VendorServer(agent_b(EMPTY, debate_script(), times=1)) as server:
        found = chat(over_responses(server, agents=2, rounds=1, model="gpt", moderator="none"))
        assert found["usage"] == asdict(used(server.calls))


@pytest.mark.parametrize("model", ["sonnet", "gpt"])
@pytest.mark.parametrize("abrupt", [False, True])
def test_a_stream_that_broke_off_is_counted_as_far_as_it_came(serve: Serve, model: str, abrupt: bool) -> None:
    """The vendor bills it and reports nothing: input as reported or estimated, output by the text that arrived."""
    text = "POSITION: we should look at what can be undone. " * 40
    cut = Cut(text, abrupt=abrupt, usage=Usage(input=9_000, output=1))
    server = serve(agent_b(cut, debate_script(), times=1))
    outcome = activities.debate(QUESTION, agents=2, rounds=1, model=model, moderator="none")
    entry = outcome.transcript.rounds[0].entries[1]
    broken, good = (call for call in server.calls if of_agent_b(call))
    sent = 9_000 if model == "sonnet" else sum(map(tokens.estimate, broken.prompt))
    assert entry.calls == 2
    assert entry.usage.input == sent + used([good]).input
    assert entry.usage.output == pytest.approx(tokens.estimate(text) + used([good]).output, rel=0.1)
    assert outcome.transcript.cost is not None


@pytest.mark.parametrize("fault", [HttpError(529), HttpError(429), Reset(), StreamError(529, text="")], ids=repr)
def test_what_was_turned_down_costs_nothing(serve: Serve, fault: Said) -> None:
    """A call that was answered with an error, or by nobody, is not billed and not counted."""
    server = serve(agent_b(fault, debate_script(), times=1))
    outcome = activities.debate(QUESTION, agents=2, rounds=1, model="gpt", moderator="none")
    entry = outcome.transcript.rounds[0].entries[1]
    assert (entry.calls, outcome.transcript.usage) == (1, used(server.calls))


def test_a_moderators_thrown_away_answers_are_counted(serve: Serve) -> None:
    """An empty verdict and an unreadable one before the good one are in the round's usage."""
    script = debate_script(SURE, moderator=ALIGNED, synthesis=SYNTHESIS)
    unreadable = fail_first(1, Reply("no JSON", usage=LOST), script, per=lambda _: "")
    verdicts = fail_first(1, EMPTY, unreadable, per=lambda _: "")

    def answer(call: Call) -> Said:
        return verdicts(call) if "aligned" in (call.schema or {}).get("properties", {}) else script(call)

    server = serve(answer)
    found = chat(activities.debate(QUESTION, agents=2, rounds=2, model="sonnet"))
    assert found["usage"] == asdict(used(server.calls))
    assert found["rounds"][0]["usage"]["input"] > 2 * LOST.input


def test_a_late_seat_is_counted_as_far_as_its_answer_had_come(serve: Serve) -> None:
    """A seat that is late in its round has begun to write: that part was paid for."""
    server = serve(agent_b(Trickle(), debate_script()))
    given: dict[str, Any] = {"model": "sonnet", "moderator": "none", "round_timeout": 1.0, "stagger": "off"}
    outcome = activities.debate(QUESTION, agents=3, rounds=1, **given)
    (round_,) = outcome.transcript.rounds
    assert [failure.agent for failure in round_.failures] == ["Agent B"]
    assert round_.usage.input == used(server.calls).input + 1, "what the stream said of itself at its beginning"


def test_a_call_that_was_given_up_while_the_vendor_was_at_work_is_counted(here: Path) -> None:
    """A model that thinks past the call's time has read the prompt, and nothing is reported about it."""
    script = debate_script()
    with VendorServer(agent_b(Trickle(), script)) as server:
        given: dict[str, Any] = {"model": "gpt", "moderator": "none", "call_timeout": 1.0}
        found = chat(over_responses(server, agents=3, rounds=1, **given))
        lost = next(call for call in server.calls if of_agent_b(call))
        sent = sum(map(tokens.estimate, lost.prompt))
        assert found["rounds"][0]["failures"][0]["agent"] == "Agent B"
        assert found["usage"]["input"] == used(server.calls).input + sent


def test_thrown_away_answers_count_toward_the_budget(serve: Serve) -> None:
    """Without them the budget holds all rounds; with them the debate ends before the one that would pass it."""
    script = debate_script(synthesis=SYNTHESIS)
    given: dict[str, Any] = {"agents": 2, "rounds": 4, "model": "sonnet", "budget": 0.4}
    serve(script)
    assert chat(activities.debate(QUESTION, **given))["stopped"] == "rounds"
    serve(agent_b(EMPTY, script, times=1))
    found = chat(activities.debate(QUESTION, **given))
    assert (found["stopped"], len(found["rounds"])) == ("budget", 3)
    assert 0.24 < found["cost"] <= 0.4


def test_a_reply_that_was_asked_for_again_does_not_calibrate(serve: Serve) -> None:
    """Its usage is that of several calls, and says nothing about what one comes to."""
    serve(agent_b(EMPTY, debate_script(synthesis=SYNTHESIS), times=1))
    outcome = activities.debate(QUESTION, agents=2, rounds=1, model="sonnet")
    plan = plans.from_event(json.loads((outcome.folder / "journal.jsonl").read_text().splitlines()[0]))
    (first,) = outcome.transcript.rounds
    alone = replace(outcome.transcript, rounds=(replace(first, entries=first.entries[:1]),))
    both, one = (measured(plan, transcript) for transcript in (outcome.transcript, alone))
    assert both["anthropic:claude-sonnet-5-5"].factor == one["anthropic:claude-sonnet-5-5"].factor
