"""Checks on a trial, and the figures over many: what passes, what fails, and what is said apart from both."""

from __future__ import annotations

import doctest
import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debateroom import evaluation
from debateroom.errors import UsageError
from debateroom.evaluation import customer_text, figures, gate, number_words
from debateroom.evaluation.checks import Check, Status, grade, verdict
from debateroom.evaluation.dataset import read_task
from debateroom.evaluation.figures import Graded, first_lines, pass_hat_k, wilson
from debateroom.evaluation.said import is_said
from debateroom.evaluation.trial import Call, Judgement, Message, Stop, Trial


@pytest.mark.parametrize("module", [figures, customer_text, number_words])
def test_the_examples_of_the_docstrings_run(module: Any) -> None:
    """What the documentation shows is what happens."""
    done = doctest.testmod(module)
    assert done.attempted > 0
    assert done.failed == 0


def test_the_public_names_are_these() -> None:
    """The surface is pinned: a change here is a change for users."""
    assert evaluation.__all__ == ["check_customer_text", "compare_state", "match_calls", "pass_hat_k"]
    assert all(callable(getattr(evaluation, name)) for name in evaluation.__all__)
    assert dir(evaluation) == evaluation.__all__


STOPPED = Stop(cause="token", token="stop")


def graded(trial: Trial, **checks: Any) -> list[str]:
    """Each check of a trial as `name status evidence`."""
    task = read_task({"instruction": "x", "checks": checks})
    return [" ".join([check.name, check.status, *map(str, check.evidence)]) for check in grade(task, trial)]


def ended(stop: Stop = STOPPED, **more: Any) -> Trial:
    """A trial that ended like this."""
    return Trial(task="t", stop=stop, **more)


@pytest.mark.parametrize(
    ("cause", "token", "satisfied"),
    [
        ("token", "stop", True),
        ("token", "transfer", False),
        ("token", "out_of_scope", False),
        ("max_turns", None, False),
        ("no_progress", None, False),
    ],
)
def test_only_the_customers_own_stop_is_satisfaction(cause: str, token: str | None, satisfied: bool) -> None:
    """A run out of turns is no satisfied customer; that one must not be satisfied is checked too."""
    for wanted in (True, False):
        (line,) = graded(ended(Stop.model_validate({"cause": cause, "token": token})), user_satisfied=wanted)
        assert line == f"user_satisfied {'pass' if satisfied is wanted else 'fail'} stop: {token or cause}"


def test_calls_and_states_are_checked_with_their_evidence() -> None:
    """A call without a result does not count; without a world nothing is said of the state."""
    calls = (Call(tool="refund", args={"amount": 5}, by="desk"), Call(tool="get", args=None, result="no", ok=False))
    trial = ended(calls=calls, initial={"a": 1}, final={"a": 2})
    assert graded(trial, tool_calls=[{"tool": "refund"}], db_state={"a": 3}) == [
        "tool_calls fail missing: refund", "db_state fail value: a: 3 ≠ 2",
    ]  # fmt: skip
    assert graded(trial, tool_calls=[{"tool": "get"}], db_state={"a": 2}) == ["tool_calls pass", "db_state pass"]
    assert graded(ended(), db_state={"a": 2}) == ["db_state inconclusive reason: no world showed its state"]
    assert graded(trial, db_state={"expected": {"a.b": 2}, "strength": "hash"}) == [
        "db_state error reason: no value can stand under 'b': what is there holds no such key"
    ]


@pytest.mark.parametrize(
    ("wanted", "text", "said"),
    [
        ("shipped", "It was SHIPPED.", True),
        ("4", "You have 14 days.", False),
        ("4", "4.5 kilos", False),
        ("4", "It is 4.", True),
        ("1200", "1,200 euros", True),
        ("1200", "1 200,50 €", False),
        ("12", "1,200 euros", False),
        ("已发货", "您的订单已发货。", True),
        ("two  words", "two\nwords", True),
        ("", "anything", False),
        ("1500", "You get $1,500.00 back.", True),
        ("1500", "1 500,00 €", True),
        ("1500", "1\u202f500 €", True),
        ("1500", "1.500 EUR", True),
        ("1500", "1.500.000 EUR", False),
        ("1,500", "1500", True),
        ("327", "It is $327.00.", True),
        ("41.5", "41.50", True),
        ("41.5", "41,50 €", True),
        ("41.5", "41.55", False),
        ("don't", "Please don’t worry.", True),
        ("total is 5", "The total is **5**.", True),
        ("**bold**", "bold", True),
        ("2**3", "23", False),
        ("199", "On May 5 199 euros were refunded.", True),
        ("199", "5 199 euros", False),
        ("200", "100,200,300", True),
        ("100200300", "100,200,300", True),
        ("200", "1,200", False),
        ("5", "-5", False),
        ("5", "It is -$5.", False),
        ("5", "3-5 days", True),
        ("-5", "It is −5.", True),
        ("1500", "共1,500.00元", True),
    ],
)
def test_what_the_agent_must_have_said(wanted: str, text: str, said: bool) -> None:
    """Numbers are whole numbers, marks for thousands and case do not matter; only the agent's words count."""
    assert is_said(wanted, [text]) is said
    spoken = (Message(party="customer", text="shipped 40"), Message(party="agent", text="It is on its way."))
    assert graded(ended(messages=spoken), communicate=[["shipped", "on its way"], "40"]) == [
        "communicate fail unsaid: 40"
    ]


def test_a_judge_who_was_not_asked_or_did_not_answer_says_nothing() -> None:
    """Only a criterion that a judge found met is one; without criteria there is nothing to judge."""
    yes, no, none = (Judgement(criterion="Kind.", met=met, reasoning="r") for met in (True, False, None))
    assert graded(ended(), judge=["Kind."]) == ["judge inconclusive reason: no judge of another model was asked"]
    assert graded(ended(judged=(yes,)), judge=["Kind."]) == ["judge pass"]
    assert graded(ended(judged=(no,)), judge=["Kind.", "Brief."]) == [
        "judge fail criterion: Kind.: r criterion: Brief."
    ]
    assert graded(ended(judged=(none,)), judge=["Kind."]) == ["judge inconclusive criterion: Kind.: r"]
    assert graded(ended(judged=()), judge=[" "]) == ["judge inconclusive reason: there is no criterion to judge by"]


def test_a_broken_trial_is_an_error_in_every_check_and_no_check_is_no_pass() -> None:
    """Neither says anything about the agent."""
    broken = Trial(task="t", stop=Stop(cause="error", error="the agent crashed"))
    assert graded(broken, user_satisfied=False, communicate=["x"]) == [
        "user_satisfied error reason: the agent crashed", "communicate error reason: the agent crashed",
    ]  # fmt: skip
    assert verdict([]) == "inconclusive"
    words: tuple[Status, ...] = ("pass", "inconclusive", "fail", "error")
    for at, word in enumerate(words):
        assert verdict([Check("judge", each) for each in words[: at + 1]]) == word


def test_a_trial_survives_the_journal_and_is_graded_the_same() -> None:
    """Everything that checks look at is in its JSON."""
    trial = ended(
        messages=(Message(party="agent", text="x"),), calls=(Call(tool="a", args={"n": 1}, result="r", by="b"),),
        initial={"a": [1]}, final={"a": []}, target=None, seed=3, judged=(Judgement(criterion="c", met=None),),
        simulator_invalid=("invented id W9",),
    )  # fmt: skip
    assert Trial.model_validate_json(trial.model_dump_json()) == trial


def test_the_test_vector_of_pass_hat_k() -> None:
    """Four tasks with four trials each, of which 4, 2, 0 and 3 pass."""
    found = [round(pass_hat_k([(4, 4), (2, 4), (0, 4), (3, 4)], k), 4) for k in (1, 2, 3, 4)]
    assert found == [0.5625, 0.4167, 0.3125, 0.25]


@settings(deadline=None)
@given(st.lists(st.lists(st.booleans(), max_size=5), min_size=1, max_size=4), st.integers(1, 4))
def test_pass_hat_k_is_the_share_of_k_trials_that_all_pass(tasks: list[list[bool]], k: int) -> None:
    """Counted out over every choice of k trials of a task, as a mean over the tasks that have so many."""
    shares = [
        sum(all(choice) for choice in combinations(trials, k)) / math.comb(len(trials), k)
        for trials in tasks
        if len(trials) >= k
    ]
    found = pass_hat_k([(sum(trials), len(trials)) for trials in tasks], k)
    assert math.isnan(found) if not shares else found == pytest.approx(sum(shares) / len(shares))


def test_impossible_counts_are_refused() -> None:
    """More successes than trials, none at all to choose, no trials."""
    for counts, k in (([(5, 4)], 1), ([(-1, 4)], 1), ([(1, 1)], 0)):
        with pytest.raises(UsageError):
            pass_hat_k(counts, k)
    with pytest.raises(UsageError):
        wilson(0, 0)
    assert (wilson(0, 10).low, wilson(10, 10).high) == (0.0, 1.0)


def planned(tasks: Sequence[str], trials: int) -> figures.Planned:
    """Each task with both checks."""
    return figures.Planned(dict.fromkeys(tasks, ("tool_calls", "db_state")), trials)


def scored(task: str, number: int, calls: Status, *, state: Status = "pass", turns: int = 2, **more: Any) -> Graded:
    """A trial that came out like this."""
    trial = Trial(
        task=task, number=number, messages=(Message(party="customer", text="x"),) * turns,
        **{"stop": Stop(cause="token", token="stop"), **more},
    )  # fmt: skip
    return Graded(trial, (Check("tool_calls", calls), Check("db_state", state)))


def test_the_figures_keep_apart_what_must_not_be_averaged() -> None:
    """Broken trials and invalid customers are counted and listed; what was not judged lifts no figure."""
    crashed, late = Stop(cause="error", error="x"), Stop(cause="max_turns")
    found = figures.figures(
        [
            scored("a", 1, "pass"), scored("a", 2, "pass"), scored("a", 3, "fail", stop=late, turns=10),
            scored("b", 1, "pass", state="inconclusive"), scored("b", 2, "pass"),
            scored("b", 3, "error", state="error", stop=crashed),
            scored("c", 1, "pass", simulator_invalid=("invented id W9",)),
            scored("c", 2, "fail", stop=Stop(cause="token", token="transfer")), scored("c", 3, "error"),
        ],
        planned("abc", 3),
        do_nothing={"a": "fail", "b": "pass", "c": "fail"},
    )  # fmt: skip
    assert found.overall.counts == {"a": (2, 3), "b": (1, 2), "c": (0, 1)}
    assert found.by_check["db_state"].counts == {"a": (3, 3), "b": (1, 1), "c": (1, 1)}
    assert found.overall.pass_hat == pytest.approx(((2 / 3 + 1 / 2) / 3, (1 / 3 + 0) / 2, 0.0))
    assert [found.overall.left_out(k) for k in (1, 2, 3)] == [(), ("c",), ("b", "c")]
    assert found.overall.interval == wilson(3, 6)
    assert found.stops == {"stop": 4, "max_turns": 1, "transfer": 1}
    assert (found.satisfied, found.valid, found.trials, found.inconclusive) == (4, 6, 9, 1)
    assert found.average_turns == pytest.approx((5 * 2 + 10) / 6)
    assert found.errors == (("b", 3), ("c", 3))
    assert found.simulator_invalid == (("c", 1),)
    assert found.do_nothing == (1, 3)
    assert first_lines(found) == (
        "pass^1 by tool_call_match:     4/6 (67%)",
        "pass^1 by db_state:            5/5 (100%)",
        "user_satisfied (###STOP###):   4/6 (67%)",
        "avg turns per task:            3.3",
    )


def test_without_a_valid_trial_there_is_no_figure() -> None:
    """`-`, and not 0 %."""
    none = figures.figures([scored("a", 1, "error")], planned("a", 1))
    assert [line.split()[-1] for line in first_lines(none)] == ["-"] * 4
    assert (none.overall.interval, none.do_nothing, none.overall.left_out(1)) == (None, None, ("a",))
    assert math.isnan(none.overall.pass_hat[0])
    assert first_lines(figures.figures([], planned("a", 1))) == first_lines(none)


def test_what_was_planned_and_not_played_is_listed_and_no_bar_is_reached() -> None:
    """A task without a trial is in no figure and said so; the gate waits, whatever the others came to."""
    half = [scored("a", 1, "pass"), scored("a", 2, "pass"), scored("b", 1, "pass")]
    found = figures.figures(half, planned("abc", 2))
    assert found.missing == (("b", 2), ("c", 1), ("c", 2))
    assert found.overall.pass_hat == (1.0, 1.0)
    assert [found.overall.left_out(k) for k in (1, 2)] == [("c",), ("b", "c")]
    assert gate.passed(gate.read_gate("pass^1>=0.7"), found) == (False, 1.0, False)
    whole = [*half, *(scored(task, number, "pass") for task, number in found.missing)]
    broke = [*whole[:-1], scored("c", 2, "error", stop=Stop(cause="error", error="x"))]
    for trials, came in ((whole, (True, 1.0, True)), (broke, (False, 1.0, False))):
        assert gate.passed(gate.read_gate("pass^1>=0.7"), figures.figures(trials, planned("abc", 2))) == came


@pytest.mark.parametrize(("passed", "of", "ok"), [(7, 10, True), (69, 100, False), (1, 3, False)])
def test_a_bar_is_reached_by_what_stands_on_it(passed: int, of: int, ok: bool) -> None:
    """0.7 is seven of ten, though the mean of the tasks' shares misses it by a hair of binary fractions."""
    trials = [scored(str(task), 1, "pass" if task < passed else "fail") for task in range(of)]
    found = figures.figures(trials, planned([str(task) for task in range(of)], 1))
    assert gate.passed(gate.read_gate("pass^1>=0.7"), found).ok is ok
    rounded = found.overall.pass_hat[0] + 1e-13
    assert gate.passed(gate.Gate("", 1, "", rounded), found).ok
