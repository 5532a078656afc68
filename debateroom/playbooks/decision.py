"""A decision as the journal keeps it: what, why, one piece of evidence that is there, and the step it settles."""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from debateroom.errors import BadEvidence, UsageError, Wording
from debateroom.language import worded
from debateroom.playbooks.catalogue import STEPS
from debateroom.reading.evidence import check_evidence
from debateroom.room.room import event
from debateroom.secrecy import is_secret
from debateroom.terminal import one_line

OUTCOMES = ("ok", "failed", "skipped")
EVENT = "decision_recorded"
TOOL = "record_decision"
"""By which a coordinator of ours notes one."""
_LONGEST = 2_000
"""Characters of what and why."""
_PLACE = re.compile(r"(?::\d+(?:[:-]\d+)*|#[\w.:-]+)$")
_LINES = re.compile(r"(?::|#L)(\d+)(?:-L?(\d+))?(?::\d+)*$")
_RECEIPT = re.compile(r"#[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_CHUNK = 1_048_576


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision."""

    what: str
    why: str
    evidence: str
    """A web link or a path, as it was given."""
    outcome: str
    """`ok`, `failed` or `skipped`."""
    step: int | None = None
    """1 to 3; None is in the journal only."""
    sha256: str | None = None
    """Of the file that is the evidence, when it was noted; None for a link."""

    def event(self) -> dict[str, Any]:
        """As the journal takes it."""
        return event(EVENT, id=str(uuid.uuid4()), **asdict(self))

    def same(self, told: Mapping[str, Any]) -> bool:
        """Whether the event `told` says exactly this."""
        return all(told.get(key) == value for key, value in asdict(self).items())


def make(
    *,
    what: object,
    why: object,
    evidence: object,
    outcome: object,
    step: object = None,
    project: Path,
    room: Path,
) -> Decision:
    """The decision of these parts. Raises BadEvidence, UsageError with the reason for what is not as it must be.

    A path is looked up in the folder `project`: it has to be a file there, with the lines that are named,
    and none that the run writes itself, in its `room`, but a receipt: `receipts.jsonl#UUID`.
    """
    if outcome not in OUTCOMES:
        raise UsageError(f"the outcome is one of {', '.join(OUTCOMES)}")
    if step is not None and (isinstance(step, bool) or not isinstance(step, int) or not 1 <= step <= STEPS):
        raise UsageError(f"the step is 1 to {STEPS}, or left out")
    if isinstance(evidence, str) and evidence.strip().isidentifier() and (project / evidence.strip()).is_dir():
        _refuse("evidence_folder", evidence.strip())
    given = check_evidence(evidence)  # type: ignore[arg-type]
    link = given.casefold().startswith(("http://", "https://"))
    digest = None if link else _digest(given, project, room)
    return Decision(_said("what", what), _said("why", why), given, str(outcome), step, digest)


def _said(name: str, text: object) -> str:
    if not isinstance(text, str) or not any(mark.isalnum() for mark in text):
        raise UsageError(f"`{name}` is to be said in a sentence")
    return one_line(text, _LONGEST)


def _digest(evidence: str, project: Path, room: Path) -> str:
    """SHA-256 of the file that `evidence` names. Raises BadEvidence when it, or a line of it, is not there."""
    named = project / evidence
    path = named if os.path.lexists(named) else project / _PLACE.sub("", evidence)
    try:
        real = Path(os.path.realpath(path))
    except (OSError, ValueError):
        real = project / ".." / "?"
    root = Path(os.path.realpath(project))
    if not real.is_relative_to(root):
        _refuse("evidence_outside", evidence)
    if is_secret(real.relative_to(root).parts) or is_secret(path.parts[-1:]):
        _refuse("evidence_secret", evidence)
    if real.is_relative_to(os.path.realpath(room)) and not (
        real.name == "receipts.jsonl" and _RECEIPT.search(evidence)
    ):
        _refuse("evidence_own", evidence)
    if real.is_dir():
        _refuse("evidence_folder", evidence)
    if not real.is_file():
        _refuse("evidence_missing", evidence)
    try:
        digest, lines = _read(real)
    except OSError:
        _refuse("evidence_missing", evidence)
    named_lines = [] if path == named else _lines(evidence)
    if any(not 1 <= line <= lines for line in named_lines):
        _refuse("evidence_line", evidence, lines=lines)
    return digest


def _read(path: Path) -> tuple[str, int]:
    """SHA-256 of a file, and how many lines it has."""
    digest, lines, last = hashlib.sha256(), 0, b"\n"
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            lines, last = lines + chunk.count(b"\n"), chunk[-1:]
    return digest.hexdigest(), lines + (last != b"\n")


def _lines(evidence: str) -> list[int]:
    """The lines that stand behind a path: `:42`, `:42-60`, `#L42`, `#L42-L60`; of `:42:7` the second is a column."""
    found = _LINES.search(evidence)
    return [int(number) for number in found.groups() if number] if found else []


def _refuse(key: str, evidence: str, **figures: object) -> NoReturn:
    raise worded(BadEvidence, Wording(key, {"path": one_line(evidence, 160), **figures}))
