"""A question cut into sentences and pieces: words, names, phrases, and what each is worth."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from debateroom.reading.lexicon import HAN, LONGEST, MARKS, Lexicon, Sense, fold, tokens

COMMAS = ",，、"
LOOKED_AT = 20_000
"""Characters of a question that are looked at: a pasted log must not make it slow."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|[\n;]+")
_QUOTED = re.compile(r"[\"“”«「『]([^\"“”«»「」『』\n]{1,40})[\"“”»」』]|(?<!\w)['‘]([^'‘’\n]{1,40})['’](?!\w)")
_TECHNICAL: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"\b\w{1,60}(?:Error|Exception)\b"), 3),
    (re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b"), 2),
    (re.compile(r"\b\w{1,60}\(\)"), 2),
    (re.compile(r"(?<![\w/.:])/[a-z][\w-]*(?:/[\w-]+)*"), 2),
    (
        re.compile(
            r"\b[\w-]{1,60}\.(?:py|js|ts|tsx|jsx|rs|java|kt|rb|cs|cpp|sql|sh|ya?ml|toml|json|csv|xml|proto|tf|log)\b"
        ),
        2,
    ),
    (re.compile(r"\b\d+(?:[.,]\d+)?\s?(?:ms|GB|TB|MB|KB|Go|To|Mo|Ko|GiB|MiB|rps|qps|QPS|TPS|vCPU|LOC)\b"), 2),
    (re.compile(r"\bp(?:50|9\d|99\d)\b", re.I), 2),
    (re.compile(r"\b(?:HTTP )?(?:4\d\d|5\d\d)s? (?:errors?|responses?)\b|\b(?:erreurs?|HTTP) (?:4\d\d|5\d\d)\b"), 2),
    (re.compile(r"`[^`]+`|```"), 2),
    (re.compile(r"(?<!\S)--?[a-z][\w-]*(?!\S)"), 1),
)
"""What only engineers write: names of errors, identifiers, paths, file names, units. With its weight."""
_MONEY = re.compile(
    r"[$€£¥]\s?\d|\d\s?(?:k|m|M)?\s?[$€£¥]|\d\s?(?:euros?|dollars?|USD|EUR|RMB)\b|[\d一二三四五六七八九十百千两]+\s?(?:万元|万块|万|亿|块钱)(?![行条级用次人])"
)
"""An amount: a faint sign of a business decision."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry of the lexicon, or one word it does not hold."""

    text: str
    """Folded."""
    raw: str
    """As written."""
    domains: Mapping[str, int] = field(default_factory=dict)
    empty: str = ""
    """`function`, `generic`, or empty for a word that names something."""
    units: int = 1
    """How many words it is worth; an unknown run of Chinese counts one for two characters."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a question."""

    text: str
    pieces: tuple[Piece, ...]
    technical: int = 0
    """Weight of what only engineers write."""
    money: bool = False
    """It names an amount of money."""

    @property
    def asks(self) -> bool:
        """Whether it ends like a question."""
        return self.text.rstrip(" \"'”»)）").endswith(("?", "？"))


def sentences(text: str, words: Lexicon) -> list[Sentence]:
    """The sentences of `text` with their pieces. Words that are only mentioned lose their meaning."""
    found: list[Sentence] = []
    for part in _SENTENCE.split(text[:LOOKED_AT]):
        spoken = _unmention(part, words)
        pieces = tuple(_pieces(spoken, words))
        if pieces:
            technical = sum(weight for pattern, weight in _TECHNICAL if pattern.search(spoken))
            found.append(Sentence(part.strip(), pieces, technical, bool(_MONEY.search(spoken))))
    return found


def _unmention(text: str, words: Lexicon) -> str:
    """`text` with what stands in quotes beside "the word" replaced: such a word is not what the question is about."""

    def blank(match: re.Match[str]) -> str:
        before, after = fold(text[: match.start()])[-14:], fold(text[match.end() :])[:6]
        near = [*tokens(before)[-2:], *tokens(after)[:1]]
        mentioned = any(
            name in near or (re.match(f"[{HAN}]", name) and any(name in n for n in near))
            for name in words.lists["mention"]
        )
        return " quotedword " if mentioned else match.group()

    return _QUOTED.sub(blank, text)


def _pieces(text: str, words: Lexicon) -> Iterator[Piece]:
    """The pieces of one sentence, longest entry first."""
    raw = tokens(text)
    folded = [fold(token) for token in raw]
    at = 0
    while at < len(raw):
        if re.match(f"[{HAN}]", raw[at]):
            yield from _han_pieces(folded[at], words)
            at += 1
            continue
        if raw[at] in words.cased and _meant_as_name(raw, at):
            yield Piece(folded[at], raw[at], words.cased[raw[at]].domains)
            at += 1
            continue
        size, sense = _longest(raw, at, words)
        yield _piece(" ".join(folded[at : at + size]), " ".join(raw[at : at + size]), sense)
        at += size


def _meant_as_name(raw: list[str], at: int) -> bool:
    """Whether a capital means a name: not at the start of a sentence, unless a choice follows (`Go or Rust?`)."""
    choice = ("or", "vs", "versus", "ou", "还是", "或", "/", "and", "et")
    return at > 0 or (len(raw) > 1 and raw[1].lower().startswith(choice))


def _longest(raw: list[str], at: int, words: Lexicon) -> tuple[int, Sense | None]:
    """How many words from `at` the longest entry takes, and its meaning; `(1, None)` for an unknown word.

    A stroke inside an entry (`CI/CD`) is skipped; between unknown words it stays a piece of its own.
    """
    for size in range(min(LONGEST + 1, len(raw) - at), 0, -1):
        window = raw[at : at + size]
        if window[0] in MARKS or window[-1] in MARKS or any(comma in window for comma in COMMAS):
            continue
        sense = words.sense([word for word in window if word != "/"])
        if sense is not None:
            return size, sense
    return 1, None


def _piece(text: str, raw: str, sense: Sense | None) -> Piece:
    if sense is not None:
        return Piece(text, raw, sense.domains, sense.empty)
    if raw in MARKS or text.isdigit():
        return Piece(text, raw, empty="function")
    return Piece(text, raw, empty="generic" if len(text) == 1 else "")


def _han_pieces(run: str, words: Lexicon) -> Iterator[Piece]:
    """A run of Chinese cut by the longest entries; what lies between them is unknown, and worth its length."""
    unknown, at = "", 0
    while at < len(run):
        for size in range(min(words.longest_han, len(run) - at), 0, -1):
            sense = words.senses.get(run[at : at + size])
            if sense is not None:
                if unknown:
                    yield _unknown_han(unknown)
                    unknown = ""
                yield Piece(run[at : at + size], run[at : at + size], sense.domains, sense.empty)
                at += size
                break
        else:
            unknown += run[at]
            at += 1
    if unknown:
        yield _unknown_han(unknown)


def _unknown_han(run: str) -> Piece:
    return Piece(run, run, units=math.ceil(len(run) / 2))
