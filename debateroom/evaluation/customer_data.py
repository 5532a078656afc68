"""Data in what a customer says: e-mails, phones, ids, amounts, dates, quotations, in English, French and Chinese.

Each piece has the keys by which it is compared: what is written in another way has a key in common. Not here: what
a customer may say (see `customer_text`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from debateroom.evaluation.number_words import in_digits

Kind = Literal["email", "phone", "id", "amount", "date", "quote"]

_LOOKED_AT = 20_000
"""Characters of a text that are looked at."""


class Datum(NamedTuple):
    """One piece of data in a text."""

    kind: Kind
    text: str
    """As it reads with full-width signs and Chinese numerals as ASCII."""
    keys: frozenset[str]
    """What it is compared by."""


def data_in(text: str) -> tuple[Datum, ...]:
    """The data in `text`, each piece as one kind; quotations beside the data that stand in them."""
    left = even(text)
    found = list(_quotations(left))
    for kind, pattern, keys in _PATTERNS:
        for match in pattern.finditer(left):
            if made := keys(match):
                found.append(Datum(kind, match[0].strip(" .,:;-("), frozenset(made)))
        left = pattern.sub(lambda match: "\0" * len(match[0]) if keys(match) else match[0], left)  # noqa: B023
    return tuple({(each.kind, each.text): each for each in found}.values())


def even(text: str) -> str:
    """`text` with one form for each sign, and numerals that mean a number written as digits."""
    plain = "".join(
        str(unicodedata.decimal(letter)) if letter.isdecimal() else letter
        for letter in unicodedata.normalize("NFKC", text[:_LOOKED_AT])
    )
    plain = _HAN_DIGITS.sub(lambda match: "".join(_HAN[each] for each in match[0]), plain)
    plain = _HAN_NUMBER.sub(lambda match: _han_number(match[0]), plain)
    plain = _MYRIAD.sub(lambda match: f"{float(match[1]) * 10_000:.0f}", plain)
    return in_digits(plain, currency=_CURRENCY_BEHIND, month=MONTH)


def folded(text: str) -> str:
    """`text` without case, accents and runs of spaces: what quotations and words are compared by."""
    bare = "".join(mark for mark in unicodedata.normalize("NFKD", text) if not unicodedata.combining(mark))
    return " ".join(bare.casefold().split())


_HAN = dict(zip("零〇一二三四五六七八九", "00123456789", strict=True))
_HAN_DIGITS = re.compile(r"[零〇一二三四五六七八九]{4,}(?![十百千万])")
"""Digits said one by one: 一九一二二."""
_HAN_NUMBER = re.compile(
    r"(?<![零〇一二两三四五六七八九十百千])[零〇一二两三四五六七八九十百千]{1,12}+(?=万?\s?(?:元|块|欧|美元|英镑))|"
    r"[一二三四五六七八九十]{1,3}(?=月[一二三四五六七八九十\d]{1,3}[日号])|(?<=月)[一二三四五六七八九十]{1,3}(?=[日号])"
)
_MYRIAD = re.compile(r"(\d{1,6}(?:\.\d{1,4})?)万")
_UNITS = {"十": 10, "百": 100, "千": 1000}


def _han_number(text: str) -> str:
    """五千三百 as 5300."""
    total, digit = 0, 0
    for letter in text:
        if letter in _UNITS:
            total += (digit or 1) * _UNITS[letter]
            digit = 0
        else:
            digit = 2 if letter == "两" else int(_HAN[letter])
    return str(total + digit)


_QUOTED = re.compile(
    r"\"([^\"\n]{2,200})\"|“([^“”\n]{2,200})”|«\s?([^«»\n]{2,200}?)\s?»|「([^「」\n]{2,200})」|『([^『』\n]{2,200})』|"
    r"(?<![\w])‘([^‘’\n]{2,200})’(?!\w)"
)


def _quotations(text: str) -> Iterator[Datum]:
    for match in _QUOTED.finditer(text):
        inner = next(group for group in match.groups() if group)
        yield Datum("quote", inner.strip(), frozenset({folded(inner).strip(" .,;:!?。，！？")}))


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan janvier janv", "february feb février fevrier févr", "march mar mars", "april apr avril avr",
            "may mai", "june jun juin", "july jul juillet juil", "august aug août aout",
            "september sept sep septembre",
            "october oct octobre", "november nov novembre", "december dec décembre decembre déc",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        ("monday lundi 一 1", "tuesday mardi 二 2", "wednesday mercredi 三 3", "thursday jeudi 四 4",
         "friday vendredi 五 5", "saturday samedi 六 6", "sunday dimanche 日 天 7")
    )
    for name in names.split()
}  # fmt: skip
_EN_DAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_FR_DAY = "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"

_NUMBER = r"\d{1,3}(?:[ ,.'’]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?"
_CURRENCY_BEFORE = r"[€$£¥]|(?:EUR|USD|GBP|CNY|RMB|CHF)\b|人民币"
_CURRENCY_BEHIND = (
    r"[€$£¥]|元|块钱?|欧元?|美元|人民币|(?:EUR|USD|GBP|CNY|RMB|CHF|euros?|dollars?|pounds?|quid|bucks?|yuans?|"
    r"francs?|kuai|balles)(?![A-Za-z])"
)


_COUNTED = (
    r"(?:times|days?|hours?|minutes?|weeks?|years?|people|fois|jours?|heures?|semaines?|ans|années?|personnes|km|kg|"
    r"grams?|grammes?|cm|ml)\b|[次遍天个人年]|小时|分钟|公里|公斤"
)
"""What a plain number may count: then it is no id and no sum."""
_NOT_ON = rf"(?![\dA-Za-z_@%:]|\s?(?:%|{_COUNTED})|[.,:]\d)"
"""A plain number is at its end."""


def figure(text: str) -> str:
    """The number in a text as plain digits, without marks for thousands and empty decimals; empty without one."""
    match = re.search(_NUMBER, text)
    if match is None:
        return ""
    plain = re.sub(r"[ '’]", "", match[0])
    plain = re.sub(r"[.,](?=\d{3}(?!\d))", "", plain).replace(",", ".")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _digits(text: str) -> str:
    """The letters and digits of a text, without case."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _email(match: re.Match[str]) -> set[str]:
    plain = match[0].casefold().rstrip(".")
    if "@" not in plain:
        plain = "{}@{}.{}".format(*(group for group in match.groups() if group)).casefold()
    return {f"email {plain}"}


def _date(match: re.Match[str]) -> set[str]:
    """`date y-m-d` for each reading; without a year `date m-d`, which is a key of the whole date as well."""
    part = match.groupdict()
    if part["m"] == "may":  # the verb: the month has a capital letter
        return set()
    year, month, day = part.get("y") or "", part["m"], part.get("d") or ""
    month = str(_MONTHS.get(month.casefold().rstrip("."), month))
    readings = {(month, day)}
    if part.get("either"):
        readings.add((day, month))
    keys = set()
    for one, other in readings:
        if int(one) > 12 or (other and int(other) > 31):
            continue
        end = f"{int(one)}-{int(other)}" if other else f"{int(one)}"
        keys.add(f"date {end}")
        if year:
            keys.add(f"date {int(year) + 2000 if len(year) == 2 else int(year)}-{end}")
    return keys


def _weekday(match: re.Match[str]) -> set[str]:
    name = next(group for group in match.groups() if group)
    return {f"weekday {_WEEKDAYS[name.casefold()]}"}


def _amount(match: re.Match[str]) -> set[str]:
    return {f"figure {figure(match[0])}"}


def _phone(match: re.Match[str]) -> set[str]:
    """All its digits, and without the country's code or the leading 0, which people leave out."""
    whole = _digits(match[0])
    if len(whole) < 7:
        return set()
    short = whole[2:] if whole.startswith("00") else whole
    return {f"id {whole}", f"id {short.lstrip('0')}"} | (
        {f"id {short[cut:].lstrip('0')}" for cut in (1, 2, 3) if len(short) - cut >= 7}
        if match[0].lstrip("( ").startswith(("+", "00"))
        else set()
    )


def _reference(match: re.Match[str]) -> set[str]:
    """The id without signs and case; its digits alone are how people say it, from the third on: `tail`."""
    whole = _digits(match[0])
    digits, letters = re.sub(r"\D", "", whole), re.sub(r"[\d]", "", match[0])
    shouted = letters.isupper() and len(whole) >= 5
    if len(digits) < 3 and not (digits and shouted):
        return set()
    return {f"id {whole}"} | ({f"tail {digits}"} if len(digits) >= 3 else set())


def _number(match: re.Match[str]) -> set[str]:
    whole = _digits(match[0])
    return {f"id {whole}", f"figure {figure(match[0])}"}


_PATTERNS: tuple[tuple[Kind, re.Pattern[str], Callable[[re.Match[str]], set[str]]], ...] = (
    ("email", re.compile(
        r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64})+"
        r"|([A-Za-z0-9._+-]{1,64})\s?[\[( ]\s?(?:at|arobase)\s?[\]) ]\s?([A-Za-z0-9-]{1,64})\s?[\[( ]\s?(?:dot|point)"
        r"\s?[\]) ]\s?([A-Za-z]{2,20})", re.IGNORECASE), _email),
    ("date", re.compile(r"(?<![\d.-])(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?![\d-])"), _date),
    ("date", re.compile(r"(?:(?P<y>\d{4})\s?年\s?)?(?<!\d)(?P<m>\d{1,2})\s?月\s?(?:(?P<d>\d{1,2})\s?[日号])"), _date),
    ("date", re.compile(
        r"(?<![\d./-])(?P<m>\d{1,2})(?P<either>[/.-])(?P<d>\d{1,2})[/.-](?P<y>(?:19|20)?\d\d)"
        r"(?![\d/-]|\.\d)"), _date),
    ("date", re.compile(
        r"(?:\b(?:on|since|from|dated|le|du|au)\s)(?P<m>\d{1,2})(?P<either>[/.])(?P<d>\d{1,2})(?![\d/]|\.\d)",
        re.IGNORECASE), _date),
    ("date", re.compile(
        rf"\b(?P<m>{MONTH})\b\.?\s(?:the\s)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,?\s(?P<y>(?:19|20)\d\d)(?!\d))?",
        re.IGNORECASE), _date),
    ("date", re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th|er)?\s(?:of\s)?(?P<m>{MONTH})\b\.?(?:,?\s(?P<y>(?:19|20)\d\d)(?!\d))?",
        re.IGNORECASE), _date),
    ("date", re.compile(
        rf"\b(?:last|past|this|next|on|since)\s({_EN_DAY})\b|\b({_FR_DAY})\s(?:dernier|passé|prochain)\b"
        rf"|\b(?:depuis|ce)\s({_FR_DAY})\b|[上下这本]个?(?:周|星期|礼拜)([一二三四五六日天1-7])",
        re.IGNORECASE), _weekday),
    ("amount", re.compile(
        rf"(?:{_CURRENCY_BEFORE})\s?(?:{_NUMBER})|(?<![\w.,])(?:{_NUMBER})\s?(?:{_CURRENCY_BEHIND})"
        rf"|(?<=[^\W\da-zA-Z])(?:{_NUMBER})\s?(?:{_CURRENCY_BEHIND})", re.IGNORECASE), _amount),
    ("phone", re.compile(
        r"(?<![\dA-Za-z_#/-])(?:(?:\+|\(?0|1[3-9])[\d() .Xx*-]{5,22}[\dXx*]"
        r"|\(\d{2,4}\)\s?\d[\d .-]{4,12}\d|\d{3}[-. ]\d{3}[-. ]\d{4})(?![\dA-Za-z_])"), _phone),
    ("id", re.compile(
        r"(?<![A-Za-z0-9@_.-])#?(?=[A-Za-z0-9_/.-]*\d)(?=[A-Za-z0-9_/.-]*[A-Za-z])"
        r"[A-Za-z0-9]{1,40}(?:[-_/.][A-Za-z0-9]{1,40}){0,6}(?![A-Za-z0-9@_])"), _reference),
    ("id", re.compile(
        rf"(?<![A-Za-z0-9@_.,:-])#?\d{{1,4}}(?:[ -]?\d{{1,4}}){{2,8}}{_NOT_ON}"
        rf"|(?<![A-Za-z0-9@_.,:-])\d{{3,20}}(?:[.,]\d{{1,2}})?{_NOT_ON}"
        r"|(?<=#)\d{1,20}(?![\dA-Za-z])"), _number),
)  # fmt: skip
