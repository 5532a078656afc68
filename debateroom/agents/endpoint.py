"""`http://…`: an agent behind an OpenAI-compatible address, asked with the conversation through Chat Completions.

The standard has no words for tools that an agent ran by itself. One that wants them seen adds a key `agent` beside
`choices`, in any chunk of a stream or in the whole answer: `{"agent": {"tools": […], "state": …}}` (as in `outside`).
Nothing is asked twice: what an agent did once, it would do again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from debateroom import clock
from debateroom.agents.agent import Answered, OnEvent
from debateroom.agents.outside import ends_at, messages, read_records
from debateroom.errors import AgentFailed, CallFailed, NoModel, UsageError
from debateroom.messages import CALL_SECONDS, Request, Turn
from debateroom.models import clients, quote
from debateroom.models.addresses import without_secrets
from debateroom.models.calls import Call, Caller
from debateroom.models.catalog import info
from debateroom.models.draft import Draft, at
from debateroom.models.gate import Gate
from debateroom.models.openai import ChatCompletions
from debateroom.models.registry import Models

KEY = "DEBATEROOM_AGENT_KEY"
"""The variable with the key of an agent's address. A vendor's key is never sent there."""
MODEL = "agent"
"""What an address is asked for when no model is named."""
_PATH = "/chat/completions"


class EndpointAgent:
    """An agent behind an address."""

    capabilities: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    def __init__(self, name: str, model: str, endpoint: _Endpoint, *, call_timeout: float = CALL_SECONDS) -> None:
        self.name = name
        self.model = model
        self._call_timeout = call_timeout
        self._endpoint = endpoint

    def answer(
        self, said: Sequence[Turn], *, until: float | None = None, on_event: OnEvent | None = None
    ) -> Answered:
        """What the agent says. Raises AgentFailed for whatever is no answer; the request is cancelled then."""
        began = clock.monotonic()
        seconds = max(0.0, ends_at(began, self._call_timeout, until) - began)
        turns = tuple(Turn(each["role"], each["content"]) for each in messages(said))  # type: ignore[arg-type]
        self._endpoint.told = None
        try:
            answer = self._endpoint.ask(Request(turns=turns, timeout=seconds, until=began + seconds))
        except (CallFailed, NoModel) as error:
            failed = AgentFailed(f"The agent {self.name} gave no answer: {error}", hint=_hint(error))
            failed.paid = error.paid
            raise failed from None
        told = self._endpoint.told
        tools = read_records(at(told, "tools"), agent=self.name)
        return Answered(
            text=answer.text,
            tools=tools,
            state=at(told, "state"),
            usage=answer.usage,
            model=answer.model,
            seconds=clock.monotonic() - began,
            stop_reason=answer.stop_reason,
        )

    def close(self) -> None:
        """Nothing: its connections are closed with the models."""


class _Endpoint(ChatCompletions):
    """Chat Completions, and what an agent tells beside it."""

    told: Any = None
    """The last `agent` of the answer."""

    def read(self, call: Call, draft: Draft, value: Any) -> None:
        super().read(call, draft, value)
        if at(value, "agent") is not None:
            self.told = value["agent"]


def endpoint_agent(
    url: str, models: Models, *, model: str | None, session: str, call_timeout: float = CALL_SECONDS
) -> EndpointAgent:
    """The agent at `url`, with or without `/chat/completions` at its end. Connects to nothing yet."""
    base = url.rstrip("/").removesuffix(_PATH)
    if not _is_address(base):
        raise UsageError("What stands after --agent is no address of an agent: it is written as http://host/v1.")
    if "@" in urlsplit(base).netloc:
        what = "An agent's address stands in the room's files: it may hold no login."
        raise UsageError(what, hint=f"leave out what stands before the @, and set {KEY} to the key of this address")
    key = os.environ.get(KEY, "").strip() or clients.NO_KEY
    if key != clients.NO_KEY:
        quote.hide(key)
    client = clients.openai_client(base, key)
    models.keep(client)
    shown = without_secrets(base)
    host = urlsplit(shown).netloc
    caller = Caller(host, gate=Gate(1, stop=models.stop), attempts=1, address=shown)
    asked = model or MODEL
    known = replace(info(f"openai:{asked}"), name=shown)
    endpoint = _Endpoint(known, asked, client, caller, extra_body=lambda _: {"user": session} if session else {})
    return EndpointAgent(MODEL, shown, endpoint, call_timeout=call_timeout)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:  # half an IPv6 address, a port that is no number
        return False


def _hint(error: CallFailed | NoModel) -> str | None:
    """What would help: a key for an address has a variable of its own."""
    return f"set {KEY} to the key of this address" if isinstance(error, NoModel) else error.hint
