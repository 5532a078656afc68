"""A reply given as a JSON object: its fields as sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from debateroom.reading.objects import Found, as_text, find_object
from debateroom.reading.seats import heading, letters
from debateroom.reading.vocabulary import Name, name_of

_WRAPPERS_DEEP = 3
_INNER = frozenset({"response", "reply", "answer", "text", "content", "message", "output"})
_WHO = frozenset({"agent", "name", "speaker", "seat", "from", "author"})


class Record(NamedTuple):
    """Fields of an object that are sections of a reply."""

    fields: tuple[tuple[Name, str], ...]
    """What each field is called, and its value in plain text."""
    repairs: tuple[str, ...]
    inner: str = ""
    """The whole reply with its labels, when one field holds it: `{"response": "AGREEMENTS: …"}`."""

    @property
    def text(self) -> str:
        """The values in plain text, as `key: value` blocks; or the inner reply."""
        return self.inner or "\n\n".join(f"{name.key}: {value}" for name, value in self.fields)


def find_record(text: str, speaker: str | None) -> Record | None:
    """The object in `text` that holds a reply's sections; None when there is none, or it is another seat's."""
    found = find_object(text)
    if found is None or _introduced_as_others(text, found, speaker):
        return None
    value = _own(found.value, speaker)
    if value is None:
        return None
    fields = _fields(value)
    repairs = ("json", "json_syntax") if found.mended else ("json",)
    inner = [each for key, each in value.items() if str(key).lower() in _INNER and isinstance(each, str)]
    if not fields and len(inner) == 1:
        return Record((), repairs, inner[0])
    if len(fields) < 2 and not (fields and len(fields) == len(value)):
        return None
    return Record(fields, repairs)


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
        if not isinstance(inner, dict | list) or name_of(str(next(iter(value)))):
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


def _fields(value: Mapping[str, Any]) -> tuple[tuple[Name, str], ...]:
    named = [(name_of(str(key)), as_text(each)) for key, each in value.items()]
    return tuple((name, text) for name, text in named if name is not None and text)
