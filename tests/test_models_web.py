"""How both vendors' answers are read, and what their models share, over real HTTP with the real SDKs."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import anthropic
import openai
import pytest
from vendor import Reply, VendorServer
from web_models import KEY, KEYS, ask, models

from debateroom.errors import CallFailed, NoModel, UsageError
from debateroom.messages import Answer, Model, Request, Usage
from debateroom.models.keys import Keys
from debateroom.models.registry import Models, ModelSettings

WEB = [("opus", "responses"), ("gpt", "responses"), ("openai:qwen", "chat")]


@pytest.mark.parametrize(("name", "api"), WEB, ids=["messages", "responses", "chat"])
class TestEveryApi:
    def test_an_answer_says_all_it_should(self, name: str, api: Any) -> None:
        """Text, usage, stop reason and the model's id arrive in one shape."""
        said = Reply("POSITION: yes", thinking="hmm " * 30, usage=Usage(input=50, cached=20, written=0, output=9))
        answer, call = ask(name, Request((), "own"), said, api=api)
        expected = Answer("POSITION: yes", Usage(50, 20, 0, 9), "stop", call.model, answer.seconds)
        assert answer == expected
        assert 0 < answer.seconds < 20

    def test_only_visible_text_is_handed_on(self, name: str, api: Any) -> None:
        """Pieces arrive as they come and make the whole; thinking is never among them."""
        pieces: list[str] = []
        said = Reply("une réponse 一段话 " * 30, thinking="secret thoughts")
        with VendorServer(said, latency=0.2, first_token=0.0) as server, models(server, api) as opened:
            answer = opened.open(name).ask(Request((), "own"), on_text=pieces.append)
        assert (answer.text, "".join(pieces)) == (said.text, said.text)
        assert len(pieces) > 1

    def test_no_sampling_setting_is_sent(self, name: str, api: Any) -> None:
        """Neither temperature nor its kin is in a body."""
        _, call = ask(name, Request((), "own"), api=api)
        assert not {"temperature", "top_p", "top_k"} & set(call.body)

    def test_a_cut_by_the_limit_is_said(self, name: str, api: Any) -> None:
        """An answer that met its limit keeps its text and says `length`."""
        answer, _ = ask(name, Request((), "own", max_tokens=3), "twelve chars and more", api=api)
        assert (answer.text, answer.stop_reason) == ("twelve chars", "length")

    def test_empty_at_the_limit_is_a_case_of_its_own(self, name: str, api: Any) -> None:
        """Thinking that ate the whole limit is no answer, and is not paid for again."""
        with pytest.raises(CallFailed, match="spent its whole limit on thinking") as caught:
            ask(name, Request((), "own", max_tokens=10), Reply("x", thinking="y" * 99), api=api)
        assert (caught.value.cause, caught.value.retry) == ("thought_out", False)

    def test_a_refusal_that_is_spoken_is_an_answer(self, name: str, api: Any) -> None:
        """A refusal with text is an answer whose stop reason says so."""
        answer, _ = ask(name, Request((), "own"), Reply("I will not.", stop_reason="refusal"), api=api)
        assert (answer.text, answer.stop_reason) == ("I will not.", "refusal")

    def test_one_client_serves_all_seats(self, name: str, api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """However many models are opened and asked at once, each address has one client."""
        made: list[str] = []
        for sdk in (anthropic.Anthropic, openai.OpenAI):
            original = sdk.__init__

            def counted(self: Any, *args: Any, _original: Any = original, **kwargs: Any) -> None:
                made.append(type(self).__name__)
                _original(self, *args, **kwargs)

            monkeypatch.setattr(sdk, "__init__", counted)
        with VendorServer("yes", latency=20.0, together=20) as server, models(server, api) as opened:
            seats: list[Model] = [opened.open(name) for _ in range(20)]
            others = [opened.open(other) for other in ("haiku", "openai:o3")]
            with ThreadPoolExecutor(20) as pool:
                answers = list(pool.map(lambda seat: seat.ask(Request((), "own")), seats))
            assert [answer.text for answer in answers] == ["yes"] * 20
            assert server.peak_in_flight == 20
        assert sorted(made) == ["Anthropic", "OpenAI"]
        assert len({id(seat) for seat in [*seats, *others]}) == 3


def test_the_connections_of_one_round_serve_the_next() -> None:
    """Forty calls at once open forty connections, and the next forty open none."""
    together = Barrier(40)

    def ask_with_the_others(model: Model) -> None:
        together.wait(timeout=30)
        model.ask(Request((), "own"))

    with VendorServer("yes", latency=20.0, together=40) as server, models(server, concurrency=40) as opened:
        model = opened.open("opus")
        with ThreadPoolExecutor(40) as pool:
            for _ in range(2):
                list(pool.map(ask_with_the_others, [model] * 40))
                assert (server.peak_in_flight, server.accepted) == (40, 40)


def test_naming_models_loads_no_sdk() -> None:
    """Resolving names, choosing a default and making `Models` import neither an SDK nor the HTTP library."""
    program = (
        "import sys; from debateroom.models.registry import Models, info, resolve; "
        "resolve('opus'), info('gpt'), Models(); "
        "print({'anthropic', 'openai', 'httpx2', 'tenacity', 'xllamacpp'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_without_a_key_there_is_no_model() -> None:
    """A vendor's own endpoint needs a key; the error carries the command that sets it."""
    keyless = Keys(Path("/nowhere/keys.toml"), environment={})
    with Models(keys=keyless) as opened:
        for name, provider in (("opus", "anthropic"), ("gpt", "openai")):
            with pytest.raises(NoModel) as caught:
                opened.open(name)
            assert caught.value.hint == f"debateroom keys set {provider}"


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """With another base URL from the environment a key is optional and Chat Completions is spoken."""
    with VendorServer("yes") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
        monkeypatch.setenv("DEBATEROOM_OPENAI_BASE_URL", server.openai_url + "/")
        with Models(keys=Keys(Path("/nowhere/keys.toml"), environment={})) as opened:
            assert opened.open("openai:qwen").ask(Request((), "own")).text == "yes"
        (call,) = server.calls
    assert call.endpoint == "openai.chat"


def test_a_proxy_in_the_environment_never_gets_loopback_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls to this machine go straight there, whatever proxy is set."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    answer, _ = ask("opus", Request((), "own"))
    assert answer.text == "POSITION: yes"


def test_a_base_url_that_is_none_is_a_usage_error() -> None:
    """An address without http:// is refused before any call."""
    with Models(ModelSettings(openai_url="localhost:11434"), keys=KEYS) as opened, pytest.raises(UsageError):
        opened.open("openai:qwen")


@pytest.mark.parametrize("name", ["opus", "gpt"])
def test_no_key_is_shown_by_anything(name: str) -> None:
    """Neither the models nor what holds them shows a key."""
    with VendorServer("yes") as server, models(server) as opened:
        shown = f"{opened!r} {opened.open(name)!r} {vars(opened)!r} {vars(opened.open(name))!r}"
    assert KEY not in shown
