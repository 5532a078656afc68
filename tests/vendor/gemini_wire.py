"""Google's Gemini API, as Gemini CLI calls it: `POST /v1beta/models/MODEL:generateContent`, streamed or whole."""

from __future__ import annotations

import json
from typing import Any

from debateroom.messages import Usage
from vendor.call import Reply, tokens
from vendor.wire import Wire, event, fill, text_blocks

_STOPS = {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}
_STATUS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
           429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}  # fmt: skip


class GenerateContent(Wire):
    endpoint = "google.gemini"

    def read(self) -> None:
        body = self.call.body
        blocks = text_blocks((body.get("systemInstruction") or {}).get("parts"))
        for message in body.get("contents") or []:
            blocks += text_blocks(message.get("parts"))
        fill(self.call, blocks)

    def headers(self) -> dict[str, str]:
        return {}

    def whole(self, reply: Reply, usage: Usage) -> dict[str, Any]:
        return self._response(reply.text, reply, usage)

    def opening(self, reply: Reply, usage: Usage) -> bytes:
        return b""

    def piece(self, text: str) -> bytes:
        return event(self._response(text))

    def closing(self, reply: Reply, usage: Usage) -> bytes:
        return event(self._response("", reply, usage))

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        return {"error": {"code": status, "message": message, "status": _STATUS.get(status, "INTERNAL")}}

    def stream_error(self, status: int, kind: str, message: str) -> bytes:
        return event(self.error(status, kind, message))

    def _response(self, text: str, ended: Reply | None = None, usage: Usage | None = None) -> dict[str, Any]:
        """One answer or a part of it; `ended` and `usage` are said by the last one."""
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}
        if ended is not None:
            asked = [{"name": name, "args": json.loads(arguments)} for name, arguments in ended.calls]
            if asked:
                candidate["content"]["parts"] = [{"functionCall": call} for call in asked]
            candidate["finishReason"] = _STOPS.get(ended.stop_reason, ended.stop_reason)
        response: dict[str, Any] = {"candidates": [candidate], "modelVersion": self.call.model}
        if ended is not None and usage is not None:
            thoughts = tokens(ended.thinking)
            response["usageMetadata"] = {
                "promptTokenCount": usage.input,
                "cachedContentTokenCount": usage.cached,
                "candidatesTokenCount": usage.output - thoughts,
                "thoughtsTokenCount": thoughts,
                "totalTokenCount": usage.input + usage.output,
            }
        return response
