"""How a talk ends: the token, and the verdict behind it, in what a simulator or a worker wrote.

`read_trigger` never raises on a text, executes nothing, and makes no verdict up: what cannot be read is `malformed`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from debateroom.errors import UsageError
from debateroom.reading.clean import visible
from debateroom.reading.endings import OWNERS, PROTOCOLS, Kind, Protocol, ProtocolName, Token, tokens
from debateroom.reading.folding import Behind, Folded, behind, fold
from debateroom.reading.mentions import around, blocks, mentioned
from debateroom.reading.objects import find_object, flaw, object_at
from debateroom.reading.thinking import after_thought, without_thinking
from debateroom.reading.unwrap import block_quote
from debateroom.reading.verdicts import read_verdict

_MOST = 200
"""Tokens that are looked at: a message that means it has one."""
_EMPTIED = re.compile(
    r"^[ \t]{0,12}(?P<mark>`{3,8}|~{3,8})(?![`~])[\w+-]{0,30}\s*(?P=mark)[ \t]*$"
    r"|<(?P<name>[A-Za-z][\w-]{0,40})>\s*</(?P=name)>",
    re.MULTILINE,
)
"""A fence or an element that holds nothing any more."""
_OPENED = re.compile(r"`{3,8}|~{3,8}")
_CLOSED = re.compile(r"\s*(?:`{3,8}|~{3,8})")
_QUOTED_WHOLE = {'"': '"', "“": "”", "«": "»", "「": "」", "『": "』"}
_BEFORE_OBJECT = re.compile(r"\W*(?:DONE|WORKER.?COMPLETED?)?\W*", re.IGNORECASE)
"""What may stand before a verdict on its line when its token is missing or misspelt."""
_CUT_OFF = re.compile(r"[#＃]{3}(?:STOP|TRANSFER|OUT-OF-SCOPE)[#＃]{0,2}\s*\Z")


@dataclass(frozen=True, slots=True)
class Trigger:
    """How a message ends the talk, or that it does not."""

    kind: Kind
    """`stop`, `transfer`, `out_of_scope`, `done`, `worker_complete`; `none`: the talk goes on; `malformed`: it was
    meant to end, and how cannot be read."""
    value: dict[str, Any] | None
    """The JSON object of `done` and `worker_complete`, its fields of the right types; else None."""
    visible_text: str
    """What was said beside it: without token, verdict and thinking. Of a broken verdict nothing is left out."""
    problem: str | None
    """What to ask a repair for, in words that follow *your last message could not be used:*; None when all is well.
    `none` has one too, when a verdict stands there without its token or a token is cut off."""


def read_trigger(text: str | None, *, protocol: ProtocolName, speaker: str | None = None) -> Trigger:
    """The trigger in `text`, which `speaker` wrote: None or one of OWNERS; anybody else's text ends nothing.

    A token that is quoted, refused or described is none. Never raises on any text; raises UsageError for an unknown
    `protocol`.
    """
    if protocol not in PROTOCOLS:
        raise UsageError(f"no protocol is called {protocol!r}: there are {', '.join(PROTOCOLS)}")
    written = visible(text or "").text
    if speaker is not None and speaker.casefold() not in OWNERS:
        return Trigger("none", None, written, None)
    rules = PROTOCOLS[protocol]
    folded = fold(written, rules)
    said = _said(folded.text)
    used = _used(said, folded, rules)
    if not used:
        return Trigger("none", None, folded.unfolded(said), _unmarked(said, rules))
    ending = _ending(used, said, folded, rules)
    return Trigger(ending.kind, ending.value, folded.unfolded(_without(said, used)), ending.problem)


class Use(NamedTuple):
    """A token that is meant, and what stands behind it."""

    token: Token
    verdict: Behind


class Ending(NamedTuple):
    """What the tokens that are meant come to."""

    kind: Kind
    value: dict[str, Any] | None = None
    problem: str | None = None


def _said(text: str) -> str:
    """What of `text` is said aloud, out of the quotation, fence or block quote that holds all of it."""
    text = after_thought(without_thinking(text)).strip()
    text = block_quote(text) or text
    fenced = blocks(text)
    if len(fenced) == 1 and fenced[0].outer_start == 0 and fenced[0].outer_end == len(text):
        text = text[fenced[0].start : fenced[0].end].strip()
    closing = _QUOTED_WHOLE.get(text[:1])
    if closing and len(text) > 2 and text.endswith(closing) and closing not in text[1:-1]:
        text = text[1:-1].strip()
    return text


def _used(text: str, folded: Folded, rules: Protocol) -> list[Use]:
    """The tokens in `text`, which is what is said of `folded`, that are meant, in order."""
    fenced = blocks(text)
    uses = (Use(token, behind(text, token, rules)) for token in islice(tokens(text, rules), _MOST))
    return [use for use in uses if _counts(text, use, folded, rules) and not mentioned(text, *use, fenced)]


def _counts(text: str, use: Use, folded: Folded, rules: Protocol) -> bool:
    """Whether the token has what its protocol wants: an object behind it, or at least its own exact spelling
    and a place where a message ends."""
    if not rules.written or use.verdict.tight:
        return True
    if any(rules.key in folded.objects[number].value for number in use.verdict.objects):
        return True
    line = around(text, *use)
    return use.token.exact and (line.starts or line.ends)


def _ending(used: Sequence[Use], text: str, folded: Folded, rules: Protocol) -> Ending:
    """The first token of those that need no object; else the one verdict behind the tokens."""
    kind = used[0].token.kind
    if not rules.written:
        return Ending(kind)
    for token, verdict in used:
        if verdict.broken:
            return Ending("malformed", problem=_unreadable(text, verdict.start, rules.written, token))
    values = [folded.objects[number].value for _, verdict in used for number in verdict.objects]
    if not values:
        return Ending("malformed", problem=f"behind {rules.written} there is no JSON object")
    if any(value != values[0] for value in values):
        return Ending("malformed", problem=f"it has several verdicts behind {rules.written}, and they differ")
    read = read_verdict(kind, values[0])
    if read.value is None:
        return Ending("malformed", problem=f"in the JSON behind {rules.written}, {read.problem}")
    return Ending(kind, read.value)


def _unreadable(text: str, start: int, written: str, token: Token) -> str:
    if text[token.end : start].rstrip().endswith("["):
        return f"behind {written} stands a list, and not one JSON object"
    found = object_at(text, start)
    if found and found.cut:
        return f"the JSON behind {written} is cut off before its end"
    reason = flaw(text, start)
    return f"the JSON behind {written} cannot be read: {reason}" if reason else f"the JSON behind {written} is empty"


def _unmarked(text: str, rules: Protocol) -> str | None:
    """The problem of a text without a trigger: a verdict without its token, or half a token at the end."""
    if not rules.written:
        return "the token at its end is cut off" if _CUT_OFF.search(text) else None
    found = find_object(text) if rules.key in text else None
    if found is None or not isinstance(found.value, dict) or rules.key not in found.value:
        return None
    line = text.rfind("\n", 0, found.start) + 1
    own = _BEFORE_OBJECT.fullmatch(text, line, found.start)
    return f"its JSON object stands without {rules.written} before it" if own else None


def _without(text: str, used: Sequence[Use]) -> str:
    """`text` without the tokens, and the objects behind them, that are meant."""
    pieces: list[str] = []
    at = 0
    for token, verdict in used:
        pieces.append(text[at : token.start])
        at = token.end
        if verdict.objects:
            gap = text[token.end : verdict.start]
            closing = _CLOSED.match(text, verdict.end) if _OPENED.search(gap) else None
            pieces.append("" if verdict.tight else gap)
            at = closing.end() if closing and verdict.tight else verdict.end
    pieces.append(text[at:])
    return _EMPTIED.sub("", _joined(pieces)).strip()


def _joined(pieces: Sequence[str]) -> str:
    """The pieces with one space where something was taken out between two; a line break is kept."""
    joined: list[str] = []
    for piece in pieces:
        words = piece.strip(" \t")
        if words and joined and not joined[-1].endswith("\n") and not words.startswith("\n"):
            joined.append(" ")
        joined += [words] if words else []
    return "".join(joined)
