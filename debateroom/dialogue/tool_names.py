"""Names of tools in what people and models write, and which tools count as which. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from debateroom.dialogue import signs

Equivalences = Mapping[str, Sequence[str]]
"""Business names that mean the same (`GED`), each with the patterns of the tools that are it (`resolve*`)."""
SHIPPED: Equivalences = {
    "GED": ("resolve*", "lookupMfiles*"),
    "M-Files": ("resolve*", "lookupMfiles*"),
}

_HAN = "\u4e00-\u9fff"
"""Chinese writes no space before a name."""
_MARKED = re.compile(r"`([A-Za-z][\w*-]{2,60})(?:\(\))?`")
_CALLED = re.compile(rf"(?<![^\W{_HAN}])(?<![@./-])([A-Za-z]\w{{2,60}})\(\)")
_NEAR = 80
"""Characters beside a name in which it is said that it is not to be called."""


def in_text(text: str, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Names of tools in `text`: the `known` ones, and words that are written as programs write them."""
    found = [match.group(0) for match in _identifier().finditer(text)]
    found += [match.group(1) for pattern in (_MARKED, _CALLED, _beside()) for match in pattern.finditer(text)]
    found += [match["name"] or match["other"] for name in known if (match := _named(name, text))]
    return tuple(dict.fromkeys(found))


def _named(name: str, text: str) -> re.Match[str] | None:
    """Where a tool's own name stands in `text`; a word like any other must be spoken of as a tool there."""
    word = rf"(?<![A-Za-z0-9_])(?P<name>{re.escape(name)})(?![A-Za-z0-9_])"
    if not _written(name):
        before, behind = ("|".join(_words()[key]) for key in ("before", "behind"))
        word = rf"(?:{before}){word}|{word.replace('?P<name>', '?P<other>')}(?:{behind})"
    return re.search(word, text, re.IGNORECASE)


def _written(name: str) -> bool:
    """Whether a tool's name is no ordinary word: `search` may be said, `search_web` may not."""
    return bool(re.search(r"[_\d]|[a-z][A-Z]", name))


def wanted(goals: str, equivalences: Equivalences, known: Iterable[str] = ()) -> tuple[tuple[str, ...], ...]:
    """For each tool that `goals` want to be called, the patterns of names that are it.

    One that they name only to say that it is not to be called is none of them.
    """
    found: dict[str, tuple[str, ...]] = {name: (name,) for name in in_text(goals, known)}
    for name, patterns in equivalences.items():
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", goals):
            found[name] = tuple(patterns) or (name,)
    unwanted = _unwanted(goals, found)
    return tuple(patterns for name, patterns in found.items() if name not in unwanted)


def _unwanted(goals: str, names: Collection[str]) -> set[str]:
    """Those of `names` that stand in `goals` only where a call is ruled out: `without calling a_tool or b_tool`."""
    word = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    ruled_out: set[str] = set()
    wanted: set[str] = set()
    end, refused = 0, False
    for match in re.finditer(rf"(?<![A-Za-z0-9_])(?:{word})(?![A-Za-z0-9_])", goals, re.IGNORECASE) if word else ():
        before, behind = (
            goals[max(end, match.start() - _NEAR) : match.start()],
            goals[match.end() : match.end() + _NEAR],
        )
        listed = refused and _between().fullmatch(before)
        refused = bool(listed) or signs.shows("unwanted_before", before) or signs.shows("unwanted_behind", behind)
        (ruled_out if refused else wanted).add(match.group(0).casefold())
        end = match.end()
    return {name for name in names if name.casefold() in ruled_out - wanted}


def any_executed(patterns: Iterable[Sequence[str]], executed: Iterable[str]) -> bool:
    """Whether one of the executed tools is one of the wanted ones; case does not matter."""
    names = [name.casefold() for name in executed]
    return any(fnmatchcase(name, pattern.casefold()) for group in patterns for pattern in group for name in names)


def _words() -> Mapping[str, Any]:
    """What the templates say of how names of tools are written and spoken of."""
    return signs.table("tool_names")


@cache
def _identifier() -> re.Pattern[str]:
    """A word that is written as programs write names, and begins with a verb or is called."""
    verbs, nouns, fields = ("|".join(_words()[key]) for key in ("verbs", "nouns", "fields"))
    begins = rf"(?:{verbs}|(?:{nouns})(?!_(?:{fields})(?![A-Za-z0-9_])))"
    return re.compile(
        rf"(?<![^\W{_HAN}])(?<![@./-])(?:{begins}(?:[A-Z][A-Za-z0-9_]*\*?|(?:_[a-z0-9]+)+\*?|\*)"
        r"|[a-z]+(?:_[a-z0-9]+)+(?=\s?\()|[a-z]+[A-Z][A-Za-z0-9_]*(?=\s?\())"
    )


@cache
def _beside() -> re.Pattern[str]:
    """Such a word, whatever it begins with, beside one that says that it is a tool."""
    said = "|".join(_words()["beside"])
    return re.compile(rf"(?:{said})[\s:：«“\"'(]{{1,4}}([A-Za-z]+(?:_[a-z0-9]+|[A-Z][a-z0-9]+)+\*?)")


@cache
def _between() -> re.Pattern[str]:
    """What stands between the tools of one list."""
    said = "|".join(_words()["between"])
    return re.compile(rf"[\s,、，/`'\"]*(?:(?:{said}))?[\s`'\"]*")
