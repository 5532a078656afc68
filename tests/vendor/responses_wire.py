"""OpenAI Responses: `POST /v1/responses`."""

from __future__ import annotations

import time
from typing import Any

from debateroom.messages import Usage
from vendor.call import Reply, tokens
from vendor.chat_wire import openai_error
from vendor.wire import Wire, event, fill, halves, text_blocks

_SEALED = "reasoning.encrypted_content"
"""What must be asked for to be given reasoning that can be sent back."""


class Responses(Wire):
    endpoint = "openai.responses"

    def read(self) -> None:
        blocks = text_blocks(self.call.body.get("instructions"))
        said = self.call.body.get("input")
        for item in [{"content": said}] if isinstance(said, str) else said or []:
            blocks += text_blocks(item.get("content"))
        fill(self.call, blocks)

    def headers(self) -> dict[str, str]:
        return {"x-request-id": f"req_{self.call.number:032d}"}

    def whole(self, reply: Reply, usage: Usage) -> dict[str, Any]:
        status = "incomplete" if reply.stop_reason == "length" else "completed"
        output = [self._reasoning()] if reply.thinking else []
        if _says(reply):
            output.append(self._message(reply, "incomplete" if status == "incomplete" else "completed"))
        output += [self._call(reply, place, *each) for place, each in enumerate(reply.calls)]
        response = self._response(status, output)
        response["usage"] = _usage(reply, usage)
        if status == "incomplete":
            response["incomplete_details"] = {"reason": "max_output_tokens"}
        return response

    def opening(self, reply: Reply, usage: Usage) -> bytes:
        self._sequence, self._index = 0, 0
        self._refused = reply.stop_reason == "refusal"
        running = self._response("in_progress", [])
        events = [self._event("response.created", response=running)]
        events.append(self._event("response.in_progress", response=running))
        if reply.thinking:
            item = self._reasoning()
            events.append(self._event("response.output_item.added", item=item, output_index=0))
            events.append(self._event("response.output_item.done", item=item, output_index=0))
            self._index = 1
        if _says(reply):
            item = {**self._message(reply, "in_progress"), "content": []}
            events.append(self._event("response.output_item.added", item=item, output_index=self._index))
            part = self._part("")
            events.append(self._event("response.content_part.added", part=part, **self._where()))
            if self._refused and not reply.text:
                events.append(self.piece("I cannot help with that."))
        return b"".join(events)

    def piece(self, text: str) -> bytes:
        if self._refused:
            return self._event("response.refusal.delta", delta=text, **self._where())
        return self._event("response.output_text.delta", delta=text, logprobs=[], **self._where())

    def closing(self, reply: Reply, usage: Usage) -> bytes:
        events = []
        response = self.whole(reply, usage)
        if _says(reply):
            item = response["output"][self._index]
            (part,) = item["content"]
            if self._refused:
                events.append(self._event("response.refusal.done", refusal=part["refusal"], **self._where()))
            else:
                done = {"text": part["text"], "logprobs": []}
                events.append(self._event("response.output_text.done", **done, **self._where()))
            events.append(self._event("response.content_part.done", part=part, **self._where()))
            events.append(self._event("response.output_item.done", item=item, output_index=self._index))
            self._index += 1
        for place, (name, arguments) in enumerate(reply.calls):
            events.append(self._called(self._call(reply, place, name, arguments)))
        events.append(self._event(f"response.{response['status']}", response=response))
        return b"".join(events)

    def _call(self, reply: Reply, place: int, name: str, arguments: str) -> dict[str, Any]:
        number = reply.call_id(self.call.number, place)
        return {
            "id": f"fc_{number}",
            "type": "function_call",
            "status": "completed",
            "call_id": f"call_{number}",
            "name": name,
            "arguments": arguments,
        }

    def _called(self, item: dict[str, Any]) -> bytes:
        """The events of one call: its arguments come in pieces and then once more as a whole."""
        where = {"item_id": item["id"], "output_index": self._index}
        begun = {**item, "status": "in_progress", "arguments": ""}
        data = self._event("response.output_item.added", item=begun, output_index=self._index)
        for piece in halves(item["arguments"]):
            data += self._event("response.function_call_arguments.delta", delta=piece, **where)
        whole = {"arguments": item["arguments"], "name": item["name"]}
        data += self._event("response.function_call_arguments.done", **whole, **where)
        data += self._event("response.output_item.done", item=item, output_index=self._index)
        self._index += 1
        return data

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        return openai_error(status, kind, message)

    def stream_error(self, status: int, kind: str, message: str) -> bytes:
        return self._event("error", code=kind, message=message, param=None)

    def failed(self, kind: str, message: str) -> bytes:
        """The other way a stream fails: a response with status `failed` and the error inside."""
        response = self._response("failed", [])
        response["error"] = {"code": kind, "message": message}
        return self._event("response.failed", response=response)

    def _event(self, kind: str, **data: Any) -> bytes:
        self._sequence += 1
        return event({"type": kind, "sequence_number": self._sequence - 1, **data}, kind)

    def _where(self) -> dict[str, Any]:
        return {"item_id": self._message_id(), "output_index": self._index, "content_index": 0}

    def _message_id(self) -> str:
        return f"msg_{self.call.number:048d}"

    def _part(self, text: str) -> dict[str, Any]:
        if self._refused:
            return {"type": "refusal", "refusal": text}
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}

    def _message(self, reply: Reply, status: str) -> dict[str, Any]:
        self._refused = reply.stop_reason == "refusal"
        text = reply.text or ("I cannot help with that." if self._refused else "")
        content = [self._part(text)]
        return {
            "id": self._message_id(),
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": content,
        }

    def _reasoning(self) -> dict[str, Any]:
        return {
            "id": f"rs_{self.call.number:048d}",
            "type": "reasoning",
            "summary": [],
            "encrypted_content": "c2VhbGVk" if _SEALED in (self.call.body.get("include") or ()) else None,
            "status": None,
        }

    def _response(self, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
        body = self.call.body
        return {
            "id": f"resp_{self.call.number:048d}",
            "object": "response",
            "created_at": int(time.time()),
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": body.get("instructions"),
            "max_output_tokens": body.get("max_output_tokens"),
            "model": self.call.model,
            "output": output,
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "prompt_cache_key": body.get("prompt_cache_key"),
            "store": body.get("store", True),
            "text": body.get("text") or {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "usage": None,
            "metadata": {},
        }


def _says(reply: Reply) -> bool:
    """Whether there is a message in the answer, and not only thoughts and calls."""
    return bool(reply.text) or not (reply.calls or reply.stop_reason == "length")


def _usage(reply: Reply, usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.written},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": tokens(reply.thinking)},
        "total_tokens": usage.input + usage.output,
    }
