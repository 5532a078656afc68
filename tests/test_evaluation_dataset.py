"""Datasets: the seed's form and ours, comments, and errors that name file, line and field; τ²-bench's files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from debateroom.errors import UsageError
from debateroom.evaluation.checks import grade, verdict
from debateroom.evaluation.dataset import parse, read_dataset, read_task
from debateroom.evaluation.lint import lint
from debateroom.evaluation.task import Checks, Task
from debateroom.evaluation.trial import Call, Judgement, Message, Stop, Trial
from debateroom.matching.calls import ExpectedCall

SEED = """
// two tasks
{
  "id": "L2-001",
  "scenario": {
    "instruction": "Ask about o_99812 // twice",
    "knownInfo": "Your order is o_99812",
    "unknownInfo": "none",
    "persona": "polite",
    "expectedTurnLimit": 6
  },
  "expected_tool_calls": [
    {"tool": "get_order", "args_match": {"order_id": "o_99812"}},
    {"tool": "add_note"}
  ],
  "expected_db_state": {
    "orders.o_99812.note_added": true,
    "orders.o_99812.status": "shipped"      // does not change
  },
  "expected_user_satisfied": true           // the customer says ###STOP###
}
{"instruction": "Cancel."}
"""


def test_the_form_of_the_seed_is_read() -> None:
    """Objects over many lines with comments; what looks like a comment in a string is none; an id is its number."""
    first, second = parse(SEED, "seed.jsonl")
    assert (first.id, first.line, first.max_turns, first.persona) == ("L2-001", 3, 6, "polite")
    assert (first.instruction, first.known_info) == ("Ask about o_99812 // twice", "Your order is o_99812")
    assert first.checks.tool_calls
    assert first.checks.tool_calls.expected == (
        ExpectedCall(tool="get_order", args_match={"order_id": "o_99812"}), ExpectedCall(tool="add_note"),
    )  # fmt: skip
    assert first.checks.db_state
    assert first.checks.db_state.expected == {
        "orders.o_99812.note_added": True, "orders.o_99812.status": "shipped",
    }  # fmt: skip
    assert first.checks.db_state.strength == "paths"
    assert first.checks.user_satisfied is True
    assert (second.id, second.line, second.max_turns, second.checks) == ("2", 22, 10, Checks())


def test_every_optional_field_in_both_spellings() -> None:
    """Flat or in a scenario, camel or snake case, checks in short or in full: the same task."""
    flat = {
        "id": 7, "instruction": ["Cancel.", "Be quick."], "known_info": "k", "unknown_info": "u", "persona": "firm",
        "unknown_values": ["W1"], "opening": "Hello", "max_turns": 3, "tags": ["en"], "initial": {"knownInfo": 1},
        "checks": {
            "tool_calls": {"expected": [{"tool": "a", "args_match": {"orderId": 1}}], "order": "any"},
            "db_state": {"expected": {"aB.c": 1}, "strength": "hash"},
            "communicate": ["x", ["y", "z"]], "judge": ["It is kind."], "user_satisfied": False,
        },
        "reference": {"calls": [{"tool": "a", "args": {"orderId": 1}}], "say": ["x y"]},
    }  # fmt: skip
    camel = {
        "id": "7", "unknownValues": "W1", "tags": "en", "initial": {"knownInfo": 1},
        "scenario": {
            "instruction": "Cancel.\nBe quick.", "knownInfo": "k", "unknownInfo": "u", "persona": "firm",
            "opening": "Hello", "expectedTurnLimit": 3,
        },
        "expectedToolCalls": [{"tool": "a", "argsMatch": {"orderId": 1}}],
        "expectedUserSatisfied": False,
        "checks": {
            "dbState": {"expected": {"aB.c": 1}, "strength": "hash"},
            "communicate": [["x"], ["y", "z"]], "judge": "It is kind.",
        },
        "reference": {"calls": [{"tool": "a", "args": {"orderId": 1}}], "say": ["x y"]},
    }  # fmt: skip
    one, other = parse(f"{json.dumps(flat)}", "f"), parse(json.dumps(camel), "f")
    assert one == other
    assert one[0].checks.communicate == (("x",), ("y", "z"))
    assert Task.model_validate(one[0].model_dump(mode="json")) == one[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"instruction": "a"}\n\n{"id": "b"}', "d.jsonl, line 3: instruction: it is missing"),
        ('{"instruction": "a",\n "maxTurns": 0}', "d.jsonl, line 1: max_turns: input should be greater"),
        ('{"instruction": "a"}\n{"instruction": "a" "b"}', "d.jsonl, line 2: it is no valid JSON: Expecting"),
        ('// c\n\n{"instruction": "a", "colour": 1}', "d.jsonl, line 3: colour: there is no such key"),
        ('{"instruction": "a", "instruction": "b"}', "line 1: it is no valid JSON: the key 'instruction' stands"),
        ('{"instruction": "a", "initial": NaN}', "line 1: it is no valid JSON: NaN"),
        ('{"instruction": "a", "scenario": {"instruction": "b"}}', "line 1: the whole: `instruction` stands there"),
        ('{"instruction": "a", "max_turns": 1, "expectedTurnLimit": 2}', "`max_turns` stands there twice"),
        ('{"instruction": "a", "checks": {"db_state": {}}, "expectedDbState": {}}', "in `checks` and outside"),
        ('{"instruction": "a", "scenario": 5}', "line 1: the whole: `scenario` is an object"),
        ('["a"]', "line 1: a task is an object"),
        ('{"id": "x", "instruction": "a"}\n{"id": "x", "instruction": "a"}', "line 2: id: 'x' is the task of line 1"),
        ('{"instruction": "a", "expected_tool_calls": [{"tool": "t", "args_match": {"a": {"re": "("}}}]}',
         "line 1: checks.tool_calls.expected.0.args_match: "),
        ('{"instruction": "a", "expected_tool_calls": [{"toll": "t"}]}', "expected.0.tool: it is missing"),
        ("// nothing\n", "the dataset d.jsonl has no task"),
        ("[" * 100_000, "line 1: it is no valid JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_line(text: str, sentence: str) -> None:
    """File, line and field are in the error; nothing is guessed."""
    with pytest.raises(UsageError) as raised:
        parse(text, "d.jsonl")
    assert sentence in str(raised.value)


def test_all_faults_are_told_up_to_five() -> None:
    """Whoever mends a dataset sees more than the first fault."""
    with pytest.raises(UsageError) as raised:
        parse('{"id": "a"}\n' * 7, "d.jsonl")
    lines = str(raised.value).splitlines()
    assert lines[:2] == ["d.jsonl, line 1: instruction: it is missing", "d.jsonl, line 2: instruction: it is missing"]
    assert lines[5:] == ["and 2 more"]


def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    """No file, and no text."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_dataset(str(tmp_path / "none.jsonl"))
    (tmp_path / "x.jsonl").write_bytes(b"\xff\xfe{")
    with pytest.raises(UsageError, match="is not UTF-8"):
        read_dataset(str(tmp_path / "x.jsonl"))


def tau(**more: Any) -> dict[str, Any]:
    """A task as τ²-bench's files have it."""
    return {
        "id": "0",
        "description": {"purpose": "p"},
        "user_scenario": {
            "persona": None,
            "instructions": {
                "task_instructions": "Insist.", "domain": "airline", "reason_for_call": "You want to cancel EHGLP3.",
                "known_info": "You are Emma Kim.", "unknown_info": None,
            },
        },
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [{"action_id": "0_0", "name": "cancel", "arguments": {"id": "EHGLP3", "why": "x"}}],
            "communicate_info": ["4"], "nl_assertions": ["Agent is kind."], "reward_basis": ["DB", "COMMUNICATE"],
        },
        "annotations": None,
        **more,
    }  # fmt: skip


def imported(tmp_path: Path, *tasks: Any) -> tuple[Task, ...]:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(list(tasks)))
    return read_dataset(f"tau2:{path}").tasks


def test_a_tau_task_is_scored_by_its_reward_basis_alone(tmp_path: Path) -> None:
    """The state by the reference actions, which needs the world; what is not in the basis is no check."""
    (task,) = imported(tmp_path, tau())
    assert (task.instruction, task.known_info) == ("You want to cancel EHGLP3.\n\nInsist.", "You are Emma Kim.")
    assert task.checks.named() == ("db_state", "communicate")
    assert task.unscored == ()
    said = (Message(party="agent", text="You may bring 4 bags."),)
    trial = Trial(task="0", messages=said, stop=Stop(cause="token", token="stop"))
    assert [(check.name, check.status) for check in grade(task, trial)] == [
        ("db_state", "inconclusive"), ("communicate", "pass"),
    ]  # fmt: skip
    world = {"initial": {"a": 1}, "final": {"a": 2}}
    assert verdict(grade(task, trial.model_copy(update={**world, "target": {"a": 2.0}}))) == "pass"
    assert verdict(grade(task, trial.model_copy(update={**world, "target": {"a": 1}}))) == "fail"


def test_actions_and_assertions_in_the_basis_are_checks(tmp_path: Path) -> None:
    """`ACTION` compares the arguments that it names, or none; `NL_ASSERTION` is a judge's."""
    actions = [
        {"name": "cancel", "arguments": {"id": "E", "why": "x"}, "compare_args": ["id"]},
        {"name": "look", "arguments": {"any": True}},
        {"name": "greet", "arguments": {"tone": "warm"}, "compare_args": []},
        {"name": "toggle", "arguments": {}, "requestor": "user"},
    ]
    criteria = {"actions": actions, "nl_assertions": ["Kind."], "reward_basis": ["ACTION", "NL_ASSERTION"]}
    (task,) = imported(tmp_path, tau(evaluation_criteria=criteria))
    assert [(each.check, each.reason) for each in task.unscored] == [
        ("tool_calls", "the action toggle is a call of the customer's own tools"),
        ("db_state", "its customer has tools"),
    ]
    task = task.model_copy(update={"unscored": ()})
    calls = (
        Call(tool="cancel", args={"id": "E"}, result=""), Call(tool="look", args={"any": True}, result=""),
        Call(tool="greet", args={"tone": "cold"}, result=""),
    )  # fmt: skip
    done = Trial(task="0", calls=calls, stop=Stop(cause="max_turns"))
    assert [check.status for check in grade(task, done)] == ["pass", "inconclusive"]
    judged = done.model_copy(update={"judged": (Judgement(criterion="Kind.", met=True),)})
    assert verdict(grade(task, judged)) == "pass"


@pytest.mark.parametrize(
    ("more", "reasons"),
    [
        ({"evaluation_criteria": None}, ["it has no evaluation criteria"]),
        (
            {
                "evaluation_criteria": {
                    "env_assertions": [{"func_name": "assert_x"}],
                    "reward_basis": ["ENV_ASSERTION"],
                }
            },
            ["assert_x is a function of its world"],
        ),
        (
            {"evaluation_criteria": {"communicate_info": [], "reward_basis": ["COMMUNICATE"]}},
            ["leaves nothing to check"],
        ),
        ({"evaluation_criteria": {"reward_basis": ["KARMA"]}}, ["the reward KARMA is not known here"]),
        ({"initial_state": {"message_history": [{"role": "user"}]}}, ["it begins in the middle of a conversation"]),
        ({"initial_state": {"initialization_actions": [{"func_name": "f"}]}}, ["that only its world can do"]),
        ({"user_tools": ["toggle"]}, ["its customer has tools"]),
    ],
)
def test_what_cannot_be_scored_without_its_world_never_passes(
    tmp_path: Path, more: dict[str, Any], reasons: list[str]
) -> None:
    """It is said per task, by the lint as well, and the trial is inconclusive whatever happens in it."""
    (task,) = imported(tmp_path, tau(**more))
    assert all(part in each.reason for part, each in zip(reasons, task.unscored, strict=True))
    assert [finding.rule for finding in lint([task])] == ["unscored"]
    perfect = Trial(
        task="0", messages=(Message(party="agent", text="4"),), initial={}, final={}, target={},
        judged=(Judgement(criterion="Agent is kind.", met=True),), stop=Stop(cause="token", token="stop"),
    )  # fmt: skip
    assert verdict(grade(task, perfect)) == "inconclusive"


def test_a_tau_file_that_is_none_is_said(tmp_path: Path) -> None:
    """The task and the field are named."""
    path = tmp_path / "tasks.json"
    for text, sentence in (
        ("{", "line 1: it is no valid JSON"),
        ("{}", "holds no list of tasks"),
        ("[5]", "task 1: the task: it is no object"),
        ('[{"id": "1"}]', "task 1: user_scenario: it is no object"),
        (json.dumps([tau(user_scenario={"instructions": ""})]), "task 1: instruction"),
        (json.dumps([tau(), tau()]), "two tasks have the id '0'"),
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match=sentence):
            read_dataset(f"tau2:{path}")


def test_a_field_without_a_value_does_not_stand_there() -> None:
    """`max_turns: null` beside `expectedTurnLimit`, in whatever order."""
    for fields in ({"max_turns": None, "expectedTurnLimit": 2}, {"expectedTurnLimit": 2, "maxTurns": None}):
        assert read_task({"instruction": "a", **fields}).max_turns == 2
