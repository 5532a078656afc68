"""Whether somebody said a text, however its numbers, quotation marks and emphasis are written. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import product

from debateroom.evaluation.customer_data import MONTH


def is_said(wanted: str, messages: Sequence[str]) -> bool:
    """Whether one of `messages` holds the string: case, width, runs of spaces and emphasis do not matter.

    Numbers are compared as numbers, marks for thousands and empty decimals ignored, and whole: `1500` is in
    `$1,500.00`, `4` neither in `14`, `4.5` nor `-4`. Where a number can be read in two ways, both count.
    """
    return any(
        _holds(_even(message, *reading), _even(wanted, *reading))
        for reading in product((True, False), repeat=2)
        for message in messages
    )


_ALIKE = str.maketrans("’‘ʼ′“”„‐‑−", "''''\"\"\"---")
_HARD_SPACE = re.compile("(?<=\\d)[\u00a0\u202f\u2009](?=\\d{3}(?!\\d))")
"""Between the thousands of a number, and nowhere else."""
_EMPHASIS = re.compile(r"`+|(?<!\d)\*\*|\*\*(?!\d)|(?<!\w)__|__(?!\w)|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])")
_DAY = re.compile(rf"(\b(?:{MONTH})\.? \d{{1,2}}) (?=\d)")
"""A day of the month with a number behind it that is another one."""
_NUMBER = re.compile(
    r"(?<![a-zà-ɏ\d_.,'])(?:[1-9]\d{0,2}(?P<mark>[ ,'.])\d{3}(?:(?P=mark)\d{3})*|\d+)(?P<rest>[.,]\d+)?(?!\d|[.,]\d)"
)


def _even(text: str, grouped: bool, together: bool) -> str:
    """`text` with one form for each sign and number.

    `grouped`: `1.500` has a mark for thousands, not a decimal point; `together`: `100,200,300` is one number.
    """
    marked = _HARD_SPACE.sub("'", text)
    plain = " ".join(unicodedata.normalize("NFKC", marked).casefold().translate(_ALIKE).split())
    apart = _DAY.sub(r"\1; ", " ".join(_EMPHASIS.sub("", plain).split()))

    def number(match: re.Match[str]) -> str:
        mark, rest = match["mark"], match["rest"] or ""
        parts = match[0].removesuffix(rest).split(mark) if mark else [match[0].removesuffix(rest)]
        if mark == "." and len(parts) == 2 and not rest and not grouped:
            parts, rest = parts[:1], f".{parts[1]}"
        if mark == "," and len(parts) > 2 and len(parts[0]) == 3 and not together:
            return ", ".join(parts) + rest
        decimals = rest[1:].rstrip("0")
        return "".join(parts) + (f".{decimals}" if decimals else "")

    return _NUMBER.sub(number, apart)


def _holds(text: str, wanted: str) -> bool:
    """Whether the string stands in the text, a number at its ends as a whole."""
    before = r"(?<!\d)(?<!\d[.,])(?<!(?<!\w)-)(?<!(?<!\w)-[$€£¥])" if wanted[:1].isdigit() else ""
    behind = r"(?![.,]?\d)" if wanted[-1:].isdigit() else ""
    return bool(wanted) and re.search(before + re.escape(wanted) + behind, text) is not None
