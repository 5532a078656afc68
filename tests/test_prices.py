"""What a call costs: the user's price, our table, the library; unknown is never 0."""

from __future__ import annotations

import pytest

from debateroom.messages import Usage
from debateroom.models.prices import Price, cost, known

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


def test_the_users_own_price_wins() -> None:
    """A price from the settings comes before both tables."""
    own = {"openai:gpt-6.2-sol": Price(input=1.0, output=0.0), "openai:mine": Price(input=3.0, output=0.0)}
    assert cost("openai:gpt-6.2-sol", Usage(input=MILLION), own) == 1.0
    assert cost("openai:mine", Usage(input=MILLION), own) == 3.0
