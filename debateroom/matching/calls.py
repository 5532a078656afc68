"""Tool calls that must happen, or must not, against those that did.

An expected call is `{tool, args_match?, by?, count?, forbidden?}`, an actual one `{tool, args, by?, result?}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from debateroom.errors import UsageError
from debateroom.matching import assignment
from debateroom.matching.evidence import Evidence, short
from debateroom.matching.values import check_matchers, fits
from debateroom.validation import first_fault

Order = Literal["any", "sequence"]
Extra = Literal["allow", "forbid"]
_MOST = 100
"""Times that one expectation may ask for a call."""
_LIMIT = 2_000
"""Actual calls that are compared; a trial with more is not scored."""


class ExpectedCall(BaseModel):
    """A tool call that must happen, or must not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str = Field(min_length=1)
    """Name of the tool; `*` in it stands for any letters."""
    args_match: dict[str, Any] = {}
    """Arguments that the call must have, values or matchers (see `values.fits`); it may have more."""
    by: str | None = None
    """Name of the agent that must call it; None is any."""
    count: int | None = Field(default=None, ge=0, le=_MOST, strict=True)
    """How many calls there must be, exactly; None is at least one."""
    forbidden: bool = False
    """The call must not happen."""

    @model_validator(mode="before")
    @classmethod
    def _camel(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and "argsMatch" in value:
            if "args_match" in value:
                raise ValueError("`argsMatch` and `args_match` say the same thing twice")
            return {"args_match" if key == "argsMatch" else key: item for key, item in value.items()}
        return value

    @field_validator("args_match")
    @classmethod
    def _usable(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            check_matchers(list(value.values()))
        except UsageError as error:
            raise ValueError(str(error)) from error
        return value

    @model_validator(mode="after")
    def _of_one_mind(self) -> ExpectedCall:
        if self.forbidden and self.count:
            raise ValueError("a call that is forbidden cannot have a count")
        return self

    @property
    def refused(self) -> bool:
        """Whether it says that there must be no such call."""
        return self.forbidden or self.count == 0

    def fits(self, call: Mapping[str, Any]) -> bool:
        """Whether an actual call is one that this expectation means."""
        args = call.get("args")
        return (
            fnmatchcase(str(call.get("tool", "")), self.tool)
            and (self.by is None or call.get("by") == self.by)
            and (not self.args_match or all(_has(args, key, wanted) for key, wanted in self.args_match.items()))
        )

    def __str__(self) -> str:
        words = [self.tool, short(self.args_match)] if self.args_match else [self.tool]
        words += [f"by {self.by}"] if self.by else []
        return " ".join(words + ([f"×{self.count}"] if self.count is not None else []))


def _has(args: Any, key: str, wanted: Any) -> bool:
    return isinstance(args, Mapping) and key in args and fits(wanted, args[key])


@dataclass(frozen=True, slots=True)
class CallMatch:
    """How expected calls and actual ones go together."""

    ok: bool
    pairs: tuple[tuple[int, int], ...]
    """Index of an expected call and of the actual call that satisfies it; a call is in one pair at most."""
    evidence: tuple[Evidence, ...]
    """Why it is not ok; empty when it is. Kinds: `missing` (no call left for it), `order` (there is one, out of
    order), `forbidden`, `surplus` (more than `count`), `extra` (nothing expects it, and extra calls are forbidden).
    """


def match_calls(
    expected: Sequence[Mapping[str, Any] | ExpectedCall],
    actual: Sequence[Mapping[str, Any]],
    *,
    order: Order = "any",
    extra: Extra = "allow",
) -> CallMatch:
    """Whether the actual calls are what was expected, with the pairs and what is wrong.

    One call satisfies one expectation; the pairs are chosen so that as many expectations as possible are satisfied.
    With `count` there are exactly so many calls that no other expectation accounts for. `order="sequence"` asks for
    the expected order, other calls in between allowed; `extra="forbid"` for no call that no expectation takes. An
    actual call whose `result` is None was asked for and never executed: it does not count. Raises UsageError for
    an expectation that cannot be understood, naming its place.

    >>> expected = [{"tool": "get_order", "args_match": {"order_id": "W1"}}, {"tool": "refund", "forbidden": True}]
    >>> match_calls(expected, [{"tool": "get_order", "args": {"order_id": "W1", "full": True}}]).ok
    True
    >>> done = match_calls(expected, [{"tool": "refund", "args": {"order_id": "W1", "amount": 5}}])
    >>> done.ok, [str(why) for why in done.evidence]
    (False, ['missing: get_order {"order_id": "W1"}', 'forbidden: refund {"order_id": "W1", "amount": 5}'])
    """
    if order not in ("any", "sequence"):
        raise UsageError(f"order is any or sequence, not {order!r}")
    if extra not in ("allow", "forbid"):
        raise UsageError(f"extra is allow or forbid, not {extra!r}")
    wanted = read_expected(expected)
    places = [at for at, call in enumerate(actual) if not ("result" in call and call["result"] is None)]
    if len(places) > _LIMIT:
        raise UsageError(f"{len(places)} calls are more than the {_LIMIT} that are compared")
    table = _Table(wanted, [actual[at] for at in places])
    found = table.in_sequence(extra) if order == "sequence" else table.in_any_order(extra)
    evidence = (*found.evidence, *table.forbidden())
    pairs = tuple((expectation, places[call]) for expectation, call in found.pairs)
    return CallMatch(not evidence, pairs, evidence)


def read_expected(expected: Sequence[Mapping[str, Any] | ExpectedCall]) -> tuple[ExpectedCall, ...]:
    """The expectations as values. Raises UsageError that names the place and the field."""
    return tuple(
        each if isinstance(each, ExpectedCall) else _read(number, each) for number, each in enumerate(expected, 1)
    )


def _read(number: int, value: Mapping[str, Any]) -> ExpectedCall:
    try:
        return ExpectedCall.model_validate(value)
    except ValidationError as error:
        raise UsageError(f"expected call {number}: {first_fault(error)}") from error


def shown(call: Mapping[str, Any]) -> str:
    """An actual call in one line."""
    words = [str(call.get("tool", "?")), short(call.get("args") or {})]
    return " ".join(words + ([f"by {call['by']}"] if call.get("by") else []))


class _Table:
    """Which call fits which expectation, each expectation with as many slots as it must be met."""

    def __init__(self, expected: Sequence[ExpectedCall], calls: Sequence[Mapping[str, Any]]) -> None:
        self.expected = expected
        self.calls = calls
        self.fit = [[each.fits(call) for call in calls] for each in expected]
        self.slots = [
            at
            for at, each in enumerate(expected)
            if not each.refused
            for _ in range(1 if each.count is None else each.count)
        ]
        """The expectation of each slot."""
        self.rows = [self.fit[at] for at in self.slots]

    def forbidden(self) -> tuple[Evidence, ...]:
        refused = [at for at, each in enumerate(self.expected) if each.refused]
        return tuple(
            Evidence("forbidden", shown(call))
            for number, call in enumerate(self.calls)
            if any(self.fit[at][number] for at in refused)
        )

    def in_any_order(self, extra: Extra) -> CallMatch:
        """Two matchings in one: all slots filled, and all calls taken in that have no place but a counted one."""
        tied = [number for number in range(len(self.calls)) if self._is_tied(number)]
        call_of = assignment.maximum(self.rows, tied)
        missing = [at for slot, at in enumerate(self.slots) if slot not in call_of]
        return self._found(call_of, [Evidence("missing", str(self.expected[at])) for at in missing], extra, tied)

    def in_sequence(self, extra: Extra) -> CallMatch:
        call_of = assignment.longest_in_order(self.rows, len(self.calls))
        wrong = []
        for slot, at in enumerate(self.slots):
            if slot not in call_of:
                elsewhere = any(fit and number not in call_of.values() for number, fit in enumerate(self.fit[at]))
                wrong.append(Evidence("order" if elsewhere else "missing", str(self.expected[at])))
        if extra == "allow" and not wrong and self._goes_in_sequence():
            return self._found(call_of, wrong, extra, [])
        counted = [number for number in range(len(self.calls)) if self._fits_counted(number)]
        return self._found(call_of, wrong, extra, counted)

    def _found(
        self, call_of: Mapping[int, int], wrong: Sequence[Evidence], extra: Extra, tied: Sequence[int]
    ) -> CallMatch:
        """The pairs, and beside what is `wrong` the calls that are left over and may not be."""
        taken = set(call_of.values())
        left = [number for number in range(len(self.calls)) if number not in taken]
        if extra == "forbid":
            over = [Evidence("extra", shown(self.calls[number])) for number in left]
        else:
            over = [Evidence("surplus", shown(self.calls[number])) for number in left if number in set(tied)]
        pairs = tuple((self.slots[slot], call) for slot, call in sorted(call_of.items()))
        evidence = (*wrong, *over)
        return CallMatch(not evidence, pairs, evidence)

    def _fits_counted(self, call: int) -> bool:
        return any(each.count and self.fit[at][call] for at, each in enumerate(self.expected))

    def _is_tied(self, call: int) -> bool:
        """Whether a counted expectation fits the call and none without a count, which could take any number."""
        free = any(
            each.count is None and not each.refused and self.fit[at][call] for at, each in enumerate(self.expected)
        )
        return self._fits_counted(call) and not free

    def _goes_in_sequence(self) -> bool:
        """Whether the calls can be read in order: each expectation in turn takes its calls, one without a count any
        number of them, and no call that a counted one means is passed over. All readings at once, call by call.
        """
        turns = [at for at, each in enumerate(self.expected) if not each.refused]
        need = [self.expected[at].count or 1 for at in turns]
        states = _rested({(0, 0)}, need)
        for number in range(len(self.calls)):
            reached = set() if self._fits_counted(number) else set(states)
            for turn, taken in states:
                if turn < len(turns) and self.fit[turns[turn]][number]:
                    counted = self.expected[turns[turn]].count is not None
                    if not (counted and taken == need[turn]):
                        reached.add((turn, min(taken + 1, need[turn])))
            states = _rested(reached, need)
        return (len(turns), 0) in states


def _rested(states: set[tuple[int, int]], need: Sequence[int]) -> set[tuple[int, int]]:
    """The states and those reached from them without a call: an expectation that has enough lets the next one in."""
    reached = set(states)
    for turn, taken in states:
        while turn < len(need) and taken >= need[turn]:
            turn, taken = turn + 1, 0
            reached.add((turn, taken))
    return reached
