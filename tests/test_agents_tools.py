"""Tools: what a Python function says about itself, and programs that are run without a shell."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from agent_files import Desk, call
from commands import alive, until
from pydantic import Field

from debateroom.agents.arguments import schema_faults
from debateroom.agents.functions import FunctionTool
from debateroom.agents.run import Limits, start
from debateroom.agents.signature import NotDescribable, describe
from debateroom.agents.tools import Outcome
from debateroom.models.registry import Models

RUN = start(Limits(), until=None, session="s-1", language="en", turn=1)


class Size(Enum):
    small = "S"
    large = "L"


@dataclass
class Line:
    item: str
    quantity: int = 1


def order(
    lines: list[Line],
    size: Size,
    speed: Literal["slow", "fast"] = "slow",
    title: Annotated[str | None, Field(description="Shown on the parcel.")] = None,
) -> str:
    """Place an order.

    It is sent the same day.

    Args:
        lines (list): What is ordered,
            line by line.
        size: The parcel.
        speed: How soon.

    Returns:
        What was ordered.
    """
    return f"{[line.quantity for line in lines]} {size.name} {speed} {title}"


def test_a_schema_comes_from_the_signature_and_the_docstring() -> None:
    """Types, defaults and notes; the part on arguments is not in the description."""
    signature = describe(order)
    assert signature.description == "Place an order.\n\nIt is sent the same day."
    assert signature.parameters == {
        "type": "object",
        "additionalProperties": False,
        "required": ["lines", "size"],
        "properties": {
            "lines": {
                "type": "array",
                "items": {"$ref": "#/$defs/Line"},
                "description": "What is ordered, line by line.",
            },
            "size": {"$ref": "#/$defs/Size", "description": "The parcel."},
            "speed": {"type": "string", "enum": ["slow", "fast"], "default": "slow", "description": "How soon."},
            "title": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": None,
                "description": "Shown on the parcel.",
            },
        },
        "$defs": {
            "Line": {
                "type": "object",
                "additionalProperties": False,
                "required": ["item"],
                "properties": {"item": {"type": "string"}, "quantity": {"type": "integer", "default": 1}},
            },
            "Size": {"type": "string", "enum": ["S", "L"]},
        },
    }


def test_a_function_gets_values_of_the_types_it_asks_for() -> None:
    """Dataclasses and enums out of JSON, defaults where nothing was given."""
    outcome = FunctionTool(order).run(
        {"lines": [{"item": "lamp"}, {"item": "desk", "quantity": 2}], "size": "L"}, RUN
    )
    assert outcome == Outcome("[1, 2] large slow None")


def sphinx(a: int, model_config: str = "") -> str:
    """Add.

    :param a: A number.
    :param str model_config: Any name may be a parameter's.
    :returns: It.
    """
    return f"{a}{model_config}"


def test_sphinx_docstrings_are_read_too() -> None:
    """And a parameter may have a name that pydantic keeps for itself."""
    signature = describe(sphinx)
    assert signature.description == "Add."
    assert signature.parameters["properties"]["a"]["description"] == "A number."
    assert signature.parameters["properties"]["model_config"]["description"] == "Any name may be a parameter's."
    assert FunctionTool(sphinx).run({"a": 1, "model_config": "x"}, RUN).text == "1x"


def unannotated(thing, *, session):  # type: ignore[no-untyped-def]
    return {"thing": thing, "session": session, "size": Size.large, "path": Path("x")}


async def later() -> str:
    return "later"


def due(day: date) -> str:
    """Say when it is due."""
    return f"due {day:%d.%m.}"


def test_a_function_that_is_given_what_it_does_not_take_was_not_executed() -> None:
    """The schema holds for a text; the type that the annotation asks for does not."""
    assert FunctionTool(due).run({"day": "2026-02-03"}, RUN) == Outcome("due 03.02.")
    refused = FunctionTool(due).run({"day": "soon"}, RUN)
    assert (refused.ok, refused.executed) == (False, False)
    assert "due failed" in refused.text


def test_results_are_text_or_json() -> None:
    """What JSON does not know is turned into something it knows; a coroutine is awaited; a session is filled in."""
    tool = FunctionTool(unannotated)
    assert tool.spec.parameters["required"] == ["thing"]
    told = json.loads(tool.run({"thing": [1]}, RUN).text)
    assert told == {"thing": [1], "session": "s-1", "size": "L", "path": "x"}
    assert FunctionTool(later).run({}, RUN).text == "later"


def variable(*names: str) -> None: ...


def unknown(thing: NoSuchType) -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("function", "why"),
    [(variable, "has no name that a model could give a value to"), (unknown, "its annotations cannot be read")],
)
def test_a_function_that_no_schema_can_describe_is_refused(function: Any, why: str) -> None:
    """With the parameter that is in the way."""
    with pytest.raises(NotDescribable, match=why):
        describe(function)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with Models() as models:
        yield Desk(tmp_path, models, monkeypatch)


def ran(desk: Desk, tool: str, **arguments: Any) -> tuple[bool, str]:
    """What the model is told after one call of a command tool, `tool` being its keys as YAML in one line."""
    file = desk.write(f"name: desk\ninstructions: x\ntools:\n  - {tool}\n")
    lines = [{"agent": "desk", "calls": [call("run", **arguments)]}, {"agent": "desk", "response": "ok"}]
    desk.say(desk.open(file, *lines))
    return desk.told("desk")[-1]


def command(text: str, more: str = "") -> str:
    """A tool that runs Python text."""
    words = json.dumps([sys.executable, "-c", text])
    return f"{{name: run, description: Runs., command: {words}{more}}}"


SHOWS = "import os, sys; print(sys.argv[1:], sys.stdin.read(), os.getcwd())"


def test_values_stand_in_the_argument_list_and_on_standard_input(desk: Desk) -> None:
    """No shell reads them; an argument of a value that was not given is left out; it runs in the file's folder."""
    words = json.dumps([sys.executable, "-c", SHOWS, "{a}", "--b={b}", "{print}", "{c}"])
    parameters = "{type: object, properties: {a: {type: string}, b: {}, c: {}}, required: [a]}"
    tool = f"{{name: run, description: x, command: {words}, parameters: {parameters}}}"
    told = ran(desk, tool, a="$(id) ; x", b=[1])
    expected = f"['$(id) ; x', '--b=[1]', '{{print}}'] {json.dumps({'a': '$(id) ; x', 'b': [1]})} {desk.folder}\n"
    assert told == (False, expected)


def test_a_value_is_never_an_option(desk: Desk) -> None:
    """What a model writes cannot switch a program's options on, except behind `--`."""
    words = [sys.executable, "-c", SHOWS, "{a}"]
    tool = "{{name: run, description: x, command: {}, parameters: {{a: A word.}}}}"
    told = ran(desk, tool.format(json.dumps(words)), a="--version")
    assert told == (True, "The tool was not called: the value of a must not begin with a hyphen.")
    assert desk.events[-1]["executed"] is False
    behind = tool.format(json.dumps([*words[:-1], "--", "{a}"]))
    assert ran(desk, behind, a="--version")[1].startswith("['--', '--version']")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import sys; sys.exit('no such order')", "run failed: exit code 1. no such order"),
        ("print('x' * 9_000_000)", "run was ended: it wrote more than it may."),
    ],
)
def test_a_program_that_fails_is_told(desk: Desk, text: str, told: str) -> None:
    """Its exit code and what it said."""
    assert ran(desk, command(text)) == (True, told)


def test_a_program_whose_time_is_over_is_killed(desk: Desk) -> None:
    """With all its children."""
    text = (
        "import os, subprocess, sys, time; child = subprocess.Popen(['sleep', '600']); "
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}'); time.sleep(600)"
    )
    assert ran(desk, command(text, ", timeout: 1")) == (True, "run did not finish within 1 seconds.")
    left = (desk.folder / "pids").read_text().split()
    until(lambda: not any(alive(int(pid)) for pid in left))  # a killed process takes a moment to be gone


def test_what_a_program_writes_is_cut(desk: Desk) -> None:
    """At the tool's own cap."""
    told = ran(desk, command("print('x' * 100)", ", output: 10"))
    assert told == (False, "x" * 10 + "\n[cut: 10 of 101 characters]")


def test_a_program_does_not_see_the_keys(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model decides what it is called with."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-000000")
    monkeypatch.setenv("SHOP_DB", "here")
    text = "import os; print([os.environ.get(name) for name in ('ANTHROPIC_API_KEY', 'SHOP_DB')])"
    assert ran(desk, command(text)) == (False, "[None, 'here']\n")


def test_a_schema_that_points_to_the_web_fetches_nothing(desk: Desk) -> None:
    """It is an error in words; the guard of the tests would fail on a request."""
    tool = command("print(1)", ", parameters: {type: object, properties: {a: {$ref: 'http://192.0.2.1/x.json'}}}")
    is_error, told = ran(desk, tool, a=1)
    assert is_error
    assert "the schema cannot be followed: Unresolvable" in told


SLOW = r"^(a|aa)+$"


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        ({"properties": {"a": {"pattern": SLOW}}}, {"a": "a" * 40 + "!"}, ["$.a: it takes too long"]),
        ({"properties": {"a": {"pattern": SLOW}}}, {"a": "b"}, ["$.a: 'b' does not match '^(a|aa)+$'"]),
        ({"properties": {"a": {"pattern": SLOW}}}, {"a": "aa"}, []),
        ({"patternProperties": {SLOW: {"type": "number"}}, "additionalProperties": False}, {"a" * 40 + "!": 1}, []),
        (
            {"properties": {"patternProperties": {"type": "number"}}},
            {"patternProperties": "x"},
            ["$.patternProperties"],
        ),
        (
            {"anyOf": [{"patternProperties": {SLOW: False}}], "unevaluatedProperties": False},
            {"a" * 40 + "!": 1},
            ["$: "],
        ),
    ],
)
def test_no_pattern_of_a_schema_holds_up_the_run(schema: Mapping[str, Any], value: Any, told: list[str]) -> None:
    """A server gives the pattern and a model the text: the check gives up in time, or leaves it to the tool."""
    found = schema_faults(value, {"type": "object", **schema})
    assert [fault[: len(start)] for fault, start in zip(found, told, strict=True)] == told
