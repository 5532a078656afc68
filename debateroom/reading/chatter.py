"""What a model says to the reader after its answer: *let me know if …*. It belongs to no section."""

from __future__ import annotations

import re

from debateroom.reading.seats import seat_prefix

_OFFER = re.compile(
    r"[\s*_>#-]{0,6}(?:(?:please |just |and )?(?:let me know|feel free|don'?t hesitate)\b|i hope (?:this|that|it)\b|"
    r"hope (?:this|that) helps"
    r"|(?:would|do) you (?:like|want) me to\b|(?:i'?m|i am|i'?d be|i would be) happy to (?:help|elaborate|expand|"
    r"discuss|clarify|answer|provide)"
    r"|happy to (?:elaborate|expand|discuss|clarify|answer)|is there anything else|if you(?:'d| would)? (?:like|"
    r"want|need)\b.{0,60}\b(?:let me|i can)\b"
    r"|thank you for (?:reading|the opportunity)|(?:i(?:'m| am)? )?look(?:ing)? forward to\b|over to (?:you|"
    r"agent)\b|(?:now|so),? agent [a-z]{1,2}\b.{0,80}\?"
    r"|what (?:do|are) (?:you|your|the others?)\b.{0,60}\?"
    r"|n['’]hésitez pas|dites-moi|faites-moi savoir|j['’]espère que (?:cela|cette|ceci|ma)|(?:souhaitez|"
    r"voulez)-vous que je|je reste (?:à votre )?disposition|bonne lecture"
    r"|如果?(?:您|你)?(?:有|需要|还有|对).{0,30}(?:告诉我|随时|提出|联系|欢迎|说明)|如有.{0,20}(?:请|欢迎|随时)|"
    r"请(?:随时)?告诉我|希望(?:这|以上|对).{0,10}(?:帮助|有用)|(?:需要|要不要|是否需要)我.{0,20}[吗？?]|随时(?:告诉|"
    r"联系)我)",
    re.IGNORECASE,
)
_SEAT_LINE = re.compile(r"^[ \t*_#`~\[【-]{0,12}(?:[Aa]gent|AGENT|智能体|代理)", re.MULTILINE)
_LAST_LINES = 4
_LONG = 300
"""Characters; an offer to help is short."""


def end_of_answer(text: str, speaker: str | None) -> int:
    """Where the answer in `text`, a reply's last section, ends: before talk to the reader or of other seats."""
    end = len(text)
    for start, line_end in _last_lines(text):
        line = text[start:line_end]
        if start and len(line) <= _LONG and _OFFER.match(line):
            end = start
    if speaker is not None:
        for match in _SEAT_LINE.finditer(text, 0, end):
            above = text.rfind("\n", 0, max(0, match.start() - 1))
            blank = match.start() > 0 and not text[above + 1 : match.start()].strip()
            prefix = seat_prefix(text, match.start(), min(end, match.start() + 200)) if blank else None
            if prefix and prefix[0] != speaker:
                return match.start()
    return end


def _last_lines(text: str) -> list[tuple[int, int]]:
    """Start and end of the last few lines with text, last one first."""
    found: list[tuple[int, int]] = []
    end = len(text)
    while end > 0 and len(found) < _LAST_LINES:
        start = text.rfind("\n", 0, end) + 1
        if text[start:end].strip():
            found.append((start, end))
        end = start - 1
    return found
