"""Whether a question is too vague to debate: it names no object, or nothing to judge the object by.

When in doubt a question is not vague: outside a terminal a false alarm stops the user's run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from debateroom.reading.lexicon import HAN, Lexicon, fold, singular
from debateroom.reading.pieces import COMMAS, Piece, Sentence

ENOUGH_FOR_AN_OPEN_QUESTION = 2
"""Words that name something which "how …?" needs: an object, and a use, a limit or an aim."""
ENOUGH_FOR_A_TOPIC = 3
"""The same for a bare noun phrase, which asks nothing yet."""

SHORT = 6
"""Words up to which a list with commas is a list of alternatives rather than a sentence."""

_YES_OR_NO = re.compile(
    rf"([{HAN}])[不没]\1|[吗嘛][？?]?\s*$"
    r"|\b(?:doi|peu|fau|devr|pourr|faudr|va|vaudr)\w*[- ](?:t[- ])?(?:ils?|elles?|on|nous|vous|je)\b",
    re.I,
)
"""`要不要`, `…吗？`, `doit-on`, `peuvent-ils`: forms that ask for a decision without a word of their own."""


def vague(sentences: Sequence[Sentence], words: Lexicon) -> bool:
    """Whether no sentence names a choice, no decision names an object, and too little is said in all."""
    if any(_names_a_choice(sentence, words) or _proposes(sentence, words) for sentence in sentences):
        return False
    pieces = [piece for sentence in sentences for piece in sentence.pieces]
    said = _substance(pieces)
    if said and any(char.isdigit() for sentence in sentences for char in sentence.text):
        said += 1
    said += 2 * any(sentence.technical for sentence in sentences) * bool(said)
    return said < (ENOUGH_FOR_A_TOPIC if _is_topic(pieces, words) else ENOUGH_FOR_AN_OPEN_QUESTION)


def _substance(pieces: Iterable[Piece]) -> int:
    """How many words name something, each counted once."""
    return sum({piece.text: piece.units for piece in pieces if not piece.empty}.values())


def _names_a_choice(sentence: Sentence, words: Lexicon) -> bool:
    """Whether "or" stands between two sides and something is named: `queue vs loop?`, but not `this or that?`.

    In a comparison "and" and "than" part the sides as well: `Is Rust better than Go?`.
    """
    pieces = sentence.pieces
    separators = words.lists["choice"]
    if any(_listed(piece.text, words.lists["superlative"] | words.lists["open"]) for piece in pieces):
        separators |= words.lists["joint"]
    spoken = [at for at, piece in enumerate(pieces) if piece.empty != "function"]
    if len(spoken) <= SHORT and _lists_names(pieces):
        return True
    return bool(_substance(pieces)) and any(
        spoken[0] < at < spoken[-1]
        for at, piece in enumerate(pieces)
        # "où" folds to "ou" but is no choice
        if piece.text == "/" or (_listed(piece.text, separators) and piece.raw.lower() != "où")
    )


def _lists_names(pieces: Sequence[Piece]) -> bool:
    """Whether a comma stands between two named things: `Postgres, MySQL?`."""
    named = [at for at, piece in enumerate(pieces) if not piece.empty]
    return any(piece.raw in COMMAS and named[0] < at < named[-1] for at, piece in enumerate(pieces) if named)


def _proposes(sentence: Sentence, words: Lexicon) -> bool:
    """Whether a decision about something named is asked for: `Should we use Kubernetes?`, but not `should we?`."""
    if not _substance(sentence.pieces):
        return False
    if _opens(sentence.pieces, words):
        return False
    spoken = " ".join(singular(piece.text) for piece in sentence.pieces)
    return bool(_YES_OR_NO.search(sentence.text)) or _contains(spoken, words.lists["decision"])


def _opens(pieces: Sequence[Piece], words: Lexicon) -> bool:
    """Whether a question word asks for more than yes or no."""
    return any(_listed(piece.text, words.lists["open"]) for piece in pieces)


def _is_topic(pieces: Sequence[Piece], words: Lexicon) -> bool:
    """Whether it is a bare noun phrase, or asks for "the best" of a kind, without a use or a limit."""
    rest = [piece for piece in pieces if not _listed(piece.text, words.lists["article"])]
    if not rest or any(_listed(piece.text, words.lists["constraint"]) for piece in rest):
        return False
    if any(_listed(piece.text, words.lists["superlative"]) for piece in rest):
        return True
    return not (_opens(rest, words) or rest[0].empty or _listed(rest[0].text, words.lists["proposal"]))


def _listed(text: str, entries: frozenset[str]) -> bool:
    return fold(text) in entries or singular(text) in entries


def _contains(spoken: str, entries: frozenset[str]) -> bool:
    """Whether one of the entries is said: as whole words, or anywhere in Chinese."""
    padded, joined = f" {spoken} ", spoken.replace(" ", "")
    return any(entry in joined if re.match(f"[{HAN}]", entry) else f" {entry} " in padded for entry in entries)
