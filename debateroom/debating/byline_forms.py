"""The forms in which an answer tells who wrote it, from `templates/judge/writers.toml`, and a text as they see it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from debateroom import templates

_MARK = r"[ \t*_#>|~\"'./🤖-]{0,12}"
"""Marks of format and the like around a name."""
_BETWEEN = r"[ \t,，/|·()（）\[\]-]{0,3}(?:(?:by|from|par|de|of) )?"
_BEHIND = r"(?:[ \t]*<[^<>\s]{1,80}>|\]\(\S{1,80}\))?[)\]）】]?" + _MARK + "[!。]?"
"""After the last name of a line: an address, the end of a link, brackets."""
_START, _END = r"(?<![A-Za-z0-9])(?<![A-Za-z0-9][-_])", r"(?![A-Za-z0-9])(?!_\w)"
"""Around a name; letters of Chinese may stand beside it."""


class View(NamedTuple):
    """A text as it is matched: accents, invisible characters and letters of other alphabets seen through."""

    text: str
    places: list[int]
    """Of each of its characters, where it stands in the text itself."""


def seen(text: str) -> View:
    """`text` as it is matched."""
    if text.isascii():
        return View(text, list(range(len(text))))
    alike = _lookalikes()
    letters, places = [], []
    for place, letter in enumerate(text):
        for each in unicodedata.normalize("NFKD", alike.get(letter, letter)):
            if unicodedata.category(each) not in ("Mn", "Cf", "Me"):
                letters.append(each)
                places.append(place)
    return View("".join(letters), places)


@cache
def _lookalikes() -> Mapping[str, str]:
    return {pair[0]: pair[1] for pair in templates.data("judge/writers.toml")["lookalikes"].split()}


def form(key: str) -> re.Pattern[str]:
    """One form, by its key in `_forms`."""
    return _forms()[key]


@cache
def inline(key: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of `tells` or `begins`; the name in each is its group `name`."""
    name = f"(?P<name>{_names()['anyone' if key == 'tells' else 'given']})"
    return tuple(_compiled(each, name) for each in templates.data("judge/writers.toml")[key])


@cache
def _names() -> Mapping[str, str]:
    """Expressions for names, and every list of the file as one of alternatives."""
    data = templates.data("judge/writers.toml")
    found = {key: f"(?:{'|'.join(value)})" for key, value in data.items() if isinstance(value, list)}
    spelled = "|".join("[-. _*]".join(name) for name in data["names"] if name.isascii() and name.isalpha())
    version = f"{found['version']}*{_END}"
    found["named"] = f"(?:{found['names']}|{found['words']}|{spelled})"
    found["given"] = f"{_START}(?P<root>{found['named']}){version}"
    found["label"] = f"{_START}{found['named']}{version}"
    found["plain"] = f"{_START}{found['names']}{version}"
    found["anyone"] = f"{_START}(?:{found['named']}|{found['introduced']}){version}"
    found["maker"] = f"{_START}{found['makers']}{_END}(?! (?-i:[A-Z]))"
    unit = f"(?:{found['anyone']}|{found['maker']}|{found['signer']}(?![A-Za-z]))"
    found["more"] = f"(?:{_BETWEEN}{unit}){{0,4}}"
    found["units"] = unit + found["more"]
    found["whose"] = f"(?P<owner>{found['maker']}){found['belongs']}?(?:['’]s)?[ ]?(?:(?:new|own|latest) )?"
    return found


@cache
def _forms() -> Mapping[str, re.Pattern[str]]:
    name = _names()
    lead, more, anyone, maker = rf"{_MARK}[(\[（【]?", name["more"], name["anyone"], name["maker"]
    alone = f"{more}{_BEHIND}"
    shapes = {
        # whole lines
        "byline": f"{lead}{name['bylines']}{lead}{anyone}{alone}",
        "edge": f"{lead}{name['edges']}{anyone}{alone}",
        "units": f"{lead}{name['units']}{_BEHIND}",
        "bare": f"{lead}{name['label']}{alone}",
        "plain": f"{lead}{name['plain']}{alone}",
        "dashed": rf"[ \t*_]*-{{1,2}}[ \t*_]*{name['units']}{_BEHIND}",
        "closing": rf"{_MARK}{name['closings']}[ ,，!！.。]*",
        "closed": rf"{_MARK}{name['closings']}[ ,，!！.。-]+(?:from )?{name['units']}{_BEHIND}"
        rf"|{lead}{name['units']} ?{name['closed_by']}{_BEHIND}",
        # in a line
        "tail": rf"(?<=[.!?。！？])[ \t]*(?:-{{1,2}}|[(\[（【])[ \t]*{anyone}{_BEHIND}\Z",
        "label": f"^{_MARK}(?P<name>{name['label']})(?={_MARK}(?:[:：]|$))",
        "name": name["label"],
        "any": f"{anyone}|{maker}",
        "about_models": templates.data("judge/writers.toml")["about_models"],
        # an introduction
        "self": name["self"],
        "who": rf"(?:an? |the |votre |your )?(?:{name['whose']})?(?:(?P<name>{anyone})|{name['kind']}(?![A-Za-z]))"
        rf"|(?:an? |the |一个|一款)?{name['made']}?{name['origin']}(?P<maker>{maker})(?!['’]s)",
        "over": name["over"],
        "from": rf"{name['origin']}(?P<maker>{maker})|(?P<owner>{maker})(?={name['belongs']})"
        rf"|[(（][ ]?(?P<name>{anyone}|{maker})(?=[ ]?[)）])",
    }
    return {key: _compiled(shape) for key, shape in shapes.items()}


def _compiled(shape: str, name: str = "") -> re.Pattern[str]:
    given = name or _names()["anyone"]
    maker = f"(?P<name>{_names()['maker']})" if name else _names()["maker"]
    for token, meaning in {"APOS": "['’]", "MARK": _MARK, "NAME": given, "MAKER": maker}.items():
        shape = shape.replace(token, meaning)
    return re.compile(shape, re.IGNORECASE | re.MULTILINE)
