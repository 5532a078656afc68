"""Money: what is marked for the cache, who goes ahead, what is counted, foreseen, and held to a budget."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from debates import ALIGNED, APART, QUESTION, SYNTHESIS, Serve, chat, moderated_calls, seat_calls
from vendor import Call, Reply, VendorServer, debate_script
from vendor.faults import HttpError
from web_models import models as web_models

from debateroom import activities, cli, clock, context, settings
from debateroom.debating import forecast, prefix
from debateroom.debating import plan as plans
from debateroom.errors import BudgetSpent, UsageError
from debateroom.messages import Transcript, Usage

LONG = "A line of what everybody should know about the queue. " * 120
"""A note of about 1,300 tokens: more than either vendor's minimum."""
SURE = {f"Agent {letter}": [(9, f"Agent {letter}")] for letter in "ABCDE"}
"""Everyone is sure of its own proposal, so the moderator is asked after every round."""


def over_responses(server: VendorServer, **given: Any) -> activities.Outcome:
    """A debate in which OpenAI is spoken to as on its own endpoint, with the cache fields of its newer models."""
    chosen = settings.load({"stagger": "off", **given})
    with web_models(server) as opened:
        gathered = context.collect(chosen.context, chosen.note)
        plan = plans.make(QUESTION, chosen, gathered, opened)
        return activities.run(plan, chosen, opened, on_event=None, on_progress=None)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one call."""
    code = cli.run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# the cache


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


def test_from_round_2_on_most_of_the_input_is_read_from_the_cache(serve: Serve) -> None:
    """With the layout and the first seat ahead, at least 80 % of the seats' input comes from the cache."""
    server = serve(debate_script(synthesis=SYNTHESIS), latency=0.2, first_token=0.05)
    activities.debate(QUESTION, agents=5, rounds=3, model="sonnet", note=(LONG * 3,), stagger="on")
    later = [call.usage for call in seat_calls(server)[5:] if call.usage]
    assert sum(usage.cached for usage in later) >= 0.8 * sum(usage.input for usage in later)
    assert sum(usage.written > 0 for usage in later) == 2, "each round is written once"


# the first seat ahead


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
    server = serve(debate_script(synthesis=SYNTHESIS), latency=0.6, first_token=0.4)
    activities.debate(
        QUESTION, agents=agents, rounds=1, model="sonnet", note=(note,), stagger=stagger, moderator="none"
    )
    assert arrivals(server.calls) == [ahead] * (agents - 1)


def test_auto_looks_at_what_is_not_cached_yet_and_not_at_the_last_block_alone(serve: Serve) -> None:
    """A short room is below the minimum in round 1, so in round 2 all of it has to be written: now one goes ahead."""
    filler = "Further grounds for it. " * 60
    script = debate_script()
    server = serve(lambda call: f"{script(call)}\n{filler}", latency=0.6, first_token=0.4)
    activities.debate(QUESTION, agents=3, rounds=3, model="opus", moderator="none", stagger="auto")
    rounds = [server.calls[start : start + 3] for start in (0, 3, 6)]
    sizes = [prefix.size(call[0].prompt[-2]) for call in rounds]
    assert sizes[0] < 512 < sizes[1], "opus keeps from 512 tokens on"
    assert [arrivals(calls) for calls in rounds] == [[False, False], [True, True], [True, True]]


def test_after_the_moderator_nothing_is_left_to_write_and_nobody_waits(serve: Serve) -> None:
    """The moderator's call has written the next round's prefix, so its seats are all sent at once."""
    filler = "Further grounds for it. " * 100
    script = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)

    def answer(call: Call) -> Any:
        return script(call) if call.schema else f"{script(call)}\n{filler}"

    server = serve(answer, latency=0.5, first_token=0.3)
    activities.debate(QUESTION, agents=3, rounds=2, model="sonnet", note=(LONG,))
    seats = seat_calls(server)
    assert [arrivals(seats[:3]), arrivals(seats[3:])] == [[True, True], [False, False]]


def test_each_model_of_a_mixed_room_has_its_own_first_seat(serve: Serve) -> None:
    """Models do not share a cache: one seat of each goes ahead, and its failure sends its own followers only."""
    roles = [f"R{n}@{model}: argues" for n, model in enumerate(("sonnet", "opus", "sonnet", "opus"))]

    def answer(call: Call) -> Any:
        return HttpError(400) if "Agent B" in call.own.split("\n")[0] else debate_script()(call)

    server = serve(answer, latency=1.0, first_token=0.8)
    activities.debate(QUESTION, role=tuple(roles), rounds=1, note=(LONG,), moderator="none", model="sonnet")
    order = [(call.model, call.said is not None and isinstance(call.said, HttpError)) for call in server.calls]
    assert sorted(order[:2]) == [("claude-opus-5-5", True), ("claude-sonnet-5-5", False)]
    assert order[2:] == [("claude-opus-5-5", False), ("claude-sonnet-5-5", False)]
    lead = next(call for call in server.calls if call.model == "claude-sonnet-5-5")
    assert lead.first_token is not None
    assert server.calls[2].arrived < lead.first_token < server.calls[3].arrived


def test_a_first_seat_that_says_nothing_holds_the_others_for_three_seconds_only(serve: Serve) -> None:
    """After 3 s without a token the rest are sent all the same."""
    server = serve(debate_script(), latency=4.0, first_token=3.8)
    activities.debate(QUESTION, agents=3, rounds=1, model="sonnet", stagger="on", moderator="none")
    waited = [call.arrived - server.calls[0].arrived for call in server.calls[1:]]
    assert all(2.8 < seconds < 3.7 for seconds in waited), waited


# usage and price


def test_usage_is_kept_for_each_entry_each_round_and_the_room(serve: Serve) -> None:
    """One shape for all: `input` (everything), `cached`, `written`, `output`; the sums are those of the calls."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    found = chat(activities.debate(QUESTION, agents=3, rounds=2, model="sonnet", note=(LONG,)))

    def spent(calls: list[Call]) -> dict[str, int]:
        total = sum((call.usage for call in calls if call.usage), Usage())
        return {name: getattr(total, name) for name in ("input", "cached", "written", "output")}

    assert found["usage"] == spent(server.calls)
    assert [item["usage"] for item in found["rounds"]] == [spent(server.calls[:4]), spent(server.calls[4:8])]
    by_agent = {call.own.split("Agent ")[1][0]: call for call in seat_calls(server)[3:]}
    for entry in found["rounds"][1]["entries"]:
        assert entry["usage"] == spent([by_agent[entry["agent"][-1]]])
    assert found["cost"] == pytest.approx(
        sum((u.input - u.cached - u.written) * 2 + u.cached * 0.1 + u.written * 2.5 + u.output * 10
            for call in server.calls if (u := call.usage)) / 1e6
    )  # fmt: skip


def test_both_vendors_usage_has_one_shape(here: Path) -> None:
    """Anthropic's `input_tokens` leave the cached part out and OpenAI's include it; in the room both include it."""
    roles = ("One@sonnet: argues", "Two@gpt: argues")
    usage = Usage(input=5_000, cached=3_000, written=1_000, output=70)
    script = debate_script()
    with VendorServer(lambda call: Reply(script(call), usage=usage)) as server:  # type: ignore[arg-type]
        found = chat(over_responses(server, role=roles, rounds=1, model="sonnet", moderator="none"))
    assert [entry["usage"] for entry in found["rounds"][0]["entries"]] == [
        {"input": 5_000, "cached": 3_000, "written": 1_000, "output": 70}
    ] * 2


def test_a_repair_is_paid_for_in_its_entry_its_round_and_the_room(serve: Serve) -> None:
    """An entry's usage is that of both calls, also when the repair was no better and the first answer stays."""
    script = debate_script()

    def answer(call: Call) -> Any:
        first = call.own.split("\n")[0]
        repairing = "none of the labels" in call.own
        text = "Use a queue." if "Agent A" in first or not repairing else script(call)
        return Reply(text, usage=Usage(input=1_000, output=10))  # type: ignore[arg-type]

    serve(answer)
    found = chat(activities.debate(QUESTION, agents=2, rounds=1, model="sonnet", moderator="none"))
    entries = found["rounds"][0]["entries"]
    assert [(entry["repaired"], entry["usage"]["input"]) for entry in entries] == [(False, 2_000), (True, 2_000)]
    assert (found["rounds"][0]["usage"]["input"], found["usage"]["input"]) == (4_000, 4_000)


@pytest.mark.parametrize(
    "usage", [Usage(), Usage(output=50), Usage(input=10, cached=20, output=5)], ids=["none", "half", "impossible"]
)
def test_a_provider_that_reports_no_usage_makes_the_cost_unknown_and_never_0(serve: Serve, usage: Usage) -> None:
    """A paid call whose usage is missing or cannot be has no price; the debate goes on."""
    script = debate_script(synthesis=SYNTHESIS)
    serve(lambda call: Reply(json.dumps(said) if isinstance(said := script(call), dict) else said, usage=usage))
    outcome = activities.debate(QUESTION, agents=2, rounds=1, model="gpt")
    assert (chat(outcome)["cost"], outcome.summary["cost"]) == (None, None)


def test_an_unknown_model_costs_unknown(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """A model without a price is `unknown` in the forecast, in the room and at the end; the debate is played."""
    serve(debate_script(synthesis=SYNTHESIS))
    code, out, err = run(capsys, QUESTION, "-n", "2", "-r", "1", "--model", "openai:no-such-model", "--json")
    assert (code, json.loads(out)["cost"]) == (0, None)
    assert "the price is unknown" in next(line for line in err.splitlines() if line.startswith("at most"))
    assert "the price is unknown" in err.splitlines()[-1]


def test_every_figure_is_said_to_be_us_dollars_and_the_cached_share_is_printed(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """The forecast before the first call, the sum at the end and the report each name the currency."""
    server = serve(debate_script(synthesis=SYNTHESIS))
    code, _, err = run(capsys, QUESTION, "-n", "3", "-r", "2", "--model", "sonnet", "--note", LONG, "--stagger", "on")
    lines = err.splitlines()
    assert code == 0
    assert lines[5].startswith("at most 9 calls, about ")
    assert lines[5].endswith(" US dollars")
    used = sum((call.usage for call in server.calls if call.usage), Usage())
    cost = chat_cost()
    assert lines[-1] == (
        f"{used.input:,} tokens in ({used.cached / used.input:.0%} from the cache), {used.output:,} out; "
        f"{cost:.4f} US dollars"
    )


def chat_cost() -> float:
    """What the default room cost."""
    return float(json.loads(Path("active/chatroom/chat.json").read_text())["cost"])


def test_the_users_own_price_counts(serve: Serve, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A price from debateroom.toml makes an unknown model payable, and its budget possible."""
    (here / "debateroom.toml").write_text('prices."openai:mine" = { input = 1.0, output = 2.0 }\n')
    server = serve(debate_script(synthesis=SYNTHESIS))
    code, out, _ = run(
        capsys, QUESTION, "-n", "2", "-r", "1", "--model", "openai:mine", "--json", "--budget", "5", "-q"
    )
    used = sum((call.usage for call in server.calls if call.usage), Usage())
    assert (code, json.loads(out)["cost"]) == (0, pytest.approx((used.input + 2 * used.output) / 1e6))


# the budget


def test_a_budget_with_an_unpriced_model_is_a_usage_error_that_names_the_table(serve: Serve) -> None:
    """Nothing is asked; the hint is the line to add."""
    server = serve(debate_script())
    with pytest.raises(UsageError) as caught:
        activities.debate(QUESTION, model="openai:no-such-model", budget=1.0)
    assert str(caught.value) == "--budget needs a price for openai:no-such-model, and none is known"
    assert caught.value.hint == (
        'add it to debateroom.toml: prices."openai:no-such-model" = { input = …, output = … }, '
        "in US dollars for a million tokens"
    )
    assert (server.calls, Path("active").exists()) == ([], False)


def dear(call: Call, script: Any) -> Any:
    """The scripted answer, at 0.10 US dollars for each seat's call to sonnet."""
    said = script(call)
    return said if isinstance(said, dict) else Reply(said, usage=Usage(input=1_000, output=9_800))


def test_a_budget_stops_before_the_round_that_would_pass_it(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """What there is is synthesised; exit 7; the replies' real size decides, not the guess before the first."""
    script = debate_script(synthesis=SYNTHESIS)
    server = serve(lambda call: dear(call, script))
    code, out, _ = run(capsys, QUESTION, "-n", "3", "-r", "9", "--model", "sonnet", "--budget", "0.8", "--json")
    found = json.loads(Path("active/chatroom/chat.json").read_text())
    assert (code, found["stopped"], len(found["rounds"])) == (7, "budget", 2)
    assert len(seat_calls(server)) == 6
    assert found["cost"] < 0.8
    assert found["final_output"]["synthesized_by"] == "claude-sonnet-5-5"
    assert json.loads(out)["recommended_action"] == "Build the queue."
    assert Path("active/chatroom/chatroom_report.md").exists()


def test_a_budget_that_does_not_hold_one_round_asks_nobody(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 7 with both figures; an earlier room is not overwritten for it."""
    server = serve(debate_script(synthesis=SYNTHESIS))
    with pytest.raises(
        BudgetSpent, match=r"would cost about 0\.\d{4} US dollars, and the budget is 0\.0010 US dollars"
    ):
        activities.debate(QUESTION, model="opus", budget=0.001)
    code, _, err = run(capsys, QUESTION, "--model", "opus", "--budget", "0.001", "--detach")
    assert (code, server.calls, Path("active").exists()) == (7, [], False)
    assert "--dry-run shows the price of each round" in err


def test_a_budget_is_not_kept_by_guessing_when_the_cost_became_unknown(serve: Serve) -> None:
    """A provider that stops saying what was used ends the debate after that round."""
    script = debate_script(synthesis=SYNTHESIS)

    def answer(call: Call) -> Any:
        said = script(call)
        return said if isinstance(said, dict) else Reply(said, usage=Usage())

    serve(answer)
    found = chat(activities.debate(QUESTION, agents=2, rounds=4, model="sonnet", budget=5.0))
    assert (found["stopped"], found["cost"], len(found["rounds"])) == ("budget", None, 1)


@pytest.mark.parametrize("moderator", ["sonnet", "none"])
def test_a_budget_is_held_when_the_last_round_is_resumed_in_its_middle(serve: Serve, moderator: str) -> None:
    """A round that was begun counts as one that is still to be paid for."""
    down = {"now": True}
    script = debate_script(synthesis=SYNTHESIS)

    def answer(call: Call) -> Any:
        refused = down["now"] and len(call.shared) == 2 and "Agent B" in call.own.split("\n")[0]
        return HttpError(400) if refused else script(call)

    server = serve(answer)
    with pytest.raises(Exception, match="only 1 of 2 agents answered in round 2"):
        activities.debate(QUESTION, agents=2, rounds=2, model="sonnet", budget=5.0, moderator=moderator)
    down["now"] = False
    before = len(seat_calls(server))
    found = chat(activities.resume(Path("active/chatroom"), None, None))
    assert (found["stopped"], len(seat_calls(server)) - before) == ("rounds", 1)


# before the first call


def test_a_dry_run_makes_no_call_needs_no_key_and_leaves_no_room(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints seats, and per round calls, tokens and US dollars, with the best and the worst case."""
    server = serve(debate_script())
    for name in ("ANTHROPIC_API_KEY", "DEBATEROOM_ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name)
    code, out, err = run(
        capsys, QUESTION, "-n", "3", "-r", "3", "--model", "opus", "--note", LONG, "--dry-run", "--budget", "0.2"
    )
    lines = out.splitlines()
    assert (code, server.calls, server.accepted, Path("active").exists()) == (0, [], 0, False)
    assert err.splitlines()[-1] == "there is no key for anthropic: debateroom keys set anthropic"
    assert [line.split()[:2] for line in lines[1:4]] == [["Agent", "A"], ["Agent", "B"], ["Agent", "C"]]
    assert all(line.endswith("anthropic  claude-opus-5-5") for line in lines[1:4])
    rows = {line[:11].strip(): line[11:].split() for line in lines[lines.index("") + 1 : -3]}
    assert list(rows) == ["round", "1", "2", "3", "synthesis", "best case", "worst case"]
    assert rows["round"][-2:] == ["US", "dollars"]
    assert [rows[name][0] for name in ("1", "2", "3", "synthesis", "best case", "worst case")] == [
        "4", "4", "4", "1", "5", "13",
    ]  # fmt: skip
    assert float(rows["worst case"][-1]) == pytest.approx(
        sum(float(rows[name][-1]) for name in ("1", "2", "3", "synthesis")), abs=0.0003
    )
    assert float(rows["best case"][-1]) < float(rows["worst case"][-1])
    assert lines[-1].startswith("The budget of 0.20 US dollars holds ")


def test_a_dry_run_of_an_unknown_price_says_unknown(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """No figure is made up."""
    serve(debate_script())
    code, out, _ = run(capsys, QUESTION, "--model", "openai:no-such-model", "--dry-run")
    worst = next(line for line in out.splitlines() if line.startswith("worst case"))
    assert (code, worst.split()[-1]) == (0, "unknown")


@pytest.mark.parametrize("stagger", ["on", "off"])
@pytest.mark.parametrize(("confidence", "verdicts"), [(7, 0), (9, 3)])
def test_the_forecast_is_what_a_debate_comes_to(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, stagger: str, confidence: int, verdicts: int
) -> None:
    """With replies of the size foreseen, calls, cached and written tokens are the real debate's, within 10 %."""
    monkeypatch.setattr("vendor.cache.tokens", prefix.size)  # the server counts as the estimate does
    script = debate_script({name: [(confidence, name)] for name in SURE}, moderator=APART, synthesis=SYNTHESIS)

    def answer(call: Call) -> Any:
        said = script(call)
        while isinstance(said, str) and prefix.size(said) < 450:
            said += "\nA further ground is that it can be undone."
        return said

    server = serve(answer, latency=0.1, first_token=0.05)
    outcome = activities.debate(QUESTION, agents=3, rounds=3, model="sonnet", note=(LONG,), stagger=stagger)
    opening = json.loads((outcome.folder / "journal.jsonl").read_text().splitlines()[0])
    expected = forecast.worst(plans.from_event(opening))
    assert opening["forecast"] == {"calls": 13, "input": expected.usage.input, "cost": expected.cost}
    assert (expected.calls, len(server.calls)) == (13, 10 + verdicts)
    if verdicts:
        real = sum((call.usage for call in server.calls if call.usage), Usage())
        for name in ("input", "cached", "written"):
            assert getattr(expected.usage, name) == pytest.approx(getattr(real, name), rel=0.1), name


def test_the_first_real_usage_calibrates_the_forecast(serve: Serve) -> None:
    """A tokenizer that counts 1.6 times what was estimated is expected to do so in the next round, per model."""
    script = debate_script(synthesis=SYNTHESIS)

    def answer(call: Call) -> Any:
        said = script(call)
        if isinstance(said, dict):
            return said
        factor = 1.6 if "opus" in call.model else 0.9
        sent = round(factor * sum(prefix.size(block) for block in call.prompt))
        return Reply(said, usage=Usage(input=sent, output=300))

    serve(answer)
    roles = ("One@opus: argues", "Two@haiku: argues", "Three@opus: argues")
    given: dict[str, Any] = {"role": roles, "note": (LONG,), "model": "sonnet", "moderator": "none"}
    outcome = activities.debate(QUESTION, rounds=2, **given)
    plan = plans.from_event(json.loads((outcome.folder / "journal.jsonl").read_text().splitlines()[0]))
    whole = outcome.transcript
    first = replace(whole, rounds=whole.rounds[:1])
    known = forecast.measured(plan, first)
    assert known["anthropic:claude-opus-5-5"].factor == pytest.approx(1.6, rel=0.01)
    assert known["anthropic:claude-haiku-5-5"].factor == pytest.approx(0.9, rel=0.01)
    assert {item.reply for item in known.values()} == {300}
    second = forecast.rounds(plan, first)[0]
    assert second.usage.input == pytest.approx(whole.rounds[1].usage.input, rel=0.02)
    assert forecast.measured(plan, Transcript(problem=plan.problem))["anthropic:claude-opus-5-5"].factor == 1.0


def test_a_large_room_of_the_dearest_class_is_warned_about_in_one_line(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """N × R ≥ 25 on an opus-class model says the calls and the price at most; else nothing is said."""
    serve(debate_script())

    def warned(*arguments: str) -> list[str]:
        _, _, err = run(capsys, QUESTION, "--dry-run", *arguments)
        return [line for line in err.splitlines() if "dearest" in line]

    (line,) = warned("-n", "5", "-r", "5", "--model", "opus")
    assert line.startswith("25 calls to anthropic:claude-opus-5-5, of the dearest class: the room may cost ")
    assert line.endswith(" US dollars; --budget sets a limit")
    assert warned("-n", "6", "-r", "4", "--model", "opus") == []
    assert warned("-n", "9", "-r", "9", "--model", "sonnet") == []
    assert warned("--role", "A@opus: x", "--role", "B: y", "-r", "24", "--model", "sonnet") == []


def test_two_hundred_calls_need_a_word(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal N × R ≥ 200 is a usage error; --yes or --budget let it through."""
    script = debate_script({f"Agent {letter}": [(9, None)] for letter in "ABCDEFGHIJ"}, moderator=ALIGNED,
                           synthesis=SYNTHESIS)  # fmt: skip
    server = serve(script)
    many = (QUESTION, "-n", "10", "-r", "20", "--model", "sonnet", "-q", "--json")
    code, out, _ = run(capsys, *many)
    assert (code, server.calls) == (2, [])
    assert json.loads(out)["hint"] == "add --yes if it is meant, or a limit with --budget"
    assert run(capsys, *many, "--yes")[0] == 0
    assert run(capsys, *many, "--budget", "50")[0] == 0
    assert run(capsys, QUESTION, "-n", "10", "-r", "19", "--model", "sonnet", "-q")[0] == 0


@pytest.mark.parametrize(("said", "asked"), [(b"n\n", 0), (b"y\n", 10)])
def test_two_hundred_calls_are_asked_about_on_a_terminal(serve: Serve, said: bytes, asked: int) -> None:
    """A person is asked, with the figures, and no is no."""
    server = serve(debate_script({f"Agent {letter}": [(9, None)] for letter in "ABCDEFGHIJ"}, moderator=ALIGNED,
                                 synthesis=SYNTHESIS))  # fmt: skip
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "debateroom", QUESTION, "-n", "10", "-r", "20", "--model", "sonnet"]
    process = subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, env=_environment())
    os.close(theirs)
    seen = b""
    while b"Go on?" not in seen:
        seen += os.read(ours, 4096)
    os.write(ours, said)
    deadline = clock.monotonic() + 20
    while process.poll() is None and clock.monotonic() < deadline:
        time.sleep(0.05)
    os.close(ours)
    assert b"10 agents \xc3\x97 20 rounds are 200 calls" in seen
    assert (process.returncode != 0, len(seat_calls(server))) == (asked == 0, asked)


def _environment() -> dict[str, str]:
    root = str(Path(__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
