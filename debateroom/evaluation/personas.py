"""How a simulated customer is: four shipped personas by name, a neutral one by default, or a text of the dataset."""

from __future__ import annotations

import difflib

from debateroom import templates

PERSONAS = ("polite", "impatient", "chatty", "firm")
"""Polite and complete; impatient and vague; a chatty elder; firm, pressing the agent past its powers."""


def persona(given: str, language: str) -> str:
    """What the customer is told of its manner, in `language` where the persona is a shipped one or the default."""
    words = templates.data(f"evaluation/{language}.toml")
    if not given.strip():
        return str(words["default_persona"])
    return str(words["personas"].get(given.strip().lower(), given.strip()))


def near_miss(given: str) -> str:
    """The shipped persona that a name nearly is; empty when it is one, or no name."""
    name = given.strip().lower()
    if name in PERSONAS:
        return ""
    return next(iter(difflib.get_close_matches(name, PERSONAS, n=1, cutoff=0.75)), "")
