"""Two sharper questions for a vague one, made from the user's own words. They are shown, never sent by themselves."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from debateroom import templates
from debateroom.reading.lexicon import HAN, Lexicon, fold, lexicon, singular
from debateroom.reading.pieces import Piece, sentences

LONGEST_TOPIC = 60
"""Characters of the user's words that a suggestion repeats."""


def sharpen(text: str, language: str, *, domain: str | None = None) -> tuple[str, str]:
    """Two suggestions in `language`: the user's words as the topic, what is missing in square brackets.

    `domain` chooses the criteria that are proposed. Wording: `templates/questions/<language>.toml`.
    """
    words = lexicon(language)
    pieces = [piece for sentence in sentences(text, words) for piece in sentence.pieces]
    topic = _topic(pieces, words)
    wording = templates.data(f"questions/{language}.toml")["sharpen"]
    criteria = wording["criteria"][domain or "none"]
    first, second = (
        form.replace("{criteria}", criteria).replace("{topic}", topic)
        for form in wording[_form(pieces, topic, words)]
    )
    return first, second


def _form(pieces: Sequence[Piece], topic: str, words: Lexicon) -> str:
    """Which pair of templates fits: nothing named, the best of a kind asked for, or a topic without a criterion."""
    if not topic:
        return "nothing"
    return "kind" if any(_is(piece, words.lists["kind"]) for piece in pieces) else "topic"


def _topic(pieces: Sequence[Piece], words: Lexicon) -> str:
    """What the user named, from its first word to its last, without verbs and praise; empty when nothing was."""
    named = [at for at, piece in enumerate(pieces) if not piece.empty or _is(piece, words.lists["topic"])]
    if not named:
        return ""
    kept = [
        piece.raw
        for at, piece in enumerate(pieces[named[0] : named[-1] + 1], start=named[0])
        if at in named or piece.empty == "function"
    ]
    spoken = re.sub(rf"(?<=[{HAN}]) (?=[{HAN}])| (?=[,，、])", "", " ".join(kept))
    spoken = "".join(char for char in spoken if unicodedata.category(char)[0] != "C")
    if len(spoken) > LONGEST_TOPIC:
        spoken = spoken[: LONGEST_TOPIC - 1].rstrip() + "…"
    return spoken[:1].upper() + spoken[1:]


def _is(piece: Piece, entries: frozenset[str]) -> bool:
    return piece.text in entries or singular(fold(piece.text)) in entries
