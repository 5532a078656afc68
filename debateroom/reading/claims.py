"""Whether two claims are about the same thing, by the words they share. Pure: no model is asked.

The rule: of the words that carry a subject (stems in English and French, pairs of characters in Chinese) two claims
share at least two, and these are at least two fifths of what both have on average. It tells one subject from another,
not one opinion from its opposite: who is for a queue and who is against it use the same words.
"""

from __future__ import annotations

from debateroom.reading.topic import content

_SHARE = 0.4
_FEWEST = 2


def alike(one: str, other: str, language: str) -> bool:
    """Whether both claims, written in `language`, are about the same thing."""
    return likeness(one, other, language) > 0


def likeness(one: str, other: str, language: str) -> float:
    """How much of their subject two claims share, from above 0 to 1; 0 when they are not alike.

    >>> likeness("A queue survives a restart.", "Jobs in a queue survive restarts.", "en") > 0
    True
    >>> likeness("A queue survives a restart.", "Nobody is on call at night.", "en")
    0.0
    """
    if " ".join(one.split()).casefold() == " ".join(other.split()).casefold():
        return 1.0
    first, second = content(one, language), content(other, language)
    shared = len(first & second)
    share = 2 * shared / (len(first) + len(second)) if shared else 0.0
    return share if shared >= _FEWEST and share >= _SHARE else 0.0
