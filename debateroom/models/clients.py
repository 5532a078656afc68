"""The SDKs' clients, made so that nothing but what we pass reaches a request. Used on the main thread only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from anthropic import Anthropic
    from httpx2 import Client
    from openai import OpenAI

NO_KEY = "none"
"""Sent where a server wants a key in form only: the SDK refuses to send nothing."""

CONNECT_SECONDS = 10.0
IDLE_SECONDS = 30.0
"""A connection is kept this long between two rounds."""
MOST_CONNECTIONS = 1_000
"""More than the calls that any room makes at once, so that no call ever waits in the pool unseen by its clock."""

_AMBIENT = (
    "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_LOG", "ANTHROPIC_PROFILE",
    "OPENAI_ADMIN_KEY", "OPENAI_CUSTOM_HEADERS", "OPENAI_LOG", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
)  # fmt: skip
"""What the SDKs read by themselves: other credentials, headers of anyone's choice, and logs that show prompts."""


def anthropic_client(url: str, key: str) -> Anthropic:
    """A client for Anthropic's API at `url`. It retries nothing; retries live in one place."""
    with _without_ambient():
        from anthropic import Anthropic

        client = Anthropic(
            api_key=key,
            auth_token=None,
            base_url=url,
            max_retries=0,
            open_telemetry=False,
            http_client=_http(url),
        )
    _ = client.messages  # loaded here, on the main thread, rather than by every worker at once
    return client


def openai_client(url: str, key: str = NO_KEY) -> OpenAI:
    """A client for OpenAI's API, or one that is spoken alike, at `url`. It retries nothing."""
    with _without_ambient():
        from openai import OpenAI

        client = OpenAI(api_key=key, base_url=url, max_retries=0, http_client=_http(url))
    _ = client.chat.completions, client.responses  # loaded here, on the main thread
    return client


def is_loopback(url: str) -> bool:
    """Whether a URL points at this machine by name or address. Asks no DNS."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _http(url: str) -> Client:
    """The pool under a client. A proxy from the environment is used for the web, never for this machine."""
    from httpx2 import Client, Limits, Timeout

    return Client(
        http2=False,
        follow_redirects=True,
        trust_env=not is_loopback(url),
        timeout=Timeout(60.0, connect=CONNECT_SECONDS),
        limits=Limits(
            max_connections=MOST_CONNECTIONS,
            max_keepalive_connections=MOST_CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
        ),
    )


@contextmanager
def _without_ambient() -> Iterator[None]:
    """Hides what the SDKs would take from the environment while they are imported and a client is made.

    There is no argument that stops them. Nothing else of ours reads these variables.
    """
    hidden = {name: os.environ.pop(name) for name in _AMBIENT if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)
