"""A reply given as a JSON object: its fields as sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from debateroom.reading.clean import clean
from debateroom.reading.objects import Found, as_text, find_object, pairs_of
from debateroom.reading.rating import rating_text
from debateroom.reading.seats import heading, letters
from debateroom.reading.vocabulary import Name, name_of

_WRAPPERS_DEEP = 3
_INNER = frozenset({"response", "reply", "answer", "text", "content", "message", "output"})
_NOTE = re.compile(r"\s*[(（\[](?P<note>[^()（）\[\]\n]{0,60})[)）\]]\s*:?\s*$")
"""`Confidence (1-10)`: what stands in brackets behind the name of a field."""
_WHO = frozenset({"agent", "name", "speaker", "seat", "from", "author"})


class Field(NamedTuple):
    """One field of an object that is a section of a reply."""

    name: Name
    text: str
    """Its value in plain text, clean."""
    note: str = ""
    """What stands in brackets behind its name: `1-10`."""


class Record(NamedTuple):
    """Fields of an object that are sections of a reply."""

    fields: tuple[Field, ...]
    repairs: tuple[str, ...]
    inner: str = ""
    """The whole reply with its labels, when one field holds it: `{"response": "AGREEMENTS: …"}`."""

    @property
    def text(self) -> str:
        """The values in plain text, as `key: value` blocks; or the inner reply."""
        return self.inner or _shown(self.fields)


def find_record(text: str, speaker: str | None) -> Record | None:
    """The object in `text` that holds a reply's sections; None when there is none, or it is another seat's."""
    found = find_object(text)
    if found is None or _introduced_as_others(text, found, speaker):
        return None
    value = _own(found.value, speaker)
    if value is None:
        return None
    fields = _fields(value)
    repairs = ["json", "json_syntax"] if found.mended else ["json"]
    if len({field.name.key for field in fields}) < len(fields):
        repairs.append("repeated")
    inner = [each for key, each in value.items() if str(key).lower() in _INNER and isinstance(each, str)]
    if not fields and len(inner) == 1:
        return Record((), tuple(repairs), inner[0])
    if len(fields) < 2 and not (fields and len(fields) == len(value)):
        return None
    return Record(fields, tuple(repairs))


def texts_of_objects(text: str) -> str:
    """The values of the object in `text`, or of each object of its list, in plain text; whoever's they are.

    Every section that is read from JSON is a piece of this.
    """
    found = find_object(text)
    return "\n\n".join(_texts(found.value, _WRAPPERS_DEEP)) if found else ""


def _texts(value: Any, deep: int) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            if isinstance(each, dict):
                yield from _texts(each, deep)
    elif isinstance(value, dict):
        if fields := _fields(value):
            yield _shown(fields)
        for key, each in value.items():
            if isinstance(each, str) and key.lower() in _INNER:
                yield clean(each).text
            elif deep and len(value) == 1:
                yield from _texts(each, deep - 1)


def _shown(fields: tuple[Field, ...]) -> str:
    return "\n\n".join(f"{field.name.key}: {field.text}" for field in fields)


def _introduced_as_others(text: str, found: Found, speaker: str | None) -> bool:
    line = text[: found.start].rstrip().removesuffix("```json").removesuffix("```").rstrip().rpartition("\n")[2]
    says = heading(line, speaker)
    return says.announces == "other" or says.saying


def _own(value: Any, speaker: str | None) -> Mapping[str, Any] | None:
    """The object that is the speaker's: alone, inside a wrapper with one key, or one of a list by name."""
    for _ in range(_WRAPPERS_DEEP):
        if isinstance(value, list):
            objects = [each for each in value if isinstance(each, dict)]
            own = [each for each in objects if _is_own(each, speaker, stated=len(objects) > 1)]
            value = own[0] if len(own) == 1 else None
        if not isinstance(value, dict) or not _is_own(value, speaker, stated=False):
            return None
        inner = next(iter(value.values())) if len(value) == 1 else None
        if not isinstance(inner, dict | list) or _fields(value):
            return value
        value = inner
    return None


def _is_own(value: Mapping[str, Any], speaker: str | None, *, stated: bool) -> bool:
    """Whether the object names the speaker, or (unless it must be `stated`) nobody."""
    names = [
        str(each)
        for key, each in value.items()
        if str(key).lower() in _WHO and isinstance(each, str) and each.strip()
    ]
    if not names or speaker is None:
        return not stated
    return letters(names[0].split("(")[0]) == letters(speaker)


def _fields(value: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields that are sections, `Confidence (1-10)` among them; what is empty is none."""
    found = []
    for key, each in pairs_of(value):
        note = _NOTE.search(str(key))
        name = name_of(str(key)[: note.start()] if note else str(key))
        if name is None:
            continue
        written = rating_text(each) if name.key == "confidence" else None
        if text := clean(as_text(each) if written is None else written).text.strip():
            found.append(Field(name, text, note["note"] if note else ""))
    return tuple(found)
