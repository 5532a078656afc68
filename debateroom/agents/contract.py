"""What a sub-agent owes its parent: the strict schema of its result, and the reading of what it really wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from debateroom.agents.arguments import schema_faults
from debateroom.agents.wording import say
from debateroom.reading import strict


def _closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXTS = {"type": "array", "items": {"type": "string"}}
RESULT_SCHEMA: Mapping[str, Any] = _closed(
    status={"type": "string", "enum": ["ok", "empty", "error"]},
    items=_TEXTS,
    meta=_closed(
        resolved=_TEXTS,
        notFound=_TEXTS,
        knowledge_found={"type": "string", "enum": ["no", "yes", "partial", "conflict"]},
    ),
    control=_closed(can_retry={"type": "boolean"}),
)
"""Nothing more and nothing less is a result. `items` are JSON texts, so that they may hold anything."""
_FENCED = re.compile(r"\A```[\w-]*\s*\n(.*?)\n?```\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SubAgentResult:
    """A result that fits the schema, or one made in its place that says why there is none."""

    value: Mapping[str, Any]
    """`status, items, meta, control`."""
    reason: str = ""
    """Why it is an error; empty when the sub-agent itself wrote it."""

    @property
    def can_retry(self) -> bool:
        return bool(self.value["control"]["can_retry"])

    def for_parent(self, name: str, language: str) -> str:
        """What the parent's model is told: the result with `content`, `name` and, where there is one, `feedback`."""
        content = self.reason or "\n".join(self.value["items"]) or say(language, "found_nothing")
        told = {**self.value, "content": content, "name": name}
        if self.reason:
            told["feedback"] = self.reason
        return json.dumps(told, ensure_ascii=False)


def read_result(text: str, language: str) -> SubAgentResult:
    """The result in `text`, which is one JSON object, perhaps in a fence; anything else is an error that says why.

    What does not fit is never passed on. It may be asked for again: the next reply may fit.
    """
    fenced = _FENCED.match(text.strip())
    try:
        value = strict.loads(fenced[1] if fenced else text)
    except strict.KeyTwice as twice:
        return _unfit(say(language, "key_twice", key=twice.key), language)
    except (ValueError, RecursionError):
        return _unfit(say(language, "not_one_object"), language)
    faults = schema_faults(value, RESULT_SCHEMA, quoting=False)
    if faults:
        return _unfit("; ".join(faults), language)
    for number, item in enumerate(value["items"], start=1):
        try:
            strict.loads(item)
        except strict.KeyTwice as twice:
            return _unfit(say(language, "key_twice_in_item", key=twice.key, number=number), language)
        except (ValueError, RecursionError):
            return _unfit(say(language, "item_not_json", number=number), language)
    return SubAgentResult(value)


def failed(reason: str, *, can_retry: bool) -> SubAgentResult:
    """A result that says why there is none."""
    value = {
        "status": "error",
        "items": [],
        "meta": {"resolved": [], "notFound": [], "knowledge_found": "no"},
        "control": {"can_retry": can_retry},
    }
    return SubAgentResult(value, reason)


def _unfit(reason: str, language: str) -> SubAgentResult:
    return failed(say(language, "unfit", reason=reason), can_retry=True)
