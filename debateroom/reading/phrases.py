"""Regular expressions from plain lists of phrases, so that word lists can be read as word lists."""

from __future__ import annotations

import re


def any_of(*lists: str) -> str:
    """A pattern for any of the phrases in `lists`, which separate them by ` | `; a space in one is any white space.

    Phrases are patterns themselves. The longest is tried first, whatever the order of the lists.
    """
    phrases = [phrase.strip() for listed in lists for phrase in listed.split(" | ")]
    ordered = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(re.sub(r" ", r"\\s", phrase) for phrase in ordered) + ")"


def word_set(*lists: str) -> frozenset[str]:
    """The words in `lists`, which separate them by spaces."""
    return frozenset(word for listed in lists for word in listed.split())
