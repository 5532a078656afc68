"""What a text says, by its signs: nothing found, an offer, a gap. Pure; the signs are in `templates/dialogue`.

Each sign is looked for in all three languages at once: an agent answers in its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from debateroom import templates

_LOOKED_AT = 20_000
"""Characters of a text that are looked at: a pasted log must not make a rule slow."""
_MINE = re.compile(r"\s*(?:i|we|j'ai|nous)\b|\s*我", re.IGNORECASE)


class _Action(NamedTuple):
    said: tuple[re.Pattern[str], ...]
    can: tuple[str, ...]


def find(sign: str, text: str) -> str:
    """The first piece of `text` that shows `sign`, as it stands there; empty when none does."""
    found = [match for pattern in _patterns(sign) if (match := pattern.search(_plain(text)))]
    first = min(found, key=lambda match: match.start(), default=None)
    return first.group(0).strip() if first else ""


def find_all(sign: str, text: str) -> tuple[str, ...]:
    """All pieces of `text` that show `sign`, in order; of those that overlap the first."""
    matches = sorted(match.span() for pattern in _patterns(sign) for match in pattern.finditer(_plain(text)))
    found, end = [], 0
    for start, stop in matches:
        if start >= end:
            found.append(_plain(text)[start:stop].strip())
            end = stop
    return tuple(found)


def shows(sign: str, text: str) -> bool:
    """Whether `text` shows `sign`."""
    return bool(find(sign, text))


def states_gap(text: str) -> bool:
    """Whether `text` says that something is missing, and not that nothing is."""
    return shows("gap", _without("no_gap", text))


def says_found(text: str) -> bool:
    """Whether `text` says that something was found, and not only that all is done and nothing missing."""
    return shows("found", _without("only_done", text))


def undone_actions(text: str, names: str, results: str) -> tuple[str, ...]:
    """What `text` claims to be done though none of the executed tools does it: `names` are theirs.

    What stands in their `results` is told, not claimed; who says `I did it` has to have done it.
    """
    plain, names, results = _plain(text), names.casefold(), _plain(results).casefold()
    claimed = []
    for action in _actions():
        match = next((match for pattern in action.said if (match := pattern.search(plain))), None)
        if match and not any(piece in names for piece in action.can) and not _stands_in(match.group(0), results):
            claimed.append(match.group(0).strip())
    return tuple(claimed)


def table(name: str) -> Mapping[str, Any]:
    """A table of words that stands beside the signs."""
    found: Mapping[str, Any] = templates.data("dialogue/signs.toml")[name]
    return found


def _stands_in(claim: str, results: str) -> bool:
    """Whether tools told what is claimed of a thing: the word that says what became of it stands in `results`."""
    words = claim.casefold().split()
    return not _MINE.match(claim) and bool(words) and words[-1] in results


def _without(sign: str, text: str) -> str:
    """`text` without all that shows `sign`."""
    plain = _plain(text)
    for pattern in _patterns(sign):
        plain = pattern.sub(" ", plain)
    return plain


def _plain(text: str) -> str:
    return text[:_LOOKED_AT].replace("’", "'")


@cache
def _patterns(sign: str) -> tuple[re.Pattern[str], ...]:
    return _compiled(templates.data("dialogue/signs.toml")[sign])


@cache
def _actions() -> tuple[_Action, ...]:
    return tuple(_Action(_compiled(item["said"]), tuple(item["can"])) for item in table("actions").values())


def _compiled(patterns: list[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
