"""Names of models, what is known about them, and which one is the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from debateroom.errors import NoModel, UsageError, Wording
from debateroom.models import pull, registry
from debateroom.models.keys import Keys
from debateroom.models.registry import Default, ModelInfo, ModelSettings, choose_default, describe, info, resolve

MISSING = Path("/nowhere/keys.toml")


def keys(**environment: str) -> Keys:
    return Keys(MISSING, environment=environment)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("opus", "anthropic:claude-opus-5-5"),
        ("Sonnet", "anthropic:claude-sonnet-5-5"),
        ("haiku", "anthropic:claude-haiku-5-5"),
        ("gpt", "openai:gpt-6.2-sol"),
        ("anthropic:opus", "anthropic:claude-opus-5-5"),
        ("openai:gpt", "openai:gpt-6.2-sol"),
        ("claude-opus-4-8", "anthropic:claude-opus-4-8"),
        ("gpt-5.4-mini", "openai:gpt-5.4-mini"),
        ("o3", "openai:o3"),
        ("openai:qwen2.5:0.5b", "openai:qwen2.5:0.5b"),
        ("OpenAI:meta-llama/Llama-4", "openai:meta-llama/Llama-4"),
        ("embedded", "embedded"),
        ("embedded:", "embedded"),
        ("command:claude", "command:claude"),
        (" scripted:a b/replies.jsonl ", "scripted:a b/replies.jsonl"),
    ],
)
def test_a_name_means_one_model(given: str, meant: str) -> None:
    """Aliases, `provider:model` and the vendors' bare ids resolve; the text of the result is `provider:model`."""
    assert str(resolve(given)) == meant
    assert resolve(meant) == resolve(given)


def test_an_unknown_name_says_what_would_do() -> None:
    """A name that means nothing is exit 4, names itself, the closest alias and every kind of name."""
    with pytest.raises(NoModel) as caught:
        resolve("sonet")
    assert str(caught.value) == (
        "There is no model called 'sonet'. Did you mean sonnet? Known names: opus, sonnet, haiku, gpt, "
        "anthropic:MODEL, openai:MODEL, embedded, command:PROGRAM, scripted:PATH."
    )
    assert (caught.value.exit_code, caught.value.hint) == (4, "debateroom models")


@pytest.mark.parametrize("name", ["scripted", "openai:", "Anthropic"])
def test_a_provider_alone_is_no_model(name: str) -> None:
    """It is not offered as what was meant, either."""
    with pytest.raises(NoModel, match=f"^'{name}' names no model of that provider. Known names: opus"):
        resolve(name)


@pytest.mark.parametrize("name", ["", "x", "opuss:x", "openai:", "scripted: ", ":", "claude", "qwen"])
def test_a_name_that_means_nothing_is_never_guessed(name: str) -> None:
    """No model is called that the user did not name."""
    with pytest.raises(NoModel):
        resolve(name)


def test_what_is_known_about_a_model_is_known_without_asking_it() -> None:
    """Window, limits, cache minimum and tier come from the data file."""
    assert info("opus") == ModelInfo(
        name="anthropic:claude-opus-5-5", vendor="anthropic", window=1_000_000, max_output=128_000,
        cache_minimum=512, sampling=False, breakpoints=False, tier="top",
    )  # fmt: skip
    assert info("gpt") == ModelInfo(
        name="openai:gpt-6.2-sol", vendor="openai", window=1_050_000, max_output=128_000,
        cache_minimum=1024, sampling=False, breakpoints=True, tier="standard",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-5.6-sol", True), ("gpt-5.6", True), ("gpt-5.10", True), ("gpt-6-luna", True), ("gpt-6.2-astra", True),
        ("gpt-7", True), ("gpt-5.5", False), ("gpt-5.4-mini", False), ("gpt-5", False), ("gpt-4.1", False),
        ("gpt-35-turbo", False), ("o3", False), ("opus", False), ("openai:qwen3", False),
    ],
)  # fmt: skip
def test_explicit_breakpoints_start_with_one_family(name: str, expected: bool) -> None:
    """OpenAI's cache breakpoints are for gpt-5.6 and later."""
    assert info(name).breakpoints is expected


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("opus", "anthropic"), ("gpt", "openai"), ("openai:o3-mini", "openai"), ("openai:gpt-oss:20b", "openai"),
        ("openai:gemini-3-pro", "google"), ("openai:meta-llama/llama-4", "meta"), ("openai:qwen2.5:0.5b", "alibaba"),
        ("openai:mistralai/mixtral-8x7b", "mistral"), ("openai:deepseek/deepseek-r2", "deepseek"),
        ("openai:anthropic/claude-sonnet-5.5", "anthropic"), ("openai:olmo-3", "allenai"),
        ("openai:my-finetune", "unknown"), ("embedded", "alibaba"), ("command:claude", "anthropic"),
        ("command:codex", "openai"), ("command:./ask.sh", "unknown"), ("scripted:claude.json", "unknown"),
    ],
)  # fmt: skip
def test_the_vendor_is_the_maker_not_the_endpoint(name: str, maker: str) -> None:
    """A model's vendor is read from its id, whoever serves it."""
    assert info(name).vendor == maker


def test_the_default_is_sonnet_when_it_has_a_key() -> None:
    """`sonnet` is used without a word when there is a key for it."""
    assert choose_default(keys=keys(ANTHROPIC_API_KEY="k", OPENAI_API_KEY="k")) == Default("sonnet")


def test_without_its_key_the_first_vendor_with_one_is_used_and_said() -> None:
    """With no key for `sonnet` the default is the first vendor with a key, said in one line."""
    found = choose_default(keys=keys(OPENAI_API_KEY="k"))
    assert found == Default("gpt", Wording("default_other", {"names": "sonnet", "model": "gpt"}))


def test_without_any_key_the_embedded_model_is_used_when_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no key at all the embedded model is the default, said in one line."""
    monkeypatch.setattr(registry, "embedded_installed", lambda: True)
    monkeypatch.setattr(pull, "cached", lambda: None)
    found = choose_default(keys=keys())
    assert found == Default("embedded", Wording("default_embedded_later", {"names": "sonnet, gpt"}))


def test_without_anything_three_ways_out_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With neither key nor embedded model the error names the three ways out; no assistant's program is tried."""
    monkeypatch.setattr(registry, "embedded_installed", lambda: False)
    with pytest.raises(NoModel) as caught:
        choose_default(keys=keys())
    assert [way in str(caught.value) for way in ("keys set", "[embedded]", "scripted:PATH")] == [True] * 3
    assert caught.value.exit_code == 4


def test_a_model_that_was_named_is_never_replaced() -> None:
    """A named model stays, key or not; a wrong name is refused."""
    assert choose_default("opus", keys=keys(OPENAI_API_KEY="k")) == Default("opus")
    with pytest.raises(NoModel, match="sonet"):
        choose_default("sonet", keys=keys(OPENAI_API_KEY="k"))


@pytest.mark.parametrize("wrong", [{"concurrency": 0}, {"attempts": 0}])
def test_settings_that_allow_no_call_are_refused(wrong: dict[str, int]) -> None:
    """Impossible settings die in the constructor."""
    with pytest.raises(UsageError):
        ModelSettings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("openai:openai/gpt-6.2-sol", 1_050_000), ("openai:anthropic/claude-sonnet-5.5", 200_000),
        ("openai:google/gemini-3-pro", 1_000_000), ("openai:meta-llama/llama-3.3-70b", 128_000),
        ("openai:my-finetune", 32_768), ("embedded", 8_192), ("scripted:x/openai:y", 1_000_000),
    ],
)  # fmt: skip
def test_a_window_goes_by_the_model_behind_any_endpoint(name: str, window: int) -> None:
    """What a gateway calls `owner/model` is known by the model's own id; what nobody knows gets a small window."""
    assert info(name).window == window


def test_only_the_embedded_model_is_too_small_to_moderate() -> None:
    """The embedded model never moderates."""
    assert [info(name).moderates for name in ("opus", "gpt", "openai:tiny", "embedded")] == [True, True, True, False]


def test_the_list_says_what_can_be_used_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every short name with its model, where its key comes from, and whether it can be asked."""
    monkeypatch.setattr(registry, "embedded_installed", lambda: True)
    monkeypatch.setattr(pull, "cached", lambda: None)
    rows = describe(keys=keys(OPENAI_API_KEY="k"))
    login = "debateroom keys set anthropic"
    assert [(row.alias, row.info.name, row.key, row.missing) for row in rows] == [
        ("opus", "anthropic:claude-opus-5-5", None, login),
        ("sonnet", "anthropic:claude-sonnet-5-5", None, login),
        ("haiku", "anthropic:claude-haiku-5-5", None, login),
        ("gpt", "openai:gpt-6.2-sol", "OPENAI_API_KEY", None),
        ("embedded", "embedded", None, "debateroom models pull"),
    ]
    assert [row.ready for row in rows] == [False, False, False, True, False]


@pytest.mark.parametrize(
    ("installed", "file", "missing", "told"),
    [
        (False, None, 'pip install "debateroom[embedded]"', None),
        (True, None, "debateroom models pull", "default_embedded_later"),
        (True, Path("model.gguf"), None, "default_embedded"),
    ],
)
def test_the_embedded_model_is_ready_with_the_extra_and_its_file(
    monkeypatch: pytest.MonkeyPatch, installed: bool, file: Path | None, missing: str | None, told: str | None
) -> None:
    """The list names what is missing, and the default says that the file is still to be fetched."""
    monkeypatch.setattr(registry, "embedded_installed", lambda: installed)
    monkeypatch.setattr(pull, "cached", lambda: file)
    row = describe(keys=keys())[-1]
    assert (row.ready, row.missing) == (missing is None, missing)
    if told:
        assert choose_default(keys=keys()) == Default("embedded", Wording(told, {"names": "sonnet, gpt"}))


def test_a_server_of_ones_own_is_ready_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """With another base URL no key is asked for, and the list says so."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
    rows = {row.alias: row.ready for row in describe(keys=keys())}
    assert (rows["gpt"], rows["sonnet"]) == (True, False)
