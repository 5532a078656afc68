"""Whether a token in a text is used, or only mentioned: quoted, refused, or described to the other side."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from debateroom.reading.endings import Token
from debateroom.reading.folding import Behind
from debateroom.reading.phrases import any_of
from debateroom.reading.quotation import in_quotation

_WINDOW = 200
"""Characters before and behind a token that are read as its sentence."""
_FENCE = re.compile(r"^[ \t]{0,12}(?P<mark>`{3,8}|~{3,8})(?![`~])[^\n`]*$", re.MULTILINE)
_MARKUP = " \t*_#>`\"'“”«»‘’「」『』()（）"
_STOPS = ".!。！~…" + _MARKUP
_SENTENCE_END = re.compile(r"[.!?…](?=\s)|[。！？]")
_OTHERS = re.compile(
    r"[\s*_#>-]{0,8}(?:agent|support|advisor|conseiller|conseillère|客服|智能体|代理)"
    r"(?:\s[A-Z])?[*_]{0,3}\s?[:：]",
    re.IGNORECASE,
)
"""*Agent: …*: the line is the other side's."""
_GOES_ON = re.compile(r"[\s\"'`*_)）»”’」』]{0,12}[a-zà-ÿ\u4e00-\u9fff]")
_ANSWER = re.compile(
    r"^\W{0,8}(?:(?:my|the|final|ma|la)\s){0,2}(?:output|response|answer|reply|message|réponse|输出|回复|回答)"
    r"[*_]{0,3}\s?[:：][\s*_\"'`]*$",
    re.IGNORECASE,
)
_OPENING = r"[\s\"'`«“「『(（:：]*$"
_SMALL_WORDS = any_of(
    "the | a | an | my | your | with | as | out | down | me | you | just | simply | again | token | word",
    "pas | jamais | plus | le | la | un | une | ce | vous | jeton | mot",
)
_FILLERS = rf"(?:\s+{_SMALL_WORDS}){{0,4}}"
_SAY_WORDS = any_of(
    "write | writes | writing | type | types | typing | say | says | saying | output | outputs | outputting",
    "emit | emits | emitting | enter | print",
    r"(?:reply|respond|answer|end|finish|conclude|close)(?: \w+){0,3}? with",
    "écri(?:re|s|t|vez|vant) | écrirai | tape[rz]? | tapant | saisi(?:r|s|ssez) | dire | dirai | dis | dites",
    r"émet(?:tre|s|tez)? | émettrai | (?:termin|répond|conclu|fin)\w{1,6}(?: \w+){0,3}? (?:par|avec)",
)
_SAY_WORDS_HAN = any_of("输出 | 输入 | 键入 | 打出 | 写下?出?上? | 发送 | 回复 | 说出")
_SAY = re.compile(
    rf"(?:\b{_SAY_WORDS}\b{_FILLERS}|{_SAY_WORDS_HAN}(?:一个|这个|标记|口令)?){_OPENING}", re.IGNORECASE
)
"""Before a token: it is the thing written. *I'll say*, *please type*, *sans écrire*."""
_USE_WORDS_HAN = any_of("说 | 用 | 使用 | 发")
_USE_WORDS = any_of(
    "use | uses | using | send | sends | sending | put | add | return | wait for | waiting for | expect",
    "utiliser?z? | envoyer | envoyez | envoie | ajoute[rz]? | attend(?:s|re|ez)",
)
_USE = re.compile(
    rf"(?:\b{_USE_WORDS}\b{_FILLERS}|{_USE_WORDS_HAN}(?:一个|这个|标记|口令)?){_OPENING}",
    re.IGNORECASE,
)
"""The same where the sentence goes on behind it: *use … to finish*, but not *easy to use* and the token."""
_NAMED = re.compile(
    r"(?:(?<![\w-])"
    + any_of(
        "the | a | an | your | called | named | what is | what does | what about | what's | token | word",
        "command | marker | signal | keyword | le | un | une | votre | jeton | mot | balise | commande | marqueur",
    )
    + rf"\s+|{any_of('标记 | 口令 | 信号 | 令牌 | 指令 | 关键词 | 什么是')})[\"'`«“「『(（]*$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"[\"'`»”」』)）]{0,3}\s{0,3}"
    + any_of(
        r"(?:is|are|means?|would|was|token|command|isn['’]t|est|signifie|veut dire)\b",
        "是 | 表示 | 意味 | 代表 | 这个",
    ),
    re.IGNORECASE,
)
"""Behind a token that a sentence is about."""
_REFUSED = re.compile(
    r"(?:\b(?:no|not|never|without|non|pas|pas de|sans|jamais)\s+|(?:不要?|别|没有?|未|无)\s*)[\"'`«“「『(（]*$",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|cannot|won['’]?t|\w+n['’]t|refuse|avoid|ne|pas|jamais)\b|\bn['’]|不|别|没|未", re.IGNORECASE
)
_CONDITION = re.compile(
    r"\b(?:if|unless|until|when|once|as soon as|whether|si|quand|lorsque|dès que|tant que|une fois)\b"
    r"|\b(?:s|lorsqu|dès qu|tant qu)['’]|如果|除非|直到|等到|当",
    re.IGNORECASE,
)
_COMPLETE = re.compile(
    r"(?:\b(?:nothing|all|rien|tout ce)\b[^,;:]{0,30}\b(?:say|write|dire|écrire)|没什么.{0,6}说)\s*$", re.IGNORECASE
)
"""*Nothing more to say*: the sentence is whole without the token."""
_WHO = re.compile(
    r"(?P<own>\b(?:i|je|let me)\b|\bj['’]|我)"
    r"|\b(?:you|he|she|they|we|agent|user|vous|tu|ils?|elles?|on|nous)\b|你|您|他|她|客服|用户",
    re.IGNORECASE,
)
"""Who writes: the speaker, or another."""
_CLAUSE = re.compile(r"[,;:，；：、—]")


class Block(NamedTuple):
    """The inside of a code fence."""

    start: int
    end: int
    outer_start: int
    """Where its opening fence starts."""
    outer_end: int
    """Where its closing fence ends, or the text."""
    closed: bool = True


def blocks(text: str) -> list[Block]:
    """The code blocks of `text`, in order; one that never closes goes to the end."""
    found: list[Block] = []
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif fence["mark"][0] == opening["mark"][0] and fence.group().strip().strip(fence["mark"][0]) == "":
            found.append(Block(opening.end(), fence.start(), opening.start(), fence.end()))
            opening = None
    if opening:
        found.append(Block(opening.end(), len(text), opening.start(), len(text), closed=False))
    return found


class Around(NamedTuple):
    """A token's line: what stands before the token, and behind it and its object."""

    before: str
    after: str

    @property
    def starts(self) -> bool:
        """Nothing but markup stands before it."""
        return not self.before.strip(_MARKUP)

    @property
    def ends(self) -> bool:
        """Nothing but markup and a full stop stands behind it."""
        return not self.after.strip(_STOPS)


def around(text: str, token: Token, verdict: Behind) -> Around:
    """The line of `token`, as far as it is looked at."""
    end = verdict.end if verdict.tight else token.end
    floor = max(0, token.start - _WINDOW)
    start = text.rfind("\n", floor, token.start) + 1 or floor
    line_end = text.find("\n", end, end + _WINDOW)
    return Around(text[start : token.start], text[end : line_end if line_end >= 0 else end + _WINDOW])


def mentioned(text: str, token: Token, verdict: Behind, fenced: list[Block]) -> bool:
    """Whether `token` is only spoken of. `fenced` are the code blocks of `text`."""
    line = around(text, token, verdict)
    if _deep_in_block(text, token, fenced) or line.before.lstrip().startswith(">") or _OTHERS.match(line.before):
        return True
    goes_on = bool(_GOES_ON.match(line.after))
    if line.starts and (line.ends or (verdict.tight and not goes_on)):
        return False
    if token.quoted or in_quotation(text, token.core, since=token.start - len(line.before)):
        return True
    if line.before.count("`") % 2 and "`" in line.after:
        return True
    if verdict.objects and verdict.tight and not goes_on:
        return False
    return _described(line, goes_on)


def _deep_in_block(text: str, token: Token, fenced: list[Block]) -> bool:
    """Whether it stands in a code block that begins with something else, and that ends."""
    at = bisect_right(fenced, token.start, key=lambda block: block.start) - 1
    if at < 0 or token.start >= fenced[at].end or not fenced[at].closed:
        return False
    first = text[fenced[at].start : token.start][: 2 * _WINDOW]
    return token.start - fenced[at].start > _WINDOW or bool(first.strip(_MARKUP + "\n"))


def _described(line: Around, goes_on: bool) -> bool:
    """Whether its sentence, which `goes_on` behind it or not, speaks about it."""
    sentence = _last_sentence(line.before)
    if _ANSWER.search(sentence):
        return False
    if _NAMED.search(sentence) or _SUBJECT.match(line.after):
        return True
    if goes_on and (_REFUSED.search(sentence) or _USE.search(sentence)):
        return True
    verb = _SAY.search(sentence)
    if not verb or _COMPLETE.search(sentence):
        return False
    return goes_on or not _performed(sentence, verb.start(), line.after)


def _last_sentence(before: str) -> str:
    ends = [match.end() for match in _SENTENCE_END.finditer(before)]
    return before[ends[-1] :] if ends else before


def _performed(sentence: str, verb: int, after: str) -> bool:
    """Whether the speaker says it while saying so: *so I'll write …*; not a question, a refusal or a condition."""
    who = list(_WHO.finditer(sentence, 0, verb))
    if not who or not who[-1]["own"]:
        return False
    commas = [match.end() for match in _CLAUSE.finditer(sentence, 0, verb)]
    clause = sentence[commas[-1] if commas else 0 :]
    asked = after.lstrip(" \"'`*_»”").startswith(("?", "？"))
    return not (asked or _DENIED.search(clause) or _CONDITION.search(sentence))
