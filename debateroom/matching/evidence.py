"""Why a check came out as it did, in pieces that a report can show in any language."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Evidence(NamedTuple):
    """One fact that a check stands on."""

    kind: str
    """One word of a closed list, which each check names; reports have a label for it."""
    about: str
    """What it is about, as it stands in the dataset or in the trial: a call, a path with its values, a quotation."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.about}"


_LONGEST = 400


def short(value: Any) -> str:
    """`value` as JSON on one line, cut after 400 characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
