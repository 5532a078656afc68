"""Models whose two vendors are the stand-in server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from vendor import Answerer, Call, Said, VendorServer

from debateroom.messages import Answer, Request
from debateroom.models.keys import Keys
from debateroom.models.registry import Models, ModelSettings

KEY = "sk-known-secret-0042"
KEYS = Keys(Path("/nowhere/keys.toml"), environment={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY})


@contextmanager
def models(
    server: VendorServer, api: Literal["auto", "responses", "chat"] = "responses", **more: Any
) -> Iterator[Models]:
    """Models whose two vendors are the stand-in server."""
    settings = ModelSettings(anthropic_url=server.url, openai_url=server.openai_url, openai_api=api, **more)
    with Models(settings, keys=KEYS) as opened:
        yield opened


def ask(name: str, request: Request, reply: Said | Answerer = "POSITION: yes", **more: Any) -> tuple[Answer, Call]:
    """The answer to one request, and the call as the server saw it."""
    with VendorServer(reply) as server, models(server, **more) as opened:
        answer = opened.open(name).ask(request)
        (call,) = server.calls
    return answer, call
