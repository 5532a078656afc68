"""A seat's reply as values: its sections, how sure it is, whom it endorses, and what had to be mended to see that.

`read_reply` never raises on a text and never makes a value up: what cannot be read is absent or None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from debateroom.language import SECTIONS
from debateroom.messages import Kind
from debateroom.reading.clean import Cleaned, clean
from debateroom.reading.confidence import Confidence, read_confidence
from debateroom.reading.endorsement import read_endorsement
from debateroom.reading.mind import changed_mind
from debateroom.reading.record import find_record, texts_of_objects
from debateroom.reading.seats import as_seat
from debateroom.reading.sections import Parts, Section, is_foreign, split, without_half_label
from debateroom.reading.thinking import without_thinking
from debateroom.reading.topic import is_error_text, is_page, is_remark, strays
from debateroom.reading.unwrap import unwrap
from debateroom.reading.vocabulary import Name, asked

REPAIRS = (
    "characters",
    "line_endings",
    "escapes",
    "thinking",
    "quote",
    "fence",
    "json",
    "json_syntax",
    "preamble",
    "trailing",
    "others",
    "markup",
    "case",
    "spelling",
    "synonym",
    "language",
    "separator",
    "glued",
    "order",
    "repeated",
    "placeholder",
    "cut",
    "scale",
    "range",
    "change",
    "words",
    "prose",
    "out_of_range",
    "unreadable",
    "contradiction",
)
"""Every kind of damage, in the order in which it is mended.

The text: `characters` (invisible, control or broken ones), `line_endings`, `escapes` (written-out `\\n`), `thinking`
(left out, as are leaked channels and stop tokens), `quote`, `fence`, `json` (the whole reply was one),
`json_syntax` (the object had to be mended).
Around the answer: `preamble`, `trailing` (talk to the reader), `others` (another seat's words, left out).
The labels: `markup` (bold, list, heading, table, tag), `case`, `spelling`, `synonym`, `language` (not the room's),
`separator` (no colon), `glued` (in mid-line), `order`, `repeated`, `placeholder` (the format's own text, left out).
The end: `cut` (by the token limit).
The confidence: `scale` (converted from the one stated), `range` (its low end), `change` (where it ends), `words`
(not in digits), `prose` (text around it); and unknown because `out_of_range`, `unreadable`, or in `contradiction`.
"""

LONGEST = 200_000
"""Characters of a reply that are read: many times what a seat may write; the rest is hostile or a mistake."""
_STATEMENTS = 10
"""Different texts under one label that are looked at; more contradict one another anyway."""
_CUT = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "incomplete", "content_length"}
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a seat wrote, as far as it could be read."""

    sections: Mapping[str, str] = field(default_factory=dict)
    """Text by section, keyed as in `debateroom.language.SECTIONS`; an absent section is absent."""
    confidence: float | None = None
    """1–10; None is unknown."""
    endorses: str | None = None
    """`Agent X`; None when not said, or not plainly."""
    repairs: tuple[str, ...] = ()
    """What had to be mended: words of REPAIRS, in its order."""
    truncated: bool = False
    """The token limit cut the reply off."""
    mind_changed: bool = False
    """The seat says in words that it changed its mind."""
    off_topic: bool = False
    """A suspicion, for the moderator: error text, nothing readable, or no content word shared with the problem."""
    further: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other texts under a label that comes again after other sections; `sections` holds the first."""


def read_reply(
    text: str | None,
    *,
    kind: Kind,
    language: str | None = None,
    speaker: str | None = None,
    problem: str | None = None,
    stop_reason: str | None = None,
) -> Reply:
    """The reply in `text`, written in a round of `kind` by `speaker` (`Agent A`) about `problem`.

    Labels are read in every language; `language` only decides whether that is worth a word in `repairs`.
    Never raises on any text; labels and values inside quotes, code and other seats' blocks are not the speaker's.
    """
    read = _read(text or "", kind, as_seat(speaker), (stop_reason or "").lower() in _CUT)
    reply = read.reply
    foreign = any(is_foreign(name, language) for name in read.names)
    repairs = {*reply.repairs, "language"} if foreign else reply.repairs
    return replace(
        reply,
        sections=dict(reply.sections),
        further=dict(reply.further),
        repairs=tuple(word for word in REPAIRS if word in repairs),
        off_topic=_off_topic(read.text, reply.sections, problem),
    )


class _Read(NamedTuple):
    """What a reply says, whatever was asked and in which language."""

    reply: Reply
    text: str
    """What of it is read."""
    names: tuple[Name, ...]
    """Its labels'."""


@lru_cache(maxsize=512)
def _read(text: str, kind: Kind, speaker: str | None, truncated: bool) -> _Read:
    """The reply in `text`. Kept: whether a round is an agreement, and its extract, ask again about every reply."""
    body = _prepared(text)
    parts = _parts(without_half_label(body.text) if truncated else body.text, kind, speaker)
    sections = _by_key(parts.sections, kind)
    confidence = _confidence(parts.sections, speaker)
    if truncated and confidence.value is not None and body.text.rstrip()[-1:].isdecimal():
        confidence = Confidence(None)  # the next token might have made 10 of 1, or 8 of 80
    reply = Reply(
        sections=sections,
        further=_further(parts.sections, sections),
        confidence=confidence.value,
        endorses=_endorses(parts.sections, speaker),
        repairs=(*body.repairs, *parts.repairs, *confidence.repairs, *(("cut",) if truncated else ())),
        truncated=truncated,
        mind_changed=changed_mind(parts.own),
    )
    return _Read(reply, body.text, parts.names)


def normalised(text: str) -> str:
    """What of `text` is read: without thinking, invisible characters and wrappings of the whole.

    Every section of a reply is a piece of it. A JSON object is followed by its values in plain text.
    """
    body = _prepared(text).text
    inside = texts_of_objects(body)
    return f"{body}\n\n{inside}" if inside else body


def _prepared(text: str) -> Cleaned:
    """`text` clean, without thinking and wrappings."""
    cleaned = clean(text[:LONGEST])
    repairs = list(cleaned.repairs)
    outside = without_thinking(cleaned.text)
    inside = unwrap(outside)
    # a fence or quote around everything also hides the thinking tags in it
    body = without_thinking(inside.text) if inside.repairs else inside.text
    if outside != cleaned.text or body != inside.text:
        repairs.append("thinking")
    return Cleaned(body, (*repairs, *inside.repairs))


def _parts(text: str, kind: Kind, speaker: str | None) -> Parts:
    """The reply's parts: from its labels, or from a JSON object when it is one or has no label."""
    is_object = text.lstrip().startswith(("{", "[{"))
    parts = Parts() if is_object else split(text, kind, speaker=speaker)
    if any(section.text for section in parts.sections):
        return parts
    record = find_record(text, speaker)
    if record is None:
        return split(text, kind, speaker=speaker) if is_object else parts
    if record.inner:
        parts = split(clean(record.inner).text, kind, speaker=speaker)
        parts.repairs |= set(record.repairs)
        return parts
    found = [Section(asked(field.name, kind).key, field.text, field.note) for field in record.fields]
    return Parts(found, record.text, set(record.repairs))


def _by_key(sections: Iterable[Section], kind: Kind) -> dict[str, str]:
    """The first text of each section, in the order of the format."""
    found: dict[str, str] = {}
    for section in sections:
        if section.text:
            found.setdefault(section.key, section.text)
    return {key: found[key] for key in (*SECTIONS[kind], *found) if key in found}


def _further(sections: Iterable[Section], first: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """What else is said under the labels of `first`, in order; ratings and endorsements are settled elsewhere."""
    found: dict[str, tuple[str, ...]] = {}
    for key, text, _ in sections:
        known = (first.get(key, ""), *found.get(key, ()))
        if text and text not in known and key not in ("confidence", "endorses"):
            found[key] = (*found.get(key, ()), text)
    return found


def _confidence(sections: Iterable[Section], speaker: str | None) -> Confidence:
    """The one value stated; unknown when two statements differ."""
    stated = {(each.text, each.note) for each in sections if each.key == "confidence" and (each.text or each.note)}
    if not stated:
        return Confidence(None)
    if len(stated) > _STATEMENTS:
        return Confidence(None, ("contradiction",))
    read = [read_confidence(text, note=note, speaker=speaker) for text, note in sorted(stated)]
    if len({each.value for each in read}) > 1:
        return Confidence(None, ("contradiction",))
    return read[0]


def _endorses(sections: Iterable[Section], speaker: str | None) -> str | None:
    """The one seat endorsed; None when two statements differ."""
    stated = {each.text for each in sections if each.key == "endorses" and each.text}
    if len(stated) > _STATEMENTS:
        return None
    named = {read_endorsement(text, speaker=speaker) for text in stated}
    return named.pop() if len(named) == 1 else None


def _off_topic(text: str, sections: Mapping[str, str], problem: str | None) -> bool:
    if is_page(text):
        return True
    answer = "\n".join(value for key, value in sections.items() if key not in ("confidence", "endorses"))
    if not answer:
        return not text.strip() or is_error_text(text) or is_remark(text, problem)
    return is_error_text(answer) or (bool(problem) and strays(answer, problem or ""))
