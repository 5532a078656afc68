"""Agents on the scripted model: files written for one test, and what their models were really asked."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from debateroom.agents.agent import Agent, Answered, open_agent
from debateroom.messages import Answer, OnText, Request, Turn
from debateroom.models.registry import Models
from debateroom.models.scripted import ScriptedModel

SHOP = Path(__file__).parent / "agents" / "shop.yaml"


class Desk:
    """A folder with an agent file and a script, and everything that scripted models are asked in it."""

    def __init__(self, folder: Path, models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.asked: list[Request] = []
        self.events: list[dict[str, Any]] = []
        self._models = models
        self._scripts = 0
        ask = ScriptedModel.ask

        def noted(model: ScriptedModel, request: Request, *, on_text: OnText | None = None) -> Answer:
            self.asked.append(request)
            return ask(model, request, on_text=on_text)

        monkeypatch.setattr(ScriptedModel, "ask", noted)

    def write(self, text: str, name: str = "agents.yaml") -> Path:
        """A file in the folder."""
        path = self.folder / name
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def open(
        self, file: Path, *replies: dict[str, Any], session: str = "", start: str | None = None, **more: Any
    ) -> Agent:
        """The agent of a file, whose models all answer from `replies`."""
        self._scripts += 1
        script = self.folder / f"replies{self._scripts}.jsonl"  # a model reads its file once
        script.write_text("".join(json.dumps(each) + "\n" for each in replies), encoding="utf-8")
        name = f"scripted:{script}"
        return open_agent(str(file), models=self._models, model=name, session=session, start=start, **more)

    def say(self, agent: Agent, text: str = "Go.", **more: Any) -> Answered:
        """What the agent answers to one message."""
        return agent.answer([Turn("user", text)], on_event=self._note, **more)

    def _note(self, event: Mapping[str, Any]) -> None:
        """Keeps what is told of tools; what asked for them is told by `asked`."""
        if event["event"] != "tools_asked":
            self.events.append(dict(event))

    def told(self, agent: str) -> list[tuple[bool, str]]:
        """The results that an agent's model was told, in order: whether it is an error, and the text."""
        turns = [
            request.turns[-1]
            for request in self.asked
            if request.purpose and request.purpose.agent == agent and request.turns[-1].role == "tools"
        ]
        return [(result.is_error, result.content) for turn in turns for result in turn.results]


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """One call as a script writes it."""
    return {"name": name, "arguments": arguments}
