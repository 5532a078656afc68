"""`debateroom batch --provider-batch`: a round of all debates is one batch, at half price, and survives a kill."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from debates import APART, SURE, SYNTHESIS, Serve, broken_off, run
from vendor import Call, Reply, debate_script, place_of
from vendor.batches import Unanswered
from vendor.faults import HttpError

from debateroom.batch import planning
from debateroom.models.batch_log import FILE

QUESTIONS = [f"Should service number {number} use a queue or a loop?" for number in range(4)]
COMMAND = ("batch", "q.jsonl", "-n", "3", "-r", "2", "--provider-batch", "--poll", "0.01")
LOG = Path("active/q", FILE)


def written(questions: list[Any]) -> None:
    """The file of questions."""
    Path("q.jsonl").write_text("".join(json.dumps(each) + "\n" for each in questions), encoding="utf-8")


def events(name: str) -> list[dict[str, Any]]:
    """The events of a kind in the log."""
    return [each for each in map(json.loads, LOG.read_text().splitlines()) if each["event"] == name]


@pytest.mark.parametrize("model", ["sonnet", "gpt"])
def test_a_round_of_all_debates_is_one_batch(
    here: Path, serve: Serve, capsys: pytest.CaptureFixture[str], model: str
) -> None:
    """R in sequence, the moderator's calls and the conclusions likewise; half of what the same costs one by one."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS), cache_minimum=10**9)
    written(QUESTIONS)
    code, _, err = run(capsys, *COMMAND, "--model", model)
    assert code == 0, err
    assert [len(batch.items) for batch in server.batches.all] == [12, 4, 12, 4, 4]
    assert not [call for call in server.calls if call.stream]
    rounds = [{place_of(call).round for call in server.calls[start : start + 12]} for start in (0, 16)]  # type: ignore[union-attr]
    assert rounds == [{1}, {2}]
    assert "at half the price: about 5 one after the other" in err
    assert "round 2, 12 calls in the batch" in err
    assert re.search(r"all expected by \d\d:\d\d", err)
    halved = [json.loads(line)["cost"] for line in Path("active/q/summary.jsonl").read_text().splitlines()]
    assert run(capsys, "batch", "q.jsonl", "-n", "3", "-r", "2", "--room", "direct", "--model", model)[0] == 0
    whole = [json.loads(line)["cost"] for line in Path("active/direct/summary.jsonl").read_text().splitlines()]
    assert sum(halved) == pytest.approx(sum(whole) / 2, rel=0.01)
    opened = json.loads(Path("active/q/001/journal.jsonl").read_text().splitlines()[0])
    other = json.loads(Path("active/direct/001/journal.jsonl").read_text().splitlines()[0])
    assert (
        0.4 * other["forecast"]["cost"] < opened["forecast"]["cost"] < 0.7 * other["forecast"]["cost"]
    )  # what no cache saves


def test_every_call_has_its_place_in_the_log(here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """`custom_id` is a hash that fits both vendors, and the log says of which room, round and seat."""
    server = serve(debate_script())
    written(QUESTIONS[:2])
    assert run(capsys, *COMMAND, "--model", "sonnet", "--moderator", "none")[0] == 0
    noted = [item for event in events("submitting") for item in event["items"]]
    assert [item["id"] for item in noted] == [name for batch in server.batches.all for name in batch.ids]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", item["id"]) for item in noted)
    assert len({item["id"] for item in noted}) == 12
    rooms = {
        json.loads(path.read_text().splitlines()[0])["uuid"] for path in Path("active/q").glob("*/journal.jsonl")
    }
    assert {item["room"] for item in noted} == rooms
    assert {(item["call"], item["agent"], item["round"]) for item in noted} == {
        ("seat", f"Agent {seat}", number) for seat in "ABC" for number in (1, 2)
    }
    assert os.environ["ANTHROPIC_API_KEY"] not in LOG.read_text()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_goes_on_with_its_batch(
    here: Path, serve: Serve, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    """The same batch is waited for; nothing is handed over or paid twice."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    server.batches.open = False
    written(QUESTIONS[:2])
    command = [*COMMAND, "--model", "sonnet"]
    code, err = broken_off(server, command, number)
    if number == signal.SIGINT:
        assert code == 130
        assert err.splitlines()[-1].endswith(f"debateroom {' '.join(command)}")
    server.batches.open = True
    code, _, err = run(capsys, *command)
    assert code == 0, err
    assert f"the batch {server.batches.all[0].id} of an earlier run" in err
    assert [len(batch.items) for batch in server.batches.all] == [6, 2, 6, 2, 2]
    assert len(server.calls) == 18


def test_what_fails_is_asked_again_or_a_failure_of_its_seat(
    here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """An expired call is handed over once more; one that is refused for good fails its seat alone."""
    script, expired = debate_script(), [True]

    def reply(call: Call) -> Any:
        place = place_of(call)
        if place == ("Agent B", 1) and QUESTIONS[0] in "".join(call.prompt) and expired:
            expired.clear()
            return Unanswered()
        return HttpError(400) if place == ("Agent C", 2) and QUESTIONS[1] in "".join(call.prompt) else script(call)

    server = serve(reply)
    written(QUESTIONS[:2])
    code, _, err = run(capsys, *COMMAND, "--model", "sonnet", "--moderator", "none")
    assert code == 0, err
    assert [len(batch.items) for batch in server.batches.all] == [6, 1, 6]
    chats = [json.loads(Path(f"active/q/00{number}/chat.json").read_text()) for number in (1, 2)]
    assert [len(each["entries"]) for each in chats[0]["rounds"]] == [3, 3]
    assert [len(each["entries"]) for each in chats[1]["rounds"]] == [3, 2]
    (failure,) = chats[1]["rounds"][1]["failures"]
    assert failure["agent"] == "Agent C"
    assert "did not accept the call" in failure["reason"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--model", "scripted:r.jsonl"), "scripted:r.jsonl is asked here, and no provider takes batches"),
        (("--model", "command:cat"), "command:cat is asked here"),
        (
            ("--model", "sonnet", "--role", "a", "--role", "b", "--role", "c@scripted:r.jsonl"),
            "scripted:r.jsonl is asked",
        ),
        (("--model", "sonnet", "--cluster", "tcp://h:1"), "--cluster to workers"),
        (("--model", "sonnet", "--call-timeout", "9"), "--call-timeout is for calls that are made one by one"),
        (("--model", "sonnet", "--poll", "0"), "--poll is 0.0: it must be more than 0"),
    ],
)
def test_what_cannot_go_into_batches_is_said(
    here: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], told: str
) -> None:
    """Exit code 2, what would do, and no room."""
    Path("r.jsonl").write_text(json.dumps({"default": True, "response": "PROPOSAL: x"}))
    written(QUESTIONS[:1])
    code, _, err = run(capsys, *COMMAND[:-2], *more)
    assert code == 2
    assert told in err
    assert "next:" in err
    assert not list(Path("active").rglob("journal.jsonl"))


def test_a_debate_goes_on_as_it_was_begun(here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """With or without batches: a room alone cannot wait for a batch, and no call of one is made a second time."""
    server = serve(debate_script(SURE, moderator=APART, synthesis=SYNTHESIS))
    server.batches.open = False
    written(QUESTIONS[:1])
    assert run(capsys, *COMMAND, "--model", "sonnet", "--timeout", "0.5")[0] == 124
    code, _, err = run(capsys, "batch", "q.jsonl", "-n", "3", "-r", "2", "--model", "sonnet")
    assert code == 2
    assert "was begun with --provider-batch" in err
    code, _, err = run(capsys, "resume", "active/q/001")
    assert code == 2
    assert "--provider-batch" in err
    assert not server.calls
    server.batches.open = True
    assert run(capsys, *COMMAND, "--model", "sonnet")[0] == 0
    assert len(server.batches.all) == 5


def test_more_debates_than_go_on_together_come_in_waves(
    here: Path, serve: Serve, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next ones begin when all of the first are over, not one by one beside them."""
    monkeypatch.setattr(planning, "MOST_TOGETHER", 3)
    server = serve(debate_script())
    written(QUESTIONS)
    assert run(capsys, *COMMAND, "--model", "sonnet", "--moderator", "none", "-q")[0] == 0
    assert [len(batch.items) for batch in server.batches.all] == [9, 9, 3, 3]


def test_two_vendors_in_one_room(here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Each gets a batch of its own in every round, and the next round waits for both."""
    server = serve(debate_script())
    written(QUESTIONS[:2])
    code, _, err = run(capsys, *COMMAND, "--mixed", "sonnet,gpt", "--moderator", "none")
    assert code == 0, err
    assert sorted((batch.vendor, len(batch.items)) for batch in server.batches.all[:2]) == [
        ("anthropic", 4), ("openai", 2),
    ]  # fmt: skip
    assert len(server.batches.all) == 4


def test_a_budget_is_counted_at_half_the_price(here: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """The same dollars hold a debate in batches that they do not hold one by one."""
    serve(debate_script())
    written(QUESTIONS[:1])
    command = ("batch", "q.jsonl", "-n", "3", "-r", "1", "--model", "sonnet", "--moderator", "none", "-q")
    held = []
    for dollars in ("0.02", "0.05", "0.08", "0.12"):
        for batched in ((), ("--provider-batch", "--poll", "0.01")):
            code = run(capsys, *command, *batched, "--budget", dollars, "--room", f"b{len(held)}")[0]
            held.append((dollars, bool(batched), code))
    direct = [float(dollars) for dollars, batched, code in held if not batched and code == 0]
    in_batches = [float(dollars) for dollars, batched, code in held if batched and code == 0]
    assert min(in_batches) < min(direct)


@pytest.mark.parametrize(
    ("more", "least"),
    [
        (("--tools", "read"), 2),
        (("--baseline", "2", "--moderator", "none"), 3),
        (("--devil", "--moderator", "none"), 2),
    ],
)
def test_everything_that_a_debate_asks_goes_into_batches(
    here: Path, serve: Serve, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], least: int
) -> None:
    """Look-ups, single answers, the attack by order: no call is made by itself."""
    Path("note.txt").write_text("We have a queue.")
    script = debate_script(SURE, moderator=APART, synthesis=SYNTHESIS)

    def reply(call: Call) -> Any:
        if call.tools and len(call.body["messages"]) == 1:
            return Reply("", calls=(("read_file", json.dumps({"path": "note.txt"})),))
        return (
            "OPTION: Use a queue.\nWHY: x\nCONFIDENCE: 8"
            if place_of(call) is None and not call.schema
            else script(call)
        )

    server = serve(reply)
    written(QUESTIONS[:2])
    code, _, err = run(capsys, *COMMAND, "--model", "sonnet", *more)
    assert code == 0, err
    assert len(server.batches.all) >= least
    assert len(server.calls) == sum(len(batch.items) for batch in server.batches.all)
    assert not [call for call in server.calls if call.stream]
