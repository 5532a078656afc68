"""Pieces of a `chat.json` of any origin: what can be read becomes values, what cannot becomes a note in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from debateroom import templates
from debateroom.messages import Citation, Entry, Failure, Kind, Round, Seat, Usage
from debateroom.reading.reply import read_reply

_ROUND_KEY = re.compile(r"rounds?_?r?(\d+)", re.IGNORECASE)
_REPLIES = ("entries", "replies", "responses", "messages")
_SPEAKER = ("agent", "name", "speaker")
_GRAVE = {
    "agents",
    "agent",
    "twice",
    "unlisted",
    "rounds",
    "round",
    "numbers",
    "number",
    "entry",
    "nameless",
    "failure",
}
_TEXT = ("response", "reply", "content", "text", "message")


@dataclass(slots=True)
class Notes:
    """What could not be read, one sentence each, in the language of the transcript."""

    language: str
    said: list[str] = field(default_factory=list)
    grave: list[str] = field(default_factory=list)
    """Those of them after which it is not known who said what in which round."""

    @property
    def unnamed(self) -> str:
        """What a reply without a name is called."""
        return str(self._words["unnamed"])

    @property
    def _words(self) -> Mapping[str, Any]:
        return templates.data(f"labels/report.{self.language}.toml")

    def add(self, key: str, /, **values: object) -> None:
        """Adds sentence `key` of the report's words, once."""
        sentence = self._words["notes"][key].format(**values)
        if sentence not in self.said:
            self.said.append(sentence)
            if key in _GRAVE:
                self.grave.append(sentence)


def as_text(value: object) -> str:
    """`value` as text: text stays, None and missing are empty, objects and lists become indented JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def as_number(value: object) -> float | None:
    """A number from 0 to 10¹⁵ (more is damage, not money, time or tokens), or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1e15 else None


def as_count(value: object) -> int | None:
    """A whole number from 0 to 10¹⁵, or None."""
    number = as_number(value)
    return int(number) if number is not None and number == int(number) else None


def as_usage(value: object) -> Usage:
    """Tokens from an object with `input, cached, written, output`; what is missing counts 0."""
    if not isinstance(value, Mapping):
        return Usage()
    return Usage(*(as_count(value.get(key)) or 0 for key in ("input", "cached", "written", "output")))


def seats(value: object, notes: Notes) -> tuple[Seat, ...]:
    """The seats of `agents`: a list of objects or names, or an object from names to roles."""
    if isinstance(value, Mapping):
        items: Sequence[object] = [
            {"name": name, **(about if isinstance(about, Mapping) else {"role": as_text(about)})}
            for name, about in value.items()
        ]
    elif isinstance(value, list):
        items = value
    else:
        if value is not None:
            notes.add("agents")
        return ()
    found: list[Seat] = []
    for number, item in enumerate(items, 1):
        about = {"name": item} if isinstance(item, str) else item
        name = about.get("name", about.get("agent")) if isinstance(about, Mapping) else None
        if not isinstance(about, Mapping) or not isinstance(name, str) or not name.strip():
            notes.add("agent", n=number)
            continue
        if any(seat.name == name for seat in found):
            notes.add("twice", name=name)
        found.append(Seat(name, *(as_text(about.get(key)) for key in ("role", "framing", "model", "vendor"))))
    return tuple(found)


def rounds(value: Mapping[str, Any], *, own: bool, problem: str, notes: Notes) -> tuple[Round, ...]:
    """Every round under `rounds` and under keys such as `rounds_r2`, numbered as they say or, failing that, in order.

    In a file that debateroom did not write (`own` False), a reply without `confidence` or `endorses` has them read
    from its text.
    """
    parts = list(_round_parts(value, notes))
    stated = [part.number for part in parts]
    if any(number is None for number in stated) or sorted(set(stated), key=int) != stated:  # type: ignore[arg-type]
        if any(number is not None for number in stated):
            notes.add("numbers")
        stated = list(range(1, len(parts) + 1))
    return tuple(
        _round(part, number or position, own=own, problem=problem, notes=notes)
        for position, (part, number) in enumerate(zip(parts, stated, strict=True), 1)
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """One round as it stands in the file."""

    number: int | None
    replies: Sequence[object]
    about: Mapping[str, Any]


def _round_parts(value: Mapping[str, Any], notes: Notes) -> Iterator[_Part]:
    others = sorted(
        (key for key in value if isinstance(key, str) and key != "rounds" and _ROUND_KEY.fullmatch(key)),
        key=lambda key: int(_ROUND_KEY.fullmatch(key)[1]),  # type: ignore[index]
    )
    for key in ["rounds", *others]:
        under = value.get(key)
        if under is None:
            continue
        if key != "rounds":
            notes.add("other_rounds", key=key)
        match = _ROUND_KEY.fullmatch(key)
        yield from _parts_under(key, under, int(match[1]) if match else None, notes)


def _parts_under(key: str, under: object, number: int | None, notes: Notes) -> Iterator[_Part]:
    if isinstance(under, Mapping) and not _replies(under):  # {"1": …, "round_2": …}
        for name, item in under.items():
            digits = re.search(r"\d+", str(name))
            yield from _parts_under(key, item, int(digits[0]) if digits else None, notes)
        return
    if isinstance(under, Mapping):
        yield _part(under, number)
        return
    if not isinstance(under, list):
        notes.add("rounds", key=key)
        return
    if under and all(isinstance(item, Mapping) and _first(item, _SPEAKER) and not _replies(item) for item in under):
        yield _Part(number, under, {})  # replies without a round around them
        return
    for position, item in enumerate(under, 1):
        if isinstance(item, Mapping) and (_replies(item) or "failures" in item or "round" in item):
            if _replies(item) is None and not isinstance(item.get("failures"), list):
                notes.add("round", n=position, key=key)
            if item.get("round") is not None and not as_count(item["round"]):
                notes.add("number", value=json.dumps(item["round"], ensure_ascii=False, default=str))
            yield _part(item, None)
        elif isinstance(item, list):
            yield _Part(None, item, {})
        else:
            notes.add("round", n=position, key=key)


def _part(item: Mapping[str, Any], number: int | None) -> _Part:
    stated = as_count(item.get("round"))
    return _Part(stated if stated else number, _replies(item) or (), item)


def _replies(item: Mapping[str, Any]) -> list[object] | None:
    for key in _REPLIES:
        under = item.get(key)
        if isinstance(under, list):
            return under
        if isinstance(under, Mapping):  # {"Agent A": "…"}
            return [
                {**about, "agent": name} if isinstance(about, Mapping) else {"agent": name, "response": about}
                for name, about in under.items()
            ]
    return None


def _round(part: _Part, number: int, *, own: bool, problem: str, notes: Notes) -> Round:
    entries = []
    for position, item in enumerate(part.replies, 1):
        entry = _entry(item, number, position, own=own, problem=problem, notes=notes)
        if entry is not None:
            entries.append(entry)
    failures = []
    listed = part.about.get("failures")
    for item in listed if isinstance(listed, list) else []:
        name = item.get("agent") if isinstance(item, Mapping) else None
        if not isinstance(name, str):
            notes.add("failure", round=number)
            continue
        failures.append(Failure(name, as_text(item.get("role")), as_text(item.get("reason"))))
    moderation = part.about.get("moderation")
    judged = moderation if isinstance(moderation, Mapping) else None
    devil, attacks = (as_text(part.about.get(key)) or None for key in ("devil", "attacks"))
    return Round(number, tuple(entries), tuple(failures), judged, as_usage(part.about.get("usage")), devil, attacks)


def _names(value: object) -> tuple[str, ...]:
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list) else ()


def _citations(value: object) -> tuple[Citation, ...]:
    """What a reply cites, as we write it; anything else is left out."""
    listed = [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
    return tuple(
        Citation(each["text"], each["exists"])
        for each in listed
        if isinstance(each.get("text"), str) and isinstance(each.get("exists"), bool)
    )


def _entry(item: object, round_: int, position: int, *, own: bool, problem: str, notes: Notes) -> Entry | None:
    if not isinstance(item, Mapping):
        notes.add("entry", n=position, round=round_)
        return None
    name = _first(item, _SPEAKER)
    if not name:
        notes.add("nameless", n=position, round=round_)
    raw = next((item[key] for key in _TEXT if item.get(key) is not None), None)
    if raw is None:
        notes.add("response", name=name or notes.unnamed, round=round_)
    response = as_text(raw)
    confidence, endorses = _stated(item, name or notes.unnamed, round_, notes)
    if not own and not {"confidence", "endorses"} <= item.keys():
        kind: Kind = "opening" if round_ == 1 else "debate"
        reply = read_reply(
            response, kind=kind, language=notes.language, speaker=name or None, problem=problem or None
        )
        confidence = confidence if "confidence" in item else reply.confidence
        endorses = endorses if "endorses" in item else reply.endorses
    return Entry(
        agent=name,
        role=as_text(item.get("role")),
        response=response,
        confidence=confidence,
        endorses=endorses,
        model=as_text(item.get("model")),
        usage=as_usage(item.get("usage")),
        seconds=as_number(item.get("seconds")) or 0.0,
        finish=as_text(item.get("finish")) or "stop",
        repaired=item.get("repaired") is True,
        off_topic=item.get("off_topic") is True,
        history=as_text(item.get("history")) or "full",
        tools=_names(item.get("tools")),
        interrupted=_names(item.get("interrupted")),
        citations=_citations(item.get("citations")),
    )


def _stated(item: Mapping[str, Any], name: str, round_: int, notes: Notes) -> tuple[float | None, str | None]:
    """Confidence and endorsement as the file's own keys state them; a wrong type is noted and unknown."""
    confidence, endorses = item.get("confidence"), item.get("endorses")
    number = as_number(confidence)
    if confidence is not None and (number is None or not 1 <= number <= 10):
        notes.add(
            "confidence", name=name, round=round_, value=json.dumps(confidence, ensure_ascii=False, default=str)
        )
        number = None
    if endorses is not None and not isinstance(endorses, str):
        notes.add("endorses", name=name, round=round_)
        endorses = None
    return number, endorses or None


def _first(item: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((item[key] for key in keys if isinstance(item.get(key), str) and item[key].strip()), "")
