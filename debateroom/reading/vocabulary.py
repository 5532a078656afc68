"""The names that models give to the sections of a reply, in three languages: which name means which section."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from debateroom.language import LABELS, SECTIONS
from debateroom.messages import Kind
from debateroom.reading.phrases import word_set

EXACT, VARIANT, SYNONYM = 3, 2, 1
"""How sure a name is: asked for as it stands; a form of it that means nothing else; an everyday word."""

_VARIANTS: Mapping[str, str] = {
    "position": "positions, opening position, prise de position, 立場",
    "reasoning": "reasonings, raisonnements",
    "proposal": "proposals, propositions, proposed solution, solution proposee",
    "concerns": "concern, key concerns, potential concerns, concerns and risks, risks and concerns, "
    "preoccupation, 顧慮",
    "agreements": "agreement, points of agreement, areas of agreement, key agreements, where i agree, "
    "what i agree with, accord, points d'accord, 共識, 共识点, 一致点",
    "disagreements": "disagreement, points of disagreement, areas of disagreement, key disagreements, "
    "where i disagree, remaining disagreements, desaccord, points de desaccord, 分歧点",
    "refined_proposal": "refined proposals, revised proposal, updated proposal, improved proposal, "
    "amended proposal, final proposal, new proposal, my refined proposal, proposition raffinee, "
    "proposition revisee, proposition amelioree, proposition ajustee, proposition mise a jour, "
    "proposition finale, proposition modifiee, proposition amendee, 修訂提案, 修改提案, 修正提案, 改进提案, "
    "更新提案, 优化提案, 完善提案, 最终提案, 修订后的提案, 修改后的提案, 改进后的提案, 更新后的提案, 修订方案, "
    "改进方案",
    "endorses": "endorse, endorsed, endorsement, endorsements, endorsing, i endorse, soutien, soutiens, je soutiens",
    "confidence": "confidence score, confidence level, confidence rating, level of confidence, confidence out of 10, "
    "the score of my confidence, niveau de confiance, score de confiance, degre de confiance, indice de confiance, "
    "信心度, 信心指数, 信心水平, 信心值, 信心程度, 信心分数, 信心评分, 置信度, 置信水平, 自信度, 自信程度",
}
_SYNONYMS: Mapping[str, str] = {
    "position": "stance, view, viewpoint, thesis, opinion, avis, point de vue, 观点, 觀點, 主张, 看法",
    "reasoning": "rationale, reasons, argument, arguments, justification, why, raisons, argumentation, "
    "推理, 论证, 论据, 依据, 原因, 分析",
    "proposal": "recommendation, recommendations, solution, suggestion, recommandation, recommandations, "
    "建议, 建議, 方案, 提议",
    "concerns": "risks, risk, caveats, worries, weaknesses, drawbacks, downsides, limitations, risques, "
    "inquietudes, limites, craintes, reserves, 担忧, 风险, 風險, 疑虑, 关切, 隐患",
    "agreements": "concessions, common ground, agree, agreed, i agree, i agree with, convergences, "
    "points communs, 同意, 赞同, 认同, 共同点",
    "disagreements": "objections, differences, disagree, i disagree, divergences, 不同意, 异议, 反对, 不同意见",
    "refined_proposal": "refined recommendation, updated recommendation, revised recommendation, "
    "refined position, updated position, recommandation affinee, 新方案, 最终方案",
    "endorses": "supports, i support, signs, vote, vote for, backs, je signe, appui, 认可, 赞成, 投票",
    "confidence": "certainty, certitude, assurance, 把握, 确信度",
}
_OWN_WORDS = word_set("my our final updated current overall initial opening own ma mon mes notre nos")
_OWN_CHARACTERS = ("我的", "我", "最终", "当前", "总体", "整体")
_ORDINARY = word_set(
    "opposition opposite petition partition positing posting disposition preposition composition proportion "
    "propositional disposal proposer proposed seasoning reckoning treasoning concert concerts concept concepts "
    "concerned conserves conference conferences confident confidant confidante conscience consistency "
    "coincidence difference enforces enforce endures records record accounts according agreeable "
    "achievements arrangements amendments contient souvient occupations reparations occupation deposition "
    "environnement fonctionnement rayonnement ressources"
)
"""Words within two letters of a label that are none."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LONGEST_HAN = 8
_MOST_WORDS = 5


class Name(NamedTuple):
    """A section's name as found: which section, how sure, in which language, whether letters were wrong."""

    key: str
    grade: int
    language: str
    misspelt: bool = False


class Prefix(NamedTuple):
    """A name that a text starts with, and where it ends."""

    name: Name
    end: int


@lru_cache(maxsize=4096)
def fold(word: str) -> str:
    """`word` without case, accents, width and kinds of apostrophe."""
    plain = unicodedata.normalize("NFKD", word.replace("’", "'"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).casefold()


def order(kind: Kind, key: str) -> int:
    """The place of `key` in the format of `kind`; -1 when that format does not ask for it."""
    return SECTIONS[kind].index(key) if key in SECTIONS[kind] else -1


def asked(name: Name, kind: Kind) -> Name:
    """`name` as the format of `kind` understands it: the other round's word for the proposal means this one's."""
    other = {"proposal": "refined_proposal", "refined_proposal": "proposal"}.get(name.key)
    return name._replace(key=other, grade=SYNONYM) if other and order(kind, name.key) < 0 else name


def _is_han(text: str) -> bool:
    return bool(_HAN.match(text))


@cache
def names() -> Mapping[str, Name]:
    """Every known name, folded, and what it means. An exact label wins over a variant, that over a synonym."""
    found: dict[str, Name] = {}
    for table, grade in ((_SYNONYMS, SYNONYM), (_VARIANTS, VARIANT)):
        for key, listed in table.items():
            for name in listed.split(", "):
                found[name] = Name(key, grade, "zh" if _is_han(name) else "")
    for language in ("zh", "fr", "en"):
        for key, label in LABELS[language].items():
            found[fold(label)] = Name(key, EXACT, language)
    return found


def name_at(text: str, start: int, end: int) -> Prefix | None:
    """The longest known name at `start` of `text`, with a word like *my* before it if need be; else None."""
    if start >= end:
        return None
    if _is_han(text[start]):
        return _han_name_at(text, start, end)
    words = _words_at(text, start, end)
    for skip in (0, 1):
        if skip and not (words and fold(words[0].group()) in _OWN_WORDS):
            break
        for count in range(len(words), skip, -1):
            name = names().get(" ".join(fold(word.group()) for word in words[skip:count]))
            if name:
                return Prefix(
                    name if not skip else name._replace(grade=min(name.grade, VARIANT)), words[count - 1].end()
                )
    return None


def _words_at(text: str, start: int, end: int) -> list[re.Match[str]]:
    """Up to five words that follow one another with one space, hyphen or underscore between."""
    words: list[re.Match[str]] = []
    while len(words) < _MOST_WORDS and (word := _WORD.match(text, start, min(end, start + 24))):
        words.append(word)
        start = word.end()
        if text[start : start + 1] not in (" ", "_", "-", "\u00a0", "\u202f"):
            break
        start += 1
    return words


def _han_name_at(text: str, start: int, end: int) -> Prefix | None:
    for own in ("", *_OWN_CHARACTERS):
        if not text.startswith(own, start, end):
            continue
        first = start + len(own)
        for length in range(min(_LONGEST_HAN, end - first), 1, -1):
            name = names().get(text[first : first + length])
            if name:
                return Prefix(name if not own else name._replace(grade=min(name.grade, VARIANT)), first + length)
    return None


def name_of(text: str) -> Name | None:
    """What `text` as a whole names: `refinedProposal`, `REFINED_PROPOSAL` and `Refined proposal` are one."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.strip()[:60])
    found = name_at(spaced, 0, len(spaced))
    return found.name if found and found.end == len(spaced) else None


@cache
def _spellings() -> tuple[tuple[str, Name], ...]:
    """The asked-for labels long enough that two wrong letters still leave no doubt."""
    return tuple(
        (text, name) for text, name in names().items() if name.grade == EXACT and len(text) >= 7 and text.isascii()
    )


@lru_cache(maxsize=1024)
def misspelt_name(text: str) -> Name | None:
    """The label that `text` misses by two letters at most (one, when short); None for an ordinary word."""
    word = fold(text.replace("_", " "))
    if not 6 <= len(word) <= 22 or word in _ORDINARY or word in names() or not word.replace(" ", "").isalpha():
        return None
    best: tuple[int, Name] | None = None
    for label, name in _spellings():
        allowed = 1 if len(label) < 8 or label[0] != word[0] else 2
        if abs(len(label) - len(word)) > allowed:
            continue
        distance = edits(word, label)
        if distance <= allowed and (best is None or distance < best[0]):
            best = (distance, name)
    return best[1]._replace(misspelt=True) if best else None


def edits(one: str, other: str) -> int:
    """How many letters must be added, left out, changed or swapped with their neighbour (Damerau–Levenshtein)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, row = row, [i, *[0] * len(other)]
        for j, against in enumerate(other, 1):
            row[j] = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                row[j] = min(row[j], before[j - 2] + 1)
        before = above
    return row[-1]
