"""What a call costs: the user's price, our table, the library; unknown is never 0."""

from __future__ import annotations

import pytest

from debateroom.errors import NoModel, UsageError
from debateroom.messages import Usage
from debateroom.models.prices import Price, cost, known, own_table

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        (
            "openai:gpt-6.2-sol",
            Usage(input=100_000, cached=60_000, written=20_000, output=10_000),
            0.04 + 0.006 + 0.05 + 0.1,
        ),
        ("openai:gpt-6.2-sol", Usage(input=300_000, output=10_000), 1.2 + 0.15),
        ("anthropic:claude-opus-5-5", Usage(input=MILLION, cached=MILLION), 0.2),
        ("anthropic:claude-opus-5-5", Usage(input=MILLION, written=MILLION), 5.0),
        ("anthropic:claude-sonnet-5-5", Usage(input=MILLION, output=MILLION), 12.0),
        ("embedded", Usage(input=MILLION, output=MILLION), 0.0),
    ],
)
def test_a_call_costs_fresh_cached_written_and_output_tokens_each_at_its_price(
    model: str, usage: Usage, dollars: float
) -> None:
    """`input` includes the cached and the written tokens; each is charged once."""
    assert cost(model, usage) == pytest.approx(dollars)


@pytest.mark.parametrize("model", ["openai:no-such-model", "anthropic:claude-of-tomorrow-99", "command:claude"])
def test_an_unknown_price_is_unknown(model: str) -> None:
    """No price is None and never 0."""
    assert cost(model, Usage(input=1000, output=1000)) is None
    assert not known(model)


@pytest.mark.parametrize("model", ["openai:claude-opus-4-5", "anthropic:gpt-5"])
def test_a_price_is_that_of_the_provider_who_is_asked(model: str) -> None:
    """Another endpoint that serves a vendor's model charges what it likes: the vendor's price is not taken for it."""
    provider, _, name = model.partition(":")
    maker = "anthropic" if provider == "openai" else "openai"
    assert known(f"{maker}:{name}")
    assert not known(model)


@pytest.mark.parametrize(
    ("dated", "model"),
    [
        ("openai:gpt-6.2-sol-2026-10-06", "openai:gpt-6.2-sol"),
        ("anthropic:claude-opus-5-5-20261006", "anthropic:claude-opus-5-5"),
        ("openai:gpt-5-2027-01-31", "openai:gpt-5"),
    ],
)
def test_a_dated_snapshot_costs_what_its_model_costs(dated: str, model: str) -> None:
    """Vendors price the model; the user's price for the snapshot itself still wins."""
    usage = Usage(input=MILLION, cached=1000, output=MILLION)
    assert cost(dated, usage) == cost(model, usage) is not None
    assert cost(dated, usage, {model: Price(input=1.0, output=0.0, cached=1.0)}) == 1.0
    own = {model: Price(1.0, 0.0), dated: Price(2.0, 0.0, cached=2.0)}
    assert cost(dated, usage, own) == 2.0


def test_the_users_own_price_wins() -> None:
    """A price from the settings comes before both tables."""
    own = {"openai:gpt-6.2-sol": Price(input=1.0, output=0.0), "openai:mine": Price(input=3.0, output=0.0)}
    assert cost("openai:gpt-6.2-sol", Usage(input=MILLION), own) == 1.0
    assert cost("openai:mine", Usage(input=MILLION), own) == 3.0


def test_what_the_provider_says_it_cost_counts_before_the_tables_and_after_the_users_price() -> None:
    """A program that states its cost is believed, also about an unknown model; one's own price is not overruled."""
    usage = Usage(input=MILLION, output=MILLION)
    assert cost("command:claude", usage, stated=0.25) == 0.25
    assert cost("anthropic:claude-sonnet-5-5", usage, stated=0.25) == 0.25
    assert cost("command:claude", usage, {"command:claude": Price(1.0, 2.0)}, stated=0.25) == 3.0
    assert cost("embedded", usage, stated=0.25) == 0.0


def test_a_price_is_found_by_any_name_of_its_model() -> None:
    """An alias and a vendor's bare id mean the model, as everywhere."""
    table = own_table({"opus": {"input": 1, "output": 2}, "o3": {"input": 3, "output": 4, "cached": 0.5}})
    assert table == {"anthropic:claude-opus-5-5": Price(1, 2), "openai:o3": Price(3, 4, 0.5)}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"input": 1.0}, "the price of gpt in debateroom.toml has no output"),
        ({"output": 1.0}, "the price of gpt in debateroom.toml has no input"),
        ({"input": 1.0, "output": 1.0, "reading": 1.0},
         "the price of gpt in debateroom.toml has 'reading', which is no part of one"),
    ],
)  # fmt: skip
def test_a_price_that_is_none_is_named(entry: dict[str, float], said: str) -> None:
    """The sentence says whose price, and the hint how one is written."""
    with pytest.raises(UsageError) as caught:
        own_table({"gpt": entry})
    assert str(caught.value) == said
    assert caught.value.hint == (
        'in debateroom.toml: prices."gpt" = { input = 2.0, output = 10.0 }, in US dollars for a million tokens'
    )
    with pytest.raises(NoModel, match="no model called 'gtp'"):
        own_table({"gtp": {"input": 1.0, "output": 1.0}})
