"""What a simulated customer wrote, read: its words, and the token with which it ends the conversation. Pure."""

from __future__ import annotations

from typing import NamedTuple, cast

from debateroom.evaluation.trial import Token
from debateroom.reading.triggers import Trigger, read_trigger

_MARK = "###"


class Reply(NamedTuple):
    """One message of a customer."""

    text: str
    """What the agent sees: without tokens."""
    token: Token | None
    """How it ends the conversation, the first token counts; None when it goes on."""


def read_reply(written: str) -> Reply:
    """The words and the token in what a customer wrote; a token that is quoted or only spoken of is none.

    One at the very end counts without the marks behind it, which small models leave out.

    >>> read_reply("Thanks, that is all. ###STOP###")
    Reply(text='Thanks, that is all.', token='stop')
    >>> read_reply("Your form says “###STOP###”, what is that?").token
    """
    found = _read(written)
    if found.problem is not None:  # the token at the end is cut off
        found = _read(written.rstrip().rstrip("#＃") + _MARK)
    ended = found.kind not in ("none", "malformed")
    return Reply(found.visible_text.strip(), cast(Token, found.kind) if ended else None)


def _read(written: str) -> Trigger:
    return read_trigger(written, protocol="stop_tokens", speaker="simulator")
