"""Structured data in a text: amounts, addresses, e-mails, IBANs, references, numbers, names. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_LOOKED_AT = 50_000
"""Characters of a text that are looked at."""


class Datum(NamedTuple):
    """One piece of data as it stands in a text."""

    kind: str
    """`email`, `link`, `iban`, `reference`, `amount`, `address`, `number` or `name`."""
    text: str


_CURRENCY = r"(?:CHF|EUR|USD|GBP|CNY|RMB|Fr\.|francs?|euros?|dollars?|€|\$|£|¥|元|块)"
_NUMBER = r"\d+(?:[.,'’\u202f\u00a0 ]\d{3})*(?:[.,]\d+)?"
_STREET = r"(?:street|st|road|rd|avenue|ave|lane|drive|boulevard|blvd|square|place|way)"
_RUE = r"(?:rue|avenue|chemin|route|place|boulevard|quai|impasse|allée|cours)"
_PATTERNS = (
    ("email", re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+")),
    ("link", re.compile(r"https?://[^\s<>\"'）)\]，。]+")),
    ("iban", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")),
    ("amount", re.compile(rf"{_CURRENCY}\s?{_NUMBER}|(?<![\w.,]){_NUMBER}\s?{_CURRENCY}(?![a-z])", re.IGNORECASE)),
    ("address", re.compile(
        rf"\b\d{{1,5}}[a-z]?,? (?:[A-Z][\w'’-]+ ){{1,3}}{_STREET}\b"
        rf"|\b{_RUE} (?:[\w'’-]+ ){{0,5}}?\d{{1,5}}[a-z]?\b|\b\d{{1,5}}[a-z]?,? {_RUE} (?:[\w'’-]+ ?){{1,4}}"
        r"|[\u4e00-\u9fff]{2,8}(?:路|街|大道|巷)\d{1,5}号", re.IGNORECASE)),
    ("reference", re.compile(
        r"(?<![\w@./-])#?(?=[\w./-]*\d)(?=[\w./-]*[A-Za-z])[A-Za-z0-9]+(?:[-_/.][A-Za-z0-9]+)*(?![\w@-])")),
    ("number", re.compile(r"(?<![\w.,-])#?\d[\d .'’-]{2,18}\d(?![\w-])")),
)  # fmt: skip
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+(?:[ -](?:de |du |la |von |van )?[A-ZÀ-Þ][\w'’-]+)+\b")
_ORDINARY = re.compile(
    r"(?:\d{1,2}(?:st|nd|rd|th|h|e|er|ère|ème|am|pm|kg|g|km|m|cm|mm|x|min|s|d)|[a-zà-ÿ]+\d?|[A-Z]?[a-z]+)$",
    re.IGNORECASE,
)
"""What looks like a reference and is a plain word, an ordinal or a measure."""


def in_text(text: str, *, names: bool = False) -> tuple[Datum, ...]:
    """The data in `text` in order, each piece once and as one kind; names of two words or more where asked for."""
    left, found = text[:_LOOKED_AT], []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(left):
            piece = match.group(0).strip(" .,'-")
            if kind == "reference" and (_ORDINARY.fullmatch(piece) or len(compact(piece)) < 3):
                continue
            found.append((match.start(), Datum(kind, piece)))
        left = pattern.sub(lambda match: "\0" * len(match.group(0)), left)
    if names:
        found += [(match.start(), Datum("name", match.group(0))) for match in _NAME.finditer(left)]
    seen: dict[str, Datum] = {}
    for _, datum in sorted(found):
        seen.setdefault(datum.text, datum)
    return tuple(seen.values())


def compact(text: str) -> str:
    """`text` with nothing but letters and figures, without case and accents."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(mark for mark in plain if mark.isalnum()).casefold()


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
        figure = _figure(datum.text)
        return any(_figure(match.group(0)) == figure for match in re.finditer(_NUMBER, text[:_LOOKED_AT]))
    plain = compact(datum.text)
    if datum.kind in ("address", "name"):
        return plain in compact(text)
    return any(plain == compact(other.text) for other in in_text(text))


def _figure(text: str) -> str:
    """The number in an amount, without separators of thousands and empty decimals."""
    match = re.search(_NUMBER, text)
    plain = re.sub(r"[\s'’\u202f\u00a0]", "", match.group(0)) if match else ""
    plain = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", plain)
    return (
        re.sub(r"[.,]0*$", "", plain.replace(",", ".")) if not re.search(r"\.\d*[1-9]", plain) else plain.rstrip("0")
    )
