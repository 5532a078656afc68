"""Anthropic Messages: `POST /v1/messages`."""

from __future__ import annotations

import json
from typing import Any

from debateroom.messages import Usage
from vendor.call import Reply
from vendor.wire import Wire, event, fill, halves, text_blocks

_STOPS = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}


class AnthropicMessages(Wire):
    endpoint = "anthropic.messages"

    def read(self) -> None:
        body = self.call.body
        blocks = text_blocks(body.get("system"))
        for message in body.get("messages") or []:
            blocks += text_blocks(message.get("content"))
        if body.get("cache_control") and blocks:
            blocks[-1] = (blocks[-1][0], True)
        fill(self.call, blocks)

    def headers(self) -> dict[str, str]:
        return {"request-id": f"req_{self.call.number:024d}"}

    def whole(self, reply: Reply, usage: Usage) -> dict[str, Any]:
        content: list[dict[str, Any]] = []
        if reply.thinking:
            content.append({"type": "thinking", "thinking": reply.thinking, "signature": "c2lnbmVk"})
        if reply.text:
            content.append({"type": "text", "text": reply.text, "citations": None})
        for place, (name, arguments) in enumerate(reply.calls):
            content.append({**self._call(reply, place, name), "input": json.loads(arguments)})
        return self._message(content, _stop(reply), usage, usage.output)

    def opening(self, reply: Reply, usage: Usage) -> bytes:
        start = {"type": "message_start", "message": self._message([], None, usage, 1)}
        events = [event(start, "message_start"), self.ping()]
        self._index = 0
        if reply.thinking:
            events += [
                self._block({"type": "thinking", "thinking": "", "signature": ""}),
                self._delta({"type": "thinking_delta", "thinking": reply.thinking}),
                self._delta({"type": "signature_delta", "signature": "c2lnbmVk"}),
                self._stop(),
            ]
        if reply.text:
            events.append(self._block({"type": "text", "text": ""}))
        return b"".join(events)

    def piece(self, text: str) -> bytes:
        return self._delta({"type": "text_delta", "text": text})

    def closing(self, reply: Reply, usage: Usage) -> bytes:
        delta = {
            "type": "message_delta",
            "delta": {"stop_reason": _stop(reply), "stop_sequence": None},
            "usage": self._usage(usage, usage.output),
        }
        ended = self._stop() if reply.text else b""
        for place, (name, arguments) in enumerate(reply.calls):
            ended += self._block(self._call(reply, place, name))
            for piece in halves(arguments):
                ended += self._delta({"type": "input_json_delta", "partial_json": piece})
            ended += self._stop()
        return ended + event(delta, "message_delta") + event({"type": "message_stop"}, "message_stop")

    def _call(self, reply: Reply, place: int, name: str) -> dict[str, Any]:
        return {
            "type": "tool_use",
            "id": f"toolu_{reply.call_id(self.call.number, place)}",
            "name": name,
            "input": {},
        }

    def ping(self) -> bytes:
        return event({"type": "ping"}, "ping")

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        request_id = self.headers()["request-id"]
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}

    def stream_error(self, status: int, kind: str, message: str) -> bytes:
        return event(self.error(status, kind, message), "error")

    def _message(self, content: list[dict[str, Any]], stop: str | None, usage: Usage, output: int) -> dict[str, Any]:
        return {
            "id": f"msg_{self.call.number:024d}",
            "type": "message",
            "role": "assistant",
            "model": self.call.model,
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": self._usage(usage, output),
        }

    def _usage(self, usage: Usage, output: int) -> dict[str, Any]:
        return {
            "input_tokens": usage.input - usage.cached - usage.written,
            "cache_creation_input_tokens": usage.written,
            "cache_read_input_tokens": usage.cached,
            "cache_creation": {"ephemeral_5m_input_tokens": usage.written, "ephemeral_1h_input_tokens": 0},
            "output_tokens": output,
            "service_tier": "standard",
        }

    def _block(self, block: dict[str, Any]) -> bytes:
        start = {"type": "content_block_start", "index": self._index, "content_block": block}
        return event(start, "content_block_start")

    def _delta(self, delta: dict[str, Any]) -> bytes:
        return event({"type": "content_block_delta", "index": self._index, "delta": delta}, "content_block_delta")

    def _stop(self) -> bytes:
        data = event({"type": "content_block_stop", "index": self._index}, "content_block_stop")
        self._index += 1
        return data


def _stop(reply: Reply) -> str:
    """The vendor's word for why it stopped."""
    return (
        "tool_use"
        if reply.calls and reply.stop_reason == "stop"
        else _STOPS.get(reply.stop_reason, reply.stop_reason)
    )
