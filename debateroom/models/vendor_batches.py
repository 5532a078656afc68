"""Both vendors' batches: many calls handed over at once, answered within a day at half the price.

A vendor is handed the calls, asked now and then how far it is, and then for what came of each. Nothing here waits or
tries again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import orjson

from debateroom.files import dumps
from debateroom.models.clients import get, post
from debateroom.models.deadline import Deadline
from debateroom.models.draft import at, count

if TYPE_CHECKING:
    from httpx2 import Response

MOST_ITEMS = 50_000
"""Calls in one batch, at most: what the stricter vendor takes."""
MOST_BYTES = 150_000_000
_SECONDS = 600.0
"""That one call about a batch may take: all its calls go out in one body, and all answers come back in one."""
_LONGEST = 16_000_000
"""Bytes of one result that are read, at most."""
_MOST_JSON = 4_000_000
"""Bytes of what is said about a batch."""
_WINDOW = "24h"
_KEPT = {"anchor": "created_at", "seconds": 604_800}
"""Files go from the vendor's after a week."""
_EARLY, _LATE = 120.0, 3_600.0
"""Seconds around the moment of sending in which a batch that nobody noted was made."""


class Item(NamedTuple):
    """One call of a batch."""

    id: str
    """Its `custom_id`."""
    body: Mapping[str, Any]


class Standing(NamedTuple):
    """How far a batch has come."""

    over: bool
    done: int = 0
    """Calls that are known to be answered, or to have failed; one vendor tells only at the end."""
    until: float | None = None
    """Seconds since 1970 at which the vendor gives it up; None when it does not say."""


class Came(NamedTuple):
    """What came of one call."""

    kind: str
    """`answer`, `error`, `expired` or `canceled`."""
    value: Any = None
    """The answer, whole, or the error."""
    status: Any = None
    """Of the HTTP answer that the error was, where the vendor says."""


class Gone(Exception):
    """The vendor refused a batch as a whole, after it had taken it; the error is a value as in `Came`."""

    def __init__(self, error: Any) -> None:
        super().__init__("the batch was refused")
        self.error = error


class VendorBatches(ABC):
    """The batches of one account at one vendor. Raises the SDK's errors."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @abstractmethod
    def send(self, items: Sequence[Item], key: str) -> str:
        """Hands the calls over; the batch's id. `key` is our name for it."""

    @abstractmethod
    def look(self, batch: str) -> Standing:
        """How far it is. Raises Gone."""

    @abstractmethod
    def collect(self, batch: str) -> Iterator[tuple[str, Came]]:
        """What came of each call, by its id, in any order. Raises Gone."""

    @abstractmethod
    def find(self, key: str, ids: Collection[str], at: float, known: Collection[str]) -> str | None:
        """The batch that was made of these calls at about the moment `at`, seconds since 1970, when nobody noted its
        id; it is none of the `known` ones. None when there is none."""

    def _value(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The JSON object that the vendor answers."""
        with self._answered(path, body) as response:
            text = b""
            for piece in response.iter_bytes():
                text += piece
                if len(text) > _MOST_JSON:
                    break
        value = orjson.loads(text)
        if not isinstance(value, dict):
            raise orjson.JSONDecodeError("no object", "", 0)
        return value

    def _lines(self, path: str) -> Iterator[dict[str, Any]]:
        """The objects of a file of JSON lines."""
        with self._answered(path) as response:
            rest = b""
            for piece in response.iter_bytes():
                *lines, rest = (rest + piece).split(b"\n")
                yield from _objects(lines)
                if len(rest) > _LONGEST:
                    raise orjson.JSONDecodeError("a result has no end", "", 0)
            yield from _objects([rest])

    @contextmanager
    def _answered(self, path: str, body: Mapping[str, Any] | None = None) -> Iterator[Response]:
        def send() -> Response:
            if body is None:
                return get(self._client, path, _SECONDS)
            return post(self._client, path, body, _SECONDS)

        with Deadline(_SECONDS) as deadline, closing(send()) as response:
            deadline.read(response)
            yield response


class MessageBatches(VendorBatches):
    """Anthropic's Message Batches."""

    _PATH = "/v1/messages/batches"

    def send(self, items: Sequence[Item], key: str) -> str:
        requests = [{"custom_id": item.id, "params": item.body} for item in items]
        return _id(self._value(self._PATH, {"requests": requests}))

    def look(self, batch: str) -> Standing:
        told = self._value(self._place(batch))
        counts = at(told, "request_counts")
        done = sum(count(counts, name) or 0 for name in ("succeeded", "errored", "canceled", "expired"))
        return Standing(at(told, "processing_status") == "ended", done, _moment(at(told, "expires_at")))

    def collect(self, batch: str) -> Iterator[tuple[str, Came]]:
        for line in self._lines(f"{self._place(batch)}/results"):
            kind = at(line, "result", "type")
            if kind == "succeeded":
                came = Came("answer", at(line, "result", "message"))
            elif kind in ("expired", "canceled"):
                came = Came(kind)
            else:
                error = at(line, "result", "error")
                came = Came("error", at(error, "error") or error)
            yield str(at(line, "custom_id")), came

    def find(self, key: str, ids: Collection[str], at: float, known: Collection[str]) -> str | None:
        told = self._value(f"{self._PATH}?limit=100").get("data")
        for row in told if isinstance(told, list) else ():
            made = _moment(row.get("created_at")) if isinstance(row, dict) else None
            if made is None or row.get("id") in known or not at - _EARLY <= made <= at + _LATE:
                continue
            if _all(row.get("request_counts")) == len(ids) and self._is_of(_id(row), ids, row):
                return _id(row)
        return None

    def _is_of(self, batch: str, ids: Collection[str], row: Mapping[str, Any]) -> bool:
        """Whether it may be the one: of one that is not over yet, nobody tells which calls it has."""
        return row.get("processing_status") != "ended" or any(name in ids for name, _ in self.collect(batch))

    def _place(self, batch: str) -> str:
        return f"{self._PATH}/{quote(batch, safe='')}"


class OpenAIBatches(VendorBatches):
    """OpenAI's Batch API: calls and answers go through files. One batch asks one model."""

    def __init__(self, client: Any, path: str) -> None:
        super().__init__(client)
        self._endpoint = f"/v1{path}"

    def send(self, items: Sequence[Item], key: str) -> str:
        lines = [
            dumps({"custom_id": item.id, "method": "POST", "url": self._endpoint, "body": item.body}) + b"\n"
            for item in items
        ]
        file = self._client.files.create(
            file=("debateroom.jsonl", b"".join(lines)), purpose="batch", expires_after=_KEPT, timeout=_SECONDS
        )
        body = {
            "input_file_id": str(file.id),
            "endpoint": self._endpoint,
            "completion_window": _WINDOW,
            "metadata": {"debateroom": key},
            "output_expires_after": _KEPT,
        }
        return _id(self._value("/batches", body))

    def look(self, batch: str) -> Standing:
        told = self._look(batch)
        counts = at(told, "request_counts")
        done = (count(counts, "completed") or 0) + (count(counts, "failed") or 0)
        over = at(told, "status") in ("completed", "expired", "cancelled")
        return Standing(over, done, _number(at(told, "expires_at")))

    def collect(self, batch: str) -> Iterator[tuple[str, Came]]:
        told = self._look(batch)
        for name in ("output_file_id", "error_file_id"):
            file = at(told, name)
            if isinstance(file, str) and file:
                for line in self._lines(f"/files/{quote(file, safe='')}/content"):
                    yield str(at(line, "custom_id")), _came(line)

    def find(self, key: str, ids: Collection[str], at: float, known: Collection[str]) -> str | None:
        told = self._value("/batches?limit=100").get("data")
        for row in told if isinstance(told, list) else ():
            named = row.get("metadata") if isinstance(row, dict) else None
            if isinstance(named, dict) and named.get("debateroom") == key:
                return _id(row)
        return None

    def _look(self, batch: str) -> dict[str, Any]:
        """What is said of it. Raises Gone when the vendor could not use it."""
        told = self._value(f"/batches/{quote(batch, safe='')}")
        if at(told, "status") == "failed":
            errors = at(told, "errors", "data")
            raise Gone(errors[0] if isinstance(errors, list) and errors else {"message": "the batch failed"})
        return told


def _came(line: Mapping[str, Any]) -> Came:
    """What a line of one of OpenAI's two files says."""
    error, status, body = at(line, "error"), at(line, "response", "status_code"), at(line, "response", "body")
    if error is not None:
        kinds = {"batch_expired": "expired", "batch_cancelled": "canceled"}
        return Came(kinds.get(str(at(error, "code")), "error"), error)
    if status == 200 and isinstance(body, dict):
        return Came("answer", body)
    return Came("error", at(body, "error") or body, status)


def _objects(lines: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        value = orjson.loads(line) if line.strip() else None
        if isinstance(value, dict):
            yield value


def _id(value: Any) -> str:
    """The id that a vendor gave. Raises ValueError for what is none."""
    found = at(value, "id")
    if not isinstance(found, str) or not 0 < len(found) <= 200 or not found.isprintable():
        raise orjson.JSONDecodeError("a batch without an id", "", 0)
    return found


def _all(counts: Any) -> int:
    names = ("processing", "succeeded", "errored", "canceled", "expired")
    return sum(count(counts, name) or 0 for name in names)


def _moment(text: Any) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _number(value: Any) -> float | None:
    return float(value) if type(value) in (int, float) and 0 < value < 10**11 else None
