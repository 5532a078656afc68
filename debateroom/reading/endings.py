"""The tokens that end a talk: how each protocol writes them, and where they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["stop", "transfer", "out_of_scope", "done", "worker_complete", "none", "malformed"]
ProtocolName = Literal["stop_tokens", "done", "worker"]

_QUOTES = "\"'`“”«»‘’「」『』"
_AROUND = rf"[*_{_QUOTES}]{{0,4}}"
_HASHES = r"(?:\\?[#＃]){3,8}"
_HASHES_END = r"(?:(?:\\?[#＃]){4,8}(?![\w#＃])|(?:\\?[#＃]){3})"
_LINK = r"(?!\([^{\s])"
"""`[done](page)` is a link."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """How one party says that the talk is over."""

    pattern: re.Pattern[str]
    """The token in every spelling that is read: case, spaces, escapes and full width do not matter."""
    kinds: Mapping[str, Kind]
    """What each token means, by its word in capitals."""
    written: str
    """The token as prompts ask for it, when a JSON object follows it; else empty."""
    key: str = ""
    """The field of that object without which there is no verdict."""


class Token(NamedTuple):
    """A token in a text."""

    kind: Kind
    start: int
    """Where it starts, with quotation and emphasis marks that stand on both sides of it."""
    end: int
    core: int
    """Where it starts without them."""
    quoted: bool
    """The marks around it are quotation marks or back-ticks."""
    exact: bool
    """It is spelled as prompts ask for it."""


def _pattern(core: str) -> re.Pattern[str]:
    return re.compile(rf"(?P<left>{_AROUND})(?P<core>{core})(?P<right>{_AROUND})", re.IGNORECASE)


def _bracketed(word: str) -> str:
    return rf"\\?[\[［【][ \t*_]{{0,3}}(?P<word>{word})[ \t*_]{{0,3}}\\?[\]］】]{_LINK}"


_WORD = r"STOP|TRANSFER|OUT[ _‐‑–—−-]?OF[ _‐‑–—−-]?SCOPE"
PROTOCOLS: Mapping[ProtocolName, Protocol] = {
    "stop_tokens": Protocol(
        _pattern(rf"{_HASHES}[ \t*_`]{{0,3}}(?P<word>{_WORD})[ \t*_`]{{0,3}}{_HASHES_END}"),
        {"STOP": "stop", "TRANSFER": "transfer", "OUTOFSCOPE": "out_of_scope"},
        "",
    ),
    "done": Protocol(_pattern(_bracketed("DONE")), {"DONE": "done"}, "[DONE]", "success"),
    "worker": Protocol(
        _pattern(_bracketed(r"WORKER\\?[ _‐-]?COMPLETED?")),
        {"WORKERCOMPLETE": "worker_complete", "WORKERCOMPLETED": "worker_complete"},
        "[WORKER_COMPLETE]",
        "deliverable",
    ),
}

OWNERS = frozenset({"simulator", "simple-simulator", "customer", "user", "worker", "worker-agent"})
"""Speakers whose tokens count. Anybody else is an agent under test: what it writes ends nothing."""


def tokens(text: str, protocol: Protocol) -> Iterator[Token]:
    """The tokens of `protocol` in `text`, in order."""
    return (_token(match, protocol) for match in protocol.pattern.finditer(text))


def next_token(text: str, at: int, protocol: Protocol) -> Token | None:
    """The first token at `at` or behind it; None without one."""
    match = protocol.pattern.search(text, at)
    return _token(match, protocol) if match else None


def _token(match: re.Match[str], protocol: Protocol) -> Token:
    around = match["left"] and match["right"]
    start, end = match.span() if around else match.span("core")
    quoted = bool(around) and match["left"][-1] in _QUOTES and match["right"][0] in _QUOTES
    word = re.sub(r"[^A-Z]", "", match["word"].upper())
    return Token(
        protocol.kinds[word], start, end, match.start("core"), quoted, exact=match["core"] == protocol.written
    )
