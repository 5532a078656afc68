"""A worker's brief: a position, read up to `-- END --`, with activities: Trigger, Work, Beneficiary. Pure.

An explicit intent (a verb and its object) in the mission is the goal; else the activity whose trigger fits best.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from debateroom.reading.phrases import word_set
from debateroom.reading.topic import content
from debateroom.reading.vocabulary import fold

_END = re.compile(r"^\s*--\s*END\s*--\s*$", re.MULTILINE | re.IGNORECASE)
_FIELD = re.compile(
    r"^[\s>*_`#-]*(?:\d+[.)]\s*)?[*_`]*(?P<name>trigger|work|beneficiary|d[ée]clencheur|travail|b[ée]n[ée]ficiaire|触发(?:条件)?|工作|受益人)"
    r"[*_`]*\s*[:：][*_`]*\s*(?P<text>.*)$",
    re.IGNORECASE,
)
_FIELDS = {
    "trigger": "trigger", "work": "work", "beneficiary": "beneficiary", "declencheur": "trigger", "travail": "work",
    "beneficiaire": "beneficiary", "触发": "trigger", "触发条件": "trigger", "工作": "work", "受益人": "beneficiary",
}  # fmt: skip
_VERBS = {
    "en": word_set(
        "find get list check verify look prepare write draft send compare summarize summarise collect gather search",
        "cancel refund order book update create add change review analyse analyze calculate compute explain tell",
        "give show identify translate contact call ask obtain fetch retrieve make produce report research determine",
        "plan propose suggest select choose document answer resolve fix track confirm schedule estimate count",
        "extract replace exchange return note register file build establish provide",
    ),
    "fr": word_set(
        "trouve liste verifie prepare ecris redige envoie compare resume collecte rassemble cherche recherche annule",
        "rembourse commande reserve cree ajoute change modifie analyse calcule explique dis donne montre identifie",
        "traduis contacte appelle demande obtiens recupere fais produis etablis determine planifie propose suggere",
        "choisis documente reponds resous corrige confirme estime compte extrais remplace echange note enregistre",
        "fournis regarde",
    ),
}
"""Verbs that open an order, folded; in French also with the endings of the infinitive and of `vous`."""
_ZH_VERBS = re.compile(
    r"^(?:请|麻烦|帮我|帮忙|给我|为我|替我|需要|我要|我想|想要)*(?:查找|查询|查一下|查|找出|找到|找|列出|核实|检查|准备|撰写|起草|写|发送|比较|"
    r"总结|汇总|收集|搜索|取消|退款|预订|订购|更新|创建|添加|修改|更换|分析|计算|解释|告诉|给出|提供|展示|识别|翻译|联系|获取|制作|制定|"
    r"确定|建议|选择|回答|解决|确认|估算|统计|提取|登记|退|换)"
)
_LEAD = re.compile(
    r"^(?:(?:please|kindly|hello|hi|hey|now|first|could you|can you|would you|will you|i (?:want|need) you to|"
    r"i(?:'d| would) like you to|you (?:must|should|have to)|we need to|i need to|i want to|let's|"
    r"s'il (?:te|vous) plait|svp|bonjour|merci de|peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|il faut|tu dois|"
    r"vous devez|veuillez|je (?:veux|voudrais|souhaite)(?: que tu)?|"
    r"nous devons|il s'agit de|la mission est de|mission|the mission is to|your task is to)[\s,:!]+)+"
)
_MAIL = re.compile(
    r"^\s*(?:(?:from|to|cc|subject|sent|date|de|à|objet|envoyé|发件人|收件人|主题)\s*[:：]|>|-{3,}\s*(?:original|forwarded|message))",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Activity:
    """One activity of a position."""

    trigger: str
    work: str = ""
    beneficiary: str = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """A position: its text without what follows `-- END --`, and its activities."""

    text: str
    activities: tuple[Activity, ...]


@dataclass(frozen=True, slots=True)
class Intent:
    """What the worker is to reach, for whom, and how that was found."""

    goal: str
    recipient: str = ""
    source: Literal["mission", "trigger", "none"] = "mission"
    """`mission`: it states an intent. `trigger`: the best activity's. `none`: neither; the mission as it stands."""
    trigger: str = ""
    """The trigger that was chosen."""


def read(text: str) -> Brief:
    """The brief in `text`, read up to the first line `-- END --`."""
    end = _END.search(text)
    kept = (text[: end.start()] if end else text).strip()
    return Brief(kept, tuple(_activities(kept.splitlines())))


def _activities(lines: Sequence[str]) -> list[Activity]:
    found: list[dict[str, str]] = []
    for line in lines:
        match = _FIELD.match(line)
        if match is None:
            continue
        name = _FIELDS[fold(match["name"])]
        if name == "trigger" or not found:
            found.append({})
        found[-1][name] = match["text"].strip(" *_`")
    return [Activity(item["trigger"], item.get("work", ""), item.get("beneficiary", "")) for item in found
            if item.get("trigger")]  # fmt: skip


def intent(mission: str, brief: Brief, language: str) -> Intent:
    """What the mission asks: its own explicit intent, else the best trigger's work and recipient."""
    stated = explicit_intent(mission)
    if stated:
        return Intent(stated)
    activity = best_trigger(mission, brief.activities, language)
    if activity is not None:
        return Intent(activity.work or activity.trigger, activity.beneficiary, "trigger", activity.trigger)
    return Intent(mission.strip(), source="none")


def explicit_intent(mission: str) -> str:
    """The sentence of `mission` that is an order, a verb with its object; empty when there is none.

    A forwarded mail is raw text: what its writer orders somebody is not the mission's own intent.
    """
    if _MAIL.search(mission):
        return ""
    for sentence in re.split(r"(?<=[.!?。！？;；])\s*|\n+", mission.strip()):
        if _is_order(sentence):
            return sentence.strip()
    return ""


def _is_order(sentence: str) -> bool:
    stripped = sentence.strip(" \t-*•>\"'«»“”")
    match = _ZH_VERBS.match(stripped)
    if match:
        return len(re.sub(r"[\W_]", "", stripped[match.end() :])) >= 2
    words = _LEAD.sub("", fold(stripped)).split()
    return len(words) >= 2 and _is_verb(words[0].strip(",.:;!?")) and bool(re.search(r"\w{2}", " ".join(words[1:])))


def _is_verb(word: str) -> bool:
    if word in _VERBS["en"] or word in _VERBS["fr"]:
        return True
    stems = {word.removesuffix(ending) for ending in ("r", "ez", "er", "ir", "re", "z", "s", "issez", "ns")}
    return bool({*stems, *(f"{stem}e" for stem in stems), *(f"{stem}s" for stem in stems)} & _VERBS["fr"])


def best_trigger(mission: str, activities: Sequence[Activity], language: str) -> Activity | None:
    """The activity whose trigger shares most subjects with `mission`; the first of equals, None without any."""
    about = content(mission, language)
    scored = [(len(content(activity.trigger, language) & about), activity) for activity in activities]
    best = max((score for score, _ in scored), default=0)
    return next((activity for score, activity in scored if score == best), None) if best else None
