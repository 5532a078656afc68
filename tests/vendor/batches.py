"""Both vendors' batches: `/v1/messages/batches`, and `/v1/files` with `/v1/batches`.

Each call of a batch is answered by the server's reply function, when the batch has been looked at often enough.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import HTTP
from typing import TYPE_CHECKING, Any

from vendor.anthropic_wire import AnthropicMessages
from vendor.call import Call, Fault
from vendor.chat_wire import ChatCompletions, openai_error
from vendor.http import Channel, Request
from vendor.responses_wire import Responses
from vendor.rules import refusal
from vendor.wire import Wire

if TYPE_CHECKING:
    from vendor.server import VendorServer

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MESSAGES, _FILES, _BATCHES = "/v1/messages/batches", "/v1/files", "/v1/batches"
_DAY = 86_400
_WIRES: dict[str, type[Wire]] = {"/v1/responses": Responses, "/v1/chat/completions": ChatCompletions}


@dataclass(frozen=True)
class Unanswered(Fault):
    """A call of a batch that is `expired` or `canceled`."""

    why: str = "expired"

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        raise AssertionError("only a call of a batch can expire")


@dataclass
class Batch:
    """One batch as the server has it."""

    id: str
    vendor: str
    """`anthropic` or `openai`."""
    items: list[dict[str, Any]]
    """`custom_id` and `body`."""
    endpoint: str
    headers: dict[str, str]
    metadata: dict[str, str] = field(default_factory=dict)
    file: str = ""
    created: float = field(default_factory=time.time)
    looked: int = 0
    status: str = "in_progress"
    """`in_progress`, `ended`, `canceled`, or `failed` as a whole."""
    results: list[dict[str, Any]] = field(default_factory=list)
    """In the vendor's words, in another order than the calls."""

    @property
    def ids(self) -> list[str]:
        """The `custom_id` of each call."""
        return [item["custom_id"] for item in self.items]

    def counts(self) -> dict[str, int]:
        """How many calls ended which way."""
        found = {"succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
        for line in self.results:
            found[line["kind"]] += 1
        return found


class BatchDesk:
    """The batches of one server."""

    def __init__(self, server: VendorServer) -> None:
        self._server = server
        self.all: list[Batch] = []
        """In the order in which they came."""
        self.looks = 2
        """So many looks until a batch is over."""
        self.open = True
        """While false, none gets over, however often it is looked at."""
        self.refuse: Callable[[Request], int | None] = lambda request: None
        """The status with which a request about batches fails, though it may have been obeyed; None: it does not."""
        self.fail: Callable[[Batch], bool] = lambda batch: False
        """Whether a batch fails as a whole."""
        self._files: dict[str, bytes] = {}

    def serves(self, path: str) -> bool:
        """Whether a path is about batches."""
        return path.partition("?")[0].startswith((_MESSAGES, _FILES, _BATCHES))

    def answer(self, request: Request, transport: asyncio.Transport) -> None:
        """Answers one request."""
        out = Channel(transport, {}, lambda _: None)
        anthropic = request.path.startswith(_MESSAGES)
        try:
            found = self._anthropic(request) if anthropic else self._openai(request)
        except _Refused as wrong:
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": wrong.message}}
            found = error if anthropic else openai_error(wrong.status, "invalid_value", wrong.message)
            out.whole(found, status=wrong.status)
            return
        status = self.refuse(request)
        if status:
            out.whole({"error": {"type": "api_error", "message": "no"}}, status=status)
        elif isinstance(found, bytes):
            out.whole(found, kind="application/x-jsonl")
        else:
            out.whole(found)

    def _anthropic(self, request: Request) -> Any:
        rest = _rest(request.path, _MESSAGES)
        if request.method == "POST" and not rest:
            told = [
                {"custom_id": each["custom_id"], "body": each["params"]}
                for each in json.loads(request.body)["requests"]
            ]
            return _message_batch(self._take("anthropic", told, "/v1/messages", request))
        if not rest:
            rows = [_message_batch(each) for each in reversed(self.all) if each.vendor == "anthropic"]
            return {"data": rows, "has_more": False, "first_id": None, "last_id": None}
        batch = self._batch(rest[0])
        if rest[1:] == ["cancel"]:
            self._cancel(batch)
        elif rest[1:] == ["results"]:
            if batch.status == "in_progress":
                raise _Refused(404, "the batch has no results yet")
            return _lines({"custom_id": each["custom_id"], "result": each["result"]} for each in batch.results)
        else:
            self._look(batch)
        return _message_batch(batch)

    def _openai(self, request: Request) -> Any:
        if request.path.startswith(_FILES):
            return self._file(request)
        rest = _rest(request.path, _BATCHES)
        if request.method == "POST" and not rest:
            return _batch(self._create(request))
        if not rest:
            rows = [_batch(each) for each in reversed(self.all) if each.vendor == "openai"]
            return {"object": "list", "data": rows, "has_more": False}
        batch = self._batch(rest[0])
        if rest[1:] == ["cancel"]:
            self._cancel(batch)
        else:
            self._look(batch)
        return _batch(batch)

    def _file(self, request: Request) -> Any:
        rest = _rest(request.path, _FILES)
        if request.method == "POST":
            parts = _parts(request)
            if parts.get("purpose") != b"batch":
                raise _Refused(400, "purpose must be batch")
            name = f"file-{len(self._files):012d}"
            self._files[name] = parts["file"]
            return {
                "id": name, "object": "file", "bytes": len(parts["file"]), "created_at": 0, "filename": "x.jsonl",
                "purpose": "batch", "status": "processed",
            }  # fmt: skip
        owner, _, kind = rest[0].rpartition("-")
        batch = next((each for each in self.all if owner == f"file-{each.id}"), None)
        if rest[1:] != ["content"] or batch is None:
            raise _Refused(404, "No such file")
        good = kind == "output"
        return _lines(each["line"] for each in batch.results if (each["kind"] == "succeeded") == good)

    def _create(self, request: Request) -> Batch:
        body = json.loads(request.body)
        if body["endpoint"] not in _WIRES or body["completion_window"] != "24h":
            raise _Refused(400, "endpoint or completion_window")
        lines = [json.loads(line) for line in self._files[body["input_file_id"]].splitlines()]
        if any(line["method"] != "POST" or line["url"] != body["endpoint"] for line in lines):
            raise _Refused(400, "every line must be of the batch's endpoint")
        if len({line["body"]["model"] for line in lines}) != 1:
            raise _Refused(400, "a batch asks one model")
        batch = self._take("openai", lines, body["endpoint"], request)
        batch.metadata, batch.file = body.get("metadata") or {}, body["input_file_id"]
        return batch

    def _take(self, vendor: str, items: list[dict[str, Any]], endpoint: str, request: Request) -> Batch:
        names = [item["custom_id"] for item in items]
        if len(set(names)) < len(names) or not all(map(_ID.fullmatch, names)):
            raise _Refused(400, "each custom_id must be unique and match ^[a-zA-Z0-9_-]{1,64}$")
        if any(item["body"].get("stream") for item in items):
            raise _Refused(400, "a call of a batch cannot be streamed")
        name = f"{'msgbatch' if vendor == 'anthropic' else 'batch'}_{len(self.all):08d}"
        self.all.append(Batch(name, vendor, items, endpoint, request.safe_headers()))
        return self.all[-1]

    def _batch(self, name: str) -> Batch:
        found = next((each for each in self.all if each.id == name), None)
        if found is None:
            raise _Refused(404, "no such batch")
        return found

    def _look(self, batch: Batch) -> None:
        batch.looked += 1
        if batch.status == "in_progress" and self.open and batch.looked >= self.looks:
            batch.status = "failed" if self.fail(batch) else "ended"
            if batch.status == "ended":
                batch.results = [self._result(batch, item) for item in reversed(batch.items)]

    def _cancel(self, batch: Batch) -> None:
        if batch.status == "in_progress":
            batch.status = "canceled"
            batch.results = [_unanswered(item["custom_id"], "canceled") for item in batch.items]

    def _result(self, batch: Batch, item: dict[str, Any]) -> dict[str, Any]:
        """What comes of one call: it is asked like any other, and found among the server's calls."""
        wire_of = AnthropicMessages if batch.vendor == "anthropic" else _WIRES[batch.endpoint]
        call = Call(
            number=len(self._server.calls), endpoint=wire_of.endpoint, path=batch.endpoint, headers=batch.headers,
            body=item["body"], arrived=time.monotonic(), in_flight=0,
        )  # fmt: skip
        self._server.calls.append(call)
        wire, name = wire_of(call), item["custom_id"]
        wire.read()
        wrong = refusal(call)
        if wrong:
            return _errored(name, 400, wire.error(400, wrong.kind, wrong.message))
        said = self._server.say(call)
        if isinstance(said, Unanswered):
            return _unanswered(name, said.why)
        if isinstance(said, Fault):
            kept = _Kept()
            step = said.play(call, wire, kept)  # type: ignore[arg-type]
            try:
                step.send(None)
            except StopIteration:
                return _errored(name, kept.status, kept.body)
            raise AssertionError("such a fault cannot happen to a call of a batch")
        reply, usage = self._server.counted(call, said)
        whole = wire.whole(reply, usage)
        line = {
            "id": f"batch_req_{call.number:06d}", "custom_id": name, "error": None,
            "response": {"status_code": 200, "request_id": f"req_{call.number}", "body": whole},
        }  # fmt: skip
        result = {"type": "succeeded", "message": whole}
        return {"kind": "succeeded", "custom_id": name, "result": result, "line": line}


class _Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class _Kept:
    """In place of a connection: keeps the answer."""

    def whole(self, body: Any, *, status: int = 200, **more: Any) -> None:
        """Keeps it."""
        self.body, self.status = body, status


def _errored(name: str, status: int, body: dict[str, Any]) -> dict[str, Any]:
    response = {"status_code": status, "request_id": "req_0", "body": body}
    line = {"id": "batch_req_0", "custom_id": name, "response": response, "error": None}
    error = {"type": "error", "error": body.get("error")}
    return {"kind": "errored", "custom_id": name, "result": {"type": "errored", "error": error}, "line": line}


def _unanswered(name: str, why: str) -> dict[str, Any]:
    code = {"expired": "batch_expired", "canceled": "batch_cancelled"}[why]
    line = {"custom_id": name, "response": None, "error": {"code": code, "message": "not executed"}}
    return {"kind": why, "custom_id": name, "result": {"type": why}, "line": line}


def _message_batch(batch: Batch) -> dict[str, Any]:
    over = batch.status != "in_progress"
    counts = {"processing": 0 if over else len(batch.items), **batch.counts()}
    return {
        "id": batch.id, "type": "message_batch", "processing_status": "ended" if over else "in_progress",
        "request_counts": counts, "created_at": _iso(batch.created), "expires_at": _iso(batch.created + _DAY),
        "ended_at": _iso(time.time()) if over else None, "archived_at": None, "cancel_initiated_at": None,
        "results_url": f"{_MESSAGES}/{batch.id}/results" if over else None,
    }  # fmt: skip


def _batch(batch: Batch) -> dict[str, Any]:
    status = {"ended": "completed", "canceled": "cancelled"}.get(batch.status, batch.status)
    counts, over = batch.counts(), bool(batch.results)
    failed = len(batch.results) - counts["succeeded"]
    errors = {"object": "list", "data": [{"code": "token_limit_exceeded", "message": "too many tokens are queued"}]}
    return {
        "id": batch.id, "object": "batch", "endpoint": batch.endpoint, "input_file_id": batch.file,
        "completion_window": "24h", "status": status, "created_at": int(batch.created),
        "expires_at": int(batch.created) + _DAY, "metadata": batch.metadata,
        "errors": errors if status == "failed" else None,
        "output_file_id": f"file-{batch.id}-output" if over and counts["succeeded"] else None,
        "error_file_id": f"file-{batch.id}-errors" if failed else None,
        "request_counts": {"total": len(batch.items), "completed": counts["succeeded"], "failed": failed},
    }  # fmt: skip


def _lines(rows: Iterator[Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _rest(path: str, before: str) -> list[str]:
    return [part for part in path.partition("?")[0].removeprefix(before).split("/") if part]


def _parts(request: Request) -> dict[str, bytes]:
    """The fields of a form with a file."""
    head = f"content-type: {request.headers['content-type']}\r\n\r\n".encode()
    form = message_from_bytes(head + request.body, policy=HTTP)
    return {
        str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True)
        for part in form.iter_parts()
    }


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()
