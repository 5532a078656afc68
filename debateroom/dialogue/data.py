"""Structured data in a text: amounts, addresses, e-mails, IBANs, references, numbers, names. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from debateroom.dialogue import amounts
from debateroom.reading.phrases import word_set
from debateroom.reading.words import FUNCTION_WORDS

_LOOKED_AT = 50_000
"""Characters of a text that are looked at."""


class Datum(NamedTuple):
    """One piece of data as it stands in a text."""

    kind: str
    """`email`, `link`, `iban`, `reference`, `amount`, `address`, `number` or `name`."""
    text: str


_CURRENCY = r"(?:CHF|EUR|USD|GBP|CNY|RMB|Fr\.|francs?|euros?|dollars?|€|\$|£|¥|元|块)"
_NUMBER = r"\d+(?:[.,'’\u202f\u00a0 ]\d{3})*(?:[.,]\d+)?"
_LETTER = "[^\\W\u4e00-\u9fff]"
"""A letter or digit, but for Chinese: that writes no space before a name or number."""
_STREET = r"(?:street|st|road|rd|avenue|ave|lane|drive|boulevard|blvd|square|place|way)"
_RUE = r"(?:rue|avenue|chemin|route|place|boulevard|quai|impasse|allée|cours)"
_PATTERNS = (
    ("email", re.compile(rf"(?:{_LETTER}|[.+-]){{1,64}}@(?:{_LETTER}|-){{1,64}}(?:\.(?:{_LETTER}|-){{1,64}})+")),
    ("link", re.compile(r"https?://[^\s<>\"'）)\]，。]+")),
    ("iban", re.compile(
        r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])")),
    ("amount", re.compile(
        rf"{_CURRENCY}\s?{_NUMBER}(?!\d*[十百千万亿])|(?<![A-Za-z_\d.,]){_NUMBER}\s?{_CURRENCY}(?![a-z])|{amounts.PATTERN}",
        re.IGNORECASE)),
    ("address", re.compile(
        rf"\b\d{{1,5}}[a-z]?,? (?:[A-Z][\w'’-]+ ){{1,3}}{_STREET}\b"
        rf"|\b{_RUE} (?:[\w'’-]+ ){{0,5}}?\d{{1,5}}[a-z]?\b|\b\d{{1,5}}[a-z]?,? {_RUE} (?:[\w'’-]+ ?){{1,4}}"
        r"|[\u4e00-\u9fff]{2,8}(?:路|街|大道|巷)\d{1,5}号", re.IGNORECASE)),
    ("reference", re.compile(
        rf"(?<![@./-])(?<!{_LETTER})#?(?=[A-Za-z_./-]*\d)(?=[0-9_./-]*[A-Za-z])[A-Za-z0-9]+(?:[-_/.][A-Za-z0-9]+)*"
        rf"(?![@-])(?!{_LETTER})")),
    ("number", re.compile(rf"(?<![.,-])(?<!{_LETTER})#?\d[\d .'’-]{{2,18}}\d(?!-)(?!{_LETTER})")),
)  # fmt: skip
_SPOKEN = re.compile(amounts.PATTERN, re.IGNORECASE)
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+(?:[ -](?:de |du |la |von |van )?[A-ZÀ-Þ][\w'’-]+)+\b")
_ALONE = re.compile(r"(?<=[a-zà-ÿ,] )[*_\"«“(]{0,3}(?P<name>[A-ZÀ-Þ][a-zà-ÿ]{2,}(?:[-'’][A-Za-zÀ-ÿ]+)*)\b")
_NO_NAMES = (
    FUNCTION_WORDS["en"]
    | FUNCTION_WORDS["fr"]
    | word_set(
        "january february march april may june july august september october november december monday tuesday",
        "wednesday thursday friday saturday sunday english french chinese german swiss european internet web google",
        "excel monsieur madame mister miss dear hello thanks please found missing note total summary next step steps",
        "option janvier lundi cher chère bonjour merci",
    )
)
"""Words with a capital letter that name nobody and no place."""
_ORDINARY = re.compile(
    r"(?:\d{1,2}(?:st|nd|rd|th|h|e|er|ère|ème|am|pm|kg|g|km|m|cm|mm|x|min|s|d)|[a-zà-ÿ]+\d?|[A-Z]?[a-z]+)$",
    re.IGNORECASE,
)
"""What looks like a reference and is a plain word, an ordinal or a measure."""


def in_text(text: str, *, names: bool = False) -> tuple[Datum, ...]:
    """The data in `text` in order, each piece once, as it stands there and as one kind.

    Full-width signs are read as the plain ones. Names are found where they are asked for: words with a capital
    letter, one alone only in the middle of a sentence.
    """
    left, found = plain(text[:_LOOKED_AT]), []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(left):
            piece = match.group(0).strip(" .,'-")
            if kind == "reference" and (_ORDINARY.fullmatch(piece) or len(compact(piece)) < 3):
                continue
            found.append((match.start(), Datum(kind, _raw(text, match, piece))))
        left = pattern.sub(lambda match: "\0" * len(match.group(0)), left)
    if names:
        found += _names(text, left)
    seen: dict[str, Datum] = {}
    for _, datum in sorted(found):
        seen.setdefault(datum.text, datum)
    return tuple(seen.values())


def _names(text: str, left: str) -> Iterator[tuple[int, Datum]]:
    """Where names stand in `text`, of which `left` is what is no other data."""
    for match in _NAME.finditer(left):
        words = match.group(0).split(" ")
        while words and words[0].casefold() in _NO_NAMES:  # `The Luminex`: the sentence begins there
            words.pop(0)
        if words:
            yield match.start(), Datum("name", _raw(text, match, " ".join(words)))
    for match in _ALONE.finditer(_NAME.sub(lambda name: "\0" * len(name.group(0)), left)):
        if match["name"].casefold() not in _NO_NAMES:
            yield match.start(), Datum("name", _raw(text, match, match["name"]))


def plain(text: str) -> str:
    """`text` with full-width letters, digits and signs as the plain ones, each at its place."""
    return "".join(_narrow(mark) if not mark.isascii() else mark for mark in text)


def _narrow(mark: str) -> str:
    other = unicodedata.normalize("NFKC", mark)
    return other if len(other) == 1 else mark


def _raw(text: str, match: re.Match[str], piece: str) -> str:
    """`piece` of a match in the plain text, as it is written in `text`."""
    start = match.start() + match.group(0).index(piece)
    return text[start : start + len(piece)]


def compact(text: str) -> str:
    """`text` with nothing but letters and figures, without case and accents."""
    letters = unicodedata.normalize("NFKD", text)
    return "".join(mark for mark in letters if mark.isalnum()).casefold()


def stands_in(datum: Datum, text: str) -> bool:
    """Whether `text` holds the piece of data exactly as it is written."""
    at = text.find(datum.text)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(datum.text) : at + len(datum.text) + 1]
        if not (_joins(before, datum.text[0]) or _joins(datum.text[-1], after)):
            return True
        at = text.find(datum.text, at + 1)
    return False


def _joins(one: str, other: str) -> bool:
    """Whether two neighbours belong to one word or number."""
    return bool(one and other) and (
        (one.isdigit() and other.isdigit())
        or (one.isascii() and other.isascii() and one.isalnum() and other.isalnum())
    )


def known_in(datum: Datum, text: str) -> bool:
    """Whether `text` holds the piece of data, be it written another way: `CHF 1'200.-` and `1200 CHF`."""
    if stands_in(datum, text):
        return True
    if datum.kind == "amount":
        return _figure(datum.text) in _figures(text)
    bare = compact(datum.text)
    if datum.kind in ("address", "name"):
        return bare in compact(text)
    return any(bare == compact(other.text) for other in in_text(text))


def _figures(text: str) -> set[str]:
    """All numbers in `text`, those of amounts in words included."""
    left = plain(text[:_LOOKED_AT])
    said = {_figure(match.group(0)) for match in _SPOKEN.finditer(left)}
    return said | {_figure(match.group(0)) for match in re.finditer(_NUMBER, left)}


def _figure(text: str) -> str:
    """The number in an amount, without separators of thousands and empty decimals."""
    narrow = plain(text)
    if _SPOKEN.fullmatch(narrow.strip()):
        return amounts.figure(narrow)
    match = re.search(_NUMBER, narrow)
    digits = re.sub(r"[\s'’\u202f\u00a0]", "", match.group(0)) if match else ""
    digits = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", digits).replace(",", ".")
    return re.sub(r"\.?0*$", "", digits) if "." in digits else digits
