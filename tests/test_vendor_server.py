"""The stand-in for the vendors speaks what the real SDKs expect, logs what it was asked, and caches as they do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import anthropic
import openai
import pytest
from vendor import Call, Reply, VendorServer, debate_script

from debateroom.messages import Usage

OPUS = "claude-opus-5-5"
GPT = "gpt-6.2-sol"
TEXT = "Ein Text, 一段文字, un texte : " * 20


class Clients(NamedTuple):
    anthropic: anthropic.Anthropic
    openai: openai.OpenAI


@contextmanager
def clients(server: VendorServer, key: str = "sk-test") -> Iterator[Clients]:
    """Both SDKs as debateroom uses them: no retries of their own, no proxy."""
    with (
        anthropic.Anthropic(
            api_key=key,
            base_url=server.url,
            max_retries=0,
            http_client=anthropic.DefaultHttpxClient(trust_env=False),
        ) as one,
        openai.OpenAI(
            api_key=key,
            base_url=server.openai_url,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(trust_env=False),
        ) as two,
    ):
        yield Clients(one, two)


def ask_messages(client: Clients, stream: bool, **more: Any) -> tuple[str, str | None, Usage]:
    said = {"messages": [{"role": "user", "content": "hello"}], **more}
    body: dict[str, Any] = {"model": OPUS, "max_tokens": 5000, **said}
    if stream:
        with client.anthropic.messages.stream(**body) as events:
            message = events.get_final_message()
    else:
        message = client.anthropic.messages.create(**body)
    cached, written = message.usage.cache_read_input_tokens or 0, message.usage.cache_creation_input_tokens or 0
    usage = Usage(message.usage.input_tokens + cached + written, cached, written, message.usage.output_tokens)
    return "".join(block.text for block in message.content if block.type == "text"), message.stop_reason, usage


def ask_responses(client: Clients, stream: bool, **more: Any) -> tuple[str, str | None, Usage]:
    body: dict[str, Any] = {"model": GPT, "input": "hello", "max_output_tokens": 5000, "store": False, **more}
    if stream:
        with client.openai.responses.stream(**body) as events:
            response = list(events)[-1].response
    else:
        response = client.openai.responses.create(**body)
    used = response.usage
    details = used.input_tokens_details
    usage = Usage(used.input_tokens, details.cached_tokens, details.cache_write_tokens, used.output_tokens)
    return response.output_text, response.status, usage


def ask_chat(client: Clients, stream: bool, **more: Any) -> tuple[str, str | None, Usage]:
    said = {"messages": [{"role": "user", "content": "hello"}], **more}
    body: dict[str, Any] = {"model": "qwen", "max_completion_tokens": 5000, **said}
    text, finish, used = "", None, None
    if not stream:
        completion = client.openai.chat.completions.create(**body)
        (choice,), used = completion.choices, completion.usage
        text, finish = choice.message.content, choice.finish_reason
    else:
        options = {"include_usage": True}
        for chunk in client.openai.chat.completions.create(**body, stream=True, stream_options=options):
            for choice in chunk.choices:
                text += choice.delta.content or ""
                finish = choice.finish_reason or finish
            used = chunk.usage or used
    assert used is not None
    details = used.prompt_tokens_details
    usage = Usage(used.prompt_tokens, details.cached_tokens, details.cache_write_tokens, used.completion_tokens)
    return text, finish, usage


ENDPOINTS = [
    (ask_messages, "end_turn", "max_tokens"),
    (ask_responses, "completed", "incomplete"),
    (ask_chat, "stop", "length"),
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("ask", "stop", "cut"), ENDPOINTS, ids=["messages", "responses", "chat"])
class TestEveryEndpoint:
    def test_the_text_arrives_whole_with_its_usage(self, ask: Any, stop: str, cut: str, stream: bool) -> None:
        """Text, stop reason and usage come through the real SDK as the server was told."""
        with VendorServer(TEXT) as server, clients(server) as client:
            assert ask(client, stream) == (TEXT, stop, Usage(input=2, output=135))
            assert server.calls[0].usage == Usage(input=2, output=135)

    def test_thinking_counts_against_the_limit(self, ask: Any, stop: str, cut: str, stream: bool) -> None:
        """A reply whose thinking fills the limit comes back empty, cut by the limit."""
        with VendorServer(Reply(TEXT, thinking="x" * 20_004)) as server, clients(server) as client:
            assert ask(client, stream) == ("", cut, Usage(input=2, output=5000))


def test_a_call_is_logged_without_its_key() -> None:
    """The log has the blocks in order and the times, and no key in any header."""
    first = {"type": "text", "text": "one", "cache_control": {"type": "ephemeral"}}
    message = {"role": "user", "content": [first, {"type": "text", "text": "two"}]}
    with VendorServer("yes") as server, clients(server, "sk-secret") as client:
        ask_messages(client, False, messages=[message], max_tokens=9)
        (call,) = server.calls
    assert (call.endpoint, call.path) == ("anthropic.messages", "/v1/messages")
    assert (call.prompt, call.marks) == (["one", "two"], (0,))
    assert (call.shared, call.own, call.limit, call.schema, call.status) == (["one"], "two", 9, None, 200)
    assert call.finished is not None
    assert "sk-secret" not in repr(call)


def test_calls_at_once_are_counted_and_take_the_latency_once() -> None:
    """Forty streams at once overlap: the peak is forty, and each takes its latency."""
    with VendorServer(TEXT, latency=0.4, first_token=0.1) as server, clients(server) as client:
        with ThreadPoolExecutor(40) as pool:
            list(pool.map(lambda _: ask_chat(client, True), range(40)))
        assert server.peak_in_flight == 40
        assert all(0.4 <= call.seconds < 2 for call in server.calls)
        assert all(call.first_token and 0.1 <= call.first_token - call.arrived < 1.5 for call in server.calls)


def test_a_wrong_key_is_refused_the_vendors_way() -> None:
    """With a key set, any other one gets the vendor's 401."""
    with VendorServer("yes", key="sk-right") as server, clients(server, "sk-wrong") as client:
        with pytest.raises(anthropic.AuthenticationError) as first:
            ask_messages(client, False)
        with pytest.raises(openai.AuthenticationError) as second:
            ask_responses(client, True)
    assert (first.value.type, second.value.code) == ("authentication_error", "invalid_api_key")


def test_models_are_listed_for_both_vendors() -> None:
    """`GET /v1/models` answers each SDK in its own shape and is no call for an answer."""
    with VendorServer(models=("one", "two")) as server, clients(server) as client:
        assert [model.id for model in client.anthropic.models.list()] == ["one", "two"]
        assert [model.id for model in client.openai.models.list()] == ["one", "two"]
        assert (len(server.lookups), server.calls) == (2, [])


def test_a_mistake_in_the_reply_function_fails_the_test() -> None:
    """An exception in a test's own reply function is answered with a final error and raised at the block's end."""

    def wrong(call: Call) -> str:
        raise KeyError("row")

    def run() -> None:
        with VendorServer(wrong) as server, clients(server) as client:
            with pytest.raises(openai.BadRequestError, match="the test's server"):
                ask_chat(client, False)
            assert [call.status for call in server.calls] == [400]

    with pytest.raises(KeyError, match="row"):
        run()


def test_a_debate_is_played_from_a_table() -> None:
    """Seat and round are read from the own block; each reply has the labels of its language and its row's values."""
    table = {"Agent A": [(6, None), (9, "Agent B")]}
    with VendorServer(debate_script(table, about="queue")) as server, clients(server) as client:
        one, two, three = (
            ask_chat(client, False, messages=[{"role": "user", "content": text}])[0]
            for text in (
                "You are Agent A (Architect). Round 1 of 3.",
                "Vous êtes Agent A. Tour 2 sur 3. CONFIANCE : 1–10",
                "你是Agent B（架构师）。第 3 轮。信心：",
            )
        )
    labels = [line.partition(":")[0] for line in one.split("\n\n")]
    assert labels == ["POSITION", "REASONING", "PROPOSAL", "CONCERNS", "CONFIDENCE"]
    assert one.endswith("CONFIDENCE: 6")
    assert two.endswith("SOUTIENT : Agent B\n\nCONFIANCE : 9")
    assert three.endswith("支持：Agent B\n\n信心：7")


def test_structured_calls_get_the_scripted_verdicts() -> None:
    """A schema with `aligned` is the moderator's call, one with `recommended_action` the synthesis'."""

    def schema(name: str) -> dict[str, Any]:
        shape = {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
        closed = {**shape, "additionalProperties": False}
        return {"type": "json_schema", "name": "verdict", "schema": closed, "strict": True}

    script = debate_script(moderator=[{"aligned": "no"}, {"aligned": "yes"}], synthesis={"recommended_action": "go"})
    with VendorServer(script) as server, clients(server) as client:
        texts = [
            client.openai.responses.create(model=GPT, input="?", text={"format": schema(name)}).output_text
            for name in ("aligned", "aligned", "recommended_action")
        ]
    assert texts == ['{"aligned": "no"}', '{"aligned": "yes"}', '{"recommended_action": "go"}']
