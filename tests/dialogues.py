"""What tests of dialogues share: agents that say what they are told to, and scripts for who drives them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from debateroom.agents.agent import Answered, OnEvent, ToolRecord
from debateroom.messages import Turn, Usage

Said = str | tuple[str, Sequence[str | tuple[str, Mapping[str, Any]]]] | Exception


class Agent:
    """Gives one answer after the other; each may name the tools that were executed for it, or be an error."""

    def __init__(self, *answers: Said, name: str = "shop", capabilities: Sequence[str] = ()) -> None:
        self.name = name
        self.model = "scripted:none"
        self.capabilities = tuple(capabilities)
        self.asks: tuple[str, ...] = ()
        self.heard: list[tuple[Turn, ...]] = []
        self.closed = False
        self._answers = list(answers)

    def answer(
        self, said: Sequence[Turn], *, until: float | None = None, on_event: OnEvent | None = None
    ) -> Answered:
        """The next answer; the last one stays."""
        position = len(said) // 2
        self.heard.append(tuple(said))
        given = self._answers[min(position, len(self._answers) - 1)]
        if isinstance(given, Exception):
            raise given
        text, tools = given if isinstance(given, tuple) else (given, ())
        calls = [(tool, {}) if isinstance(tool, str) else tool for tool in tools]
        return Answered(
            text, tuple(ToolRecord(name, dict(given), "ok", True) for name, given in calls), None, Usage()
        )

    def close(self) -> None:
        """Notes that it was closed."""
        self.closed = True

    @property
    def messages(self) -> list[str]:
        """The last conversation's messages to the agent."""
        return [turn.text for turn in self.heard[-1] if turn.role == "user"] if self.heard else []


def done(success: Any = True, explain: str = "It was done.", error: str = "") -> str:
    """A simulator's verdict."""
    return "[DONE]\n" + json.dumps({"success": success, "explain": explain, "error": error}, ensure_ascii=False)


def complete(deliverable: str, summary: str = "Found: all of it. Missing: nothing.", confidence: float = 0.7) -> str:
    """A worker's conclusion."""
    value = {"deliverable": deliverable, "summary": summary, "confidence": confidence}
    return "[WORKER_COMPLETE]\n" + json.dumps(value, ensure_ascii=False)


def script(folder: Path, *replies: str | Mapping[str, Any], first: int = 2, name: str = "driver.jsonl") -> str:
    """A scripted model for who drives: a text a turn, from turn `first` on; an object stays in the turn before it."""
    path, lines, turn = folder / name, [], first - 1
    for reply in replies:
        turn += isinstance(reply, str) or bool(reply.get("turn"))
        said = {"response": reply} if isinstance(reply, str) else {k: v for k, v in reply.items() if k != "turn"}
        lines.append({"round": turn, **said} if said.get("call") != "plan" else said)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return f"scripted:{path}"


def repair(text: str) -> dict[str, str]:
    """The answer to what was sent back."""
    return {"call": "repair", "response": text}


def again(text: str) -> dict[str, str]:
    """One more word in the same turn, where it is asked for."""
    return {"response": text}


def journal(folder: Path, name: str = "") -> list[dict[str, Any]]:
    """The events of a room, all or those of one name."""
    events = [json.loads(line) for line in (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    return [event for event in events if name in ("", event["event"])]
