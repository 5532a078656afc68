"""The words a question can be read by, per language: what each is about, and whether it says anything at all.

They come from `templates/questions/*.toml`. Matching ignores case, accents and plural endings; the longest
entry wins. French and Chinese questions are full of English terms, so the English words count there too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from debateroom import templates

DOMAINS = ("software", "product", "strategy")
"""The three fields with roles of their own."""
WEIGHTS: Mapping[str, int] = {"strong": 3, "plain": 2, "weak": 1}
_LONGEST_PREFIX = 24
LONGEST = 5
"""Words in the longest entry that is looked for."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
MARKS = "/,，、"
"""What parts words and is a token of its own."""
_TOKEN = re.compile(rf"[{HAN}]+|\.net\b|[^\W_{HAN}]+(?:[.+][^\W_{HAN}]+)*(?:\+\+|#)?|[/,，、]", re.I)
_ELISION = re.compile(r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu)'(?=\w)", re.I)
_CONTRACTION = re.compile(r"'(?:s|t|re|ve|ll|d|m)\b", re.I)


@dataclass(frozen=True, slots=True)
class Sense:
    """What one entry means."""

    domains: Mapping[str, int] = field(default_factory=dict)
    """Weight per field it speaks for; `outside` is everyday life."""
    empty: str = ""
    """`function` for grammar, `generic` for words that name nothing (`thing`, `improve`); else empty."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The entries of one language, ready to be looked up."""

    senses: Mapping[str, Sense]
    prefixes: Mapping[str, Sense]
    """Entries that end with `*`, without it."""
    cased: Mapping[str, Sense]
    """Names that are everyday words too (`Go`), as they must be written."""
    lists: Mapping[str, frozenset[str]]
    """`decision`, `proposal`, `choice`, `constraint`, `superlative`, `open`, `article`, `mention`: for `vague`."""
    longest_han: int
    """Characters of the longest Chinese entry."""

    def sense(self, words: Sequence[str]) -> Sense | None:
        """The meaning of consecutive words; None when the lexicon does not hold them.

        Accents decide where they can: `marche` (works) is not `marché` (market); else they are ignored.
        """
        for spelling in ([word.casefold() for word in words], [fold(word) for word in words]):
            found = self._spelled(spelling)
            if found is not None:
                return found
        return None

    def _spelled(self, words: Sequence[str]) -> Sense | None:
        head, last = " ".join(map(singular, words[:-1])), words[-1]
        found = self.senses.get(f"{head} {singular(last)}".strip())
        if found is not None:
            return found
        for end in range(min(len(last), _LONGEST_PREFIX), 1, -1):
            found = self.prefixes.get(f"{head} {last[:end]}".strip())
            if found is not None:
                return found
        return None


def fold(text: str) -> str:
    """`text` without case, accents and width: what two spellings of one word have in common."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(char for char in decomposed if not unicodedata.combining(char)))


def tokens(text: str) -> list[str]:
    """The words of `text` as written: a run of Han characters is one, commas and `/` stand alone, elisions go."""
    plain = _ELISION.sub("", text.replace("’", "'"))
    return _TOKEN.findall(_CONTRACTION.sub("", plain))


def singular(word: str) -> str:
    """`word` without its plural ending, the same for English and French, so that both sides of a match agree."""
    if len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith(("s", "eaux", "eux")) else word


@cache
def lexicon(language: str) -> Lexicon:
    """The entries for questions in `language`, the shared names and the English terms included."""
    names, english = templates.data("questions/names.toml"), templates.data("questions/en.toml")
    senses = _merged(_senses(names), _senses(english))
    sources = [english]
    if language != "en":
        own = templates.data(f"questions/{language}.toml")
        sources.append(own)
        for entry in _split(own.get("not_english", "")):
            senses.pop(_key(entry), None)
        senses |= _senses(own)
    return Lexicon(
        senses=_by_spelling({key: sense for key, sense in senses.items() if not key.endswith("*")}),
        prefixes=_by_spelling({key[:-1]: sense for key, sense in senses.items() if key.endswith("*")}),
        cased=_cased(names),
        lists={
            name: frozenset(fold(_key(entry)) for source in sources for entry in _split(source["empty"][name]))
            for name in english["empty"].keys() - {"function", "generic", "aim"}
        },
        longest_han=max((len(key) for key in senses if re.match(f"[{HAN}]", key)), default=0),
    )


def _senses(source: Mapping[str, Mapping[str, str]]) -> dict[str, Sense]:
    """Every entry of one file with its meaning."""
    domains: dict[str, dict[str, int]] = {}
    for domain in (*DOMAINS, "outside"):
        for strength, weight in WEIGHTS.items():
            for entry in _split(source.get(domain, {}).get(strength, "")):
                domains.setdefault(_key(entry), {}).setdefault(domain, weight)
    empty = {
        _key(entry): kind
        for kind in ("generic", "function")
        for entry in _split(source.get("empty", {}).get(kind, ""))
    }
    known = {_key(entry) for entry in _split(source.get("empty", {}).get("aim", ""))}
    return {key: Sense(domains.get(key, {}), empty.get(key, "")) for key in domains.keys() | empty.keys() | known}


def _merged(one: Mapping[str, Sense], other: Mapping[str, Sense]) -> dict[str, Sense]:
    """Both, and where both hold an entry the heavier of what each says about it."""
    merged = dict(one)
    for key, sense in other.items():
        known = merged.get(key, sense).domains
        heavier = {domain: max(weight, known.get(domain, 0)) for domain, weight in sense.domains.items()}
        merged[key] = Sense({**known, **heavier}, sense.empty)
    return merged


def _by_spelling(senses: Mapping[str, Sense]) -> dict[str, Sense]:
    """The entries as they are spelled, and without their accents where nothing else is spelled so."""
    return {fold(key): sense for key, sense in senses.items() if not key.isascii()} | dict(senses)


def _cased(names: Mapping[str, Mapping[str, str]]) -> dict[str, Sense]:
    return {
        entry: Sense({domain: WEIGHTS["strong"]})
        for domain in DOMAINS
        for entry in _split(names[domain].get("cased", ""))
    }


def _split(entries: str) -> Iterable[str]:
    return (entry.strip() for entry in entries.split(",") if entry.strip())


def _key(entry: str) -> str:
    """An entry as `Lexicon.sense` looks it up: lower case, its words singular, a final `*` kept."""
    star = "*" if entry.endswith("*") else ""
    words = [word.casefold() for word in tokens(entry.removesuffix("*")) if word not in MARKS]
    if star:
        return " ".join([*map(singular, words[:-1]), words[-1]]) + star
    return " ".join(map(singular, words))
