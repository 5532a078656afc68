"""When two JSON values are the same, and the matchers that stand for many values.

`25` is `25.0`, `true` is not `1`, and a key that is not there is not `null`.
"""

from __future__ import annotations

import hashlib
import json
import math
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from debateroom.errors import UsageError

_LOOKED_AT = 20_000
"""Characters of a value that a regular expression sees: the value is a model's, and may be huge."""
_PATIENCE = 1.0
"""Seconds that a regular expression may look: some of them take for ever on a text that just misses them."""
_PRIMARY = ("literal", "re", "in", "any", "number")
_MODIFIERS = {"case_insensitive": ("literal", "re", "in"), "tolerance": ("number",)}


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: numbers by value, `true` never equal to 1, the order of keys ignored."""
    if isinstance(one, Mapping):
        return (
            isinstance(other, Mapping)
            and one.keys() == other.keys()
            and all(same(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, list | tuple):
        return isinstance(other, list | tuple) and len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def canonical(value: Any) -> str:
    """`value` as canonical JSON: keys sorted, no spaces, whole numbers without decimals. Equal for what is `same`."""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """The SHA-256 of the canonical JSON, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def as_json(value: Any) -> Any:
    """A copy of `value` as JSON would give it back: keys are texts, tuples are lists."""
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def fits(expected: Any, actual: Any) -> bool:
    """Whether `actual` has everything that `expected` asks for; it may have more keys.

    A key that `actual` lacks is no match, whatever it should hold. Objects are compared key by key, lists item by
    item and in full. In place of any value may stand a matcher: `{"re": "^W"}` (found anywhere in a text, as
    JSON Schema's `pattern`), `{"in": [1, 2]}`, `{"any": true}`, `{"number": 25, "tolerance": 0.5}`,
    `{"case_insensitive": "ada"}`, and `{"literal": …}` for an object that would look like one of these.
    `"case_insensitive": true` beside `re`, `in` or `literal` ignores case there. Raises UsageError for a matcher
    that cannot be one.
    """
    if is_matcher(expected):
        return _matched(expected, actual)
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and all(
            key in actual and fits(value, actual[key]) for key, value in expected.items()
        )
    if isinstance(expected, list | tuple):
        return isinstance(actual, list | tuple) and len(expected) == len(actual) and all(map(fits, expected, actual))
    return same(expected, actual)


def is_matcher(value: Any) -> bool:
    """Whether an expected value is a matcher: an object with keys of matchers only, one of them saying what."""
    if not isinstance(value, Mapping) or not value:
        return False
    known = {*_PRIMARY, *_MODIFIERS}
    return value.keys() <= known and (
        any(key in value for key in _PRIMARY) or isinstance(value.get("case_insensitive"), str)
    )


def check_matchers(expected: Any) -> None:
    """Nothing when every matcher inside can be one. Raises UsageError that says what is wrong."""
    if is_matcher(expected):
        _matched(expected, None)
    elif isinstance(expected, Mapping):
        for value in expected.values():
            check_matchers(value)
    elif isinstance(expected, list | tuple):
        for value in expected:
            check_matchers(value)


def _matched(matcher: Mapping[str, Any], actual: Any) -> bool:
    kinds = [key for key in _PRIMARY if key in matcher]
    if not kinds:
        kinds, matcher = ["literal"], {"literal": matcher["case_insensitive"], "case_insensitive": True}
    if len(kinds) > 1:
        raise UsageError(f"a matcher is one thing, not {' and '.join(kinds)}")
    kind = kinds[0]
    for modifier, beside in _MODIFIERS.items():
        if modifier in matcher and kind not in beside:
            raise UsageError(f"`{modifier}` says nothing beside `{kind}`")
    folded = matcher.get("case_insensitive", False)
    if not isinstance(folded, bool):
        raise UsageError("`case_insensitive` beside another matcher is true or false")
    return _KINDS[kind](matcher[kind], actual, matcher, folded)


def _literal(value: Any, actual: Any, _: Mapping[str, Any], folded: bool) -> bool:
    return same(_folded(value), _folded(actual)) if folded else same(value, actual)


def _pattern(value: Any, actual: Any, _: Mapping[str, Any], folded: bool) -> bool:
    import regex

    text = actual if isinstance(actual, str) else canonical(actual)
    try:
        pattern = regex.compile(value, regex.IGNORECASE | regex.FULLCASE if folded else 0)
        return pattern.search(text[:_LOOKED_AT], timeout=_PATIENCE) is not None
    except TimeoutError as error:
        raise UsageError(
            f"the regular expression {value!r} takes too long on a value of {len(text)} characters"
        ) from error
    except (regex.error, TypeError, RecursionError) as error:
        raise UsageError(f"{value!r} is no regular expression: {error}") from error


def _one_of(value: Any, actual: Any, _: Mapping[str, Any], folded: bool) -> bool:
    if not isinstance(value, list | tuple):
        raise UsageError("`in` needs a list of values")
    return any(_literal(each, actual, {}, folded) for each in value)


def _anything(value: Any, actual: Any, _: Mapping[str, Any], folded: bool) -> bool:
    if value is not True:
        raise UsageError("`any` is written {any: true}")
    return True


def _near(value: Any, actual: Any, matcher: Mapping[str, Any], _: bool) -> bool:
    tolerance = matcher.get("tolerance", 0)
    if not _is_number(value) or not _is_number(tolerance) or not tolerance >= 0:
        raise UsageError("`number` is a number, and its `tolerance` one that is not below 0")
    if not _is_number(actual):
        return False
    try:
        # a little more than asked: 0.3 is within 0.1 of 0.2, whatever binary fractions make of it
        return bool(abs(actual - value) <= tolerance + 1e-12 * max(abs(actual), abs(value)))
    except OverflowError:  # a whole number beyond all fractions
        return bool(actual == value)


_KINDS: Mapping[str, Callable[[Any, Any, Mapping[str, Any], bool], bool]] = {
    "literal": _literal,
    "re": _pattern,
    "in": _one_of,
    "any": _anything,
    "number": _near,
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf


def _folded(value: Any) -> Any:
    """`value` with all texts in it without case and outer spaces, accents written in one way."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", unicodedata.normalize("NFC", value.strip()).casefold())
    if isinstance(value, Mapping):
        return {key: _folded(item) for key, item in value.items()}
    return [_folded(item) for item in value] if isinstance(value, list | tuple) else value
