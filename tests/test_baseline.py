"""`--baseline K`: single answers at about the debate's tokens, their vote, and what the debate changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from debates import APART, LONG, QUESTION, SYNTHESIS, Serve, chat, run
from vendor import Call, Said, VendorServer, debate_script
from vendor.faults import HttpError

from debateroom import activities, context, resuming, settings
from debateroom.activities import Outcome
from debateroom.cli.progress import baseline_of
from debateroom.debating import ballot, baseline, forecast, share
from debateroom.debating import plan as plans
from debateroom.debating.ballot import Ballot, Group
from debateroom.models.registry import Models
from debateroom.reading import option
from debateroom.report import html, markdown
from debateroom.room.events import State
from debateroom.room.room import Room, opening_event
from debateroom.room.transcript import from_json, to_json

ALONE = "You answer a question alone."
AGAIN = "Read your last answer as its sharpest critic would"


def single(option: str, *, words: int = 60, confidence: int = 7) -> str:
    """A single answer of about so many words."""
    filler = " ".join(["because it can be undone cheaply"] * (words // 6))
    return (
        f"OPTION: {option}\nPOSITION: {option}.\nREASONING: {filler}\n"
        f"PROPOSAL: Build {option.lower()} with care.\nCONCERNS: none\nCONFIDENCE: {confidence}"
    )


def answering(
    *options: str, words: int = 60, groups: Any = None, seats: Callable[[Call], Said] | None = None
) -> Callable[[Call], Said]:
    """A debate, and single answers with these options in turn, which they keep; the moderator groups by `groups`."""
    script = seats or debate_script(moderator=APART, synthesis=SYNTHESIS)
    given = 0

    def reply(call: Call) -> Said:
        nonlocal given
        if "groups" in (call.schema or {}).get("properties", {}):
            return groups(call) if callable(groups) else groups
        if not any(ALONE in block for block in (*call.shared, call.own)):
            return script(call)
        kept = re.findall(r"^OPTION: (\w.*)$", "\n".join(call.shared[1:]), re.M)
        given += not kept
        return single(kept[0] if kept else options[(given - 1) % len(options)], words=words)

    return reply


def grouped(*groups: tuple[str, list[int]]) -> dict[str, Any]:
    return {"groups": [{"option": option, "items": items} for option, items in groups]}


def as_one(call: Call) -> dict[str, Any]:
    """All items in one group."""
    count = int(re.findall(r"Below are (\d+) recommendations", call.own)[0])
    return grouped(("A queue", list(range(1, count + 1))))


def debated(serve: Serve, reply: Callable[[Call], Said], *, k: int = 3, **given: Any) -> tuple[VendorServer, Outcome]:
    server = serve(reply)
    return server, activities.debate(QUESTION, **{"agents": 3, "rounds": 2, "model": "sonnet", **given}, baseline=k)


def alone(server: VendorServer) -> list[Call]:
    """The calls for single answers."""
    return [call for call in server.calls if any(ALONE in block for block in (*call.shared, call.own))]


@pytest.mark.parametrize(
    ("k", "agents", "rounds", "words", "moderator"),
    [
        (3, 3, 2, 60, None),
        (5, 3, 3, 400, None),
        (1, 3, 3, 200, None),
        (8, 2, 1, 120, "none"),
        (3, 5, 4, 30, "none"),
        (4, 2, 1, 900, None),
    ],
)
def test_its_tokens_are_within_a_fifth_of_the_debates(
    serve: Serve, k: int, agents: int, rounds: int, words: int, moderator: str | None
) -> None:
    """Whatever the answers' length and the size of the debate: measured on what the server really counted."""
    given = {"agents": agents, "rounds": rounds, "moderator": moderator, "note": (LONG,)}
    _, outcome = debated(serve, answering("A queue", words=words, groups=as_one), k=k, **given)
    told = chat(outcome)["baseline"]
    debate, own = told["debate"]["tokens"], told["tokens"]
    assert debate > 0
    assert abs(own - debate) <= debate / 5, f"{own} of {debate}"
    whole = chat(outcome)["usage"]
    assert own + debate == whole["input"] + whole["output"]
    assert len(told["answers"]) <= k


def test_more_answers_than_the_debates_tokens_hold_are_not_asked(serve: Serve) -> None:
    """Two seats in one round are two calls: eight single answers would be four times as much, and it is said."""
    _, outcome = debated(serve, answering("A queue"), k=8, agents=2, rounds=1, moderator="none")
    told = chat(outcome)["baseline"]
    count = len(told["answers"])
    assert (told["asked"], 1 < count < 5) == (8, True)
    assert (
        f"{count} of 8 answers were asked: more would have passed the debate’s tokens." in outcome.report.read_text()
    )


@pytest.mark.parametrize(
    ("left", "calls", "expected"),
    [
        (1000.0, {1: 400.0, 2: 400.0, 3: 400.0}, [1, 2, 3]),
        (1000.0, {3: 900.0, 1: 300.0, 2: 100.0}, [2, 3]),
        (100.0, {1: 210.0}, []),
        (100.0, {1: 200.0}, [1]),
        (100.0, {1: 0.0}, []),
        (-5.0, {1: 10.0}, []),
    ],
)
def test_who_is_asked_again_brings_the_total_nearer(
    left: float, calls: dict[int, float], expected: list[int]
) -> None:
    """In the order given; one more only when the total then ends nearer to the target than without it."""
    assert share.again(left, calls) == expected


def test_how_many_answers_a_debate_holds() -> None:
    """As many as wanted, as fit, and at least one; all when the target is not known."""
    assert share.answers(3, 10_000, first=1_000, vote=500) == 3
    assert share.answers(20, 10_000, first=1_000, vote=600) == 9
    assert share.answers(5, 400, first=1_000, vote=600) == 1
    assert share.answers(5, 0, first=1_000, vote=600) == 5


def test_the_votes_are_counted_here() -> None:
    """Groups are the moderator's, numbers are not; the debate is in a group and has no vote; a tie has no winner."""
    given = Ballot.model_validate(grouped(("A  queue", [3, 1]), ("A loop", [2, 4]), ("Nothing", [])))
    assert ballot.problem(given, 4, "en") == ""
    groups = ballot.moderated(given)
    assert groups == (Group("A queue", (1, 3)), Group("A loop", (2, 4)))
    counted = ballot.ranked(groups, [1, 2, 3])
    assert counted == (Group("A queue", (1, 3)), Group("A loop", (2,)))
    assert ballot.winner(counted) == counted[0]
    assert ballot.winner(ballot.ranked(groups, [1, 2, 3, 4])) is None
    assert ballot.winner(()) is None
    assert not ballot.together(groups, 4, (1, 3))
    assert ballot.together(groups, 4, (2,))
    for wrong in ([1, 2, 3], [1, 2, 3, 4, 4], [0, 1, 2, 3], [1, 2, 3, 5]):
        assert "exactly once" in ballot.problem(Ballot.model_validate(grouped(("x", wrong))), 4, "en")


@pytest.mark.parametrize(
    ("options", "language", "expected"),
    [
        (["A queue", "The queue!", "a Loop", "Queue"], "en", [(1, 2, 4), (3,)]),
        (["Une file", "La file d’attente", "les files", "pas de file"], "fr", [(1, 3), (2,), (4,)]),
        (["采用队列", "采用 队列", "循环轮询"], "zh", [(1, 2), (3,)]),
        (["No queue", "A queue"], "en", [(1,), (2,)]),
        (["yes", "Yes", "no"], "en", [(1, 2), (3,)]),
    ],
)
def test_declared_options_with_the_same_words_are_one(
    options: list[str], language: str, expected: list[tuple[int, ...]]
) -> None:
    """Case, articles and marks make no other option."""
    assert [group.items for group in ballot.declared(dict(enumerate(options, 1)), language)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OPTION: A queue\nPOSITION: x", "A queue"),
        ("**Option:** A queue.\n", "A queue"),
        ("> - OPTION : Une file\nOPTION : une autre", "Une file"),
        ("选项：采用队列。", "采用队列"),
        ("POSITION: an option: none", ""),
        ("", ""),
    ],
)
def test_the_declared_option_is_read(text: str, expected: str) -> None:
    """From a line of its own, whatever marks stand around it."""
    assert option.declared(text) == expected


def test_answers_are_alone_and_see_nothing_but_their_own(serve: Serve) -> None:
    """No seat, no reply and no other answer is in what they are asked; the models of mixed seats are dealt."""
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    reply = answering("A queue", groups=as_one)

    def named(call: Call) -> Said:
        said = reply(call)
        return f"{said}\nmark-{next(letters)}" if call in alone_of([call]) else said

    server, outcome = debated(serve, named, k=3, model=None, mixed=("sonnet", "gpt"), rounds=3)
    calls = alone(server)
    assert not any("Agent A" in text for call in calls for text in (*call.shared, call.own))
    again = [call for call in calls if AGAIN in call.own]
    assert again
    seen = [set(re.findall(r"mark-\w", "".join(call.shared))) for call in again]
    assert all(one <= other or other <= one or not one & other for one in seen for other in seen)
    versions = [call.shared[-1].splitlines()[0] for call in again]
    assert all(
        len(marks) == int(re.findall(r"VERSION (\d+):", head)[0]) for marks, head in zip(seen, versions, strict=True)
    )
    told = chat(outcome)["baseline"]["answers"]
    assert [each["model"].partition(":")[2] for each in told] == [
        "claude-sonnet-5-5",
        "gpt-6.2-sol",
        "claude-sonnet-5-5",
    ]
    assert sum(each["asked"] for each in told) == len(calls)


def alone_of(calls: list[Call]) -> list[Call]:
    return [call for call in calls if any(ALONE in block for block in (*call.shared, call.own))]


def queue_or_loop(call: Call, debate: str) -> dict[str, Any]:
    """The items by what they build, the last one, which is the debate's, as it is said to be."""
    items = re.findall(r"^\d+:\n<[^>]*>\n(.*?)\n</", call.own, re.M | re.S)
    built = ["loop" if "loop" in item else "queue" for item in items[:-1]] + [debate]
    places = {name: [place for place, each in enumerate(built, 1) if each == name] for name in ("loop", "queue")}
    return grouped(("A loop", places["loop"]), ("A queue", places["queue"])) | {"votes": 99}


@pytest.mark.parametrize(
    ("debate", "same", "said"),
    [
        ("queue", True, "The debate came to the same answer."),
        ("loop", False, "The debate changed the answer."),
    ],
)
def test_the_debate_is_held_against_the_vote(serve: Serve, debate: str, same: bool, said: str) -> None:
    """Its recommendation is one item among the others, unnamed; both reports show both with tokens and cost."""
    reply = answering("A queue", "A loop", "The queue", groups=lambda call: queue_or_loop(call, debate))
    server, outcome = debated(serve, reply, rounds=2)
    asked = next(call.own for call in server.calls if "groups" in (call.schema or {}).get("properties", {}))
    assert "Below are 4 recommendations" in asked
    assert "4:\n<" in asked
    assert "Build the queue." in asked.split("4:\n<")[1]
    assert "debate" not in asked.casefold()
    told = chat(outcome)["baseline"]
    assert (told["same_as_debate"], told["option"], told["votes"]) == (same, "A queue", 2)
    assert [len(group["answers"]) for group in told["groups"]] == [2, 1]
    assert told["recommended_action"] == "Build a queue with care."
    assert told["cost"] > 0
    assert told["debate"]["cost"] > 0
    assert chat(outcome)["cost"] == pytest.approx(told["cost"] + told["debate"]["cost"], abs=1e-5)
    report, page = outcome.report.read_text(), outcome.page.read_text()
    for text in (report, page):
        assert f"2 of 3 single answers are for “A queue”. {said}" in text
        assert "A queue: 2 of 3" in text
        assert "Nobody changed position." in text
        assert re.search(r"The debate cost 0\.\d+ US dollars (more|less) than the single answers\.", text)
    assert "| Recommended action | Build the queue. | Build a queue with care. |" in report
    assert re.search(r"\| Tokens \| [\d,]+ \| [\d,]+ \|", report)
    for language, title in (("fr", "Face à des réponses isolées"), ("zh", "与单独回答对比")):
        other = replace(outcome.transcript, language=language)
        assert title in markdown.render(other)
        assert title in html.render(other)
    assert from_json(to_json(outcome.transcript)).baseline == told


def test_groups_that_cannot_be_used_leave_the_declared_options(serve: Serve) -> None:
    """Asked once more with what is wrong; then the options count, and the report says why."""
    bad = grouped(("A queue", [1, 2]))
    server, outcome = debated(serve, answering("A queue", "A loop", "Queue", groups=bad))
    assert sum("groups" in (call.schema or {}).get("properties", {}) for call in server.calls) == 2
    told = chat(outcome)["baseline"]
    assert (told["grouped_by"], told["option"], told["votes"], told["same_as_debate"]) == (
        "declared",
        "A queue",
        2,
        None,
    )
    assert "exactly once" in told["problem"]
    assert "The moderator’s grouping could not be used: " in outcome.report.read_text()


def test_without_a_moderator_the_declared_options_are_counted(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nobody judges whether the debate came to the same."""
    serve(answering("A queue", "A loop"))
    more = ("--model", "sonnet", "--moderator", "none", "--baseline", "2", "-r", "2")
    code, _, err = run(capsys, QUESTION, *more)
    assert code == 0
    assert "the baseline asks for up to 2 single answers\n" in err
    assert "the baseline: no option of 2 answers has most votes\n" in err
    serve(answering("A queue"))
    code, _, err = run(capsys, QUESTION, *more)
    assert "the baseline: 2 of 2 for “A queue”\n" in err


def cut(outcome: Outcome, keep: int) -> list[dict[str, Any]]:
    """The journal as a kill after `keep` single answers leaves it; the events that are gone."""
    journal = outcome.folder / "journal.jsonl"
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    places = [place for place, item in enumerate(events) if item["event"] == "single_answered"]
    end = places[keep - 1] + 1 if keep else places[0]
    journal.write_text("".join(json.dumps(item) + "\n" for item in events[:end]))
    return events[end:]


@pytest.mark.parametrize("kept", [0, 1, 2, -1])
def test_a_killed_baseline_goes_on_and_pays_for_nothing_twice(serve: Serve, kept: int) -> None:
    """Whatever was answered stays; rounds and synthesis are not asked again; the tokens end where they would have."""
    server, outcome = debated(serve, answering("A queue", groups=as_one), rounds=3)
    total, before = len(alone(server)), chat(outcome)["baseline"]
    gone = cut(outcome, total if kept < 0 else kept)
    count = len(server.calls)
    again = resuming.resume(outcome.folder, settings.load({}))
    asked = server.calls[count:]
    assert len(alone_of(asked)) == sum(item["event"] == "single_answered" for item in gone)
    assert len(asked) == len(alone_of(asked)) + 1, "and the vote"
    found = again.transcript.baseline or {}
    assert found["debate"] == before["debate"]
    assert abs(found["tokens"] - before["tokens"]) <= before["debate"]["tokens"] / 5
    assert (again.transcript.status, again.transcript.stopped) == (
        outcome.transcript.status,
        outcome.transcript.stopped,
    )


def test_a_baseline_that_fails_takes_nothing_from_the_debate(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """The key is refused, or every call fails: exit code, outcome and reports are the debate's, and it is said."""
    debate = debate_script(moderator=APART, synthesis=SYNTHESIS)
    for fault in (HttpError(401), HttpError(400)):
        serve(lambda call, fault=fault: fault if alone_of([call]) else debate(call))
        code, out, err = run(capsys, QUESTION, "--model", "sonnet", "-r", "1", "--baseline", "2")
        assert code == 0
        assert "Recommended action: Build the queue." in out
        assert "answer 1 of the baseline failed: " in err
        assert "the baseline came to nothing: " in err


def test_one_answer_that_fails_leaves_the_others(serve: Serve) -> None:
    """It is named, and the vote is that of the rest."""
    reply, asked = answering("A queue", groups=as_one), 0

    def failing(call: Call) -> Said:
        nonlocal asked
        asked += bool(alone_of([call]))
        return HttpError(400) if alone_of([call]) and asked == 2 else reply(call)

    _, outcome = debated(serve, failing)
    told = chat(outcome)["baseline"]
    assert (len(told["answers"]), len(told["failures"]), told["votes"]) == (2, 1, 2)
    assert f"Answer {told['failures'][0]['answer']} failed: " in outcome.report.read_text()


def test_an_answer_that_is_not_written_anew_stays_as_it_was(serve: Serve) -> None:
    """It votes with its last version, is not asked again, and both is said."""
    reply = answering("A queue", groups=as_one)
    server, outcome = debated(serve, lambda call: HttpError(400) if AGAIN in call.own else reply(call), rounds=3)
    told = chat(outcome)["baseline"]
    assert (len(told["answers"]), told["votes"], len(alone(server))) == (3, 3, 3 + len(told["failures"]))
    assert {each["step"] for each in told["failures"]} == {2}
    assert (told["comparable"], told["same_as_debate"]) == (False, None)
    report = outcome.report.read_text()
    assert f"They used {told['tokens']:,} tokens, the debate {told['debate']['tokens']:,}: too far apart" in report
    assert "The debate came to the same answer." not in report
    assert "more than the single answers" not in report
    line = baseline_of(told, "en")
    assert (
        f"; not comparable, with {told['tokens']:,} tokens against the debate’s {told['debate']['tokens']:,}" in line
    )
    assert "Answer 1 was not written anew: " in outcome.report.read_text()


@pytest.mark.parametrize(("left", "stopped"), [(0.01, "the budget does not hold a call for it any more"), (0.2, "")])
def test_the_baseline_has_what_the_debate_left_of_the_budget(serve: Serve, left: float, stopped: str) -> None:
    """Each call of a wave gets its part; where none fits any more, it ends early and says so."""
    server, outcome = debated(serve, answering("A queue", groups=as_one), rounds=1)
    cut(outcome, 1)
    count = len(server.calls)
    with Room.reopen(outcome.folder) as room, Models() as models:
        before = room.transcript.cost or 0.0
        plan = replace(plans.from_event(opening_event(outcome.folder)), budget=before + left)
        baseline.play(room, plan, models, ended={})
        told = room.transcript.baseline or {}
        assert (room.transcript.cost or 0.0) <= before + left
    assert told["stopped"] == stopped
    asked = alone_of(server.calls[count:])
    assert (len(asked) > 0) is (not stopped)
    assert all(call.body["max_tokens"] < plan.max_tokens for call in asked), "three at once cannot have all of it"
    assert told["option"] == "A queue"


def test_a_run_whose_time_is_over_in_the_baseline_ends_with_124(
    serve: Serve, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The debate stands, with its answer; what is told is that the baseline did not get as far."""
    serve(answering("A queue", groups=as_one))
    monkeypatch.setattr(baseline, "play", lambda *_, **__: False)
    code, out, err = run(capsys, QUESTION, "--model", "sonnet", "-r", "1", "--baseline", "2", "--timeout", "60")
    assert code == 124
    assert "Recommended action: " in out
    assert "the 60 s of the run were over before the baseline was as large as the debate" in err
    assert "next: start it again with a larger --timeout; the debate itself is done" in err


def test_when_the_time_is_over_nobody_is_asked_any_more(serve: Serve) -> None:
    """The baseline is closed with what there is."""
    _, outcome = debated(serve, answering("A queue", groups=as_one), rounds=1)
    gone = cut(outcome, 1)
    assert gone
    plan = plans.from_event(opening_event(outcome.folder))
    with Models() as models, Room.reopen(outcome.folder) as room:
        assert not baseline.play(room, plan, models, ended={}, until=0.0)
        told = room.transcript.baseline or {}
    assert (told["comparable"], told["same_as_debate"]) == (False, None)
    assert (told["stopped"], len(told["answers"]), told["votes"]) == ("the time of the run was over", 1, 1)
    assert (told["problem"], told["grouped_by"]) == ("the time of the run was over", "declared")


def test_a_dry_run_has_its_row(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """About the tokens of the debate, with its calls and its price."""
    serve("unused")
    more = ("--model", "sonnet", "-r", "2", "--baseline", "3", "--dry-run")
    out = run(capsys, QUESTION, *more)[1]
    assert [line.split()[0] for line in out.splitlines() if line.startswith(("1 ", "2 ", "syn", "base"))] == [
        "1", "2", "synthesis", "baseline",
    ]  # fmt: skip
    found = json.loads(run(capsys, QUESTION, *more, "--json")[1])
    debate = [*found["rounds"], found["synthesis"]]
    tokens = sum(item["usage"]["input"] + item["usage"]["output"] for item in debate)
    own = found["baseline"]["usage"]
    assert abs(own["input"] + own["output"] - tokens) <= tokens / 5
    assert found["all_rounds"]["calls"] == sum(item["calls"] for item in [*debate, found["baseline"]])
    assert found["baseline"]["cost"] > 0
    assert found["baseline"]["calls"] < 3 * sum(item["calls"] for item in debate), "it reads as much as a debate does"
    assert json.loads(run(capsys, QUESTION, "--dry-run", "--json")[1]).get("baseline") is None
    code, _, err = run(capsys, QUESTION, "--baseline", "0", "--dry-run")
    assert (code, "--baseline is 0: it must be at least 1" in err) == (2, True)


def test_its_calls_count_where_many_are_confirmed(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """With those of the rounds and the judgements; without a terminal to ask on nobody is asked."""
    server = serve(answering("A queue"))
    given = ("--model", "sonnet", "-n", "10", "-r", "10", "--baseline", "8")
    code, _, err = run(capsys, QUESTION, *given)
    found = re.search(r"10 agents × 10 rounds and about (\d+) for the baseline are (\d+) calls: that is many", err)
    assert found, err
    assert (code, int(found[2])) == (2, 100 + int(found[1]))
    code, _, err = run(capsys, QUESTION, *given, "--decide", "judge", "--judge", "gpt")
    found = re.search(r"10 rounds and 20 judgements, about \d+ for the baseline are (\d+) calls", err)
    assert found, err
    assert (code, server.calls) == (2, [])


def test_what_is_left_is_reckoned_with_judgements_and_a_baseline(serve: Serve) -> None:
    """Judgements that are there are not made again; the baseline stands beside them."""
    serve(answering("A queue"))
    chosen = settings.load(
        {"agents": 3, "rounds": 2, "model": "sonnet", "decide": "judge", "judge": "gpt", "baseline": 2}
    )
    with Models() as models:
        plan = plans.make(QUESTION, chosen, context.collect((), ()), models)
    nothing = State(forecast.nothing_yet(plan))
    made = replace(nothing, judgements=({"event": "judged"},) * 2)
    all_, left = forecast.usual(plan), forecast.remaining(plan, nothing)
    assert left.calls == all_.calls
    assert forecast.remaining(plan, made).calls == left.calls - 2


def test_scripted_answers_without_tokens_are_asked_once(here: object, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing tells how many tokens a debate had, each answer is asked for once."""
    lines = [
        {"default": True, "response": "POSITION: x\nPROPOSAL: A queue.\nCONFIDENCE: 7"},
        {"call": "baseline", "agent": "Answer 2", "response": "OPTION: A loop\nPROPOSAL: Poll.\nCONFIDENCE: 9"},
        {"call": "baseline", "response": "OPTION: A queue\nPROPOSAL: Take a queue.\nCONFIDENCE: 5"},
    ]
    with open("s.jsonl", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("".join(json.dumps(line) + "\n" for line in lines))
    outcome = activities.debate(QUESTION, model="scripted:s.jsonl", rounds=1, baseline=3)
    told = chat(outcome)["baseline"]
    assert [(each["option"], each["asked"]) for each in told["answers"]] == [
        ("A queue", 1),
        ("A loop", 1),
        ("A queue", 1),
    ]
    assert (told["option"], told["votes"], told["recommended_action"]) == ("A queue", 2, "Take a queue.")


def test_a_debate_that_its_caller_concludes_has_its_baseline_before(serve: Serve) -> None:
    """There is no recommendation yet that could be held against the vote; the room still waits for its synthesis."""
    server, outcome = debated(serve, answering("A queue", groups=as_one), rounds=1, synthesis="host")
    assert outcome.transcript.status == "waiting_for_host"
    told = chat(outcome)["baseline"]
    assert (told["option"], told["votes"], told["same_as_debate"]) == ("A queue", 3, None)
    asked = next(call.own for call in server.calls if "groups" in (call.schema or {}).get("properties", {}))
    assert "Below are 3 recommendations" in asked
    assert "Whether the debate came to the same, nobody judged." in outcome.report.read_text()
