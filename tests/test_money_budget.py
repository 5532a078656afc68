"""Before money is spent: the forecast, the dry run, the budget, and a word before very many calls."""

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
from debates import (
    ALIGNED,
    APART,
    LONG,
    QUESTION,
    SURE,
    SYNTHESIS,
    Serve,
    chat,
    run,
    seat_calls,
)
from vendor import Call, Reply, debate_script
from vendor.faults import HttpError

from debateroom import activities, clock, resuming, settings, tokens
from debateroom.cli.spent import Spent
from debateroom.debating import forecast
from debateroom.debating import plan as plans
from debateroom.debating.measured import measured
from debateroom.errors import BudgetSpent, UsageError
from debateroom.messages import Transcript, Usage


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
    code, out, _ = run(capsys, QUESTION, "-n", "3", "-r", "9", "--model", "sonnet", "--budget", "0.9", "--json")
    found = json.loads(Path("active/chatroom/chat.json").read_text())
    assert (code, found["stopped"], len(found["rounds"])) == (7, "budget", 2)
    assert len(seat_calls(server)) == 6
    assert found["cost"] < 0.9
    assert found["final_output"]["synthesized_by"] == "claude-sonnet-5-5"
    assert json.loads(out)["recommended_action"] == "Build the queue."
    assert Path("active/chatroom/chatroom_report.md").exists()
    code, out, _ = run(capsys, "resume", "--json")
    assert (code, json.loads(out)["exit_code"], len(seat_calls(server))) == (0, 7, 6), "it is finished, and ended so"


def test_more_from_the_cache_than_was_sent_is_no_share_above_all() -> None:
    """A server that says so has no price, and no five hundred per cent."""
    spent = Spent()
    spent.add({"usage": {"input": 100, "cached": 500, "written": 0, "output": 1}, "cost": None})
    assert spent.line("en").startswith("100 tokens in (100% from the cache)")


def test_a_budget_that_does_not_hold_one_round_asks_nobody(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 7 with both figures; an earlier room is not overwritten for it."""
    server = serve(debate_script(synthesis=SYNTHESIS))
    with pytest.raises(
        BudgetSpent,
        match=r"replies of 2,000 tokens.* may cost 0\.\d{4} US dollars, and the budget is 0\.0010 US dollars",
    ):
        activities.debate(QUESTION, model="opus", budget=0.001)
    code, _, err = run(capsys, QUESTION, "--model", "opus", "--budget", "0.001", "--detach")
    assert (code, server.calls, Path("active").exists()) == (7, [], False)
    assert "--dry-run shows the price of each round" in err


@pytest.mark.parametrize(("moderator", "budget"), [("none", 0.12), ("sonnet", 0.2)])
@pytest.mark.parametrize("model", ["sonnet", "gpt"])
def test_replies_of_full_length_do_not_pass_the_budget(
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    model: str,
    moderator: str,
    budget: float,
) -> None:
    """Each call may have so many tokens that the round and its synthesis hold, thinking and long replies included."""
    monkeypatch.setattr("vendor.cache.tokens", tokens.estimate)
    script = debate_script({name: [(9, None)] for name in SURE}, moderator=APART, synthesis=SYNTHESIS)
    more = "\nA further ground is that it can be undone."

    def answer(call: Call) -> Any:
        said = script(call)
        limit = next(call.body[name] for name in ("max_tokens", "max_completion_tokens") if name in call.body)
        room = limit - tokens.estimate(said) if isinstance(said, str) else 0
        return said + more * (room // tokens.estimate(more)) if room else said

    server = serve(answer)
    given = ("-n", "3", "-r", "3", "--model", model, "--budget", str(budget), "--moderator", moderator)
    code, out, _ = run(capsys, QUESTION, *given, "--json")
    assert (code, len(seat_calls(server))) == (7, 3)
    assert budget / 2 < json.loads(out)["cost"] <= budget


def test_a_repair_shares_the_tokens_of_its_reply_under_a_budget(serve: Serve) -> None:
    """What the first answer left of them is all that the second may have; with too few left nobody is asked again."""

    def asked(used: int) -> list[int]:
        server = serve(lambda call: Reply("no section in it", usage=Usage(input=900, output=used)))
        activities.debate(QUESTION, agents=2, rounds=1, model="sonnet", moderator="none", budget=0.1, room=f"r{used}")
        return sorted({call.body["max_tokens"] for call in server.calls})

    *repairs, first = asked(900)
    assert 2_000 < first < 16_000
    assert repairs, "they were asked for"
    assert all(2_000 <= repair <= first - 900 for repair in repairs), "their prompts are paid for as well"
    assert asked(first - 999) == [first]


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
    found = chat(resuming.resume(Path("active/chatroom"), settings.load({})))
    assert (found["stopped"], len(seat_calls(server)) - before) == ("rounds", 1)


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
    assert list(rows) == ["round", "1", "2", "3", "synthesis", "all rounds", "best case", "worst case"]
    assert rows["round"][-2:] == ["US", "dollars"]
    assert [rows[name][0] for name in ("1", "2", "3", "synthesis", "all rounds", "best case", "worst case")] == [
        "4", "4", "4", "1", "13", "5", "13",
    ]  # fmt: skip
    assert float(rows["all rounds"][-1]) == pytest.approx(
        sum(float(rows[name][-1]) for name in ("1", "2", "3", "synthesis")), abs=0.0003
    )
    assert float(rows["best case"][-1]) < float(rows["all rounds"][-1]) < float(rows["worst case"][-1])
    sent = [int(rows[name][1].replace(",", "")) for name in ("worst case", "all rounds")]
    assert (rows["worst case"][2], sent[0]) == ("0", pytest.approx(sent[1] * 1.2, rel=0.01)), "no cache, more tokens"
    assert lines[-1].startswith("The budget of 0.20 US dollars is sure to hold ")


def test_a_dry_run_is_one_object_for_a_machine(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the same figures in one line, and nothing else on stdout."""
    server = serve(debate_script())
    roles = ("--role", "A@opus: x", "--role", "B@openai:x: y", "--moderator", "none")
    code, out, _ = run(capsys, QUESTION, "-r", "2", "--dry-run", "--json", *roles)
    found = json.loads(out)
    assert (code, found["ok"], server.calls) == (0, True, [])
    assert [seat["model"] for seat in found["agents"]] == ["anthropic:claude-opus-5-5", "openai:x"]
    assert (found["moderator"], found["synthesis"], found["worst_case"]["cost"]) == (None, None, None)
    assert [(item["name"], item["calls"]) for item in found["rounds"]] == [("1", 2), ("2", 2)]
    assert found["all_rounds"]["usage"]["input"] == sum(item["usage"]["input"] for item in found["rounds"])
    code, out, _ = run(capsys, QUESTION, "-n", "2", "-r", "5", "--dry-run", "--json", "--budget", "0.12")
    assert (json.loads(out)["budget"], json.loads(out)["rounds_within_budget"]) == (0.12, 2)
    again = {
        run(capsys, QUESTION, "-n", "5", "-r", "5", "--model", "opus", "--dry-run", "--json")[1] for _ in range(6)
    }
    assert len(again) == 1, "the same call twice shows the same figures"


def test_the_list_of_models_has_their_prices(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """US dollars for a million tokens; the user's own first, whatever is unknown is null."""
    (here / "debateroom.toml").write_text("prices.haiku = { input = 7.0, output = 8.0, cached = 1.0 }\n")
    code, out, _ = run(capsys, "models", "--json")
    rows = {row["alias"]: row for row in json.loads(out)}
    parts = ("input_price", "cached_price", "output_price")
    assert code == 0
    assert {alias: tuple(row[part] for part in parts) for alias, row in rows.items()} == {
        "opus": (4.0, 0.2, 20.0), "sonnet": (2.0, 0.1, 10.0), "haiku": (7.0, 1.0, 8.0), "gpt": (2.0, 0.1, 10.0),
        "embedded": (0.0, 0.0, 0.0),
    }  # fmt: skip
    _, out, _ = run(capsys, "models")
    assert "4.00 in, 20.00 out US dollars/M" in out.splitlines()[0]


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
    monkeypatch.setattr("vendor.cache.tokens", tokens.estimate)  # the server counts as the estimate does
    script = debate_script({name: [(confidence, name)] for name in SURE}, moderator=APART, synthesis=SYNTHESIS)

    def answer(call: Call) -> Any:
        said = script(call)
        while isinstance(said, str) and tokens.estimate(said) < 450:
            said += "\nA further ground is that it can be undone."
        return said

    server = serve(
        answer,
        latency=lambda call: 0.0 if call.schema else 2.0,
        first_token=0.1 if stagger == "on" else 2.0,
        together=3,
    )
    outcome = activities.debate(QUESTION, agents=3, rounds=3, model="sonnet", note=(LONG,), stagger=stagger)
    opening = json.loads((outcome.folder / "journal.jsonl").read_text().splitlines()[0])
    expected = forecast.usual(plans.from_event(opening))
    assert opening["forecast"] == {"calls": 13, "input": expected.usage.input, "cost": expected.cost, "reply": 600}
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
        sent = round(factor * sum(tokens.estimate(block) for block in call.prompt))
        return Reply(said, usage=Usage(input=sent, output=300))

    serve(answer)
    roles = ("One@opus: argues", "Two@haiku: argues", "Three@opus: argues")
    given: dict[str, Any] = {"role": roles, "note": (LONG,), "model": "sonnet", "moderator": "none"}
    outcome = activities.debate(QUESTION, rounds=2, **given)
    plan = plans.from_event(json.loads((outcome.folder / "journal.jsonl").read_text().splitlines()[0]))
    whole = outcome.transcript
    first = replace(whole, rounds=whole.rounds[:1])
    known = measured(plan, first)
    assert known["anthropic:claude-opus-5-5"].factor == pytest.approx(1.6, rel=0.01)
    assert known["anthropic:claude-haiku-5-5"].factor == pytest.approx(0.9, rel=0.01)
    assert {item.reply for item in known.values()} == {300}
    second = forecast.rounds(plan, first)[0]
    assert second.usage.input == pytest.approx(whole.rounds[1].usage.input, rel=0.02)
    assert measured(plan, Transcript(problem=plan.problem))["anthropic:claude-opus-5-5"].factor == 1.0


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
    """A person is asked once the table and the price are there, and no is no: a sentence, and exit 1."""
    server = serve(debate_script({f"Agent {letter}": [(9, None)] for letter in "ABCDEFGHIJ"}, moderator=ALIGNED,
                                 synthesis=SYNTHESIS))  # fmt: skip
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "debateroom", QUESTION, "-n", "10", "-r", "20", "--model", "gpt"]
    process = subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, env=_environment())
    os.close(theirs)
    seen = b""
    while b"Go on?" not in seen:
        seen += os.read(ours, 4096)
    table, _, _ = seen.partition(b"10 agents \xc3\x97 20 rounds are 200 calls")
    assert b"Agent J" in table
    assert b"at most 221 calls; if replies are about 600 tokens" in table
    os.write(ours, said)
    deadline = clock.monotonic() + 20
    while process.poll() is None and clock.monotonic() < deadline:
        time.sleep(0.05)
    while asked == 0 and b"nothing was asked" not in seen:
        seen += os.read(ours, 4096)
    os.close(ours)
    assert b"10 agents \xc3\x97 20 rounds are 200 calls" in seen
    assert (process.returncode, len(seat_calls(server))) == (0 if asked else 1, asked)


def _environment() -> dict[str, str]:
    root = str(Path(__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
