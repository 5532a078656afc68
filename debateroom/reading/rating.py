"""How sure a seat is as a JSON list or object, `[8, 9]` or `{"value": 8, "scale": 10}`, as it is written in text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from debateroom.reading.objects import as_text

_VALUE = ("value", "score", "rating", "confidence", "level", "number", "valeur", "note", "数值", "分数", "信心")
_SCALE = ("scale", "outof", "of", "base", "scalemax", "échelle", "echelle", "sur", "满分", "总分")
_LOW, _HIGH = ("low", "min", "from", "lower", "minimum"), ("high", "max", "to", "upper", "maximum")
_NUMBER = re.compile(r"\s*\d{1,4}(?:[.,]\d{1,6})?\s*")
_TOP = re.compile(
    r"(?:\D{0,12}[01]\s*(?:-|–|—|to|à|\.\.|到|至|,)\s*|\D{0,12}/\s*|\s*(?:out of|sur|of|满分)\s*)?(\d{1,4})\D{0,3}"
)
_MOST = 8
"""Entries that a list or object may have and still be one rating."""


def rating_text(value: Any) -> str | None:
    """`value` as a confidence is written in text: `8-9`, `8/10`; None when it is no list or object of that kind.

    A list that is no range, or a scale that is not known, comes back as words that state no single number.
    """
    if isinstance(value, list):
        return _of_list(value[: _MOST + 1])
    if isinstance(value, Mapping) and len(value) <= _MOST:
        return _of_object(value)
    return None


def _of_list(values: list[Any]) -> str | None:
    numbers = [_number(each) for each in values]
    known = [each for each in numbers if each]
    if not known or len(known) < len(numbers):
        return None
    if len(known) == 1:
        return known[0]
    return ("-" if len(known) == 2 else "/").join(known)


def _of_object(value: Mapping[str, Any]) -> str | None:
    """`8/10` and the rest of the fields as lines, when a number and its scale or two bounds are among them."""
    keys = {re.sub(r"[\W_]", "", str(key)).lower(): key for key in value}
    stated, scale = _first(keys, _VALUE), _first(keys, _SCALE)
    low, high = _first(keys, _LOW), _first(keys, _HIGH)
    if stated is not None:
        scale = scale if scale is not None else high
        number = _number(value[stated])
        if scale is None or number is None or value[scale] is None:
            return None
        first, used = _scaled(number, value[scale]), {stated, scale, low}
    elif low is not None and high is not None:
        bounds = (_number(value[low]), _number(value[high]))
        if None in bounds:
            return None
        first, used = f"{bounds[0]}-{bounds[1]}", {low, high}
    else:
        return None
    rest = as_text({key: each for key, each in value.items() if key not in used})
    return f"{first}\n{rest}".strip()


def _first(keys: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((keys[name] for name in names if name in keys), None)


def _number(value: Any) -> str | None:
    """`value` as it is written when it is a number; None for anything else, true and false among it."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value)
    return text.strip() if _NUMBER.fullmatch(text) else None


def _scaled(number: str, scale: Any) -> str:
    """`8/10`, `80%`; on a scale that says nothing, words that are no value."""
    written = as_text([scale] if not isinstance(scale, list) else [",".join(map(str, scale))]).removeprefix("- ")
    if re.fullmatch(r"\s*(?:%|percent(?:age)?|pourcent(?:age)?|百分比)\s*", written, re.IGNORECASE):
        return f"{number}%"
    top = _TOP.fullmatch(written)
    if top and top[1] == "1":
        return f"{float(number.replace(',', '.')) * 100:g}%"
    return f"{number}/{top[1]}" if top else f"scale {written}: {number}"
