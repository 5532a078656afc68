"""Claude through the `anthropic` SDK: always streamed, the shared prefix marked for the cache, one shape of usage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from debateroom.messages import Answer, OnText, Request, Usage
from debateroom.models.calls import Call, Caller
from debateroom.models.catalog import ModelInfo
from debateroom.models.clients import post_anthropic
from debateroom.models.draft import Draft, at, count
from debateroom.models.prompt import marked

if TYPE_CHECKING:
    from anthropic import Anthropic

_STOPS = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal"}
"""Every other reason means that the model had finished."""


class AnthropicModel:
    """One Claude model. Calls share the client and with it the connections."""

    moderates = True

    def __init__(self, known: ModelInfo, model_id: str, client: Anthropic, caller: Caller) -> None:
        self.name = known.name
        self.vendor = known.vendor
        self.window = known.window
        self._known = known
        self._model_id = model_id
        self._client = client
        self._caller = caller

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """The model's answer. Raises CallFailed when this call failed, NoModel when no call can succeed."""
        body = self._body(request)

        def attempt(call: Call) -> Answer:
            draft = Draft(call, on_text)
            with call.events(lambda left: post_anthropic(self._client, "/v1/messages", body, left)) as events:
                for event in events:
                    _read(draft, event)
            return draft.answer()

        return self._caller.run(self._model_id, request, attempt)

    def _body(self, request: Request) -> dict[str, Any]:
        # The mark sits on the block itself: the automatic one would sit on the last block, which no two seats share.
        # One is enough, since a mark finds entries up to 20 blocks before it and a round adds one block.
        marks = marked(request, self._known.cache_minimum, most=1)
        content: list[dict[str, Any]] = [{"type": "text", "text": block} for block in request.shared]
        for index in marks:
            content[index]["cache_control"] = {"type": "ephemeral"}
        content.append({"type": "text", "text": request.own})
        body: dict[str, Any] = {
            "model": self._model_id,
            "max_tokens": min(request.max_tokens, self._known.max_output),
            "messages": [{"role": "user", "content": content}],
            "stream": True,
        }
        if request.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": _accepted(request.schema)}}
        return body


def _accepted(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without what the API refuses; the SDK knows what that is and moves it into descriptions."""
    from anthropic import transform_schema

    return transform_schema(dict(schema))


def _read(draft: Draft, event: Any) -> None:
    """Takes what one event of the stream says. Thinking is never text."""
    kind = at(event, "type")
    if kind == "message_start":
        draft.name(at(event, "message", "model"))
        draft.usage = _usage(at(event, "message", "usage"), draft.usage)
    elif kind == "content_block_start" and at(event, "content_block", "type") == "text":
        draft.add(at(event, "content_block", "text"))
    elif kind == "content_block_delta" and at(event, "delta", "type") == "text_delta":
        draft.add(at(event, "delta", "text"))
    elif kind == "message_delta":
        reason = at(event, "delta", "stop_reason")
        if isinstance(reason, str):
            draft.stop_reason = _STOPS.get(reason, "stop")
        if draft.stop_reason == "refusal" and not draft.text:
            draft.add(at(event, "delta", "stop_details", "explanation"))
        draft.usage = _usage(at(event, "usage"), draft.usage)


def _usage(told: Any, before: Usage) -> Usage:
    """The usage so far. Its `input_tokens` leave out what was cached and written; ours include both.

    Counts are cumulative: a later event replaces an earlier one, and leaves alone what it does not mention.
    """
    cached, written = count(told, "cache_read_input_tokens"), count(told, "cache_creation_input_tokens")
    fresh, output = count(told, "input_tokens"), count(told, "output_tokens")
    cached = before.cached if cached is None else cached
    written = before.written if written is None else written
    fresh = before.input - before.cached - before.written if fresh is None else fresh
    return Usage(fresh + cached + written, cached, written, before.output if output is None else output)
