"""The tools of an agent file: each entry of `tools` turned into something that can be run, or an error with its line.

- python:shop:get_order                       # a function; its schema comes from signature and docstring
- {python: "shop:get_order", name: order, description: …, timeout: 10}
- fetch_page                                  # reads a public page on the web
- name: search                                # a program: an argument list, no shell
  description: Lines of the FAQ that hold a word.
  command: [grep, -n, --, "{word}", faq.md]
  parameters: {word: The word to look for.}
  timeout: 10
  output: 20000
  acts: false                                 # it changes nothing: a playbook runs it without asking
- mcp: [python3, desk.py]                     # a server of the Model Context Protocol: all of its tools, or some
  only: [get_order, list_orders]
  name: desk                                  # desk_get_order, desk_list_orders
  acts: false
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from importlib.util import find_spec
from typing import Any

from debateroom.agents.arguments import check_schema
from debateroom.agents.commands import CommandTool, Placed, find_program
from debateroom.agents.fetching import NAME as FETCH
from debateroom.agents.fetching import fetch_tool
from debateroom.agents.fields import Field
from debateroom.agents.functions import FunctionTool
from debateroom.agents.references import NoSuchCallable, find_callable, next_step
from debateroom.agents.signature import NotDescribable
from debateroom.agents.tools import MOST_TEXT, TIMEOUT, Tool
from debateroom.messages import ToolSpec
from debateroom.models.processes import Programs
from debateroom.models.quote import safe_line
from debateroom.models.registry import Models

_PYTHON = ("python", "name", "description", "timeout", "acts")
_COMMAND = ("command", "name", "description", "parameters", "timeout", "output", "acts")
_MCP = ("mcp", "name", "only", "timeout", "output", "acts")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_LONGEST = 3_600.0
_LARGEST = 1_000_000


def read_tools(field: Field, models: Models, language: str, *, known: Collection[str] = ()) -> list[Tool]:
    """The tools that one entry describes, in `language` where we describe them. A server is started for its own.

    `known` are names that other tools have. Raises UsageError with file and line.
    """
    tools = _tools(field, models, language)
    for position, tool in enumerate(tools):
        if tool.spec.name in {*known, *(other.spec.name for other in tools[:position])}:
            field.fail(f"there are two tools called {tool.spec.name}: give one another `name`")
    return tools


def _tools(field: Field, models: Models, language: str) -> list[Tool]:
    if field.value == FETCH:
        return [fetch_tool(language)]
    if isinstance(field.value, str):
        return [_by_text(field)]
    given = field.mapping()
    if "mcp" in given:
        return _mcp(field, models)
    if "python" in given:
        return [_python(given["python"], field.mapping(_PYTHON))]
    if "command" in given:
        return [_command(field, models.shared(Programs))]
    return field.fail("a tool is `python:module:function`, or has a key `python`, `command` or `mcp`")


def acts(field: Field) -> bool:
    """Whether the tool in one entry may change something: any of the user's that is not said to be safe."""
    if not isinstance(field.value, dict):
        return bool(field.value != FETCH)
    said = field.mapping().get("acts")
    if said is not None and not isinstance(said.value, bool):
        said.fail("this is true or false")
    return said is None or bool(said.value)


def _by_text(field: Field) -> Tool:
    kind, _, reference = field.text().partition(":")
    if kind == "mcp":
        field.fail("a server is a mapping with an argument list: {mcp: [program, argument]}")
    if kind != "python":
        field.fail(
            f"a tool in one line is `python:module:function` or `{FETCH}`; a command or a server has keys of its own"
        )
    return _python(Field(reference, field.file, field.line, field.name), {})


def _python(reference: Field, given: dict[str, Field]) -> Tool:
    name = _name(given["name"]) if "name" in given else ""
    description = given["description"].text() if "description" in given else ""
    try:
        function = find_callable(reference.text(), reference.file.parent)
        tool = FunctionTool(function, name=name, description=description, timeout=_timeout(given))
    except NoSuchCallable as error:
        reference.fail(str(error), hint=next_step(reference.text(), reference.file.parent))
    except NotDescribable as error:
        reference.fail(str(error))
    if not _NAME.fullmatch(tool.spec.name):
        reference.fail(f"{tool.spec.name!r} is no name for a tool: give one with the key `name`")
    return tool


def _command(field: Field, programs: Programs) -> Tool:
    given = field.mapping(_COMMAND, required=("command", "name", "description"))
    words = _words(given["command"])
    schema, folder = _parameters(given.get("parameters")), field.file.parent.resolve()
    try:
        placed = Placed.of(words, schema, folder)
    except ValueError as error:
        given["command"].fail(str(error))
    return CommandTool(
        ToolSpec(_name(given["name"]), given["description"].text(), schema),
        placed,
        folder=folder,
        programs=programs,
        timeout=_timeout(given),
        most=_most(given),
    )


def _mcp(field: Field, models: Models) -> list[Tool]:
    """The tools of a server, which is started for it. Raises UsageError also for one that does not answer."""
    given = field.mapping(_MCP)
    words, prefix = _words(given["mcp"]), _name(given["name"]) if "name" in given else ""
    if find_spec("mcp") is None:
        given["mcp"].fail("a server's tools need the extra `mcp`", hint='pip install "debateroom[mcp]"')
    from debateroom.agents.mcp import Broken, NoTool, Servers, tools_of

    folder, timeout = field.file.parent.resolve(), _timeout(given)
    try:
        line = (find_program(words[0], folder), *words[1:])
        server = models.shared(Servers).started(line, folder, timeout)
        only = [item.text() for item in given["only"].items()] if "only" in given else None
        return [*tools_of(server, prefix=prefix, only=only, timeout=timeout, most=_most(given))]
    except NoTool as error:
        given.get("only", field).fail(str(error), hint=error.hint)
    except Broken as error:
        hint = f"try it by itself, in {folder}: {safe_line(shlex.join(words))}"
        given["mcp"].fail(f"the server {safe_line(words[0])} {error}", hint=hint)
    except ValueError as error:
        given["mcp"].fail(str(error))


def _words(field: Field) -> list[str]:
    words = [word.text() for word in field.items()]
    if not words:
        field.fail("there is no program in here")
    return words


def _parameters(field: Field | None) -> dict[str, Any]:
    """A whole schema, or parameters by name with a schema or a description each; all of these are required."""
    if field is None:
        return {"type": "object", "properties": {}, "additionalProperties": False}
    value = field.plain()
    if isinstance(value, dict) and value.get("type") != "object":
        properties = {name: _of_text(part) for name, part in value.items()}
        value = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    if not isinstance(value, dict):
        field.fail("this is not a mapping of keys to values")
    wrong = check_schema(value)
    if wrong:
        field.fail(wrong)
    return value


def _of_text(part: Any) -> Any:
    return {"type": "string", "description": part} if isinstance(part, str) else part


def _name(field: Field) -> str:
    if not _NAME.fullmatch(field.text()):
        field.fail("a tool's name is letters a to z, digits, - and _, at most 64, and begins with a letter")
    return field.text()


def _timeout(given: dict[str, Field]) -> float:
    return float(given["timeout"].number(0.1, _LONGEST)) if "timeout" in given else TIMEOUT


def _most(given: dict[str, Field]) -> int:
    return int(given["output"].number(1, _LARGEST)) if "output" in given else MOST_TEXT
