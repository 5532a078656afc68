"""A dialogue that broke off in the middle of a turn: what its agent has done by then is not done or paid again."""

from __future__ import annotations

import html
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from dialogues import done, journal, script

import debateroom
from debateroom import activities, dialogues, settings
from debateroom.activities import Outcome
from debateroom.cli import output
from debateroom.cli.turns import TurnLines
from debateroom.dialogue import plan as plans
from debateroom.errors import AgentFailed
from debateroom.language import say
from debateroom.messages import Answer, OnText, Request
from debateroom.models.scripted import ScriptedModel
from debateroom.report.words import Words
from debateroom.resuming import render_again, resume
from debateroom.room.room import Room, opening_event
from debateroom.room.transcript import read_chat

SHOP = Path(__file__).parent / "agents" / "shop.yaml"
SCENARIO = {"goals": "The agent pays 15 euros back.", "opening": "Please pay back 15 euros of W1001."}
USED = {"input": 100, "output": 10}
STEPS = (
    {"calls": [{"name": "get_order", "arguments": {"order_id": "W1001"}}]},
    {"calls": [{"name": "refund", "arguments": {"order_id": "W1001", "amount": 15}}]},
    {"response": "15 euros are paid back."},
)
DESK = """start: desk
agents:
  - name: desk
    instructions: You answer customers.
    sub_agents: [books]
  - name: books
    public_description: Pays money back.
    instructions: You pay back.
    tools: ['python:shop:get_order', 'python:shop:refund']
"""


def steps(agent: str, *lines: dict[str, Any]) -> str:
    return "".join(json.dumps({"agent": agent, "usage": USED, **line}) + "\n" for line in lines)


def simulated(here: Path, agent: Path | str, **more: Any) -> Outcome:
    own = {} if str(agent).startswith("scripted:") else {"agent_model": "scripted:agent.jsonl"}
    return debateroom.simulate(
        SCENARIO, agent=str(agent), model=script(here, done()), active=here / "a", **own, **more
    )


def resumed(folder: Path) -> Outcome:
    plan = plans.from_event(opening_event(folder))
    with activities.open_models(settings.load({})) as models:
        return dialogues.play(lambda: Room.reopen(folder), plan, models)


def paid_back(here: Path, known: list[dict[str, Any]]) -> None:
    """The shop as it was when the run broke off: a refund that was begun was made."""
    made = any(event["event"] == "tool_called" and event["name"] == "refund" for event in known)
    order = {"customer": "Ada", "status": "processing", "items": [], "amount": 40.0, "notes": []}
    (here / "db.json").write_text(json.dumps({"W1001": {**order, "refunded": 15.0 if made else 0.0}}))


def refunded(here: Path) -> float:
    return float(json.loads((here / "db.json").read_text())["W1001"]["refunded"])


def test_steps_of_a_broken_turn_are_neither_asked_nor_executed_nor_paid_again(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal is cut after each of its lines: one refund, whole usage, and the same transcript."""
    monkeypatch.setenv("SHOP_DB", str(here / "db.json"))
    paid_back(here, [])
    (here / "agent.jsonl").write_text(steps("shop", *STEPS))
    outcome = simulated(here, SHOP)
    lines = (outcome.folder / "journal.jsonl").read_text().splitlines(keepends=True)
    assert [json.loads(line)["event"] for line in lines].count("tools_asked") == 2
    entry = outcome.transcript.rounds[0].entries[1]
    assert (entry.tools, entry.usage.input, entry.calls) == (("get_order", "refund"), 300, 3)
    for cut in range(1, len(lines)):
        folder = here / f"cut-{cut}"
        shutil.copytree(outcome.folder, folder)
        (folder / "journal.jsonl").write_text("".join(lines[:cut]))
        known = [json.loads(line) for line in lines[:cut]]
        paid_back(here, known)
        again = resumed(folder)
        assert refunded(here) == 15.0, f"after line {cut}"
        entry = again.transcript.rounds[0].entries[1]
        assert (entry.response, entry.usage.input, entry.calls) == ("15 euros are paid back.", 300, 3), cut
        assert again.transcript.usage == outcome.transcript.usage, f"after line {cut}"
        asked = [event["asked"][0]["name"] for event in journal(folder, "tools_asked")]
        assert asked == ["get_order", "refund"], f"after line {cut}"
        unsure = known[-1]["event"] == "tool_called"
        assert len(entry.tools) == 2 - unsure, f"after line {cut}"


def test_a_failed_turn_is_gone_on_with_and_its_steps_stay_paid(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent's model fails after the refund; `resume` asks it for its last word only."""
    monkeypatch.setenv("SHOP_DB", str(here / "db.json"))
    paid_back(here, [])
    (here / "agent.jsonl").write_text(steps("shop", *STEPS[:2], {"error": "the server is down"}))
    with pytest.raises(AgentFailed):
        simulated(here, SHOP)
    folder = here / "a" / "simulation"
    assert read_chat(folder / "chat.json").usage.input == 200
    (here / "agent.jsonl").write_text(steps("shop", *STEPS))
    again = resumed(folder)
    assert (refunded(here), again.summary["outcome"]) == (15.0, "passed")
    assert again.transcript.rounds[0].entries[1].usage.input == 300


MISSION = {"query": "Pay back", "context": "", "goal": "15 euros"}
FOUND = {
    "status": "ok", "items": ['{"paid": 15}'], "meta": {"resolved": [], "notFound": [], "knowledge_found": "yes"},
    "control": {"can_retry": False},
}  # fmt: skip
ASKS_BOOKS = {"calls": [{"name": "subAgentBooks", "arguments": MISSION}]}


def test_steps_of_a_sub_agent_are_not_made_again_either(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal is cut after each of its lines: the sub-agent goes on where it was, one refund, whole usage."""
    monkeypatch.setenv("SHOP_DB", str(here / "db.json"))
    paid_back(here, [])
    (here / "agent.jsonl").write_text(
        steps("desk", ASKS_BOOKS, STEPS[2]) + steps("books", *STEPS[:2], {"response": json.dumps(FOUND)})
    )
    shutil.copy(SHOP.parent / "shop.py", here / "shop.py")
    (here / "desk.yaml").write_text(DESK)
    outcome = simulated(here, here / "desk.yaml")
    entry = outcome.transcript.rounds[0].entries[1]
    assert (entry.tools, entry.usage.input, entry.calls) == (("get_order", "refund", "subAgentBooks"), 500, 5)
    lines = (outcome.folder / "journal.jsonl").read_text().splitlines(keepends=True)
    for cut in range(1, len(lines)):
        folder = here / f"cut-{cut}"
        shutil.copytree(outcome.folder, folder)
        (folder / "journal.jsonl").write_text("".join(lines[:cut]))
        known = [json.loads(line) for line in lines[:cut]]
        paid_back(here, known)
        again = resumed(folder)
        assert refunded(here) == 15.0, f"after line {cut}"
        entry = again.transcript.rounds[0].entries[1]
        assert (entry.response, entry.usage.input, entry.calls) == ("15 euros are paid back.", 500, 5), cut
        assert again.transcript.usage == outcome.transcript.usage, f"after line {cut}"
        last = known[-1]
        unsure = last["event"] == "tool_called" and last["name"] != "subAgentBooks"
        assert len(entry.tools) == 3 - unsure, f"after line {cut}"


def test_an_answer_of_a_sub_agent_is_kept_while_another_tool_still_runs(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two calls of one step: the end of the quick one, and what it cost, does not wait for the slow one."""
    (here / "slow.py").write_text(
        "import json, time\nfrom pathlib import Path\ndef wait() -> str:\n"
        "    'Wait until the books have answered.'\n"
        "    until = time.monotonic() + 20\n"
        "    while time.monotonic() < until:\n"
        "        lines = Path('a/simulation/journal.jsonl').read_text().splitlines()\n"
        "        ends = [each for each in map(json.loads, lines) if each['event'] == 'tool_answered']\n"
        "        if ends: return ends[0]['name']\n"
        "        time.sleep(0.01)\n"
        "    return 'nothing'\n"
    )
    (here / "desk.yaml").write_text(DESK.replace("sub_agents", "tools: ['python:slow:wait']\n    sub_agents"))
    shutil.copy(SHOP.parent / "shop.py", here / "shop.py")
    both = {"calls": [{"name": "wait", "arguments": {}}, *ASKS_BOOKS["calls"]]}
    found = steps("books", {"response": json.dumps(FOUND)})
    (here / "agent.jsonl").write_text(steps("desk", both, STEPS[2]) + found)
    outcome = simulated(here, here / "desk.yaml")
    quick, slow = journal(outcome.folder, "tool_answered")
    assert (quick["name"], quick["usage"]["input"], slow["result"]) == ("subAgentBooks", 100, "subAgentBooks")
    assert outcome.transcript.rounds[0].entries[1].tools == ("wait", "subAgentBooks")


def test_a_sub_agent_that_must_not_be_asked_again_is_not_after_a_break(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`can_retry` false is in the journal: the second call, made after the resume, is refused."""
    (here / "agent.jsonl").write_text(
        steps("desk", ASKS_BOOKS, ASKS_BOOKS, STEPS[2]) + steps("books", {"response": json.dumps(FOUND)})
    )
    shutil.copy(SHOP.parent / "shop.py", here / "shop.py")
    (here / "desk.yaml").write_text(DESK)
    outcome = simulated(here, here / "desk.yaml")
    path = outcome.folder / "journal.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    ended = next(number for number, line in enumerate(lines, 1) if '"tool_answered"' in line)
    path.write_text("".join(lines[:ended]))
    again = resumed(outcome.folder)
    assert again.transcript.rounds[0].entries[1].tools == ("subAgentBooks",)
    assert again.transcript.usage == outcome.transcript.usage


def test_what_tools_told_in_earlier_turns_is_before_the_agent_again(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Resumed in the second turn, the agent's model sees the calls and results of the first one, and makes none."""
    monkeypatch.setenv("SHOP_DB", str(here / "db.json"))
    paid_back(here, [])
    asked: list[Request] = []
    ask = ScriptedModel.ask

    def noted(model: ScriptedModel, request: Request, *, on_text: OnText | None = None) -> Answer:
        asked.append(request)
        return ask(model, request, on_text=on_text)

    monkeypatch.setattr(ScriptedModel, "ask", noted)
    odd = {"calls": [*STEPS[1]["calls"], {"name": "no_such_tool", "arguments": {}}]}
    (here / "agent.jsonl").write_text(
        steps("shop", {"round": 1, **odd}, {"round": 1, **STEPS[2]}, {"round": 2, "response": "Gladly."})
    )
    driver = script(here, "Thank you for that.", done())
    outcome = debateroom.simulate(
        SCENARIO, agent=str(SHOP), agent_model="scripted:agent.jsonl", model=driver, active=here / "a"
    )
    whole = [request.turns for request in asked if request.purpose and request.purpose.agent == "shop"][-1]
    path = outcome.folder / "journal.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    said = [number for number, line in enumerate(lines, 1) if '"reply"' in line]
    path.write_text("".join(lines[: said[2]]))  # the second message to the agent is there, its answer is not
    asked.clear()
    resumed(outcome.folder)
    again = [request.turns for request in asked if request.purpose and request.purpose.agent == "shop"]
    assert again == [whole]
    assert [result.is_error for turn in whole for result in turn.results] == [False, True]
    assert refunded(here) == 15.0


def killed_after(folder: Path, where: str) -> Path:
    """The room as a kill leaves it right after its first event of this name."""
    lines = (folder / "journal.jsonl").read_text().splitlines(keepends=True)
    last = next(position for position, line in enumerate(lines) if json.loads(line)["event"] == where)
    (folder / "journal.jsonl").write_text("".join(lines[: last + 1]))
    return folder


@pytest.mark.parametrize("language", ["en", "fr", "zh"])
def test_what_was_under_way_is_told_as_interrupted(
    here: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """In the report before anybody goes on, in the journal and on the way when somebody does, and in the end."""
    monkeypatch.setenv("SHOP_DB", str(here / "db.json"))
    paid_back(here, [{"event": "tool_called", "name": "refund"}])
    (here / "agent.jsonl").write_text(steps("shop", *STEPS))
    folder = simulated(here, SHOP, language=language).folder
    lines = (folder / "journal.jsonl").read_text().splitlines(keepends=True)
    begun = [position for position, line in enumerate(lines) if '"tool_called"' in line][-1]
    (folder / "journal.jsonl").write_text("".join(lines[: begun + 1]))
    why = say(language, "tools_interrupted", tools="refund")
    page = render_again(folder)
    assert why in page.report.read_text()
    assert html.escape(why) in page.page.read_text()
    lines_told, notes = TurnLines(), list[str]()
    monkeypatch.setattr(output, "note", notes.append)
    again = resume(folder, settings.load({}), on_event=lines_told.on_event)
    assert say(language, "call_again", turn=1, agent="shop") in notes
    assert say(language, "tool_unsure", agent="shop", tool="refund") in notes
    (lost,) = journal(folder, "call_failed")
    assert (lost["agent"], lost["round"], lost["interrupted"]) == ("shop", 1, True)
    (ended,) = [event for event in journal(folder, "tool_answered") if event["name"] == "refund"]
    assert (ended["executed"], ended["interrupted"], ended["arguments"]["amount"]) == (False, True, 15)
    entry = again.transcript.rounds[0].entries[1]
    assert (entry.tools, entry.interrupted) == (("get_order",), ("refund",))
    words = Words(language)
    assert words("talk.interrupted", tools="refund") in again.report.read_text()
    assert read_chat(again.chat).rounds[0].entries[1].interrupted == ("refund",)
    assert say(language, "call_interrupted") not in again.report.read_text()


def test_a_judge_that_was_interrupted_is_told_too_and_a_run_that_began_nothing_is_not(here: Path) -> None:
    """The simulator's word after the answer; a room that was only prepared has lost nothing."""
    (here / "agent.jsonl").write_text(json.dumps({"agent": "agent", "response": "15 euros are paid back."}))
    folder = killed_after(simulated(here, "scripted:agent.jsonl").folder, "round_finished")
    assert say("en", "call_interrupted") in render_again(folder).report.read_text()
    resume(folder, settings.load({}))
    (lost,) = journal(folder, "call_failed")
    assert (lost["agent"], lost["round"]) == ("simple-simulator", 2)
    fresh = killed_after(folder, "room_opened")
    resume(fresh, settings.load({}))
    assert journal(fresh, "call_failed") == []
