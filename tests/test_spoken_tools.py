"""Tools in words, for a model that returns no calls: what it is told, and which of its replies is a call."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from debateroom.messages import Answer, Request, ToolCall, ToolResult, ToolSpec, Turn, Usage
from debateroom.models.spoken_tools import in_words, offered, read_call, with_call

ORDER = ToolSpec(
    "get_order",
    "Look up one order.",
    {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
)
NOTE = ToolSpec(
    "add_note",
    "Write a note.",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to write."},
            "kind": {"type": "string", "enum": ["public", "private"]},
            "times": {"type": "integer"},
            "colour": {"type": "string"},
        },
        "required": ["text", "kind", "times"],
    },
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


@pytest.mark.parametrize(
    "arguments",
    [
        '{"text": "<What to write.>", "kind": "public", "times": 1}',
        '{"text": {"type": "string", "description": "What to write."}, "kind": "public", "times": 1}',
        '{"text": "x", "kind": "public", "times": 1, "colour": "<colour>"}',
        json.dumps(NOTE.parameters),
    ],
)
def test_what_is_copied_from_how_a_tool_is_told_is_no_call(arguments: str) -> None:
    """The schema, a piece of it, or the words that only stand for a value: nobody meant that to be executed."""
    answer = Answer(f'{{"name": "add_note", "arguments": {arguments}}}', Usage(), "stop", "embedded", 0.1)
    assert with_call(answer, [ORDER, NOTE]) == answer


def test_values_that_were_told_as_examples_may_be_meant() -> None:
    """One of the values that an argument may have is a value."""
    text = '{"name": "add_note", "arguments": {"text": "Ring twice.", "kind": "public", "times": 1}}'
    assert with_call(Answer(text, Usage(), "stop", "embedded", 0.1), [ORDER, NOTE]).calls


def test_a_call_takes_the_place_of_the_text() -> None:
    """The answer then waits for the tool."""
    answer = with_call(Answer(CALL, Usage(1, 0, 0, 2), "stop", "embedded", 0.1), [ORDER])
    assert (answer.text, answer.stop_reason, answer.usage) == ("", "tools", Usage(1, 0, 0, 2))
    assert answer.calls[0].arguments == '{"order_id": "W1"}'


def test_tools_and_what_they_gave_are_told_in_the_language_of_the_instructions() -> None:
    """Nothing is left that such a model does not know; what a tool gave stands with the message it was called for."""
    turns = (
        Turn("user", "Bonjour."),
        Turn("assistant", "Oui ?"),
        Turn("user", "Où est W1 ?"),
        Turn("assistant", "", calls=(ToolCall("1", "get_order", '{"order_id": "W1"}'), ToolCall("2", "fly", "{}"))),
        Turn("tools", results=(ToolResult("1", "expédiée"), ToolResult("2", "pas d'ailes", is_error=True))),
    )
    system = "Vous répondez aux clients de la boutique."
    request = Request(system=system, turns=turns, tools=(ORDER, NOTE), schema={"type": "object"})
    asked = in_words(request, offered(request))
    assert (asked.tools, asked.schema) == ((), None)
    assert asked.system.startswith(f"{system}\n\nPour employer un outil")
    assert asked.turns[:2] == turns[:2]
    (last,) = asked.turns[2:]
    assert last.role == "user"
    assert last.text.startswith(
        "Où est W1 ?\n\n(L'outil get_order a été employé. Il dit : expédiée)\n\n"
        "(L'outil fly a refusé, rien n'a été fait. Il dit : pas d'ailes)\n\nÉcrivez maintenant votre réponse"
    )


def test_a_tool_that_was_used_is_not_offered_again_for_the_same_answer() -> None:
    """A small model would call it for ever; with the next message all are there again."""
    asked = (Turn("user", "Where is W1?"), Turn("assistant", "", calls=(ToolCall("1", "get_order", "{}"),)))
    told = (*asked, Turn("tools", results=(ToolResult("1", "shipped"),)))
    request = Request(turns=told, tools=(ORDER, NOTE))
    assert offered(request) == (NOTE,)
    assert offered(replace(request, turns=(*told, Turn("assistant", "Shipped."), Turn("user", "And W2?")))) == (
        ORDER,
        NOTE,
    )


def test_without_a_tool_at_hand_it_is_asked_for_words() -> None:
    """The last resort; then a schema may hold the reply."""
    told = (
        Turn("user", "Where is W1?"),
        Turn("assistant", "", calls=(ToolCall("1", "get_order", "{}"),)),
        Turn("tools", results=(ToolResult("1", "shipped"),)),
    )
    schema = {"type": "object"}
    asked = in_words(Request(system="You help.", turns=told, tools=(ORDER,), schema=schema), ())
    assert (asked.system, asked.schema) == ("You help.", schema)
    assert asked.turns[0].text.startswith(
        "Where is W1?\n\n(The tool get_order was used. It says: shipped)\n\nNow write your reply"
    )
    free = in_words(Request(system="You help.", turns=told, tools=(ORDER,)), ())
    assert free.turns[0].text.endswith("Now answer in one or two plain sentences.")


def test_a_tool_is_shown_by_its_call() -> None:
    """Each argument that is needed, with what it stands for."""
    asked = in_words(Request(turns=(Turn("user", "x"),), tools=(NOTE,)), (NOTE,))
    call = {"name": "add_note", "arguments": {"text": "<What to write.>", "kind": "public", "times": 1}}
    assert f"- Write a note.\n  {json.dumps(call)}" in asked.system


def test_a_request_without_tools_is_left_alone() -> None:
    """To the byte: a debate's seats share a prefix."""
    request = Request(("shared",), "own", schema={"type": "object"})
    assert in_words(request, ()) is request
