"""OpenAI Chat Completions: `POST /v1/chat/completions`, as the vendor and compatible servers speak it."""

from __future__ import annotations

import time
from typing import Any

from debateroom.messages import Usage
from vendor.call import Reply, tokens
from vendor.wire import Wire, event, fill, halves, text_blocks

_STOPS = {"refusal": "stop"}


class ChatCompletions(Wire):
    endpoint = "openai.chat"

    def read(self) -> None:
        blocks = []
        for message in self.call.body.get("messages") or []:
            blocks += text_blocks(message.get("content"))
        fill(self.call, blocks)

    def headers(self) -> dict[str, str]:
        return {"x-request-id": f"req_{self.call.number:032d}"}

    def whole(self, reply: Reply, usage: Usage) -> dict[str, Any]:
        refused = reply.stop_reason == "refusal"
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None if refused else reply.text,
            "refusal": (reply.text or "I cannot help with that.") if refused else None,
        }
        if reply.thinking:
            message["reasoning_content"] = reply.thinking
        if reply.calls:
            message["tool_calls"] = [self._call(reply, place, *each) for place, each in enumerate(reply.calls)]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
        return {**self._head("chat.completion"), "choices": [choice], "usage": _usage(reply, usage)}

    def opening(self, reply: Reply, usage: Usage) -> bytes:
        self._refused = reply.stop_reason == "refusal"
        first: dict[str, Any] = {"role": "assistant", "content": None if self._refused else ""}
        events = [self._chunk(first)]
        if reply.thinking:
            events.append(self._chunk({"reasoning_content": reply.thinking}))
        if self._refused and not reply.text:
            events.append(self._chunk({"refusal": "I cannot help with that."}))
        return b"".join(events)

    def piece(self, text: str) -> bytes:
        return self._chunk({"refusal" if self._refused else "content": text})

    def closing(self, reply: Reply, usage: Usage) -> bytes:
        data = b""
        for place, (name, arguments) in enumerate(reply.calls):
            first, *rest = halves(arguments)
            data += self._chunk({"tool_calls": [{"index": place, **self._call(reply, place, name, first)}]})
            for piece in rest:
                data += self._chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
        data += self._chunk({}, _finish(reply))
        if (self.call.body.get("stream_options") or {}).get("include_usage"):
            data += event({**self._head("chat.completion.chunk"), "choices": [], "usage": _usage(reply, usage)})
        return data + b"data: [DONE]\n\n"

    def _call(self, reply: Reply, place: int, name: str, arguments: str) -> dict[str, Any]:
        number = f"call_{reply.call_id(self.call.number, place)}"
        # what a gateway adds to a call of its own, and wants back
        extra = {"google": {"thought_signature": "c2lnbmVk"}}
        function = {"name": name, "arguments": arguments}
        return {"id": number, "type": "function", "function": function, "extra_content": extra}

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        return openai_error(status, kind, message)

    def stream_error(self, status: int, kind: str, message: str) -> bytes:
        return event(openai_error(status, kind, message))

    def _head(self, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self.call.number:029d}",
            "object": kind,
            "created": int(time.time()),
            "model": self.call.model,
            "service_tier": "default",
        }

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        data: dict[str, Any] = {**self._head("chat.completion.chunk"), "choices": [choice]}
        if (self.call.body.get("stream_options") or {}).get("include_usage"):
            data["usage"] = None
        return event(data)


def _finish(reply: Reply) -> str:
    """The vendor's word for why it stopped."""
    if reply.calls and reply.stop_reason == "stop":
        return "tool_calls"
    return _STOPS.get(reply.stop_reason, reply.stop_reason)


_KINDS = {429: "requests", 500: "server_error", 503: "server_error", 529: "server_error"}


def openai_error(status: int, kind: str, message: str) -> dict[str, Any]:
    """The vendor's error body: `type` is the family, `code` the exact reason."""
    family = "insufficient_quota" if kind == "insufficient_quota" else _KINDS.get(status, "invalid_request_error")
    return {"error": {"message": message, "type": family, "param": None, "code": kind}}


def _usage(reply: Reply, usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.written},
        "completion_tokens_details": {"reasoning_tokens": tokens(reply.thinking)},
    }
