"""The three languages debateroom speaks: which one a text is in, and the labels a reply carries in each."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from debateroom import templates
from debateroom.errors import DebateroomError, Wording
from debateroom.messages import Kind

LANGUAGES = ("en", "fr", "zh")
E = TypeVar("E", bound=DebateroomError)

SECTIONS: Mapping[Kind, tuple[str, ...]] = {
    "opening": ("position", "reasoning", "proposal", "concerns", "confidence"),
    "debate": ("agreements", "disagreements", "refined_proposal", "endorses", "confidence"),
}
"""Keys of the sections asked for, in order: the English label, lower case, with underscores."""

LABELS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "position": "POSITION",
        "reasoning": "REASONING",
        "proposal": "PROPOSAL",
        "concerns": "CONCERNS",
        "agreements": "AGREEMENTS",
        "disagreements": "DISAGREEMENTS",
        "refined_proposal": "REFINED PROPOSAL",
        "endorses": "ENDORSES",
        "confidence": "CONFIDENCE",
    },
    "fr": {
        "position": "POSITION",
        "reasoning": "RAISONNEMENT",
        "proposal": "PROPOSITION",
        "concerns": "PRÉOCCUPATIONS",
        "agreements": "ACCORDS",
        "disagreements": "DÉSACCORDS",
        "refined_proposal": "PROPOSITION AFFINÉE",
        "endorses": "SOUTIENT",
        "confidence": "CONFIANCE",
    },
    "zh": {
        "position": "立场",
        "reasoning": "理由",
        "proposal": "提案",
        "concerns": "顾虑",
        "agreements": "共识",
        "disagreements": "分歧",
        "refined_proposal": "修订提案",
        "endorses": "支持",
        "confidence": "信心",
    },
}
"""The label of each section as prompts ask for it and replies carry it."""


def say(language: str, key: str, /, **values: object) -> str:
    """A message to the user in `language`, from `templates/labels/<language>.toml`, with `{name}` filled in.

    One that counts something has several forms, of which `count` chooses: the first for one, the last for many.
    Whole numbers are written as the language writes them; what has decimals comes from `number`.
    """
    found: str | list[str] = templates.data(f"labels/{language}.toml")[key]
    text = found if isinstance(found, str) else found[0 if is_singular(language, values["count"]) else -1]
    shown = {name: number(language, value) if isinstance(value, int) else value for name, value in values.items()}
    return text.format(**shown) if values else text


def number(language: str, value: float, decimals: int = 0) -> str:
    """`value` as people write it in `language`: `8,300.5` in English and Chinese, `8 300,5` in French."""
    return in_marks(language, f"{value:,.{decimals}f}")


_LEAST_DECIMALS, _MOST_DECIMALS = 2, 9


def amount(language: str, dollars: float) -> str:
    """US dollars as people read them: at least two decimals, and so many that two figures show: `2.00`, `0.0012`."""
    decimals = 2 if not dollars else min(max(2, 1 - math.floor(math.log10(abs(dollars)))), _MOST_DECIMALS)
    written = f"{dollars:,.{decimals}f}"
    while len(written.partition(".")[2]) > _LEAST_DECIMALS and written.endswith("0"):
        written = written[:-1]
    return in_marks(language, written)


def in_marks(language: str, written: str) -> str:
    """A number written in the English way, with the marks for thousands and decimals that `language` has."""
    marks = {",": say(language, "thousands"), ".": say(language, "decimal")}
    return "".join(marks.get(character, character) for character in written)


def worded(cls: type[E], *sentences: Wording, hint: Wording | str | None = None, **given: Any) -> E:
    """An error in English that `spoken` can say in another language; a `hint` that is a command stands as it is."""
    said = say("en", hint.key, **hint.figures) if isinstance(hint, Wording) else hint
    error = cls(_together("en", sentences), hint=said, **given)
    error.wording = sentences
    error.hint_wording = hint if isinstance(hint, Wording) else None
    return error


def spoken(error: E, language: str) -> E:
    """`error`, its message and hint in `language` from now on; what nobody worded stays as it is."""
    if error.wording:
        error.args = (_together(language, error.wording),)
    if error.hint_wording:
        error.hint = say(language, error.hint_wording.key, **error.hint_wording.figures)
    error.language = language
    return error


def _together(language: str, sentences: Sequence[Wording]) -> str:
    """Sentences one after the other, each with an end: what is quoted in one may have none."""
    said = [say(language, key, **figures) for key, figures in sentences]
    ended = [text if text.endswith(_ENDS) else text + say(language, "full_stop") for text in said[:-1]]
    return say(language, "between_sentences").join([*ended, *said[-1:]])


_ENDS = tuple(".!?…。！？")


def is_singular(language: str, count: object) -> bool:
    """Whether a noun after `count` is in the singular: after 1, in French after 0 too."""
    return count == 1 or (count == 0 and language == "fr")


_LOOKED_AT = 20_000
"""Characters of a text that are looked at: a pasted log must not make a question slow."""
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\b\w{1,12}://\S+|(?<!\S)\S{1,80}@\S{1,80}\.\w+|(?<!\w)(?:[.~]{0,2}/[\w.-]+)+|(?<!\w)--?\w[\w-]*",
    re.S,
)
"""Code, addresses, paths and options: their words belong to no language."""
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_OTHER_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ELISION = re.compile(r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu)['’](?=[^\W\d_])")
_CONTRACTION = re.compile(r"['’](?:s|t|re|ve|ll|d|m)\b")
_FRENCH_LETTER = re.compile("[àâæçèéêëîïôùûœ]")
_FRENCH_ENDING = re.compile(
    "(?:aux|eux|euse|euses|eur|eurs|ité|ités|ement|ements|ière|ières|oire|oires|ons|ez|aient|iser|ifier|cher|quer)$"
)
_FRENCH_SPACING = re.compile(r"\w[\u0020\u00a0\u202f][?!:;](?:\s|$)|«")

_FOREIGN_LETTER = re.compile("[ãõñßåøäö¿¡]")


def detect_language(text: str) -> str:
    """`en`, `fr` or `zh`: the language a question is written in, `en` when nothing else speaks clearly.

    Chinese goes by the share of Han characters, so English terms inside it do not count; kana and hangul mean
    that it is not Chinese. French needs more French function words, letters and endings than English ones.
    Code, addresses, paths and options are left out.
    """
    prose = _NOT_PROSE.sub(" ", unicodedata.normalize("NFC", text[:_LOOKED_AT]))
    words = _WORD.findall(_HAN.sub(" ", prose))
    if _is_chinese(prose, words):
        return "zh"
    return "fr" if _french_votes(prose) > 0 else "en"


def _is_chinese(prose: str, words: list[str]) -> bool:
    """Whether Han characters carry the sentence. An English function word weighs like three: names do not."""
    han = len(_HAN.findall(prose))
    if not han or len(_OTHER_EAST_ASIAN.findall(prose)) * 5 > han:
        return False
    vocabulary = _function_words()
    latin = sum(3 if word in vocabulary.english or word in vocabulary.french else 1 for word in words)
    return han / (han + latin) >= 0.3


def _french_votes(prose: str) -> float:
    """Evidence for French less evidence for English; above 0 is French."""
    lower = prose.lower()
    elided = _ELISION.sub("", lower)
    words = _WORD.findall(_CONTRACTION.sub("", elided))
    votes = [1.0] * len(_ELISION.findall(lower)) + [-1.0] * len(_CONTRACTION.findall(elided))
    votes += [vote for vote in map(_vote, words) if vote]
    if words[:1] == ["on"] and (_FRENCH_SPACING.search(prose) or any(vote > 0 for vote in votes)):
        votes.append(1.6)  # "on recrute ?": there it is the French subject, elsewhere the English preposition
    # a space before "?" alone says only how the writer types
    if votes and _FRENCH_SPACING.search(prose):
        votes.append(0.4)
    return sum(votes)


def _vote(word: str) -> float:
    """What one lower-case word says: above 0 for French, below 0 against it, 0 nothing."""
    vocabulary = _function_words()
    if word in vocabulary.french:
        return 0.6 if word in vocabulary.neighbours else 1.0
    if word in vocabulary.english or word in vocabulary.neighbours or _FOREIGN_LETTER.search(word):
        return -1.0
    if _FRENCH_LETTER.search(word):
        return 0.9
    return 0.3 if _FRENCH_ENDING.search(word) else 0.0


class _FunctionWords(NamedTuple):
    english: frozenset[str]
    french: frozenset[str]
    neighbours: frozenset[str]


@cache
def _function_words() -> _FunctionWords:
    """The short words that give a language away, without those that English and French share (`a`, `on`)."""
    words = {
        name: frozenset(value.split()) for name, value in templates.data("questions/function_words.toml").items()
    }
    shared = words["english"] & words["french"]
    return _FunctionWords(words["english"] - shared, words["french"] - shared, words["neighbours"])
