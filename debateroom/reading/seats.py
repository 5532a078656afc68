"""Names of seats in running text: who is named, and which line announces the words of another."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_SEAT = re.compile(
    r"(?:(?<![A-Za-z])(?:[Aa]gents?|AGENTS?)[ \u00a0_-]|(?:智能体|代理)[ \u00a0]?)(?P<first>[A-Z]{1,2}|"
    r"[a-z])(?![^\W_\u4e00-\u9fff])"
)
_MORE = re.compile(r"\s*(?:,|&|/|and|et|or|ou|和|与|、|及)\s*(?:[Aa]gent\s+)?([A-Z]{1,2})(?![^\W_\u4e00-\u9fff])")
_LEAD = r"[\s*_#`~\[【<|=—–-]{0,12}+"
_ROLE = r"(?:\s*[(（\[][^()（）\[\]\n]{1,60}[)）\]])?"
_HEADING = re.compile(
    rf"{_LEAD}(?:(?:[Aa]gent|AGENT)[ \u00a0]|(?:智能体|代理)[ \u00a0]?)(?P<seat>[A-Z]{{1,2}}|"
    rf"[a-z])(?![^\W_\u4e00-\u9fff]){_ROLE}"
    rf"(?:\s*[—–-]\s*[^:：\n]{{1,40}})?[*_`\]】>|"
    rf"]{{0,6}}\s?(?P<colon>[:：,，–—-]?)[*_`]{{0,3}}[ \t]*(?:[*_=—–-]{{1,12}})?"
)
_SAYING = re.compile(
    r"\b(?:wrote|writes|said|says|say|stated|states|reads?|replied|answered|argued|argues|claim(?:s|ed)|contains?|"
    r"instructs?|put it|lines?|quot(?:e|es|ed|ing)|example|template|"
    r"écrit|écrivait|dit|disait|affirme|répond|contient|citation|consigne|exemple)\b|写道|说|称|写的|原话|引用|包含|"
    r"例如|示例",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"^(?:(?:now|so|and|here(?:'s| is)|below is|voici|以下是|这是|下面是)[ ,:]{0,2})?(?:"
    r"(?:(?:my|the|our)\s+)?(?:own|final|actual|real|revised)\s+(?:\w+\s+){0,2}?(?:answer|reply|response|version|"
    r"entry|turn)"
    r"|my\s+(?:\w+\s+){0,2}?(?:answer|reply|response|entry|turn|contribution)"
    r"|(?:as for me|for my part|myself|me|pour ma part|quant à moi)"
    r"|(?:ma|la)\s+(?:propre\s+)?(?:réponse|version)(?:\s+(?:finale|propre|corrigée))?"
    r"|(?:réponse|version)\s+finale|final(?:e|ly)?|finalement|最终"
    r"|(?:我(?:自己)?的|最终|最后的?)(?:最终)?(?:回答|回复|答复|答案|发言|版本)"
    r")\b[^.。!?\n]{0,40}$",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?<![\w'’])[B-HJ-Z]\b")
_MINE = re.compile(
    r"\b(?:my|our|ma|mon|notre)\s+(?:\w+\s+){0,3}?(?:answer|response|reply|statement|take|view|assessment|position|"
    r"contribution|entry|analysis|réponse|avis|analyse)\b|我的(?:回答|回复|答复|看法|观点|立场|分析)",
    re.IGNORECASE,
)
_THEIRS = re.compile(
    r"(?:\b(?:from|by|of|as|de|par)\s+[Aa]gents?\s[A-Za-z]{1,2}\b"
    r"|[Aa]gents?\s[A-Za-z]{1,2}(?:['’]s)?\b[^.:：]{0,40}?(?:\b(?:reply|answer|position|entry|statement|view|"
    r"proposal|"
    r"response|block|turn|réponse|would|might|will)\b|的)|\b(?:réponse|avis|position) de l['’][Aa]gent)",
)
_AGAIN = re.compile(
    r"^(?:actually|wait|correction|revised|on reflection|scratch that|en fait|rectification|更正|修正)\b.{0,100}$"
    r"|\b(?:let me|i['’]ll|i will|i should)\s(?:\w+\s)?(?:revise|restate|rewrite|correct|redo|reformat|start over|"
    r"try again|fix)\b"
    r"|\bje\s(?:reprends|corrige|reformule|recommence)\b|让我(?:重新|修改|更正)|重新(?:表述|整理|回答)",
    re.IGNORECASE,
)
"""The writer begins anew."""
_EDGE = ' \t*_#`~[]【】<>|=—–-:："“”'
_ANNOUNCEMENT = 160
"""Characters; a longer line announces nothing, it is a paragraph."""

Announces = Literal["own", "other", "someone", "nobody"]


class Heading(NamedTuple):
    """What a line directly before a label says about whose label it is."""

    announces: Announces
    """`own` (the speaker), `other` (another seat), `someone` (a heading or *X says:*), `nobody` (plain text)."""
    seat: str | None = None
    bare: bool = False
    """Nothing but the seat's name (and role): it may as well be the value of the label above."""
    saying: bool = False
    """It introduces a quotation."""
    colon: bool = False


def as_seat(name: str | None) -> str | None:
    """`name` as seats are called: `agent b (Critic)` is `Agent B`; another kind of name stays as it is."""
    match = _SEAT.match(name.strip()) if name else None
    return f"Agent {match['first'].upper()}" if match else name


def letters(seat: str | None) -> str | None:
    """`B` of `Agent B`; None for no seat."""
    return seat.split()[-1].upper() if seat and seat.split() else None


def named(text: str) -> list[str]:
    """The seats that `text` names in full, `Agent X`, in order, each once; `Agents B and C` are two."""
    found: dict[str, None] = {}
    for match in _SEAT.finditer(text):
        found[f"Agent {match['first'].upper()}"] = None
        end = match.end()
        while more := _MORE.match(text, end):
            found[f"Agent {more[1]}"] = None
            end = more.end()
    return list(found)


def named_alone(text: str) -> bool:
    """Whether `text` is one seat's name, with its role at most."""
    return bool(re.fullmatch(rf"{_SEAT.pattern}{_ROLE}", text.strip().strip("*_`. ")))


def seat_prefix(text: str, start: int, end: int) -> tuple[str, int] | None:
    """The seat that the line starts with, as in `Agent B (Critic): …`, and where its words begin."""
    if "gent" not in text[start : start + 24] and "GENT" not in text[start : start + 24]:
        return None
    match = _HEADING.match(text, start, end)
    return (f"Agent {match['seat'].upper()}", match.end()) if match and match["colon"] else None


def heading(text: str, speaker: str | None) -> Heading:
    """What the line `text` announces; `speaker` is the seat that writes, None when not known."""
    line = text.strip()
    if len(text) > _ANNOUNCEMENT or not line:
        return Heading("nobody")
    colon = line.rstrip('*_`~ "“«').endswith((":", "："))
    bare = _HEADING.fullmatch(line)
    if bare:
        seat = f"Agent {bare['seat'].upper()}"
        return Heading("own" if seat == speaker else "other", seat, bare=True, colon=colon)
    core = line.strip(_EDGE)
    others = [seat for seat in named(core) if seat != speaker]
    if (_OWN.match(core) and not others) or (colon and _MINE.search(core[-70:])) or _AGAIN.search(core):
        return Heading("own")
    if not colon:
        return Heading("nobody")
    saying = bool(_SAYING.search(core))
    if others and (saying or _THEIRS.search(core)):
        return Heading("other", others[0], saying=saying, colon=True)
    if saying and _LETTER.search(core):
        return Heading("other", saying=True, colon=True)
    return Heading("someone", saying=saying, colon=True)
