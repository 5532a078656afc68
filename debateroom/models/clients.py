"""The SDKs' clients, made so that nothing but what we pass reaches a request. Used on the main thread only."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from debateroom.files import dumps

if TYPE_CHECKING:
    from ssl import SSLContext

    from anthropic import Anthropic
    from httpx2 import Client, Response, Timeout
    from openai import OpenAI

NO_KEY = "none"
"""Sent where a server wants a key in form only: the SDK refuses to send nothing."""

CONNECT_SECONDS = 10.0
IDLE_SECONDS = 30.0
"""A connection is kept this long between two rounds."""
MOST_CONNECTIONS = 1_000
"""Through a proxy. More than any room makes calls at once, so that none waits in the pool, unseen by its clock."""

_AMBIENT = (
    "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_LOG", "ANTHROPIC_PROFILE",
    "OPENAI_ADMIN_KEY", "OPENAI_CUSTOM_HEADERS", "OPENAI_LOG",
)  # fmt: skip
"""What the SDKs read by themselves: other credentials, headers of anyone's choice, and logs that show prompts."""
_ACCOUNT = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
"""Which of a user's accounts pays: said to OpenAI, and to nobody else that speaks its API."""


def anthropic_client(url: str, key: str) -> Anthropic:
    """A client for Anthropic's API at `url`. It retries nothing; retries live in one place."""
    with _without_ambient():
        from anthropic import Anthropic

        return Anthropic(
            api_key=key,
            auth_token=None,
            base_url=url,
            max_retries=0,
            open_telemetry=False,
            http_client=_http(url),
        )


def openai_client(url: str, key: str = NO_KEY) -> OpenAI:
    """A client for OpenAI's API, or one that is spoken alike, at `url`. It retries nothing."""
    with _without_ambient(() if urlsplit(url).hostname == "api.openai.com" else _ACCOUNT):
        from openai import OpenAI

        return OpenAI(api_key=key, base_url=url, max_retries=0, http_client=_http(url))


def post(client: Anthropic | OpenAI, path: str, body: Mapping[str, Any], seconds: float) -> Response:
    """The vendor's answer to one call, its body still to be read. Raises the SDK's errors.

    The SDK's own reading of a stream would cost several times the CPU, which hundreds of seats would feel; so would
    its writing of a long prompt.
    """
    from httpx2 import Response

    options: Any = {"timeout": _timeout(seconds)}
    given: Any = {"stream": True, "stream_cls": object}  # the class is not used where the answer itself is asked for
    return client.post(path, cast_to=Response, content=dumps(body), options=options, **given)  # type: ignore[no-any-return]


def get(client: Anthropic | OpenAI, path: str, seconds: float) -> Response:
    """The vendor's answer to a look-up, its body still to be read. Raises the SDK's errors."""
    from httpx2 import Response

    options: Any = {"timeout": _timeout(seconds)}
    given: Any = {"stream": True, "stream_cls": object}
    return client.get(path, cast_to=Response, options=options, **given)  # type: ignore[no-any-return]


def _timeout(seconds: float) -> Timeout:
    """Every wait on the network ends with the call's time; connecting ends sooner."""
    from httpx2 import Timeout

    return Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


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
    """The connections under a client. A proxy from the environment is used for the web, never for this machine."""
    from httpx2 import Client, Limits, Timeout

    from debateroom.models.connections import Connections

    local = is_loopback(url)
    timeout = Timeout(60.0, connect=CONNECT_SECONDS)
    if not local and getproxies():
        # a proxy is a transport of its own, which httpx2 sets up only when it is given none
        limits = Limits(
            max_connections=MOST_CONNECTIONS,
            max_keepalive_connections=MOST_CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
        )
        return Client(follow_redirects=True, timeout=timeout, limits=limits)
    connections = Connections(context=_authorities(not local), idle_seconds=IDLE_SECONDS)
    return Client(follow_redirects=True, trust_env=not local, timeout=timeout, transport=connections)


@cache
def _authorities(trust_env: bool) -> SSLContext:
    """Whom connections trust. Read once for all clients: it takes longer than all else about making one."""
    from httpx2 import create_ssl_context

    return create_ssl_context(trust_env=trust_env)


@contextmanager
def _without_ambient(more: tuple[str, ...] = ()) -> Iterator[None]:
    """Hides what the SDKs would take from the environment while they are imported and a client is made.

    There is no argument that stops them. Nothing else of ours reads these variables.
    """
    hidden = {name: os.environ.pop(name) for name in (*_AMBIENT, *more) if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)
