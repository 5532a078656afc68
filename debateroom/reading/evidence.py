"""Evidence as an agent gives it: exactly one web link or one path. Only its form; nothing is opened or looked up."""

from __future__ import annotations

import re
from typing import NoReturn
from urllib.parse import urlsplit

from debateroom.errors import BadEvidence, Wording
from debateroom.language import worded
from debateroom.terminal import one_line

LONGEST = 2_000
"""Characters that evidence may have."""
_WORDS = 5
"""Words of a path with blanks, at most: `docs/my report.md`."""
_NEVER = re.compile(r"[<>\"`|*?]|[，。；！？、：“”「」]|\$[({]|[,;]")
"""What a path does not hold: markup, commands, globs, the punctuation of sentences and lists."""
_NEVER_IN_LINKS = re.compile(r"[\s<>\"`|\\^{}]|[，。；！？、：“”「」]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_NEXT_LINK = re.compile(r"(?<![/=?#&:])https?://", re.I)
"""A second link glued to the first; one inside a path or a query (`…/web/2026/https://…`) is a part of it."""
_AUTHORITY = re.compile(
    r"(?:[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)*\.?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?"
)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_PLACE = re.compile(r"(?::\d+(?:[:-]\d+)*|#[\w.:-]+)?$")
"""Where in the file: `:42`, `:42:7`, `:42-60`, `#L42`, `#part`."""
_FILE = re.compile(r"(?:[^\W\d_]|[\w.~@+-]*[^\W\d_])[\w.~@+()\[\]-]*\.[A-Za-z]\w{0,9}|\.[A-Za-z][\w.-]*")
"""A file's name that is known as one by its ending, or by the dot it begins with."""
_BARE = frozenset({"makefile", "dockerfile", "readme", "license", "changelog", "procfile", "gemfile", "jenkinsfile"})
_PHRASES = frozenset({
    "n/a", "and/or", "et/ou", "yes/no", "oui/non", "either/or", "pass/fail", "true/false", "on/off", "w/o", "i/o",
    "he/she", "he/him", "e.g", "i.e", "etc",
})  # fmt: skip
_DOMAIN = re.compile(r"(?:.+\.)?[\w-]+\.(?:com|org|net)|.*@.*", re.I)
"""A host or an address of mail: a link without its beginning, not a file."""
_JOINING = frozenset({"and", "or", "et", "ou", "with", "avec", "in", "dans", "see", "voir", "is", "est", "&", "+"})


def check_evidence(text: str) -> str:
    """`text` without blanks around it, when it is exactly one http(s) link or one path. Raises BadEvidence.

    A path may name a line (`src/app.py:42`, `src/app.py#L42`). Whether it exists, or the link opens, is not asked.
    """
    if not isinstance(text, str):
        _refuse("evidence_no_text")
    given = text.strip()
    if not given:
        _refuse("evidence_empty")
    if len(given) > LONGEST:
        _refuse("evidence_long", most=LONGEST)
    if not given.isprintable():  # line breaks, NUL, and what is dropped unseen: `java\tscript:`
        _refuse("evidence_characters")
    if re.match(r"https?://", given, re.I):
        _check_link(given)
    else:
        _check_scheme(given)
        _check_path(given)
    return given


def _check_link(link: str) -> None:
    if _NEXT_LINK.search(link, 1):
        _refuse("evidence_several")
    if _NEVER_IN_LINKS.search(link):
        _refuse("evidence_link", text=one_line(link, 80))
    try:
        parts = urlsplit(link)
        whole = bool(_AUTHORITY.fullmatch(parts.netloc)) and parts.port != 0
    except ValueError:
        whole = False
    if not whole:
        _refuse("evidence_link", text=one_line(link, 80))


def _check_scheme(text: str) -> None:
    """Refuses what begins like an address of another kind, or like one with a slip."""
    scheme = _SCHEME.match(text)
    if scheme is not None and not _DRIVE.match(text) and not _is_place(scheme[1], text[scheme.end() :]):
        _refuse("evidence_scheme", scheme=f"{one_line(scheme[1], 20)}:")
    if text.startswith(("//", "\\\\")):
        _refuse("evidence_scheme", scheme=text[:2])
    if re.match(r"https?//|https?:|www\.", text, re.I):
        _refuse("evidence_link", text=one_line(text, 80))


def _is_place(name: str, rest: str) -> bool:
    """Whether what looks like a scheme is a file's name, with a line behind it: `app.py:42`."""
    return "." in name and rest[:1].isdigit()


def _check_path(text: str) -> None:
    path = _PLACE.sub("", text)
    rest = path[2:] if _DRIVE.match(path) else path
    if _NEVER.search(path) or ":" in rest or not _is_path(rest):
        _refuse("evidence_prose", text=one_line(text, 80))
    if _names_several(rest.split()):
        _refuse("evidence_several")


def _is_path(path: str) -> bool:
    """Whether `path` names one place: by a separator, an ending, or a name that only files have."""
    words, parts = path.split(" "), [part for part in re.split(r"[\\/]", path) if part]
    if path.casefold() in _PHRASES or not any(_has_letter(part) for part in parts) or path.startswith("-"):
        return False
    if len(words) > 1:
        # words with blanks between them are a path only when they begin and end like one
        begins, ends = re.search(r"[\\/]", words[0]), _FILE.fullmatch(parts[-1].split()[-1])
        return len(words) <= _WORDS and begins is not None and ends is not None
    if len(parts) > 1 or path != parts[0]:
        return not path.endswith(".") or set(parts[-1]) == {"."}
    return path.casefold() in _BARE or (bool(_FILE.fullmatch(path)) and not _DOMAIN.fullmatch(path))


def _has_letter(part: str) -> bool:
    return any(mark.isalpha() for mark in part)


def _names_several(words: list[str]) -> bool:
    """Whether more than one path stands in `words`, or a sentence that begins and ends with one."""
    return any(_FILE.fullmatch(re.split(r"[\\/]", word)[-1]) for word in words[:-1]) or any(
        word.casefold() in _JOINING for word in words
    )


def _refuse(key: str, /, **figures: object) -> NoReturn:
    raise worded(BadEvidence, Wording(key, figures))
