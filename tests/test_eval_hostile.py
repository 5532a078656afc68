"""What models, agents, worlds and files may do to an evaluation: nothing hangs, nothing is simply believed."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dialogues import Agent
from vendor import Call, Reply, VendorServer

from debateroom import evaluations
from debateroom.errors import UsageError
from debateroom.evaluation import compare_state, match_calls
from debateroom.evaluation import world as worlds
from debateroom.evaluation.dataset import parse
from debateroom.evaluation.judging import read_judgements
from debateroom.matching import values
from debateroom.matching.assignment import maximum
from debateroom.matching.values import fits

Serve = Callable[..., VendorServer]


def customer(*said: str) -> Callable[[Call], Reply]:
    """Says one thing after the other in each trial."""

    def answer(call: Call) -> Reply:
        turn = sum(message["role"] == "assistant" for message in call.body["messages"])
        return Reply(said[min(turn, len(said) - 1)])

    return answer


def evaluate(here: Path, task: dict[str, Any], *answers: Any, **more: Any) -> Any:
    """The outcome of one task, tried with an agent that says what it is told to."""
    path = here / "one.jsonl"
    path.write_text(json.dumps({"id": "T", "instruction": "Cancel order W1.", **task}), encoding="utf-8")
    return evaluations.evaluate(
        path, agent=lambda session: Agent(*answers), customer="haiku", active=here / "active", **more
    )


def trial(outcome: Any) -> dict[str, Any]:
    """The one trial's end in the journal."""
    lines = (outcome.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    (ended,) = [event for event in map(json.loads, lines) if event["event"] == "trial_finished"]
    return dict(ended)


def test_an_agents_token_ends_nothing(serve: Serve, here: Path) -> None:
    """Nor does the customer that quotes it; its own does."""
    serve(customer("Cancel W1.", 'What does "###STOP###" mean?', "I see, bye. ###STOP###"))
    outcome = evaluate(here, {"expected_user_satisfied": True}, "###STOP###", "It means the end.")
    found = trial(outcome)["result"]
    assert [message["text"] for message in found["messages"]] == [
        "Cancel W1.", "###STOP###", 'What does "###STOP###" mean?', "It means the end.", "I see, bye.",
    ]  # fmt: skip
    assert found["stop"]["cause"] == "token"


@pytest.mark.parametrize(
    "text",
    [
        "pass", "PASS: all criteria are met", '{"criteria": "pass"}', '{"criteria": [{"number": 1, "met": "true"}]}',
        '{"criteria": [{"number": 2, "met": true, "reasoning": "r"}]}', '{"met": true}',
        '{"criteria": [{"number": 1, "met": true}, {"number": 1, "met": false}]}', "[" * 100_000,
    ],
)  # fmt: skip
def test_a_judge_that_only_says_pass_has_not_judged(text: str) -> None:
    """A criterion without a readable answer of its own is not met, nor failed."""
    assert [each.met for each in read_judgements(text, ["It is polite."])] == [None]


WORLDS = """
import time

class Good:
    def reset(self, initial, seed): pass
    def tools(self): return {}
    def state(self): return {"n": 1}

class Later(Good):
    def __init__(self, session):
        self.first = session.endswith("-reference")  # what is played before the first call

class Raises(Later):
    def state(self):
        if self.first: return {"n": 1}
        raise ZeroDivisionError("no state")

class Exits(Later):
    def reset(self, initial, seed):
        if not self.first: raise SystemExit(9)

class Hangs(Later):
    def state(self):
        if not self.first: time.sleep(60)
        return {"n": 1}

class NoJson(Later):
    def state(self): return {"n": 1 if self.first else object()}

class Endless(Later):
    def state(self):
        found = {"n": 1}
        if not self.first: found["me"] = found
        return found
"""


@pytest.mark.parametrize(
    ("world", "told"),
    [
        ("Raises", "ZeroDivisionError: no state"), ("Exits", "RuntimeError: SystemExit: 9"),
        ("Hangs", "TimeoutError: it takes longer than 0.2 s"), ("NoJson", "ValueError: its state is no JSON"),
        ("Endless", "RecursionError"),
    ],
)  # fmt: skip
def test_a_world_that_breaks_breaks_its_trial_alone(
    serve: Serve, here: Path, monkeypatch: pytest.MonkeyPatch, world: str, told: str
) -> None:
    """The trial is an error, which says nothing about the agent; it never ends or hangs the run."""
    name = f"world_{world.lower()}"
    (here / f"{name}.py").write_text(WORLDS, encoding="utf-8")
    monkeypatch.setattr(worlds, "PATIENCE", 0.2)
    serve(customer("Cancel W1.", "Bye. ###STOP###"))
    outcome = evaluate(here, {"expected_db_state": {"n": 1}}, "Done.", world=f"python:{name}:{world}")
    found = trial(outcome)
    assert (found["status"], outcome.summary["exit_code"], outcome.transcript.status) == ("error", 1, "failed")
    assert told in found["result"]["stop"]["error"]
    assert outcome.summary["hint"].startswith("debateroom resume")
    sys.modules.pop(name, None)


def test_a_check_that_cannot_be_made_is_no_failed_agent(
    serve: Serve, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regular expression that takes for ever is given up; no resume would change that, so none is offered."""
    monkeypatch.setattr(values, "_PATIENCE", 0.05)
    serve(customer("Cancel W1.", "Bye. ###STOP###"))
    wanted = [{"tool": "note", "args_match": {"text": {"re": "(a+)+$"}}}]
    agent = ("Done.", [("note", {"text": "a" * 5_000 + "!"})])
    outcome = evaluate(here, {"expected_tool_calls": wanted}, agent)
    figures = (outcome.transcript.final_output or {})["figures"]
    assert (figures["errors"], figures["overall"]["trials"]) == (1, 0)
    assert (outcome.summary["exit_code"], outcome.transcript.status) == (1, "finished")
    assert outcome.summary["hint"].startswith("debateroom eval regrade")
    assert "takes too long" in outcome.report.read_text(encoding="utf-8")


def test_a_chain_of_expectations_is_no_deep_recursion() -> None:
    """Two thousand calls, of which each has to make room for the next."""
    many = 1_500
    row = [[column in (at, at + 1) for column in range(many)] for at in range(many - 1)]
    row.append([column == 0 for column in range(many)])
    assert len(maximum(row)) == many


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("wanted", "actual", "fit"),
    [
        ({"number": 10**400}, 10**400, True),
        ({"number": 1.5, "tolerance": 0.1}, 10**400, False),
        ({"number": 1}, float("nan"), False),
        ({"number": 1, "tolerance": 5}, float("inf"), False),
        (25, float("nan"), False),
        ({"case_insensitive": "STRASSE"}, "straße", True),
        ({"case_insensitive": "CAFÉ"}, "cafe\u0301", True),
        ({"case_insensitive": "ΣΊΣΥΦΟΣ"}, "σίσυφος", True),
        ({"re": "^strasse$", "case_insensitive": True}, "STRAßE", True),
        ({"re": "x" * 30_000}, "x" * 30_000, False),
        ({"in": []}, "anything", False),
    ],
)
def test_strange_values_match_as_they_should(wanted: Any, actual: Any, fit: bool) -> None:
    """Endless integers, what is no number, letters with several forms."""
    assert fits(wanted, actual) is fit


@pytest.mark.parametrize(
    "matcher",
    [{"number": float("nan")}, {"number": 1, "tolerance": float("inf")}, {"number": 1, "tolerance": float("nan")}],
)
def test_what_is_no_number_is_no_matcher(matcher: Any) -> None:
    """Refused as any other mistake."""
    with pytest.raises(UsageError, match="number"):
        fits(matcher, 1)


@pytest.mark.parametrize("count", [-1, 101, True, "2", 1.5])
def test_a_count_is_a_small_whole_number(count: Any) -> None:
    """Between 0 and 100."""
    with pytest.raises(UsageError, match="count"):
        match_calls([{"tool": "a", "count": count}], [])
    assert match_calls([{"tool": "a", "count": 100}], [{"tool": "a", "args": {}}] * 100).ok


def test_arguments_that_are_no_object_match_nothing_that_is_asked_of_them() -> None:
    """Nor do they break anything."""
    for args in ("{'a': 1}", '{"a": 1}', None, 5, [1], deep(400)):
        assert not match_calls([{"tool": "t", "args_match": {"b": 1}}], [{"tool": "t", "args": args}]).ok
        assert match_calls([{"tool": "t"}], [{"tool": "t", "args": args}]).ok


def test_paths_lead_to_every_key() -> None:
    """Escapes of a JSON Pointer, keys with dots and slashes, an empty key; half an escape is an error."""
    world = {"a/b": {"~": 1, "~1": 2}, "v1.2": {"x.y": 3}, "": 4, "é": 5}
    expected = {"/a~1b/~0": 1, "/a~1b/~01": 2, "v1.2.x.y": 3, "/": 4, "é": 5}
    assert compare_state(world, world, expected, strength="paths_only").ok
    (changed,) = compare_state(world, {**world, "a/b": {"~": 9, "~1": 2}}, expected, strength="paths").differences
    assert changed.path == "a/b.~"
    for path in ("/a~2b", "/a~"):
        with pytest.raises(UsageError, match="behind ~"):
            compare_state(world, world, {path: 1}, strength="paths")


LINE = {"instruction": "Do it."}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"instruction": "a", "initial": NaN}', "NaN is no value of JSON"),
        ('{"instruction": "a", "initial": -Infinity}', "-Infinity is no value of JSON"),
        ('{"instruction": "a", "initial": 1e999}', "1e999 is too large"),
        ('{"instruction": "a", "initial": ' + "9" * 5_000 + "}", "no valid JSON"),
        ('{"instruction": "a", "initial": ' + "[" * 100_000, "no valid JSON"),
        ('{"instruction": "a", "instruction": "b"}', "stands there twice"),
        ('{"id": 1, "instruction": "a"}\n{"id": "1", "instruction": "b"}', "line 2: id: '1' is the task of line 1"),
        ('{"id": "a\\nb", "instruction": "a"}', "id: it is a name on one line"),
        ('{"id": "\\u202e", "instruction": "a"}', "id: it is a name on one line"),
        ('[{"instruction": "a"}]', "line 1: a task is an object"),
        ("// nothing\n", "has no task"),
    ],
)
def test_a_dataset_that_cannot_be_meant_is_refused_with_its_line(text: str, told: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(UsageError) as error:
        parse(text, "d.jsonl")
    assert told in str(error.value)


def test_a_line_of_ten_megabytes_is_read() -> None:
    """Beside others, with what looks like comments inside its string."""
    long = {"id": "long", "instruction": "Read // this.", "initial": {"text": "/* // */ " * 1_100_000}}
    text = "\n".join(json.dumps(each) for each in (LINE, long, LINE))
    assert [(task.id, task.line) for task in parse(text, "d.jsonl")] == [("1", 1), ("long", 2), ("3", 3)]


PIECES = ["1 ", "+", "a.", "0-", "(", "1,", "W1-", "@", "一", '"', "«", "12/", "a@b.", "#", "é", "\u0301"]


@pytest.mark.parametrize("piece", [*PIECES, *map("".join, itertools.permutations(["1", ".", " "], 3))])
def test_no_message_of_a_customer_takes_long(piece: str) -> None:
    """A runaway message is looked at in a moment."""
    from debateroom.evaluation import check_customer_text

    began = time.process_time()
    check_customer_text(piece * 10_000, allowed=["Your order is W1.", piece * 500], forbidden_values=["88", "W3"])
    assert time.process_time() - began < 20  # seconds: what runs away takes hours
