"""Numbers in English and French words, as digits, where they are a sum or a day of the month. Pure."""

from __future__ import annotations

import re

_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_FRENCH = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
_NTH = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_LARGER = {
    20: "twenty vingt vingts", 30: "thirty trente", 40: "forty quarante", 50: "fifty cinquante", 60: "sixty soixante",
    70: "seventy septante", 80: "eighty huitante octante", 90: "ninety nonante", 100: "hundred cent cents",
    1000: "thousand mille", 1: "a an une",
}  # fmt: skip
_VALUES = {word: value for words in (_ENGLISH, _FRENCH) for value, word in enumerate(words.split())} | {
    word: value for value, words in _LARGER.items() for word in words.split()
}
_ORDINALS = {word: value for value, word in enumerate(_NTH.split())} | {"thirtieth": 30, "premier": 1}


def _run(words: dict[str, int]) -> str:
    """A pattern for a number in words: `quatre-vingt-dix-neuf`, `one hundred and five`."""
    one = "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"
    return rf"\b{one}(?:[ -](?:(?:and|et)[ -])?{one}\b){{0,10}}+"


_SUM = _run(_VALUES)
_DAY = _run({**_VALUES, **_ORDINALS})


def in_digits(text: str, *, currency: str, month: str) -> str:
    """`text` with numbers in words as digits before a `currency` or beside a `month`, both patterns.

    One of something is left as it stands: *not one euro* is no sum.

    >>> in_digits("two hundred euros, le six mars", currency="euros", month="mars")
    '200 euros, le 6 mars'
    """
    behind = rf"(?:\s(?:{currency})|\s(?:of\s)?(?:{month})\b)"
    found = re.sub(rf"({_SUM}|{_DAY})(?={behind})", lambda match: _digits(match[0]), text, flags=re.IGNORECASE)
    return re.sub(
        rf"(\b(?:{month})\.?\s(?:the\s)?)({_DAY})\b", lambda match: match[1] + _digits(match[2], least=1), found,
        flags=re.IGNORECASE,
    )  # fmt: skip


def _digits(words: str, *, least: int = 2) -> str:
    """The number as digits; as it stands when it is none, or smaller than `least` and no day's."""
    total, part, ordinal = 0, 0, False
    for word in re.split(r"[ -]", words.casefold()):
        value = {**_VALUES, **_ORDINALS}.get(word)
        ordinal = ordinal or word in _ORDINALS
        if value is None:  # and, et
            continue
        if value == 1000:
            total, part = total + max(1, part) * 1000, 0
        elif value == 100:
            part = max(1, part) * 100
        elif value == 20 and part % 100 == 4:  # quatre-vingts
            part += 76
        else:
            part += value
    return str(total + part) if ordinal or total + part >= least else words
