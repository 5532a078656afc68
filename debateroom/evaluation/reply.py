"""What a simulated customer wrote, read: its words, and the token with which it ends the conversation. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from debateroom.evaluation.trial import Token
from debateroom.reading.clean import visible
from debateroom.reading.thinking import after_thought, without_thinking
from debateroom.reading.triggers import Trigger, read_trigger

_MARK = "###"


_TOKEN = re.compile(r"[#＃]{3}\s?(?:STOP|TRANSFER|OUT[- ]OF[- ]SCOPE)", re.IGNORECASE)
_TOLD = re.compile(r"\b(?:wrote|said|sent|typed|write|say|écrit|dit|envoyé)\W*$|[写说发]了?\W*$", re.IGNORECASE)
"""Before a token that is somebody's word."""


class Reply(NamedTuple):
    """One message of a customer."""

    text: str
    """What the agent sees: without tokens."""
    token: Token | None
    """How it ends the conversation, the first token counts; None when it goes on."""


def read_reply(written: str, heard: Sequence[str] = ()) -> Reply:
    """The words and the token in what a customer wrote; a token that is quoted or only spoken of is none.

    One at the very end counts without the marks behind it, which small models leave out. Where the agent wrote it
    before, among what was `heard`, it may be the agent's: it counts at the end of a line, not as what *you wrote*.

    >>> read_reply("Thanks, that is all. ###STOP###")
    Reply(text='Thanks, that is all.', token='stop')
    >>> read_reply("Your form says “###STOP###”, what is that?").token
    """
    found = _read(written)
    if found.problem is not None:  # the token at the end is cut off
        found = _read(written.rstrip().rstrip("#＃") + _MARK)
    ended = found.kind not in ("none", "malformed")
    if ended and any(_TOKEN.search(text) for text in heard) and not any(map(_is_own, written.splitlines())):
        return Reply(after_thought(without_thinking(visible(written).text)).strip(), None)
    return Reply(found.visible_text.strip(), cast(Token, found.kind) if ended else None)


def _is_own(line: str) -> bool:
    """Whether the line ends with a token that nobody is said to have written."""
    tokens = list(_TOKEN.finditer(line))
    return bool(tokens) and not (
        line[tokens[-1].end() :].strip("#＃ .!。！*_`") or _TOLD.search(line[: tokens[-1].start()])
    )


def _read(written: str) -> Trigger:
    return read_trigger(written, protocol="stop_tokens", speaker="simulator")
