"""Faults in a whole debate: what is tried again, what ends a seat's round, what ends the debate, and what is said."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import until
from debates import ALIGNED, APART, QUESTION, SYNTHESIS, Serve, chat, moderated_calls, seat_calls
from vendor import Answerer, Call, Reply, Said, debate_script
from vendor.faults import (
    ALL_THINKING,
    EMPTY,
    REFUSAL,
    BrokenJSON,
    Cut,
    HttpError,
    NullContent,
    Page,
    Reset,
    Silent,
    StreamError,
    Trickle,
    fail_first,
    in_seconds,
)

from debateroom import activities, cli, clock
from debateroom.errors import DeadlinePassed, NoModel, TooFewReplies
from debateroom.models import clients, deadline, retry
from debateroom.room.room import read

ROOM = Path("active/chatroom")


Condition = Callable[[], object]


@pytest.fixture
def time_is_over(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Condition], None]]:
    """Once a condition is true, an hour passes on our clock: limits are met at once, and on no machine too soon."""
    passed, waiting, real = [0.0], list[threading.Thread](), clock.monotonic
    monkeypatch.setattr(clock, "monotonic", lambda: real() + passed[0])

    def when(condition: Condition) -> None:
        def pass_by() -> None:
            until(condition)
            passed[0] = 3600.0
            with deadline._WATCH._changed:  # it sleeps by the real clock
                deadline._WATCH._changed.notify()

        waiting.append(threading.Thread(target=pass_by))
        waiting[-1].start()

    yield when
    for thread in waiting:
        thread.join()


def seat_of(call: Call) -> str:
    """`Agent B` for a call to that seat; empty for the moderator's and the synthesis."""
    found = re.search(r"Agent [A-Z]+", call.own.split("\n")[0])
    return found[0] if found and call.schema is None else ""


def failing(fault: Said, *seats: str, rounds: tuple[int, ...] = (1, 2, 3)) -> Answerer:
    """A debate in which `seats` get `fault` in `rounds`."""
    others = debate_script(synthesis=SYNTHESIS)

    def answer(call: Call) -> Said:
        return fault if seat_of(call) in seats and len(call.shared) in rounds else others(call)

    return answer


def on_disk() -> dict[str, Any]:
    """What `chat.json` of the default room holds."""
    return dict(json.loads((ROOM / "chat.json").read_text(encoding="utf-8")))


def events(name: str) -> list[dict[str, Any]]:
    """The journal's events of one kind."""
    lines = (json.loads(line) for line in (ROOM / "journal.jsonl").read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["event"] == name]


# trying again


@pytest.mark.parametrize("model", ["sonnet", "gpt"])
def test_a_permanent_429_makes_exactly_the_attempts(serve: Serve, no_waits: list[float], model: str) -> None:
    """Six calls for the seat and not their product with an SDK's own; the others' round goes on without it."""
    server = serve(failing(HttpError(429), "Agent B"))
    found = chat(activities.debate(QUESTION, agents=3, rounds=1, model=model))
    assert sum(seat_of(call) == "Agent B" for call in server.calls) == retry.ATTEMPTS == 6
    provider = "anthropic" if model == "sonnet" else "openai"
    (failure,) = found["rounds"][0]["failures"]
    assert failure["agent"] == "Agent B"
    assert re.fullmatch(
        rf"{provider} holds back calls to [\w.-]+: the rate limit is reached. Tried 6 times.", failure["reason"]
    )


@pytest.mark.parametrize("date", [False, True])
def test_retry_after_is_honoured_and_holds_all_threads(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, date: bool
) -> None:
    """One 429 with a time, in seconds or as a date, and no call of any seat is sent before it has passed."""
    monkeypatch.setattr(retry, "JITTER", 0.1)
    told: list[float] = []
    script = debate_script()

    def answer(call: Call) -> Said:
        if not told and seat_of(call) == "Agent A":
            told.append(call.arrived)
            return HttpError(429, retry_after=in_seconds(2) if date else "1")
        return script(call)

    server = serve(answer, latency=0.15)
    activities.debate(QUESTION, agents=4, rounds=1, model="sonnet", moderator="none", stagger="off", concurrency=2)
    later = [call.arrived - told[0] for call in server.calls if call.arrived - told[0] > 0.25]
    assert len(server.calls) == 5
    assert len(later) >= 2, "two of the seats had no slot yet when the 429 came"
    assert min(later) > 0.95


@pytest.mark.parametrize(
    "fault",
    [Cut(), EMPTY, NullContent(), BrokenJSON(), Reset("POS"), HttpError(529), StreamError(529), HttpError(500)],
    ids=lambda fault: repr(fault)[:20],
)
@pytest.mark.parametrize("model", ["sonnet", "gpt"])
def test_what_may_pass_is_tried_again_within_the_round(
    serve: Serve, no_waits: list[float], fault: Said, model: str
) -> None:
    """Every seat fails once and answers then: nobody is missing, and nothing of the first answer is kept."""
    serve(fail_first(1, fault, debate_script(synthesis=SYNTHESIS)))
    found = chat(activities.debate(QUESTION, agents=2, rounds=1, model=model))
    (round_,) = found["rounds"]
    assert [entry["agent"] for entry in round_["entries"]] == ["Agent A", "Agent B"]
    assert round_["failures"] == []
    assert all(entry["response"].startswith("POSITION: Agent ") for entry in round_["entries"])


# failures a person understands


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (EMPTY, r".* at anthropic gave an empty answer\. Tried 6 times\."),
        (REFUSAL, r".* at anthropic refused to answer\."),
        (Reply("I must decline.", stop_reason="refusal"), r"the model refused to answer: I must decline\."),
        (ALL_THINKING, r".* spent its whole limit on thinking and wrote nothing; ask for less at once.*"),
        (Cut(), r"The answer of .* at anthropic broke off before its end\. Tried 6 times\."),
        (Page(), r"anthropic sent something else, perhaps a web page, as the answer .*; check the base URL.*"),
        (BrokenJSON(), r"What anthropic sent for .* was damaged and could not be read\. Tried 6 times\."),
        (Reset(), r"The connection to anthropic failed while .* was asked\. Tried 6 times; check that http.*"),
        (HttpError("quota"), r"The account at anthropic has no credit left .*; mend it at the provider's website$"),
        (
            HttpError(413),
            r"The prompt is larger than .* takes\. It said: .*; give less --context or play fewer rounds",
        ),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_a_seat_that_failed_is_named_with_a_reason_and_has_no_turn(
    serve: Serve, no_waits: list[float], fault: Said, reason: str
) -> None:
    """The failure stands in `failures` and in the report's heading; an error is a turn in no prompt either."""
    server = serve(failing(fault, "Agent B"))
    outcome = activities.debate(QUESTION, agents=3, rounds=2, model="sonnet")
    found = chat(outcome)
    for round_ in found["rounds"]:
        assert [entry["agent"] for entry in round_["entries"]] == ["Agent A", "Agent C"]
        (failure,) = round_["failures"]
        assert (failure["agent"], failure["role"]) == ("Agent B", "Pragmatist")
        assert re.fullmatch(reason, failure["reason"]), failure["reason"]
    second = next(call for call in server.calls if len(call.shared) == 2)
    assert "Agent B (Pragmatist)" not in second.shared[1]
    heading = outcome.report.read_text(encoding="utf-8").split("\n## ")[0]
    assert "Pragmatist" in heading
    assert found["final_output"]["effective_agents"] == 2


ERRORS_TEXT = "an error's text came in place of an answer: "


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error'}}", ERRORS_TEXT),
        ("500 Internal Server Error", ERRORS_TEXT),
        ("curl: (7) Failed to connect to port 443", ERRORS_TEXT),
        ("sh: 1: ask: not found", ERRORS_TEXT),
        ("<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>", "a web page came"),
        ("null", "the model gave an empty answer"),
        ("…", "the model gave an empty answer"),
    ],
)
def test_an_errors_text_with_status_200_is_never_a_turn(serve: Serve, text: str, reason: str) -> None:
    """It is asked once more, and if it comes again the seat has failed; the others never read it."""
    server = serve(failing(Reply(text), "Agent C"))
    found = chat(activities.debate(QUESTION, agents=3, rounds=2, model="sonnet"))
    (failure,) = found["rounds"][0]["failures"]
    assert failure["agent"] == "Agent C"
    assert failure["reason"].startswith(reason)
    assert sum(seat_of(call) == "Agent C" for call in server.calls) == 4
    assert not any(text in call.shared[1] for call in server.calls if len(call.shared) > 1)
    assert found["rounds"][0]["usage"]["output"] > sum(
        entry["usage"]["output"] for entry in found["rounds"][0]["entries"]
    ), "what the failed seat cost is counted in its round"


def test_a_reply_that_was_cut_by_the_limit_is_marked_so(serve: Serve) -> None:
    """It is a turn, with `finish` length and what was cut among its repairs; the report counts it."""
    script = debate_script(synthesis=SYNTHESIS)

    def answer(call: Call) -> Said:
        said = script(call)
        cut = seat_of(call) == "Agent B"
        return Reply(said[: len(said) // 2], stop_reason="length") if cut and isinstance(said, str) else said

    serve(answer)
    outcome = activities.debate(QUESTION, agents=2, rounds=1, model="sonnet")
    assert [entry["finish"] for entry in chat(outcome)["rounds"][0]["entries"]] == ["stop", "length"]
    assert [line["finish"] for line in events("reply")].count("length") == 1


def test_a_seat_that_failed_is_asked_again_in_the_next_round(serve: Serve, no_waits: list[float]) -> None:
    """The round goes on without it, and the next one asks everybody."""
    server = serve(failing(HttpError(500), "Agent B", rounds=(1,)))
    found = chat(activities.debate(QUESTION, agents=3, rounds=2, model="sonnet"))
    assert [[entry["agent"][-1] for entry in item["entries"]] for item in found["rounds"]] == [
        list("AC"),
        list("ABC"),
    ]
    assert [len(item["failures"]) for item in found["rounds"]] == [1, 0]
    assert sum(seat_of(call) == "Agent B" for call in server.calls) == 7


# time


@pytest.mark.parametrize("fault", [Silent(), Trickle()], ids=["silent", "pings"])
def test_a_silent_server_is_bounded_by_the_calls_time(serve: Serve, fault: Said) -> None:
    """With --call-timeout the seat has failed soon after, with that reason, though pings keep its stream alive."""
    serve(failing(fault, "Agent B"))
    started = time.monotonic()
    found = chat(activities.debate(QUESTION, agents=3, rounds=1, model="sonnet", call_timeout=1.0))
    assert time.monotonic() - started < 10
    (failure,) = found["rounds"][0]["failures"]
    assert failure["reason"].startswith("claude-sonnet-5-5 at anthropic did not answer in time.")


def names(said: list[Any]) -> list[str]:
    """The kinds of events, in order."""
    return [event["event"] for event in said]


def test_a_late_seat_is_a_failure_of_its_round(serve: Serve, time_is_over: Callable[[Condition], None]) -> None:
    """With --round-timeout the others' answers are kept, the late one is named, and the next round asks it again."""
    script, said = debate_script(synthesis=SYNTHESIS), list[Any]()
    server = serve(script, latency=lambda call: 90.0 if seat_of(call) == "Agent C" and len(call.shared) == 1 else 0.0)
    time_is_over(lambda: names(said).count("reply") == 2 and len(server.calls) == 3)
    started = time.monotonic()
    found = chat(
        activities.debate(QUESTION, agents=3, rounds=2, model="sonnet", round_timeout=30.0, on_event=said.append)
    )
    assert time.monotonic() - started < 25
    (failure,) = found["rounds"][0]["failures"]
    assert failure["agent"] == "Agent C"
    assert failure["reason"].startswith(("no answer within 30 s for the round", "claude-sonnet-5-5 at anthropic did"))
    assert [len(item["entries"]) for item in found["rounds"]] == [2, 3]


def test_a_late_repair_leaves_the_first_answer_in_its_place(
    serve: Serve, time_is_over: Callable[[Condition], None]
) -> None:
    """An answer that was paid for is not lost because asking once more took too long."""

    def answer(call: Call) -> Said:
        unreadable = seat_of(call) == "Agent B" and "none of the labels" not in call.own
        return "Use a queue, honestly." if unreadable else debate_script(synthesis=SYNTHESIS)(call)

    server = serve(answer, latency=lambda call: 90.0 if "none of the labels" in call.own else 0.0)
    said: list[Any] = []
    time_is_over(lambda: "reply" in names(said) and len(server.calls) == 3)
    found = chat(
        activities.debate(QUESTION, agents=2, rounds=1, model="sonnet", round_timeout=30.0, on_event=said.append)
    )
    assert found["rounds"][0]["failures"] == []
    assert [entry["response"][:11] for entry in found["rounds"][0]["entries"]] == ["POSITION: A", "Use a queue"]


def test_the_time_of_the_run_keeps_and_reports_what_there_is(
    serve: Serve, capsys: pytest.CaptureFixture[str], time_is_over: Callable[[Condition], None]
) -> None:
    """--timeout in round 2: exit 124, a verdict on round 1, both reports are written, nobody else is asked."""
    table = {f"Agent {letter}": [(9, "Agent A")] for letter in "ABC"}
    script = debate_script(table, moderator=APART, synthesis=SYNTHESIS)
    server = serve(script, latency=lambda call: 90.0 if len(call.shared) == 2 and call.schema is None else 0.0)
    time_is_over(lambda: len(server.calls) == 7)
    started = time.monotonic()
    code = cli.run([QUESTION, "-n", "3", "-r", "3", "--model", "sonnet", "--timeout", "30", "--json"])
    took, printed = time.monotonic() - started, json.loads(capsys.readouterr().out)
    found = on_disk()
    assert took < 25
    assert (code, printed["exit_code"], printed["ok"]) == (124, 124, False)
    assert (found["status"], found["stopped"]) == ("finished", "deadline")
    assert [len(item["entries"]) for item in found["rounds"]] == [3, 0]
    assert [failure["agent"] for failure in found["rounds"][1]["failures"]] == ["Agent A", "Agent B", "Agent C"]
    final = found["final_output"]
    assert (final["synthesized_by"], final["outcome"], final["effective_agents"]) == ("extract", "split", 3)
    assert final["recommended_action"].startswith("Agent A says on PROPOSAL in round 1")
    assert (Path(printed["report"]).exists(), Path(printed["transcript"]).exists()) == (True, True)
    assert len(server.calls) == 7, "three seats, the moderator, three seats: no synthesis"


@pytest.mark.parametrize(("answered", "rounds"), [((), 1), (("Agent A",), 1), (("Agent A", "Agent B"), 2)])
def test_after_a_deadline_the_same_rounds_are_told_everywhere(
    serve: Serve,
    capsys: pytest.CaptureFixture[str],
    time_is_over: Callable[[Condition], None],
    answered: tuple[str, ...],
    rounds: int,
) -> None:
    """In the object, in the report's head and in its heading: a round counts when enough answered in it."""

    def late(call: Call) -> float:
        return 90.0 if len(call.shared) == 2 and seat_of(call) not in answered else 0.0

    server = serve(debate_script(synthesis=SYNTHESIS), latency=late)

    def stands_still() -> bool:
        there = (ROOM / "journal.jsonl").exists() and read(ROOM).transcript.rounds
        return bool(there) and len(server.calls) == 6 and len(there[-1].entries) == len(answered)

    time_is_over(stands_still)
    code = cli.run([QUESTION, "-n", "3", "-r", "3", "--model", "sonnet", "--timeout", "30", "--json"])
    out, err = capsys.readouterr()
    printed, report = json.loads(out), (ROOM / "chatroom_report.md").read_text(encoding="utf-8")
    assert (code, printed["rounds_played"]) == (124, rounds)
    assert f"**Rounds**: {rounds} of 3" in report
    assert f"; {rounds} of 3 rounds; stopped by the deadline; " in report
    gone = ", without Agent C (Critic)" if rounds == 2 else ""
    assert report.split("\n")[0] == f"# Agent debate room report{gone}"
    assert printed["error"] == f"the 30 s of the run were over after {rounds} of 3 rounds"
    assert f"debateroom: {printed['error']}\n  next: {printed['hint']}\n" in err
    assert f" After round {rounds} the {3 if rounds == 1 else 2} agents " in printed["summary"]


@pytest.mark.parametrize("silent", ["aligned", "recommended_action"])
def test_the_time_of_the_run_also_bounds_the_moderator(
    serve: Serve, time_is_over: Callable[[Condition], None], silent: str
) -> None:
    """A moderator that says nothing does not outlive --timeout; the extract stands in, exit 124."""
    table = {f"Agent {letter}": [(9, "Agent A")] for letter in "AB"}
    script = debate_script(table, moderator=ALIGNED, synthesis=SYNTHESIS)

    def is_silent(call: Call) -> bool:
        return silent in (call.schema or {}).get("properties", {})

    server = serve(script, latency=lambda call: 90.0 if is_silent(call) else 0.0)
    time_is_over(lambda: any(map(is_silent, server.calls)))
    started = time.monotonic()
    outcome = activities.debate(QUESTION, agents=2, rounds=2, model="sonnet", timeout=30.0)
    assert time.monotonic() - started < 25
    assert (outcome.summary["exit_code"], chat(outcome)["stopped"]) == (124, "deadline")
    assert chat(outcome)["final_output"]["synthesized_by"] == "extract"


def test_when_nobody_answered_in_time_it_is_an_error(serve: Serve, time_is_over: Callable[[Condition], None]) -> None:
    """--timeout before any reply is exit 124 with the seconds, resumable."""
    server = serve(Silent())
    time_is_over(lambda: len(server.calls) == 2)
    with pytest.raises(DeadlinePassed) as caught:
        activities.debate(QUESTION, agents=2, rounds=1, model="sonnet", timeout=30.0)
    assert str(caught.value) == "nobody had answered when the 30 s of the run were over"
    assert (caught.value.exit_code, caught.value.hint) == (124, f"debateroom resume {ROOM.resolve()}")


# the quorum


def test_below_the_quorum_the_debate_ends_and_resume_asks_the_failed_seats_again(
    serve: Serve, capsys: pytest.CaptureFixture[str], no_waits: list[float]
) -> None:
    """Exit 5 with everything on disk; resume asks the failed seats only, and finishes."""
    down = {"now": True}
    script = debate_script(synthesis=SYNTHESIS)

    def answer(call: Call) -> Said:
        refused = down["now"] and len(call.shared) == 2 and seat_of(call) in ("Agent B", "Agent C")
        return HttpError(400) if refused else script(call)

    server = serve(answer)
    code = cli.run([QUESTION, "-n", "3", "-r", "2", "--model", "sonnet", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert (code, printed["exit_code"], printed["rounds_played"]) == (5, 5, 1)
    assert printed["hint"] == f"debateroom resume {ROOM.resolve()}"
    assert printed["error"].startswith("only 1 of 3 agents answered in round 2; 2 must (Agent B: ")
    assert [entry["agent"] for entry in on_disk()["rounds"][1]["entries"]] == ["Agent A"]
    down["now"] = False
    before = len(server.calls)
    assert cli.run(["resume", "--json"]) == 0
    assert [seat_of(call) for call in server.calls[before:]] in (
        ["Agent B", "Agent C", ""],
        ["Agent C", "Agent B", ""],
    )
    found = on_disk()
    assert [len(item["entries"]) for item in found["rounds"]] == [3, 3]
    assert (found["status"], found["rounds"][1]["failures"]) == ("finished", [])


def test_the_quorum_is_the_callers_to_set(serve: Serve, no_waits: list[float]) -> None:
    """More than half by default, at least two; --quorum 1 lets one reply be a round."""
    serve(failing(HttpError(400), "Agent B", "Agent C"))
    with pytest.raises(TooFewReplies):
        activities.debate(QUESTION, agents=3, rounds=1, model="sonnet")
    found = chat(activities.debate(QUESTION, agents=3, rounds=1, model="sonnet", quorum=1))
    assert (found["status"], found["final_output"]["effective_agents"]) == ("finished", 1)


# authentication


@pytest.mark.parametrize(("model", "provider"), [("sonnet", "anthropic"), ("gpt", "openai")])
def test_a_refused_key_ends_the_run_with_the_command_that_mends_it(
    serve: Serve, capsys: pytest.CaptureFixture[str], model: str, provider: str
) -> None:
    """Exit 4 after one call a seat at most, and what to run; with one seat ahead, after one call."""
    server = serve(debate_script(), key="another-key")
    code = cli.run([QUESTION, "-n", "4", "-r", "3", "--model", model, "--json", "--stagger", "on"])
    printed = json.loads(capsys.readouterr().out)
    assert (code, printed["exit_code"], len(server.calls)) == (4, 4, 1)
    variable = f"{provider.upper()}_API_KEY"
    mended = f"set {variable} to a valid key, or unset it and run: debateroom keys set {provider}"
    assert printed["hint"] == f"{mended}, then: debateroom resume {ROOM.resolve()}"


@pytest.mark.parametrize("refused", ["round 2", "moderator"])
def test_a_key_that_is_refused_in_the_middle_names_resume(
    serve: Serve, capsys: pytest.CaptureFixture[str], refused: str
) -> None:
    """The paid rounds are kept: message and JSON say how to set a key and how to go on; only the rest is asked."""
    script, down = debate_script(moderator=APART, synthesis=SYNTHESIS), [True]

    def answer(call: Call) -> Said:
        late = len(call.shared) == 2 and not call.schema if refused == "round 2" else call.schema is not None
        return HttpError(401) if down and late else script(call)

    server = serve(answer)
    arguments = [QUESTION, "-n", "2", "-r", "2", "--model", "sonnet", "--json"]
    assert cli.run(arguments) == 4
    said = capsys.readouterr()
    again = f", then: debateroom resume {ROOM.resolve()}"
    assert json.loads(said.out)["hint"].endswith(again)
    assert said.err.rstrip().endswith(again)
    down.clear()
    assert cli.run(["resume", str(ROOM), "--json"]) == 0
    assert len([call for call in seat_calls(server) if call.status == 200]) == 4


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "the rate limit of anthropic is reached: nobody is asked there for 2 s"),
        ("fr", "la limite de débit de anthropic est atteinte : personne n’y est interrogé pendant 2 s"),
        ("zh", "已达到 anthropic 的速率上限：2 秒内不再向它提问"),
    ],
)
def test_a_wait_that_a_provider_asks_for_is_said_when_it_happens(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], language: str, line: str
) -> None:
    """One line, in the room's language; none with --quiet."""
    monkeypatch.setattr(retry, "JITTER", 0.1)
    script, told = debate_script(), list[Call]()

    def answer(call: Call) -> Said:
        if not told:
            told.append(call)
            return HttpError(429, retry_after="2")
        return script(call)

    serve(answer)
    given = [QUESTION, "-n", "2", "-r", "1", "--model", "sonnet", "--moderator", "none", "--stagger", "off"]
    assert cli.run([*given, "--language", language, *(["-q"] if language == "zh" else [])]) == 0
    assert capsys.readouterr().err.splitlines().count(line) == (0 if language == "zh" else 1)


def test_a_refused_key_does_not_wait_for_the_other_vendor_and_loses_no_answer(serve: Serve) -> None:
    """The run stops at once; what lands within a moment is kept, and resume asks only the others."""
    script = debate_script()

    def answer(call: Call) -> Said:
        return HttpError(401) if "openai" in call.endpoint else script(call)

    slow = {"Agent A": 0.3, "Agent B": 60.0}
    server = serve(answer, latency=lambda call: slow.get(seat_of(call), 0.0))
    started = time.monotonic()
    roles = ("One@sonnet: argues", "Two@sonnet: argues", "Three@gpt: argues")
    with pytest.raises(NoModel):
        activities.debate(QUESTION, role=roles, rounds=1, model="sonnet", moderator="none", stagger="off")
    assert time.monotonic() - started < 8
    assert len(server.calls) == 3
    assert [entry["agent"] for entry in on_disk()["rounds"][0]["entries"]] == ["Agent A"]


# the shared means


def test_no_more_calls_run_at_once_than_the_gate_lets_through(serve: Serve) -> None:
    """--concurrency counts for all seats of a provider; waiting for a slot is not the call's time."""
    server = serve(debate_script(synthesis=SYNTHESIS), latency=lambda call: 0.0 if call.schema else 0.4)
    found = chat(activities.debate(QUESTION, agents=7, rounds=1, model="sonnet", concurrency=2, call_timeout=1.0))
    assert server.peak_in_flight == 2
    assert len(found["rounds"][0]["entries"]) == 7


def test_one_client_is_made_for_each_provider(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constructions are counted over a whole debate with both vendors, three models and a moderator."""
    made: list[str] = []
    for name in ("anthropic_client", "openai_client"):
        real = getattr(clients, name)

        def counting(*given: Any, name: str = name, real: Any = real) -> Any:
            made.append(name)
            return real(*given)

        monkeypatch.setattr(clients, name, counting)
    server = serve(debate_script(synthesis=SYNTHESIS))
    roles = ("A@sonnet: x", "B@opus: x", "C@gpt: x", "D@openai:qwen: x")
    activities.debate(QUESTION, role=roles, rounds=2, model="sonnet", moderator="gpt")
    assert sorted(made) == ["anthropic_client", "openai_client"]
    assert len(seat_calls(server)) == 8
    assert len(moderated_calls(server)) == 0
    assert server.accepted <= 8, "connections are kept from round to round"
