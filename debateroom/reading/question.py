"""What a question is about, in which language, and whether it is too vague to debate. Rules, not a model call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from debateroom.language import detect_language
from debateroom.reading.lexicon import DOMAINS, lexicon
from debateroom.reading.pieces import Sentence, sentences
from debateroom.reading.sharpening import sharpen
from debateroom.reading.vagueness import vague

__all__ = ["Question", "classify_question", "sharpen"]

ENOUGH = 2.0
"""Weight a field needs before it is named: one plain word, or two weak ones."""
ASKED = 1.5
"""What a word in the sentence that asks weighs more than one in the background."""
TOPIC_OF_AN_APP = 0.3
"""What everyday words weigh beside "app" or "site": a meditation app is a product, not a hobby."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was understood."""

    domain: str | None
    """`software`, `product`, `strategy`, or None outside the three: the strategy roles then serve."""
    vague: bool
    """It names no object, or nothing to judge it by."""
    language: str
    """`en`, `fr` or `zh`."""


def classify_question(text: str) -> Question:
    """The field, the vagueness and the language of a question. An instruction inside it is text like any other."""
    language = detect_language(text)
    words = lexicon(language)
    parts = sentences(text, words)
    return Question(_domain(parts, language), vague(parts, words), language)


def _domain(parts: Sequence[Sentence], language: str) -> str | None:
    """The field that most of what is said speaks for; on equal weights the earlier of software, product, strategy."""
    if not any(not piece.empty for part in parts for piece in part.pieces):
        return None
    scores = _scores(parts, language)
    best = max(DOMAINS, key=lambda domain: scores[domain])
    return best if scores[best] >= max(ENOUGH, scores["outside"]) else None


def _scores(parts: Sequence[Sentence], language: str) -> dict[str, float]:
    """Weight per field: each word once, a word in an asking sentence more."""
    asking = any(part.asks for part in parts) and not all(part.asks for part in parts)
    scores = dict.fromkeys((*DOMAINS, "outside"), 0.0)
    seen: set[str] = set()
    for part in sorted(parts, key=lambda part: not part.asks):
        factor = ASKED if asking and part.asks else 1.0
        scores["software"] += factor * part.technical
        scores["strategy"] += factor * part.money
        for piece in part.pieces:
            if piece.text not in seen:
                seen.add(piece.text)
                for domain, weight in piece.domains.items():
                    scores[domain] += factor * weight
    if seen & lexicon(language).lists["app"]:
        scores["outside"] *= TOPIC_OF_AN_APP
    return scores
