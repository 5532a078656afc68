"""Changes of mind: said in words, by the seat itself, of itself."""

from __future__ import annotations

import pytest

from debateroom.reading.mind import changed_mind

CHANGED = [
    "I changed my mind.", "I have changed my mind about the queue.", "I've changed my mind.", "B's cost figures changed my mind.", "That is what changed my mind.", "I am changing my mind.",
    "I change my mind: the loop is enough.", "I did change my mind on this.", "My mind has changed.", "My position has now shifted.", "Agent B convinced me that the loop is enough.",
    "Agent C's drill persuaded me.", "I was convinced by Agent B's numbers.", "I am now persuaded by the cost argument.", "I was wrong about restarts.", "I stand corrected.",
    "I no longer think the loop is enough.", "I no longer defend the loop.", "I withdraw my proposal.", "I hereby withdraw my earlier proposal.", "I switched to the queue.", "I've come around.",
    "I reversed my position after reading B.", "Mind changed: yes", "Not only has B answered me, B also changed my mind.", "I had a change of heart.",
    "J'ai changé d'avis.", "J’ai changé d’avis sur la file.", "J'ai finalement changé de position.", "Je change d'avis : la boucle suffit.", "L'Agent B m'a convaincu.", "Les chiffres de C m'ont convaincue.",
    "B m'a fait changer d'avis.", "Je me suis trompé sur les redémarrages.", "J'avais tort.", "Je me rallie à l'Agent B.", "Je retire ma proposition.", "Je suis désormais convaincu par B.",
    "我改变主意了。", "我改变了主意。", "我改变了看法。", "我的立场是错的，我改变立场。", "乙的成本分析说服了我。", "Agent B 的数据说服了我。", "我被乙说服了。", "我错了。", "我之前错了。", "我收回之前的提案。", "我不再坚持循环方案。", "我转而支持队列。",
    "乙让我改变了主意。", "我改了主意。",
]  # fmt: skip
UNCHANGED = [
    "", "Queue.", "I did not change my mind.", "I have not changed my mind.", "I haven't changed my mind.", "I never changed my mind.", "Nothing B said changed my mind.", "No argument has changed my mind.",
    "B has not changed my mind.", "B failed to change my mind.", "What would change my mind: a failed drill.", "A failed drill would have changed my mind.", "I would change my mind if the drill failed.",
    "If B is right, I change my mind.", "B almost changed my mind.", "I will not say that B changed my mind.", "Changed my mind: no", "Changed my mind? No.", "B changed his mind.", "Agent B changed their mind.",
    "B has not convinced me.", "Neither B nor C convinced me.", "I am not convinced by B.", "I don't think I was wrong.", "If I was wrong, show me.", "My mind has not changed.", "Agent B wrote \"I changed my mind\".",
    "B said “I was wrong”, which is fair.", "I can't say that I changed my mind.", "It could have changed my mind.", "B is wrong, I was right.", "I hold my position.", "I refined my proposal.",
    "Je n'ai pas changé d'avis.", "Je n’ai pas changé d’avis.", "B ne m'a pas convaincu.", "Rien ne m'a fait changer d'avis.", "Je ne change pas d'avis.", "B a changé d'avis.", "Si B a raison, je change d'avis.",
    "Aucun argument ne m'a convaincu.", "L'Agent B écrit « j'ai changé d'avis ».", "B m'a presque convaincu : presque.", "Je maintiens ma position.",
    "我没有改变主意。", "我并没有改变看法。", "我不会改变主意。", "乙没有说服我。", "乙未能说服我。", "没有人说服我。", "如果演练失败，我会改变主意。", "乙改变了主意。", "我注意到乙改变了主意。", "除非有新数据，我不改变立场。", "我坚持原来的立场。",
    "乙说「我改变主意了」。",
]  # fmt: skip


@pytest.mark.parametrize("text", CHANGED, ids=repr)
def test_a_change_of_mind_said_in_words_is_seen(text: str) -> None:
    """A seat that says it changed its mind, or that another convinced it, changed its mind."""
    assert changed_mind(text) is True


@pytest.mark.parametrize("text", UNCHANGED, ids=repr)
def test_denied_imagined_and_reported_changes_do_not_count(text: str) -> None:
    """A denial, a condition, a quotation or another seat's change is none of the speaker's."""
    assert changed_mind(text) is False
