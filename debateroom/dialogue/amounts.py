"""Amounts of money in words: `eight hundred euros`, `quatre-vingts francs`, `八百元`, `1.5万元`. Pure."""

from __future__ import annotations

import re

_ONES = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
}
_OTHERS = {
    "une": 1, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "vingt": 20, "vingts": 20, "trente": 30,
    "quarante": 40, "cinquante": 50, "soixante": 60, "septante": 70, "huitante": 80, "octante": 80, "nonante": 90,
    "cent": 100, "cents": 100, "mille": 1_000, "millions": 1_000_000,
}  # fmt: skip
_WORDS = {word: number for words in _ONES.values() for number, word in enumerate(words.split())} | _OTHERS
_HAN = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_HAN_UNITS = {"十": 10, "百": 100, "千": 1_000}
_HAN_MYRIADS = {"万": 10_000, "亿": 100_000_000}

_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_SPOKEN = rf"\b(?:an?\s+(?=hundred|thousand|million))?(?:{_WORD})(?:(?:\s+(?:and|et)\s+|[\s-]+)(?:{_WORD}))*"
_WRITTEN = r"(?:\d+(?:\.\d+)?[十百千万亿]+|[零〇一二两三四五六七八九十百千万亿]+)"
PATTERN = (
    rf"{_SPOKEN}\s+(?:d['’]|de\s+)?(?:euros?|francs?|dollars?|pounds?|yuan)\b"
    rf"|{_WRITTEN}(?:元|块(?:钱|(?![\u4e00-\u9fff]))|欧元|美元|法郎|英镑|人民币)"
)
"""An amount in words, its currency behind it; case does not matter."""
_NUMBER = re.compile(rf"{_SPOKEN}|{_WRITTEN}", re.IGNORECASE)


def figure(amount: str) -> str:
    """The number in an amount that PATTERN matches, as plain digits."""
    match = _NUMBER.search(amount)
    if match is None:
        return ""
    said = match.group(0)
    return _of_words(said) if said[0].isascii() and said[0].isalpha() else _of_han(said)


def _of_words(said: str) -> str:
    whole = part = 0
    for word in re.split(r"[\s-]+", said.casefold()):
        number = _WORDS.get(word, 0)
        if number >= 1_000:
            whole, part = whole + max(part, 1) * number, 0
        elif number == 100 or (number == 20 and part % 100 == 4 and word.startswith("vingt")):
            part = part - part % 100 + 80 if number == 20 else max(part, 1) * 100
        else:
            part += number
    return str(whole + part)


def _of_han(said: str) -> str:
    digits = re.match(r"\d+(?:\.\d+)?", said)
    if digits:
        value = float(digits.group(0))
        for unit in said[digits.end() :]:
            value *= (_HAN_UNITS | _HAN_MYRIADS)[unit]
        return f"{value:.0f}"
    whole = part = digit = 0
    for letter in said:
        if letter in _HAN_MYRIADS:
            whole, part, digit = (whole + part + digit) * _HAN_MYRIADS[letter], 0, 0
        elif letter in _HAN_UNITS:
            part, digit = part + (digit or 1) * _HAN_UNITS[letter], 0
        else:
            digit = digit * 10 + _HAN[letter]
    return str(whole + part + digit)
