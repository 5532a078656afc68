"""Calls, values and states against what was expected: the rules one by one, and whole spaces against brute force."""

from __future__ import annotations

import copy
import doctest
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debateroom.errors import UsageError
from debateroom.matching import assignment, calls, paths, state, values
from debateroom.matching.calls import ExpectedCall, match_calls
from debateroom.matching.paths import DELETED
from debateroom.matching.state import compare_state
from debateroom.matching.values import canonical, digest, fits, same

GOT = {"tool": "get_order", "args": {"order_id": "W1", "full": True}}


def why(expected: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]], **how: Any) -> list[str]:
    """The evidence against the calls, as text."""
    found = match_calls(expected, actual, **how)
    assert found.ok is (not found.evidence)
    return [str(each) for each in found.evidence]


@pytest.mark.parametrize("module", [calls, state])
def test_the_examples_of_the_docstrings_run(module: Any) -> None:
    """What the documentation shows is what happens."""
    done = doctest.testmod(module)
    assert done.attempted > 0
    assert done.failed == 0


@pytest.mark.parametrize(
    ("wanted", "actual", "fit"),
    [
        (25, 25.0, True),
        (True, 1, False),
        (0, False, False),
        (None, None, True),
        ("25", 25, False),
        ([1, 2], [1, 2, 3], False),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": None}, {}, False),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1.0, {"c": 2, "d": 3}]}}, True),
        ({"re": r"^W\d+$"}, "W12", True),
        ({"re": r"^W\d+$"}, "w12", False),
        ({"re": r"^W\d+$", "case_insensitive": True}, "w12", True),
        ({"re": "late"}, "it came late again", True),
        ({"re": r"^1\d$"}, 12, True),
        ({"in": [1, "two"]}, 1.0, True),
        ({"in": [1, "two"]}, True, False),
        ({"in": ["Two"], "case_insensitive": True}, "tWO", True),
        ({"any": True}, None, True),
        ({"number": 25, "tolerance": 0.5}, 25.5, True),
        ({"number": 25, "tolerance": 0.5}, 25.51, False),
        ({"number": 0.2, "tolerance": 0.1}, 0.3, True),
        ({"number": 1}, True, False),
        ({"number": 25}, "25", False),
        ({"case_insensitive": "Ada Byron"}, " ada BYRON ", True),
        ({"literal": {"any": True}}, {"any": True}, True),
        ({"literal": {"any": True}}, 5, False),
        ({"in": [1], "of": 2}, {"in": [1], "of": 2}, True),
    ],
)
def test_values_and_matchers(wanted: Any, actual: Any, fit: bool) -> None:
    """Objects are supersets, lists whole, numbers equal by value, `true` never 1; a matcher stands for many."""
    assert fits(wanted, actual) is fit


@pytest.mark.parametrize(
    "matcher",
    [
        {"re": "("}, {"re": 5}, {"in": 5}, {"any": False}, {"number": "5"}, {"number": 5, "tolerance": -1},
        {"re": "a", "in": ["a"]}, {"number": 5, "case_insensitive": True}, {"re": "a", "tolerance": 1},
        {"re": "a", "case_insensitive": "a"},
    ],
)  # fmt: skip
def test_a_matcher_that_cannot_be_one_is_an_error_of_the_dataset(matcher: Any) -> None:
    """It is refused where it is read, and matches nothing."""
    with pytest.raises(UsageError):
        fits(matcher, "a")
    with pytest.raises(UsageError, match="expected call 1: args_match"):
        match_calls([{"tool": "t", "args_match": {"deep": [matcher]}}], [])


def test_a_call_must_have_the_arguments_and_may_have_more() -> None:
    """The superset is asked of the actual call: what it lacks is no match, not even against anything."""
    assert why([{"tool": "get_order", "args_match": {"order_id": "W1"}}], [GOT]) == []
    assert why([{"tool": "get_order", "argsMatch": {"note": {"any": True}}}], [GOT]) == [
        'missing: get_order {"note": {"any": true}}'
    ]
    assert why([{"tool": "get_order"}], [{"tool": "get_order", "args": None}]) == []
    assert why([{"tool": "get_order", "args_match": {"a": 1}}], [{"tool": "get_order", "args": "{'a': 1}"}]) != []


def test_one_call_satisfies_one_expectation_and_as_many_as_can_be_are_satisfied() -> None:
    """A greedy choice would give W1 to the loose expectation and leave the strict one without."""
    loose, strict = {"tool": "get_order"}, {"tool": "get_order", "args_match": {"order_id": "W1"}}
    other = {"tool": "get_order", "args": {"order_id": "W2"}}
    assert match_calls([loose, strict], [GOT, other]).pairs == ((0, 1), (1, 0))
    assert why([loose, strict], [GOT]) == ['missing: get_order {"order_id": "W1"}']


def test_forbidden_counted_and_by() -> None:
    """A forbidden call is one that must not be there at all; a count is exact; `by` names who calls."""
    one = {"tool": "refund", "args": {"amount": 5}, "by": "desk"}
    assert why([{"tool": "refund", "forbidden": True}], [one, GOT]) == ['forbidden: refund {"amount": 5} by desk']
    assert why([{"tool": "refund", "count": 0}], [one]) == ['forbidden: refund {"amount": 5} by desk']
    assert why([{"tool": "refund", "forbidden": True, "args_match": {"amount": 6}}], [one]) == []
    assert why([{"tool": "refund", "count": 2}], [one]) == ["missing: refund ×2"]
    assert why([{"tool": "refund", "count": 1}], [one, one]) == ['surplus: refund {"amount": 5} by desk']
    assert why([{"tool": "refund", "count": 1}, {"tool": "ref*"}], [one, one]) == []
    assert why([{"tool": "refund", "by": "desk"}], [one]) == []
    assert why([{"tool": "refund", "by": "boss"}], [one]) == ["missing: refund by boss"]


def test_order_and_extra() -> None:
    """In sequence other calls may stand in between; where extra calls are forbidden none may, looking up included."""
    first, second = {"tool": "get_order"}, {"tool": "refund"}
    refund = {"tool": "refund", "args": {"amount": 5}}
    note = {"tool": "add_note", "args": {}}
    assert why([first, second], [refund, GOT], order="any") == []
    assert why([first, second], [GOT, note, refund], order="sequence") == []
    assert why([first, second], [refund, GOT], order="sequence") == ["order: refund"]
    assert why([first, second], [GOT, note, refund], extra="forbid") == ["extra: add_note {}"]
    assert why([first], [GOT, GOT], extra="forbid") == ['extra: get_order {"order_id": "W1", "full": true}']
    assert why([first, second], [GOT, note, refund], order="sequence", extra="forbid") == ["extra: add_note {}"]
    assert why([], [], extra="forbid") == []
    assert why([{**second, "count": 1}, first], [refund, GOT, refund], order="sequence") == [
        'surplus: refund {"amount": 5}'
    ]


def test_only_calls_with_a_result_count() -> None:
    """A call that was asked for and never executed has no result; one without that key was executed."""
    asked = {"tool": "refund", "args": {}, "result": None}
    done = {"tool": "refund", "args": {}, "result": "paid back"}
    assert why([{"tool": "refund"}], [asked]) == ["missing: refund"]
    assert match_calls([{"tool": "refund"}], [asked, done]).pairs == ((0, 1),)
    assert why([{"tool": "refund", "forbidden": True}], [asked]) == []


@pytest.mark.parametrize(
    ("expected", "sentence"),
    [
        ({"args_match": {}}, "expected call 1: tool: it is missing"),
        ({"tool": "a", "times": 2}, "expected call 1: times: there is no such key"),
        ({"tool": "a", "count": -1}, "expected call 1: count"),
        ({"tool": "a", "count": 2, "forbidden": True}, "expected call 1: the whole: a call that is forbidden"),
        ({"tool": "a", "args_match": {}, "argsMatch": {}}, "say the same thing twice"),
    ],
)
def test_an_expectation_that_cannot_be_understood_is_named(expected: dict[str, Any], sentence: str) -> None:
    """Its place and its field are in the error."""
    with pytest.raises(UsageError, match=sentence):
        match_calls([expected], [])
    with pytest.raises(UsageError, match="order is"):
        match_calls([], [], order="random")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="extra is"):
        match_calls([], [], extra="ignore")  # type: ignore[arg-type]


EXPECTED = st.builds(
    lambda tool, arg, count: {
        "tool": tool,
        **({"args_match": {"x": arg}} if arg is not None else {}),
        **({"count": count} if count is not None else {}),
    },
    st.sampled_from(["a", "b", "*"]),
    st.sampled_from([None, 1, 2, {"in": [1, 2]}]),
    st.sampled_from([None, None, 0, 1, 2]),
)
ACTUAL = st.builds(
    lambda tool, arg: {"tool": tool, "args": {"x": arg}}, st.sampled_from(["a", "b"]), st.sampled_from([1, 2])
)


def by_brute_force(expected: list[dict[str, Any]], actual: list[dict[str, Any]], order: str, extra: str) -> bool:
    """The definition: there is a way to give each call to one expectation or to none that satisfies everything."""
    wanted = [ExpectedCall.model_validate(each) for each in expected]
    if any(each.refused and each.fits(call) for each in wanted for call in actual):
        return False
    choices = [
        [None, *(at for at, each in enumerate(wanted) if not each.refused and each.fits(call))] for call in actual
    ]
    for given_to in itertools.product(*choices):
        taken = [sum(at == number for at in given_to) for number in range(len(wanted))]
        met = all(
            each.refused or (count == each.count if each.count is not None else count >= 1)
            for each, count in zip(wanted, taken, strict=True)
        )
        left = [call for call, at in zip(actual, given_to, strict=True) if at is None]
        if extra == "forbid":
            met = (
                met
                and not left
                and all(count <= 1 for each, count in zip(wanted, taken, strict=True) if each.count is None)
            )
        else:
            met = met and not any(each.count and each.fits(call) for each in wanted for call in left)
        used = [at for at in given_to if at is not None]
        if met and (order == "any" or used == sorted(used)):
            return True
    return False


@settings(max_examples=300, deadline=None)
@given(
    st.lists(EXPECTED, max_size=3), st.lists(ACTUAL, max_size=5),
    st.sampled_from(["any", "sequence"]), st.sampled_from(["allow", "forbid"]),
)  # fmt: skip
def test_the_matching_is_the_definition(
    expected: list[dict[str, Any]], actual: list[dict[str, Any]], order: Any, extra: Any
) -> None:
    """Against every possible assignment; and the pairs are real ones, in order where that was asked."""
    found = match_calls(expected, actual, order=order, extra=extra)
    assert found.ok is by_brute_force(expected, actual, order, extra)
    assert found.ok is (not found.evidence)
    wanted = [ExpectedCall.model_validate(each) for each in expected]
    assert all(wanted[at].fits(actual[call]) for at, call in found.pairs)
    used = [call for _, call in found.pairs]
    assert len(used) == len(set(used))
    assert order == "any" or used == sorted(used)


@settings(max_examples=200, deadline=None)
@given(st.lists(EXPECTED, max_size=4), st.lists(ACTUAL, max_size=6))
def test_as_many_expectations_as_possible_have_their_call(
    expected: list[dict[str, Any]], actual: list[dict[str, Any]]
) -> None:
    """The number of pairs is the largest one there is."""
    wanted = [ExpectedCall.model_validate(each) for each in expected]
    slots = [each for each in wanted if not each.refused for _ in range(1 if each.count is None else each.count)]
    best = 0
    for size in range(min(len(slots), len(actual)), 0, -1):
        ways = itertools.product(
            itertools.combinations(range(len(slots)), size), itertools.permutations(range(len(actual)), size)
        )
        if any(all(slots[s].fits(actual[c]) for s, c in zip(*way, strict=True)) for way in ways):
            best = size
            break
    assert len(match_calls(expected, actual).pairs) == best


BEFORE = {
    "orders": {"W1": {"status": "processing", "paid": 25, "items": ["lamp", "desk"]}, "W.2": {"paid": 9}},
    "open": True,
}


def differences(final: Any, expected: Any, strength: Any = "paths_only") -> list[str]:
    """What is wrong with a state, as text."""
    found = compare_state(BEFORE, final, expected, strength=strength)
    assert found.ok is (not found.evidence)
    return [str(each) for each in found.evidence]


def after(**changes: Any) -> Any:
    """The state with values put at paths; dots of a path are written as `__`."""
    made = copy.deepcopy(BEFORE)
    for path, value in changes.items():
        made = paths.put(made, tuple(path.split("__")), value)
    return made


def test_paths_look_only_where_something_is_expected() -> None:
    """Dotted paths, JSON Pointers and keys with dots in them; numbers are equal by value."""
    final = after(orders__W1__status="cancelled", open=False)
    expected = {"orders.W1.status": "cancelled", "/orders/W1/paid": 25.0, "orders.W.2.paid": 9, "/orders/W.2/paid": 9}
    assert differences(final, expected, "paths") == []
    assert differences(final, {"orders.W1.items.1": "chair"}, "paths") == [
        'value: orders.W1.items.1: "chair" ≠ "desk"'
    ]
    assert differences(final, {"open": 0}, "paths") == ["value: open: 0 ≠ false"]
    assert differences(final, {"": final}, "paths") == []


def test_paths_only_says_what_else_changed() -> None:
    """Each path by itself: what was expected and is not so, what changed besides, what was made, what is gone."""
    final = after(orders__W1__status="lost", orders__W1__items__1="chair", orders__W3={"paid": 1, "note": ""})
    final = paths.put(final, ("orders", "W.2"), DELETED)
    assert differences(final, {"orders.W1.status": "cancelled"}) == [
        'value: orders.W1.status: "cancelled" ≠ "lost"',
        'changed: orders.W1.items.1: "desk" ≠ "chair"',
        "changed: /orders/W.2/paid: 9 ≠ ∅",
        "changed: orders.W3.paid: ∅ ≠ 1",
        'changed: orders.W3.note: ∅ ≠ ""',
    ]
    assert differences(after(), {}) == []


def test_deleted_is_a_value() -> None:
    """It is expected as such, and is neither null nor an empty value."""
    gone = paths.put(after(), ("orders", "W1", "paid"), DELETED)
    for strength in ("paths", "paths_only", "hash"):
        assert differences(gone, {"orders.W1.paid": {"$deleted": True}}, strength) == []
        assert differences(gone, {"orders.W1.paid": DELETED}, strength) == []
    assert differences(gone, {"orders.W1.paid": None}) == ["value: orders.W1.paid: null ≠ ∅"]
    assert differences(after(orders__W1__paid=None), {"orders.W1.paid": DELETED}, "paths") == [
        "value: orders.W1.paid: ∅ ≠ null"
    ]
    assert differences(gone, {"orders.W1.paid": 25}, "paths") == ["value: orders.W1.paid: 25 ≠ ∅"]
    short = after(orders__W1__items=["lamp"])
    assert differences(short, {"orders.W1.items.1": DELETED}) == []
    both = {"orders.W1.items.0": DELETED, "orders.W1.items.1": DELETED}
    assert differences(after(orders__W1__items=[]), both) == []
    assert differences(after(), {"orders.W9": DELETED, "orders.W9.paid": DELETED}) == []


def test_the_hash_is_that_of_the_canonical_state() -> None:
    """It is the same whatever the order of keys and the spelling of numbers; the difference is still shown."""
    final = after(orders__W1__status="cancelled")
    turned = {"open": True, "orders": dict(reversed(list(final["orders"].items())))}
    turned["orders"]["W1"]["paid"] = 25.0
    assert differences(turned, {"orders.W1.status": "cancelled"}, "hash") == []
    assert differences(final, digest(turned), "hash") == []
    assert differences(final, f"sha256:{digest(turned)}", "hash") == []
    wrong = compare_state(BEFORE, final, {"orders.W1.status": "lost"}, strength="hash")
    assert [each.kind for each in wrong.evidence] == ["value", "hash"]
    assert [each.kind for each in compare_state({}, {}, "0" * 64, strength="hash").evidence] == ["hash"]
    mixed = compare_state({"a": {"0": 1}}, {"a": [1]}, {}, strength="hash")
    assert not mixed.ok
    assert mixed.differences


@pytest.mark.parametrize(
    ("expected", "strength", "sentence"),
    [
        ({"orders..W1": 1}, "paths", "empty part"),
        ({"open.door": 1}, "hash", "no value can stand under 'door'"),
        ({"orders.W1.items.7": 1}, "paths_only", "no value can stand under '7'"),
        ("0" * 64, "paths", "with the strength hash only"),
        ({}, "full", "the strength is"),
    ],
)
def test_what_no_world_can_be_compared_with_is_an_error(expected: Any, strength: Any, sentence: str) -> None:
    """A dataset that asks for it is wrong; no agent is to blame."""
    with pytest.raises(UsageError, match=sentence):
        compare_state(BEFORE, BEFORE, expected, strength=strength)


SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 0.5, "", "a", "1"])
KEYS = st.sampled_from(["a", "b", "a.b", "0", "x/y", "~"])
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


@settings(max_examples=300, deadline=None)
@given(JSON, JSON)
def test_equal_values_have_equal_hashes_and_no_others(one: Any, other: Any) -> None:
    """`same`, the canonical text and the empty difference are three views of one thing."""
    equal = same(one, other)
    assert equal is (canonical(one) == canonical(other))
    found = compare_state(one, other, {}, strength="paths_only")
    assert found.ok is equal
    assert compare_state(one, other, {}, strength="hash").ok is equal
    assert same(one, copy.deepcopy(one))
    assert fits(one, other) or not equal or values.is_matcher(one)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(KEYS, JSON, max_size=3), JSON, st.data())
def test_a_state_changed_as_expected_is_the_expected_one(world: Any, value: Any, data: st.DataObject) -> None:
    """Whatever path is changed, its pointer leads back to it, and each strength accepts that change and no other."""
    keys = data.draw(st.sampled_from([keys for keys, _ in paths.leaves(world)]))
    final = paths.put(copy.deepcopy(world), keys, value)
    pointer = "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)
    assert paths.tokens(pointer) == keys
    for strength in ("paths", "paths_only", "hash"):
        assert compare_state(world, final, {pointer: value}, strength=strength).ok
    more = {**final, "new": 1} if isinstance(final, dict) else [final]
    assert not compare_state(world, more, {pointer: value}, strength="paths_only").ok
    assert not compare_state(world, more, {pointer: value}, strength="hash").ok


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, JSON, max_size=3))
def test_what_is_written_as_a_path_is_read_as_that_path(world: Any) -> None:
    """A difference that is printed can be pasted into a dataset."""
    for keys, _ in paths.leaves(world):
        assert paths.tokens(paths.written(keys)) == keys


class Row(tuple[bool, ...]):
    """A row of a table, which counts how often rows were looked through."""

    looked = 0

    def __iter__(self) -> Iterator[bool]:
        Row.looked += 1
        return super().__iter__()


def test_many_slots_that_cannot_be_filled_cost_one_search() -> None:
    """A hundred calls for ten times as many slots: what one search found out holds for the others."""
    table = [Row([True] * 100) for _ in range(1000)]
    Row.looked = 0
    assert len(assignment.maximum(table)) == 100
    assert Row.looked < 5_000  # without that 92,000
