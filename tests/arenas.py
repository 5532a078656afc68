"""What tests of arenas share: seats and judges from scripts, and a judge that goes by what an answer says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from debates import run
from vendor import Call, Said

TASK = "How should our background jobs run?"
MAKERS = ("anthropic", "openai", "google", "meta", "mistral", "alibaba", "xai", "deepseek", "cohere", "ibm")
ANSWERS = ("Use a queue.", "Use a loop that sleeps.", "Use cron, which is there already.")


def script(path: Path, maker: str, *lines: Mapping[str, Any]) -> str:
    """A scripted model made by `maker`; its name, relative to the current folder."""
    rows = [{"about": {"vendor": maker}}, *lines]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return f"scripted:{path.name}"


def seats(folder: Path, *answers: str | Mapping[str, Any]) -> list[str]:
    """The options for seats of different makers that answer so."""
    given = []
    for number, (answer, maker) in enumerate(zip(answers, MAKERS, strict=False)):
        line = {"response": answer} if isinstance(answer, str) else answer
        given += ["--seat", script(folder / f"{'abcdefghij'[number]}.jsonl", maker, {"default": True, **line})]
    return given


def judge(folder: Path, *lines: Mapping[str, Any], name: str = "judge.jsonl") -> list[str]:
    """The options for a judge of a maker of its own that says so."""
    return ["--judge", script(folder / name, "nvidia", *({"call": "judge", **line} for line in lines))]


def says(better: str, why: str = "Answer 1 is concrete.") -> dict[str, Any]:
    """A judgement."""
    return {"response": {"why": why, "better": better}}


def prefers(order: Sequence[str]) -> list[dict[str, Any]]:
    """A judge that holds seats in this order, whichever is shown first."""
    lines = []
    for place, better in enumerate(order):
        for worse in order[place + 1 :]:
            lines.append({"agent": f"{better}/{worse}", **says("answer_1")})
            lines.append({"agent": f"{worse}/{better}", **says("answer_2")})
    return lines


def arena(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of an arena on `TASK`."""
    return run(capsys, "arena", TASK, *arguments)


def chat(room: str = "arena") -> dict[str, Any]:
    """What `chat.json` of a room holds."""
    return dict(json.loads(Path("active", room, "chat.json").read_text(encoding="utf-8")))


def decision(room: str = "arena") -> dict[str, Any]:
    """What decided it."""
    return dict(chat(room)["final_output"]["decision"])


def events(name: str, room: str = "arena") -> list[dict[str, Any]]:
    """The journal's events of one kind."""
    lines = Path("active", room, "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == name]


def judgements(calls: Sequence[Call]) -> list[Call]:
    """The calls of a judge."""
    return [call for call in calls if "better" in (call.schema or {}).get("properties", {})]


def answering(answers: Mapping[str, str], better: Callable[[list[str]], Said]) -> Callable[[Call], Said]:
    """A server's reply: each model's answer, and a judge that is given what it is shown, in order."""

    def reply(call: Call) -> Said:
        if not judgements([call]):
            return next(text for model, text in answers.items() if model in call.model)
        fence = call.shared[0].split("<said-")[1][:8]
        shown = [part.split(f"</said-{fence}>")[0].strip() for part in call.own.split(f"<said-{fence}>\n")[1:]]
        return better(shown)

    return reply
