"""Tools in words, for a model that returns no calls: what it is told, and which of its replies is a call."""

from __future__ import annotations

import json

import pytest

from debateroom.messages import Answer, Request, ToolCall, ToolResult, ToolSpec, Turn, Usage
from debateroom.models.spoken_tools import in_words, read_call, with_call

ORDER = ToolSpec(
    "get_order",
    "Look up one order.",
    {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
)
CALL = '{"name": "get_order", "arguments": {"order_id": "W1"}}'


@pytest.mark.parametrize(
    "text",
    [CALL, f"\n{CALL}\n", f"```json\n{CALL}\n```", f"```\n{CALL}```", f"<tool_call>\n{CALL}\n</tool_call>"],
)
def test_one_json_object_is_a_call(text: str) -> None:
    """Alone, in a fence, or as the model's makers write it."""
    found = read_call(text, ["get_order"])
    assert found is not None
    assert (found.name, json.loads(found.arguments)) == ("get_order", {"order_id": "W1"})


@pytest.mark.parametrize(
    "text",
    [
        f"I will look: {CALL}",
        f"{CALL}\nIt was shipped.",
        f"{CALL}\n{CALL}",
        CALL.replace("get_order", "fly"),
        '{"name": "get_order"}',
        '{"name": ["get_order"], "arguments": {}}',
        '{"name": "get_order", "arguments": "W1"}',
        '{"name": "get_order", "arguments": {}, "result": "shipped"}',
        "[" * 100_000,
        "It was shipped.",
        "",
    ],
)
def test_anything_else_is_what_the_model_says(text: str) -> None:
    """Words around it, a tool that was not declared, a shape that is none."""
    answer = Answer(text, Usage(), "stop", "embedded", 0.1)
    assert with_call(answer, [ORDER]) == answer


def test_a_call_takes_the_place_of_the_text() -> None:
    """The answer then waits for the tool."""
    answer = with_call(Answer(CALL, Usage(1, 0, 0, 2), "stop", "embedded", 0.1), [ORDER])
    assert (answer.text, answer.stop_reason, answer.usage) == ("", "tools", Usage(1, 0, 0, 2))
    assert answer.calls[0].arguments == '{"order_id": "W1"}'


def test_calls_and_results_are_told_in_the_language_of_the_instructions() -> None:
    """Nothing of the request is left that such a model does not know; a schema would forbid every call."""
    turns = (
        Turn("user", "Où est W1 ?"),
        Turn("assistant", "", calls=(ToolCall("1", "get_order", '{"order_id": "W1"}'),)),
        Turn("tools", results=(ToolResult("1", "expédiée"), ToolResult("2", "perdue", is_error=True))),
    )
    system = "Vous répondez aux clients de la boutique."
    asked = in_words(Request(system=system, turns=turns, tools=(ORDER,), schema={"type": "object"}))
    assert (asked.tools, asked.schema) == ((), None)
    assert asked.system.startswith(f"{system}\n\nPour employer un outil")
    assert '{"name": "get_order", "description": "Look up one order."' in asked.system
    assert asked.turns == (
        turns[0],
        Turn("assistant", CALL),
        Turn("user", "Ce que get_order a donné :\nexpédiée\n\n? n'a pas marché :\nperdue"),
    )


def test_a_request_without_tools_is_left_alone() -> None:
    """To the byte: a debate's seats share a prefix."""
    request = Request(("shared",), "own", schema={"type": "object"})
    assert in_words(request) is request
