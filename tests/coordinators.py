"""What tests of playbooks share: scripts of coordinators and workers, and what a room says afterwards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dialogues import complete

Call = tuple[str, dict[str, Any]]
PLAN = {"call": "plan", "response": {"steps": ["look", "write"]}}


def record(
    step: int | None, evidence: str, outcome: str = "ok", what: str = "Settled it", why: str = "It had to be."
) -> Call:
    """A call that notes a decision."""
    given = {"what": what, "why": why, "evidence": evidence, "outcome": outcome}
    return ("record_decision", given | ({} if step is None else {"step": step}))


def coordinator(folder: Path, *steps: Sequence[Call] | str, name: str = "c.jsonl") -> str:
    """A scripted coordinator: calls in each of its answers, then its last word."""
    lines: list[dict[str, Any]] = []
    for step in steps:
        said = {"response": step} if isinstance(step, str) else {
            "calls": [{"name": tool, "arguments": arguments} for tool, arguments in step]
        }  # fmt: skip
        lines.append({"agent": "agent", "round": 1, **said})
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"scripted:{name}"


def worker(folder: Path, name: str, deliverable: str | None, seconds: float = 0.0) -> tuple[str, str]:
    """A scripted worker's model and the agent it drives; one without a deliverable breaks."""
    first = {"round": 1, "response": "Which part is it?", "seconds": seconds}
    last = {"round": 2, "response": complete(deliverable)} if deliverable else {"round": 2, "error": "it is down"}
    lines = [PLAN, first, last]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    call = {"name": "count", "arguments": {}, "result": deliverable or "nothing"}
    said = {"agent": "agent", "response": deliverable or "Nothing.", "calls": [call]}
    (folder / f"{name}.agent.jsonl").write_text(json.dumps(said) + "\n")
    return f"scripted:{folder / name}.jsonl", f"scripted:{name}.agent.jsonl"


def events(folder: Path, name: str = "") -> list[dict[str, Any]]:
    """What the journal of the coordinator below `folder` holds, all or of one name."""
    path = folder / "active/coordinator/journal.jsonl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    found = [json.loads(line) for line in text.splitlines()]
    return [each for each in found if name in ("", each["event"])]


def final(folder: Path) -> dict[str, Any]:
    """What came of it."""
    value: dict[str, Any] = events(folder, "synthesized")[0]["final_output"]
    return value


def states(folder: Path) -> list[str]:
    """How the three steps stand."""
    return [step["state"] for step in final(folder)["steps"]]


def slowly(folder: Path) -> None:
    """Makes the scripted coordinator's last word, `Done.`, one that takes a minute."""
    text = (folder / "c.jsonl").read_text().replace('"response": "Done."', '"response": "Done.", "seconds": 60')
    (folder / "c.jsonl").write_text(text)
