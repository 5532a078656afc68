"""Whether a reply may not be about the problem: error text, no answer, or not one content word in common."""

from __future__ import annotations

import re
from functools import lru_cache

from debateroom.reading.vocabulary import fold
from debateroom.reading.words import EMPTY_PAIRS, EMPTY_WORDS, FUNCTION_WORDS
from debateroom.terminal import is_blank

_LOOKED_AT = 20_000
"""Characters; the words of a longer text are judged by its beginning."""
_BEGINNING = 5
_FEW = 5
"""Content words of a reply below which nothing can be said about its subject."""
_LONG_ENOUGH = 40
"""Words of an unlabelled text that make it an answer rather than a remark."""

_NOTHING = re.compile(r"\W*(?:null|none|nil|undefined|nan|\[?object object\]?)?\W*", re.IGNORECASE)
"""What programs print where there is nothing, and dots alone."""
_PAGE = re.compile(r"\s*(?:<!doctype\s+html|<html\b|<\?xml\b|<head\b|<body\b)", re.IGNORECASE)
_ERROR_START = re.compile(
    r"\W{0,6}(?:(?:api|http|internal|fatal|request|server|network|execution|connection|upstream|unexpected|"
    r"the server)[\s_]+)?"
    r"(?:error|erreur|exception|错误)\W{0,3}(?:\d{3}\b|[:：]|code\b|occurred\b|generating\b|\Z)|"
    r"\W{0,6}(?:traceback \(most recent|请求失败|服务器错误)"
    r"|\W{0,6}(?:http\s?)?(?:status(?: code)?\W{0,3})?(?:4\d\d|5\d\d)\b\W{0,3}(?:\w+\s?){0,3}(?:error|unavailable|"
    r"gateway|timeout|too many|forbidden|unauthorized|overloaded|not found)"
    r"|\W{0,6}(?:too many requests|service unavailable|bad gateway|gateway time-?out|internal server error|"
    r"rate limit|quota exceeded|"
    r"upstream connect error|connection (?:refused|reset|timed out)|request timed out|credit balance is too low|"
    r"invalid api key|curl: \(\d+\)|(?:[\w./-]+: ){1,4}"
    r"(?:(?:command )?not found|no such file or directory|permission denied)\W*\Z|"
    r"please run /login|no response requested)",
    re.IGNORECASE,
)
_ERROR_TYPE = re.compile(
    r"\b(?:overloaded_error|rate_limit_error|invalid_request_error|api_error|authentication_error|permission_error|"
    r"not_found_error|"
    r"insufficient_quota|rate_limit_exceeded|context_length_exceeded|server_error|timeout_error|billing_error)\b"
)
_SHORT_ERROR = 800
"""Characters; a longer text that mentions an error discusses it."""
_REMARK = re.compile(
    r"\W{0,6}(?:understood|sure|certainly|of course|okay|ok|got it|i (?:understand|will|can(?:not|['’]t)|"
    r"am (?:sorry|unable|ready))|i['’](?:m|ll) (?:sorry|unable|ready|happy)|sorry|"
    r"before i (?:answer|begin|respond)|could you|can you|please (?:give|provide|share)|as an ai|"
    r"compris|bien sûr|d['’]accord|désolée?|je (?:ne peux pas|suis prête?|comprends)|pouvez-vous|pourriez-vous|"
    r"avant de répondre|veuillez|"
    r"明白|好的|收到|抱歉|对不起|请(?:提供|告诉|问)|我无法|作为一个)",
    re.IGNORECASE,
)

_ENDINGS = (
    *("issements", "issement", "ements", "ement", "ations", "ation", "ings", "ing", "eurs", "ies", "ers"),
    *("es", "ed", "er", "s", "x", "e", "y"),
)
_KNOWN = FUNCTION_WORDS["en"] | FUNCTION_WORDS["fr"] | EMPTY_WORDS
_TELLING = {name: known - (FUNCTION_WORDS["en"] & FUNCTION_WORDS["fr"]) for name, known in FUNCTION_WORDS.items()}
"""Words that only one of the two languages has."""
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"[^\W\d_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+(?:['’][^\W\d_]+)*|\d{2,}")


def is_nothing(text: str) -> bool:
    """Whether `text` says nothing: nothing in it can be seen, or it is dots, or a program's word for nothing."""
    return is_blank(text) or bool(_NOTHING.fullmatch(text))


def is_no_speech(text: str) -> bool:
    """Whether `text` is nobody's words: nothing, a web page, an error's text."""
    return is_nothing(text) or is_page(text) or is_error_text(text)


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
    """Whether `answer` shares no content word with `problem`; False unless both are surely in one language."""
    spoken = tongue(answer[:_LOOKED_AT])
    if spoken is None or spoken != tongue(problem[:_LOOKED_AT]):
        return False
    asked, said = content(problem, spoken), content(answer, spoken)
    return bool(asked) and len(said) >= _FEW and not _share(asked, said)


def _share(asked: frozenset[str], said: frozenset[str]) -> bool:
    return bool(asked & said) or _same_stem(asked, said)


def is_remark(text: str, problem: str | None) -> bool:
    """Whether `text`, which has no section, is no answer: *understood*, a refusal, a question back, a few words."""
    words = len(_WORD.findall(text[:_LOOKED_AT])) + sum(map(len, _HAN.findall(text[:_LOOKED_AT]))) // 2
    if words < 2 * _LONG_ENOUGH and _REMARK.match(text):
        return True
    spoken = tongue(text[:_LOOKED_AT])
    if problem and spoken and spoken == tongue(problem[:_LOOKED_AT]):
        return not _share(content(problem, spoken), content(text, spoken))
    return words < _LONG_ENOUGH


@lru_cache(maxsize=64)
def tongue(text: str) -> str | None:
    """`en`, `fr` or `zh` when `text` surely is in it; None when it is too short or mixed to say."""
    han = sum(map(len, _HAN.findall(text)))
    words = [fold(word) for word in _WORD.findall(text)]
    if han >= 4 and han >= len(words):
        return "zh"
    votes = {name: sum(map(telling.__contains__, words)) for name, telling in _TELLING.items()}
    votes["fr"] += len(re.findall(r"\b(?:[cdjlmnst]|qu)['’](?=\w)|[éèêàçù]", text[:4_000]))
    best, other = ("en", "fr") if votes["en"] >= votes["fr"] else ("fr", "en")
    return best if votes[best] >= 1 and votes[best] > 2 * votes[other] else None


@lru_cache(maxsize=64)
def content(text: str, language: str) -> frozenset[str]:
    """The words of `text` that carry a subject: stems for English and French, pairs of characters for Chinese."""
    text = text[:_LOOKED_AT]
    words = {fold(part) for word in set(_WORD.findall(text)) for part in word.replace("’", "'").split("'")}
    stems = {stem(word) for word in words if len(word) > 1 and word not in _KNOWN and stem(word) not in _KNOWN}
    if language != "zh":
        return frozenset(stems)
    pairs = {run[at : at + 2] for run in _HAN.findall(text) for at in range(len(run) - 1)}
    return frozenset(stems | (pairs - EMPTY_PAIRS))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """`word` without the endings of English and French that change its form, not its subject."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _same_stem(asked: frozenset[str], said: frozenset[str]) -> bool:
    """Whether two words begin with the same five letters, or one is the other with a short ending.

    `micros` and `microservice` share a beginning, `plan` and `plann` an ending; `back` and `background` neither.
    """
    starts = {word[:_BEGINNING] for word in said if len(word) >= _BEGINNING}
    if any(word[:_BEGINNING] in starts for word in asked if len(word) >= _BEGINNING):
        return True
    return any(
        len(short) == _BEGINNING - 1 and long.startswith(short) and len(long) <= len(short) + 3
        for short, others in [*((word, said) for word in asked), *((word, asked) for word in said)]
        if len(short) == _BEGINNING - 1
        for long in others
    )
