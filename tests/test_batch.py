"""`debateroom batch`: the file of questions, rooms that go on, the budget shared, what is left on disk."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from debates import APART, QUESTION, SURE, SYNTHESIS, Serve, run
from vendor import Call, debate_script, place_of
from vendor.faults import HttpError, Silent

from debateroom.batch import questions
from debateroom.batch.questions import together
from debateroom.batch.shares import Shares
from debateroom.errors import UsageError
from debateroom.report import batch as page
from debateroom.room.lock import take

REPLY = "POSITION: x\nREASONING: y\nPROPOSAL: Use a queue.\nCONCERNS: none\nENDORSES: Agent A\nCONFIDENCE: 9"
SMALL = ("-n", "2", "-r", "1", "-q")


@pytest.fixture
def file(here: Path) -> Path:
    """Three questions, and a script that answers all."""
    Path("r.jsonl").write_text(json.dumps({"default": True, "response": REPLY}))
    lines: list[Any] = [
        QUESTION,
        {"question": "Monolith or services for a team of four?", "id": "services", "agents": 3},
        {"question": "Tabs or spaces in our code base?", "rounds": 2, "note": "We are five."},
    ]
    return written(lines)


def written(lines: list[Any]) -> Path:
    """A file of questions."""
    path = Path("q.jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def summary(name: str = "q") -> list[dict[str, Any]]:
    """The lines of `summary.jsonl`."""
    text = Path("active", name, "summary.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_each_question_gets_a_room(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its own settings, a line in the summary, and a link on the page."""
    code, out, err = run(capsys, "batch", str(file), *SMALL[:4], "--model", "scripted:r.jsonl")
    assert (code, err.splitlines()[0]) == (0, "3 debates, 32 at once; 0 are done already")
    assert [line.split(" ")[0] for line in err.splitlines()[1:]] == ["1", "2", "3"]
    assert out.startswith("3 of 3 debates are done: 3 unanimous. 0.00 US dollars.")
    found = {each["id"]: each for each in summary()}
    assert set(found) == {"001", "services", "003"}
    assert [found[name]["agents"] for name in ("001", "services", "003")] == [2, 3, 2]
    chat = json.loads(Path("active/q/003/chat.json").read_text())
    assert "We are five." in chat["context"]
    index = Path("active/q/index.html").read_text()
    assert 'href="services/chatroom_report.html"' in index
    assert "3 of 3 debates are done" in index


def test_a_second_run_asks_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is done stays as it was written, to the byte; the object of --json says the same."""
    command = ("batch", str(file), *SMALL, "--model", "scripted:r.jsonl", "--json")
    first = json.loads(run(capsys, *command)[1])
    before = {path: path.read_bytes() for path in Path("active").rglob("journal.jsonl")}
    assert len(before) == 3
    again = json.loads(run(capsys, *command)[1])
    assert again == first
    assert (again["done"], again["failed"], again["exit_code"]) == (3, 0, 0)
    assert {path: path.read_bytes() for path in before} == before


def test_a_failed_debate_is_told_and_goes_on(here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1 names it; the same command asks for nothing but what had failed."""
    down = threading.Event()
    down.set()
    script = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)

    def answer(call: Call) -> Any:
        return HttpError(400) if down.is_set() and "spaces" in asked_on(call) else script(call)

    server = serve(answer)
    written([QUESTION, {"question": "Tabs or spaces in our code base?", "id": "tabs"}])
    code, _, err = run(capsys, "batch", "q.jsonl", *SMALL, "--model", "sonnet")
    assert code == 1
    assert "1 debate failed: tabs" in err
    assert "debateroom batch q.jsonl" in err
    assert {each["id"]: each["ok"] for each in summary()} == {"001": True, "tabs": False}
    down.clear()
    asked = len(server.calls)
    assert run(capsys, "batch", "q.jsonl", *SMALL, "--model", "sonnet")[0] == 0
    assert all("spaces" in asked_on(call) for call in server.calls[asked:])
    assert {each["id"]: each["ok"] for each in summary()} == {"001": True, "tabs": True}


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (['"a question?"', "{"], "q.jsonl:2: this is no JSON"),
        (["[1]"], "q.jsonl:1: neither a text nor an object"),
        (['{"id": "a"}'], "q.jsonl:1: there is no `question`"),
        (['{"question": "x?", "id": "a"}', '{"question": "y?", "id": "A"}'], "q.jsonl:2: the id 'A' is taken"),
        (['{"question": "x or y?", "id": "../a"}'], "q.jsonl:1: the id '../a' is no name"),
        (['{"question": "x or y?", "id": "Summary.jsonl"}'], "q.jsonl:1: the id 'Summary.jsonl' is no name"),
        (['{"question": "x or y?", "id": "a\\u001b[1m"}'], "q.jsonl:1: the id 'a\\x1b[1m' is no name"),
        (['{"question": "x or y?", "id": true}'], "q.jsonl:1: the id True is no name"),
        (['{"question": "x or y?", "agnets": 3}'], "q.jsonl:1: there is no setting `agnets`"),
        (['{"question": "x or y?", "openai_base_url": "http://e.org"}'], "q.jsonl:1: a line cannot set"),
        (['{"question": "x or y?", "tools": "read"}'], "q.jsonl:1: a line cannot set `tools`"),
        (['{"question": "x or y?", "context": "-"}'], "q.jsonl:1: a line cannot read standard input"),
        ([""], "q.jsonl has no question"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_used_is_named(here: Path, lines: list[str], told: str) -> None:
    """File and line come first."""
    Path("q.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        questions.read("q.jsonl")
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ({"question": "Queue or loop?", "rounds": 0}, 2, "q.jsonl:2: --rounds is 0"),
        ({"question": "Queue or loop?", "model": "nobody:x"}, 4, "q.jsonl:2: "),
        ({"question": "performance"}, 8, "q.jsonl:2: "),
        ({"question": "Queue or loop?", "context": "nowhere.txt"}, 2, "q.jsonl:2: "),
    ],
)
def test_nothing_is_asked_before_all_is_planned(
    file: Path, capsys: pytest.CaptureFixture[str], line: Any, code: int, told: str
) -> None:
    """One bad line, and no room is made."""
    written([QUESTION, line])
    found = run(capsys, "batch", "q.jsonl", *SMALL, "--model", "scripted:r.jsonl")
    assert found[0] == code
    assert told in found[2]
    assert not list(Path("active").rglob("journal.jsonl"))


def test_a_room_of_another_question_is_not_taken(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file whose lines moved does not mix up its rooms."""
    command = ("batch", "q.jsonl", *SMALL, "--model", "scripted:r.jsonl")
    assert run(capsys, *command)[0] == 0
    written(["Tabs or spaces in our code base?"])
    code, _, err = run(capsys, *command)
    assert code == 2
    assert "q.jsonl:1: the room" in err
    assert "--room NAME" in err
    assert run(capsys, *command, "--room", "other")[0] == 0
    assert [each["id"] for each in summary("other")] == ["001"]


def test_one_process_at_a_time(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second one ends with 6, and a folder that is a room is no batch."""
    Path("active/q").mkdir(parents=True)
    lock = take(Path("active/q"))
    assert run(capsys, "batch", "q.jsonl", *SMALL, "--model", "scripted:r.jsonl")[0] == 6
    lock.release()
    assert run(capsys, QUESTION, *SMALL, "--model", "scripted:r.jsonl", "--room", "q")[0] == 0
    code, _, err = run(capsys, "batch", "q.jsonl", *SMALL, "--model", "scripted:r.jsonl")
    assert code == 2
    assert "is a room" in err


def test_shares_of_a_budget() -> None:
    """Equal shares of what nobody has spent or been promised; what one did not need is there for the next."""
    shares = Shares(9.0, 3)
    first = shares.take(None)
    assert first == 3.0
    shares.settle(first, 1.0)
    assert shares.take(None) == 4.0
    assert shares.take(2.5) == 2.5
    begun = Shares(9.0, 2)
    begun.promise(5.0)
    assert begun.take(None) == 4.0
    assert Shares(None, 2).take(0.5) == 0.5
    unknown = Shares(4.0, 2)
    unknown.settle(unknown.take(None), None)
    assert unknown.take(None) == 2.0
    over = Shares(1.0, 1)
    over.settle(0.0, 3.0)
    assert over.take(None) == 0.0


def test_a_budget_is_for_the_whole_batch(here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """All debates together stay below it; those that it does not hold are failed items, and a larger one goes on."""
    serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    written([QUESTION, "Tabs or spaces in our code base?", "Monolith or services for a team of four?"])
    command = ("batch", "q.jsonl", *SMALL, "--model", "sonnet", "--concurrency", "1")
    code, _, err = run(capsys, *command, "--budget", "0.0001")
    assert code == 1
    assert "3 debates failed" in err
    assert not list(Path("active").rglob("journal.jsonl"))
    assert {each["exit_code"] for each in summary()} == {7}
    assert run(capsys, *command, "--budget", "3")[0] == 0
    budgets = [json.loads(path.read_text().splitlines()[0])["settings"]["budget"] for path in journals()]
    assert budgets[0] == 1.0
    assert 1.0 < budgets[1] < budgets[2]
    costs = [each["cost"] for each in summary()]
    assert budgets[2] == pytest.approx(3.0 - costs[0] - costs[1], abs=1e-3)  # the last one gets what is left


def asked_on(call: Call) -> str:
    """All that the model was told."""
    return "\n".join(call.prompt)


def journals() -> list[Path]:
    """Of all rooms, by id."""
    return sorted(Path("active/q").glob("*/journal.jsonl"))


def test_the_page_shows_hostile_text_as_text(here: Path) -> None:
    """Nothing that a model or a file wrote is markup or leaves the batch's folder."""
    value = {"exit_code": 0, "outcome": "<b>x</b>", "recommended_action": "<script>alert(1)</script>", "cost": None}
    rows = [
        page.Row("a b", "<img src=x onerror=alert(1)>?", value, "a b/chatroom_report.html"),
        page.Row("c", "Not over?", None, ""),
        page.Row("d", "Down?", {"exit_code": 5, "error": "<i>no</i>"}, ""),
    ]
    for language in ("en", "fr", "zh"):
        text = page.render("<q>", rows, language)
        assert 'href="a%20b/chatroom_report.html"' in text
        assert "&lt;script&gt;alert(1)" in text
        assert "default-src &#39;none&#39;" in text
        for mark in ("<script", "<img", "<b>", "<i>", "<q>"):
            assert mark not in text


def test_context_and_notes_of_a_line_are_added(here: Path) -> None:
    """All other settings stand in place of the batch's."""
    line = questions.Question("a", "x?", {"note": ["mine"], "rounds": 1}, "q.jsonl:1")
    assert together({"note": ("all",), "rounds": 4, "agents": 2}, line) == {
        "note": ["all", "mine"], "rounds": 1, "agents": 2,
    }  # fmt: skip


class Gate:
    """Answers as a script does; in round 2 it says nothing until it is opened."""

    def __init__(self, seats: int) -> None:
        self._script = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)
        self._open = threading.Event()
        self._came = threading.Semaphore(0)
        self._seats = seats

    def __call__(self, call: Call) -> Any:
        if is_seat(call, 2) and not self._open.is_set():
            self._came.release()
            return Silent()
        return self._script(call)

    def wait(self) -> None:
        """Until all seats wait in round 2."""
        for _ in range(self._seats):
            assert self._came.acquire(timeout=20)

    def open(self) -> None:
        """Lets everything pass from now on."""
        self._open.set()


def is_seat(call: Call, round_: int) -> bool:
    """Whether a seat is asked for its reply of that round."""
    place = place_of(call)
    return call.schema is None and place is not None and place.round == round_


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_batch_that_was_stopped_goes_on(
    here: Path, serve: Serve, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    """No answer that is in a journal is asked for again, and Ctrl-C says how to go on."""
    gate = Gate(seats=4)
    server = serve(gate)
    written([QUESTION, "Tabs or spaces in our code base?"])
    command = ["batch", "q.jsonl", "-n", "2", "-r", "2", "--model", "sonnet"]
    process = subprocess.Popen(
        [sys.executable, "-m", "debateroom", *command], env=os.environ | python_path(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    gate.wait()
    process.send_signal(number)
    _, err = process.communicate(timeout=10)
    gate.open()
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "debateroom batch q.jsonl" in err.splitlines()[-1]
    asked = len(server.calls)
    assert run(capsys, *command, "-q")[0] == 0
    assert not any(is_seat(call, 1) for call in server.calls[asked:])
    assert len(summary()) == 2


def python_path() -> dict[str, str]:
    """So that another process finds the package."""
    return {"PYTHONPATH": str(Path(__file__).parents[1])}


def test_time_over_leaves_debates_to_go_on(here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 124; what is under way is interrupted, not concluded."""
    gate = Gate(seats=2)
    serve(gate)
    written([QUESTION])
    command = ("batch", "q.jsonl", "-n", "2", "-r", "2", "--model", "sonnet", "-q")
    code, _, err = run(capsys, *command, "--timeout", "0.5")
    gate.open()
    assert code == 124
    assert "the time was over with 1 debate not done" in err
    assert not summary()


def test_what_the_readme_shows(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its file of questions, and what is said of it, but for how long it takes."""
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("## Many debates")[2].partition("```\n")[2].partition("```")[0]
    _, questions_, told, again = shown.split("$ ")
    Path("questions.jsonl").write_text(questions_.partition("\n")[2], encoding="utf-8")
    proposals = {"A": ("A", 9), "B": ("A", 8), "C": ("C", 6)}
    replies = [
        {"agent": f"Agent {seat}", "response": f"PROPOSAL: y\nENDORSES: Agent {whose}\nCONFIDENCE: {sure}"}
        for seat, (whose, sure) in proposals.items()
    ]
    Path("replies.jsonl").write_text("".join(json.dumps(each) + "\n" for each in replies), encoding="utf-8")
    for block in (told, again):
        command, _, expected = block.partition("\n")
        words = shlex.split(command.partition(" | ")[0])
        code, out, err = run(capsys, *words[1:])
        assert code == 0
        said = re.sub(r"about \d+ s", "about N s", err + out).replace(str(here), "/home/you/project")
        assert said.startswith(re.sub(r"about \d+ s", "about N s", expected))


def test_a_dry_run_asks_nobody(here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """A row a debate, all together, half of it in batches; what is done is left out, and nothing is made on disk."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    written([QUESTION, {"question": "Tabs or spaces in our code base?", "id": "tabs", "agents": 4}])
    command = ("batch", "q.jsonl", "-n", "2", "-r", "1", "--model", "sonnet", "--dry-run")
    code, out, _ = run(capsys, *command)
    assert code == 0
    rows = {line.split("  ")[0]: line.split() for line in out.splitlines() if line}
    assert int(rows["001"][1]) + int(rows["tabs"][1]) == int(rows["all debates"][2])
    assert "2 debates would be played; 0 are done already." in out
    assert not server.calls
    assert not Path("active").exists()
    assert run(capsys, *command[:-1], "-q")[0] == 0
    asked = len(server.calls)
    written([QUESTION, {"question": "Monolith or services for a team of four?", "id": "new"}])
    whole = json.loads(run(capsys, *command, "--json", "--budget", "9")[1])
    assert [each["id"] for each in whole["rooms"]] == ["new"]
    assert (whole["done"], whole["within_budget"]) == (1, 1)
    half = json.loads(run(capsys, *command, "--json", "--provider-batch")[1])
    assert half["worst_case"]["cost"] < 0.6 * whole["worst_case"]["cost"]
    assert len(server.calls) == asked


def test_a_dry_run_of_many_shows_their_sum(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And without a key says which one is missing, once."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    written([f"Should service number {number} use a queue or a loop?" for number in range(30)])
    code, out, err = run(capsys, "batch", "q.jsonl", "--model", "sonnet", "--dry-run")
    assert code == 0
    assert "all debates" in out
    assert "001" not in out
    assert err == "there is no key for anthropic: debateroom keys set anthropic\n"
