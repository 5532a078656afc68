"""Both SDKs as debateroom uses them, pointed at the server: no retries of their own, no proxy, connections closed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

import anthropic
import openai


class Addresses(Protocol):
    """A server here or in a process of its own."""

    url: str

    @property
    def openai_url(self) -> str: ...


class Clients(NamedTuple):
    anthropic: anthropic.Anthropic
    openai: openai.OpenAI


@contextmanager
def clients(server: Addresses, key: str = "sk-test", timeout: float = 30.0) -> Iterator[Clients]:
    """Open clients of both SDKs; `timeout` is in seconds and, as always with them, per read.

    They speak plain HTTP, so no authorities are loaded, which would take longer than most calls.
    """
    with (
        anthropic.Anthropic(
            api_key=key,
            base_url=server.url,
            max_retries=0,
            timeout=timeout,
            http_client=anthropic.DefaultHttpxClient(trust_env=False, verify=False),
        ) as one,
        openai.OpenAI(
            api_key=key,
            base_url=server.openai_url,
            max_retries=0,
            timeout=timeout,
            http_client=openai.DefaultHttpxClient(trust_env=False, verify=False),
        ) as two,
    ):
        yield Clients(one, two)
