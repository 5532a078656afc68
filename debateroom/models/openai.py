"""OpenAI's two APIs through the `openai` SDK: Responses on the vendor's endpoint, Chat Completions elsewhere.

Both are always streamed and give the same kind of answer. Only Responses is sent cache fields: servers that speak
Chat Completions alike may refuse what they do not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from debateroom.errors import CallFailed
from debateroom.messages import Answer, OnText, Request, Usage
from debateroom.models.catalog import ModelInfo
from debateroom.models.draft import Draft, count
from debateroom.models.prompt import MARKS, closed, marked

if TYPE_CHECKING:
    from openai import OpenAI

ExtraBody = Callable[[Request], dict[str, Any]]
"""Fields that one server takes beyond the API's own, for a request."""

_SCHEMA_NAME = "reply"
_INCOMPLETE = {"max_output_tokens": "length", "content_filter": "refusal"}
_FINISHES = {"length": "length", "content_filter": "refusal"}
_BREAKPOINT = {"mode": "explicit"}


class Responses:
    """One model through the Responses API. Nothing is stored at the vendor's."""

    moderates = True

    def __init__(self, known: ModelInfo, model_id: str, client: OpenAI, caller: Caller) -> None:
        self.name = known.name
        self.vendor = known.vendor
        self.window = known.window
        self._known = known
        self._model_id = model_id
        self._client = client
        self._caller = caller

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """The model's answer. Raises CallFailed when this call failed, NoModel when no call can succeed."""
        limit = min(request.max_tokens, self._known.max_output)
        body = self._body(request, limit)

        def attempt(call: Call) -> Answer:
            draft = Draft(self._model_id, on_text)
            with call.watch(self._client.responses.create(**body, stream=True, timeout=call.left())) as stream:
                for event in stream:
                    _read_event(draft, event)
            return draft.answer(limit=limit, seconds=call.seconds())

        return self._caller.run(attempt, request.timeout)

    def _body(self, request: Request, limit: int) -> dict[str, Any]:
        parts: list[dict[str, Any]] = [
            {"type": "input_text", "text": block} for block in (*request.shared, request.own)
        ]
        body: dict[str, Any] = {
            "model": self._model_id,
            "input": [{"role": "user", "content": parts}],
            "max_output_tokens": limit,
            "store": False,
        }
        if request.cache_key:
            body["prompt_cache_key"] = request.cache_key
        if self._known.breakpoints:
            # An entry is found only at a breakpoint, so the ends of the rounds before are marked as well: the
            # last mark writes this round's prefix, the others find what earlier rounds wrote.
            body["prompt_cache_options"] = {"mode": "explicit"}
            for index in marked(request, self._known.cache_minimum, most=MARKS):
                parts[index]["prompt_cache_breakpoint"] = _BREAKPOINT
        if request.schema is not None:
            schema = {"type": "json_schema", "name": _SCHEMA_NAME, "strict": True, "schema": closed(request.schema)}
            body["text"] = {"format": schema}
        return body


def _read_event(draft: Draft, event: Any) -> None:
    """Takes what one event of a Responses stream says. Reasoning is never text."""
    kind = getattr(event, "type", None)
    if kind in ("response.output_text.delta", "response.refusal.delta"):
        draft.add(getattr(event, "delta", None))
        if kind == "response.refusal.delta":
            draft.stop_reason = "refusal"
    elif kind in ("response.completed", "response.incomplete"):
        response = getattr(event, "response", None)
        details = getattr(response, "incomplete_details", None)
        reason = _INCOMPLETE.get(str(getattr(details, "reason", None)), "stop")
        # a refusal that was spoken stays one, though its response is `completed`
        draft.stop_reason = draft.stop_reason or reason
        draft.name(getattr(response, "model", None))
        draft.usage = _responses_usage(getattr(response, "usage", None))
    elif kind in ("response.failed", "error"):
        told = event if kind == "error" else getattr(getattr(event, "response", None), "error", None)
        raise _failed(getattr(told, "code", None), getattr(told, "message", None))
