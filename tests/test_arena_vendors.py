"""Who made a model: its id, its owner or a program's option tell, whatever serves it; else the user says it."""

from __future__ import annotations

import pytest

from debateroom import context, settings
from debateroom.debating import arena
from debateroom.errors import UsageError
from debateroom.models.catalog import ModelName, resolve, vendor
from debateroom.models.registry import Models, ModelSettings
from debateroom.models.vendors import Makers


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("opus", "anthropic"),
        ("OPUS", "anthropic"),
        ("openai:anthropic/claude-sonnet-5-5", "anthropic"),
        ("openai:openrouter/anthropic/claude-opus-5-5:beta", "anthropic"),
        ("anthropic/claude-opus-5-5", "anthropic"),
        ("openai:us.anthropic.claude-opus-5-5-v1:0", "anthropic"),
        ("openai:us.anthropic.new-name-v1:0", "anthropic"),
        ("openai:x-ai/beta-7", "xai"),
        ("openai:ft:gpt-6.2-sol:my-org::1", "openai"),
        ("openai:meta-llama/Llama-4-405B", "meta"),
        ("openai:tuner/hermes-4", "unknown"),
        ("openai:my-model", "unknown"),
        ("command:claude", "anthropic"),
        ("command:/usr/bin/codex", "openai"),
        ("command:gemini -m gemini-3-pro", "google"),
        ("command:codex --model anthropic/claude-opus-5-5", "anthropic"),
        ("command:codex --model=deepseek-v4", "deepseek"),
        ("command:codex --model mine", "openai"),
        ("command:my-wrapper --model claude-opus-5-5", "anthropic"),
        ("command:my-wrapper", "unknown"),
        ('command:broken "quote', "unknown"),
        ("anthropic:glm-5", "zhipu"),
        ("openai:deepseek/deepseek-r1-distill-llama-70b", "deepseek+meta"),
        ("openai:deepseek-r1-distill-qwen-32b", "deepseek+alibaba"),
        ("openai:nvidia/llama-3.1-nemotron-70b", "meta+nvidia"),
        ("openai:llama-3.1-nemotron-70b", "meta+nvidia"),
        ("openai:nvidia/nemotron-4", "nvidia"),
        ("embedded", "alibaba"),
    ],
)
def test_the_maker_shows_in_the_name(name: str, maker: str) -> None:
    """An alias, a gateway's owner, a cloud's prefix or the option of a program, and never the endpoint."""
    assert vendor(resolve(name)) == maker


@pytest.mark.parametrize(
    "seat", ["openai:llama-4", "openai:deepseek-v4", "openai:deepseek/deepseek-r1-distill-llama-70b"]
)
def test_a_tuned_model_is_of_both_makers(models: Models, seat: str) -> None:
    """As a judge and as a seat: neither house judges what is partly its own; either may be stated."""
    tuned = "openai:deepseek-r1-distill-llama-8b"
    makers = Makers([f"{tuned}=meta"], models.settings)
    assert makers.of(models.open(tuned)) == "deepseek+meta"
    chosen = settings.load({"judge": tuned})
    with pytest.raises(UsageError, match="must not judge answers of its own maker"):
        arena.make("Write a line.", ("opus", seat), chosen, context.collect((), ()), models)
    chosen = settings.load({"judge": seat})
    with pytest.raises(UsageError, match="must not judge answers of its own maker"):
        arena.make("Write a line.", ("opus", tuned), chosen, context.collect((), ()), models)


def test_a_gateways_name_is_an_id_of_the_server_that_openai_is_reached_at() -> None:
    """Only with an owner that makes models: a path is no model."""
    assert resolve("anthropic/claude-opus-5-5") == ModelName("openai", "anthropic/claude-opus-5-5")
    with pytest.raises(Exception, match="There is no model called 'notes/queue'"):
        resolve("notes/queue")


@pytest.fixture
def models(here: object) -> Models:
    return Models(ModelSettings(openai_url="http://127.0.0.1:9/v1", anthropic_url="http://127.0.0.1:9"))


def test_a_maker_that_does_not_show_must_be_stated(models: Models) -> None:
    """The error names the option with the model in it; a known synonym of a maker is that maker."""
    unknown = models.open("openai:my-model")
    with pytest.raises(UsageError, match="who made openai:my-model is not known") as error:
        Makers([], models.settings).of(unknown)
    assert error.value.hint == "--vendor openai:my-model=VENDOR"
    assert Makers(["openai:my-model=X-AI"], models.settings).of(unknown) == "xai"
    assert Makers(["openai:my-model=Acme"], models.settings).of(unknown) == "acme"


def test_at_a_server_of_ones_own_the_name_of_the_protocol_is_no_maker(models: Models) -> None:
    """`anthropic:` at another base URL says who speaks the API; the id may still tell."""
    makers = Makers([], models.settings)
    assert makers.of(models.open("opus")) == "anthropic"
    with pytest.raises(UsageError, match="not known"):
        makers.of(models.open("anthropic:house-model"))
    own = Models(ModelSettings())
    assert Makers([], own.settings).of(own.open("anthropic:house-model")) == "anthropic"


def test_a_statement_cannot_turn_a_known_maker_into_another(models: Models) -> None:
    """Else the rule about judges would be a flag away from nothing; saying what is known is no fault."""
    opus = models.open("opus")
    with pytest.raises(UsageError, match="is made by anthropic, not by openai"):
        Makers(["opus=openai"], models.settings).of(opus)
    assert Makers(["opus=anthropic"], models.settings).of(opus) == "anthropic"


@pytest.mark.parametrize(
    "text", ["openai:my-model", "=acme", "openai:my-model=", "openai:m=two words", "openai:m=unknown"]
)
def test_what_is_no_statement_is_refused(models: Models, text: str) -> None:
    """`MODEL=VENDOR`, and a vendor is one word that is not `unknown`."""
    with pytest.raises(UsageError, match="does not say who made a model"):
        Makers([text], models.settings)


def test_a_statement_about_a_model_that_nobody_asked_for_is_a_slip(models: Models) -> None:
    """A name mistyped would leave the real one unknown, or worse, unnoticed."""
    makers = Makers(["openai:my-modle=acme", "opus=anthropic"], models.settings)
    makers.of(models.open("opus"))
    with pytest.raises(UsageError, match="names openai:my-modle, and neither a seat nor the judge"):
        makers.hold_used()
