"""An answer while it arrives: the same for every provider, and strict about what is no answer at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from debateroom import tokens
from debateroom.errors import DebateroomError
from debateroom.messages import Answer, OnText, Paid, Request, ToolCall, Usage
from debateroom.models.calls import Call
from debateroom.terminal import is_blank

_TOO_MANY = 10**12
"""Tokens that nobody can have paid for."""


class Content(Protocol):
    """The parts of an answer with tools, put together while they arrive."""

    def take(self, value: Any) -> None:
        """Takes what one value of the stream says."""
        ...

    def calls(self) -> tuple[ToolCall, ...]:
        """The tools that the answer asks for, in order."""
        ...

    def raw(self) -> Any:
        """The content as it goes back to the provider, with the API it is from."""
        ...


class Draft:
    """Collects the pieces of one streamed answer. What a server sends is data: nothing here trusts its shape."""

    def __init__(self, call: Call, on_text: OnText | None = None) -> None:
        self.stop_reason: str | None = None
        """Why the stream ended, in our words; None while it has not said so."""
        self.refused = False
        """The text is a refusal, which OpenAI says on its own channel and then calls finished."""
        self.usage = Usage()
        self.begun = False
        """The provider has said that it is working on the answer."""
        self.content: Content | None = None
        """All parts of the answer, where it may ask for tools; None: its text alone matters."""
        self._call = call
        self._model = call.model
        self._on_text = on_text
        self._pieces: list[str] = []
        call.draft = self

    def add(self, text: Any) -> None:
        """One more piece of visible text; anything that is not text is passed over."""
        if isinstance(text, str) and text:
            self._pieces.append(text)
            if self._on_text is not None:
                self._on_text(text)

    def name(self, model: Any) -> None:
        """The model's id as the provider states it."""
        if isinstance(model, str) and model:
            self._model, self.begun = model, True

    @property
    def text(self) -> str:
        """What has arrived so far."""
        return "".join(self._pieces)

    def answer(self) -> Answer:
        """The finished answer. Raises CallFailed when the stream was cut, or when it says nothing."""
        if self.stop_reason is None:
            raise self._call.failed("cut")
        reason = "refusal" if self.refused else self.stop_reason
        calls = self.content.calls() if self.content is not None else ()
        if is_blank(self.text) and not calls:
            raise self._empty(reason)
        return Answer(
            self.text,
            self.usage,
            "tools" if calls and reason == "stop" else reason,
            self._model,
            self._call.seconds(),
            calls=calls,
            raw=self.content.raw() if self.content is not None else None,
        )

    def paid(self, request: Request, *, given_up: bool) -> tuple[Paid, ...]:
        """The call that was paid for although no answer came of it; empty when nothing had arrived.

        A provider bills a stream that broke off, and one that we have `given_up` once it was at work, and says
        nothing of it: what it did not report is estimated.
        """
        if self.stop_reason is not None:
            return (Paid(self.usage),)
        if not self._pieces and self.usage == Usage() and not (given_up and self.begun):
            return ()
        read = self.usage.input or sum(map(tokens.estimate, request.texts))
        written = max(self.usage.output, tokens.estimate(self.text))
        return (Paid(replace(self.usage, input=read, output=written)),)

    def _empty(self, reason: str) -> DebateroomError:
        # what was thought out is not tried again: it would only pay for the same thinking twice
        return self._call.failed({"refusal": "refusal", "length": "thought_out"}.get(reason, "empty"))


def at(value: Any, *path: str) -> Any:
    """What stands at a path of keys inside a JSON value; None when it is not there or nothing of the kind."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def count(value: Any, *path: str) -> int | None:
    """A number of tokens at a path of keys; None when there is none, or one that no model can have read."""
    found = at(value, *path)
    return found if type(found) is int and 0 <= found < _TOO_MANY else None
