"""The MCP server, through the SDK's own client over stdio: real scripted debates."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from debateroom import cli, tokens

QUESTION = "Should our background jobs use a queue or a simple loop?"
REPLY = (
    "POSITION: Poll.\nREASONING: r\nPROPOSAL: Poll every second.\nCONCERNS: c\nAGREEMENTS: a\nDISAGREEMENTS: d\n"
    "REFINED PROPOSAL: Poll.\nENDORSES: Agent A\nCONFIDENCE: 6"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose debates are scripted; `slow.jsonl` takes a minute."""
    (tmp_path / "replies.jsonl").write_text(json.dumps({"default": True, "response": REPLY}))
    (tmp_path / "slow.jsonl").write_text(json.dumps({"default": True, "response": REPLY, "seconds": 60}))
    (tmp_path / "debateroom.toml").write_text('model = "scripted:replies.jsonl"\nrounds = 2\n')
    return tmp_path


def talk(folder: Path, act: Callable[[Client], Awaitable[None]]) -> None:
    """Runs `act` with a client of a server that was started in `folder`."""
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "debateroom", "mcp"], cwd=folder, env=dict(os.environ)
    )

    async def main() -> None:
        async with Client(started) as client:
            await act(client)

    anyio.run(main)


async def ask(client: Client, name: str, **given: Any) -> dict[str, Any]:
    """What a tool answers, as an object; its text under `error` when it is one."""
    result = await client.call_tool(name, given)
    text = result.content[0].text  # type: ignore[union-attr]
    return {"error": text} if result.is_error else json.loads(text)


def test_the_schemas_are_small(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Four tools, all schemas together under 1,500 tokens; printed."""

    async def act(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["debate_start", "debate_wait", "debate_result", "debate_stop"]
        whole = json.dumps([tool.model_dump(exclude_none=True, mode="json") for tool in tools])
        size = tokens.estimate(whole)
        with capsys.disabled():
            print(f"\nMCP: 4 tools, about {size} tokens of schemas")
        assert size < 1_500

    talk(folder, act)


def test_a_debate_is_started_waited_for_and_read(folder: Path) -> None:
    """Progress comes on the way; the result has what the room came to, and the report's path."""
    said: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        said.append((progress, total, message))

    async def act(client: Client) -> None:
        begun = await ask(client, "debate_start", question=QUESTION, agents=3, room="jobs", note="Postgres is there.")
        assert (begun["ok"], begun["status"]) == (True, "running")
        waited = await client.call_tool("debate_wait", {"room": "jobs"}, progress_callback=note)
        value = json.loads(waited.content[0].text)  # type: ignore[union-attr]
        assert (value["status"], value["rounds_played"], value["agents"]) == ("finished", 2, 3)
        result = await ask(client, "debate_result", room="jobs")
        assert result["final_vote"] == {"Agent A": ["Agent A", "Agent B", "Agent C"]}
        assert Path(result["report"]).is_file()
        assert "Postgres is there." in (folder / "active/jobs/chat.json").read_text()

    talk(folder, act)
    assert said[-1] == (6, 6, "round 2 of 2: 3 of 3 agents answered")


def test_a_running_debate_is_no_result_and_can_be_stopped(folder: Path) -> None:
    """Waiting gives up in its time with the status `running`; a stopped room says so and can be resumed."""

    async def act(client: Client) -> None:
        await ask(client, "debate_start", question=QUESTION, model="scripted:slow.jsonl")
        assert (await ask(client, "debate_wait", seconds=0.2))["status"] == "running"
        early = (await ask(client, "debate_result"))["error"]
        assert early.endswith("debate_result: the debate in chatroom is still running; call debate_wait first")
        again = await ask(client, "debate_start", question=QUESTION)
        assert "busy" in again["error"] or "running" in again["error"]
        stopped = await ask(client, "debate_stop")
        assert stopped["status"] == "interrupted"
        assert "debateroom resume" in stopped["hint"]

    talk(folder, act)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("debate_start", {"question": "performance"}, "too vague|names nothing"),
    ("debate_start", {"question": QUESTION, "agents": 1}, "two agents"),
    ("debate_start", {"question": QUESTION, "model": "nobody:none"}, "nobody"),
    ("debate_start", {"question": QUESTION, "room": "../other"}, "no name for a room"),
    ("debate_start", {"question": QUESTION, "model": "command:touch pwned"}, "may be no program"),
    ("debate_start", {"question": QUESTION, "roles": "Critic@command:touch pwned, B"}, "may be no program"),
    ("debate_start", {"question": QUESTION, "context": ["/etc/hosts"]}, "outside the folder"),
    ("debate_wait", {"room": "none"}, "none"),
    ("debate_wait", {"seconds": 51}, "50"),
    ("debate_result", {"room": "/etc"}, "no name for a room"),
    ("debate_stop", {"room": "none"}, "none"),
]


def test_what_goes_wrong_is_told_in_a_sentence(folder: Path) -> None:
    """An error for the model to read, behind the SDK's words; no traceback, no program started."""

    async def act(client: Client) -> None:
        for tool, given, told in WRONG:
            answer = await ask(client, tool, **given)
            assert any(words in answer["error"] for words in told.split("|")), (tool, given, answer)
            assert "Traceback" not in answer["error"]

    talk(folder, act)
    assert not (folder / "pwned").exists()


def test_without_the_extra_it_names_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2 with what to install."""
    monkeypatch.setattr("debateroom.cli.mcp.find_spec", lambda _: None)
    assert cli.run(["mcp"]) == 2
    assert 'pip install "debateroom[mcp]"' in capsys.readouterr().err
