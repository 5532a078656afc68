"""Every instruction of the two source prompts is in ours, in three languages."""

from __future__ import annotations

import pytest

from debateroom import templates
from debateroom.language import LABELS, LANGUAGES, SECTIONS
from debateroom.messages import Seat

SEATS = (Seat("Agent A", "Architect", "thinks in systems"), Seat("Agent B", "Critic", "finds faults"))

INSTRUCTIONS = {
    "opening": {
        "who you are": ("You are Agent A, Architect.", "Vous êtes Agent A, Architect.", "你是 Agent A，Architect。"),
        "what your role is": ("Agent A, Architect: thinks in systems", "Agent A, Architect : thinks in systems",
                              "Agent A，Architect：thinks in systems"),
        "a debate between agents": ("A debate between 2 agents", "Un débat entre 2 agents", "2 位参与者在同一个房间里辩论"),
        "which round": ("This is round 1.", "C'est le tour 1.", "现在是第 1 轮。"),
        "state your opening position": ("state your opening position", "énoncez votre position de départ", "说出你对这个问题的初始立场"),
        "specific and concrete": ("Be specific and concrete", "Soyez précis et concret", "要具体、明确"),
        "real solutions, not principles": ("real solutions, not vague principles", "de vraies solutions, pas de vagues principes",
                                           "而不是空泛的原则"),
        "take a side": ("Take a clear side", "Prenez clairement parti", "立场要鲜明"),
        "you will be challenged": ("will challenge your position in the next rounds", "contesteront votre position aux tours suivants",
                                   "会在后面的轮次质疑你的立场"),
        "explicit reasoning": ("make your reasoning explicit", "rendez donc votre raisonnement explicite", "把推理过程写清楚"),
        "position in one sentence": ("in one sentence", "en une phrase", "用一句话"),
        "3 to 5 points": ("3 to 5 key points", "3 à 5 points clés", "3 到 5 个要点"),
        "concrete recommendation": ("what you recommend, concretely", "ce que vous recommandez, concrètement", "你的具体建议"),
        "what could go wrong": ("what could go wrong", "ce qui pourrait mal tourner", "可能在哪里出错"),
        "answer directly": ("Write your answer directly", "Écrivez votre réponse directement", "直接写出回答"),
        "no files": ("Do not write to any file", "N'écrivez dans aucun fichier", "不要写入任何文件"),
    },
    "debate": {
        "who you are": ("You are Agent A, Architect.", "Vous êtes Agent A, Architect.", "你是 Agent A，Architect。"),
        "what your role is": ("Agent A, Architect: thinks in systems", "Agent A, Architect : thinks in systems",
                              "Agent A，Architect：thinks in systems"),
        "a debate between agents": ("A debate between 2 agents", "Un débat entre 2 agents", "2 位参与者在同一个房间里辩论"),
        "which round": ("This is round 3.", "C'est le tour 3.", "现在是第 3 轮。"),
        "read with care": ("read the discussion so far with care", "lisez attentivement la discussion", "仔细阅读此前的讨论"),
        "strongest counter-argument": ("Answer the strongest argument against your position",
                                       "Répondez à l'argument le plus fort contre votre position", "回应反对你立场的最有力的论点"),
        "where you agree": ("where you AGREE with the others", "D'ACCORD avec les autres", "同意其他参与者"),
        "concede good points": ("concede their good points", "concédez leurs bons points", "承认他们说得对的地方"),
        "where you disagree and why": ("where you DISAGREE, and why", "EN DÉSACCORD, et pourquoi", "不同意，并说明原因"),
        "refine": ("Refine your proposal", "Affinez votre proposition", "完善你的提案"),
        "do not repeat": ("Do NOT just repeat", "Ne vous contentez PAS de répéter", "不要只是重复"),
        "engage": ("Engage with what the others said", "Répondez à ce que les autres ont dit", "回应别人说的话"),
        "change your mind": ("Change your mind if they made a better argument",
                             "Changez d'avis s'ils ont avancé un meilleur argument", "如果他们的论点更好，就改变看法"),
        "what others got right": ("what the others got right", "ce que les autres ont bien vu", "其他人说得对的地方"),
        "where you still differ": ("where you still differ, and why", "où vous différez encore, et pourquoi", "仍然不同意的地方及原因"),
        "updated recommendation": ("your recommendation as it stands now", "votre recommandation, telle qu'elle est maintenant",
                                   "你目前的建议"),
        "confidence 1-10": ("1-10, how sure you are of your refined proposal", "1 à 10, à quel point vous êtes sûr", "1-10，你对修订提案的把握"),
        "answer directly": ("Write your answer directly", "Écrivez votre réponse directement", "直接写出回答"),
        "no files": ("Do not write to any file", "N'écrivez dans aucun fichier", "不要写入任何文件"),
    },
}  # fmt: skip
"""The sources' instructions, by name, and the words that carry each in English, French and Chinese."""


def prompt(kind: str, language: str) -> str:
    """What round 1, or round 3, asks of the first seat: the room's rules and the seat's own block."""
    number = 1 if kind == "opening" else 3
    labels = [LABELS[language][section] for section in SECTIONS[kind]]  # type: ignore[index]
    own = templates.render(f"prompts/{language}/seat.j2", seat=SEATS[0], number=number, labels=labels, attacks=None)
    room = templates.render(
        f"prompts/{language}/room.j2", seats=SEATS, fence="said-1", problem="?", context="", rounds=number, tools=None
    )
    return room + own


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", INSTRUCTIONS)
def test_every_instruction_of_the_source_is_in_the_prompt(kind: str, language: str) -> None:
    """Nothing the sources ask of a seat is lost in our wording, in any language."""
    text = prompt(kind, language)
    place = LANGUAGES.index(language)
    assert [name for name, words in INSTRUCTIONS[kind].items() if words[place] not in text] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["opening", "debate"])
def test_labels_stand_at_the_start_of_lines_in_order(kind: str, language: str) -> None:
    """The format asks for the sections of the round, in the design's order, each on its own line."""
    lines = prompt(kind, language).splitlines()
    labels = [LABELS[language][key] for key in SECTIONS[kind]]  # type: ignore[index]
    found = [
        [i for i, line in enumerate(lines) if line.startswith((f"{x}:", f"{x} :", f"{x}："))][-1] for x in labels
    ]
    assert found == list(range(found[0], found[0] + len(labels)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_others_said_is_headed_by_seat_and_role(language: str) -> None:
    """A round's block names each seat with its role before its quote; the names are the same in every language."""
    entries = [
        {"agent": "Agent A", "role": "Architecte", "response": "x"},
        {"agent": "Agent B", "role": "批评者", "response": "y"},
    ]
    entries = [entry | {"devil": False} for entry in entries]
    block = templates.render(f"prompts/{language}/round.j2", number=2, entries=entries, fence="said-1")
    heads = {"en": "Agent A (Architecte):", "fr": "Agent A (Architecte) :", "zh": "Agent B（批评者）："}
    assert heads[language] in block
    assert block.count("<said-1>") == block.count("</said-1>") == 2
