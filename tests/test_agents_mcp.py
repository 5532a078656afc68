"""Tools of MCP servers: a real server of the official SDK over stdio, and ones that lie, hang, crash or babble."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_files import Desk, call
from commands import PROGRAMS, alive, until
from coordinators import coordinator, events, record
from debates import APART, QUESTION, SYNTHESIS, Serve, run, seat_calls
from vendor import Reply, debate_script

from debateroom import activities
from debateroom.agents import toolbox
from debateroom.agents.fields import parse_fields
from debateroom.agents.run import Limits, start
from debateroom.agents.tools import Tool
from debateroom.errors import UsageError
from debateroom.models.registry import Models

RUN = start(Limits(), until=None, session="s-1", language="en", turn=1)
DESK = json.dumps([sys.executable, str(PROGRAMS / "desk.py")])


def tools(models: Models, folder: Path, entry: str, known: tuple[str, ...] = ()) -> dict[str, Tool]:
    """The tools of one entry of an agent file, by name."""
    field = parse_fields(f"tools:\n  - {entry}\n", folder / "agents.yaml").mapping()["tools"].items()[0]
    return {tool.spec.name: tool for tool in toolbox.read_tools(field, models, "en", known=known)}


def listing(*listed: Any) -> str:
    """The argument list of a server that lists these tools, whatever they are."""
    return json.dumps([sys.executable, str(PROGRAMS / "listing.py"), json.dumps(listed)])


TOOL = {"name": "a", "inputSchema": {"type": "object"}}
NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}}
ORDERS = listing(*({"name": name, "inputSchema": NUMBER} for name in ("get_order", "orders/cancel")))


def gave(tool: Tool, **arguments: Any) -> tuple[bool, str]:
    """Whether a call went well, and what the model is told."""
    outcome = tool.run(arguments, RUN)
    return outcome.ok, outcome.text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("desk")


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with pytest.MonkeyPatch.context() as patch, Models() as opened:
        patch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-nobody")
        patch.setenv("CLAUDECODE", "1")
        yield opened


@pytest.fixture
def desk(models: Models, folder: Path) -> dict[str, Tool]:
    """The tools of the shop's desk: one server for all tests."""
    return tools(models, folder, f"{{mcp: {DESK}, output: 1000}}")


def test_a_server_s_tools_are_as_it_lists_them(desk: dict[str, Tool]) -> None:
    """Name, description and schema; a name that no model could be told is cleaned."""
    assert list(desk) == ["get_order", "orders_cancel", "show", "about", "talk", "hang", "crash"]
    spec = desk["get_order"].spec
    assert spec.description == "How an order stands.\n\nBy its number."
    assert spec.parameters["properties"]["number"]["type"] == "integer"
    assert spec.parameters["required"] == ["number"]


def test_what_a_server_gives_is_text(desk: dict[str, Tool]) -> None:
    """Results, errors and cut ones; of a picture only what it is."""
    assert gave(desk["get_order"], number=7) == (True, "Order 7 is on its way.")
    assert gave(desk["get_order"], number=9) == (False, "Error executing tool get_order: there is no order 9")
    assert gave(desk["orders_cancel"], number=8) == (True, '{\n  "8": "cancelled"\n}')
    assert gave(desk["show"], number=7) == (True, "Order 7:\n[image/png: not text, left out]")
    assert gave(desk["talk"], length=2_000) == (True, "x" * 1_000 + "\n[cut: 1000 of 2000 characters]")


def test_only_some_with_a_prefix_from_the_same_process(models: Models, folder: Path, desk: dict[str, Tool]) -> None:
    """A second entry for the same server starts none."""
    some = tools(models, folder, f"{{mcp: {DESK}, name: shop, only: [about, orders/cancel]}}")
    assert list(some) == ["shop_about", "shop_orders_cancel"]
    first, again = (json.loads(gave(each)[1]) for each in (desk["about"], some["shop_about"]))
    assert first["pids"][0] == again["pids"][0]
    assert first["folder"] == str(folder)
    assert {"ANTHROPIC_API_KEY", "CLAUDECODE"} & set(first["names"]) == set()
    assert "PATH" in first["names"]


def test_a_call_that_hangs_is_given_up_and_others_go_on(models: Models, folder: Path, desk: dict[str, Tool]) -> None:
    """After the entry's time."""
    slow = tools(models, folder, f"{{mcp: {DESK}, timeout: 0.1}}")
    assert gave(slow["hang"]) == (False, "hang did not finish within 0.1 seconds.")
    assert gave(desk["get_order"], number=7)[0]


def test_a_server_that_crashes_fails_its_calls(tmp_path: Path) -> None:
    """With its exit code and last words, which steer no terminal; every further call says the same."""
    with Models() as models:
        desk = tools(models, tmp_path, f"{{mcp: {DESK}}}")
        for name in ("crash", "about"):
            ok, text = gave(desk[name])
            assert (ok, "\x1b" in text) == (False, False)
            assert text.startswith(f"{name} failed: ended with exit code 3; it said: the")


def test_the_end_of_a_run_ends_server_and_children(tmp_path: Path) -> None:
    """Those it has started too."""
    with Models() as models:
        desk = tools(models, tmp_path, f"{{mcp: {DESK}}}")
        pids = json.loads(gave(desk["about"])[1])["pids"]
        assert all(map(alive, pids))
    until(lambda: not any(map(alive, pids)))


def test_nothing_is_left_after_a_kill(tmp_path: Path) -> None:
    """The input of servers and of agents that are programs ends with this process, however it ends."""
    agent = "import os, sys, json\nfor line in sys.stdin: print(json.dumps({'text': str(os.getpid())}), flush=True)"
    (tmp_path / "agent.py").write_text(agent)
    main = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from test_agents_mcp import *
from debateroom.agents.agent import open_agent
from debateroom.messages import Turn
with Models() as models:
    agent = open_agent("command:{sys.executable} agent.py", models=models)
    desk = tools(models, Path.cwd(), {f"{{mcp: {listing(TOOL)}}}"!r})
    print(agent.answer([Turn("user", "?")]).text, flush=True)
    time.sleep(600)
"""
    environment = {**os.environ, "STARTS": str(tmp_path / "starts")}
    line = [sys.executable, "-c", main]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        pids = [int(process.stdout.readline()), *map(int, (tmp_path / "starts").read_text().split())]
        assert len([pid for pid in pids if alive(pid)]) == 2
        process.send_signal(signal.SIGKILL)
    until(lambda: not any(map(alive, pids)))


def python(text: str) -> str:
    return json.dumps([sys.executable, "-c", text])


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("{mcp: [no-such-program-here]}", "tools[0].mcp: there is no program no-such-program-here here"),
        ("{mcp: [true], command: [x]}", "tools[0].command: there is no such key here; there are mcp, name, only"),
        ("{mcp: [cat], name: é}", "tools[0].name: a tool's name is letters a to z"),
        ("{mcp: [cat], timeout: 0}", "tools[0].timeout: this is not a number from 0.1 to 3600"),
        (
            f"{{mcp: {python('import sys; sys.exit(chr(27) + chr(110))')}}}",
            "ended with exit code 1; it said: n",
        ),
        (f"{{mcp: {python('print(chr(27) + chr(104))')}}}", "wrote what is no message of the protocol: 'h'"),
        (f"{{mcp: {python('print(str({}))')}}}", "wrote what is no message of the protocol: '{}'"),
        ("{mcp: [sleep, '60'], timeout: 0.1}", "the server sleep did not say what it can do within 0.1 s"),
        (f"{{mcp: {listing()}}}", "tools[0]: the server has no tools"),
        (f"{{mcp: {listing(7)}}}", "does not speak the protocol: ValidationError"),
        (f"{{mcp: {listing(TOOL)}, only: [b]}}", "tools[0].only: the server has no tool b; it has a"),
        (f"{{mcp: {listing(*({**TOOL, 'name': f'a{n}'} for n in range(129)))}}}", "129 tools, and a model takes 128"),
        (f"{{mcp: {listing({**TOOL, 'name': '../é'})}}}", "'../é' is no name for a tool of a model's"),
        (f"{{mcp: {listing({**TOOL, 'name': chr(27) + '[2J'})}}}", "'[2J' is no name for a tool of a model's"),
        (f"{{mcp: {listing(TOOL, {**TOOL, 'name': 'a.b'}, {**TOOL, 'name': 'a/b'})}}}", "two tools called a_b"),
        (f"{{mcp: {listing(TOOL, {**TOOL, 'description': 'another'})}}}", "the server lists 'a' twice"),
        (f"{{mcp: {listing({**TOOL, 'name': 'known'})}}}", "there are two tools called known: give one another"),
        (
            f"{{mcp: {listing({**TOOL, 'inputSchema': {'type': 'object', 'properties': {'x': {'type': 'y'}}}})}}}",
            "tools[0]: the arguments of 'a': this is no JSON Schema: 'y' is not valid",
        ),
        (
            f"{{mcp: {listing({**TOOL, 'inputSchema': {'type': 'object', 'title': 'x' * 50_000}})}}}",
            "tools[0]: the arguments of 'a': they take too long to describe",
        ),
    ],
)
def test_a_server_that_cannot_be_used_is_told_with_its_place(tmp_path: Path, entry: str, told: str) -> None:
    """Before anything is asked; nothing of it goes on running, and nothing it says steers a terminal."""
    with Models() as models, pytest.raises(UsageError) as caught:
        tools(models, tmp_path, entry, known=("known",))
    assert str(caught.value).startswith(f"{tmp_path}/agents.yaml, line 2, tools[0]")
    assert told in str(caught.value)
    assert "\x1b" not in f"{caught.value} {caught.value.hint}"


def test_what_failed_can_be_tried_by_itself(tmp_path: Path) -> None:
    """The hint has the command line."""
    with Models() as models, pytest.raises(UsageError) as caught:
        tools(models, tmp_path, "{mcp: [sh, -c, exit 4]}")
    assert caught.value.hint == f"try it by itself, in {tmp_path}: sh -c 'exit 4'"


def test_hostile_descriptions_are_cut(tmp_path: Path) -> None:
    """Nothing in them steers a terminal; a tool without one is told by its name."""
    listed = [{**TOOL, "description": "\x1b[2J\u202eReads.\n" + "x" * 9_000}, {**TOOL, "name": "b"}]
    with Models() as models:
        specs = [tool.spec for tool in tools(models, tmp_path, f"{{mcp: {listing(*listed)}}}").values()]
    assert (specs[0].description[:11], len(specs[0].description)) == ("[2JReads.\nx", 4_000)
    assert specs[1].description == "b"


def test_a_call_that_a_server_refuses_is_told(tmp_path: Path) -> None:
    """In its words."""
    with Models() as models:
        refused = tools(models, tmp_path, f"{{mcp: {listing({**TOOL, 'name': 'refused'})}}}")["refused"]
        assert gave(refused) == (False, "refused failed: no such method")


def test_without_the_extra_it_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the server is started."""
    monkeypatch.setattr(toolbox, "find_spec", lambda _: None)
    with Models() as models, pytest.raises(UsageError, match="need the extra `mcp`") as caught:
        tools(models, tmp_path, f"{{mcp: [touch, {tmp_path / 'started'}]}}")
    assert caught.value.hint == 'pip install "debateroom[mcp]"'
    assert not (tmp_path / "started").exists()


def test_an_agent_calls_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments are held to the schema here, before the server sees them."""
    with Models() as models:
        desk = Desk(tmp_path, models, monkeypatch)
        file = desk.write(f"name: desk\ninstructions: x\ntools:\n  - {{mcp: {ORDERS}, only: [get_order]}}\n")
        calls = [call("get_order", number="7"), call("get_order", number=7)]
        said = desk.say(desk.open(file, {"agent": "desk", "calls": calls}, {"agent": "desk", "response": "It is."}))
    assert said.text == "It is."
    assert [tool.result for tool in said.tools] == ['get_order: {"number": 7}']
    assert desk.told("desk") == [
        (
            True,
            "The tool was not called: its arguments do not fit its schema: $.number: '7' is not of type 'integer'.",
        ),
        (False, 'get_order: {"number": 7}'),
    ]


def starts(here: Path) -> int:
    """How many servers were started."""
    return len((here / "starts").read_text().split())


def test_a_playbook_asks_before_a_server_s_tool_acts(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them, but for those of an entry that says that they only read; one process serves both entries."""
    monkeypatch.setenv("STARTS", str(here / "starts"))
    (here / "desk.yaml").write_text(
        f"name: agent\ninstructions: x\nmodel: scripted:c.jsonl\ntools:\n"
        f"  - {{mcp: {ORDERS}, only: [get_order], acts: false}}\n  - {{mcp: {ORDERS}, only: [orders/cancel]}}\n"
    )
    calls = [("orders_cancel", {"number": 7}), ("get_order", {"number": 7})]
    coordinator(here, calls, [record(1, "https://shop.example/7")], "Done.")
    run(capsys, "playbook", "run", "reflect", "--agent", "desk.yaml", "--json", "--approve", "never")
    answered = {each["name"]: (each["ok"], each["result"]) for each in events(here, "tool_answered")}
    assert answered["get_order"] == (True, 'get_order: {"number": 7}')
    assert not answered["orders_cancel"][0]
    assert [each["tool"] for each in events(here, "approval_answered")] == ["orders_cancel"]
    assert starts(here) == 1


def test_a_seat_of_a_debate_asks_a_server(serve: Serve, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside our own tools, one process for plan, rounds and seats; what it gives stands in the run's fence."""
    monkeypatch.setenv("STARTS", str(here / "starts"))
    (here / "tools.yaml").write_text(f"tools: [read, {{mcp: {ORDERS}}}]\n")
    script, asking = debate_script(APART, synthesis=SYNTHESIS), Reply("", calls=(("get_order", '{"number": 7}'),))
    server = serve(lambda call: asking if call.tools and "tool_result" not in json.dumps(call.body) else script(call))
    outcome = activities.debate(QUESTION, model="sonnet", agents=2, rounds=1, tools="tools.yaml")
    assert outcome.summary["exit_code"] == 0
    calls = seat_calls(server)
    assert calls[0].tools == ["list_files", "read_file", "search_text", "get_order", "orders_cancel"]
    told = [
        text for call in calls for text in re.findall(r"<([\w-]+)>\\n(get_order: .*?)\\n</\1>", json.dumps(call.body))
    ]
    assert {text.replace("\\", "") for _, text in told} == {'get_order: {"number": 7}'}
    assert starts(here) == 1


def test_a_server_s_tool_does_not_stand_in_for_one_of_ours(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`read_file` of a server is refused beside `read`, before any call."""
    (here / "tools.yaml").write_text(f"tools:\n- read\n- {{mcp: {listing({**TOOL, 'name': 'read_file'})}}}\n")
    code, _, err = run(capsys, QUESTION, "--model", "sonnet", "--tools", "tools.yaml")
    assert code == 2
    assert "tools.yaml, line 3, tools[1]: there are two tools called read_file: give one another `name`" in err
    assert not (here / "active").exists()


def test_all_trials_of_an_evaluation_share_a_server(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process, whose tools count as executed."""
    monkeypatch.setenv("STARTS", str(here / "starts"))
    (here / "desk.yaml").write_text(f"name: desk\ninstructions: x\ntools: [{{mcp: {ORDERS}}}]\n")
    task = {"id": "a", "scenario": {"instruction": "Ask how your order 7 stands."}}
    expected = {"expected_tool_calls": [{"tool": "get_order", "args_match": {"number": 7}}]}
    (here / "task.jsonl").write_text(json.dumps({**task, **expected}))
    asks = [{"agent": "desk", "calls": [call("get_order", number=7)]}, {"agent": "desk", "response": "It is sent."}]
    (here / "agent.jsonl").write_text("\n".join(map(json.dumps, [*asks, *asks])))
    says = [{"round": 1, "response": "How does order 7 stand?"}, {"round": 2, "response": "Thanks. ###STOP###"}]
    (here / "customer.jsonl").write_text("\n".join(map(json.dumps, [*says, *says])))
    given = ["--agent", "desk.yaml", "--agent-model", "scripted:agent.jsonl", "--customer", "scripted:customer.jsonl"]
    _, out, _ = run(capsys, "eval", "task.jsonl", *given, "--trials", "2", "--concurrency", "1")
    assert re.search(r"^tool_calls: +2/2", out, re.MULTILINE)
    assert starts(here) == 1
