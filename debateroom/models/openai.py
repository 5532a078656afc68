"""OpenAI's two APIs through the `openai` SDK: Responses on the vendor's endpoint, Chat Completions elsewhere.

Both give the same kind of answer. Only Responses is sent cache fields: servers that speak Chat Completions alike may
refuse what they do not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from debateroom.messages import Request, Usage
from debateroom.models.calls import Call, Caller
from debateroom.models.catalog import ModelInfo
from debateroom.models.draft import Draft, at, count
from debateroom.models.openai_content import (
    SEALED,
    ChatCalls,
    Items,
    chat_messages,
    chat_tools,
    function_tools,
    items,
)
from debateroom.models.prompt import MARKS, closed, marked
from debateroom.models.sampling import SAMPLING
from debateroom.models.web import WebModel

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import OpenAI

ExtraBody = Callable[[Request], dict[str, Any]]
"""Fields that one server takes beyond the API's own, for a request."""

_SCHEMA_NAME = "reply"
_BREAKPOINT = {"mode": "explicit"}
_INCOMPLETE = {"max_output_tokens": "length", "content_filter": "refusal"}
"""Why a response is incomplete. Every other reason, and none, means that the model had finished."""
_FINISHES = {"length": "length", "content_filter": "refusal"}
"""The same for Chat Completions."""
_DISPENSABLE = ("max_completion_tokens", "stream_options", "response_format", "temperature", "seed")
"""Fields that a compatible server may not know, and can do without."""


class Responses(WebModel):
    """One model through the Responses API. Nothing is stored at the vendor's."""

    path = "/responses"

    def body(self, request: Request) -> dict[str, Any]:
        parts: list[dict[str, Any]] = [{"type": "input_text", "text": block} for block in _first(request)]
        body: dict[str, Any] = {
            "model": self.model_id,
            "input": [*([{"role": "user", "content": parts}] if parts else []), *items(request.turns)],
            "max_output_tokens": min(request.max_tokens, self.known.max_output),
            "store": False,
            "stream": True,
        }
        if request.cache_key:
            body["prompt_cache_key"] = request.cache_key
        if request.system:
            body["instructions"] = request.system
        if request.tools:
            body |= {"tools": function_tools(request.tools), "include": [SEALED]}
            if not request.may_call:
                body["tool_choice"] = "none"
        if self.known.breakpoints and not request.turns:  # a conversation's prefix is found by itself
            # An entry is found only at a breakpoint, so the ends of the rounds before are marked as well: the
            # last mark writes this round's prefix, the others find what earlier rounds wrote.
            body["prompt_cache_options"] = {"mode": "explicit"}
            for index in marked(request, self.known.cache_minimum, most=MARKS):
                parts[index]["prompt_cache_breakpoint"] = _BREAKPOINT
        if request.schema is not None:
            schema = {"type": "json_schema", "name": _SCHEMA_NAME, "strict": True, "schema": closed(request.schema)}
            body["text"] = {"format": schema}
        return body

    def content(self) -> Items:
        return Items()

    def unfolded(self, whole: Any) -> Iterator[Any]:
        output = at(whole, "output")
        for item in output if isinstance(output, list) else ():
            content = at(item, "content")
            for part in content if isinstance(content, list) and at(item, "type") == "message" else ():
                if at(part, "type") == "refusal":
                    yield {"type": "response.refusal.delta", "delta": at(part, "refusal")}
                else:
                    yield {"type": "response.output_text.delta", "delta": at(part, "text")}
        status = at(whole, "status")
        kind = status if status in ("failed", "incomplete") else "completed"
        yield {"type": f"response.{kind}", "response": whole}

    def read(self, call: Call, draft: Draft, value: Any) -> None:
        if draft.content is not None:
            draft.content.take(value)
        kind = at(value, "type")
        if kind == "response.created":
            draft.name(at(value, "response", "model"))
        elif kind == "response.output_text.delta":
            draft.add(at(value, "delta"))
        elif kind == "response.refusal.delta":
            draft.refused = True
            draft.add(at(value, "delta"))
        elif kind in ("response.completed", "response.incomplete"):
            draft.stop_reason = _INCOMPLETE.get(str(at(value, "response", "incomplete_details", "reason")), "stop")
            draft.name(at(value, "response", "model"))
            draft.usage = _usage(at(value, "response", "usage"), "input", "output")
        elif kind == "response.failed":
            error = at(value, "response", "error")
            draft.usage = _usage(at(value, "response", "usage"), "input", "output")
            raise call.failed_event(at(error, "code"), at(error, "message"), at(error, "type"))


class ChatCompletions(WebModel):
    """One model through Chat Completions, as OpenAI-compatible servers speak it."""

    path = "/chat/completions"
    whole = True

    def __init__(
        self,
        known: ModelInfo,
        model_id: str,
        client: OpenAI,
        caller: Caller,
        *,
        extra_body: ExtraBody | None = None,
    ) -> None:
        super().__init__(known, model_id, client, caller)
        self._extra_body = extra_body
        self._refused: frozenset[str] = frozenset()
        """Fields that this server turned down; they are not sent again."""

    @property
    def ignores(self) -> frozenset[str]:
        """Of temperature and seed, what this server turned down."""
        return self._refused & SAMPLING

    def send(self, request: Request, seconds: float) -> Response:
        """The answer. A field that the server does not know is left out, from then on, and the call made again."""
        from openai import BadRequestError, UnprocessableEntityError

        while True:
            body = self.body(request)
            try:
                return self.post(body, seconds)
            except (BadRequestError, UnprocessableEntityError) as error:
                unknown = _unknown_field(str(error), body)
                if unknown is None:
                    raise
                self._refused |= {unknown}

    def body(self, request: Request) -> dict[str, Any]:
        parts = [{"type": "text", "text": block} for block in _first(request)]
        system = [{"role": "system", "content": request.system}] if request.system else []
        first = [{"role": "user", "content": parts}] if parts else []
        limit = min(request.max_tokens, self.known.max_output)
        body: dict[str, Any] = {
            "model": self.model_id,
            "messages": [*system, *first, *chat_messages(request.turns)],
            # the older name is for servers that refuse the newer one
            "max_tokens" if "max_completion_tokens" in self._refused else "max_completion_tokens": limit,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            body["tools"] = chat_tools(request.tools)
            if not request.may_call:
                body["tool_choice"] = "none"
        if request.schema is not None:
            schema = {"name": _SCHEMA_NAME, "strict": True, "schema": closed(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        chance = {"temperature": request.temperature, "seed": request.seed}
        body |= {name: value for name, value in chance.items() if value is not None}
        if self._extra_body is not None:
            body |= self._extra_body(request)
        return {name: value for name, value in body.items() if name not in self._refused}

    def content(self) -> ChatCalls:
        return ChatCalls()

    def unfolded(self, whole: Any) -> Iterator[Any]:
        yield whole

    def read(self, call: Call, draft: Draft, value: Any) -> None:
        """One chunk; usage comes in a last one without choices."""
        draft.name(at(value, "model"))
        if at(value, "usage") is not None:
            draft.usage = _usage(at(value, "usage"), "prompt", "completion")
        choices = at(value, "choices")
        for choice in choices if isinstance(choices, list) else ():
            said = at(choice, "delta") or at(choice, "message")
            draft.add(at(said, "content"))
            if draft.content is not None:
                draft.content.take(said)
            if at(said, "refusal"):
                draft.refused = True
                draft.add(at(said, "refusal"))
            reason = at(choice, "finish_reason")
            if reason == "error":
                # what some gateways say when the server behind them broke off
                raise call.failed("cut")
            if isinstance(reason, str):
                draft.stop_reason = _FINISHES.get(reason, "stop")


def _first(request: Request) -> list[str]:
    """The blocks of the first message."""
    return [*request.shared, *([request.own] if request.own else [])]


def _unknown_field(message: str, body: Mapping[str, Any]) -> str | None:
    """The dispensable field of `body` that an error is about; None when it is about something else."""
    return next((name for name in _DISPENSABLE if name in body and name in message), None)


def _usage(told: Any, sent: str, received: str) -> Usage:
    """Usage under the API's own words for what was sent and received. What was sent includes the cached part."""
    details = f"{sent}_tokens_details"
    return Usage(
        count(told, f"{sent}_tokens") or 0,
        count(told, details, "cached_tokens") or 0,
        count(told, details, "cache_write_tokens") or 0,
        count(told, f"{received}_tokens") or 0,
    )
