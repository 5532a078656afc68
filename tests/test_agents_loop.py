"""The loop of an agent on the scripted model: tools are really called, what goes wrong is told, it ends."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_files import SHOP, Desk, call

from debateroom import clock
from debateroom.agents.agent import open_agent
from debateroom.errors import AgentFailed, NoModel, UsageError
from debateroom.messages import Paid, Turn, Usage
from debateroom.models.registry import Models


@pytest.fixture
def models() -> Iterator[Models]:
    with Models() as opened:
        yield opened


@pytest.fixture
def desk(tmp_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, models, monkeypatch)


def test_a_tool_is_executed_and_the_model_reads_its_result(desk: Desk) -> None:
    """Instructions above, the result below the call, and a record of what was really done."""
    agent = desk.open(
        SHOP,
        {"agent": "shop", "calls": [call("refund", order_id="W1001", amount=15)], "usage": {"input": 9, "output": 2}},
        {"agent": "shop", "response": "15 euros are on their way.", "usage": {"input": 20, "output": 5}},
        session="loop-1",
    )
    answered = desk.say(agent, "Please refund 15 euros of W1001.")
    (record,) = answered.tools
    assert (answered.text, answered.stop_reason) == ("15 euros are on their way.", "stop")
    assert (record.name, record.arguments, record.ok) == ("refund", {"order_id": "W1001", "amount": 15}, True)
    assert record.result == "15.00 euros of order W1001 are paid back."
    assert answered.usage == Usage(input=29, output=7)
    assert answered.paid == {agent.model: (Paid(Usage(input=9, output=2)), Paid(Usage(input=20, output=5)))}
    first, second = desk.asked
    assert first.system.startswith("You are the agent of a small shop")
    assert [spec.name for spec in first.tools] == [
        "get_order", "list_orders", "cancel_order", "refund", "add_note", "change_item",
    ]  # fmt: skip
    assert [turn.role for turn in second.turns] == ["user", "assistant", "tools"]
    assert second.turns[2].results[0].call_id == second.turns[1].calls[0].id
    assert [(event["event"], event["name"]) for event in desk.events] == [
        ("tool_called", "refund"),
        ("tool_answered", "refund"),
    ]
    assert desk.events[1]["result"] == record.result


def test_the_capabilities_are_the_first_lines_of_the_tools(desk: Desk) -> None:
    """What a worker may know of an agent."""
    agent = desk.open(SHOP, {"default": True, "response": "x"})
    assert agent.capabilities[:2] == (
        "Look up one order: customer, status, items, amount, refunds and notes.",
        "List the orders of a customer with their numbers and status.",
    )


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (call("fly"), "There is no tool fly. There are: get_order, list_orders"),
        (call("get_order"), "do not fit its schema: $: 'order_id' is a required property"),
        (call("refund", order_id="W1001", amount="much"), "$.amount: 'much' is not of type 'number'"),
        (call("get_order", order_id="W1001", quickly=True), "Additional properties are not allowed ('quickly'"),
        ({"name": "get_order", "arguments": '{"order_id": '}, "its arguments are not JSON (Expecting value"),
        (
            {"name": "get_order", "arguments": '{"order_id": "W1", "order_id": "W2"}'},
            "its arguments give the key order_id twice",
        ),
        ({"name": "get_order", "arguments": "[1]"}, "its arguments must be one JSON object"),
    ],
)
def test_a_call_that_cannot_be_made_is_told_and_is_no_record(desk: Desk, asked: dict[str, object], told: str) -> None:
    """The model reads what was wrong and goes on; nothing was executed."""
    agent = desk.open(SHOP, {"agent": "shop", "calls": [asked]}, {"agent": "shop", "response": "Sorry."})
    answered = desk.say(agent)
    ((is_error, text),) = desk.told("shop")
    assert is_error
    assert told in text
    assert (answered.tools, answered.text) == ((), "Sorry.")
    ((name, said),) = [(event["event"], event) for event in desk.events]
    assert (name, said["result"], said["ok"]) == ("tool_answered", text, False)
    assert (said["executed"], said["refused"]) == (False, True)


def test_what_a_tool_raises_is_a_result_that_the_model_reads(desk: Desk) -> None:
    """The shop's own refusal reaches the model; it was executed and did not succeed."""
    agent = desk.open(
        SHOP,
        {"agent": "shop", "calls": [call("cancel_order", order_id="W1002", reason="too late")]},
        {"agent": "shop", "response": "It was shipped already."},
    )
    answered = desk.say(agent)
    reason = "cancel_order failed: Refused: order W1002 is shipped and can no longer be cancelled"
    assert desk.told("shop") == [(True, reason)]
    assert [(record.name, record.ok) for record in answered.tools] == [("cancel_order", False)]


TOOLS = """
    import threading, time
    together = threading.Barrier(3)
    def meet(number: int) -> int:
        '''Wait for two others.'''
        together.wait(20)
        return number
    def long() -> str:
        return "x" * 30_000
    def leave() -> None:
        raise SystemExit(3)
    release = threading.Event()
    def hang() -> str:
        release.wait(60)
        return "late"
"""

FILE = """
    name: desk
    instructions: You help.
    tools:
      - python:{module}:meet
      - python:{module}:long
      - python:{module}:leave
      - {{python: "{module}:hang", timeout: 0.2}}
    limits: {{steps: 3, calls: 4}}
"""


def desk_file(desk: Desk, module: str) -> Path:
    desk.write(TOOLS, f"{module}.py")
    return desk.write(FILE.format(module=module))


def test_calls_of_one_step_run_at_the_same_time_and_are_answered_in_order(desk: Desk) -> None:
    """Three tools that wait for one another all come back."""
    agent = desk.open(
        desk_file(desk, "tools_together"),
        {"agent": "desk", "calls": [call("meet", number=n) for n in (1, 2, 3)]},
        {"agent": "desk", "response": "All here."},
    )
    assert desk.say(agent).text == "All here."
    assert desk.told("desk") == [(False, "1"), (False, "2"), (False, "3")]


def test_a_long_result_is_cut_and_a_tool_that_exits_ends_nothing(desk: Desk) -> None:
    """Both are told to the model."""
    agent = desk.open(
        desk_file(desk, "tools_long"),
        {"agent": "desk", "calls": [call("long"), call("leave")]},
        {"agent": "desk", "response": "Done."},
    )
    assert desk.say(agent).text == "Done."
    assert desk.told("desk") == [
        (False, "x" * 20_000 + "\n[cut: 20000 of 30000 characters]"),
        (True, "leave failed: SystemExit: 3"),
    ]


def test_a_tool_whose_time_is_over_is_left_behind(desk: Desk) -> None:
    """The model is told so, and the answer does not wait for it."""
    agent = desk.open(
        desk_file(desk, "tools_slow"),
        {"agent": "desk", "calls": [call("hang")]},
        {"agent": "desk", "response": "It hangs."},
    )
    answered = desk.say(agent)
    assert desk.told("desk") == [(True, "hang did not finish within 0.2 seconds.")]
    assert [record.ok for record in answered.tools] == [False]


def test_the_steps_are_capped(desk: Desk) -> None:
    """After three steps with tools the model is told to answer; if it does not, the turn ends and says so."""
    always = {"agent": "desk", "calls": [call("nothing")], "response": "Let me see."}
    agent = desk.open(desk_file(desk, "tools_steps"), always)
    answered = desk.say(agent)
    assert (answered.stop_reason, answered.text, len(desk.asked)) == ("steps", "Let me see.", 5)
    assert desk.told("desk")[-1][1].startswith("The tool was not called: this was your last step with tools.")


def test_the_calls_of_one_answer_are_capped(desk: Desk) -> None:
    """Four may be made; the fifth is told that none is left."""
    agent = desk.open(
        desk_file(desk, "tools_calls"),
        {"agent": "desk", "calls": [call("long") for _ in range(5)]},
        {"agent": "desk", "response": "Enough."},
    )
    answered = desk.say(agent)
    assert len(answered.tools) == 4
    assert desk.told("desk")[-1] == (
        True,
        "The tool was not called: no more tool calls are left for this answer. Answer now with what you have.",
    )


def test_the_time_of_one_answer_is_capped(desk: Desk) -> None:
    """A model that never stops calling is stopped by the clock: the agent gave no answer."""
    agent = desk.open(
        desk_file(desk, "tools_clock"),
        {"agent": "desk", "calls": [call("hang")], "seconds": 0.2},
        {"agent": "desk", "response": "never"},
    )
    with pytest.raises(AgentFailed, match="The agent desk gave no answer: No answer within"):
        desk.say(agent, until=clock.monotonic() + 0.3)
    assert len(desk.asked) == 1


def test_a_model_that_fails_is_a_failed_agent(desk: Desk) -> None:
    """With the model's own reason."""
    agent = desk.open(SHOP, {"agent": "shop", "error": "the server is down"})
    with pytest.raises(AgentFailed, match="The agent shop gave no answer: the server is down"):
        desk.say(agent)


def test_an_agent_remembers_its_tools_over_turns(desk: Desk) -> None:
    """In its second turn the model still reads what the first one's tools told; a changed past is taken as told."""
    agent = desk.open(
        SHOP,
        {"agent": "shop", "round": 1, "calls": [call("get_order", order_id="W1003")]},
        {"agent": "shop", "round": 1, "response": "It was delivered."},
        {"agent": "shop", "round": 2, "response": "On Monday."},
    )
    first = desk.say(agent, "Where is W1003?")
    talk = [Turn("user", "Where is W1003?"), Turn("assistant", first.text), Turn("user", "When?")]
    assert agent.answer(talk).text == "On Monday."
    assert [turn.role for turn in desk.asked[-1].turns] == ["user", "assistant", "tools", "assistant", "user"]
    agent.answer([Turn("user", "Where is W1001?"), *talk[1:]])
    assert [turn.role for turn in desk.asked[-1].turns] == ["user", "assistant", "user"]


def test_sessions_do_not_share_the_world(desk: Desk) -> None:
    """A parameter `session` is filled by us; the model is not told of it."""
    lines = (
        {"agent": "shop", "calls": [call("cancel_order", order_id="W1001", reason="mind changed")]},
        {"agent": "shop", "response": "ok"},
    )
    for session in ("one", "two"):
        answered = desk.say(desk.open(SHOP, *lines, session=session))
        assert answered.tools[0].ok
    assert all("session" not in json.dumps(spec.parameters) for spec in desk.asked[0].tools)


def test_a_model_name_is_an_agent_without_tools(desk: Desk, tmp_path: Path) -> None:
    """Nothing above the conversation, nothing to call."""
    path = tmp_path / "plain.jsonl"
    path.write_text('{"agent": "agent", "response": "Hello."}')
    with Models() as models:
        agent = open_agent("embedded", models=models, model=f"scripted:{path}")
        assert desk.say(agent).text == "Hello."
        assert (agent.name, agent.model, agent.capabilities) == ("agent", f"scripted:{path}", ())
        assert (desk.asked[0].system, desk.asked[0].tools) == ("", ())
        with pytest.raises(NoModel):
            open_agent("no-such-model", models=models)


def test_an_agent_with_tools_needs_a_model_that_takes_them(desk: Desk, models: Models) -> None:
    """A program behind `command:` is told of no tools: said before anything is asked."""
    with pytest.raises(UsageError, match="the agent shop has tools, and command:cat takes none"):
        open_agent(str(SHOP), models=models, model="command:cat")


def test_tools_do_not_hold_up_the_end_of_the_process() -> None:
    """A tool that was left behind runs in a daemon thread."""
    assert all(thread.daemon for thread in threading.enumerate() if thread.name.startswith("tool-"))
