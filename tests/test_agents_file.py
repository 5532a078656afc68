"""Agent files: what they may say, and errors that name file, line and field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_files import Desk

from debateroom.agents.definition import read_agents
from debateroom.agents.fields import read_fields
from debateroom.agents.run import Limits
from debateroom.errors import UsageError
from debateroom.models.registry import Models

TWO = """
    start: desk
    agents:
      - name: desk
        instructions: Vous répondez aux clients de la boutique.
        sub_agents: [order books]
      - name: order books
        public_description: Knows the books.
        instructions: You look things up.
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with Models() as models:
        yield Desk(tmp_path, models, monkeypatch)


def refused(desk: Desk, text: str) -> str:
    """The error for a file, its folder left out."""
    path = desk.write(text)
    with pytest.raises(UsageError) as caught:
        desk.open(path, {"default": True, "response": "x"})
    return str(caught.value).replace(f"{desk.folder}/", "")


def test_start_names_the_first_agent_and_the_option_wins(desk: Desk) -> None:
    """The same file opened twice."""
    path = desk.write(TWO)
    line = {"default": True, "response": "x"}
    assert desk.open(path, line).name == "desk"
    assert desk.open(path, line, start="order books").name == "order books"
    with pytest.raises(UsageError, match="There is no agent called 'nobody'"):
        desk.open(path, line, start="nobody")


ONE = "name: desk\ninstructions: You help.\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "agents.yaml: the file is empty"),
        ("- 1\n", "agents.yaml, line 1: this is not a mapping of keys to values"),
        ("name: desk\n", "agents.yaml, line 1: the key `instructions` is missing"),
        (ONE + "colour: red\n", "agents.yaml, line 3, colour: there is no such key here; there are start"),
        (ONE + "name: other\n", "agents.yaml, line 3: the key `name` stands here twice"),
        (ONE + "tools: [a\n", "agents.yaml, line 4: this is not YAML that can be read: expected ',' or ']'"),
        ("name: !!python/object:os.system x\n", "agents.yaml, line 1: this is not YAML that can be read: could not"),
        (ONE + "on: x\n", "agents.yaml, line 3: the key True is not text"),
        ("name: 7\ninstructions: x\n", "agents.yaml, line 1, name: this is not text, or it is empty"),
        ("name: café\ninstructions: x\n", "agents.yaml, line 1, name: a name is letters a to z"),
        (ONE + "model: gtp-5\n", "agents.yaml, line 3, model: There is no model called 'gtp-5'"),
        (ONE + "language: de\n", "agents.yaml, line 3, language: a language is one of en, fr, zh"),
        (ONE + "tools: 3\n", "agents.yaml, line 3, tools: this is not a list"),
        (ONE + "tools:\n  - mcp: {}\n", "line 4, tools[0].mcp: this is not a list"),
        (ONE + "tools:\n  - mcp: []\n", "line 4, tools[0].mcp: there is no program in here"),
        (ONE + "tools:\n  - mcp:files\n", "line 4, tools[0]: a server is a mapping with an argument list: {mcp:"),
        (ONE + "tools:\n  - {url: x}\n", "line 4, tools[0]: a tool is `python:module:function`, or has a key"),
        (ONE + "tools:\n  - bash:ls\n", "line 4, tools[0]: a tool in one line is `python:module:function`"),
        (ONE + "tools:\n  - python:os\n", "line 4, tools[0]: 'os' is not written as module:function"),
        (ONE + "tools:\n  - python:nowhere_at_all:f\n", "tools[0]: the module nowhere_at_all cannot be imported"),
        (ONE + "tools:\n  - python:os:sep\n", "tools[0]: sep in os is nothing that can be called"),
        (ONE + "tools:\n  - python:os.path:join\n", "tools[0]: its parameter *p has no name that a model could"),
        (ONE + "tools:\n  - python:broken:f\n", "tools[0]: the module broken fails while it is loaded: ZeroDiv"),
        (
            ONE + "tools:\n  - python:os:getpid\n  - python:os:getpid\n",
            "line 5, tools[1]: there are two tools called getpid",
        ),
        (
            ONE + "tools:\n  - command: [no-such-program-here]\n    name: x\n    description: y\n",
            "line 4, tools[0].command: there is no program no-such-program-here here",
        ),
        (ONE + "tools:\n  - {command: [cat], name: x}\n", "line 4, tools[0]: the key `description` is missing"),
        (
            ONE + "tools:\n  - {command: [cat], name: x, description: y, timeout: 0}\n",
            "line 4, tools[0].timeout: this is not a number from 0.1 to 3600",
        ),
        (
            ONE + "tools:\n  - {command: [cat], name: x, description: y, parameters: {a: {type: txt}}}\n",
            "line 4, tools[0].parameters: this is no JSON Schema: 'txt' is not valid",
        ),
        (ONE + "limits: {steps: 0}\n", "line 3, limits.steps: this is not a number from 1 to 1000"),
        (ONE + "limits: {steps: 1.5}\n", "line 3, limits.steps: this is not a whole number"),
        (ONE + "sub_agents: [books]\n", "line 3, sub_agents[0]: there is no agent called books in this file"),
        (ONE + "sub_agents: [desk]\n", "line 3, sub_agents[0]: sub-agents go in a circle: desk → desk"),
        ("agents: []\n", "agents.yaml, line 1, agents: there is no agent in here"),
        (
            "agents:\n  - {name: a, instructions: x}\n  - {name: b, instructions: x}\n",
            "agents.yaml, line 1: there are several agents (a, b): the key `start`, or --start, says which",
        ),
        (
            "agents:\n  - {name: a, instructions: x}\n  - {name: a, instructions: x}\n",
            "line 3, agents[1].name: there are two agents called a",
        ),
        (
            "start: a\nagents:\n"
            "  - {name: a, instructions: x, sub_agents: [b]}\n"
            "  - {name: b, instructions: x, sub_agents: [c]}\n"
            "  - {name: c, instructions: x, sub_agents: [b]}\n",
            "line 5, agents[2].sub_agents[0]: sub-agents go in a circle: b → c → b",
        ),
        (
            "start: z\nagents: [{name: a, instructions: x}]\n",
            "line 1, start: there is no agent called z in this file",
        ),
        (ONE + "legacy_params: {who: person}\n", "legacy_params.who: an older name stands for one of query, context"),
    ],
)
def test_an_error_names_file_line_and_field(desk: Desk, text: str, said: str) -> None:
    """Before any model is asked."""
    desk.write("1 / 0", "broken.py")
    assert said in refused(desk, text)


def test_a_circle_of_aliases_and_a_bomb_of_them_are_errors(desk: Desk) -> None:
    """A few lines cannot hold the process."""
    assert "there is too much in here" in refused(desk, ONE + "tools: &a [*a]\n")
    bomb = "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]\n" for n in range(1, 9))
    assert "there is too much in here" in refused(desk, ONE + f"x0: &x0 [a]\n{bomb}")


def test_a_merge_takes_what_stands_elsewhere(tmp_path: Path) -> None:
    """`<<` works, and a place is that of the key."""
    path = tmp_path / "a.yaml"
    path.write_text("base: &b {x: 1}\nmore:\n  <<: *b\n  y: 2\n")
    fields = read_fields(path).mapping()
    assert fields["more"].plain() == {"x": 1, "y": 2}
    assert (fields["more"].line, fields["more"].mapping()["y"].line) == (2, 4)


def test_the_file_in_the_readme_can_be_read(tmp_path: Path) -> None:
    """As it stands there."""
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    text = next(
        item for item in re.findall(r"^```yaml\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL) if "desk" in item
    )
    path = tmp_path / "agents.yaml"
    path.write_text(text, encoding="utf-8")
    file = read_agents(path)
    assert (file.start, list(file.agents), file.limits) == ("desk", ["desk", "books"], Limits())
