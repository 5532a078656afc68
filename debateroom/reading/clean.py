"""A text with its invisible, broken and foreign characters put right. The first step of all reading."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_LINE_ENDING = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_TERMINAL_CODE = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"  # tags, which can carry hidden text
)
_JOINED = "\u0600-\u0dff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff"
_BETWEEN_DIGITS = re.compile(rf"(?<=\d)[{_INVISIBLE}\u200c\u200d]+(?=\d)")
_HIDDEN = re.compile(rf"[{_INVISIBLE}]|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WRITTEN_OUT = re.compile(r"\\r\\n|\\n")

DIGIT_BREAK = "\u200b"
"""What is left between two digits that an invisible character held apart: `1` and `0` must not become `10`."""


class Cleaned(NamedTuple):
    """A text to read, and one word of REPAIRS for each kind of damage that was mended in it."""

    text: str
    repairs: tuple[str, ...]


def clean(text: str) -> Cleaned:
    """`visible(text)`, and with line breaks that are written out made real."""
    seen = visible(text)
    broken = _with_line_breaks(seen.text)
    return seen if broken == seen.text else Cleaned(broken, (*seen.repairs, "escapes"))


def visible(text: str) -> Cleaned:
    """`text` with `\\n` line ends, composed accents, and nothing that a reader could not see.

    Characters that people see are never changed, except half a surrogate pair, which becomes U+FFFD because
    no file can hold it.
    """
    repairs = []
    lined = _LINE_ENDING.sub("\n", text)
    if lined != text:
        repairs.append("line_endings")
    seen = _SURROGATE.sub("\ufffd", _TERMINAL_CODE.sub("", lined))
    seen = _HIDDEN.sub(_hidden, _BETWEEN_DIGITS.sub(DIGIT_BREAK, seen))
    if seen != lined:
        repairs.append("characters")
    return Cleaned(unicodedata.normalize("NFC", seen), tuple(repairs))


def _hidden(match: re.Match[str]) -> str:
    """Nothing, or the break itself where it keeps two digits apart."""
    text, start, end = match.string, match.start(), match.end()
    held = match.group() == DIGIT_BREAK and text[start - 1 : start].isdecimal() and text[end : end + 1].isdecimal()
    return DIGIT_BREAK if held else ""


def _with_line_breaks(text: str) -> str:
    r"""`text` with written-out `\n` made real, when it is one long line that has several of them."""
    stripped = text.strip()
    # JSON escapes its line ends by right; it is decoded later
    if "\n" in stripped or stripped.startswith(("{", "[", '"')) or len(_WRITTEN_OUT.findall(text)) < 2:
        return text
    return _WRITTEN_OUT.sub("\n", text)
