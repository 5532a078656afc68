"""The stand-in for the vendors speaks what the real SDKs expect, logs what it was asked, and caches as they do."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import anthropic
import openai
import pytest
from vendor import Call, Reply, VendorServer, debate_script
from vendor.apart import ServerApart
from vendor.clients import Clients, clients

from debateroom.messages import Usage

OPUS = "claude-opus-5-5"
GPT = "gpt-6.2-sol"
TEXT = "Ein Text, 一段文字, un texte : " * 20


def wait_for(true: Callable[[], bool], seconds: float = 5.0) -> None:
    """Returns as soon as `true()`; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


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
    """Streams at once overlap: the peak is their number, and each takes its latency."""
    with VendorServer(TEXT, latency=1.0, first_token=0.5) as server, clients(server) as client:
        with ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda _: ask_chat(client, True), range(12)))
        assert server.peak_in_flight == 12
        assert all(0.99 <= call.seconds < 9 for call in server.calls)
        assert all(call.first_token and 0.49 <= call.first_token - call.arrived < 9 for call in server.calls)


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


def shape(name: str, **more: Any) -> dict[str, Any]:
    """A schema of one object as OpenAI Responses takes it."""
    inner = {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    schema = {**inner, "additionalProperties": False, **more}
    return {"format": {"type": "json_schema", "name": "verdict", "schema": schema, "strict": True}}


def test_structured_calls_get_the_scripted_verdicts() -> None:
    """A schema with `aligned` is the moderator's call, one with `recommended_action` the synthesis'."""
    script = debate_script(moderator=[{"aligned": "no"}, {"aligned": "yes"}], synthesis={"recommended_action": "go"})
    with VendorServer(script) as server, clients(server) as client:
        texts = [
            ask_responses(client, False, text=shape(name))[0] for name in ("aligned", "aligned", "recommended_action")
        ]
    assert texts == ['{"aligned": "no"}', '{"aligned": "yes"}', '{"recommended_action": "go"}']


def test_calls_the_vendors_refuse_are_refused() -> None:
    """An open schema, sampling settings, an empty block and a fifth cache mark get the vendor's 400."""
    part = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
    calls: list[tuple[Any, dict[str, Any], str]] = [
        (ask_responses, {"text": shape("a", additionalProperties=True)}, "required to be false"),
        (ask_responses, {"text": shape("a", required=[])}, "must include every key"),
        (ask_responses, {"temperature": 0.5}, "'temperature' is not supported"),
        (ask_responses, {"model": "gpt-5.5", "prompt_cache_options": {"mode": "explicit"}}, "prompt_cache_options"),
        (ask_chat, {"model": GPT, "max_tokens": 9}, "'max_tokens' is not supported"),
        (ask_messages, {"messages": [{"role": "user", "content": " "}]}, "must be non-empty"),
        (ask_messages, {"messages": [{"role": "user", "content": [part] * 5}]}, "maximum of 4 blocks"),
    ]
    with VendorServer("y") as server, clients(server) as client:
        for ask, more, why in calls:
            with pytest.raises((openai.BadRequestError, anthropic.BadRequestError), match=why):
                ask(client, False, **more)
        assert ask_chat(client, False, temperature=0.5, max_tokens=9)[0] == "y"
        assert [call.status for call in server.calls] == [400] * 7 + [200]


def blocks(*texts: str, marked: int | None = None, mark: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Content parts for one message, one of them marked."""
    parts = [{"type": "text", "text": text} for text in texts]
    return [{**part, **((mark or {}) if index == marked else {})} for index, part in enumerate(parts)]


RULES, ROUND_1, ROUND_2 = "r" * 8000, "1" * 4000, "2" * 4000
"""2,000, 1,000 and 1,000 tokens in the server's count."""


def test_anthropic_caches_up_to_the_marked_block() -> None:
    """The first call writes its marked prefix; the next reads it and writes what was added; own blocks miss."""
    mark = {"cache_control": {"type": "ephemeral"}}
    with VendorServer("y") as server, clients(server) as client:
        seen = [
            ask_messages(client, True, messages=[{"role": "user", "content": content}])[2]
            for content in (
                blocks(RULES, "seat", marked=0, mark=mark),
                blocks(RULES, "other seat", marked=0, mark=mark),
                blocks(RULES, ROUND_1, "seat", marked=1, mark=mark),
                blocks(RULES, ROUND_1, "seat"),
                blocks("x" * 400, "seat", marked=0, mark=mark),
            )
        ]
        message = {"role": "user", "content": blocks(RULES, marked=0, mark=mark)}
        other_model = ask_messages(client, False, model="claude-haiku-5-5", messages=[message])[2]
    assert seen == [
        Usage(input=2001, cached=0, written=2000, output=1),
        Usage(input=2003, cached=2000, written=0, output=1),
        Usage(input=3001, cached=2000, written=1000, output=1),
        Usage(input=3001, cached=0, written=0, output=1),
        Usage(input=101, cached=0, written=0, output=1),
    ]
    assert other_model == Usage(input=2000, cached=0, written=2000, output=1)


def test_the_automatic_mark_of_anthropic_sits_on_the_last_block_and_misses() -> None:
    """With the top-level mark, a prompt that differs in its last block reads nothing and pays the writing again."""
    with VendorServer("y") as server, clients(server) as client:
        seen = [
            ask_messages(
                client,
                False,
                messages=[{"role": "user", "content": blocks(RULES, own)}],
                extra_body={"cache_control": {"type": "ephemeral"}},
            )[2]
            for own in ("aaaa", "bbbb")
        ]
    assert seen == [Usage(input=2001, written=2001, output=1)] * 2


def test_openai_caches_at_breakpoints_or_by_itself_by_family() -> None:
    """From gpt-5.6 on an explicit breakpoint is kept; the implicit one misses; older models need none."""
    part = {"prompt_cache_breakpoint": {"mode": "explicit"}}
    explicit = {"prompt_cache_options": {"mode": "explicit"}}

    def ask(client: Clients, model: str, *texts: str, **more: Any) -> Usage:
        content = [{**row, "type": "input_text"} for row in blocks(*texts, marked=0, mark=part if more else None)]
        return ask_responses(client, False, model=model, input=[{"role": "user", "content": content}], **more)[2]

    with VendorServer("y") as server, clients(server) as client:
        marked = [ask(client, GPT, RULES, own, **explicit) for own in ("aaaa", "bbbb")]
        implicit = [ask(client, "gpt-5.6", RULES, own) for own in ("aaaa", "bbbb")]
        older = [ask(client, "gpt-5.5", RULES, own) for own in ("aaaa", "bbbb")]
    assert marked == [Usage(input=2001, written=2000, output=1), Usage(input=2001, cached=2000, output=1)]
    assert implicit == [Usage(input=2001, written=2001, output=1)] * 2
    assert older == [Usage(input=2001, output=1), Usage(input=2001, cached=2000, output=1)]


def test_calls_at_the_same_time_all_miss_until_the_first_token() -> None:
    """A prefix can be read once the call that wrote it has sent its first token, not before."""
    content = blocks(RULES, "seat", marked=0, mark={"cache_control": {"type": "ephemeral"}})

    def ask(client: Clients) -> Usage:
        return ask_messages(client, True, messages=[{"role": "user", "content": content}])[2]

    waits = {"latency": lambda call: 30.0 if call.number < 3 else 0.0, "first_token": 30.0, "together": 3}
    with VendorServer("y" * 400, **waits) as server, clients(server) as client:
        with ThreadPoolExecutor(3) as pool:
            together = list(pool.map(ask, [client] * 3))
        late = ask(client)
    assert together == [Usage(input=2001, written=2000, output=100)] * 3
    assert late == Usage(input=2001, cached=2000, output=100)


def test_a_client_that_leaves_is_noticed() -> None:
    """A call whose client closed the connection is logged as gone and no longer counts as being answered."""
    with VendorServer(TEXT, latency=5.0) as server, clients(server) as client:
        with client.openai.responses.create(model=GPT, input="?", stream=True) as events:
            assert next(iter(events)).type == "response.created"
        with client.anthropic.messages.create(
            model=OPUS, max_tokens=9, messages=[{"role": "user", "content": "?"}], stream=True
        ) as stream:
            next(iter(stream))
        wait_for(lambda: server.in_flight == 0)
        assert [(call.gone, call.seconds < 5) for call in server.calls] == [(True, True)] * 2


def test_the_server_can_run_in_a_process_of_its_own() -> None:
    """A benchmark starts it apart, asks it over HTTP, and gets what it saw at the end."""
    with ServerApart(latency=0.05, text="hello") as server, clients(server) as client:
        assert ask_chat(client, True)[0] == "hello"
    assert (server.summary["calls"], server.summary["peak_in_flight"]) == (1, 1)
    assert server.summary["usage"] == {"input": 2, "cached": 0, "written": 0, "output": 2}
    assert server.summary["seconds"] >= 0.05


def test_a_client_that_connects_at_the_last_moment_is_not_left_hanging() -> None:
    """Connections that arrive while the server ends are ended too, and none is lost half open."""
    with VendorServer("yes") as server:
        server._loop.call_soon_threadsafe(time.sleep, 0.1)  # the loop is busy while they arrive
        address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        late = [socket.create_connection(address, timeout=10) for _ in range(20)]
    for client in late:
        with client, suppress(ConnectionResetError):
            assert client.recv(1) == b""
