"""What a simulated customer may say: the data it was given, none that it made up, and no forbidden value. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from debateroom.evaluation.customer_data import Datum, Kind, data_in, even, figure, folded
from debateroom.evaluation.small_talk import is_small_talk


class TextFinding(NamedTuple):
    """One thing in a customer's message that does not belong there."""

    rule: Literal["invented", "leak", "style"]
    """`invented`: data that the customer was never given; `leak`: a value that it must not say; `style`: too long, or
    an emoji."""
    kind: Kind | Literal["value", "length", "emoji"]
    """What it is; `value` is a forbidden text that is no data of another kind."""
    text: str
    """The words in question."""


def check_customer_text(text: str, *, allowed: Sequence[str], forbidden_values: Sequence[str]) -> list[TextFinding]:
    """What a customer's message says that it cannot know or must not say; an empty list when nothing.

    `allowed` are all texts that the customer may draw on: instruction, known information, persona, opening, and what
    the agent has said. E-mails, phones, ids, amounts, dates and quoted strings must stand in one of them, however
    they are written there: `1,200.00 €` is `1200 euros`, `5 March` is `2026-03-05`, `99812` is `o_99812`. A
    forbidden value must not be said in any of these ways, even when it stands in an allowed text. What is said by
    the way is none of it: `here since 1987`, `it rained on Monday`. English, French and Chinese are read.

    >>> known = ["You are Yusuf. Your order is o_99812 of 5 March 2026, paid 199 euros."]
    >>> check_customer_text("It is order o-99812, €199.00.", allowed=known, forbidden_values=["yusuf@example.org"])
    []
    >>> for finding in check_customer_text(
    ...     "Refund 250 euros to Yusuf@example.org.", allowed=known, forbidden_values=["yusuf@example.org"]
    ... ):
    ...     print(finding.rule, finding.kind, finding.text)
    leak email Yusuf@example.org
    invented amount 250 euros
    """
    known = _Known([allowed] if isinstance(allowed, str) else allowed)
    forbidden = [_Forbidden(value) for value in forbidden_values if value.strip()]
    said = data_in(text)
    findings: list[TextFinding] = []
    for value in forbidden:
        leaks = [datum for datum in said if value.is_said_by(datum)]
        findings += [TextFinding("leak", datum.kind, datum.text) for datum in leaks]
        if not leaks and (words := value.words_in(text)):
            findings.append(TextFinding("leak", "value", words))
    leaked, plain = {finding.text for finding in findings}, even(text)
    findings += [
        TextFinding("invented", datum.kind, datum.text)
        for datum in said
        if datum.text not in leaked and not known.has(datum) and not is_small_talk(datum, plain)
    ]
    return list(dict.fromkeys(findings))


_ALONE = re.compile(r"(?<![\w-])\d+(?:[.,]\d+)*(?![a-z\d_])|(?<=[\u4e00-\u9fff])\d+(?:[.,]\d+)*(?![a-z\d_])")
_AT, _DOT = re.compile(r"\s?[\[(]?\b(?:at|arobase)\b[\])]?\s?"), re.compile(r"\s?[\[(]?\b(?:dot|point)\b[\])]?\s?")
_DASH = re.compile(r"(?<=[^\W\d_])[-‐‑_/](?=[^\W\d_])")
_BETWEEN_HAN = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")


class _Known:
    """The texts that a customer may draw on."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._keys = {key for text in texts for datum in data_in(text) for key in _all_keys(datum)}
        self._text = folded("\n".join(even(text) for text in texts))
        self._compact = "".join(letter for letter in self._text if letter.isalnum())
        self._figures = {*re.findall(r"\d+", self._text), *(key[3:] for key in self._keys if key.startswith("id "))}
        self._alone = {figure(number) for number in _ALONE.findall(self._text)}
        """Numbers that are no part of an id."""

    def has(self, datum: Datum) -> bool:
        """Whether the datum stands in one of the texts, in whatever way it is written."""
        if datum.kind == "quote":
            return all(key in self._text for key in datum.keys)
        wanted = _own_keys(datum)
        if wanted & self._keys:
            return True
        plain = [key.removeprefix("id ") for key in datum.keys if key.startswith("id ")]
        if datum.kind == "amount" or any(key.startswith("tail ") for key in datum.keys):
            numbers = {key.partition(" ")[2] for key in datum.keys if key.startswith(("figure ", "tail "))}
            return bool(numbers & self._alone) or any(map(self._stands, plain))
        return any(self._ends_one(key) if key.isdigit() else self._stands(key) for key in plain)

    def _ends_one(self, digits: str) -> bool:
        """Whether they are a number of the texts, or the first or last digits of one: `ending in 1234`."""
        return any(
            digits == figure or (len(digits) >= 3 and figure.startswith(digits)) or figure.endswith(digits)
            for figure in self._figures
            if len(figure) >= len(digits)
        )

    def _stands(self, compact: str) -> bool:
        """Whether an id of letters and digits stands there with other signs in between: `W 1001` for `W1001`."""
        pattern = rf"(?<!\d){re.escape(compact)}" if compact[0].isdigit() else re.escape(compact)
        return re.search(pattern + (r"(?!\d)" if compact[-1].isdigit() else ""), self._compact) is not None


class _Forbidden:
    """A value that must not be said, in whatever way it is written."""

    def __init__(self, value: str) -> None:
        self._value = value
        self._words = folded(even(value)).strip('"“”«»「」『』 ')
        self._keys = {key for datum in data_in(value) if datum.kind != "quote" for key in _all_keys(datum)}

    def is_said_by(self, datum: Datum) -> bool:
        """Whether a datum gives the value away."""
        if datum.kind == "quote":
            return any(_stands_in(self._words, key) for key in datum.keys)
        return bool(self._keys & _all_keys(datum)) or _stands_in(self._words, folded(datum.text))

    def words_in(self, text: str) -> str:
        """The value, when its words stand in the text, an address also as it is spoken; empty when not."""
        plain = folded(even(text))
        ways = [plain]
        if "@" in self._words:
            ways.append(_DOT.sub(".", _AT.sub("@", plain)))
        return self._value if any(_stands_in(self._words, way) for way in ways) else ""


def _stands_in(words: str, text: str) -> bool:
    """Whether the words are in the text as words: not inside longer ones, where the script has words.

    Joined by a dash they are the same; Chinese ones with spaces in between as well.
    """
    words, text = (_BETWEEN_HAN.sub("", _DASH.sub(" ", each)) for each in (words, text))
    before = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", words) else ""
    behind = r"(?![a-z0-9])" if re.search(r"[a-z0-9]$", words) else ""
    return bool(words) and re.search(before + re.escape(words) + behind, text) is not None


def _all_keys(datum: Datum) -> set[str]:
    """What a datum that is known may be said as: also the bare number of an amount, and the number in an id."""
    numbers = {f"id {key.partition(' ')[2]}" for key in datum.keys if key.startswith(("figure ", "tail "))}
    return {*datum.keys, *numbers}


def _own_keys(datum: Datum) -> set[str]:
    """What must be known for a datum: of a date with a year, the year as well; of an id, its letters too."""
    whole = {key for key in datum.keys if key.count("-") == 2}
    return whole if datum.kind == "date" and whole else {key for key in datum.keys if not key.startswith("tail ")}


_BETWEEN = re.compile(r"[.!?。！？…\n]+")
_DOT_INSIDE = re.compile(r"(?<=\w)\.(?=\w)|\b(?:[A-Z]|Mr|Mrs|Ms|Dr|No|St|M|Mme|etc|e\.g|i\.e)\.(?=\s)")
_EMOJI = re.compile(
    "[\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2600-\u27bf\u2b50\u2b55\u231a\u231b\u23e9-\u23f3\u200d\ufe0f]"
)
_MOST_SENTENCES = 3


def check_customer_style(text: str) -> list[TextFinding]:
    """Findings on how a customer's message is written: more than three sentences, or an emoji.

    >>> [finding.kind for finding in check_customer_style("Hi. I waited. A week. For nothing! 😡")]
    ['length', 'emoji']
    """
    findings = []
    sentences = [each.strip() for each in _BETWEEN.split(_DOT_INSIDE.sub(" ", text))]
    sentences = [each for each in sentences if any(letter.isalnum() for letter in each)]
    if len(sentences) > _MOST_SENTENCES:
        findings.append(TextFinding("style", "length", sentences[_MOST_SENTENCES]))
    if emoji := _EMOJI.search(text):
        findings.append(TextFinding("style", "emoji", emoji[0]))
    return findings
