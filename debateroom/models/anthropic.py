"""Claude through the `anthropic` SDK: the shared prefix marked for the cache, one shape of usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from debateroom.messages import Request, Usage
from debateroom.models.anthropic_content import Blocks, mark_conversation, messages, tools
from debateroom.models.calls import Call
from debateroom.models.draft import Draft, at, count
from debateroom.models.prompt import marked
from debateroom.models.web import WebModel

_STOPS = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal"}
"""Every other reason means that the model had finished."""


class AnthropicModel(WebModel):
    """One Claude model."""

    path = "/v1/messages"

    def body(self, request: Request) -> dict[str, Any]:
        # The mark sits on the block itself: the automatic one would sit on the last block, which no two seats share.
        # One is enough, since a mark finds entries up to 20 blocks before it and a round adds one block.
        marks = marked(request, self.known.cache_minimum, most=1)
        content: list[dict[str, Any]] = [{"type": "text", "text": block} for block in request.shared]
        for index in marks:
            content[index]["cache_control"] = {"type": "ephemeral"}
        if request.own:
            content.append({"type": "text", "text": request.own})
        first = [{"role": "user", "content": content}] if content else []
        body: dict[str, Any] = {
            "model": self.model_id,
            "max_tokens": min(request.max_tokens, self.known.max_output),
            "messages": [*first, *messages(request.turns)],
            "stream": True,
        }
        if request.system:
            body["system"] = request.system
        if request.tools:
            body["tools"] = tools(request.tools)
            if not request.may_call:
                body["tool_choice"] = {"type": "none"}
        if request.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": _accepted(request.schema)}}
        mark_conversation(body, request, self.known.cache_minimum)
        return body

    def content(self) -> Blocks:
        return Blocks()

    def unfolded(self, whole: Any) -> Iterator[Any]:
        yield {"type": "message_start", "message": whole}
        content = at(whole, "content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            yield {"type": "content_block_start", "index": index, "content_block": block}
        stop = {name: at(whole, name) for name in ("stop_reason", "stop_details")}
        yield {"type": "message_delta", "delta": stop, "usage": at(whole, "usage")}

    def read(self, call: Call, draft: Draft, value: Any) -> None:
        if draft.content is not None:
            draft.content.take(value)
        kind = at(value, "type")
        if kind == "content_block_delta" and at(value, "delta", "type") == "text_delta":
            draft.add(at(value, "delta", "text"))
        elif kind == "message_start":
            draft.name(at(value, "message", "model"))
            draft.usage = _usage(at(value, "message", "usage"), draft.usage)
        elif kind == "content_block_start" and at(value, "content_block", "type") == "text":
            draft.add(at(value, "content_block", "text"))
        elif kind == "message_delta":
            reason = at(value, "delta", "stop_reason")
            if isinstance(reason, str):
                draft.stop_reason = _STOPS.get(reason, "stop")
            if draft.stop_reason == "refusal" and not draft.text:
                draft.add(at(value, "delta", "stop_details", "explanation"))
            draft.usage = _usage(at(value, "usage"), draft.usage)


def _accepted(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without what the API refuses; the SDK knows what that is and moves it into descriptions."""
    from anthropic import transform_schema

    return transform_schema(dict(schema))


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
