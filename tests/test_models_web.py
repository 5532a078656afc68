"""Both vendors' models over real HTTP with the real SDKs: the bodies they send, and how answers are read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier
from typing import Any, Literal

import anthropic
import openai
import pytest
from vendor import Answerer, Call, Reply, Said, VendorServer

from debateroom.errors import CallFailed, NoModel, UsageError
from debateroom.messages import Answer, Model, Request, Usage
from debateroom.models.clients import openai_client
from debateroom.models.keys import Keys
from debateroom.models.registry import Models, ModelSettings

KEY = "sk-known-secret-0042"
KEYS = Keys(Path("/nowhere/keys.toml"), environment={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY})
RULES = "The room's rules. " * 400
ROUND = "What was said in the round. " * 200
SCHEMA = {
    "type": "object",
    "properties": {
        "aligned": {"type": "boolean"},
        "score": {"type": "integer", "minimum": 1},
        "seats": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
    "required": ["aligned"],
}


@contextmanager
def models(
    server: VendorServer, api: Literal["auto", "responses", "chat"] = "responses", **more: Any
) -> Iterator[Models]:
    """Models whose two vendors are the stand-in server."""
    settings = ModelSettings(anthropic_url=server.url, openai_url=server.openai_url, openai_api=api, **more)
    with Models(settings, keys=KEYS) as opened:
        yield opened


def ask(name: str, request: Request, reply: Said | Answerer = "POSITION: yes", **more: Any) -> tuple[Answer, Call]:
    """The answer to one request, and the call as the server saw it."""
    with VendorServer(reply) as server, models(server, **more) as opened:
        answer = opened.open(name).ask(request)
        (call,) = server.calls
    return answer, call


def body(call: Call) -> dict[str, Any]:
    return dict(call.body)


class TestAnthropic:
    def test_the_whole_body(self) -> None:
        """One user message: a block per shared block, the own block last, the mark on the last shared one."""
        _, call = ask("opus", Request((RULES, ROUND), "You are Agent A.", max_tokens=900))
        assert body(call) == {
            "model": "claude-opus-5-5",
            "max_tokens": 900,
            "stream": True,
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": RULES},
                        {"type": "text", "text": ROUND, "cache_control": {"type": "ephemeral"}},
                        {"type": "text", "text": "You are Agent A."},
                    ],
                }
            ],
        }

    def test_a_short_prefix_carries_no_mark(self) -> None:
        """Below the model's minimum nothing is marked."""
        _, call = ask("opus", Request(("short rules",), "own"))
        assert call.marks == ()

    def test_the_limit_is_capped_by_the_model(self) -> None:
        """`max_tokens` never passes what the model may give."""
        _, call = ask("anthropic:claude-sonnet-4-6", Request((), "own", max_tokens=500_000))
        assert call.limit == 64_000

    def test_structured_output_is_the_format_never_a_tool(self) -> None:
        """A schema goes into `output_config.format`, closed, without what the API refuses."""
        answer, call = ask("opus", Request((), "own", schema=SCHEMA), {"aligned": True})
        assert body(call)["output_config"] == {
            "format": {
                "type": "json_schema",
                "schema": {
                    "type": "object",
                    "properties": {
                        "aligned": {"type": "boolean"},
                        "score": {"type": "integer", "description": "{minimum: 1}"},
                        "seats": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {"name": {"type": "string"}},
                                "additionalProperties": False,
                            },
                        },
                    },
                    "additionalProperties": False,
                    "required": ["aligned"],
                },
            }
        }
        assert "tools" not in call.body
        assert answer.text == '{"aligned": true}'

    def test_usage_includes_what_was_cached_and_written(self) -> None:
        """The provider's `input_tokens` leave the cache out; ours are everything."""
        said = Reply("yes", usage=Usage(input=1000, cached=600, written=300, output=7))
        answer, _ = ask("opus", Request((), "own"), said)
        assert answer.usage == Usage(input=1000, cached=600, written=300, output=7)

    def test_the_next_round_reads_what_this_one_wrote(self) -> None:
        """The marked prefix of one round is read by the next, which adds one block."""
        with VendorServer("yes") as server, models(server) as opened:
            first = opened.open("opus").ask(Request((RULES,), "Agent A"))
            second = opened.open("opus").ask(Request((RULES, ROUND), "Agent A"))
        assert first.usage.written > 1000
        assert second.usage.cached == first.usage.written

    def test_nothing_from_the_environment_reaches_a_request(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Tokens, headers and profiles that the SDK would read by itself stay out; so do traces."""
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "leaked-token")
        monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Leak: leaked-header\nAuthorization: Bearer leaked-auth")
        monkeypatch.setenv("ANTHROPIC_PROFILE", "leaked")
        _, call = ask("opus", Request((), "own"))
        assert "leaked" not in repr(call)
        assert not {"x-leak", "traceparent"} & set(call.headers)
        assert anthropic.Anthropic(api_key="k").default_headers["X-Leak"] == "leaked-header"


class TestResponses:
    def test_the_whole_body(self) -> None:
        """Nothing stored, one user message, explicit breakpoints on shared parts only, a stable cache key."""
        mark = {"mode": "explicit"}
        _, call = ask("gpt", Request((RULES, ROUND), "You are Agent A.", max_tokens=900, cache_key="room-1"))
        assert body(call) == {
            "model": "gpt-6.2-sol",
            "max_output_tokens": 900,
            "store": False,
            "stream": True,
            "prompt_cache_key": "room-1",
            "prompt_cache_options": {"mode": "explicit"},
            "input": [
                {
                    "role": "user",
                    "content": [
                        {"type": "input_text", "text": RULES, "prompt_cache_breakpoint": mark},
                        {"type": "input_text", "text": ROUND, "prompt_cache_breakpoint": mark},
                        {"type": "input_text", "text": "You are Agent A."},
                    ],
                }
            ],
        }

    def test_at_most_four_parts_are_marked(self) -> None:
        """The last shared part and those right before it, four in all."""
        _, call = ask("gpt", Request((RULES, *(f"{ROUND}{n}" for n in range(6))), "own"))
        assert call.marks == (3, 4, 5, 6)

    def test_an_older_family_gets_no_breakpoints(self) -> None:
        """Before gpt-5.6 prefixes are cached by themselves: only the key is sent."""
        _, call = ask("openai:gpt-5.4", Request((RULES,), "own", cache_key="room-1"))
        assert (call.marks, body(call).get("prompt_cache_options")) == ((), None)
        assert body(call)["prompt_cache_key"] == "room-1"

    def test_structured_output_is_strict(self) -> None:
        """A schema goes into `text.format`, strict and closed, all keys required."""
        _, call = ask("gpt", Request((), "own", schema=SCHEMA), {"aligned": True})
        assert body(call)["text"] == {
            "format": {
                "type": "json_schema",
                "name": "reply",
                "strict": True,
                "schema": {
                    "type": "object",
                    "properties": {
                        "aligned": {"type": "boolean"},
                        "score": {"type": "integer", "minimum": 1},
                        "seats": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {"name": {"type": "string"}},
                                "additionalProperties": False,
                                "required": ["name"],
                            },
                        },
                    },
                    "required": ["aligned", "score", "seats"],
                    "additionalProperties": False,
                },
            }
        }

    def test_nothing_from_the_environment_reaches_a_request(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Organisation, project and headers that the SDK would read by itself stay out."""
        monkeypatch.setenv("OPENAI_ORG_ID", "leaked-org")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "leaked-project")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: leaked-header")
        _, call = ask("gpt", Request((), "own"))
        assert "leaked" not in repr(call)

    def test_the_paying_account_is_said_to_the_vendor_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Organisation and project from the environment go to OpenAI's own endpoint and nowhere else."""
        monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
        with openai_client("https://api.openai.com/v1", "k") as own, openai_client("https://example.com/v1") as other:
            assert (own.organization, other.organization) == ("org-1", None)


class TestChat:
    def test_the_whole_body(self) -> None:
        """Plain parts, the newer limit, usage asked for; no cache field of the vendor's."""
        request = Request((RULES,), "own", max_tokens=900, cache_key="room-1")
        _, call = ask("openai:qwen2.5:0.5b", request, api="auto")
        assert body(call) == {
            "model": "qwen2.5:0.5b",
            "max_completion_tokens": 900,
            "stream": True,
            "stream_options": {"include_usage": True},
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": RULES}, {"type": "text", "text": "own"}]}
            ],
        }

    def test_structured_output_is_the_response_format(self) -> None:
        """A schema goes into `response_format`."""
        _, call = ask("openai:qwen", Request((), "own", schema={"type": "object", "properties": {}}), {}, api="chat")
        assert body(call)["response_format"] == {
            "type": "json_schema",
            "json_schema": {
                "name": "reply",
                "strict": True,
                "schema": {"type": "object", "properties": {}, "additionalProperties": False, "required": []},
            },
        }


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
        assert (caught.value.cause, caught.value.retry) == ("empty", False)

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
        with VendorServer("yes", latency=0.2) as server, models(server, api) as opened:
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

    with VendorServer("yes", latency=1.0) as server, models(server, concurrency=40) as opened:
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
