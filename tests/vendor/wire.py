"""The part of a vendor's wire format that all three endpoints share, and which class speaks which path."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from debateroom.messages import Usage
from vendor.call import Call, Reply


class Wire:
    """One call's answer in a vendor's words. Subclasses know the words."""

    endpoint = ""

    def __init__(self, call: Call) -> None:
        self.call = call

    def read(self) -> None:
        """Fills the call's prompt and marks from its body."""
        raise NotImplementedError

    def headers(self) -> dict[str, str]:
        """Headers of every answer: the vendor's request id."""
        raise NotImplementedError

    def whole(self, reply: Reply, usage: Usage) -> dict[str, Any]:
        """The answer to a call without a stream."""
        raise NotImplementedError

    def opening(self, reply: Reply, usage: Usage) -> bytes:
        """Events before the first text, thinking included."""
        raise NotImplementedError

    def piece(self, text: str) -> bytes:
        """The event that carries one more piece of text."""
        raise NotImplementedError

    def closing(self, reply: Reply, usage: Usage) -> bytes:
        """Events after the last text: why it stopped, and the usage."""
        raise NotImplementedError

    def ping(self) -> bytes:
        """What keeps a stream alive without saying anything."""
        return b": keep-alive\n\n"

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """The body of an error answer."""
        raise NotImplementedError

    def stream_error(self, status: int, kind: str, message: str) -> bytes:
        """An error as an event inside a stream of status 200."""
        raise NotImplementedError


def event(data: Mapping[str, Any], name: str | None = None) -> bytes:
    """One server-sent event; without a name only its data."""
    line = f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
    return (f"event: {name}\n{line}" if name else line).encode()


def halves(text: str) -> tuple[str, str, str]:
    """Pieces in which arguments are streamed: the first one is empty, as the vendors' is."""
    return "", text[: len(text) // 2], text[len(text) // 2 :]


def text_blocks(content: Any) -> list[tuple[str, bool]]:
    """Text parts of a message's content in order, each with whether it carries a cache mark."""
    if content is None:
        return []
    if isinstance(content, str):
        return [(content, False)]
    return [
        (part["text"], bool(part.get("cache_control") or part.get("prompt_cache_breakpoint")))
        for part in content
        if isinstance(part, Mapping) and isinstance(part.get("text"), str)
    ]


def fill(call: Call, blocks: list[tuple[str, bool]]) -> None:
    """Writes blocks and the positions of the marked ones into the call."""
    call.prompt = [text for text, _ in blocks]
    call.marks = tuple(index for index, (_, marked) in enumerate(blocks) if marked)
