"""A budget holds on every path: where no cache serves anything, and where answers are lost and asked for again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
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
    run,
    seat_calls,
)
from vendor import Answerer, Call, Reply, VendorServer, debate_script
from vendor.faults import Cut, HttpError, fail_first

from debateroom import activities, resuming, settings, tokens
from debateroom.debating import budget as budgets
from debateroom.debating import forecast
from debateroom.debating import plan as plans
from debateroom.debating.plan import Plan
from debateroom.debating.played import Played
from debateroom.debating.purse import Purse
from debateroom.errors import BudgetSpent
from debateroom.messages import Paid, Request, Transcript, Usage
from debateroom.models import retry
from debateroom.models.caching import caching

MUCH = LONG * 8
"""A note of about 10,000 tokens: what the prompts cost is most of what the debate does."""
MORE = "\nA further ground is that it can be undone."
CONTENTIOUS = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)
"""The moderator is asked after every round, and no round ends the debate."""


@pytest.fixture(autouse=True)
def _no_waits() -> Iterator[None]:
    with retry.no_sleep():
        yield


def long_replies(call: Call) -> Any:
    """Every seat writes more than it may."""
    said = CONTENTIOUS(call)
    return said + MORE * 2_000 if isinstance(said, str) else said


def plan_of(folder: Path) -> Plan:
    return plans.from_event(json.loads((folder / "journal.jsonl").read_text().splitlines()[0]))


def test_a_hit_is_counted_on_where_the_request_carries_what_makes_one() -> None:
    """Marks, or the vendor's own API; a server that only speaks it counts as one without a cache."""
    own, other = {"openai": "https://api.openai.com/v1"}, {"openai": "http://127.0.0.1:8080/v1"}
    sure = {
        (name, where): caching(model, addresses).sure
        for name, model in (
            ("new", "openai:gpt-6.2-sol"),
            ("old", "openai:gpt-5.4"),
            ("claude", "anthropic:claude-x"),
        )
        for where, addresses in (("own", own), ("other", other), ("unknown", {}))
    }
    assert {key for key, value in sure.items() if not value} == {
        ("new", "other"), ("new", "unknown"), ("old", "other"), ("old", "unknown"),
    }  # fmt: skip
    assert not any(caching(model, own).sure for model in ("embedded", "scripted:x.jsonl", "command:claude"))


@pytest.mark.parametrize("model", ["gpt", "sonnet"])
def test_the_worst_case_is_not_passed_where_no_cache_serves_anything(serve: Serve, model: str) -> None:
    """Every prompt is read in full and written wherever that is billed; only marks let a hit be foreseen."""
    serve(CONTENTIOUS, cache_minimum=10**9)
    found = activities.debate(QUESTION, agents=4, rounds=3, model=model, note=(MUCH,))
    plan = plan_of(found.folder)
    worst, usual = forecast.worst(plan), forecast.usual(plan)
    assert found.transcript.cost is not None
    assert worst.cost is not None
    assert usual.cost is not None
    assert found.transcript.cost <= worst.cost
    assert (worst.usage.cached, usual.usage.cached > 0) == (0, model == "sonnet")


@pytest.mark.parametrize("answer", [CONTENTIOUS, long_replies], ids=["short", "long"])
@pytest.mark.parametrize("budget", [0.4, 0.7, 1.2])
@pytest.mark.parametrize("model", ["gpt", "sonnet"])
def test_a_budget_holds_where_no_cache_serves_anything(
    serve: Serve, model: str, budget: float, answer: Answerer
) -> None:
    """A server without a cache, long prompts, replies of any length: the debate stops in time and is concluded."""
    serve(answer, cache_minimum=10**9)
    found = chat(activities.debate(QUESTION, agents=4, rounds=9, model=model, budget=budget, note=(MUCH,)))
    assert (found["stopped"], found["final_output"]["synthesized_by"] != "extract") == ("budget", True)
    assert budget / 4 < found["cost"] <= budget


def test_what_came_from_the_cache_in_the_last_round_bounds_what_the_next_counts_on(here: Path) -> None:
    """An unknown server that has shown one counts; one that has served nothing does not, whatever its vendor says."""

    def next_round(**server: Any) -> tuple[Usage, Usage]:
        with VendorServer(CONTENTIOUS, **server) as opened:
            outcome = over_responses(opened, agents=3, rounds=1, model="gpt", note=(MUCH,), stagger="on")
        plan, whole = plan_of(outcome.folder), outcome.transcript
        first = replace(whole, final_output=None)
        before, after = (forecast.rounds(plan, item)[0].usage for item in (replace(first, rounds=()), first))
        assert before.cached == 0, "nothing was seen yet"
        return after, sum((entry.usage for entry in whole.rounds[0].entries), Usage())

    counted, measured = next_round()
    assert 0.5 < measured.cached / measured.input < 0.7, "two of three seats have read the prefix"
    assert counted.cached / counted.input == pytest.approx(measured.cached / measured.input, rel=0.05)
    counted, measured = next_round(cache_minimum=10**9)
    assert (counted.cached, measured.cached) == (0, 0)


def test_a_room_that_is_resumed_counts_on_no_cache(serve: Serve) -> None:
    """Whether a provider still holds what an earlier run sent is not known: its budget holds when it does not."""
    down = {"now": True}

    def answer(call: Call) -> Any:
        refused = down["now"] and len(call.shared) == 2 and "Agent A" not in call.own.split("\n")[0]
        return HttpError(400) if refused else CONTENTIOUS(call)

    server = serve(answer)
    given: dict[str, Any] = {"agents": 4, "rounds": 9, "model": "sonnet", "budget": 0.5, "note": (MUCH,)}
    with pytest.raises(Exception, match="only 1 of 4 agents answered in round 2"):
        activities.debate(QUESTION, **given)
    down["now"] = False
    server.cache.minimum = 10**9
    server.cache._entries.clear()
    found = chat(resuming.resume(Path("active/chatroom"), settings.load({})))
    assert (found["stopped"], found["cost"] <= 0.5) == ("budget", True)


LOST = Cut(MORE * 500, usage=Usage(input=900))
"""An answer that breaks off after about 5,000 tokens; the vendor bills it."""


@pytest.mark.parametrize("model", ["sonnet", "gpt"])
def test_an_answer_that_was_lost_is_asked_for_again_when_the_budget_still_holds_it(serve: Serve, model: str) -> None:
    """With a small budget the seats fail with a reason, exit 7; with a larger one each is asked to the end."""
    server = serve(fail_first(3, LOST, CONTENTIOUS))
    with pytest.raises(
        BudgetSpent, match=r"only 0 of 3 agents .* broke off .* The budget does not hold another try\."
    ):
        activities.debate(QUESTION, agents=3, rounds=4, model=model, budget=0.2)
    found = json.loads(Path("active/chatroom/chat.json").read_text())
    assert (found["status"], found["cost"] <= 0.2) == ("failed", True)
    assert {failure["agent"] for failure in found["rounds"][0]["failures"]} == {"Agent A", "Agent B", "Agent C"}
    asked = len(server.calls)
    with pytest.raises(BudgetSpent, match="nothing was asked"):
        resuming.resume(Path("active/chatroom"), settings.load({}))
    assert len(server.calls) == asked

    server = serve(fail_first(3, LOST, CONTENTIOUS))
    whole = activities.debate(QUESTION, agents=3, rounds=1, model=model, budget=2.0).transcript
    assert [entry.calls for entry in whole.rounds[0].entries] == [4, 4, 4]
    assert (len(seat_calls(server)), (whole.cost or 9) <= 2.0) == (12, True)


def test_another_try_may_have_the_tokens_that_are_left(serve: Serve) -> None:
    """Beside calls under way it gets what they leave, all of it once they landed, and none where that is little."""
    serve(CONTENTIOUS)
    plan = plan_of(activities.debate(QUESTION, agents=3, rounds=1, model="sonnet", budget=0.5).folder)
    allowance = budgets.limit(plan, Transcript(problem=plan.problem, agents=plan.seats), 0.0)
    assert allowance is not None
    purse = Purse(plan)
    purse.begin(allowance, 0.0)
    asked = Request(shared=("A question. " * 50,), own="You are Agent A.", max_tokens=allowance.limit)
    first, *others = (purse.take(plan.model, asked) for _ in range(3))
    assert first.allowance is not None
    lost = Paid(Usage(input=900, output=allowance.limit // 2))
    less = first.allowance.again([lost])
    assert less is not None
    assert allowance.limit // 4 < less < allowance.limit
    for other in others:
        purse.settle(other, [Paid(Usage(input=900, output=100))])
    assert (first.allowance.again([lost]), purse.refused) == (allowance.limit, False)
    assert (first.allowance.again([lost] * 9), purse.refused) == (None, True)


def test_a_round_that_the_budget_breaks_off_leaves_the_ones_before_it(serve: Serve) -> None:
    """What was said until then is synthesised, and the run ends with exit 7."""

    def answer(call: Call) -> Any:
        return LOST if call.schema is None and len(call.shared) == 2 else CONTENTIOUS(call)

    serve(answer)
    outcome = activities.debate(QUESTION, agents=3, rounds=4, model="sonnet", budget=0.3)
    found = chat(outcome)
    assert (found["stopped"], outcome.summary["exit_code"], found["cost"] <= 0.3) == ("budget", 7, True)
    assert (len(found["rounds"][0]["entries"]), len(found["rounds"][1]["entries"])) == (3, 0)
    assert found["final_output"]["synthesized_by"] == "claude-sonnet-5-5"


@pytest.mark.parametrize("budget", [0.15, 0.18, 0.25])
def test_a_moderator_that_runs_into_its_limit_is_asked_again_only_when_that_fits(
    serve: Serve, capsys: pytest.CaptureFixture[str], budget: float
) -> None:
    """Neither a verdict nor a synthesis that was cut costs more than what is left; the extract stands in."""

    def answer(call: Call) -> Any:
        if call.schema is None:
            return CONTENTIOUS(call)
        value = APART if "aligned" in call.schema["properties"] else SYNTHESIS
        return Reply(json.dumps({**value, "why": "word " * 30_000, "summary": "word " * 30_000}))

    server = serve(answer)
    code, _, err = run(capsys, QUESTION, "-n", "3", "-r", "1", "--model", "sonnet", "--budget", str(budget))
    found = json.loads(Path("active/chatroom/chat.json").read_text())
    assert (code, found["stopped"], found["final_output"]["synthesized_by"]) == (7, "budget", "extract")
    assert "for a whole debate start it again, with a larger --budget" in err
    assert found["cost"] <= budget
    assert len(moderated_calls(server)) <= 2


def test_a_call_is_priced_with_all_that_it_holds(serve: Serve) -> None:
    """The purse's figure for one call is what the vendor bills for it at most."""
    server = serve(CONTENTIOUS, cache_minimum=1)
    outcome = activities.debate(QUESTION, agents=2, rounds=1, model="sonnet", note=(LONG,), moderator="none")
    plan = plan_of(outcome.folder)
    played = Played(plan, Transcript(problem=plan.problem, agents=plan.seats)).full(5_000)
    call = server.calls[0]
    request = Request(shared=tuple(call.shared), own=call.own, max_tokens=5_000)
    size = sum(map(tokens.estimate, call.prompt)) * 1.2
    most = played.at_most("anthropic:claude-sonnet-5-5", request)
    assert most == pytest.approx((size * 2.5 + 5_000 * 10) / 1e6, rel=0.05)
