"""JSON objects in what a model wrote: found, mended where that is safe, and turned into plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_ATTEMPTS = 12
"""Opening braces that are tried: a hostile text has a million."""
_DEEP = 6
_BARE_KEY = re.compile(r"([{,]\s{0,40})([^\W\d]\w{0,40})\s?:")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_STRING_OR_WORD = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|\b(?:True|False|None)\b', re.DOTALL)
_JSON_WORDS = {"True": "true", "False": "false", "None": "null"}


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON value in a text and where it stands."""

    value: Any
    start: int
    end: int
    mended: bool = False
    """Its syntax was not JSON: a comma too many, raw line breaks in a string, Python's spelling, or it was cut."""
    cut: bool = False
    """Its end is not in the text: strings, lists and objects that were open have been closed."""


class _Twice(dict[str, Any]):
    """An object; a key written twice with different values has neither."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        super().__init__()
        gone = set()
        self.pairs: list[tuple[str, Any]] = []
        """What was written, in order; the same key and value once."""
        for key, value in pairs:
            if key not in self or self[key] != value:
                self.pairs.append((key, value))
            if key in self and self[key] != value:
                gone.add(key)
            self[key] = value
        for key in gone:
            del self[key]


def pairs_of(value: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Every key with its value, as often as it was written with another one."""
    return value.pairs if isinstance(value, _Twice) else value.items()


_STRICT = json.JSONDecoder(object_pairs_hook=_Twice)
_LOOSE = json.JSONDecoder(object_pairs_hook=_Twice, strict=False)


def find_object(text: str) -> Found | None:
    """The first JSON object in `text` (or list of objects, when `text` starts with one); None without any.

    Never raises. A key that is given twice with different values is left out.
    """
    first = len(text) - len(text.lstrip())
    if text.startswith("[", first) and (found := _decode(text, first, _STRICT)):
        return found
    at = text.find("{")
    start = at
    for _ in range(_ATTEMPTS):
        if at < 0:
            break
        if found := _decode(text, at, _STRICT):
            # a well-written object inside a damaged one is a field of that
            outer = _mended(text, start) if at > start else None
            return outer if outer and outer.end >= found.end else found
        at = text.find("{", at + 1)
    return _mended(text, start) if start >= 0 else None


def object_at(text: str, start: int) -> Found | None:
    """The object whose opening brace stands at `start`, mended if need be; None when it is empty or unreadable."""
    return _decode(text, start, _STRICT) or _mended(text, start)


def flaw(text: str, start: int) -> str:
    """What is wrong with the JSON at `start`, in a few words; empty when nothing is."""
    try:
        _STRICT.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return f"{error.msg.removesuffix(' at')}, at its character {error.pos - start + 1}"
    except RecursionError:
        return "it is nested too deep"
    except ValueError:
        return "a number in it is too long"
    return ""


def _decode(text: str, start: int, decoder: json.JSONDecoder) -> Found | None:
    try:
        value, end = decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    usable = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value))
    written = value.pairs if isinstance(value, _Twice) else value
    return Found(value, start, end) if usable and written else None


def _mended(text: str, start: int) -> Found | None:
    """The object at `start` with its commas, line breaks, quotes and missing end put right."""
    body = text[start:]
    last = body.rfind("}")
    tries = [body[: last + 1]] if last > 0 else []
    tries = [_TRAILING_COMMA.sub("", each) for each in tries]
    tries += [each.translate({0x201C: '"', 0x201D: '"'}) for each in tries]
    if body[1:].lstrip().startswith("'"):
        tries += [_double_quoted(each) for each in tries]
    elif body[1:].lstrip()[:1].isalpha():
        tries += [_BARE_KEY.sub(r'\1"\2":', each) for each in tries]
    if any(word in body for word in _JSON_WORDS):
        tries += [_STRING_OR_WORD.sub(_json_word, each) for each in tries]
    for each in tries:
        found = _decode(each, 0, _LOOSE)
        if found and isinstance(found.value, dict):
            # mending moves characters but no closing brace
            end = _after_braces(body, each.count("}", 0, found.end))
            return Found(found.value, start, start + end, mended=True)
    closed = _closed(_TRAILING_COMMA.sub("", body))
    found = _decode(closed, 0, _LOOSE)
    if found and isinstance(found.value, dict):
        return Found(found.value, start, len(text), mended=True, cut=True)
    return None


def _after_braces(body: str, count: int) -> int:
    """Where the closing brace number `count` of `body` ends."""
    end = 0
    for _ in range(count):
        end = body.index("}", end) + 1
    return end


def _json_word(match: re.Match[str]) -> str:
    """Python's `True`, `False` and `None` as JSON writes them; a string as it is."""
    return _JSON_WORDS.get(match.group(), match.group())


def _double_quoted(body: str) -> str:
    """`body` with strings in single quotes, as Python writes them, in double ones."""
    written: list[str] = []
    quote = ""
    for at, character in enumerate(body):
        ends = character == quote and body[at + 1 : at + 40].lstrip()[:1] in (",", ":", "}", "]", "")
        if not quote and character in "\"'":
            quote = character
            written.append('"')
        elif quote and ends and body[at - 1] != "\\":
            quote = ""
            written.append('"')
        else:
            written.append('\\"' if quote == "'" and character == '"' else character)
    return "".join(written).replace("\\'", "'")


def _closed(body: str) -> str:
    """`body` with the string, lists and objects closed that are open where it was cut."""
    stack: list[str] = []
    in_string = escaped = False
    for character in body:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "{[":
            stack.append("}" if character == "{" else "]")
        elif character in "}]" and stack:
            stack.pop()
            if not stack:
                return body
    if in_string:
        body = (body[:-1] if escaped else body) + '"'
    else:
        body = body.rstrip()
        # a number at the cut may have lost digits: 1 of 10
        body = body.rstrip("0123456789.-+eE") + "null" if body[-1:].isdecimal() else body.rstrip(",")
    return body + "".join(reversed(stack))


def as_text(value: Any, depth: int = 0) -> str:
    """A JSON value as a model would have written it in prose: lists as bullets, objects as lines; None is empty."""
    if value is None or depth > _DEEP:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "\n".join(f"- {line}" for each in value if (line := as_text(each, depth + 1)))
    if isinstance(value, dict):
        return "\n".join(f"{key}: {line}" for key, each in pairs_of(value) if (line := as_text(each, depth + 1)))
    return str(value)
