"""Code set aside while the text around it is worked on: fenced, indented, and in back-ticks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$")
_INDENTED = re.compile(r"^(?: {4}|\t)[ \t]*(?![-*+•][ \t]|\d{1,3}[.)][ \t])\S")
_LISTED = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_TICKS = re.compile("`+")
_HELD = re.compile("\x00(\\d+)\x00")


class Aside(NamedTuple):
    """A text with a mark, which no visible text has, in place of each piece of code."""

    text: str
    code: tuple[str, ...]

    def restored(self, text: str) -> str:
        """`text` with its code again, as it was."""
        return _HELD.sub(lambda match: self.code[int(match[1])], text)


def set_aside(text: str) -> Aside:
    """The code of `text`, a visible one (see `clean`), set aside. Fences are made alike: three back-ticks."""
    code: list[str] = []

    def hold(piece: str) -> str:
        code.append(piece)
        return f"\x00{len(code) - 1}\x00"

    lines = []
    for block, is_code in _blocks(text.split("\n")):
        lines.append(hold(block) if is_code else _ticks(block, hold))
    return Aside("\n".join(lines), tuple(code))


def _blocks(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Fenced blocks whole, and the other lines, each with whether it is code."""
    fence, held = "", list[str]()
    blank, listed = True, False
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                yield "\n".join([*held, "```"]), True
                fence, blank = "", False
            else:
                held.append(line)
        elif mark and "`" not in mark[2]:
            fence, held = mark[1], ["```"]
        else:
            indented = blank and not listed and bool(_INDENTED.match(line))
            yield line, indented
            if line.strip():
                blank = indented
                listed = bool(_LISTED.match(line)) or (listed and line[0] in " \t")
            else:
                blank = True
    if fence:
        yield "\n".join(held), True


def _ticks(line: str, hold: Callable[[str], str]) -> str:
    """`line` with what stands between equal runs of back-ticks held."""
    runs = list(_TICKS.finditer(line))
    later: dict[int, int] = {}
    closes = [-1] * len(runs)
    for place in range(len(runs) - 1, -1, -1):
        size = len(runs[place].group())
        closes[place] = later.get(size, -1)
        later[size] = place
    kept, at, place = list[str](), 0, 0
    while place < len(runs):
        end = closes[place]
        if end < 0:
            place += 1
            continue
        start, stop = runs[place].start(), runs[end].end()
        kept += line[at:start], hold(line[start:stop])
        at, place = stop, end + 1
    return "".join((*kept, line[at:]))
