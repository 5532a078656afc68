"""Which seat of a room a model means where it was asked for a seat's name. Less than one seat, plainly, is none.

Models answer with the heading they were shown, with a letter, a role, or the name and what that seat wants.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from debateroom.reading.seats import named

_EDGE = " \t\r\n*_`\"'“”«»「」<>.。"
_AGENT = re.compile(r"^(?:agents?[\s_-]+|(?:智能体|代理|参与者)\s*)(?=[a-z]{1,3}(?![a-z0-9]))")
_LETTERS = re.compile(r"agent ([a-z]{1,3})")
_ARTICLE = re.compile(r"^(?:the\s+|l['’]\s*|le\s+|la\s+)")
_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*")
_MORE = re.compile(r"\s*(?::|['’]s\b|的|,?\s[–—-]+\s)")
"""What may stand between a seat's name and words about it."""
_NOBODY = frozenset(
    ("", "-", "–", "—", "none", "null", "nil", "nobody", "no one", "n/a", "aucun", "aucune", "personne", "无", "没有")
)


def nobody(text: str | None) -> bool:
    """Whether `text` says in place of a name that there is none."""
    return _plain(text or "") in _NOBODY


class Names:
    """The seats of a room by every name that means one of them alone."""

    def __init__(self, seats: Iterable[tuple[str, str]]) -> None:
        """Takes name and role of each seat."""
        self.order: list[str] = []
        meant: dict[str, set[str]] = {}
        for name, role in seats:
            self.order.append(name)
            letters = _LETTERS.fullmatch(_plain(name))
            for known in (role, letters[1] if letters else ""):
                meant.setdefault(_plain(known), set()).add(name)
        self._heads = {head: next(iter(found)) for head, found in meant.items() if head and len(found) == 1}
        self._heads |= {_plain(name): name for name in self.order}
        self._longest_first = sorted(self._heads, key=len, reverse=True)

    def alone(self, text: str) -> str | None:
        """The seat that is all of `text`: by name, letter, the role of one seat, or two of them that agree."""
        seat, rest = self._begins(_plain(text))
        return None if rest.strip(_EDGE) else seat

    def find(self, text: str) -> str | None:
        """The same, also with what that seat wants behind it: `Agent A: use a queue`."""
        seat, rest = self._begins(_plain(text))
        if seat is None or (rest.strip(_EDGE) and not _MORE.match(rest)):
            return None
        return None if set(named(rest)) - {seat} else seat

    def among(self, texts: Sequence[str]) -> tuple[list[str], list[str]]:
        """The seats that `texts` name, in seat order, and the texts that name none; `nobody` is passed over."""
        found = {text: self.find(text) for text in texts if not nobody(text)}
        seats = set(found.values())
        return [name for name in self.order if name in seats], [text for text, seat in found.items() if seat is None]

    def _begins(self, said: str) -> tuple[str | None, str]:
        """The seat that `said` begins with, brackets behind its name that mean no other one passed over; the rest."""
        for head in self._longest_first:
            seat, rest = self._heads[head], said[len(head) :]
            if not said.startswith(head) or (rest[:1].isalnum() and rest[0] != "的"):
                continue
            brackets = _BRACKETS.match(rest)
            if brackets is None:
                return seat, rest
            inside = brackets[1].strip()
            other = self._heads.get(_plain(inside))
            return (None if other not in (None, seat) or len(named(inside)) > 1 else seat), rest[brackets.end() :]
        return None, said


@lru_cache(maxsize=16)
def names_of(seats: tuple[tuple[str, str], ...]) -> Names:
    """The names of `seats` (name and role of each). Kept: every reply of a room asks for the same ones."""
    return Names(seats)


def _plain(text: str) -> str:
    """`text` as names are compared."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(str.maketrans("", "", "*`")).strip(_EDGE)
    return _ARTICLE.sub("", _AGENT.sub("agent ", " ".join(plain.split())))
