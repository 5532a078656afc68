"""Whether a place in a text stands inside quotation marks."""

from __future__ import annotations

import re

_LOOK_AROUND = 1_500
"""Characters before and after a place that are searched for the quotation marks around it."""
_MARKS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("‹", "›"))
_OPENER = re.compile(r"(?:^|[\s(（\[:：])\"(?=\S)")
_CLOSER = re.compile(r"(?<=\S)\"(?=$|[\s.,;:!?)）\]。，])")


def in_quotation(text: str, at: int, *, since: int = 0) -> bool:
    """Whether a quotation that opens at `since` or later closes only after `at`."""
    floor = max(since, at - _LOOK_AROUND)
    before = text[floor:at]
    after = text[at : at + _LOOK_AROUND]
    for opening, closing in _MARKS:
        if before.rfind(opening) > before.rfind(closing) and closing in after:
            return True
    if '"' not in before or '"' not in after:
        return False
    opened = [match.end() for match in _OPENER.finditer(text[floor : at + 1]) if match.end() <= at - floor]
    closed = [match.end() for match in _CLOSER.finditer(before)]
    first = after.index('"')
    closes = bool(_CLOSER.match(after, first)) and not _OPENER.match(after, max(0, first - 1))
    return bool(opened) and opened[-1] > (closed[-1] if closed else -1) and closes
