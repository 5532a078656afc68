"""What a provider said, made safe to show: one line, not long, and nothing in it that looks like a key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_LONGEST = 240
_SHORTEST_KEY = 8
"""Letters from which a key is one: servers of one's own take any word, and a short one also stands in sentences."""
_IN_USE: set[str] = set()
"""Keys of this process. What they look like cannot be relied on."""
_SECRETS = (
    re.compile(r"\b(?:sk|pk|rk|sess|xai)-[\w*.-]{4,}|\b(?:gsk|hf)_\w{8,}|\bAIza[\w-]{10,}"),
    re.compile(r"(?i)\b(bearer)\s+[^\s'\",}]+"),
    re.compile(
        r"(?i)\b(x-api-key|api[-_]?key|authorization|token)(['\"]?\s*[:=]\s*(?!b?['\"]?bearer)b?['\"]?)[^\s'\",}]+"
    ),
)


def hide(key: str) -> None:
    """Remembers a key that is in use, so that nothing that is shown quotes it, whatever it looks like."""
    if len(key) >= _SHORTEST_KEY:
        _IN_USE.add(key)


def without_keys(value: Any) -> Any:
    """A JSON value in whose texts every key in use is replaced by `[key]`: a file that was given may hold one."""
    if isinstance(value, str):
        for key in sorted(_IN_USE, key=len, reverse=True):
            value = value.replace(key, "[key]")
        return value
    if isinstance(value, Mapping):
        return {name: without_keys(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_keys(item) for item in value]
    return value


def scrub(text: str) -> str:
    """`text` with keys in use, and all that looks like a key or an authorization header, replaced by `[key]`."""
    text = without_keys(text)
    text = _SECRETS[0].sub("[key]", text)
    text = _SECRETS[1].sub(r"\1 [key]", text)
    return _SECRETS[2].sub(r"\1\2[key]", text)


def safe_line(said: object) -> str:
    """What a provider said, safe to show: one line, no control characters, no keys, not long, no web page."""
    text = re.sub(r"\s+", " ", str(said or "")).strip()
    text = scrub("".join(letter for letter in text if letter.isprintable()))
    if text.startswith("<"):
        return ""
    return text if len(text) <= _LONGEST else text[:_LONGEST].rstrip() + " …"
