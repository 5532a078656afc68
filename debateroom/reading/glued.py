"""Labels in the middle of a line: `… the workers.REASONING: …`. Only where a section is missing otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from debateroom.language import SECTIONS
from debateroom.messages import Kind
from debateroom.reading.labels import Label, case_of
from debateroom.reading.lines import Line
from debateroom.reading.vocabulary import SYNONYM, Name, asked, name_at, order

_COLON = re.compile(r"[:：】\]]")
_WORD_START = re.compile(
    r"(?<![^\W\d_])[^\W\d_]|(?<=[a-zà-ÿ])[A-Z](?=[A-Z])|(?<=gent [A-Z])[A-Z](?=[A-Z]{4})|(?:(?<=[.。！？;；])|"
    r"(?<=gent [A-Z]))[\u4e00-\u9fff]"
)
_BEHIND_NAME = re.compile(r"[*_`\]]{0,3}[ \u00a0\u202f]?(?:[(（][^()（）\n]{0,20}[)）])?[*_`\]]{0,3}[ \u00a0\u202f]?")
_BEHIND_COLON = re.compile(r"[:：]?[*_`]{0,3}[ \t]*")
_SEAT_BEFORE = re.compile(r"(?<![A-Za-z])(?:[Aa]gent|AGENT) [A-Z]{1,2}[ ,]{0,2}$")
"""`ENDORSES: Agent B CONFIDENCE: 8`: a seat's name has no full stop behind it."""
_DRESS = "*_`【["
_BREAK = re.compile(r"(?:[ \t\u00a0\u202f]*[,，、;；]|[ \t\u00a0\u202f]+[–—|/·•→-]{1,3})[ \t\u00a0\u202f]*$")
"""What stands between a section and the next label on its line: no part of either."""
_SENTENCE_GOES_ON = re.compile(
    r"(?:(?<![^\W\d_])(?:the|a|an|this|that|these|any|no|my|your|his|her|its|our|their|says?|said|writes?|wrote|written|"
    r"reads?|quotes?|states?|has|have|is|was|shows?|gives?|sets?|with|of|in|at|under|see|called|named|label|labels|"
    r"field|section|line|heading|le|la|les|un|une|ce|cette|ma|mon|sa|son|leur|votre|dit|écrit|indique|affiche|avec|de|"
    r"du|des|au|aux|voir|sous|champ|ligne)|['’]s|[lLdD]['’]|"
    r"(?:写|说|写着|显示|标|的|称|字段|标签|一栏))[ \t\u00a0\u202f]*$",
    re.IGNORECASE,
)
"""Words after which a label's name is a word of the sentence: `the file says CONFIDENCE: 10`."""
_SEAT_IN_SENTENCE = re.compile(
    r"(?:(?<![^\W\d_])(?:with|by|from|of|to|like|and|or|than|that|avec|de|par|à|comme|et|ou|que)[ \u00a0]|"
    r"[\u4e00-\u9fff，、][ ]?)[Aa]gent [A-Z]{1,2}[ ,]{0,2}$"
)
"""`I agree with Agent B DISAGREEMENTS: …`: the seat ends the sentence before, it does not speak."""
_SEAT_SPEAKS = re.compile(
    r"[Aa]gent [A-Z]{1,2}(?: [a-zà-ÿ]{2,12}(?:s|ed|é|it|nd|se|ut)| ?(?:认为|主张|提出|坚持|写|说))"
    r"[ \u00a0]?[,，]?[ \u00a0]*$"
)
"""`Agent C argued REFINED PROPOSAL: …`"""
_ANY_SEAT = re.compile(r"(?<![A-Za-z])[Aa]gent [A-Z]{1,2}(?![A-Za-z])")
_QUOTES = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("(", ")"), ("（", "）"))
_NEXT_LABEL = re.compile(
    r"[ \t\u00a0\u202f](?:[A-ZÀ-Þ]{5,}[A-ZÀ-Þ_ ]{0,12}[ \u00a0\u202f]?[:：]|[\u4e00-\u9fff]{2,4}[:：])"
)
_SENTENCE_ENDS = ".!?。！？;；…|)）”>"
_LOOK_BACK = 40
_COLONS = 2_000
"""Colons that are looked at: a reply has some tens, a hostile one a million."""
_SHORT = 24
"""Characters of a confidence with its scale; what is longer is a sentence that quotes one."""

Strength = Literal["strong", "faint", "quoted"]
"""`quoted`: a sentence speaks of the label, and what follows on its line may be quoted too."""


class _Place(NamedTuple):
    """A name with a colon in the middle of a line."""

    name: Name
    start: int
    value: int
    strength: Strength
    case: str
    dressed: bool
    after_colon: bool
    after_seat: bool
    alike: bool
    """Written like the label before it."""


@dataclass(slots=True)
class _Search:
    """What is known while going through the lines from first to last."""

    text: str
    kind: Kind
    labels: Sequence[Label]
    missing: set[str]
    passed: int = 0
    """How many of `labels` lie behind."""
    faint: bool = True
    """Whether names that only look like labels beside others of the kind are taken."""
    case: str = ""
    """How the label before is written; empty before the first, and `[` for one in square brackets."""
    quoting: bool = False
    """Whether the line has begun to quote labels of somebody else."""
    in_line: int = 0
    """Labels that this line has had."""
    last: int = -1
    """Place in the format of the section that is open here; -1 before the first."""
    colons: int = _COLONS


def glued_labels(text: str, own: Sequence[Line], labels: Sequence[Label], kind: Kind) -> list[Label]:
    """Labels inside the lines `own` for sections that `labels` do not open.

    Upper-case and bold ones count, and those written like the label before; others only when the whole reply is
    written that way. A confidence must be all that follows on its line, so that *the file says CONFIDENCE: 10,
    which is wrong* is none; after several labels on the line it may give its reason.
    """
    present = {label.key for label in labels}
    for faint in (True, False):
        search = _Search(text, kind, labels, set(SECTIONS[kind]) - present, faint=faint)
        found: list[tuple[Label, Strength]] = []
        for line in own:
            if search.colons <= 0 or not search.missing:
                break
            if not line.open_fence:
                _in_line(search, line, found)
        if not faint or all(strength == "strong" for _, strength in found):
            break
        if len(labels) <= 1 and len(present) + len(found) >= 3:
            break
    return [label for label, _ in found]


def _in_line(search: _Search, line: Line, found: list[tuple[Label, Strength]]) -> None:
    text, start = search.text, line.start
    search.in_line, search.quoting = 0, False
    while search.passed < len(search.labels) and search.labels[search.passed].start < line.end:
        label = search.labels[search.passed]
        search.passed += 1
        search.last = order(search.kind, label.key)
        search.case = _written(text, label)
        if label.start >= line.start:
            start = label.value
            search.in_line += 1
    quotes, counted = 0, start
    for colon in _COLON.finditer(text, start, line.end):
        search.colons -= 1
        if search.colons <= 0:
            return
        place = _place(search, start, colon)
        if not place:
            continue
        quotes, counted = quotes + text.count('"', counted, place.start), place.start
        if quotes % 2 or not _belongs(search, place, line):
            if search.quoting:
                return
            continue
        name = asked(place.name, search.kind)
        search.last = max(search.last, order(search.kind, name.key))
        search.missing.discard(name.key)
        label = Label(name, place.start, place.value, place.case, "", place.dressed, ":", glued=True)
        search.case = _written(text, label)
        search.in_line += 1
        found.append((label, place.strength))
        start = place.value


def _written(text: str, label: Label) -> str:
    """How a label is written, so that the next one can be compared with it."""
    return "[" if label.strong and text[label.start : label.value].lstrip()[:1] in ("[", "【") else label.case


def _place(search: _Search, start: int, colon: re.Match[str]) -> _Place | None:
    """The name right before `colon`, if a sentence ended before it or it stands out."""
    text, end = search.text, colon.start()
    if text[end - 1 : end] in ("", "\n", ":", "："):
        return None
    window = max(start, end - _LOOK_BACK)
    for word in _WORD_START.finditer(text, window, end):
        prefix = name_at(text, word.start(), end)
        behind = prefix and _BEHIND_NAME.fullmatch(text, prefix.end, end)
        if not prefix or not behind or prefix.name.grade == SYNONYM:
            continue
        dress = word.start()
        while dress > start and text[dress - 1] in _DRESS:
            dress -= 1
        bracketed = text[dress] in "[【"
        if colon.group() in "】]" and not bracketed:
            return None
        written = text[word.start() : prefix.end]
        case = case_of(written)
        alike = search.case == ("[" if bracketed else case)
        before = text[max(start, dress - _LOOK_BACK) : dress]
        strength = _strength(written, before, "[" if bracketed else "*" if dress < word.start() else "", alike)
        if "`" in text[dress : word.start()] and "`" not in text[prefix.end : colon.end() + 3]:
            strength = "quoted"  # code goes on behind the name
        if not strength or (strength == "faint" and not search.faint):
            return None
        after = _BEHIND_COLON.match(text, colon.end())
        apart = _BREAK.search(before)
        return _Place(
            prefix.name,
            dress - len(apart.group()) if apart else dress,
            after.end() if after else colon.end(),
            strength,
            case,
            dress < word.start(),
            before.rstrip()[-1:] in (":", "："),
            bool(_SEAT_BEFORE.search(before)) and not (alike and _SEAT_IN_SENTENCE.search(before)),
            alike,
        )
    return None


def _strength(name: str, before: str, dress: str, alike: bool) -> Strength | None:
    """How clearly `name` stands out from the words `before` it on its line; None for a word of the sentence.

    `dress` is `[`, `*` (bold or code) or nothing; `alike` says that the label before is written in the same way.
    """
    ends = before.rstrip()[-1:]
    if not ends or _in_quotes(before):
        return None
    sentence_over, spaced = ends in _SENTENCE_ENDS, before[-1:].isspace()
    if _SEAT_BEFORE.search(before) and (name.isupper() or not name.isascii()):
        return "strong"
    if dress == "[" and not sentence_over:
        return ("strong" if alike else "faint") if name.isupper() or not name.isascii() else None
    if name.isupper() and (before[-1:].islower() or sentence_over or dress or ends in ":："):
        return "strong"
    if dress:
        return "strong" if not before[-1].isalnum() else None
    if sentence_over:
        return "strong" if name.lower() == name.upper() else "faint" if name[0].isupper() else None
    if name[0].islower() or not (spaced or _BREAK.search(before)):
        return None
    word = _SENTENCE_GOES_ON.search(before)
    if (word and before[: word.start()].strip()) or _SEAT_SPEAKS.search(before):
        return "quoted" if name.isupper() else None
    return "strong" if alike and (name.isupper() or (name.lower() == name.upper() and spaced)) else "faint"


def _in_quotes(before: str) -> bool:
    """Whether a quotation or a bracket that opened in `before` is still open."""
    return before.count("`") % 2 == 1 or any(
        before.rfind(opening) > before.rfind(closing) for opening, closing in _QUOTES
    )


def _belongs(search: _Search, place: _Place, line: Line) -> bool:
    """Whether the section is missing, and this is where the format puts it."""
    name = asked(place.name, search.kind)
    at = order(search.kind, name.key)
    free = place.alike and place.strength == "strong" and search.in_line >= 1 and len(search.labels) <= 1
    if _is_quoted(search, place, at) or (name.key not in search.missing and _of_a_seat(search, place, line)):
        search.quoting = True
        return False
    if name.key not in search.missing or (name != place.name and not free) or (at <= search.last and not free):
        return False
    later = [order(search.kind, label.key) for label in search.labels[search.passed : search.passed + 8]]
    if any(0 <= other < at for other in later):
        return False
    return name.key != "confidence" or _is_confidence(search, place, line, free=free)


def _is_quoted(search: _Search, place: _Place, at: int) -> bool:
    """Whether the label is spoken of, or said by somebody else: `they wrote: PROPOSAL: …`."""
    if place.strength == "quoted":
        return True
    if place.after_seat and search.last != order(search.kind, "endorses"):
        return True
    return place.after_colon and bool(at or search.last >= 0)


def _of_a_seat(search: _Search, place: _Place, line: Line) -> bool:
    """Whether a seat is named shortly before a label that the reply has already: then that seat's words follow."""
    return bool(_ANY_SEAT.search(search.text, max(line.start, place.start - _LOOK_BACK), place.start))


def _is_confidence(search: _Search, place: _Place, line: Line, *, free: bool) -> bool:
    """Whether what follows on the line is how sure the writer is, and no sentence about a confidence."""
    at = order(search.kind, "confidence")
    rest = search.text[place.value : line.end]
    following = _NEXT_LABEL.search(rest, 0, _LOOK_BACK) if free else None
    rest = (rest[: following.start()] if following else rest).strip()
    if free and search.in_line >= 3:
        return True
    if free and re.match(r"\d", rest) and (following or search.in_line >= 2):
        return True
    return len(rest) <= _SHORT and not re.search(r"[.。!]\s*[^\s\d]", rest) and search.last in (at - 1, at - 2)
