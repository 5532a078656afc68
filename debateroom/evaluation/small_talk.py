"""Numbers, days and quotations that a customer says by the way, and that stand for nothing of its errand. Pure."""

from __future__ import annotations

import re

from debateroom.evaluation.customer_data import Datum

_BREAK = re.compile(r"[!?;。\n]+|[.:](?!\w)|:(?!\d)|,(?!\d)|\s[–—-]\s")
_ERRAND = re.compile(
    r"\b(?:orders?|ordered|bought|buy|purchased?|pa(?:y|id)|deliver(?:y|ed)?|shipped|arrived?|received|refund(?:ed)?|"
    r"cancel(?:l?ed)?|returned|parcel|package|invoice|tracking|account|card|"
    r"command(?:e|é|ée|er)|achet(?:er|é|ée)|payée?|livr(?:er|é|ée|aison)|reçue?|rembours(?:er|é|ée|ement)|annul(?:er|é|ée)|"
    r"colis|facture|suivi|compte|carte)\b|订|下单|买|付|收到|到货|发货|送|寄|退|取消|包裹|运单|发票|账|卡",
    re.IGNORECASE,
)
"""What a day or a number belongs to the errand by."""
_NAMED = re.compile(
    r"\b(?:numbers?|no|ref|reference|id|codes?|zip|post(?:al|code)|phone|mobile|pin|ends|ending|"
    r"numéro|référence|codes?|postale?|téléphone|portable)\b|n°|[号编码]|尾|邮|电话",
    re.IGNORECASE,
)
"""What an id is called."""
_ADDRESS = re.compile(r"\b(?:address|adresse|street|rue)\b|地址", re.IGNORECASE)
_FILLER = re.compile(
    r"\b(?:it's|c'est|c'était|i|it|its|was|is|that|think|believe|guess|suppose|maybe|perhaps|probably|about|around|at|in|on|the|of|a|"
    r"yes|no|well|oh|sorry|sure|just|only|morning|afternoon|evening|night|je|crois|pense|peut-être|vers|"
    r"à|le|la|de|du|oui|non|euh|matin|midi|après|soir|ce|était)\b|[我想是大概好像在吧的了呢啊嗯对就应该可能上中下午早晚点]|[\W\d_]|pm|am",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d(?:s|'s)?")
_PUBLIC = frozenset(["112", "911", "999", "110", "119", "120", "122", "12315", "12345", "10086", "10010"])
"""Numbers that anybody may call: the police, those who protect consumers."""
_CALL = re.compile(
    r"\b(?:call(?:ing)?|dial|ring|phone|report|complain|appel(?:er|le)|compose)\b|打|拨|投诉|举报|报警", re.I
)
_COMMON = frozenset(("covid19", "sarscov2"))
_ROOM_BEFORE = re.compile(
    r"\b(?:room|flat|apartment|apt|floor|unit|door|house|chambre|appartement|étage|porte)\W*$", re.I
)
_ROOM_BEHIND = re.compile(r"\s?(?:室|楼|层|单元|栋|号楼|号房)")
_TOLD_BEFORE = re.compile(
    r"(?:\b(?:said|says?|told|wrote|writes?|answered|replied|named|called|names?|brand|model|product|item|article|"
    r"dit|disait|écrit|répondu|nommée?|appelée?|marque|modèle|produit)\b|说|讲|告诉|写|回复|叫|名|品牌|型号|商品|产品)[^\w]{0,3}"
    r"(?:(?:to|me|us|is|was|it|that|que|the|le|la|是|我|过|了)\W{0,3}|[是我过了：:\s]){0,3}$",
    re.IGNORECASE,
)
_TOLD_BEHIND = re.compile(
    r"\W{0,3}(?:version|variant|edition|model|product|item|brand|modèle|produit|款|牌|版|型号)", re.I
)
_FAR = 200
"""Characters around a place in which its clause is looked for."""
_WORDS = 3
"""Words from which a quotation is what somebody said, or the name of a thing."""
_SIGNS = 4
"""The same in Chinese characters."""


def is_small_talk(datum: Datum, text: str) -> bool:
    """Whether a datum in `text` (as `even` makes it) is said by the way, wherever it stands there.

    A year, a weekday, a number that anybody may call and a room say something of the errand only beside a word of it,
    or as the whole answer; a quoted word only as somebody's words or the name of a thing. What else may be an id, a
    phone, an amount or an address of the customer's is none.
    """
    places = [match.span() for match in re.finditer(re.escape(datum.text), text)]
    return bool(places) and all(_by_the_way(datum, text, *place) for place in places)


def _by_the_way(datum: Datum, text: str, start: int, end: int) -> bool:
    if datum.kind == "quote":
        return not _is_told(datum.text, text[:start].rstrip('"“”«‘「『 '), text[end:].lstrip('"“”»’」』 '))
    before, behind = _clause(text, start, end)
    bare = not _FILLER.sub("", before + behind)
    errand = bool(_ERRAND.search(before) or _ERRAND.search(behind))
    if datum.kind == "date":
        return any(key.startswith("weekday") for key in datum.keys) and not bare and not errand
    if datum.kind != "id":
        return False
    plain = "".join(letter for letter in datum.text.casefold() if letter.isalnum())
    if plain in _COMMON or (plain in _PUBLIC and _CALL.search(before)):
        return True
    if plain in _PUBLIC or _YEAR.fullmatch(datum.text):
        return not bare and not errand and not _NAMED.search(before)
    room = _ROOM_BEFORE.search(before) or _ROOM_BEHIND.match(behind)
    return room is not None and not errand and not _ADDRESS.search(before + behind)


def _clause(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands in the same clause before a place and behind it."""
    before, behind = text[max(0, start - _FAR) : start], text[end : end + _FAR]
    breaks = [match.end() for match in _BREAK.finditer(before)]
    after = _BREAK.search(behind)
    return before[breaks[-1] :] if breaks else before, behind[: after.start()] if after else behind


def _is_told(quoted: str, before: str, behind: str) -> bool:
    """Whether a quotation is what somebody said, or a name."""
    long = len(re.findall(r"[^\W\d_]+", quoted)) >= _WORDS or len(re.findall("[\u4e00-\u9fff]", quoted)) >= _SIGNS
    name = any(letter.isupper() or letter.isdigit() for letter in quoted)
    return long or name or bool(_TOLD_BEFORE.search(before[-60:]) or _TOLD_BEHIND.match(behind))
