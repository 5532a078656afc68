"""What a simulated customer wrote, read: its words, and the token with which it ends the conversation. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from debateroom.evaluation.trial import Token

_TOKENS: dict[str, Token] = {"STOP": "stop", "TRANSFER": "transfer", "OUTOFSCOPE": "out_of_scope"}
_TOKEN = re.compile(
    r"[#＃]{2,4}[ \t]*(STOP|TRANSFER|OUT[-_ ‑]?OF[-_ ‑]?SCOPE)(?:[ \t]*[#＃]{2,4}|(?=[ \t]*$))",
    re.IGNORECASE | re.MULTILINE,
)
"""The marks behind it may be missing where nothing else stands on its line."""
_SEPARATOR = re.compile(r"[-_ ‑]")


class Reply(NamedTuple):
    """One message of a customer."""

    text: str
    """What the agent sees: without tokens."""
    token: Token | None
    """How it ends the conversation, the first token counts; None when it goes on."""


def read_reply(written: str) -> Reply:
    """The words and the token in what a customer wrote.

    >>> read_reply("Thanks, that is all. ###STOP###")
    Reply(text='Thanks, that is all.', token='stop')
    """
    found = _TOKEN.search(written)
    token = _TOKENS[_SEPARATOR.sub("", found[1].upper())] if found else None
    return Reply(_TOKEN.sub(" ", written).strip() if found else written.strip(), token)
