"""How a dialogue is shown on the way: a line that moves on a terminal, plain lines elsewhere, silence when asked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from dialogues import done, script

from debateroom.cli.turns import TurnLines, counted

SHOP = Path(__file__).parent / "agents" / "shop.yaml"


@pytest.fixture
def desk(here: Path) -> Path:
    """A folder with a scenario, a simulator that asks once more, and the agent's model."""
    (here / "s.yaml").write_text("goals: The agent says where order W1001 is.\nopening: Where is order W1001?\n")
    calls = {"agent": "shop", "calls": [{"name": "get_order", "arguments": {"order_id": "W1001"}}]}
    says = [{"agent": "shop", "response": "It is being prepared."}, {"agent": "shop", "response": "Tomorrow."}]
    (here / "shop.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (calls, *says)))
    script(here, "When will it be sent?", done(explain="It said so."))
    return here


def on_terminal(*more: str) -> str:
    """What a simulation writes to a terminal that is its stderr."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    said = bytearray()

    def listen() -> None:
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # Linux says so when the other end is closed
                return
            if not piece:
                return
            said.extend(piece)

    listener = threading.Thread(target=listen)
    listener.start()
    command = [sys.executable, "-m", "debateroom", "simulate", "s.yaml", "--agent", str(SHOP)]
    models = ["--agent-model", "scripted:shop.jsonl", "--model", "scripted:driver.jsonl"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    ended = subprocess.run([*command, *models, *more], stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    listener.join(10)
    os.close(ours)
    assert ended.returncode == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode())


def test_on_a_terminal_a_line_says_who_speaks_and_which_tool_is_called(desk: Path) -> None:
    """Above it stands a line for each turn that is over."""
    said = on_terminal()
    moving = (
        "turn 1 of 10: shop, waiting", "turn 1 of 10: shop, calls get_order",
        "turn 2 of 10: simple-simulator, writing, ", "turn 2 of 10: shop, waiting",
    )  # fmt: skip
    places = [said.find(line) for line in moving]
    assert places == sorted(places)
    assert -1 not in places
    assert "turn 1 of 10: shop answered; tools: get_order\r\n" in said
    assert "turn 2 of 10: shop answered; tools: " in said


def test_nothing_is_shown_on_a_terminal_when_it_is_told_to_be_quiet(desk: Path) -> None:
    """`-q`."""
    assert on_terminal("-q") == ""


def test_a_turn_tells_the_tokens_that_it_took_and_the_end_those_of_the_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Those of messages that were kept back count too; a price that is unknown is said to be."""
    lines = TurnLines()

    def usage(sent: int, received: int) -> dict[str, object]:
        return {"usage": {"input": sent, "cached": 0, "written": 0, "output": received}, "cost": None}

    seats = [{"name": "simple-simulator", "model": "a"}, {"name": "shop", "model": "b"}]
    for event in (
        {"event": "room_opened", "language": "en", "rounds": 3, "agents": seats},
        {"event": "set_aside", "agent": "simple-simulator", "round": 1, "why": ["empty"], **usage(1_000, 10)},
        {"event": "reply", "agent": "simple-simulator", "round": 1, **usage(1_100, 20)},
        {"event": "reply", "agent": "shop", "round": 1, "tools": [{"name": "a"}, {"name": "a"}], **usage(500, 30)},
        {"event": "round_finished", "round": 1},
        {"event": "reply", "agent": "simple-simulator", "round": 2, **usage(1_200, 5)},
        {"event": "room_finished"},
    ):
        lines.on_event(event)
    assert capsys.readouterr().err.splitlines() == [
        "simple-simulator  a",
        "shop  b",
        "turn 1 of 3: shop answered; tools: a ×2; 2,600 tokens in, 60 out",
        "3,800 tokens in (0% from the cache), 65 out; the price is unknown",
    ]


def test_tools_are_counted_in_the_order_of_their_first_call() -> None:
    """`get_order, refund ×2`."""
    assert counted(["get_order", "refund", "refund"]) == "get_order, refund ×2"
