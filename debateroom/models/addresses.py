"""Where the providers on the web are reached: at the vendor's endpoint, or at a server that somebody has named."""

from __future__ import annotations

import os
from urllib.parse import urlsplit, urlunsplit

from debateroom.errors import UsageError
from debateroom.models import catalog
from debateroom.models.clients import is_loopback
from debateroom.terminal import quoted


def address(provider: str, given: str | None = None) -> str:
    """Where `anthropic` or `openai` is reached: `given`, else what the environment names, else the vendor's endpoint.

    Raises UsageError for what is no web address.
    """
    return _checked(given or _from_environment(provider) or catalog.provider(provider).url)


def is_own_endpoint(provider: str, url: str) -> bool:
    """Whether `url` is the vendor's own endpoint, where a key is needed."""
    return url == catalog.provider(provider).url


def asks_for_no_key(provider: str, url: str) -> bool:
    """Whether `url` is a server of one's own, like Ollama or llama.cpp, which asks for no key."""
    return provider == "openai" and not is_own_endpoint(provider, url)


def without_secrets(url: str) -> str:
    """An address with nothing that could let anybody in, to be shown or kept: without login, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def kept(provider: str, noted: str, given: str | None = None) -> str:
    """The address that was `noted` earlier without its secrets, as it is reached from here.

    The one in force, login and all, when it is the same one. Raises UsageError, whose hint is the variable to set,
    for a foreign server that nobody has named here: a key would be sent to wherever a file says.
    """
    now = address(provider, given)
    if without_secrets(now) == noted:
        return now
    if is_own_endpoint(provider, _checked(noted)) or is_loopback(noted):
        return noted
    raise UsageError(
        f"this room was started with {provider} at {noted}, and here {provider} is at {without_secrets(now)}; "
        f"your key is sent to another server only when you name it",
        hint=f"{catalog.provider(provider).url_variables[0]}={quoted(noted)}",
    )


def _from_environment(provider: str) -> str | None:
    names = catalog.provider(provider).url_variables
    return next((os.environ[name].strip() for name in names if os.environ.get(name, "").strip()), None)


def _checked(url: str) -> str:
    """The address without a slash at its end. Raises UsageError for what is no web address."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # a port that is no number, a bracket that is not closed
        whole = False
    if not whole:
        shown = url.rpartition("@")[2].partition("?")[0]  # a login may stand in it all the same
        raise UsageError(f"{shown!r} is not the address of a server: it starts with http:// or https://.")
    return url.rstrip("/")
