"""Asks the person at the terminal whether a tool that changes something may run."""

from __future__ import annotations

import select
import sys
from typing import TYPE_CHECKING

from debateroom.cli import output

if TYPE_CHECKING:
    from debateroom.playbooks.desk import Ask

_YES = {"y", "yes", "o", "oui", "是"}


def person() -> Ask | None:
    """The question; None where there is no terminal to ask at."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        return None

    def ask(language: str, tool: str, shown: str, seconds: float) -> bool | None:
        from debateroom.language import say

        output.note(say(language, "approve_ask", tool=tool, arguments=shown))
        answer = _answer(seconds)
        return answer.strip().lower() in _YES if answer else None

    return ask


def _answer(seconds: float) -> str:
    """What is typed within so many seconds; empty when nothing is, or when there is no terminal any more."""
    stdin = sys.stdin
    try:
        # elsewhere (Windows) a terminal cannot be looked at like this: the answer is waited for
        waits = sys.platform != "win32" and hasattr(stdin, "fileno")
        there = select.select([stdin], [], [], max(0.0, seconds))[0] if waits else [stdin]
        return stdin.readline() if there else ""
    except (OSError, ValueError):
        return ""
