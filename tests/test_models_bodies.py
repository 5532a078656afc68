"""What both vendors are sent, to the last field, over real HTTP with the real SDKs."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest
from vendor import Call, Reply, VendorServer
from web_models import ask, models

from debateroom.messages import Request, Usage
from debateroom.models.clients import openai_client

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
