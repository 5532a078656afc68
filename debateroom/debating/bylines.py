"""Who wrote an answer, left out of it: where its writer introduces itself, signs, or heads it with a name. Pure.

A name that is not the writer's stays, and so does every other word. The forms: see `byline_forms`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from debateroom.debating.byline_forms import form, inline, seen

_LONGEST = 160
"""Characters of an introduction, and of a line of names."""
_MOST_LINES = 4
"""Lines of names in one signature."""


def without_writer(text: str, mask: str, about: str) -> str:
    """`text`, from which code was set aside, without what tells its writer.

    A name in a sentence becomes `mask`; lines with nothing but a name, a closing or a trailer are left out.
    `about` is the task with its context: of models it names, only introductions and signatures are the writer's.
    """
    subject = seen(about).text
    lines = text.split("\n")
    if all(_is_signature(line, subject) for line in lines):
        return form("any").sub(mask, seen(text).text)
    lines = [line for line in lines if not _is(line, "byline")]
    return _masked("\n".join(_unheaded(_unsigned(lines, subject), subject)), mask, subject)


def _is_signature(line: str, subject: str) -> bool:
    """Whether a line of an answer without another one is no answer: a word like Gemini may be one."""
    if not line.strip() or any(_is(line, shape) for shape in ("byline", "closing", "closed", "dashed")):
        return True
    return _is(line, "plain") and not _is_about(form("name").findall(seen(line).text), subject)


def _unsigned(lines: list[str], subject: str) -> list[str]:
    """`lines` without a signature at their end."""
    body = _up_to_text(lines)
    start = len(body)
    while start and len(body) - start < _MOST_LINES and _is(body[start - 1], "units"):
        start -= 1
    above = _up_to_text(body[:start])
    if above and start < len(body) and _is(above[-1], "closing"):
        return _up_to_text(above[:-1])
    if body and _is(body[-1], "closed"):
        return _up_to_text(body[:-1])
    if above and start < len(body) and _signs(body[start:], above, subject):
        return above
    if len(body) > 1 and not body[-2].strip() and _is(body[-1], "edge"):
        return _up_to_text(body[:-1])
    return _without_tail(body)


def _signs(lines: list[str], above: list[str], subject: str) -> bool:
    """Whether lines of names at the end are the writer's: not the last point of a list, nor what the answer is."""
    before = above[-1].rstrip()
    if before.endswith((":", "：")) or (re.match(r"[ \t]*[-*•]", before) and re.match(r"[ \t]*[-*•] ", lines[0])):
        return False
    rest = "\n".join(above)
    return _is(lines[0], "dashed") or any(_heads(line, rest, subject) for line in lines)


def _without_tail(lines: list[str]) -> list[str]:
    """`lines` without a name behind the last sentence: *Use a queue. -- Claude*."""
    if not lines:
        return lines
    cut = max(0, len(lines[-1]) - _LONGEST)
    view = seen(lines[-1][cut:])
    found = form("tail").search(view.text)
    return [*lines[:-1], lines[-1][: cut + view.places[found.start()]]] if found else lines


def _unheaded(lines: list[str], subject: str) -> list[str]:
    """`lines` without a first one that is only a name, or tells whose they are."""
    first = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    rest = lines[first + 1 :]
    if not any(line.strip() for line in rest):
        return lines
    gone = (not rest[0].strip() and _is(lines[first], "edge")) or _heads(lines[first], "\n".join(rest), subject)
    return rest if gone else lines


def _heads(line: str, rest: str, subject: str) -> bool:
    """Whether a line that is only names is a label: the task is not about them, and `rest` does not speak of them."""
    if not _is(line, "bare"):
        return False
    named = form("name").findall(seen(line).text)
    return not _is_about(named, subject) and not _is_about(named, seen(rest).text)


def _is_about(named: list[str], subject: str) -> bool:
    if form("about_models").search(subject):
        return True
    told = subject.lower()
    return any(name.lower() in told for name in named)


def _masked(text: str, mask: str, subject: str) -> str:
    """`text` with `mask` in place of every name that its writer gives itself."""
    view = seen(text)
    kept, at = list[str](), 0
    for start, end in sorted(_spans(view.text, subject)):
        first, last = view.places[start], view.places[end - 1] + 1
        if first >= at:
            kept += text[at:first], mask
            at = last
    return "".join((*kept, text[at:]))


def _spans(text: str, subject: str) -> Iterator[tuple[int, int]]:
    """Where the writer's names stand."""
    for pattern in inline("tells"):
        yield from (match.span("name") for match in pattern.finditer(text))
    for match in form("self").finditer(text):
        yield from _introduced(text, match.end())
    start = len(text) - len(text.lstrip())
    for pattern in inline("begins"):
        found = pattern.match(text, start)
        if found and not _is_label_of_many(text, found["name"]) and not _is_about([found["root"]], subject):
            yield found.span("name")


def _introduced(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The names in an introduction that goes on at `start`."""
    first = form("who").match(text, start, start + _LONGEST)
    if not first:
        return
    yield from (first.span(group) for group in ("name", "maker", "owner") if first[group])
    end = form("over").search(text, first.end(), start + _LONGEST)
    stop = end.start() if end else min(len(text), start + _LONGEST)
    for match in form("from").finditer(text, first.end(), stop):
        yield from (match.span(group) for group in ("owner", "maker", "name") if match[group])


def _is_label_of_many(text: str, label: str) -> bool:
    """Whether other names are labels in `text` as well: it compares them."""
    found = {match["name"].lower() for match in form("label").finditer(text)}
    return bool(found - {label.lower()})


def _up_to_text(lines: list[str]) -> list[str]:
    """`lines` without empty ones at their end."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _is(line: str, shape: str) -> bool:
    """Whether the whole line, or short text, has one of the shapes."""
    if not line.strip() or len(line) > _LONGEST:
        return False
    return form(shape).fullmatch(seen(line).text.strip()) is not None
