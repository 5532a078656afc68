"""Sub-agents: what the parent's model is told of them, what they owe, and how often they may be asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_files import Desk, call

from debateroom.agents.contract import RESULT_SCHEMA, read_result
from debateroom.agents.subagents import compose_mission, tool_name
from debateroom.language import LANGUAGES
from debateroom.models.registry import Models

FILE = """
    start: desk
    agents:
      - name: desk
        instructions: You are the desk and answer the customer.
        sub_agents: [order books]
      - name: order books
        public_description: Knows every order.
        instructions: SECRET-OF-THE-BOOKS. You look orders up.
        tools: ["python:books_world:find", "python:books_world:count"]
"""
WORLD = '''
    """Orders."""
    def find(order_id: str) -> str:
        """Find one order.

        With everything on it.
        """
        return f"{order_id}: shipped"
    def count() -> int:
        """Count the orders."""
        return 3
'''
MISSION = {"query": "Where is W1?", "context": "", "goal": "the status"}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with Models() as models:
        yield Desk(tmp_path, models, monkeypatch)


@pytest.fixture
def file(desk: Desk) -> Path:
    desk.write(WORLD, "books_world.py")
    return desk.write(FILE)


def result(**more: Any) -> dict[str, Any]:
    return {
        "status": "ok",
        "items": ['{"status": "shipped"}'],
        "meta": {"resolved": ["W1"], "notFound": [], "knowledge_found": "yes"},
        "control": {"can_retry": False},
        **more,
    }


ASKS = {"agent": "desk", "calls": [call("subAgentOrderBooks", **MISSION)]}
ENDS = {"agent": "desk", "response": "It was shipped."}


def books(response: Any, **more: Any) -> dict[str, Any]:
    return {"agent": "order books", "response": response, **more}


def test_every_call_to_a_model_has_the_time_that_one_may_take(desk: Desk, file: Path) -> None:
    """`--call-timeout` reaches the agent's own model and those of its sub-agents."""
    desk.say(desk.open(file, ASKS, books(result()), ENDS, call_timeout=7.5))
    assert [request.timeout for request in desk.asked] == [7.5, 7.5, 7.5]


def test_the_parent_is_told_what_its_sub_agent_can_do_and_nothing_else(desk: Desk, file: Path) -> None:
    """The public description and the first line of each tool; never the instructions."""
    desk.say(desk.open(file, ENDS))
    (spec,) = desk.asked[0].tools
    assert spec.name == "subAgentOrderBooks"
    assert spec.description == "Knows every order.\nIt can:\n- Find one order.\n- Count the orders."
    assert spec.parameters["required"] == ["query", "context", "goal"]
    assert {name: part["type"] for name, part in spec.parameters["properties"].items()} == dict.fromkeys(
        MISSION, "string"
    )
    assert spec.parameters["additionalProperties"] is False


def test_a_mission_goes_down_and_a_result_comes_back(desk: Desk, file: Path) -> None:
    """The parent reads the result with content and name; both tools were executed, the inner one first."""
    inner = {"agent": "order books", "calls": [call("find", order_id="W1")], "usage": {"input": 5}}
    answered = desk.say(desk.open(file, ASKS, inner, books(result(), usage={"output": 3}), ENDS))
    assert (answered.text, [record.name for record in answered.tools]) == (
        "It was shipped.",
        ["find", "subAgentOrderBooks"],
    )
    assert (answered.usage.input, answered.usage.output) == (5, 3)
    ((is_error, text),) = desk.told("desk")
    assert (is_error, json.loads(text)) == (
        False,
        {**result(), "content": '{"status": "shipped"}', "name": "subAgentOrderBooks"},
    )
    asked = desk.asked[1]
    assert asked.turns[0].text == "Request:\nWhere is W1?\n\nAlready known:\nnothing yet\n\nTo deliver:\nthe status"
    assert asked.system.startswith("SECRET-OF-THE-BOOKS.")
    assert '"knowledge_found"' in asked.system
    assert asked.schema == RESULT_SCHEMA
    above = [request for request in desk.asked if request.purpose and request.purpose.agent == "desk"]
    assert "SECRET-OF-THE-BOOKS" not in repr(above)
    assert [(event["agent"], event["event"], event["name"]) for event in desk.events] == [
        ("desk", "tool_called", "subAgentOrderBooks"),
        ("order books", "tool_called", "find"),
        ("order books", "tool_answered", "find"),
        ("desk", "tool_answered", "subAgentOrderBooks"),
    ]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("It was shipped.", "it is not one JSON object"),
        ("Here: " + json.dumps(result()), "it is not one JSON object"),
        ([result()], "$: type object"),
        ({key: value for key, value in result().items() if key != "control"}, "$: required"),
        (result(status="fine"), "$.status: enum ['ok', 'empty', 'error']"),
        (result(more=1), "$: additionalProperties False"),
        (result(items=[{"status": "shipped"}]), "$.items[0]"),
        (result(items=["shipped"]), "item 1 is not JSON text"),
        (json.dumps(result())[:-1] + ', "status": "empty"}', "the key status stands there twice"),
        (
            json.dumps(result()).replace('"knowledge', '"resolved": [], "knowledge'),
            "the key resolved stands there twice",
        ),
        (result(items=["1", '{"id": "W1", "id": "W2"}']), "item 2 gives the key id twice"),
        (result(items=["NaN"]), "item 1 is not JSON text"),
        (result(control={"can_retry": "yes"}), "$.control.can_retry: type boolean"),
        (result(meta={"resolved": [], "notFound": []}), "$.meta: required"),
    ],
)
def test_content_that_does_not_fit_is_an_error_with_the_reason(
    desk: Desk, file: Path, written: Any, reason: str
) -> None:
    """Nothing of it is passed on, and the parent may ask again."""
    desk.say(desk.open(file, ASKS, books(written), ENDS))
    ((is_error, text),) = desk.told("desk")
    told = json.loads(text)
    assert is_error
    assert (told["status"], told["items"], told["control"]) == ("error", [], {"can_retry": True})
    assert told["feedback"] == told["content"]
    assert told["feedback"].startswith("Its reply is not in the agreed form: ")
    assert reason in told["feedback"]


def test_a_result_in_a_fence_fits() -> None:
    """A fence around the object is no content."""
    assert read_result(f"```json\n{json.dumps(result())}\n```", "en").value == result()


def test_it_may_be_asked_again_only_when_it_says_so(desk: Desk, file: Path) -> None:
    """After `can_retry` false the second call is not made, and the model reads why."""
    agent = desk.open(file, ASKS, ASKS, ENDS, books(result()))
    assert desk.say(agent).text == "It was shipped."
    first, second = desk.told("desk")
    assert (first[0], second[0]) == (False, True)
    assert second[1].startswith("subAgentOrderBooks was not called: it has said that asking it again")
    assert sum(request.purpose.agent == "order books" for request in desk.asked if request.purpose) == 1


def test_of_two_calls_at_once_the_second_waits_and_is_not_made_when_the_first_forbids_it(
    desk: Desk, file: Path
) -> None:
    """In one step too: the sub-agent is asked once, and only what ran counts as executed."""
    both = {"agent": "desk", "calls": [*ASKS["calls"], call("subAgentOrderBooks", **MISSION | {"query": "And W2?"})]}
    answered = desk.say(desk.open(file, both, ENDS, books(result())))
    first, second = desk.told("desk")
    assert (first[0], second[0]) == (False, True)
    assert second[1].startswith("subAgentOrderBooks was not called: it has said that asking it again")
    assert [request.turns[0].text for request in desk.asked if request.purpose.agent == "order books"] == [
        compose_mission(MISSION, {}, "en")
    ]
    assert [record.name for record in answered.tools] == ["subAgentOrderBooks"]
    assert [event["event"] for event in desk.events] == ["tool_called", "tool_answered", "tool_answered"]
    assert [event.get("refused", False) for event in desk.events] == [False, False, True]


def test_of_two_calls_at_once_both_are_made_one_after_the_other_when_that_can_help(desk: Desk, file: Path) -> None:
    """The second begins when the first has ended."""
    again = result(control={"can_retry": True})
    both = {"agent": "desk", "calls": [call("subAgentOrderBooks", **MISSION | {"query": each}) for each in "ab"]}
    answered = desk.say(desk.open(file, both, ENDS, books(again), books(again)))
    assert [record.arguments["query"] for record in answered.tools] == ["a", "b"]
    assert [event["event"] for event in desk.events] == ["tool_called", "tool_answered"] * 2


def test_it_is_asked_again_when_it_says_so(desk: Desk, file: Path) -> None:
    """Nothing was found, more information could help, and then does."""
    empty = result(status="empty", items=[], control={"can_retry": True})
    desk.say(desk.open(file, ASKS, ASKS, ENDS, books(empty), books(result())))
    first, second = (json.loads(text) for _, text in desk.told("desk"))
    assert (first["status"], first["content"]) == ("empty", "It searched and found nothing.")
    assert second["status"] == "ok"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([{"agent": "order books", "error": "the server is down"}], "It could not answer: the server is down"),
        (
            [{"agent": "order books", "calls": [call("count")]}],
            "It could not answer: it asked for tools until its last step and gave no reply",
        ),
    ],
)
def test_a_sub_agent_that_fails_is_an_error_and_not_asked_again(
    desk: Desk, file: Path, lines: list[dict[str, Any]], reason: str
) -> None:
    """The parent goes on and answers."""
    assert desk.say(desk.open(file, ASKS, ENDS, *lines)).text == "It was shipped."
    told = json.loads(desk.told("desk")[0][1])
    assert (told["status"], told["feedback"], told["control"]) == ("error", reason, {"can_retry": False})


CHAIN = """
    start: a
    limits: {depth: 2, calls: 10}
    agents:
      - {name: a, instructions: x, sub_agents: [b]}
      - {name: b, instructions: x, sub_agents: [c]}
      - {name: c, instructions: x, sub_agents: [d]}
      - {name: d, instructions: x}
"""


def test_the_depth_is_capped(desk: Desk) -> None:
    """Two levels below the agent, and no third."""
    down = [{"agent": name, "calls": [call(f"subAgent{below}", **MISSION)]} for name, below in ("aB", "bC", "cD")]
    ends = [{"agent": name, "response": result()} for name in "abc"]
    answered = desk.say(desk.open(desk.write(CHAIN), *down, *ends))
    assert [record.name for record in answered.tools] == ["subAgentC", "subAgentB"]  # what was refused did not run
    told = json.loads(desk.told("c")[0][1])
    assert (told["status"], told["feedback"]) == (
        "error",
        "It was not called: sub-agents may go no deeper than 2 levels.",
    )
    assert "d" not in {request.purpose.agent for request in desk.asked if request.purpose}


def test_the_calls_are_capped_for_all_agents_together(desk: Desk) -> None:
    """What a sub-agent calls counts for its parent's answer."""
    desk.write(WORLD, "books_world.py")
    file = desk.write(FILE + "    limits: {calls: 3}\n")
    inner = {"agent": "order books", "calls": [call("count") for _ in range(5)]}
    answered = desk.say(desk.open(file, ASKS, inner, books(result()), ENDS))
    assert [record.name for record in answered.tools] == ["count", "count", "subAgentOrderBooks"]
    assert [is_error for is_error, _ in desk.told("order books")] == [False, False, True, True, True]


OVERRIDE = """
    start: desk
    agents:
      - {name: desk, instructions: x, sub_agents: [books]}
      - name: books
        instructions: x
        sub_agent_params:
          customer: Who asks.
          goal: {type: string, enum: [status, amount]}
"""


def test_parameters_can_be_overridden(desk: Desk) -> None:
    """The file's own parameters take the place of the three, all required, and make the mission."""
    good = {"agent": "desk", "calls": [call("subAgentBooks", customer="Ada", goal="status")]}
    bad = {"agent": "desk", "calls": [call("subAgentBooks", **MISSION)]}
    file = desk.write(OVERRIDE)
    desk.say(desk.open(file, bad, good, ENDS, {"agent": "books", "response": result()}))
    assert desk.asked[0].tools[0].parameters == {
        "type": "object",
        "properties": {
            "customer": {"type": "string", "description": "Who asks."},
            "goal": {"type": "string", "enum": ["status", "amount"]},
        },
        "required": ["customer", "goal"],
        "additionalProperties": False,
    }
    assert "do not fit its schema" in desk.told("desk")[0][1]
    (mission,) = [
        request.turns[0].text for request in desk.asked if request.purpose and request.purpose.agent == "books"
    ]
    assert mission == "To deliver:\nstatus\n\ncustomer:\nAda"


LEGACY = """
    start: desk
    agents:
      - {name: desk, instructions: x, sub_agents: [books]}
      - {name: books, instructions: x, legacy_params: {task: query, known: context, expected: goal}}
"""


@pytest.mark.parametrize(
    "names", [("task", "known", "expected"), ("query", "context", "goal"), ("query", "known", "goal")]
)
def test_a_mission_is_composed_from_the_old_triplet_or_the_new_one(desk: Desk, names: tuple[str, str, str]) -> None:
    """Either way the sub-agent reads the same words; the model is told of the new names alone."""
    asks = {"agent": "desk", "calls": [call("subAgentBooks", **dict(zip(names, ("q", "c", "g"), strict=True)))]}
    desk.say(desk.open(desk.write(LEGACY), asks, ENDS, {"agent": "books", "response": result()}))
    assert list(desk.asked[0].tools[0].parameters["properties"]) == ["query", "context", "goal"]
    assert desk.asked[1].turns[0].text == "Request:\nq\n\nAlready known:\nc\n\nTo deliver:\ng"
    assert desk.told("desk")[0][0] is False


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mission_is_written_in_the_language_of_the_sub_agent(language: str) -> None:
    """Every language has its own words for the three."""
    words = {"en": "Request", "fr": "Demande", "zh": "请求"}
    assert compose_mission({"query": "W1"}, {}, language) == f"{words[language]}:\nW1"


@pytest.mark.parametrize(
    ("name", "tool"), [("books", "subAgentBooks"), ("order-desk 2", "subAgentOrderDesk2"), ("hrBot", "subAgentHrBot")]
)
def test_the_tool_is_called_after_the_agent(name: str, tool: str) -> None:
    """In one word, as tools are named."""
    assert tool_name(name) == tool
