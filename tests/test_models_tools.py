"""Tools and conversations on both vendors' APIs, over real HTTP: what is sent, read, and goes back unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from vendor import Call, Reply, VendorServer
from web_models import ask, models

from debateroom.agents.agent import open_agent
from debateroom.errors import CallFailed
from debateroom.messages import Answer, Request, ToolCall, ToolResult, ToolSpec, Turn
from debateroom.models.retry import no_sleep

SHOP = Path(__file__).parent / "agents" / "shop.yaml"
ORDER = ToolSpec(
    "get_order",
    "Look up one order.",
    {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
)
ASKED = Turn("user", "Where are W1 and W2?")
CALLS = (("get_order", '{"order_id": "W1"}'), ("get_order", '{"order_id": "W2"}'))
APIS: list[tuple[str, dict[str, Any]]] = [
    ("opus", {}),
    ("gpt", {}),
    ("openai:local-model", {"api": "chat"}),
]
NAMES = ["anthropic", "responses", "chat"]


def request(*turns: Turn, **more: Any) -> Request:
    return Request(system="You help.", turns=turns, tools=(ORDER,), **more)


def after(answer: Answer, **more: Any) -> Request:
    """The request that follows an answer with calls."""
    results = tuple(ToolResult(call.id, f"{place} shipped", place == 1) for place, call in enumerate(answer.calls))
    said = Turn("assistant", answer.text, calls=answer.calls, raw=answer.raw)
    return request(ASKED, said, Turn("tools", results=results), **more)


@pytest.mark.parametrize(("name", "more"), APIS, ids=NAMES)
def test_calls_are_read_from_the_stream(name: str, more: dict[str, Any]) -> None:
    """All of them, in order, with the text before them; the answer waits for their results."""
    reply = Reply("Let me see.", thinking="Two orders.", calls=CALLS)
    answer, call = ask(name, request(ASKED), reply, **more)
    assert (answer.text, answer.stop_reason) == ("Let me see.", "tools")
    assert [(each.name, each.arguments) for each in answer.calls] == list(CALLS)
    assert len({each.id for each in answer.calls}) == 2
    assert call.tools == ["get_order"]
    assert "tool_choice" not in call.body


@pytest.mark.parametrize(("name", "more"), APIS, ids=NAMES)
def test_calls_without_a_word_are_an_answer(name: str, more: dict[str, Any]) -> None:
    """Nothing is said, and nothing is missing."""
    answer, _ = ask(name, request(ASKED), Reply("", calls=CALLS[:1]), **more)
    assert (answer.text, answer.stop_reason, len(answer.calls)) == ("", "tools", 1)


@pytest.mark.parametrize(("name", "more"), APIS, ids=NAMES)
def test_results_go_back_behind_what_the_model_said(name: str, more: dict[str, Any]) -> None:
    """The server refuses calls without results, thinking that was changed and reasoning that was not asked for."""
    said = [Reply("Let me see.", thinking="Two orders.", calls=CALLS), Reply("Both shipped.")]
    with VendorServer(lambda call: said[call.number]) as server, models(server, **more) as opened:
        model = opened.open(name)
        answer = model.ask(request(ASKED))
        assert model.ask(after(answer)).text == "Both shipped."
        second = server.calls[1]
    first, *_ = answer.calls
    expected = {"anthropic.messages": anthropic_turns, "openai.responses": items, "openai.chat": chat}
    assert expected[second.endpoint](second) == EXPECTED[second.endpoint](answer)
    assert first.id in json.dumps(second.body)


def anthropic_turns(call: Call) -> Any:
    return (call.body["system"], call.body["tools"], call.body["messages"])


def items(call: Call) -> Any:
    return (call.body["instructions"], call.body["tools"], call.body["include"], call.body["input"])


def chat(call: Call) -> Any:
    return (call.body["tools"], call.body["messages"])


def _anthropic_expected(answer: Answer) -> Any:
    one, two = answer.calls
    return (
        "You help.",
        [{"name": "get_order", "description": "Look up one order.", "input_schema": ORDER.parameters}],
        [
            {"role": "user", "content": [{"type": "text", "text": ASKED.text}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Two orders.", "signature": "c2lnbmVk"},
                    {"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": one.id, "name": "get_order", "input": {"order_id": "W1"}},
                    {"type": "tool_use", "id": two.id, "name": "get_order", "input": {"order_id": "W2"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": one.id, "content": "0 shipped"},
                    {"type": "tool_result", "tool_use_id": two.id, "content": "1 shipped", "is_error": True},
                ],
            },
        ],
    )


def _responses_expected(answer: Answer) -> Any:
    function = {"name": "get_order", "description": "Look up one order.", "parameters": ORDER.parameters}
    reasoning, message, *calls = answer.raw["content"]
    assert (reasoning["type"], reasoning["encrypted_content"], message["type"]) == (
        "reasoning",
        "c2VhbGVk",
        "message",
    )
    assert [call["type"] for call in calls] == ["function_call", "function_call"]
    return (
        "You help.",
        [{"type": "function", **function, "strict": False}],
        ["reasoning.encrypted_content"],
        [
            {"role": "user", "content": [{"type": "input_text", "text": ASKED.text}]},
            reasoning,
            message,
            *calls,
            *(
                {"type": "function_call_output", "call_id": call.id, "output": f"{place} shipped"}
                for place, call in enumerate(answer.calls)
            ),
        ],
    )


def _chat_expected(answer: Answer) -> Any:
    function = {"name": "get_order", "description": "Look up one order.", "parameters": ORDER.parameters}
    return (
        [{"type": "function", "function": function}],
        [
            {"role": "system", "content": "You help."},
            {"role": "user", "content": ASKED.text},
            {
                "role": "assistant",
                "content": "Let me see.",
                "tool_calls": [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments},
                        "extra_content": {"google": {"thought_signature": "c2lnbmVk"}},
                    }
                    for call in answer.calls
                ],
            },
            *(
                {"role": "tool", "tool_call_id": call.id, "content": f"{place} shipped"}
                for place, call in enumerate(answer.calls)
            ),
        ],
    )


EXPECTED = {
    "anthropic.messages": _anthropic_expected,
    "openai.responses": _responses_expected,
    "openai.chat": _chat_expected,
}


@pytest.mark.parametrize(("name", "more"), APIS, ids=NAMES)
def test_what_another_api_said_goes_as_text_and_calls(name: str, more: dict[str, Any]) -> None:
    """Content is given back unchanged to the API it is from, and to no other."""
    raw = {"api": "somebody.else", "content": [{"type": "secret"}]}
    call = ToolCall("call_1", "get_order", '{"order_id": "W1"}')
    said = Turn("assistant", "Let me see.", calls=(call,), raw=raw)
    answer, seen = ask(
        name, request(ASKED, said, Turn("tools", results=(ToolResult("call_1", "ok"),))), "Done.", **more
    )
    assert answer.text == "Done."
    assert "secret" not in json.dumps(seen.body)
    assert "call_1" in json.dumps(seen.body)


@pytest.mark.parametrize(("name", "more"), APIS, ids=NAMES)
def test_a_conversation_alone_has_its_turns_and_nothing_in_front(name: str, more: dict[str, Any]) -> None:
    """Without shared blocks there is no first message; an empty turn is left out, as the APIs refuse it."""
    turns = (Turn("user", "Hello."), Turn("assistant", "Yes?"), Turn("assistant", " "), Turn("user", "Bye."))
    answer, call = ask(name, Request(system="Be brief.", turns=turns), "Bye.", **more)
    said = [text for text in call.prompt if text != "Be brief."]
    assert (answer.text, answer.raw, answer.calls) == ("Bye.", None, ())
    assert said == ["Hello.", "Yes?", "Bye."]
    assert "tools" not in call.body
    assert "include" not in call.body


@pytest.mark.parametrize(("name", "more"), APIS, ids=NAMES)
def test_a_schema_and_tools_go_together(name: str, more: dict[str, Any]) -> None:
    """A sub-agent may call tools and is held to its result."""
    _, call = ask(
        name, request(ASKED, schema={"type": "object", "properties": {"a": {"type": "string"}}}), "{}", **more
    )
    assert call.schema is not None
    assert call.tools == ["get_order"]


@pytest.mark.parametrize(("name", "more"), [APIS[1], APIS[2]], ids=NAMES[1:])
def test_arguments_are_not_trusted(name: str, more: dict[str, Any]) -> None:
    """What is no JSON comes as it was written: whoever runs the tool reads it."""
    answer, _ = ask(name, request(ASKED), Reply("", calls=(("get_order", '{"order_id": '),)), **more)
    assert answer.calls[0].arguments == '{"order_id": '


def test_arguments_cut_by_the_limit_go_back_as_an_object() -> None:
    """Anthropic wants an object where the model was cut in the middle of one; the model is told what was wrong."""
    said = [Reply("", calls=(("get_order", '{"order_id": '),), stop_reason="length"), Reply("Sorry.")]
    with VendorServer(lambda call: said[call.number]) as server, models(server) as opened:
        answer = opened.open("opus").ask(request(ASKED))
        assert (answer.stop_reason, answer.calls[0].arguments) == ("length", '{"order_id": ')
        assert opened.open("opus").ask(after(answer)).text == "Sorry."
    assert server.calls[1].body["messages"][1]["content"][0]["input"] == {}


@pytest.mark.parametrize(("name", "more"), APIS, ids=NAMES)
def test_calls_that_nobody_asked_for_are_no_answer(name: str, more: dict[str, Any]) -> None:
    """Without tools in the request there is nothing to call, and nothing was said."""
    with no_sleep(attempts=1), pytest.raises(CallFailed):
        ask(name, Request(own="Hello."), Reply("", calls=CALLS), **more)


def test_a_long_conversation_is_marked_at_its_end() -> None:
    """The next turn begins with this one: its end is where the cache is written."""
    long = Turn("user", "What was said. " * 400)
    mark = {"type": "ephemeral"}
    _, call = ask("opus", request(long), "Yes.")
    assert call.body["messages"][0]["content"][0]["cache_control"] == mark
    _, short = ask("opus", request(ASKED), "Yes.")
    assert "cache_control" not in json.dumps(short.body)
    _, other = ask("gpt", request(long, cache_key="s-1"), "Yes.")
    assert other.body["prompt_cache_key"] == "s-1"
    assert "prompt_cache_options" not in other.body


@pytest.mark.parametrize(("name", "more"), APIS, ids=NAMES)
def test_an_agent_works_on_every_api(name: str, more: dict[str, Any]) -> None:
    """The shop's agent looks two orders up at once, cancels one, and answers; the server refuses what is wrong."""
    orders = tuple(("get_order", json.dumps({"order_id": each})) for each in ("W1001", "W1002"))
    said = [
        Reply("", thinking="Both.", calls=orders),
        Reply("One can go.", calls=(("cancel_order", '{"order_id": "W1001", "reason": "changed my mind"}'),)),
        Reply("W1001 is cancelled; W1002 is on its way."),
        Reply("You are welcome."),
    ]
    with VendorServer(lambda call: said[call.number]) as server, models(server, **more) as opened:
        agent = open_agent(str(SHOP), models=opened, model=name, session=f"api-{name}")
        talk = [Turn("user", "Cancel W1001 and W1002.")]
        first = agent.answer(talk)
        second = agent.answer([*talk, Turn("assistant", first.text), Turn("user", "Thanks.")])
    assert (first.text, second.text) == (said[2].text, said[3].text)
    assert [(record.name, record.ok) for record in first.tools] == [
        ("get_order", True),
        ("get_order", True),
        ("cancel_order", True),
    ]
    assert first.usage.input > 0
    assert len(server.calls) == 4
