"""Python functions as tools: described by themselves, called with values of the types they ask for."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from debateroom.agents.run import Run
from debateroom.agents.signature import SESSION, describe, values
from debateroom.agents.tools import TIMEOUT, Outcome, cut
from debateroom.agents.wording import say
from debateroom.messages import ToolSpec

_MOST = 600
"""Characters of the reason why values cannot be used."""


class FunctionTool:
    """One Python function. It runs in this process: what is wrong with it is said, but it cannot be stopped."""

    def __init__(
        self, function: Callable[..., Any], *, name: str = "", description: str = "", timeout: float = TIMEOUT
    ) -> None:
        """Raises NotDescribable for a function whose parameters no JSON Schema can describe."""
        self._function = function
        self._signature = describe(function)
        self.timeout = timeout
        self.aliases: Mapping[str, str] = {}
        own = name or getattr(function, "__name__", type(function).__name__)
        self.spec = ToolSpec(own, description or self._signature.description, self._signature.parameters)

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """What the function gave back, as text; anything but text as JSON. What it raises goes up."""
        try:
            given = values(self._signature, arguments)
        except ValueError as error:  # of the types that its annotations ask for, which no schema holds
            reason = say(
                run.language, "tool_failed", name=self.spec.name, reason=cut(str(error), run.language, _MOST)
            )
            return Outcome(reason, ok=False, executed=False)
        if self._signature.wants_session:
            given[SESSION] = run.session
        result = self._function(**given)
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        return Outcome(cut(as_text(result), run.language))


def as_text(result: Any) -> str:
    """A tool's result as a model reads it."""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """What JSON does not know, as something it knows."""
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value, fallback=str)
