"""Words that carry no subject, folded (no case, no accents): what two texts share by being texts."""

from __future__ import annotations

from collections.abc import Mapping

from debateroom.reading.phrases import word_set

FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": word_set(
        "a an the and or but if then than that this these those it its of in on at to for from by with without",
        "into",
        "over under as is are was were be been being am do does did have has had will would should could can may",
        "might must shall not no nor so very too also just only we you they he she i me my our your their his",
        "her us",
        "them who whom which what when where why how all any each every both some such more most other another",
        "same",
        "own there here about against between through during before after above below up down out off again once",
    ),
    "fr": word_set(
        "le la les l un une des du de d et ou mais si donc or ni car que qu qui quoi dont ou ce cet cette ces c il",
        "elle ils elles on nous vous je j tu me m te t se s lui leur leurs mon ma mes ton ta tes son sa ses",
        "notre nos",
        "votre vos est sont etait etre ete a ont avoir ai avons avez ne n pas plus tres trop aussi tout tous toute",
        "toutes pour par sur sous dans en au aux avec sans entre vers chez comme quand faut doit doivent peut",
        "peuvent",
        "fait faire y meme alors encore toujours seulement apres avant",
    ),
}
"""Words of the language itself; also what a language is told by."""
EMPTY_WORDS = word_set(
    "should use using used make makes need needs want get take go good better best bad new one two way thing",
    "things",
    "point points case like well think agree agreed disagree right wrong proposal position reason reasons concern",
    "concerns plan option options choice problem question first second last time now still keep start work",
    "works yes",
    "none nothing enough much many let put see know utiliser faire bon bonne mieux chose choses cas accord",
    "desaccord",
    "proposition raison probleme choix premier premiere deux temps maintenant rien oui non agent agents",
)
"""Words of any debate."""
EMPTY_PAIRS = word_set(
    "应该 该用 使用 是否 还是 我们 你们 他们 什么 怎么 如何 可以 需要 没有 不是 这个 那个 一个 一种 因为 所以",
    "但是 如果",
    "而且 或者 以及 问题 方案 提案 认为 觉得 支持 反对 同意 建议 进行 已经 可能 必须 不能 不会 就是 都是 也是",
    "对于 关于",
    "目前 现在 其他 非常 比较 更好",
)
"""The same for Chinese, by pairs of characters."""
