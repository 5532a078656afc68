"""Asks the person at the terminal whether a tool that changes something may run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from debateroom.cli import output
from debateroom.terminal import one_line

if TYPE_CHECKING:
    from debateroom.playbooks.desk import Ask

_SHOWN = 600
"""Columns of a call's arguments that are shown."""
_YES = {"y", "yes", "o", "oui", "是"}


def person() -> Ask | None:
    """The question; None where there is no terminal to ask at."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        return None

    def ask(language: str, tool: str, shown: str) -> bool | None:
        from debateroom.language import say

        output.note(say(language, "approve_ask", tool=tool, arguments=one_line(shown, _SHOWN)))
        try:
            return sys.stdin.readline().strip().lower() in _YES
        except (OSError, ValueError):
            return None

    return ask
