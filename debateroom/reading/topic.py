"""Whether a reply may not be about the problem: error text, no answer, or not one content word in common."""

from __future__ import annotations

import re

from debateroom.reading.vocabulary import fold

_LOOKED_AT = 20_000
"""Characters; the words of a longer text are judged by its beginning."""
_FEW = 5
"""Content words of a reply below which nothing can be said about its subject."""
_LONG_ENOUGH = 40
"""Words of an unlabelled text that make it an answer rather than a remark."""

_PAGE = re.compile(r"\s*(?:<!doctype\s+html|<html\b|<\?xml\b|<head\b|<body\b)", re.IGNORECASE)
_ERROR_START = re.compile(
    r"\W{0,6}(?:(?:api|http|internal|fatal|request|server|network|execution|connection|upstream|unexpected|the server)[\s_]+)?"
    r"(?:error|erreur|exception|错误)\W{0,3}(?:\d{3}\b|[:：]|code\b|occurred\b|generating\b|\Z)|\W{0,6}(?:traceback \(most recent|请求失败|服务器错误)"
    r"|\W{0,6}(?:http\s?)?(?:status(?: code)?\W{0,3})?(?:4\d\d|5\d\d)\b\W{0,3}(?:\w+\s?){0,3}(?:error|unavailable|gateway|timeout|too many|forbidden|unauthorized|overloaded|not found)"
    r"|\W{0,6}(?:too many requests|service unavailable|bad gateway|gateway time-?out|internal server error|rate limit|quota exceeded|"
    r"upstream connect error|connection (?:refused|reset|timed out)|request timed out|credit balance is too low|invalid api key|"
    r"please run /login|no response requested)",
    re.IGNORECASE,
)
_ERROR_TYPE = re.compile(
    r"\b(?:overloaded_error|rate_limit_error|invalid_request_error|api_error|authentication_error|permission_error|not_found_error|"
    r"insufficient_quota|rate_limit_exceeded|context_length_exceeded|server_error|timeout_error|billing_error)\b"
)
_SHORT_ERROR = 800
"""Characters; a longer text that mentions an error discusses it."""
_REMARK = re.compile(
    r"\W{0,6}(?:understood|sure|certainly|of course|okay|ok|got it|i (?:understand|will|can(?:not|['’]t)|am (?:sorry|unable|ready))|i['’](?:m|ll) (?:sorry|unable|ready|happy)|sorry|"
    r"before i (?:answer|begin|respond)|could you|can you|please (?:give|provide|share)|as an ai|"
    r"compris|bien sûr|d['’]accord|désolée?|je (?:ne peux pas|suis prête?|comprends)|pouvez-vous|pourriez-vous|avant de répondre|veuillez|"
    r"明白|好的|收到|抱歉|对不起|请(?:提供|告诉|问)|我无法|作为一个)",
    re.IGNORECASE,
)

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"[^\W\d_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+(?:['’][^\W\d_]+)*|\d{2,}")
_FUNCTION_WORDS = {
    "en": frozenset(
        "a an the and or but if then than that this these those it its of in on at to for from by with without into over under as is are was "
        "were be been being am do does did have has had will would should could can may might must shall not no nor so very too also just only "
        "we you they he she i me my our your their his her us them who whom which what when where why how all any each every both some such "
        "more most other another same own there here about against between through during before after above below up down out off again once".split()
    ),
    "fr": frozenset(
        "le la les l un une des du de d et ou mais si donc or ni car que qu qui quoi dont ou ce cet cette ces c il elle ils elles on nous vous je "
        "j tu me m te t se s lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos est sont etait etre ete a ont avoir ai avons avez "
        "ne n pas plus tres trop aussi tout tous toute toutes pour par sur sous dans en au aux avec sans entre vers chez comme quand faut doit "
        "doivent peut peuvent fait faire y meme alors encore toujours seulement apres avant".split()
    ),
}
_EMPTY_WORDS = frozenset(
    "should use using used make makes need needs want get take go good better best bad new one two way thing things point points case like well "
    "think agree agreed disagree right wrong proposal position reason reasons concern concerns plan option options choice problem question "
    "first second last time now still keep start work works yes none nothing enough much many let put see know "
    "utiliser faire bon bonne mieux chose choses cas accord desaccord proposition raison probleme question option choix premier premiere deux "
    "temps maintenant rien oui non agent agents".split()
)
_EMPTY_BIGRAMS = frozenset(
    "应该 该用 使用 是否 还是 我们 你们 他们 什么 怎么 如何 可以 需要 没有 不是 这个 那个 一个 一种 因为 所以 但是 如果 而且 或者 以及 问题 方案 提案 "
    "认为 觉得 支持 反对 同意 建议 进行 已经 可能 必须 不能 不会 就是 都是 也是 对于 关于 目前 现在 其他 非常 比较 更好".split()
)


def is_page(text: str) -> bool:
    """Whether `text` is a web page: what a proxy gives back in place of a model."""
    return bool(_PAGE.match(text))


def is_error_text(text: str) -> bool:
    """Whether `text` is what a server or a tool wrote in place of an answer."""
    stripped = text.strip()
    if len(stripped) > _SHORT_ERROR:
        return bool(re.match(r"Traceback \(most recent call last\)", stripped))
    return bool(_ERROR_START.match(stripped) or _ERROR_TYPE.search(stripped))


def strays(answer: str, problem: str) -> bool:
    """Whether `answer` shares no content word with `problem`, when both are surely in one language and long enough."""
    spoken = tongue(answer[:_LOOKED_AT])
    if spoken is None or spoken != tongue(problem[:_LOOKED_AT]):
        return False
    if not content(problem, spoken) or len(content(answer, spoken)) < _FEW:
        return False
    return not _shares(answer, problem, spoken)


def _shares(answer: str, problem: str, language: str) -> bool:
    asked, said = content(problem, language), content(answer, language)
    return bool(asked & said) or _same_stem(asked, said)


def is_remark(text: str, problem: str | None) -> bool:
    """Whether `text`, which has no section, says nothing about the problem: *understood*, a refusal, a question back."""
    words = len(_WORD.findall(text[:_LOOKED_AT])) + sum(map(len, _HAN.findall(text[:_LOOKED_AT]))) // 2
    if words < 2 * _LONG_ENOUGH and _REMARK.match(text):
        return True
    spoken = tongue(text[:_LOOKED_AT])
    if problem and spoken and spoken == tongue(problem[:_LOOKED_AT]):
        return not _shares(text, problem, spoken)
    return words < _LONG_ENOUGH


def tongue(text: str) -> str | None:
    """`en`, `fr` or `zh` when `text` surely is in it; None when it is too short or mixed to say."""
    han = sum(map(len, _HAN.findall(text)))
    words = [fold(word) for word in _WORD.findall(text)]
    if han >= 4 and han >= len(words):
        return "zh"
    shared = _FUNCTION_WORDS["en"] & _FUNCTION_WORDS["fr"]
    votes = {name: sum(word in known - shared for word in words) for name, known in _FUNCTION_WORDS.items()}
    votes["fr"] += len(re.findall(r"\b(?:[cdjlmnst]|qu)['’](?=\w)|[éèêàçù]", text[:4_000]))
    best, other = ("en", "fr") if votes["en"] >= votes["fr"] else ("fr", "en")
    return best if votes[best] >= 1 and votes[best] > 2 * votes[other] else None


def content(text: str, language: str) -> set[str]:
    """The words of `text` that carry a subject: stems for English and French, pairs of characters for Chinese."""
    text = text[:_LOOKED_AT]
    known = _FUNCTION_WORDS["en"] | _FUNCTION_WORDS["fr"] | _EMPTY_WORDS
    words = {fold(part) for word in _WORD.findall(text) for part in re.split("['’]", word)}
    stems = {stem(word) for word in words if len(word) > 1 and word not in known and stem(word) not in known}
    if language != "zh":
        return stems
    pairs = {run[at : at + 2] for run in _HAN.findall(text) for at in range(len(run) - 1)}
    return stems | (pairs - _EMPTY_BIGRAMS)


def stem(word: str) -> str:
    """`word` without the endings of English and French that change its form, not its subject."""
    for ending in (
        "issements",
        "issement",
        "ements",
        "ement",
        "ations",
        "ation",
        "ings",
        "ing",
        "ies",
        "ées",
        "ers",
        "eurs",
        "es",
        "ed",
        "er",
        "ée",
        "s",
        "x",
        "e",
        "y",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _same_stem(asked: set[str], said: set[str]) -> bool:
    """Whether a word of one is the beginning of a word of the other: `queue` and `queueing`, `base` and `database` no."""
    starts = {word[:4] for word in said if len(word) >= 4}
    return any(len(word) >= 4 and word[:4] in starts for word in asked)
