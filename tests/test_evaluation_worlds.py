"""Worlds, reference solutions, mistakes and the lint: what a dataset is worth before any model is asked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from debateroom import templates
from debateroom.errors import UsageError
from debateroom.evaluation.dataset import read_dataset, read_task
from debateroom.evaluation.lint import lint
from debateroom.evaluation.personas import PERSONAS, persona
from debateroom.evaluation.reference import mutations
from debateroom.evaluation.task import ReferenceCall, Task
from debateroom.evaluation.world import World, find_world, play, snapshot
from debateroom.matching.state import compare_state

HERE = Path(__file__).parent
TASKS = read_dataset(str(HERE / "datasets" / "shop-30.jsonl")).tasks
INITIAL = {"orders": {"W1": {"customer": "A", "status": "processing", "items": {"linear keyboard": 1}, "amount": 9}}}


@pytest.fixture
def shop() -> World:
    """The shop of one trial."""
    return find_world("python:shop:ShopWorld", HERE / "agents")("test")


def test_the_thirty_tasks_are_ours_and_of_every_kind(shop: World) -> None:
    """Each persona in five at least, three languages, the five situations, and no finding of the lint."""
    assert len(TASKS) == 30
    assert {name: count >= 5 for name, count in Counter(task.persona for task in TASKS).items()} == dict.fromkeys(
        PERSONAS, True
    )
    tags = Counter(tag for task in TASKS for tag in task.tags)
    assert min(tags[language] for language in ("en", "fr", "zh")) >= 5
    assert min(tags[tag] for tag in ("refusal", "exchange", "lost_number", "grandchild", "overreach")) >= 1
    assert lint(TASKS, shop) == ()
    pressed = next(task for task in TASKS if "5000" in task.instruction and "199" in task.known_info)
    assert pressed.checks.user_satisfied is False


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
@pytest.mark.parametrize("strength", ["paths_only", "hash"])
def test_every_mistake_in_a_solution_is_seen(task: Task, strength: Any, shop: World) -> None:
    """Nothing done, the last write dropped, one argument damaged, the last write doubled: another state each time."""
    made = mutations(task, shop)
    assert {name.split(":")[0] for name, _ in made} == {
        "nothing", "last write dropped", "damaged", "last write doubled",
    }  # fmt: skip
    assert task.checks.db_state
    assert task.checks.db_state.expected
    for name, calls in made:
        played = play(shop, task.initial, calls)
        found = compare_state(played.initial, played.final, task.checks.db_state.expected, strength=strength)
        assert not found.ok, name
        assert found.evidence


def test_the_script_shows_that_solutions_pass_and_doing_nothing_does_not() -> None:
    """A line a task, then the four figures; 0 when every task is worth something."""
    done = subprocess.run(
        [sys.executable, str(HERE / "datasets" / "solve.py")], capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0] == "S-001  reference: pass  nothing: fail  mistakes tried: 4"
    assert lines[30:32] == [
        "pass^1 by tool_call_match:     30/30 (100%)", "pass^1 by db_state:            30/30 (100%)",
    ]  # fmt: skip


def test_the_shops_world_is_apart_for_each_session_and_the_same_after_each_reset() -> None:
    """Its tools act in its own session; the state counts notes and leaves their wording out."""
    make = find_world("shop:ShopWorld", HERE / "agents")
    one, other = make("world-one"), make("world-other")
    one.reset(INITIAL, 1)
    other.reset(None, 1)
    begin = snapshot(one)
    one.tools()["add_note"](order_id="W1", note="any words")
    assert snapshot(one)["orders"]["W1"] == {**begin["orders"]["W1"], "notes": 1}
    assert sorted(snapshot(other)["orders"]) == ["W1001", "W1002", "W1003"]
    one.reset(INITIAL, 2)
    assert snapshot(one) == begin


def test_a_keyboard_is_exchanged_in_either_order(shop: World) -> None:
    """First the new one or first the old one off; an item of another kind is refused."""
    on, off = (
        {"order_id": "W1", "item": f"{kind} keyboard", "quantity": n} for kind, n in (("Clicky", 1), ("linear", 0))
    )
    for pair in ((on, off), (off, on)):
        played = play(shop, INITIAL, [ReferenceCall(tool="change_item", args=args) for args in pair])
        assert played.final["orders"]["W1"]["items"] == {"clicky keyboard": 1}
    strange = play(shop, INITIAL, [ReferenceCall(tool="change_item", args={**on, "item": "red scarf"})])
    assert [(call.ok, strange.writes) for call in strange.calls] == [(False, ())]


def test_calls_that_fail_are_answers_of_the_world(shop: World) -> None:
    """An unknown tool, arguments it does not take, its own refusal: none is executed, all have a reason."""
    calls = [
        ReferenceCall(tool="teleport"), ReferenceCall(tool="refund", args={"order_id": "W1"}),
        ReferenceCall(tool="refund", args={"order_id": "W1", "amount": 10}),
        ReferenceCall(tool="refund", args={"order_id": "W1", "amount": 4}),
    ]  # fmt: skip
    played = play(shop, INITIAL, calls)
    assert [call.ok for call in played.calls] == [False, False, False, True]
    assert played.calls[0].result == "there is no such tool"
    assert played.writes == (3,)


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("python:shop", "is not written as module:function"),
        ("python:shop:Nothing", "has no Nothing"),
        ("python:shop:reset", "is no world: it needs reset, tools and state"),
        ("python:broken:World", "cannot be made: ValueError: no"),
    ],
)
def test_what_is_no_world_is_said(reference: str, sentence: str, tmp_path: Path) -> None:
    """Before the first trial, with the reason."""
    (tmp_path / "shop.py").symlink_to(HERE / "agents" / "shop.py")
    (tmp_path / "broken.py").write_text("def World():\n    raise ValueError('no')\n")
    with pytest.raises(UsageError, match=sentence):
        find_world(reference, tmp_path)("s")


def found(shop: World | None, **fields: Any) -> list[tuple[str, str]]:
    """Rule and text of the findings on one task that passes as it stands."""
    whole = {
        "instruction": "Have a note put on W1.", "initial": INITIAL,
        "expected_tool_calls": [{"tool": "add_note"}], "expected_db_state": {"orders.W1.notes": 1},
        "reference": {"calls": [{"tool": "add_note", "args": {"order_id": "W1", "note": "x"}}], "say": ["done"]},
    }  # fmt: skip
    return [(each.rule, each.text) for each in lint([read_task({**whole, **fields})], shop)]


def test_a_task_that_is_in_order_has_no_finding(shop: World) -> None:
    """With a world and without."""
    assert found(shop) == []
    assert found(None) == []


@pytest.mark.parametrize(
    ("fields", "rule", "text"),
    [
        ({"expected_tool_calls": None, "expected_db_state": None}, "empty", "it has no check"),
        ({"expected_tool_calls": []}, "empty", "tool_calls expects no call"),
        ({"expected_db_state": {}}, "empty", "db_state expects nothing"),
        ({"checks": {"judge": ["Kind.", " "]}}, "empty", "judge has an empty criterion"),
        ({"checks": {"judge": []}}, "empty", "judge has an empty criterion"),
        ({"checks": {"communicate": [["done", ""]]}}, "empty", "communicate has an empty entry"),
        ({"reference": None}, "reference", "it has no reference solution"),
        ({"reference": {"calls": [{"tool": "add_note", "args": {"order_id": "W9", "note": "x"}}]}},
         "reference", 'add_note {"order_id": "W9", "note": "x"} fails: there is no order W9'),
        ({"checks": {"communicate": ["sent"]}}, "reference", "communicate: unsaid: sent"),
        ({"expected_db_state": {"orders.W1.customer.name": 1, "orders.W1.notes": 1}, "checks": {}},
         "reference", "db_state: value: orders.W1.customer.name: 1 ≠ ∅"),
        ({"initial": {"shops": {}}}, "reference", "the world breaks: KeyError: 'orders'"),
        ({"expected_tool_calls": [{"tool": "refund", "count": 0}], "expected_db_state": {"orders.W1.amount": 9}},
         "nothing", "it passes when nothing is done"),
        ({"expected_tool_calls": None, "expected_db_state": None, "expected_user_satisfied": True},
         "nothing", "it passes when nothing is done"),
        ({"expected_tool_calls": [{"tool": "add_note"}, {"tool": "add_*", "forbidden": True}]},
         "contradiction", "add_note is expected and forbidden"),
        ({"expected_db_state": {"orders.W1.notes": 1, "/orders/W1/notes": 2}},
         "contradiction", "orders.W1.notes is 1 and /orders/W1/notes is 2"),
        ({"expected_db_state": {"orders.W1": {"$deleted": True}, "orders.W1.notes": 1}},
         "contradiction", 'orders.W1 is {"$deleted": true} and orders.W1.notes is 1'),
        ({"opening": "Cancel W1. ###STOP###"}, "contradiction",
         "its opening holds a token, which is sent to the agent as it stands and ends nothing"),
        ({"persona": "Chaty"}, "contradiction",
         'its persona "Chaty" is no shipped one, and is told as it stands: chatty?'),
        ({"unknown_values": ["w1"]}, "contradiction", "the customer is told 'w1', which it must not say"),
        ({"known_info": "You are Ada Byron.", "unknown_values": ["Ada Byron"]},
         "contradiction", "the customer is told 'Ada Byron', which it must not say"),
    ],
)  # fmt: skip
def test_the_lint_says_what_is_wrong(fields: dict[str, Any], rule: str, text: str, shop: World) -> None:
    """One rule a case; other findings may follow from the same mistake."""
    assert any(each[0] == rule and text in each[1] for each in found(shop, **fields)), found(shop, **fields)


@pytest.mark.parametrize("language", ["en", "fr", "zh"])
def test_the_four_personas_ship_in_three_languages(language: str) -> None:
    """By name, in the language of the talk; a text of the dataset stays; none is neutral, complete and brief."""
    words = templates.data(f"evaluation/{language}.toml")
    assert tuple(words["personas"]) == PERSONAS
    assert len({persona(name, language) for name in (*PERSONAS, "")}) == 5
    assert persona(" Firm ", language) == words["personas"]["firm"]
    assert persona("a pirate", language) == "a pirate"
    assert persona("", "zh") == "语气中性，信息完整，简短。"


def test_the_dataset_is_json_a_line_after_its_comments() -> None:
    """Other tools can read it too."""
    lines = (HERE / "datasets" / "shop-30.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum(bool(json.loads(line)) for line in lines if line and not line.startswith("//")) == 30
