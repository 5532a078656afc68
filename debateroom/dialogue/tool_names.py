"""Names of tools in what people and models write, and which tools count as which. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from debateroom.dialogue import signs

Equivalences = Mapping[str, Sequence[str]]
"""Business names that mean the same (`GED`), each with the patterns of the tools that are it (`resolve*`)."""
SHIPPED: Equivalences = {
    "GED": ("resolve*", "lookupMfiles*"),
    "M-Files": ("resolve*", "lookupMfiles*"),
}

_VERBS = (
    "get|list|find|search|lookup|look|resolve|create|update|cancel|delete|remove|add|set|send|fetch|read|write|open|"
    "save|load|verify|validate|compute|calculate|subAgent|sub_agent"
)
_ALSO_NOUNS = "check|query|call|run|book|order|refund|change|transfer"
_OF_NOUNS = "(?!_(?:ids?|no|number|date|name|status|type|amount|reason|count|list)(?![A-Za-z0-9_]))"
"""`order_id` is a field, `order_item` may be a tool."""
_HAN = "\u4e00-\u9fff"
"""Chinese writes no space before a name."""
_IDENTIFIER = re.compile(
    rf"(?<![^\W{_HAN}])(?<![@./-])(?:(?:{_VERBS}|(?:{_ALSO_NOUNS}){_OF_NOUNS})(?:[A-Z][A-Za-z0-9_]*\*?|(?:_[a-z0-9]+)+\*?|\*)"
    r"|[a-z]+(?:_[a-z0-9]+)+(?=\s?\()|[a-z]+[A-Z][A-Za-z0-9_]*(?=\s?\())"
)
_MARKED = re.compile(r"`([A-Za-z][\w*-]{2,60})(?:\(\))?`")
_BESIDE = re.compile(
    r"(?:\btools?\b|\boutils?\b|\bfunctions?\b|\bfonctions?\b|工具|函数)[\s:：«“\"'(]{1,4}([A-Za-z]+(?:_[a-z0-9]+|[A-Z][a-z0-9]+)+\*?)"
)
_SPOKEN_BEFORE = (
    r"\b(?:tool|function|outil|fonction) |工具|函数|[`\"“«「]\s?"
    r"|\b(?:call|calls|called|calling|use|uses|used|using|invokes?|invoking|executes?|executing|runs?) "
    r"|\b(?:appelle[rz]?|appelant|utilise[rz]?|utilisant|exécute[rz]?|lance[rz]?) |(?:调用|使用|执行|运行)\s?"
)
_SPOKEN_BEHIND = (
    r" (?:tool|function)\b|\s?(?:工具|函数)|\(|[`\"”»」]"
    r"| (?:is|was|gets|must be|has been) (?:called|executed|invoked|used|run)\b"
    r"| (?:est|a été|doit être) (?:appelé|exécuté|utilisé|lancé)"
)
"""What stands beside an ordinary word that is the name of a tool."""
_LISTED = re.compile(
    r"[\s,、，/`'\"]*(?:(?:and|or|nor|et|ou|ni|和|或者?|及|以及|与)(?:\s(?:the|l'outil))?)?[\s`'\"]*"
)
"""What stands between the tools of one list."""
_NEAR = 80
"""Characters beside a name in which it is said that it is not to be called."""


def in_text(text: str, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Names of tools in `text`: the `known` ones, and words that are written as programs write them."""
    found = [match.group(0) for match in _IDENTIFIER.finditer(text)]
    found += [match.group(1) for pattern in (_MARKED, _BESIDE) for match in pattern.finditer(text)]
    found += [match["name"] or match["other"] for name in known if (match := _named(name, text))]
    return tuple(dict.fromkeys(found))


def _named(name: str, text: str) -> re.Match[str] | None:
    """Where a tool's own name stands in `text`; a word like any other must be spoken of as a tool there."""
    word = rf"(?<![A-Za-z0-9_])(?P<name>{re.escape(name)})(?![A-Za-z0-9_])"
    if not _written(name):
        word = rf"(?:{_SPOKEN_BEFORE}){word}|{word.replace('?P<name>', '?P<other>')}(?:{_SPOKEN_BEHIND})"
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
        listed = refused and _LISTED.fullmatch(before)
        refused = bool(listed) or signs.shows("unwanted_before", before) or signs.shows("unwanted_behind", behind)
        (ruled_out if refused else wanted).add(match.group(0).casefold())
        end = match.end()
    return {name for name in names if name.casefold() in ruled_out - wanted}


def any_executed(patterns: Iterable[Sequence[str]], executed: Iterable[str]) -> bool:
    """Whether one of the executed tools is one of the wanted ones; case does not matter."""
    names = [name.casefold() for name in executed]
    return any(fnmatchcase(name, pattern.casefold()) for group in patterns for pattern in group for name in names)
