"""The rules on what a worker sends to an agent: one request in plain words, nothing of its plan, not twice. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from debateroom.dialogue import asking, data, joined, sameness, signs, tool_names

_NUMBERED = re.compile(
    r"^[ \t]*(?:[-*•] ?)?(?:\d{1,2}[.)、．:]|[(（]\d{1,2}[)）]|[a-h]\)|[①-⑨]|[一二三四五][、.])[ \t]*(?=\S)",
    re.MULTILINE,
)
_BULLET = re.compile(r"^[ \t]*[-*•][ \t]+(?=\S)", re.MULTILINE)
_NUMBERED_INLINE = re.compile(
    r"(?:^|[\s:：;；,，])(?:1[.)、]|[(（]1[)）]|①)\s*\S.*?[\s;；,，。.](?:2[.)、]|[(（]2[)）]|②)\s*\S", re.DOTALL
)
_ALSO = re.compile(
    r"(?:^|[.;!?。；！？]\s*|,\s*|，)(?:"
    r"(?:and )?(?:also|then|additionally|in addition|furthermore|besides|afterwards)\b|"
    r"(?:et )?(?:aussi|ensuite|puis|de plus|en outre|également|par ailleurs)\b|"
    r"(?:然后|另外|此外|还要?|接着)(?:请|也|再)?)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？;；])\s+|(?<=[。！？；])|\n+")
_PREAMBLE = re.compile(
    r"^(?:hello|hi|dear|thanks?|thank you|bonjour|merci(?!\s+d(?:e\b|['’](?!avance)))|cher|chère|您好|你好|谢谢)"
    r"\b[^.!?。！？\n]*[.!,?。！，？\n]\s*",
    re.IGNORECASE,
)


_GIVEN = ("reference", "number", "iban", "email")
"""Data that a worker can only have been given."""


class Problem(NamedTuple):
    """A rule that speaks against a text, and the words that show it."""

    rule: str
    quote: str = ""


def problems(message: str, before: Sequence[str], tools: Iterable[str]) -> tuple[Problem, ...]:
    """What speaks against sending `message`; `before` are the requests that were answered, `tools` known names."""
    if not message.strip():
        return (Problem("empty_message"),)
    found = [Problem("tool_name", name) for name in tool_names.in_text(message, tools)[:1]]
    if quote := signs.find("plan", message):
        found.append(Problem("plan", quote))
    if quote := _numbering(message):
        found.append(Problem("numbering", quote))
    if quote := second_request(message):
        found.append(Problem("second_request", quote))
    if quote := signs.find("asks_user", message):
        found.append(Problem("asks_user", quote))
    if quote := signs.find("asks_turn", message):
        found.append(Problem("asks_turn", quote))
    if any(repeats(message, other) for other in before):
        found.append(Problem("repeated_request"))
    return tuple(found)


def made_up(message: str, known: str) -> tuple[Problem, ...]:
    """The first reference, number or address in `message` that stands nowhere in `known`: nobody gave it."""
    pieces = (datum for datum in data.in_text(message) if datum.kind in _GIVEN and not data.known_in(datum, known))
    return tuple(Problem("made_up", datum.text) for datum in pieces)[:1]


def repeats(message: str, other: str) -> bool:
    """Whether `message` is a request that was sent before, be it reworded; asking for a source is not."""
    if asking.repeated(message, other):
        return True
    other_kind = signs.shows("asks_source", message) or signs.shows("alternative", message)
    return not other_kind and asking.same_request(message, other)


def second_request(message: str) -> str:
    """The second request in `message`: another question or item, an order after `also` or `and`; empty when none."""
    questions = sameness.questions(message)
    if len(questions) > 1:
        return questions[1]
    items = [match.end() for pattern in (_BULLET, _NUMBERED) for match in pattern.finditer(message)]
    if len(items) > 1:
        return message[sorted(items)[1] :].splitlines()[0].strip()
    also = _ALSO.search(message, 1)
    if also and _is_something(message[: also.start()]):
        return message[also.start() :].strip(" .;,，。；!?！？")
    both = joined.second(message)
    return both.text if both else ""


def _is_something(text: str) -> bool:
    """Whether `text` can be a request by itself: two words, or Chinese."""
    return len(text.split()) >= 2 or bool(re.search("[\u4e00-\u9fff]", text))


def _numbering(message: str) -> str:
    match = _NUMBERED.search(message) or _NUMBERED_INLINE.search(message)
    return match.group(0).strip()[:60] if match else ""


def mended(message: str, tools: Iterable[str], instead: str) -> str:
    """The first request of `message` alone: without preamble, plan, numbering and names of tools.

    What is sent when a worker breaks a rule of form twice; empty when nothing is left of it.
    """
    parts = [part.strip() for part in _SENTENCE.split(_PREAMBLE.sub("", message.strip())) if part and part.strip()]
    clean = [_NUMBERED.sub("", _BULLET.sub("", part)).strip() for part in parts]
    wanted = [part for part in clean if len(part) > 3 and not signs.shows("plan", part) and not _is_heading(part)]
    if not wanted:
        return ""
    also = _ALSO.search(wanted[0], 1)
    first = wanted[0][: also.start()].rstrip(" ,;，；") if also and also.start() > 3 else wanted[0]
    if both := joined.second(first):
        first = first[: both.at]
    for name in tool_names.in_text(first, tools):
        first = first.replace(f"`{name}`", instead).replace(name, instead)
    return first


def _is_heading(part: str) -> bool:
    return part.endswith((":", "："))
