"""Which seat's proposal a reply would sign as it stands. Anything less than a plain yes to one seat is None."""

from __future__ import annotations

import re
from typing import NamedTuple

from debateroom.reading.seats import letters

_LONGEST = 300
_DECORATION = re.compile(r"[*_`~\"“”«»\[\]【】<>]+")
_SELF = (
    r"(?i:\b(?:myself|self|mine|me|my\s+own|own|my(?=\s+(?:\w+\s+){0,2}(?:proposal|plan|position|version))|"
    r"moi[- ]même|moi|la mienne|le mien|"
    r"soi[- ]même|ma(?=\s+(?:propre\s+)?(?:\w+\s+){0,2}proposition)|mon propre)\b)|我自己|自己|本人|自身|自我|我的|"
    r"^我$"
)
_WHO = re.compile(
    r"(?:(?<![A-Za-z])(?:[Aa]gents?|AGENTS?)[ \u00a0_-]|(?:智能体|代理)[ \u00a0]?)"
    r"(?P<seat>[A-Z]{1,2}|[a-z])(?![^\W_\u4e00-\u9fff])"
    # a lone letter; N and Y are answers, X stands for any, I is a word
    r"|(?<![\w'’])(?P<letter>[A-HJ-MO-WZ])"
    r"(?=['’]s\b|\s*$|\s*[,.;:!(（)/&+—–-]|[\u4e00-\u9fff]|\s+(?:and|or|et|ou|as)\b)"
    rf"|(?P<self>{_SELF})",
)
_FILLER = re.compile(
    r"(?:[\s:：.,，、(（'’-]|\b(?:I|i|would|will|now|fully|still|currently|hereby|sign|signs|endorse|endorses|"
    r"endorsing|support|supports|back|backs|"
    r"choose|pick|go|with|vote|for|the|proposal|plan|of|by|from|that|seat|author|yes|la|le|l|proposition|plan|de|"
    r"celle|celui|je|signe|signerais|"
    r"soutiens|soutiendrais|du|oui|pour)\b|我会?|愿意|支持|赞成|认可|同意|签署|选择|投票?给?|会|是|的)*+",
    re.IGNORECASE,
)
_LESS_THAN_YES = re.compile(
    r"\b(?:not|no|none|nobody|neither|nor|never|without|unless|provided|except|but|partly|partially|partial|mostly|"
    r"mainly|almost|nearly|"
    r"closest|leaning|lean|maybe|perhaps|probably|possibly|conditional(?:ly)?|reservations?|amend\w*|modif\w*|"
    r"changes?|tweaks?|caveats?|however|"
    r"if|hybrid|mix|merge[sd]?|merger|blend|combin\w*|both|between|synthesis|variant|plus|minus|instead|anyone|"
    r"either|against|oppose[ds]?|"
    r"critique|criticism|abstain\w*|undecided|subject to|once|when|until|after|"
    r"aucune?|personne|pas|ni|jamais|sauf|si|mais|sous réserve|réserves?|en partie|partiellement|peut-être|"
    r"à condition|presque|plutôt|"
    r"hormis|excepté|contre|entre|combin\w*|fusion|quand|lorsque)\b|n['’]t\b"
    r"|没有|无|不|未|除非|如果|若|但|部分|可能|或许|也许|前提|修改|保留|除了|反对|综合|结合|合并|融合|暂|待|[?？]",
    re.IGNORECASE,
)
_ENDS_HEAD = re.compile(
    r"[.;；。!！\n(（)）—–]|[,，:：]|\s-\s|\b(?:because|since|as it|as its|as their|whose|which|who|for its|"
    r"for their|car|parce|puisque|qui)\b|因为|由于|，"
)
_ROLE = re.compile(r"\s*[(（][^()（）\n]{0,60}[)）]")
_REASON = re.compile(
    r"[\s,，.;；。:：—–(（-]*(?:because|since|as it|as its|as their|whose|which|who|for its|for their|it|its|their|"
    r"this|that|the|car|parce|puisque|qui|elle|il|son|sa|因为|由于|其|它|该|理由)",
    re.IGNORECASE,
)


class _Said(NamedTuple):
    """A seat as named, and where."""

    seat: str | None
    start: int
    end: int


def read_endorsement(text: str, *, speaker: str | None = None) -> str | None:
    """The seat that the section `text` endorses, as `Agent X`; None for nobody, for several, and for a qualified yes.

    `myself` and its like are the `speaker`, and nobody when the speaker is not known.
    """
    said = _own_words(text)
    if not said:
        return None
    named = _named(said, speaker)
    if not named or not _FILLER.fullmatch(said, 0, named[0].start):
        return None
    first = named[0]
    rest = said[first.end :]
    role = _ROLE.match(rest)
    if role and not _named(role.group(), speaker) and not _LESS_THAN_YES.search(role.group()):
        rest = rest[role.end() :]
    stop = _ENDS_HEAD.search(rest)
    head, tail = (rest[: stop.start()], rest[stop.start() :]) if stop else (rest, "")
    if first.seat is None or _LESS_THAN_YES.search(head) or _other(head, first, speaker):
        return None
    return first.seat if _only_a_reason(tail, first, speaker) else None


def _own_words(text: str) -> str:
    """The lines that are not quoted, without decoration, as one text."""
    lines = [line.strip().lstrip("-•+ ") for line in text[: 2 * _LONGEST].split("\n")]
    own = [line for line in lines if line and not line.startswith(">")]
    # a space, not nothing: `A*B` are two letters, not the seat AB
    return re.sub(r"[ \t]{2,}", " ", _DECORATION.sub(" ", "\n".join(own)))[:_LONGEST].strip()


def _named(text: str, speaker: str | None) -> list[_Said]:
    found = []
    for match in _WHO.finditer(text):
        letter = match["seat"] or match["letter"]
        if match["letter"] == "A" and not re.fullmatch(r"\W*A(?:['’]s.{0,30})?\W*", text):
            continue
        own = letters(speaker) if match["self"] else None
        seat = f"Agent {letter.upper()}" if letter else f"Agent {own}" if own else None
        found.append(_Said(seat, match.start(), match.end()))
    return found


def _other(text: str, first: _Said, speaker: str | None) -> bool:
    return any(said.seat != first.seat for said in _named(text, speaker))


def _only_a_reason(tail: str, first: _Said, speaker: str | None) -> bool:
    """Whether what follows the name takes nothing back and names nobody else, except to explain or to rule out."""
    refused = re.sub(
        r"\b(?:not|over|rather than|instead of|et non|pas|plutôt que|而不是|不是)\s*(?:[Aa]gent\s?)?[A-Z]{1,2}\b",
        "",
        tail,
    )
    if _REASON.match(tail):
        first_sentence = re.split(r"[.;。；\n]", tail.lstrip(" ,，.;；。:：—–(（-"), maxsplit=1)
        later = first_sentence[1] if len(first_sentence) > 1 else ""
        return not re.search(
            r"\b(?:but|however|unless|except|provided|if|mais|sauf|si)\b|但|除非|如果|前提",
            first_sentence[0],
            re.IGNORECASE,
        ) and not (_LESS_THAN_YES.search(later) or _other(later, first, speaker))
    return not _LESS_THAN_YES.search(refused) and not _other(refused, first, speaker)
