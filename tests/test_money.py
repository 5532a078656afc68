"""Money: what calls used and cost, in one shape, and said in US dollars."""

from __future__ import annotations

import json
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
    over_responses,
    run,
    seat_calls,
)
from vendor import Call, Reply, VendorServer, debate_script

from debateroom import activities
from debateroom.messages import Usage


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
            for call in server.calls if (u := call.usage)) / 1e6, abs=1e-6
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
    assert lines[5].startswith("at most 9 calls; if replies are about 600 tokens, about ")
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
