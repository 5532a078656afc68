"""Digits and number words of three languages in one spelling, so that one grammar can read them."""

from __future__ import annotations

import re
import unicodedata

_ENGLISH = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_FRENCH = {
    "un": 1,
    "deux": 2,
    "trois": 3,
    "quatre": 4,
    "cinq": 5,
    "six": 6,
    "sept": 7,
    "huit": 8,
    "neuf": 9,
    "dix": 10,
}
_TENS = {
    "ten": 10, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "dix": 10, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50,
    "soixante": 60, "soixante-dix": 70, "septante": 70, "quatre-vingts": 80, "quatre-vingt": 80, "huitante": 80,
    "octante": 80, "quatre-vingt-dix": 90, "nonante": 90, "cent": 100,
}  # fmt: skip
_HAN = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_WORDS = {**_ENGLISH, **_FRENCH}
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}

_FRACTION = re.compile(r"(?<=\d)[ \u00a0]?([½¼¾])")
_KEYCAP = re.compile("(?<=[0-9])\ufe0f?\u20e3")
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_NOUGHT = "zero|zéro|oh|nought"
_TEN = "|".join(sorted(_TENS, key=len, reverse=True))
_VALUE_ENDS = (
    r"(?=\s*(?:$|[.,;:!?()\]/—–（）]|-(?![^\W\d])|%|out of\b|of (?:ten|10)\b|sur (?:dix|10)\b|per ?cent\b|"
    r"pour ?cent\b|"
    r"(?:to|or|à|ou|and|et)\s+(?:\d|" + _WORD + r")\b(?!\s+(?:quarter|third|tenth|quart|tier|dixième)s?\b)|"
    r"because\b|since\b|as\b|car\b|parce\b|points?\b(?!\s+[^\W_]+\s*[.!]?$)|now\b))"
)
_PERCENT_WORDS = re.compile(rf"\b({_TEN})(?:[- ]({_WORD}))?(?=\s*(?:%|per ?cent\b|pour ?cent\b))", re.IGNORECASE)
_HALF = re.compile(rf"\b({_WORD})(?:\s+and\s+a\s+half|\s+et\s+demie?)\b", re.IGNORECASE)
_DECIMAL = re.compile(
    rf"(?<![\w.,'’])(?P<whole>{_WORD}|\d{{1,2}})(?:[\s-]+(?:point|virgule)[\s-]+)"
    rf"(?P<part>(?:{_WORD}|{_NOUGHT}|\d)(?:[\s-]+(?:{_WORD}|{_NOUGHT}|\d)){{0,3}}|"
    rf"(?:{_TEN})(?:[\s-]+(?:{_WORD}))?|\d{{1,3}})(?![\w-])",
    re.IGNORECASE,
)
"""`seven point nine`, `7 point 9`, `sept virgule vingt-cinq`."""
_TENS_WORDS = re.compile(rf"({_TEN})(?:[\s-]+({_WORD}))?")
_HAN_DECIMAL = re.compile("(?<=\\d)\\s?点\\s?(\\d{1,3}|[零一二三四五六七八九]{1,3})(?![零一二三四五六七八九十\\d钟])")
_SCALE_WORD = re.compile(r"\b(out of|of|sur|/)\s*(?:ten|dix)\b", re.IGNORECASE)
_NUMBER_WORD = re.compile(rf"(?<![\w'’-])({_WORD})\b{_VALUE_ENDS}", re.IGNORECASE)
_TENTHS = re.compile(
    "(?:百分之|十分之)([零一二两三四五六七八九十]{1,3}(?:点[零一二三四五六七八九])?|\\d{1,3}(?:\\.\\d+)?)"
)
_HAN_RANGE = re.compile("([一二三四五六七八九])([一二三四五六七八九])(?=[成分])")
_HAN_NUMBER = re.compile(
    "(?:(?<=[给约是为打概于])|(?<![\u4e00-\u9fff]))([一二三四五六七八九十])(?:点([零一二三四五六七八九]{1,3}))?"
    r"(?=\s*(?:$|[。.，,；;！!）)/／]|[成分](?!有|地|的|之|确|肯|清|重|必|满意|自信|把握)|[到至\-–—~]))"
)


def plain_digits(text: str) -> str:
    """`text` with every kind of decimal digit as 0–9, full-width signs as ASCII, and ① or 🔟 as numbers.

    Digits are never joined: a superscript stays what it is, and a hidden break between digits stays a break.
    """
    text = _KEYCAP.sub("", _FRACTION.sub(lambda match: _FRACTIONS[match[1]], text.replace("🔟", " 10 ")))
    return text if text.isascii() else "".join(map(_plain, text))


def _plain(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    if "\u2460" <= character <= "\u2469":
        return f" {ord(character) - 0x245F} "
    return " " if character in "\u00a0\u202f\u2009\u3000" else character


def words_as_digits(text: str) -> str:
    """`text` with number words that stand where a value would stand written as digits.

    `eight`, `huit sur dix`, `八分`, `百分之八十` are values; `one concern`, `十分有信心` (very sure) are not.
    """
    text = _TENTHS.sub(_tenths, text)
    text = _HAN_RANGE.sub(lambda match: f"{_HAN[match[1]]}-{_HAN[match[2]]}", text)
    text = _HAN_NUMBER.sub(_han, text)
    text = _HAN_DECIMAL.sub(lambda match: f".{_han_digits(match[1])}", text)
    if not any(letter.isalpha() and letter.isascii() for letter in text):
        return text
    text = _PERCENT_WORDS.sub(_percent, text)
    text = _DECIMAL.sub(_decimal, text)
    text = _SCALE_WORD.sub(r"\1 10", text)
    text = _HALF.sub(lambda match: f"{_WORDS[match[1].lower()]}.5", text)
    return _NUMBER_WORD.sub(lambda match: str(_WORDS[match[1].lower()]), text)


def _percent(match: re.Match[str]) -> str:
    return str(_TENS[match[1].lower()] + (_WORDS[match[2].lower()] if match[2] else 0))


def _decimal(match: re.Match[str]) -> str:
    """`seven point nine` as 7.9: digits said one after the other, or `vingt-cinq` as 25."""
    whole, part = match["whole"].lower(), match["part"].lower()
    if tens := _TENS_WORDS.fullmatch(part):
        digits = str(_TENS[tens[1]] + (_WORDS[tens[2]] if tens[2] else 0))
    else:
        words = re.split(r"[\s-]+", part)
        digits = "".join(word if word.isdecimal() else str(_WORDS.get(word, 0)) for word in words)
    return f"{whole if whole.isdecimal() else _WORDS[whole]}.{digits}"


def _han_digits(text: str) -> str:
    return "".join(letter if letter.isdecimal() else str(_HAN[letter]) for letter in text)


def _han(match: re.Match[str]) -> str:
    if match[1] == "十" and match.string[match.end() : match.end() + 1] == "分":
        return match.group()
    return f"{_HAN[match[1]]}" + (f".{_han_digits(match[2])}" if match[2] else "")


def _tenths(match: re.Match[str]) -> str:
    value = _han_value(match[1])
    return match.group() if value is None else f"{value}{'%' if match.group().startswith('百') else '/10'}"


def _han_value(text: str) -> str | None:
    """`八十五` as 85, `七点五` as 7.5; None when it is not a number below a hundred."""
    if text[0].isdecimal():
        return text
    whole, _, part = text.partition("点")
    tens, ten, ones = whole.rpartition("十")
    if len(tens) > 1 or len(ones) > 1 or not (tens or ones or ten):
        return None
    value = ((_HAN[tens] if tens else 1) * 10 if ten else 0) + (_HAN[ones] if ones else 0)
    return f"{value}.{_HAN[part]}" if part else str(value)
