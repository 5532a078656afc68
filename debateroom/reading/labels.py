"""One line of a reply: whether it starts with a label, how that label is dressed, and where its value begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from debateroom.reading.seats import named_alone
from debateroom.reading.vocabulary import EXACT, Name, Prefix, misspelt_name, name_at

_HTML = r"</?(?:b|strong|em|i|u|h[1-6]|p|li|div|span|dt|dd|summary|mark)\b[^<>\n]{0,80}>"
_SYMBOL = "[\u2190-\u2bff\u3003-\u3007\U0001f000-\U0001faff\ufe0f]"
_INDENT = re.compile(r"[ \t\u00a0\u3000]*+")
_LEAD = re.compile(
    rf"(?:\#{{1,6}}[ \t]*|={{2,6}}[ \t]*|-{{2,6}}[ \t]+|[-+•·▪●◦‣➤►▶→–—*][ \t\u00a0]+|[*_`~]{{1,3}}|"
    rf"[(（]?\d{{1,2}}[.)）、．][ \t\u00a0]*"
    rf"|[a-eA-E][.)][ \t]+|[(（][一二三四五六七八九十]{{1,2}}[)）][ \t]*|[一二三四五六七八九十]{{1,2}}[、.．][ \t]*"
    rf"|{_HTML}|[\[【〖『「《<|][ \t]*|{_SYMBOL}[ \t]*){{0,8}}+"
)
_NOTE = r"[(（\[](?P<note>[^()（）\[\]\n]{0,60})[)）\]]"
_TAIL = re.compile(
    rf"(?P<close>(?:[*_`~\]】〗』」》>|]|{_HTML}){{0,6}}+)[ \t\u00a0\u202f\u2009]{{0,4}}+"
    rf"(?:{_NOTE})?(?P<close2>(?:[*_`~\]】]|{_HTML}){{0,6}}+)[ \t\u00a0\u202f\u2009]{{0,4}}+"
    r"(?P<sep>(?:是|为|is|est)?[ \t]?[:：﹕∶︰]{1,2}|\.(?=\*\*)|(?:[=#~–—-]{2,12}[ \t]*)?(?=\n|\Z)|=>|=|->|→|\||"
    r"[–—―]{1,2}|--?(?=[ \t*_]|$))?"
    rf"(?P<close3>(?:[ \t]{{0,2}}(?:[*_`~]{{1,3}}(?=[ \t\u00a0\u202f\n]|\Z)|{_HTML})){{0,3}}+)"
)
_ABOUT = re.compile(
    r"\s(?:in|dans|en)\s(?:my|this|the|ma|cette|notre|our)\s(?:(?:own|refined|updated|revised|final|current)\s)*"
    r"(?:proposal|position|recommendation|plan|answer|judge?ment|assessment|proposition|"
    r"recommandation)\b(?:\saffinée)?",
    re.IGNORECASE,
)
"""What a confidence may be said to be in: the writer's own proposal, never a thing or another seat's."""
_SLASH = re.compile(r"[ \u00a0]?[/|·、][ \u00a0]?")
_IS = re.compile(r"\s?(?:is|est(?: de)?|是|为)\s?(?:now |still |about |at )?(?=\d)", re.IGNORECASE)
_LONGER_NAME = re.compile(r"[ \t]*(?:[^\W_]+[ \t/&-]{1,3}){0,3}[^\W_]+[ \t]?[:：]")
"""`POSITION of the team: …`, `PROPOSAL REVIEW: …`: the words up to the colon name something else."""
_SHORT = 24
"""Characters of a confidence with its scale."""
_CLOSERS = frozenset("*_`]】〗』」》>")


@dataclass(frozen=True, slots=True)
class Label:
    """A label at the start of a line."""

    name: Name
    start: int
    """Where its dress begins, list mark and indent included."""
    value: int
    """Where what it labels begins."""
    case: str
    """`upper`, `title`, `lower`; `han` for Chinese."""
    dress: str
    """What stands before it: `` (nothing), `-` (bullet), `1` (number), `#` (heading) or `|` (table)."""
    strong: bool
    """Bold, back-ticked or in brackets."""
    separator: str
    """`:`, `-` (a dash or arrow), `line` (the label stands alone on its line) or `` (nothing)."""
    note: str = ""
    """What stands in brackets behind it: `1-10`."""
    indent: int = 0
    glued: bool = False
    """In the middle of a line."""

    @property
    def key(self) -> str:
        return self.name.key

    @property
    def style(self) -> tuple[str, str, bool]:
        """Labels of one reply look alike; what looks different is probably none."""
        return (self.case, self.dress, self.strong)


def label_at(text: str, start: int, end: int, *, fuzzy: bool = True) -> Label | None:
    """The label that the line `text[start:end]` starts with; None when it starts with ordinary words.

    `fuzzy` also accepts a label misspelt by two letters, if a colon follows.
    """
    indent = _INDENT.match(text, start, end)
    lead_start = indent.end() if indent else start
    lead_match = _LEAD.match(text, lead_start, end)
    name_start = lead_match.end() if lead_match else lead_start
    prefix = name_at(text, name_start, end)
    label = _dressed(text, prefix, start, lead_start, name_start, end) if prefix else None
    if label or not fuzzy:
        return label
    prefix = _misspelt_at(text, name_start, end)
    return _dressed(text, prefix, start, lead_start, name_start, end) if prefix else None


def _misspelt_at(text: str, start: int, end: int) -> Prefix | None:
    head = text[start : min(end, start + 28)]
    words = re.match(r"[^\W\d_]{3,18}(?:[ _][^\W\d_]{3,12})?(?=[*_`\]】]{0,3}[ \u00a0\u202f]?[:：\]】])", head)
    name = misspelt_name(words.group()) if words else None
    return Prefix(name, start + words.end()) if words and name else None


def _dressed(text: str, prefix: Prefix, start: int, lead_start: int, name_start: int, end: int) -> Label | None:
    """The label with its dress, or None when what follows the name shows that it is an ordinary word."""
    lead = text[lead_start:name_start]
    name_end = _end_of_name(text, prefix, end)
    tail = _TAIL.match(text, name_end, end)
    if not tail:
        return None
    closed = tail["close"] + tail["close2"] + tail["close3"]
    opened = bool(_CLOSERS & set(closed)) or any(mark in lead for mark in "`[【〖『「《") or "<" in lead
    label = Label(
        name=prefix.name,
        start=start,
        value=_behind_closers(text, lead, closed, tail.end()),
        case=case_of(text[name_start : prefix.end]),
        dress=_dress(lead),
        strong=opened and bool(lead.strip()),
        separator=_separator(tail["sep"], tail["close"], lead),
        note=tail["note"] or "",
        indent=lead_start - start,
    )
    if label.separator:
        return label if _may_stand(label, text, end) else None
    return _without_separator(label, text, name_end, tail, end)


def _end_of_name(text: str, prefix: Prefix, end: int) -> int:
    """Where the whole name ends: `CONFIDENCE in my proposal`, or the same name again as in `立场 / POSITION`."""
    if prefix.name.key == "confidence" and (about := _ABOUT.match(text, prefix.end, end)):
        return about.end()
    slash = _SLASH.match(text, prefix.end, end)
    again = name_at(text, slash.end(), end) if slash else None
    return again.end if again and again.name.key == prefix.name.key else prefix.end


def _behind_closers(text: str, lead: str, closed: str, value: int) -> int:
    """Where the value begins when the label's bold ends right at it: `**POSITION:**Put a queue`."""
    opener = re.search(r"(\*{1,3}|_{1,3}|`{1,3})$", lead)
    behind = opener and not set(closed) & set("*_`") and text.startswith(opener[1], value)
    return value + len(opener[1]) if opener and behind else value


def case_of(name: str) -> str:
    """How a label is written: `upper`, `title`, `lower`, or `han` for Chinese."""
    if not name.isascii() and name.lower() == name.upper():
        return "han"
    if name.isupper():
        return "upper"
    return "title" if name[0].isupper() else "lower"


def _dress(lead: str) -> str:
    if not lead:
        return ""
    for mark, symbols in (("|", "|"), ("#", "#"), ("-", "-+•·▪●◦‣➤►▶→–—")):
        if any(symbol in lead for symbol in symbols):
            return mark
    if re.match(r"\*[ \t]", lead):
        return "-"
    return "1" if re.search(r"[\d一二三四五六七八九十]|[a-eA-E][.)]", lead) else ""


def _separator(found: str | None, closed: str, lead: str) -> str:
    if found is None:
        return "-" if "|" in closed and "|" in lead else ""
    if not found.strip(" \t=#~–—-"):
        return "-" if len(found.strip()) == 1 else "line"
    return ":" if found.strip()[-1] in ":：﹕∶︰." else "-"


def _may_stand(label: Label, text: str, end: int) -> bool:
    """A colon makes any name a label; a dash or a line of its own only one that is written like a label."""
    if label.separator == ":":
        return True
    if label.case == "lower" and not (label.strong or label.dress in ("#", "1", "|")):
        return False
    if label.separator == "line":
        return label.name.grade > 1 or label.strong or label.dress == "#" or label.case == "upper"
    return bool(text[label.value : end].strip()) or label.strong


def _without_separator(label: Label, text: str, name_end: int, tail: re.Match[str], end: int) -> Label | None:
    """`POSITION Put a queue` and `【立场】 …` are labelled; `Position matters` is not."""
    if label.name.misspelt:
        return None
    if label.key == "confidence" and label.case != "lower":
        if _IS.match(text, name_end, end):
            return replace(label, separator="-")
        if label.note:
            return _from_note(label, text, name_end)
    if label.name.grade < EXACT and not (label.strong and label.dress != "-"):
        return None
    value = text[label.value : end]
    spaced = value[:1].isspace() or text[label.value - 1 : label.value].isspace()
    if label.strong and set(tail["close"] + tail["close2"]) & _CLOSERS:
        return replace(label, separator="-") if set(tail["close"]) & set("】]") else label
    if label.case == "han" and label.key == "confidence" and value[:1].isdecimal():
        return replace(label, separator="-")
    if not spaced or (label.key == "endorses" and not named_alone(value)):
        return None
    if label.case == "han":
        return label
    if label.key == "confidence":
        return _with_value_only(label, value)
    return label if label.case == "upper" and not _LONGER_NAME.match(value) else None


def _with_value_only(label: Label, value: str) -> Label | None:
    """`Confidence 8/10`: a number right behind the name, and little after it."""
    if label.case == "lower" or not re.match(r"\s*[~(\[]?\d{1,3}(?!\w)", value):
        return None
    return replace(label, separator="-") if len(value.strip()) <= _SHORT else label


def _from_note(label: Label, text: str, name_end: int) -> Label:
    """`CONFIDENCE (8/10)`: the brackets hold the value itself."""
    value = next(at for at in range(name_end, label.value) if text[at] in "(（[")
    return replace(label, value=value, separator="-", note="")
