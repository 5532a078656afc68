"""The words around a stated confidence, in three languages: which value is old, denied, another's, or not one."""

from __future__ import annotations

import re

from debateroom.reading.phrases import any_of

DECLINED = re.compile(
    r"\W*"
    + any_of(
        r"n/a\b | n / a\b | none\b | unknown | no number | no confidence | no idea | no value | no score | cannot",
        r"can['’]t | undecided | not applicable | not sure | not stated | not given | not available | not certain",
        r"declin | refus | aucune?\b | inconnue? | sans objet | non applicable | je ne sais | nulle?\b",
        "无 | 未知 | 不适用 | 不确定 | 没有",
    ),
    re.IGNORECASE,
)
"""At the start of a line: no value is given."""

_TOP = r"\s?(?:-|–|—|to|à|到|至)\s?(?:100|10)"
NOT_A_VALUE = re.compile(
    r"(?:\b(?:on|using)\s)?(?:\b(?:a|the)\s)?\bscale\s(?:of|from)?\s?[01]\s?(?:-|–|to)\s?(?:100|10)\b"
    r"|\b[01]\s?[-–]\s?(?:100|10)[- ](?:point )?scale"
    r"|(?:\bsur )?une échelle (?:de |allant de )?[01] à (?:100|10)\b"
    rf"|[(\[（]?(?<![\w.,/-])[01]{_TOP}(?![\w.,/%-])[)\]）]?"
    rf"|\b[01]\s?\([^()]{{1,30}}\){_TOP}\s?\([^()]{{1,30}}\)"
    r"|(?:满分|总分)(?:为|是)?\s?(?:100|10)\s?分?|\((?:out of|max\.?|maximum|sur|/)\s?(?:100|10)\)"
    r"|\b(?:rounds?|tours?|options?|step|phase|plan|version|étape|point|item)\s?#?\d{1,3}\b"
    r"|第\s?\d{1,2}\s?[轮次回条点项]",
    re.IGNORECASE,
)
"""A scale spoken of, or a number that counts rounds and the like."""

DENIED = re.compile(
    r"(?:\bnot|\bpas|不是)\s?(?:an?\s|un\s)?\d{1,2}(?:[.,]\d)?(?:/10)?(?![\w/%]|[.,]\d)", re.IGNORECASE
)
"""*not 9*, as a whole."""

_NUMBER = r"\d{1,3}(?:[.,]\d{1,2})?(?:\s?(?:/\s?10|%|分))?"
OTHERS_VALUE = re.compile(
    r"(?:\b(?:[Aa]gent|AGENT)\s?(?P<seat>[A-Z]{1,2})\b|(?<![\w'’])(?P<letter>[B-HJ-Z])(?![\w])|"
    r"(?P<han>[甲乙丙丁戊己]))"
    r"(?:['’]s)?(?:\s?\([^()\d]{1,40}\))?(?i:\s(?:is|was|are|stays|sits|stands|remains|said|says|gave|gives|has|had|"
    r"a dit|donne|est|confidence|confiance)|的|给了?|打了?|是|为|信心|说)*"
    r"(?:\s?[:：=(（]|\s(?:at|on|à))?\s?(?:about |an? |a mis |only )?" + _NUMBER
)
"""*Agent B: 9*, *B's 9*, *乙给了9*."""
SOMEBODY = re.compile(
    r"(?:\b(?:[Aa]gent|AGENT)\s?(?P<seat>[A-Z]{1,2})\b|(?<![\w'’])(?P<letter>[B-HJ-Z])(?![\w])|"
    r"(?P<han>[甲乙丙丁戊己]))"
)
MYSELF = re.compile(r"\b(?:I|me|my|mine|je|moi|ma|mon|mienne?)\b|\b[jJ]['’]|我|本人|自己")
VALUE_FOR_OTHERS = re.compile(
    rf"{_NUMBER}\s?(?:\(|from|for|by|according to|pour|selon|de)\s?(?:l['’])?[Aa]gent\s(?P<seat>[A-Z]{{1,2}})\b"
)
"""*9 for Agent B*."""

NEGATIVE = re.compile(r"(?:^|[\s(（:：=])[-−+]$")
"""A sign right before the number: a change, not a value."""
BELOW = re.compile(
    r"(?:(?:\bnot|n['’]t)|\b"
    + any_of(
        "never | no longer | below | under | less than | fewer than | almost | nearly | close to | shy of | short of",
        "at most | up to | cannot | beneath | more than | if it were | would be | could be | might be | should be",
        "pas | pas plus de | plus de | moins de | presque | sous | jamais | inférieure? à | au plus | serait | "
        "pourrait être",
    )
    + "|"
    + any_of("不到 | 不足 | 低于 | 小于 | 不是 | 并非 | 没有 | 没到 | 接近 | 至多 | 最多 | < | ≤")
    + r")\s?(?:an?|un|the|really|yet|quite|fully|even|say|give|call it|à|de|a full|plus)?\s?[\"“(]?\s?$",
    re.IGNORECASE,
)
"""Before a number: the value is another one than this, mostly a smaller one."""
OLD_BEFORE = re.compile(
    r"(?:\b"
    + any_of(
        r"was | were | been | previous | previously | prev\.? | formerly | before | earlier | initial | initially",
        r"original | originally | started at | from | instead of | rather than | than | versus | vs\.? | last round",
        "last time | contre | au lieu de | avant | précédemment | auparavant | plutôt que | était | initialement",
        "depuis | parti de | partie de | passé de | passée de",
    )
    + "|"
    + any_of(
        "之前 | 此前 | 原来 | 原先 | 原为 | 上轮 | 上一轮 | 上次 | 先前 | 初始 | 起初 | 从 | 由 | 曾 | 曾经 | 比"
    )
    + r")\s?(?:[:：]|at|was|an?|à|的|是|为|给了?)?\s?$",
    re.IGNORECASE,
)
"""Before a number: it is the value of an earlier round, or one it is compared with."""
OLD_BEHIND = re.compile(
    r"\s?[,(（]?\s?(?:(?:in |at )?(?:last round|the last round|last time|previously|earlier|initially|round 1|"
    r"at first)\b"
    r"|before(?=\s*(?:[,.;)]|$))|(?:au tour précédent|avant(?=\s*(?:[,.;)]|$))|auparavant|précédemment|au départ|"
    r"initialement)|上一?轮|之前|此前)(?!\s?[:：]?\s?(?:是|为|at|an?|给了?)?\s?\d)",
    re.IGNORECASE,
)
"""Behind a number, the same; not when the words belong to the next number."""
BOUNDS = re.compile(r"(?:\bfrom|\bde|从|由)\s?$", re.IGNORECASE)
"""Before a range: *from 7 to 9* is not an old value."""
NOW_BEFORE = re.compile(
    r"(?:\b(?:now|currently|today|this round|maintenant|désormais|à présent|aujourd['’]hui)"
    r"(?:\s(?:i['’]m|i am|it is|it['’]s|je suis))?\s?(?:at|an?|is|à|:)?"
    r"|(?:现在|目前|如今|本轮)(?:是|为|给|:)?)\s?$",
    re.IGNORECASE,
)
NOW_BEHIND = re.compile(
    r"\s?(?:now\b|today\b|this round\b|maintenant\b|désormais\b|à présent\b|现在|目前)", re.IGNORECASE
)
"""The value of now, where an old one stands beside it."""

_COUNTERS = "个名台次年月天周人项条倍万千百轮小级种位"
GOES_ON = re.compile(
    r"\s*(?:$|[.,;:!?)\]}\"'”»…—–|/+~。，；：！？）】、（(\[·=\u2190-\u2bff\U0001f000-\U0001faff-]|"
    + any_of(
        "because | since | as | given | and | but | if | for | after | instead | rather | compared | versus | vs",
        "while | whereas | despite | unlike | malgré | otherwise | not | with | based | in | overall | though | "
        "although | still | now | today",
        "up | down | due | assuming | provided | pending | when | unless | at | on | that | until | from | was | "
        "this",
        "confident | confidence | sure | certain | i | or | car | parce | puisque | si | sinon | mais | et | après",
        "pour | environ | à | compte | vu | contre | sous | sûre? | confiante? | au | depuis | dans | maintenant",
        "désormais | ou | the | that | i['’]m | we | it | my | our | no | very | strong | high | fairly",
        "le | la | les | je | il | elle | nous | ce | cette",
    )
    + rf"\b|(?![{_COUNTERS}])[\u4e00-\u9fff])",
    re.IGNORECASE,
)
"""What may follow a value. *8 because* is one; *8 workers* is a count of things."""
STOPS = re.compile(r"\s*(?:$|[.,;:!?)\]}\"”»…。，；：！？）】（(—–])")
"""What follows a value in the middle of prose."""
HEDGE = re.compile(
    r"(?:[\s\"'“”«»()\[\]{}（）【】:：=~≈>≥•·,，.!–—↑↓-]|"
    + any_of(
        "about | around | roughly | approximately | approx | circa | maybe | perhaps | probably | i['’]d | i would",
        "say | i | i['’]m | am | my | confidence | is | level | score | rating | rate | this | at | at least | au "
        "moins | a | an",
        "solid | strong | firm | high | higher | very | medium | low | lower | moderate | moderately | fairly | "
        "quite",
        "pretty | extremely | still | now | currently | overall | final | stands | remains | of | it['’]s | but | so",
        "between | anywhere | somewhere | from | mine | it | the | that['’]s | number | give | myself | call | "
        "let['’]s",
        "put | set | raised | lowered | increased | dropped | moved | to | down | unchanged | environ | à | peu près",
        "je | dirais | disons | une? | note | de | ma | confiance | est | haute | élevée? | forte? | moyenne?",
        "modérée? | faible | très | plutôt | toujours | reste | entre | mienne? | maintenant | désormais | "
        "inchangée?",
    )
    + r"\b|"
    + any_of(
        "大?约 | 大概 | 差不多 | 较?高 | 较?低 | 中等? | 很 | 非常 | 我的? | 信心 | 置信度 | 是 | 为 | 给出? | 打",
        "评分 | 程度 | 目前 | 现在 | 仍然? | 维持 | 保持 | 在 | 自评 | 综合 | 介于 | 从 | 由 | 不变",
    )
    + ")*+",
    re.IGNORECASE,
)
"""Words that may stand before the value a line begins with: *I'd say about*, *very high (*, *较高，*."""
ABOUT_BEING_SURE = re.compile(
    r"\b(?:I|I['’]d|my|je|mon|ma)\b|confiden|\bsure\b|certain|sûr|confian|我|信心|把握", re.IGNORECASE
)
SURE = re.compile(r"confiden|\bsure\b|certain|sûr|confian|把握|信心", re.IGNORECASE)
CUE = re.compile(
    r"(?:[:：=—–(（\[,，]|\b(?:at|an?|is|say|give|it|about|around|solid|firm|be|à|est|dirais|de|now)|是|为|给|约|打|"
    r"到)\s?$",
    re.IGNORECASE,
)
"""What stands right before a value in the middle of prose."""
ASPECT = re.compile(r"\s?(for|on|in|about|pour|sur|en)\b", re.IGNORECASE)
"""*9 for the queue*: what the value is about."""
PART = re.compile(r"[*_`]{0,3}[^\W\d_][^:：\d]{1,40}[:：][*_`]{0,3}\s?\d")
"""One line of a list: *Technical: 9/10*."""
OVERALL = re.compile(r"overall|total|global|combined|final|globale?|ensemble|总体|整体|综合|总", re.IGNORECASE)
"""The line of such a list that speaks of the whole."""
OTHERWISE = re.compile(r"\b(?:otherwise|else|sinon)\b|否则", re.IGNORECASE)
