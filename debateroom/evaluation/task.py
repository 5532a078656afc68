"""One task of a dataset: who the customer is, what it wants and knows, and how a trial is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from debateroom.matching.calls import ExpectedCall, Extra, Order
from debateroom.matching.state import Strength

CheckName = Literal["tool_calls", "db_state", "user_satisfied", "communicate", "judge"]
CHECKS: tuple[CheckName, ...] = ("tool_calls", "db_state", "user_satisfied", "communicate", "judge")
"""The checks in the order in which they are shown."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _snake(cls, value: Any) -> Any:
        """Keys in camel case are read as well; the same key in both is an error."""
        if not isinstance(value, Mapping):
            return value
        read: dict[str, Any] = {}
        for key, item in value.items():
            name = snake(str(key))
            if name in read:
                raise ValueError(f"`{name}` stands there twice, in camel and in snake case")
            read[name] = item
        return read


def snake(name: str) -> str:
    """`knownInfo` as `known_info`."""
    return "".join(f"_{letter.lower()}" if letter.isascii() and letter.isupper() else letter for letter in name)


class CallsCheck(_Part):
    """`tool_calls`: the calls that must happen, or must not."""

    expected: tuple[ExpectedCall, ...]
    order: Order = "any"
    extra: Extra = "allow"


class StateCheck(_Part):
    """`db_state`: what the world's state must be in the end."""

    expected: dict[str, Any] | str | None = None
    """Values by path, or a hash; None is the state that the reference solution leads to, which needs the world."""
    strength: Strength = "paths"


class Checks(_Part):
    """The checks of a task; None is not checked."""

    tool_calls: CallsCheck | None = None
    db_state: StateCheck | None = None
    user_satisfied: bool | None = None
    """Whether the customer must end the talk itself, satisfied; False: it must not."""
    communicate: tuple[tuple[str, ...], ...] | None = None
    """Strings that the agent must have said; each entry is met by any of its spellings."""
    judge: tuple[str, ...] | None = None
    """Criteria for a judge, each a sentence."""

    @field_validator("tool_calls", mode="before")
    @classmethod
    def _calls_alone(cls, value: Any) -> Any:
        """The expected calls alone, as a list, stand for the whole check."""
        return {"expected": value} if isinstance(value, list) else value

    @field_validator("db_state", mode="before")
    @classmethod
    def _paths_alone(cls, value: Any) -> Any:
        """The paths alone, or a hash alone, stand for the whole check."""
        if isinstance(value, str):
            return {"expected": value, "strength": "hash"}
        alone = isinstance(value, Mapping) and not (value and value.keys() <= {"expected", "strength"})
        return {"expected": value} if alone else value

    @field_validator("communicate", mode="before")
    @classmethod
    def _spellings(cls, value: Any) -> Any:
        return [[each] if isinstance(each, str) else each for each in value] if isinstance(value, list) else value

    @field_validator("judge", mode="before")
    @classmethod
    def _criteria(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    def named(self) -> tuple[CheckName, ...]:
        """The checks that this task has."""
        return tuple(name for name in CHECKS if getattr(self, name) is not None)


class ReferenceCall(_Part):
    """A call of the reference solution."""

    tool: str = Field(min_length=1)
    args: dict[str, Any] = {}


class Reference(_Part):
    """A solution that passes: what a good agent would do and say."""

    calls: tuple[ReferenceCall, ...] = ()
    say: tuple[str, ...] = ()
    """What the agent says, at least."""


class Unscored(_Part):
    """A part of a task that cannot be scored here."""

    check: CheckName
    reason: str


_SAME = {"expected_turn_limit": "max_turns"}
_SHORT = {
    "expected_tool_calls": "tool_calls",
    "expected_db_state": "db_state",
    "expected_user_satisfied": "user_satisfied",
}
"""The older names of checks, beside the task's other fields."""
_TEXTS = ("instruction", "known_info", "unknown_info", "persona", "opening")


class Task(_Part):
    """What a simulated customer wants of an agent, and how it is seen whether the agent did it."""

    instruction: str = Field(min_length=1)
    """What the customer wants, for the customer alone."""
    id: str = Field(default="", max_length=200)
    """Unique in its dataset; without one it is the task's number, 1 and up."""
    known_info: str = ""
    """What the customer knows and may say."""
    unknown_info: str = ""
    """What it does not know, and says so when asked."""
    unknown_values: tuple[str, ...] = ()
    """Values that it must never say, however it came by them."""
    persona: str = ""
    """A text, or the name of a shipped persona; empty is neutral, complete and brief."""
    opening: str = ""
    """The customer's first message; without one it writes it itself."""
    max_turns: int = Field(default=10, ge=1, le=200)
    """Messages of the customer, at most; the last one is sent."""
    checks: Checks = Checks()
    initial: Any = None
    """What the world is reset with; None is the world's own beginning."""
    reference: Reference | None = None
    tags: tuple[str, ...] = ()
    unscored: tuple[Unscored, ...] = ()
    """What a foreign dataset asks for and cannot be scored here: never counted as passed."""
    line: int = 0
    """Where it begins in its file, 1 and up; 0 when it comes from no file with lines."""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, value: Any) -> Any:
        """`scenario` and the older names taken apart into the task's own fields."""
        if not isinstance(value, Mapping):
            return value
        flat = _merged(value)
        checks = {name: flat.pop(old) for old, name in _SHORT.items() if flat.get(old) is not None}
        for old in _SHORT:
            flat.pop(old, None)
        own = flat.get("checks") or {}
        if checks and isinstance(own, Mapping):
            twice = checks.keys() & {snake(str(key)) for key in own}
            if twice:
                raise ValueError(f"`{min(twice)}` stands in `checks` and outside")
            flat["checks"] = {**own, **checks}
        return {name: item for name, item in flat.items() if item is not None}

    @field_validator(*_TEXTS, mode="before")
    @classmethod
    def _lines(cls, value: Any) -> Any:
        """A list of texts is a text with one item a line."""
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return "\n".join(value)
        return value.strip() if isinstance(value, str) else value

    @field_validator("id", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        if isinstance(value, str) and not value.isprintable():
            raise ValueError("it is a name on one line")
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("unknown_values", "tags", mode="before")
    @classmethod
    def _one_or_more(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


def _merged(value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields beside `scenario` and those in it, by the names they have here. Raises ValueError for one twice."""
    scenario = value.get("scenario") or {}
    if not isinstance(scenario, Mapping):
        raise ValueError("`scenario` is an object")  # noqa: TRY004 — pydantic makes a field's error of it
    flat: dict[str, Any] = {}
    for key, item in [*((key, item) for key, item in value.items() if key != "scenario"), *scenario.items()]:
        name = _SAME.get(snake(str(key)), snake(str(key)))
        if item is None:
            continue
        if name in flat:
            raise ValueError(f"`{name}` stands there twice")
        flat[name] = item
    return flat
