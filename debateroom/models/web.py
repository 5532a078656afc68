"""A model on the web: what those of all vendors share. Their own words are in `anthropic` and `openai`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from debateroom.messages import Answer, OnText, Request
from debateroom.models.calls import Call, Caller
from debateroom.models.catalog import ModelInfo
from debateroom.models.clients import post
from debateroom.models.draft import Content, Draft

if TYPE_CHECKING:
    from anthropic import Anthropic
    from httpx2 import Response
    from openai import OpenAI


class WebModel(ABC):
    """One model through its vendor's SDK, always streamed. Calls share the client and with it the connections."""

    path = ""
    """Of the API that is called, below the base URL."""
    whole = False
    """Whether an answer in one piece is one, though a stream was asked for."""

    def __init__(self, known: ModelInfo, model_id: str, client: Anthropic | OpenAI, caller: Caller) -> None:
        self.name = known.name
        self.vendor = known.vendor
        self.window = known.window
        self.moderates = known.moderates
        self.known = known
        self.model_id = model_id
        """What it is called at the provider."""
        self.client = client
        """The SDK's."""
        self._caller = caller

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """The model's answer. Raises CallFailed when this call failed, NoModel when no call can succeed."""

        def attempt(call: Call) -> Answer:
            draft = Draft(call, on_text)
            draft.content = self.content() if request.tools else None
            asked = replace(request, max_tokens=call.limit)
            with call.values(lambda left: self.send(asked, left), whole=self.whole) as values:
                for value in values:
                    self.read(call, draft, value)
            return draft.answer()

        return self._caller.run(self.model_id, request, attempt)

    def send(self, request: Request, seconds: float) -> Response:
        """Sends the call, which may take so many seconds; the answer, its body still to be read."""
        return self.post(self.body(request), seconds)

    def post(self, body: Mapping[str, Any], seconds: float) -> Response:
        """Sends `body`."""
        return post(self.client, self.path, body, seconds)

    @abstractmethod
    def content(self) -> Content:
        """Where the parts of an answer with tools are put together."""

    @abstractmethod
    def body(self, request: Request) -> dict[str, Any]:
        """What is sent, in the API's words."""

    @abstractmethod
    def unfolded(self, whole: Any) -> Iterator[Any]:
        """The values of a stream that says what an answer in one piece, `whole`, says."""

    @abstractmethod
    def read(self, call: Call, draft: Draft, value: Any) -> None:
        """Takes what one value of the stream says. Thinking is never text. Raises the error that it reports."""
