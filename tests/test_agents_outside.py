"""Agents of others, spoken to as they are: processes and files. What they break is an error, never an answer."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import alive, until
from dialogues import complete, done, journal
from vendor import Reply, VendorServer
from vendor.faults import Cut, HttpError, Page

import debateroom
from debateroom import activities, clock, dialogues, settings
from debateroom.agents.agent import Agent, Finishes, ToolRecord, open_agent
from debateroom.dialogue.plan import from_event
from debateroom.errors import AgentFailed, DebateroomError, UsageError
from debateroom.evaluations import evaluate
from debateroom.language import say
from debateroom.messages import Turn
from debateroom.models.registry import Models
from debateroom.resuming import resume
from debateroom.room.room import Room, opening_event, read

ASKED = [Turn("user", "Where is W1?")]


@pytest.fixture
def models() -> Iterator[Models]:
    with Models() as opened:
        yield opened


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(here: Path, text: str) -> str:
    """An `--agent` value for a program with this text."""
    (here / "agent.py").write_text(textwrap.dedent(text))
    return f"command:{sys.executable} agent.py"


def module(here: Path, text: str) -> None:
    (here / "mine.py").write_text(textwrap.dedent(text))


ECHO = """
    import json, os, sys
    for line in sys.stdin:
        asked = json.loads(line)
        tools = [{"name": "look", "arguments": {"id": 1}, "result": {"found": True}}, {"name": "only_asked"}]
        said = {"text": f"{os.getpid()} {asked['messages'][-1]['content']}", "state": asked, "tools": tools}
        print(json.dumps(said), flush=True)
"""


def test_a_program_is_given_the_conversation_and_its_line_is_the_answer(here: Path, models: Models) -> None:
    """One line in, one out; a tool without a result was not executed."""
    agent = open_agent(program(here, ECHO), models=models, session="s-1")
    answered = agent.answer(ASKED, until=clock.monotonic() + 30)
    assert answered.text.endswith(" Where is W1?")
    assert answered.tools == (ToolRecord("look", {"id": 1}, '{"found": true}', True, 0.0),)
    asked = dict(answered.state)
    assert 25 < asked.pop("seconds") <= 30
    assert asked == {
        "protocol": 1,
        "session": "s-1",
        "turn": 1,
        "messages": [{"role": "user", "content": "Where is W1?"}],
    }
    assert (agent.name, agent.capabilities) == (Path(sys.executable).stem, ())


def test_a_program_that_goes_on_running_keeps_what_it_knows(here: Path, models: Models) -> None:
    """The next turn is asked of the same process, with everything that was said."""
    agent = open_agent(program(here, ECHO), models=models)
    first = agent.answer(ASKED)
    second = agent.answer([*ASKED, Turn("assistant", first.text), Turn("user", "And W2?")])
    assert first.text.split()[0] == second.text.split()[0]
    assert [each["role"] for each in second.state["messages"]] == ["user", "assistant", "user"]
    agent.close()
    until(lambda: not alive(int(first.text.split()[0])))


def test_a_program_that_exits_well_is_started_again(here: Path, models: Models) -> None:
    """One answer a process is allowed too, and the last line may lack its end."""
    once = """
        import json, os, sys
        asked = json.loads(sys.stdin.readline())
        sys.stdout.write(json.dumps({"text": f"{os.getpid()} {asked['turn']}"}))
    """
    agent = open_agent(program(here, once), models=models)
    first = agent.answer(ASKED)
    second = agent.answer([*ASKED, Turn("assistant", first.text), Turn("user", "And W2?")])
    assert first.text.split()[1:] == ["1"]
    assert second.text.split()[1:] == ["2"]
    assert first.text.split()[0] != second.text.split()[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys; sys.exit('no database')", "ended with exit code 1 and without an answer. It said: no database"),
        ("", "ended with exit code 0 and without an answer."),
        ("print('hello there', flush=True); input(); input()", "answered garbage: 'hello there' is not JSON."),
        ("print('[1]', flush=True); input(); input()", "answered garbage: its answer is not a JSON object."),
        ("print('{}')", "answered garbage: its answer has no `text`."),
        ('print(\'{"text": " "}\')', "answered garbage: its `text` is empty."),
        ('print(\'{"text": "a", "text": "b"}\')', "answered garbage: the key 'text' stands there twice"),
        ('print(\'{"text": "x", "tools": 3}\')', "answered garbage: its `tools` are not a list."),
        ('print(\'{"error": "out of money"}\')', "failed: out of money"),
        ("print('x' * 5_000_000)", "answered garbage: it wrote more than 4 MB."),
        ("print('[' * 100_000)", "is not JSON."),
    ],
)
def test_a_crash_or_garbage_is_an_error_of_the_run(here: Path, models: Models, text: str, said: str) -> None:
    """Nothing of it is taken for an answer."""
    agent = open_agent(program(here, text), models=models)
    with pytest.raises(AgentFailed) as caught:
        agent.answer(ASKED)
    assert said in str(caught.value)
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("end", ["\\n", ""])
def test_a_line_that_nobody_asked_for_is_not_the_next_answer(here: Path, models: Models, end: str) -> None:
    """Two lines for one turn are garbage, be the second without its end: it is no answer to what is asked later."""
    twice = f"""
        import sys
        for line in sys.stdin:
            sys.stdout.write('{{"text": "one"}}\\n{{"text": "two"}}{end}')
            sys.stdout.flush()
    """
    agent = open_agent(program(here, twice), models=models)
    assert agent.answer(ASKED).text == "one"
    with pytest.raises(AgentFailed, match="a line that it was not asked for"):
        agent.answer([*ASKED, Turn("assistant", "one"), Turn("user", "And?")])


LAST_WORD = """
    import json, sys
    json.loads(sys.stdin.readline())
    looked = {{"name": "look", "arguments": {{"id": 1}}, "result": "shipped"}}
    print(json.dumps({{"text": "It was shipped.", "tools": [looked]}}), flush=True)
    {then}
"""


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("sys.exit('the database is gone')", "ended with exit code 1 after its last answer. It said: the database"),
        ("import os; os.abort()", "ended with exit code -6 after its last answer"),
        ("print('done')", "answered garbage: it wrote a line that it was not asked for"),
        ("print('done', flush=True); input()", "answered garbage: it wrote a line that it was not asked for"),
    ],
)
def test_what_goes_wrong_after_the_last_answer_is_an_error_too(
    here: Path, models: Models, then: str, said: str
) -> None:
    """It is known once the agent is asked for nothing more."""
    agent = open_agent(program(here, LAST_WORD.format(then=then)), models=models)
    assert agent.answer(ASKED).text == "It was shipped."
    assert isinstance(agent, Finishes)
    with pytest.raises(AgentFailed) as caught:
        agent.finish()
    assert said in str(caught.value)


@pytest.mark.parametrize("then", ["pass", "input()"])
def test_how_a_program_takes_the_end_of_its_input_is_no_crash(here: Path, models: Models, then: str) -> None:
    """One that goes on until it is ended, whatever it makes of that, has answered well."""
    agent = open_agent(program(here, LAST_WORD.format(then=then)), models=models)
    agent.answer(ASKED)
    assert isinstance(agent, Finishes)
    agent.finish()
    agent.finish()


def test_an_agent_that_was_ended_with_its_run_has_not_failed(here: Path) -> None:
    """A run that was stopped says nothing against its agent, and can be resumed."""
    with Models() as models:
        agent = open_agent(program(here, LAST_WORD.format(then="input()")), models=models)
        agent.answer(ASKED)
        models.stop.set()
        assert isinstance(agent, Finishes)
        with pytest.raises(DebateroomError, match="the run was stopped") as caught:
            agent.finish()
    assert not isinstance(caught.value, AgentFailed)


CRASHES = LAST_WORD.format(then="sys.exit(3)")
LOST = "ended with exit code 3 after its last answer."


def test_an_agent_that_crashes_after_its_last_answer_gets_no_verdict(here: Path) -> None:
    """The run is broken and no success; resumed, it does not become one."""
    (here / "driver.jsonl").write_text(json.dumps({"response": done()}))
    agent, wanted = program(here, CRASHES), {"goals": "It answers.", "opening": "Where is W1?"}
    with pytest.raises(AgentFailed, match=LOST) as caught:
        debateroom.simulate(wanted, agent=agent, model="scripted:driver.jsonl")
    assert (caught.value.exit_code, caught.value.hint) == (1, say("en", "lost_hint"))
    state = read(here / "active" / "simulation")
    assert (state.transcript.status, state.transcript.final_output) == ("failed", None)
    with pytest.raises(AgentFailed, match=LOST):
        resume(here / "active" / "simulation", settings.load({}))
    assert read(here / "active" / "simulation").transcript.final_output is None


def test_nor_does_it_deliver_or_pass_a_trial(here: Path) -> None:
    """A job fails, and a trial of an evaluation broke: it is in no figure."""
    agent = program(here, CRASHES)
    (here / "brief.md").write_text("You look after orders.")
    (here / "worker.jsonl").write_text(
        json.dumps({"call": "plan", "response": {"steps": ["ask", "say"]}}) + "\n"
        + json.dumps({"round": 1, "response": "Where is order W1?"}) + "\n"
        + json.dumps({"response": complete("It was shipped.")})
    )  # fmt: skip
    with pytest.raises(AgentFailed, match=LOST):
        debateroom.work("Find out where W1 is.", brief=here / "brief.md", agent=agent, model="scripted:worker.jsonl")
    assert journal(here / "active" / "work", "worker_failed")[0]["error"].endswith(LOST)
    assert not (here / "active" / "work" / "deliverable.md").exists()
    (here / "customer.jsonl").write_text(json.dumps({"response": "###STOP###"}))
    task = {"id": "T", "scenario": {"instruction": "Ask.", "opening": "Where is W1?"}}
    (here / "task.jsonl").write_text(json.dumps(task))
    tried = evaluate(here / "task.jsonl", agent=agent, customer="scripted:customer.jsonl")
    assert (tried.summary["figures"]["errors"], tried.summary["figures"]["valid"]) == (1, 0)


HANGS = """
    import os, subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    open("pids", "w").write(f"{os.getpid()} {child.pid}")
    time.sleep(600)
"""


def pids(here: Path) -> list[int]:
    until(lambda: (here / "pids").exists() and len((here / "pids").read_text().split()) == 2)
    return [int(each) for each in (here / "pids").read_text().split()]


def test_a_program_whose_time_is_over_is_killed_with_its_children(here: Path, models: Models) -> None:
    """A timed-out agent is really stopped, also when it never read the large message that it was sent."""
    agent = open_agent(program(here, HANGS), models=models)
    with pytest.raises(AgentFailed, match=r"gave no answer within 1\.5 s; it was ended"):
        agent.answer([Turn("user", "word " * 100_000)], until=clock.monotonic() + 1.5)
    until(lambda: not any(alive(pid) for pid in pids(here)))


def test_closing_the_models_ends_every_program(here: Path) -> None:
    """Nothing that was started for a run outlives it."""
    with Models() as models:
        agent = open_agent(program(here, ECHO), models=models)
        pid = int(agent.answer(ASKED).text.split()[0])
        assert alive(pid)
    assert not alive(pid)


def test_a_python_callable_answers_in_a_process_of_its_own(here: Path, models: Models) -> None:
    """Messages in; text, tools and state out. What it prints disturbs nothing."""
    module(
        here,
        """
        import os
        def desk(messages, session):
            print("thinking")
            return {"text": f"{os.getpid()} {session} {messages[-1]['content']}", "state": {"orders": 2},
                    "tool_calls": [{"name": "look", "arguments": "{\\"id\\": 1}", "result": "here", "ok": False}]}
        """,
    )
    agent = open_agent("python:mine:desk", models=models, session="s-9")
    answered = agent.answer(ASKED)
    number, *words = answered.text.split()
    assert (words, int(number) != os.getpid()) == (["s-9", "Where", "is", "W1?"], True)
    assert answered.tools == (ToolRecord("look", {"id": 1}, "here", False, 0.0),)
    assert answered.state == {"orders": 2}
    assert (agent.name, agent.model) == ("desk", "python:mine:desk")


@pytest.mark.parametrize(
    ("text", "text_back"),
    [
        ("async def desk(messages): return 'later'", "later"),
        ("class desk:\n    def __init__(self): self.n = 0\n    def __call__(self, messages): return 'made'", "made"),
    ],
)
def test_coroutines_and_classes_can_be_agents(here: Path, models: Models, text: str, text_back: str) -> None:
    """A text alone is an answer."""
    module(here, text)
    assert open_agent("python:mine:desk", models=models).answer(ASKED).text == text_back


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def desk(messages): raise KeyError('order')", "The agent desk failed: KeyError: 'order'"),
        ("def desk(messages): raise SystemExit(0)", "The agent desk failed: SystemExit: 0"),
        ("import os\ndef desk(messages): os._exit(3)", "ended with exit code 3"),
        ("def desk(messages): return None", "answered garbage: its answer has no `text`"),
        ("def desk(messages): return {'text': 'x', 'state': {(1, 2): 3}}", "its answer is not JSON"),
        ("import no_such_module_here\ndef desk(messages): ...", "cannot be imported"),
        ("if False:\n    def desk(messages): ...", "the module mine has no desk"),
    ],
)
def test_what_a_callable_raises_is_an_error_of_the_run(here: Path, models: Models, text: str, said: str) -> None:
    """Whatever it does, it is no answer, and this process goes on."""
    module(here, text)
    with pytest.raises(AgentFailed) as caught:
        open_agent("python:mine:desk", models=models).answer(ASKED)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def other(): ...", "python:mine:desk: the module mine has no desk"),
        ("raise SystemExit(open('ran', 'w'))", "the module mine has no desk"),
        ("def desk(:", "the module mine is not Python that can be read"),
    ],
)
def test_a_callable_that_surely_is_not_there_is_told_at_once(
    here: Path, models: Models, text: str, said: str
) -> None:
    """Seen without running the module."""
    module(here, text)
    with pytest.raises(UsageError) as caught:
        open_agent("python:mine:desk", models=models)
    assert said in str(caught.value)
    assert "put mine.py into" in str(caught.value.hint)
    assert not (here / "ran").exists()


@pytest.mark.parametrize(
    "text",
    [
        "from os.path import join as desk", "import desk.books", "from x import *", "desk = lambda messages: ''",
        "globals()['de' + 'sk'] = print", "def __getattr__(name): ...", "class desk: ...",
    ],
)  # fmt: skip
def test_a_callable_that_may_be_there_is_not_refused(here: Path, models: Models, text: str) -> None:
    """However its module gets it."""
    module(here, text)
    assert open_agent("python:mine:desk", models=models).name == "desk"


def test_a_callable_that_hangs_is_killed(here: Path, models: Models) -> None:
    """In this process it could not be stopped; in its own it is."""
    module(
        here, "import os, time\ndef desk(messages):\n    open('pids','w').write(f'{os.getpid()} 0'); time.sleep(600)"
    )
    agent = open_agent("python:mine:desk", models=models)
    with pytest.raises(AgentFailed, match="gave no answer within 4 s"):
        agent.answer(ASKED, until=clock.monotonic() + 4)
    until(lambda: not alive(pids(here)[0]))


def scripted(here: Path, models: Models, *lines: dict[str, Any]) -> Agent:
    (here / "agent.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return open_agent("scripted:agent.jsonl", models=models)


def test_a_script_is_an_agent_with_the_tools_it_says_it_executed(here: Path, models: Models) -> None:
    """Turn by turn; a call without a result was not executed."""
    calls = [{"name": "look", "arguments": {"id": 1}, "result": {"n": 2}}, {"name": "not_run", "arguments": {}}]
    agent = scripted(
        here,
        models,
        {"agent": "agent", "round": 1, "response": "Here.", "calls": calls, "state": {"n": 2}},
        {"agent": "agent", "round": 2, "error": "the server is down"},
    )
    answered = agent.answer(ASKED)
    assert (answered.text, answered.state) == ("Here.", {"n": 2})
    assert answered.tools == (ToolRecord("look", {"id": 1}, '{"n":2}', True, 0.0),)
    talk = [*ASKED, Turn("assistant", "Here."), Turn("user", "And?")]
    with pytest.raises(AgentFailed, match="failed: the server is down"):
        agent.answer(talk)
    with pytest.raises(AgentFailed, match="has no reply of agent in turn 3"):
        agent.answer([*talk, Turn("user", "Hello?")])


def test_a_script_that_is_slow_runs_out_of_time(here: Path, models: Models) -> None:
    """The wait ends with the time, not with the script's."""
    agent = scripted(here, models, {"agent": "agent", "response": "late", "seconds": 500})
    with pytest.raises(AgentFailed, match=r"no answer within 0\.1 s"):
        agent.answer(ASKED, until=clock.monotonic() + 0.1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("command:no-such-program-here", "There is no program no-such-program-here"),
        ("command:'open", "cannot be read"),
        ("python:mine", "is not written as python:module:callable"),
        ("scripted:nowhere.jsonl", "cannot be read"),
        ("http://", "is no address of an agent"),
        ("http://[::1", "is no address of an agent"),
        ("http://localhost:port/v1", "is no address of an agent"),
        ("http://me:hunter2@127.0.0.1:1/v1", "it may hold no login"),
        ("missing.yaml", "missing.yaml cannot be read"),
        (
            "python:no_such_module_here:desk",
            "python:no_such_module_here:desk: there is no module no_such_module_here",
        ),
        ("python:no_module_here.inner:desk", "there is no module no_module_here.inner"),
    ],
)
def test_what_names_no_agent_is_an_error_of_usage(here: Path, models: Models, text: str, said: str) -> None:
    """Before anything is asked."""
    with pytest.raises(UsageError, match=said):
        open_agent(text, models=models)


def test_a_start_needs_a_file(here: Path, models: Models) -> None:
    """Only a file has several agents."""
    with pytest.raises(UsageError, match="--start names an agent of a YAML file"):
        open_agent("python:mine:desk", models=models, start="books")


def test_an_address_is_asked_with_the_conversation(
    here: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through Chat Completions, with a key of its own and never a vendor's; the session is the user."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-vendor-000000")
    monkeypatch.setenv("DEBATEROOM_AGENT_KEY", "key-of-the-agent")
    with VendorServer("It was shipped.", key="key-of-the-agent") as server:
        agent = open_agent(f"{server.openai_url}/chat/completions", models=models, model="desk-2", session="s-1")
        talk = [*ASKED, Turn("assistant", "W1?"), Turn("user", "Yes.")]
        answered = agent.answer(talk)
        (seen,) = server.calls
    assert (answered.text, answered.tools, answered.model) == ("It was shipped.", (), "desk-2")
    assert answered.usage.output == 4
    assert (seen.model, seen.body["user"]) == ("desk-2", "s-1")
    assert [message["role"] for message in seen.body["messages"]] == ["user", "assistant", "user"]
    assert (agent.name, agent.model) == ("agent", server.openai_url)


@pytest.mark.parametrize("stream", [True, False])
def test_an_address_may_tell_which_tools_it_ran(here: Path, models: Models, stream: bool) -> None:
    """In a key beside `choices`, in a chunk or in the whole answer."""
    told = {"tools": [{"name": "look", "arguments": {"id": 1}, "result": "here"}], "state": {"n": 1}}
    choice = {"index": 0, "finish_reason": "stop"}
    said = {"choices": [{**choice, "message": {"content": "Here."}}], "agent": told}
    if stream:
        chunks = [{"choices": [{"index": 0, "delta": {"content": "Here."}}]}, {"choices": [choice], "agent": told}]
        body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        page = Page(body.encode(), "text/event-stream")
    else:
        page = Page(json.dumps(said).encode(), "application/json")
    with VendorServer(page) as server:
        answered = open_agent(server.openai_url, models=models).answer(ASKED)
    assert (answered.text, answered.state) == ("Here.", {"n": 1})
    assert answered.tools == (ToolRecord("look", {"id": 1}, "here", True, 0.0),)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (HttpError(500), "had an error of its own"),
        (HttpError(429), "the rate limit is reached"),
        (HttpError(401), "refused the key"),
        (Cut(), "broke off before its end"),
        (Page(b"<html>hello</html>", "text/html"), "sent something else, perhaps a web page"),
        (Page(b"{not json", "application/json"), "damaged and could not be read"),
        (Page(b"[]", "application/json"), "sent something else"),
        (Reply("", calls=(("look", "{}"),)), "gave an empty answer"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_what_an_address_breaks_is_an_error_and_not_asked_again(
    here: Path, models: Models, said: Any, why: str
) -> None:
    """Once: a second time could do a second time what the first one did."""
    with VendorServer(said) as server:
        with pytest.raises(AgentFailed) as caught:
            open_agent(server.openai_url, models=models).answer(ASKED)
        assert len(server.calls) == 1
    assert why in str(caught.value)


def test_an_address_whose_time_is_over_is_hung_up_on(here: Path, models: Models) -> None:
    """The request is cancelled: the server sees that nobody is there any more."""
    with VendorServer("late", latency=600) as server:
        with pytest.raises(AgentFailed, match="did not answer in time"):
            open_agent(server.openai_url, models=models).answer(ASKED, until=clock.monotonic() + 0.3)
        until(lambda: server.calls[0].gone)


def test_the_time_of_a_call_ends_every_agent_from_outside(here: Path, models: Models) -> None:
    """`--call-timeout` holds for all of them, with more time left for the run or with no end to it."""
    module(here, "import time\ndef desk(messages): time.sleep(600)")
    (here / "agent.jsonl").write_text('{"agent": "agent", "response": "late", "seconds": 500}')
    with VendorServer("late", latency=600) as server:
        for name in (program(here, HANGS), "python:mine:desk", "scripted:agent.jsonl", server.openai_url):
            agent = open_agent(name, models=models, call_timeout=0.2)
            with pytest.raises(AgentFailed, match=r"no answer within 0\.2 s|did not answer in time"):
                agent.answer(ASKED, until=clock.monotonic() + 600)
        until(lambda: server.calls[0].gone)


def test_a_run_gives_its_time_of_a_call_to_its_agent(here: Path) -> None:
    """In a dialogue, in one that is resumed, and in an evaluation: what the program is told is what it has."""
    tells = """
        import json, sys
        for line in sys.stdin:
            print(json.dumps({"text": f"I have {json.loads(line)['seconds']} seconds."}), flush=True)
    """
    agent, wanted = program(here, tells), {"goals": "It answers.", "opening": "How long?"}
    (here / "driver.jsonl").write_text(json.dumps({"response": done()}))
    simulated = debateroom.simulate(wanted, agent=agent, model="scripted:driver.jsonl", call_timeout=7.5)
    assert simulated.transcript.rounds[0].entries[1].response == "I have 7.5 seconds."
    events = simulated.folder / "journal.jsonl"
    events.write_text(events.read_text().splitlines(keepends=True)[0])
    with activities.open_models(settings.load({})) as models:
        plan = from_event(opening_event(simulated.folder))
        resumed = dialogues.play(lambda: Room.reopen(simulated.folder), plan, models)
    assert resumed.transcript.rounds[0].entries[1].response == "I have 7.5 seconds."
    (here / "customer.jsonl").write_text(json.dumps({"response": "###STOP###"}))
    task = {"id": "T", "scenario": {"instruction": "Ask.", "opening": "How long?"}}
    (here / "task.jsonl").write_text(json.dumps(task))
    tried = evaluate(here / "task.jsonl", agent=agent, customer="scripted:customer.jsonl", call_timeout=7.5)
    assert "I have 7.5 seconds." in (tried.folder / "journal.jsonl").read_text()


def test_an_address_where_nobody_is_is_named(here: Path, models: Models) -> None:
    """With what would help."""
    with VendorServer("x") as server:
        url = server.openai_url
    with pytest.raises(AgentFailed, match="The connection to 127") as caught:
        open_agent(url, models=models).answer(ASKED)
    assert caught.value.hint == f"check that {url} can be reached from here"
