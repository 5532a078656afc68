"""Two requests joined to one sentence: `send me the invoices and give me the addresses`. Pure.

Only what surely is two counts: two orders, each with an object of its own, of which neither only looks something up
for the other (`find the order and tell me its status`) nor speaks of what the other gives (`and name the source`). An
order that changes something is one of its own even then, behind another that does (`cancel it and refund it`) and
behind a `then`. No order stands in a condition, nor in a question about what can be done.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from debateroom.reading.phrases import any_of

_EN = any_of(
    "send | give | show | list | name | tell | provide | cancel | refund | book | reserve | create | update | change",
    "add | delete | remove | translate | summari[sz]e | compare | calculate | explain | write | draft | prepare",
    "call | contact | notify",
)
_EN_LEAD = any_of(
    "please | kindly | now | could you | can you | would you | will you | i need you to | i want you to | you should"
)
_EN_OWN = any_of("the | a | an | all | every | each | any | my | our | his | her")
_FR = any_of(
    "envo(?:ie|yez|yer) | donne[rz]? | montre[rz]? | liste[rz]? | nomme[rz]? | dites | dis | dire | indique[rz]?",
    "fourni(?:s|ssez|r) | communique[rz]? | annule[rz]? | rembourse[rz]? | réserve[rz]? | commande[rz]? | crée[rz]?",
    "ajoute[rz]? | modifie[rz]? | change[rz]? | supprime[rz]? | tradui(?:s|sez|re) | résume[rz]? | compare[rz]?",
    "calcule[rz]? | explique[rz]? | rédige[rz]? | prépare[rz]? | contacte[rz]? | appele[rz] | appelle",
    "écri(?:s|vez|re)",
)
_FR_LEAD = any_of(
    "veuillez | merci de | peux-tu | pouvez-vous | pourrais-tu | pourriez-vous | il faut | s'il vous plaît",
    "s'il te plaît",
)
_FR_OWN = r"(?:l['’]|(?:les?|la|une?|des|tou(?:te)?s|tout|toute|chaque|mes|mon|ma|nos|notre)\s)"
_ZH = any_of(
    "发送 | 发给 | 发 | 给出 | 给我 | 给 | 提供 | 列出 | 告诉 | 展示 | 显示 | 取消 | 退款 | 预订 | 创建 | 更新",
    "修改 | 添加 | 删除 | 翻译 | 总结 | 比较 | 计算 | 解释 | 撰写 | 写 | 准备 | 联系 | 通知",
)
_EN_BACK = r"(?![^.?!]*\b(?:its?|them|theirs?|they|this|these|those|results?|answers?|outcome|sources?|details)\b)"
_FR_BACK = r"(?![^.?!]*\b(?:sa|son|ses|leurs?|cela|ils?|elles?|résultats?|réponses?|sources?|détails)\b)"
_ZH_BACK = "(?![^。；！？]*(?:它|其|该|结果|来源|这些|那些|理由|原因))"
"""What does not follow in a second request: words that speak of what the first one gives."""
_EN_ASKS = r"(?:what|where|when|who|why|which|how)\b"
_FR_ASKS = r"(?:quel(?:le)?s?|où|quand|qui|pourquoi|combien|comment)\b"
_EN_ACT = any_of(
    "cancel | refund | reimburse | book | reserve | reorder | create | update | change | modify | add | delete",
    "remove | replace | return | pay | charge | ship | close | reopen | approve | reject | submit | apply | register",
    "call | contact | notify | transfer",
)
_EN_THEN = r"(?:then|afterwards|after\sthat)"
_EN_NO_ORDER = (
    r"(?!(?:who|what|which|how|why|where|when|whenever|if|once|unless|do|does|did|is|are|was|were|may|might|should|"
    r"(?:can|could|would|will)(?!\s+you\b))\b)"
)
_EN_INSIDE = r"(?:(?!\b(?:if|when|whenever|once|unless|since|who|which|that|whose)\b)[^.?!;:])*?"
_FR_ACT = any_of(
    "annule[rz]? | rembourse[rz]? | réserve[rz]? | crée[rz]? | ajoute[rz]? | modifie[rz]? | change[rz]? | paye[rz]?",
    "remplace[rz]? | renvo(?:ie|yez|yer) | retourne[rz]? | supprime[rz]? | expédie[rz]? | ferme[rz]? | valide[rz]?",
    "approuve[rz]? | contacte[rz]? | appele[rz] | appelle | préviens | prévene[rz] | prévenir | enregistre[rz]?",
    "transfère | transfére[rz] | envo(?:ie|yez|yer)",
)
_FR_ACTING = (
    r"(?:(?:de\s+|d['’])?(?:(?:me|nous|les?|la|lui|leur)\s+|[ml]['’])*"
    rf"(?=\w+r\b){_FR_ACT}\b|{_FR_ACT}(?:-\w+)*\b(?![-'’]))"
)
"""An order, or what follows `merci de`; `la réserve` and `je puis` are neither."""
_FR_NO_ORDER = (
    r"(?!(?:si|lorsque?|quand|dès|qui|que|quoi|quel(?:le)?s?|où|comment|combien|pourquoi|est-ce|puis-je)\b|s['’]il\b"
    r"(?!\s+(?:vous|te)\b)|qu['’])"
)
_FR_INSIDE = r"(?:(?!\b(?:si|lorsque|quand|qui|dont)\b)[^.?!;:])*?"
_ZH_ACT = any_of(
    "取消 | 退款 | 退货 | 退还 | 换货 | 预订 | 创建 | 更新 | 修改 | 更改 | 添加 | 删除 | 联系 | 通知 | 支付",
    "付款 | 关闭 | 申请 | 下单 | 提交 | 发送",
)
_ZH_FOR = "(?:(?:请|再|也|还)*(?:帮我|为我|给我|向我)?(?:[把将给为对向][^，。；！？]{1,12}?)?)"
_ZH_NO_ORDER = "(?!如果|若|要是|假如|当|[^。；！]*(?:吗|多久|是否|能否|什么|怎么|哪|？))"
_JOINED = (
    re.compile(
        rf"{_EN_NO_ORDER}[^\s.?!;:]+\s+{_EN_INSIDE}[^\s,.?!;:](?P<join>,?\s+(?:and\s+)?{_EN_THEN}\s+)"
        rf"(?P<second>(?:(?:please|also|kindly)\s+)*(?:{_EN_ACT}\b|{_EN}\b{_EN_BACK})[^.?!]*)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:{_EN_LEAD}[\s,]+)*{_EN_ACT}\b{_EN_INSIDE}(?P<join>,?\s+and\s+)"
        rf"(?P<second>(?:(?:please|also)\s+)*{_EN_ACT}\s+(?:it|them|this|that)\b[^.?!]*)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_FR_NO_ORDER}[^\s.?!;:]+\s+{_FR_INSIDE}[^\s,.?!;:](?P<join>,?\s+(?:et\s+)?(?<!\bne\s)(?<!\bje\s)"
        rf"(?:puis|ensuite|après\scela)\s+)(?P<second>(?:veuillez\s+)?(?:{_FR_ACTING}|{_FR}(?:-\w+)*\b{_FR_BACK})"
        rf"[^.?!]*)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:{_FR_LEAD}[\s,]+(?:d['’])?)*{_FR_ACT}\b{_FR_INSIDE}(?P<join>,?\s+et\s+)"
        rf"(?P<second>(?:{_FR_ACT}-(?:les?|la|lui)\b|(?:de\s+)?(?:les?|la|lui)\s+(?=\w+r\b){_FR_ACT}\b)[^.?!]*)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_ZH_NO_ORDER}[^。；！？]{{2,}}?(?P<join>[，,]?(?:然后|接着|随后))(?P<second>{_ZH_FOR}{_ZH_ACT}(?!的)[^。；！？]*)"
    ),
    re.compile(
        rf"{_ZH_NO_ORDER}(?:请|麻烦|先|帮我|您好[，,]?)*(?:把[^，。；！？]{{1,12}}?)?(?:{_ZH_ACT}|查询|核实|确认|找到)"
        rf"[^。；！？]*?(?P<join>[，,]?(?:再|并且?|同时))(?P<second>{_ZH_FOR}{_ZH_ACT}(?!的)[^。；！？]*)"
    ),
    re.compile(
        rf"(?:{_EN_LEAD}[\s,]+)*{_EN}\b(?:(?!\b(?:who|which|that|whose|if)\b)[^.?!;:])*?(?P<join>,?\s+and\s+)"
        rf"(?P<second>(?:(?:please|also|then)\s+)*(?:{_EN}|find|check|verify|look\sup)\s+(?:(?:me|us)\s+)?{_EN_OWN}\s"
        rf"{_EN_BACK}[^.?!]*)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_EN_ASKS}(?:(?!\band\b)[^.?!,;])*(?P<join>,?\s+and\s+)(?P<second>{_EN_ASKS}\s"
        rf"(?:(?:much|many|long|far)\s)?(?:is|are|was|were|do|does|did|can|will|has|have)\b{_EN_BACK}[^.?!]*)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:{_FR_LEAD}[\s,]+)*(?:m['’]|me\s|nous\s)?{_FR}(?:-moi|-nous|\b)(?:(?!\b(?:qui|que|dont|si)\b)[^.?!;:])*?"
        rf"(?P<join>,?\s+et\s+)(?P<second>(?:(?:aussi|ensuite|puis|de)\s+)*(?:m['’]|me\s|nous\s)?"
        rf"(?:{_FR}|trouve[rz]?|cherche[rz]?|vérifie[rz]?)(?:-moi|-nous)?\s+{_FR_OWN}{_FR_BACK}[^.?!]*)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_FR_ASKS}(?:(?!\bet\b)[^.?!,;])*(?P<join>,?\s+et\s+)(?P<second>{_FR_ASKS}\s"
        rf"(?:est|sont|était|se\s|coûte|peut|a|ont|va|sera)\b{_FR_BACK}[^.?!]*)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:请|麻烦|帮我|您好[，,]?)*(?:把[^，。；！？]{{1,12}}?)?{_ZH}[^。；！？]*?(?P<join>[，,]?(?:并且|并|同时|而且))"
        rf"(?P<second>(?:请|再|也|还)*(?:帮我|为我|向我)?(?:把[^，。；！？]{{1,12}}?)?{_ZH}(?!的){_ZH_BACK}[^。；！？]*)"
    ),
)
_ACTS = re.compile(
    rf"\s*(?:(?:{_EN_LEAD}|{_FR_LEAD})[\s,]+)*(?P<act>{_EN_ACT}|{_FR_ACT})\b"
    rf"(?P<own>-(?:les?|la|lui)\b|\s+(?:it|them)\b|\s+{_EN_OWN}\b|\s+{_FR_OWN})?"
    rf"|\s*(?:请|麻烦|帮我)*(?P<zh>{_ZH_ACT})(?!的)",
    re.IGNORECASE,
)
"""A sentence that orders something to be changed; `own` is an object that shows that it does."""
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")
_LOOKED_AT = 2_000


class Joined(NamedTuple):
    """The second of two requests that are one sentence."""

    text: str
    at: int
    """Where the first one ends in the message."""


def second(message: str) -> Joined | None:
    """The second request where one is joined to another, or orders another change after one; else None."""
    ordered: set[str] = set()
    for sentence in _SENTENCE.finditer(message[:_LOOKED_AT]):
        said = sentence.group(0)
        if act := _ACTS.match(said):
            verb = (act["act"] or act["zh"]).casefold()
            if ordered - {verb} and (act["own"] or act["zh"]):
                return Joined(said.strip(" .!?。！？"), sentence.start())
            ordered.add(verb)
        start = len(said) - len(said.lstrip())
        for pattern in _JOINED:
            match = pattern.match(said, start)
            if match:
                return Joined(match["second"].strip(" ?"), sentence.start() + match.start("join"))
    return None
