"""What a run of a playbook may spend and how long it may take, its workers included."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from coordinators import coordinator, events, final, record, slowly, states, worker
from debates import Serve, run
from vendor import Call, Reply, VendorServer

from debateroom import activities, coordinating, settings
from debateroom.messages import Usage
from debateroom.models.processes import Ran
from debateroom.playbooks import decision
from debateroom.playbooks import worker as playbook_worker
from debateroom.playbooks.desk import Desk
from debateroom.playbooks.plan import Task
from debateroom.playbooks.worker import Job
from debateroom.room import lock
from debateroom.room.room import Room, event, read
from debateroom.room.summary import look

LINK = "https://example.com/proof"
TINY = "openai:tiny"
DIME = Usage(input=100_000, output=1)
"""What a call to TINY uses here: 0.1 US dollars."""


@pytest.fixture
def priced(here: Path) -> Path:
    """A project in which a million tokens of TINY's input cost one US dollar."""
    (here / "debateroom.toml").write_text(f'prices."{TINY}" = {{ input = 1.0, output = 0.0 }}\n')
    return here


def play(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = run(capsys, "playbook", "run", *words, "--json")
    return code, json.loads(out) if out else {}


def steps(server: VendorServer) -> list[Call]:
    """The coordinator's calls."""
    return [call for call in server.calls if "delegate_task" in call.tools]


def delegating(*tasks: str) -> Any:
    """A server's answers: a coordinator that gives out the tasks at once, and workers that ask on and on."""

    def reply(call: Call) -> Reply:
        if "delegate_task" not in call.tools:
            return Reply(f"Please look at part number {call.number} of the list.", usage=DIME)
        if any(message["role"] == "tool" for message in call.body["messages"]):
            return Reply("That is all there is.", usage=DIME)
        asked = tuple(("delegate_task", json.dumps({"task": task})) for task in tasks)
        return Reply("", usage=DIME, calls=asked)

    return reply


def test_workers_at_the_same_time_share_one_purse(
    priced: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each has an equal share of what is left, and the coordinator one for its last word; together they fit."""
    server = serve(delegating("Count part 1", "Count part 2"))
    code, value = play(capsys, "swarm", "--agent", TINY, "--budget", "1.05")
    assert (code, states(priced)) == (3, ["missing", "missing", "failed"])
    assert [each["error"] is None for each in events(priced, "worker_ended")] == [False, False]
    rooms = [read(priced / "active" / each["room"]) for each in events(priced, "worker_delegated")]
    assert [room.transcript.stopped for room in rooms] == ["budget"] * 2
    assert len({room.settings["budget"] for room in rooms}) == 1
    assert sum(room.settings["budget"] for room in rooms) < 1.05 - 0.1
    assert value["cost"] == pytest.approx(0.1 * len(server.calls))
    assert value["cost"] < 1.05
    assert (len(steps(server)), final(priced)["answer"]) == (2, "That is all there is.")


def test_a_worker_whose_share_is_nothing_is_not_started(
    priced: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """The coordinator reads why, but is asked no more: the run ends with exit code 7, and says so."""
    serve(delegating("Count"))
    code, value = play(capsys, "swarm", "--agent", TINY, "--budget", "0.05", "--language", "fr")
    assert (code, value["exit_code"], value["outcome"]) == (7, 7, "incomplete")
    assert value["error"] == "le budget de 0,05 dollars US est épuisé"
    ((ok, text),) = [(each["ok"], each["result"]) for each in events(priced, "tool_answered")]
    assert (ok, "budget" in text, events(priced, "worker_delegated")) == (False, True, [])


def test_what_was_noted_before_the_budget_was_spent_stays(
    priced: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tools that an answer asks for are run, it was paid for; no further answer is asked for."""
    server = serve(lambda call: Reply("", usage=DIME, calls=(noted(call.number + 1),)))
    code, value = play(capsys, "reflect", "--agent", TINY, "--budget", "0.15")
    assert (code, states(priced), len(server.calls)) == (7, ["ok", "ok", "missing"], 2)
    assert value["cost"] == pytest.approx(0.2)
    assert read(priced / "active/coordinator").transcript.stopped == "budget"
    assert run(capsys, "resume", "coordinator")[0] == 0
    assert len(server.calls) == 2


def noted(step: int) -> tuple[str, str]:
    name, given = record(step, LINK)
    return name, json.dumps(given)


@pytest.mark.parametrize(
    "more",
    [
        ["--agent", "openai:other"],
        ["--agent", TINY, "--worker-model", "openai:other"],
        ["--agent", TINY, "--worker-agent", "openai:other"],
    ],
)
def test_a_budget_needs_a_price_for_every_model(
    priced: Path, serve: Serve, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    """Of the coordinator, of workers and of whom they drive, before there is a room."""
    server = serve("Hello.")
    code, _, err = run(capsys, "playbook", "run", "swarm", *more, "--budget", "1")
    assert (code, "--budget needs a price for openai:other" in err) == (2, True)
    assert (len(server.calls), Path("active").exists()) == (0, False)


AGENTS = """start: desk
agents:
  - {name: desk, instructions: You coordinate., model: "openai:tiny", sub_agents: [books]}
  - {name: books, public_description: Knows every order., instructions: You look orders up., model: MODEL}
"""


def test_sub_agents_count(priced: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Their models need a price, and what they spend is in the journal before the coordinator is asked again."""

    def reply(call: Call) -> Reply:
        if call.schema:
            found = {"status": "success", "result": "12", "summary": "Counted."}
            return Reply(json.dumps(found), usage=Usage(input=900_000, output=1))
        mission = json.dumps({"query": "Count", "context": "none", "goal": "the number"})
        return Reply("", usage=DIME, calls=(("subAgentBooks", mission),))

    server = serve(reply)
    (priced / "desk.yaml").write_text(AGENTS.replace("MODEL", '"openai:other"'))
    assert play(capsys, "reflect", "--agent", "desk.yaml", "--budget", "0.9")[0] == 2
    (priced / "desk.yaml").write_text(AGENTS.replace("MODEL", '"openai:tiny"'))
    code, value = play(capsys, "reflect", "--agent", "desk.yaml", "--budget", "0.9")
    assert (code, len(server.calls)) == (7, 2)
    assert value["cost"] == pytest.approx(1.0)


def test_the_time_of_a_run_holds(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 124 with what there is: the verdict, the reason and both reports."""
    agent = coordinator(here, [record(1, LINK)], "Done.")
    slowly(here)
    code, value = play(capsys, "reflect", "--agent", agent, "--timeout", "0.2")
    assert (code, value["exit_code"], value["outcome"]) == (124, 124, "incomplete")
    assert value["error"] == "the 0.2 s of the run were over"
    assert states(here) == ["ok", "missing", "missing"]
    assert read(here / "active/coordinator").transcript.stopped == "deadline"
    assert "missing: Name one to three changes" in Path(value["report"]).read_text()


def test_the_time_of_a_run_ends_its_workers(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The worker's process is gone, and its end stands in the journal."""
    slow, agent_of_workers = worker(here, "slow", "12 files.", seconds=60)
    agent = coordinator(here, [("delegate_task", {"task": "Count"})], "Done.")
    slowly(here)
    more = ("--worker-model", slow, "--worker-agent", agent_of_workers, "--timeout", "1.5")
    assert play(capsys, "swarm", "--agent", agent, *more)[0] == 124
    assert states(here) == ["missing", "missing", "failed"]
    (ended,) = events(here, "worker_ended")
    assert (ended["outcome"], ended["error"].startswith("not done within 1 s")) == ("broken", True)
    room = here / "active" / ended["room"]
    assert not lock.busy(room)
    assert not (room / "journal.jsonl").exists() or look(room)["status"] == "interrupted"


def test_a_task_that_is_given_out_twice_is_worked_on_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both calls get its result, and its end is told once."""
    one, agent_of_workers = worker(here, "one", "12 files.")
    agent = coordinator(here, [("delegate_task", {"task": "Count"})] * 2, "Done.")
    play(capsys, "swarm", "--agent", agent, "--worker-model", one, "--worker-agent", agent_of_workers)
    assert [each["ok"] for each in events(here, "tool_answered")] == [True, True]
    assert (len(events(here, "worker_ended")), final(here)["counters"]["workers"]) == (1, 1)


def test_a_note_beside_a_worker_is_there_at_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is shown while the worker works; notes of one answer stay in their order."""
    one, agent_of_workers = worker(here, "one", "12 files.")
    beside = [record(1, LINK, "failed"), ("delegate_task", {"task": "Count"}), record(1, LINK), record(2, LINK)]
    agent = coordinator(here, beside, "Done.")
    code, _ = play(capsys, "swarm", "--agent", agent, "--worker-model", one, "--worker-agent", agent_of_workers)
    assert (code, states(here)) == (0, ["ok"] * 3)
    names = [each["event"] for each in events(here)]
    assert [name for name in names if name in ("decision_recorded", "worker_ended")] == [
        *["decision_recorded"] * 3, "worker_ended",
    ]  # fmt: skip
    assert names.count("tool_answered") == 4


def test_a_run_killed_behind_a_worker_s_end_counts_it_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The end of the worker stood in the journal, what the tool gave did not: it is given again from the room."""
    one, agent_of_workers = worker(here, "one", "12 files.")
    agent = coordinator(here, [("delegate_task", {"task": "Count"})], [record(1, LINK), record(2, LINK)], "Done.")
    play(capsys, "swarm", "--agent", agent, "--worker-model", one, "--worker-agent", agent_of_workers)
    journal = here / "active/coordinator/journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    end = next(number for number, line in enumerate(lines) if '"worker_ended"' in line)
    journal.write_text("".join(lines[: end + 1]))
    assert run(capsys, "resume", "coordinator")[0] == 0
    assert (len(events(here, "worker_ended")), states(here)) == (1, ["ok"] * 3)


class Outliving:
    """Stands for the processes that are started: a worker's room is held by another one, until that is waited for."""

    def __init__(self, held: Room) -> None:
        self.asked: list[str] = []
        self._held = held

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder that is not needed."""
        yield self._held.folder

    def run(self, arguments: Sequence[str], **given: Any) -> Ran:
        """Notes the command; the worker delivers meanwhile."""
        self.asked.append(arguments[arguments.index("debateroom") + 1])
        final = {"outcome": "delivered", "deliverable": "12 files.", "summary": "All of it."}
        ended = event("room_finished", status="finished", stopped="trigger", exit_code=0, seconds=1.0)
        self._held.write(event("synthesized", final_output=final), ended)
        self._held.close()
        return Ran(0, "", "")


def test_a_worker_that_outlived_its_coordinator_is_waited_for(here: Path) -> None:
    """`kill -9` of the coordinator leaves the worker at work; who goes on takes what it delivers."""
    coordinator(here, "Done.")
    chosen = settings.load({})
    with activities.open_models(chosen) as models:
        plan = coordinating.make("swarm", None, Task(agent="scripted:c.jsonl"), chosen, models)
    folder = coordinating.prepare(plan, chosen)
    seats = [{"name": name, "role": name, "framing": ""} for name in ("worker-agent", "agent")]
    opening = event("room_opened", problem="Count", agents=seats, kind="work")
    with Room.reopen(folder) as room:
        programs: Any = Outliving(Room.create(folder.with_name(f"{folder.name}.worker-w"), opening))
        made = playbook_worker.run(Desk(room, plan), Job("w", "Count", plan.model), programs, 20.0)
    assert (made.outcome, made.deliverable, programs.asked) == ("delivered", "12 files.", ["wait"])
    assert [each["outcome"] for each in events(here, "worker_ended")] == ["delivered"]


def test_notes_of_one_answer_stay_in_their_order(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last one on a step counts, also when an earlier one takes longer: a large file has to be read."""
    second = threading.Event()
    make = decision.make

    def slowly_first(**given: Any) -> decision.Decision:
        made = make(**given)
        second.set() if given["outcome"] == "ok" else second.wait(0.2)
        return made

    monkeypatch.setattr(decision, "make", slowly_first)
    play(capsys, "reflect", "--agent", coordinator(here, [record(1, LINK, "failed"), record(1, LINK)], "Done."))
    assert states(here)[0] == "ok"
