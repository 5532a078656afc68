"""Rows of the JSONL files in `tests/cases`, for parametrized tests, and how much work a reader does."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"


def rows(name: str, group: str | None = None) -> list[dict[str, Any]]:
    """The rows of `name`.jsonl, of one group when `group` is given."""
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if group in (None, row.get("group"))]


def shown(row: dict[str, Any]) -> str:
    """A short name for a row in test reports."""
    return ascii(next((row[key] for key in ("id", "text", "line", "label") if key in row), ""))[:60]


def calls(action: Callable[[], object]) -> int:
    """How many function calls `action` makes, those of C code included."""
    count = 0

    def counted(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count
