"""Whose proposal a seat would sign: one seat named plainly, or nobody."""

from __future__ import annotations

import pytest

from debateroom.reading.endorsement import read_endorsement

ONE = [
    ("Agent B", "Agent B"), ("Agent B.", "Agent B"), ("**Agent B**", "Agent B"), ("`Agent B`", "Agent B"), ("agent b", "Agent B"), ("AGENT B", "Agent B"),
    ("[Agent B]", "Agent B"), ("\"Agent B\"", "Agent B"), ("Agent B (Pragmatist)", "Agent B"), ("**Agent B** (Pragmatist)", "Agent B"),
    ("**Agent B (Pragmatist)**", "Agent B"), ("Agent B, the Pragmatist", "Agent B"), ("Agent B — Pragmatist", "Agent B"), ("- Agent B", "Agent B"),
    ("\nAgent B\n", "Agent B"), ("B", "Agent B"), ("B.", "Agent B"), ("**B**", "Agent B"), ("B's", "Agent B"), ("B (Pragmatist)", "Agent B"), ("Agent AB", "Agent AB"),
    ("Agent B's proposal", "Agent B"), ("Agent B's refined proposal, as it stands", "Agent B"), ("the proposal of Agent B", "Agent B"), ("I endorse Agent B", "Agent B"),
    ("I would sign Agent B's proposal as it stands.", "Agent B"), ("Agent B, because it answers Agent C's objection", "Agent B"),
    ("Agent B, since it loses nothing on restart", "Agent B"), ("Agent B (not Agent C)", "Agent B"), ("Agent B over Agent C", None), ("Agent B. It is the safest plan.", "Agent B"),
    ("l'Agent B", "Agent B"), ("L'agent B (Pragmatique)", "Agent B"), ("celle de l'Agent B", "Agent B"), ("la proposition de l'Agent B", "Agent B"),
    ("Je signerais la proposition de l'Agent B", "Agent B"), ("Agent B, car elle répond à l'objection de l'Agent C", "Agent B"), ("Agent B（务实者）", "Agent B"),
    ("Agent B的提案", "Agent B"), ("我支持Agent B的提案", "Agent B"), ("智能体B", "Agent B"), ("Agent B，因为它回应了Agent C的反对意见", "Agent B"), ("A", "Agent A"), ("A's proposal", "Agent A"),
]  # fmt: skip
SELF = [
    "myself", "Myself.", "**myself**", "myself (Agent A)", "Agent A (myself)", "me", "mine", "my own", "my own proposal", "My own refined proposal", "my proposal", "self",
    "Agent A", "Agent A (Architect)", "moi-même", "moi", "la mienne", "ma propre proposition", "ma proposition", "自己", "我自己", "本人", "我的提案", "我自己的提案",
    "myself, because nobody answered the restart question",
]  # fmt: skip
NOBODY = [
    "", "  ", "None", "none", "Nobody", "no one", "N/A", "-", "No one yet", "not Agent B", "Not Agent B.", "I would not sign Agent B's proposal", "I don't endorse Agent B",
    "nobody; Agent B comes closest", "Agents B and C", "Agent B and Agent C", "Agent B, Agent C", "Agent B or Agent C", "Agent B/Agent C", "Agent B & C", "B and C", "B, C",
    "Agent B\nAgent C", "- Agent B\n- Agent C", "Agent B (and Agent C)", "Agent B with reservations", "Agent B, with Agent C's cap", "Agent B if the cap is dropped", "Agent B, if tested",
    "Agent B unless it costs more", "Agent B, but without the cap", "Agent B. But only the queue.", "Agent B (partially)", "partly Agent B", "Agent B (mostly)", "almost Agent B",
    "leaning towards Agent B", "maybe Agent B", "Agent B?", "Agent B, provided it is tested", "Agent B except the cap", "a mix of Agent B and mine", "a hybrid of Agent B's plan",
    "Agent B's plan plus retries", "Agent B's proposal with changes", "anyone but Agent B", "against Agent B", "both", "all of them", "everyone", "the Pragmatist", "the queue", "A queue with retries",
    "I endorse a queue", "I", "Agent", "Agent is fine", "Agents", "> Agent B", "> ENDORSES: Agent B", "personne", "aucun", "aucune", "pas l'Agent B", "les Agents B et C", "l'Agent B ou l'Agent C",
    "Agent B, sauf le plafond", "Agent B sous réserve de tests", "Agent B, mais sans le plafond", "plutôt l'Agent B", "无", "没有", "无人", "不支持Agent B", "Agent B和Agent C", "Agent B或Agent C",
    "Agent B，但需要修改", "部分支持Agent B", "除了Agent B", "可能是Agent B", "the critique of Agent B", "Agent B said that nobody should sign",
]  # fmt: skip


@pytest.mark.parametrize(("text", "seat"), ONE, ids=repr)
def test_one_seat_named_plainly_is_endorsed(text: str, seat: str | None) -> None:
    """A seat named once is endorsed, however it is dressed and whatever reason follows."""
    assert read_endorsement(text, speaker="Agent D") == seat


@pytest.mark.parametrize("text", SELF, ids=repr)
def test_a_seat_may_endorse_itself(text: str) -> None:
    """Words for oneself mean the speaker, in three languages."""
    assert read_endorsement(text, speaker="Agent A") == "Agent A"


@pytest.mark.parametrize("text", ["myself", "my own", "moi-même", "自己"])
def test_oneself_is_nobody_when_the_speaker_is_not_known(text: str) -> None:
    """Without a speaker, words for oneself name no seat."""
    assert read_endorsement(text) is None


@pytest.mark.parametrize("text", NOBODY, ids=repr)
def test_anything_less_than_a_plain_yes_is_no_endorsement(text: str) -> None:
    """Several seats, a condition, a change, a denial or a role: no seat is endorsed."""
    assert read_endorsement(text, speaker="Agent A") is None
