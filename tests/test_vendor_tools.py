"""The stand-in's tools as the SDKs themselves read them, and what it refuses as the vendors do."""

from __future__ import annotations

from typing import Any

import anthropic
import openai
import pytest
from vendor import Reply, VendorServer
from vendor.clients import clients

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"order_id": {"type": "string"}}}
SAID = Reply("Let me see.", thinking="Hm.", calls=(("get_order", '{"order_id": "W1"}'), ("list_orders", "{}")))
EXPECTED = [("get_order", '{"order_id": "W1"}'), ("list_orders", "{}")]
ASK: Any = [{"role": "user", "content": "Where is W1?"}]


def test_both_sdks_read_the_streamed_calls() -> None:
    """Through their own readers of streams, whole at the end."""
    function = {"name": "get_order", "description": "d", "parameters": SCHEMA}
    with VendorServer(SAID) as server, clients(server) as client:
        tools: Any = [{"name": "get_order", "description": "d", "input_schema": SCHEMA}]
        with client.anthropic.messages.stream(
            model="claude-opus-5-5", max_tokens=900, messages=ASK, tools=tools
        ) as stream:
            message = stream.get_final_message()
        assert message.stop_reason == "tool_use"
        assert [(block.name, block.input) for block in message.content if block.type == "tool_use"] == [
            ("get_order", {"order_id": "W1"}),
            ("list_orders", {}),
        ]
        strict: Any = [{"type": "function", **function, "strict": False}]
        with client.openai.responses.stream(model="gpt-6.2-sol", input=ASK, tools=strict) as events:
            response = events.get_final_response()
        assert [(item.name, item.arguments) for item in response.output if item.type == "function_call"] == EXPECTED
        chat: Any = [{"type": "function", "function": function}]
        with client.openai.chat.completions.stream(model="local", messages=ASK, tools=chat) as chunks:
            choice = chunks.get_final_completion().choices[0]
        assert choice.finish_reason == "tool_calls"
        calls: Any = choice.message.tool_calls
        assert [(call.function.name, call.function.arguments) for call in calls] == EXPECTED


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("messages", "why"),
    [
        (
            [*ASK, {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "x", "input": {}}]}],
            "without",
        ),
        (
            [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]}],
            "do not match",
        ),
        ([{"role": "assistant", "content": "Hello."}], "first message must use the user role"),
    ],
)
def test_a_conversation_that_anthropic_refuses_is_refused(messages: Any, why: str, stream: bool) -> None:
    """Calls without results, results without calls, an assistant that begins."""
    tools: Any = [{"name": "x", "description": "d", "input_schema": {"type": "object"}}]
    with VendorServer("x") as server, clients(server) as client, pytest.raises(anthropic.BadRequestError, match=why):
        client.anthropic.messages.create(
            model="claude-opus-5-5", max_tokens=9, messages=messages, tools=tools, stream=stream
        )


@pytest.mark.parametrize(
    ("items", "why"),
    [
        ([{"type": "function_call", "call_id": "c1", "name": "x", "arguments": "{}"}], "No tool output found"),
        ([{"type": "function_call_output", "call_id": "c1", "output": "x"}], "No tool call found"),
        ([{"type": "reasoning", "id": "rs_1", "summary": []}], "not found"),
        ([{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}], "required following item"),
    ],
)
def test_items_that_openai_refuses_are_refused(items: Any, why: str) -> None:
    """Calls and results that do not match, reasoning that is not there or stands alone."""
    with VendorServer("x") as server, clients(server) as client, pytest.raises(openai.BadRequestError, match=why):
        client.openai.responses.create(model="gpt-6.2-sol", input=[*ASK, *items])


def test_a_schema_that_the_vendors_refuse_is_refused() -> None:
    """No alternatives at its top."""
    schema = {"type": "object", "oneOf": [{"required": ["a"]}]}
    tools: Any = [{"name": "x", "description": "d", "input_schema": schema}]
    with (
        VendorServer("x") as server,
        clients(server) as client,
        pytest.raises(anthropic.BadRequestError, match="top"),
    ):
        client.anthropic.messages.create(model="claude-opus-5-5", max_tokens=9, messages=ASK, tools=tools)
