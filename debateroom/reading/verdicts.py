"""The JSON object behind `[DONE]` or `[WORKER_COMPLETE]`: its fields held to their types, and cleaned."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from debateroom.reading.clean import visible
from debateroom.reading.endings import Kind
from debateroom.reading.objects import pairs_of

_DEEP = 20
"""Levels of an object that are kept; nothing of ours is deeper than one."""
_SHOWN = 40
"""Characters of a wrong value that are repeated to the model."""
_NUMBER = re.compile(r"\s*(?:[01](?:[.,]\d{1,12})?|[.,]\d{1,12})\s*")


class Verdict(NamedTuple):
    """What an object says, or why it says nothing."""

    value: dict[str, Any] | None
    problem: str | None = None


def read_verdict(kind: Kind, written: Mapping[str, Any]) -> Verdict:
    """The verdict in an object behind a token of `kind`; its value is None when a field is not of its type.

    `success` must be a boolean; `explain` and `error` are texts, or absent. `deliverable` is a text that is not
    blank, `summary` a text, `confidence` a number from 0 to 1, also one in quotation marks. Other keys are kept.
    """
    keys = Counter(key for key, _ in pairs_of(written))
    twice = next((key for key, count in keys.items() if count > 1), None)
    if twice is not None:
        return Verdict(None, f"{_shown(twice)} is written twice, with different values")
    value = {visible(key).text: _cleaned(each) for key, each in written.items()}
    problem = _worker_problem(value) if kind == "worker_complete" else _done_problem(value)
    return Verdict(None if problem else value, problem)


def _done_problem(value: Mapping[str, Any]) -> str | None:
    if "success" not in value:
        return '"success" is missing'
    if not isinstance(value["success"], bool):
        return f'"success" is {_shown(value["success"])}, and must be true or false'
    for key in ("explain", "error"):
        if not isinstance(value.get(key), str | None):
            return f'"{key}" is {_shown(value[key])}, and must be a text'
    return None


def _worker_problem(value: dict[str, Any]) -> str | None:
    """What is wrong; a confidence in quotation marks becomes the number it is."""
    for key in ("deliverable", "summary", "confidence"):
        if key not in value:
            return f'"{key}" is missing'
    for key in ("deliverable", "summary"):
        if not isinstance(value[key], str):
            return f'"{key}" is {_shown(value[key])}, and must be a text'
    if not value["deliverable"].strip():
        return '"deliverable" is empty'
    written = value["confidence"]
    if isinstance(written, str) and _NUMBER.fullmatch(written):
        value["confidence"] = float(written.replace(",", "."))
    if not _is_share(value["confidence"]):
        return f'"confidence" is {_shown(written)}, and must be a number from 0 to 1'
    return None


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _shown(value: Any) -> str:
    """A value as JSON, cut short."""
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}…"


def _cleaned(value: Any, depth: int = 0) -> Any:
    """`value` with its texts as `visible` leaves them: an escape in JSON can hold what no file or terminal takes."""
    if isinstance(value, str):
        return visible(value).text
    if depth >= _DEEP:
        return None
    if isinstance(value, list):
        return [_cleaned(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {visible(key).text: _cleaned(each, depth + 1) for key, each in value.items()}
    return value
