"""The vendors' prompt cache: what of a prompt was seen before, by whole text blocks.

An entry can be read once the call that wrote it has sent its first token, as with the real ones: calls that
run at the same time all miss.
"""

from __future__ import annotations

from hashlib import sha256

from debateroom.messages import Usage
from vendor.call import Call, tokens
from vendor.rules import openai_family

LOOKBACK = 20
"""Blocks before a mark in which Anthropic looks for an earlier entry."""
_WRITES_ARE_PAID = (5, 6)
"""The first OpenAI family with cache marks; older ones keep every prefix by themselves, without a price."""


class PromptCache:
    """Prefixes that finished calls left behind, per model."""

    def __init__(self, minimum: int = 1024) -> None:
        self.minimum = minimum
        """Tokens below which a prefix is not kept."""
        self._entries: set[str] = set()

    def usage(self, call: Call, output: int) -> Usage:
        """Tokens of `call`: all, read from the cache, written to it; and what came back."""
        sizes = [tokens(block) for block in call.prompt]
        keys = _keys(call)
        marks = _marks(call)
        kept = [index for index in _readable(call, marks) if keys[index] in self._entries]
        cached = sum(sizes[: max(kept) + 1]) if kept else 0
        prefix = sum(sizes[: max(marks) + 1]) if marks and not _free(call) else 0
        written = prefix - cached if prefix >= self.minimum and prefix > cached else 0
        return Usage(input=sum(sizes), cached=cached, written=written, output=output)

    def keep(self, call: Call) -> None:
        """Makes the marked prefixes of `call` readable: its first token is out."""
        keys, size = _keys(call), 0
        marks = set(_marks(call))
        for index, block in enumerate(call.prompt):
            size += tokens(block)
            if index in marks and size >= self.minimum:
                self._entries.add(keys[index])


def _keys(call: Call) -> list[str]:
    """One key per block: the model and everything up to and including that block."""
    digest = sha256(f"{call.endpoint} {call.model}".encode())
    keys = []
    for block in call.prompt:
        digest.update(b"\0" + block.encode())
        keys.append(digest.hexdigest())
    return keys


def _marks(call: Call) -> tuple[int, ...]:
    """Blocks at whose end a prefix is kept: the marked ones, or what the vendor does by itself."""
    if not call.prompt or call.endpoint == "anthropic.messages":
        return call.marks
    if _free(call):
        return tuple(range(len(call.prompt)))
    options = call.body.get("prompt_cache_options") or {}
    return call.marks if options.get("mode") == "explicit" else (*call.marks, len(call.prompt) - 1)


def _readable(call: Call, marks: tuple[int, ...]) -> list[int]:
    """Blocks at whose end an earlier entry may be found."""
    if call.endpoint != "anthropic.messages":
        return list(range(max(marks) + 1)) if marks else []
    return sorted({index for mark in marks for index in range(max(0, mark - LOOKBACK + 1), mark + 1)})


def _free(call: Call) -> bool:
    """Whether this model keeps every prefix by itself and bills no writing."""
    if call.endpoint == "anthropic.messages":
        return False
    family = openai_family(call.model)
    return family is None or family < _WRITES_ARE_PAID
