"""The skill for coding assistants: where it is shipped, and where assistants look for skills.

The form is the Agent Skills specification's; folders are those of Claude Code (`.claude/skills`) and of the
assistants that share `.agents/skills`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from debateroom import files, templates
from debateroom.errors import UsageError

NAME = "debateroom"
FOLDERS = {"claude": Path(".claude/skills"), "agents": Path(".agents/skills")}
"""Whose skills are kept where, below a project's folder or the user's home."""
_FILE = "SKILL.md"


def path() -> Path:
    """The absolute path of the shipped file."""
    return (templates.folder() / "skill" / NAME / _FILE).resolve()


def text() -> str:
    """What the shipped file says."""
    return path().read_text(encoding="utf-8")


def install(base: Path, whose: Sequence[str]) -> list[Path]:
    """Puts the skill below `base` for each of `whose` (keys of FOLDERS); the absolute paths of the files.

    A file of another skill that stands there is left alone: UsageError, and then nothing is written. So it is when a
    folder cannot be written.
    """
    targets = [base / FOLDERS[each] / NAME / _FILE for each in whose]
    for target in targets:
        _hold_ours(target)
    for target in targets:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            files.replace(target, path().read_bytes())
        except OSError as error:
            raise UsageError(f"{target} cannot be written: {error.strerror or error}") from error
    return [target.resolve() for target in targets]


def _hold_ours(target: Path) -> None:
    """Raises UsageError when what is at `target` is not this skill, of whatever version."""
    try:
        there = target.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{target} cannot be read: {error.strerror or error}") from error
    if f"name: {NAME}" not in there.splitlines()[:20]:
        raise UsageError(f"{target} is another skill", hint=f"move it away, then: {NAME} skill install")
