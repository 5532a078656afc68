"""How many tokens a text will be, before any model has counted it. An estimate by class of character.

The weights were fitted to the embedded model's tokenizer on English, French, Chinese and code; a room's first real
usage corrects them (see `debating.measured`).
"""

from __future__ import annotations

import re
from functools import lru_cache

_WIDE = r"\u2e80-\u2fff\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uffdc"
_CLASSES = re.compile(
    rf"(?P<word>[A-Za-z\u00c0-\u024f]+)|(?P<digit>[0-9])|(?P<gap>[ \t]{{2,}}|\n[ \t\n]*)"
    rf"|(?P<apart>[ \t](?=[0-9{_WIDE}]))|(?P<blank>[ \t])|(?P<mark>[\u3000-\u303f\uff00-\uff65])|(?P<wide>[{_WIDE}])"
    r"|(?P<letter>[\u0370-\u052f])|(?P<other>.)",
    re.DOTALL,
)
_WEIGHTS = {
    "word": 1.0, "digit": 0.9, "gap": 0.5, "apart": 0.9, "blank": 0.0, "mark": 1.0, "wide": 0.57, "letter": 0.36,
    "other": 0.77,
}  # fmt: skip
"""Tokens of a word, a digit, a line break or run of blanks, a blank that stands alone, one that joins a word, a wide
punctuation mark, a Chinese, Japanese or Korean character, a Greek or Cyrillic letter, and anything else."""
_LONG_WORD = 6
"""Letters that a word has in one token; each further one adds `_LETTER`."""
_LETTER, _ACCENT = 0.18, 0.9


@lru_cache(maxsize=512)  # every round asks again about the blocks before it, and some are large
def estimate(text: str) -> int:
    """Tokens of `text`, about: within a fifth of a real tokenizer on prose, tables and code in the three languages.

    A blank before a word belongs to it; one before a digit or a Chinese character stands alone; a run of them or a
    line break is half a token.
    """
    total = 0.0
    for match in _CLASSES.finditer(text):
        kind = match.lastgroup or "other"
        total += _WEIGHTS[kind]
        if kind == "word":
            word = match.group()
            total += _LETTER * max(0, len(word) - _LONG_WORD)
            if not word.isascii():
                total += _ACCENT * sum(letter > "z" for letter in word)
    return round(total)
