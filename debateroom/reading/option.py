"""The option that a single answer declares on a line of its own: `OPTION: A queue with one worker`."""

from __future__ import annotations

import re

_LINE = re.compile(r"^[ \t>#*_•-]{0,8}(?:OPTION|选项)[ \t*_]{0,4}[:：][ \t*_]{0,4}(\S.*?)[ \t*_]*$", re.I | re.M)
_LONGEST = 200
"""Characters of an option; it is asked for in a few words."""


def declared(text: str) -> str:
    """The option, on one line; empty when none is declared. The first line of several counts.

    >>> declared("**OPTION:** A queue\\nPOSITION: …")
    'A queue'
    """
    found = _LINE.search(text)
    return found[1][:_LONGEST].strip(" .。") if found else ""
