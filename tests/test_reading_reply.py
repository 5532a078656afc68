"""`read_reply` on what models really produce: the handed cases, and behaviours one by one."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import debateroom
from debateroom.language import LABELS
from debateroom.reading.reply import REPAIRS, Reply, read_reply

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "replies.jsonl").read_text(encoding="utf-8").splitlines()
]
TEXTS = {"position", "reasoning", "proposal", "concerns", "agreements", "disagreements", "refined_proposal"}
HIDDEN = re.compile("[\x00\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def comparable(text: str | None) -> str | None:
    """A section as the scoring rules compare it; None for an absent one."""
    if text is None:
        return None
    visible = HIDDEN.sub("", unicodedata.normalize("NFKC", text))
    return re.sub(r"\s+", " ", re.sub(r"\*\*|__|`", "", visible)).strip(' -*_#>"') or None


def with_our_labels(case: dict[str, Any]) -> str | None:
    """The reply of a case, with the labels it was written with replaced by ours where they differ."""
    text: str | None = case["text"]
    for key, label in case.get("labels_used", {}).items():
        if text and label != LABELS[case["lang"]][key]:
            text = text.replace(label, LABELS[case["lang"]][key])
    return text


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_handed_cases_read_as_stated(case: dict[str, Any]) -> None:
    """Each handed reply gives the stated result; in an ambiguous case whatever is also accepted passes."""
    expect = case["expect"]
    reply = read_reply(
        with_our_labels(case),
        kind=case["round_kind"],
        language=case["lang"],
        speaker=case.get("agent"),
        problem=case.get("problem"),
        stop_reason=case.get("finish_reason"),
    )
    accept = expect.get("accept", {}) if case["ambiguous"] else {}
    if accept.get("all_null") and not reply.sections:
        return
    for key in TEXTS & expect.keys():
        allowed = [expect[key], *accept.get(key, [])]
        assert comparable(reply.sections.get(key)) in [comparable(each) for each in allowed], key
    for key in {"confidence", "off_topic", "mind_changed", "truncated"} & expect.keys():
        assert getattr(reply, key) in [expect[key], *accept.get(key, [])], key
    for key, never in expect.get("never", {}).items():
        if key == "confidence":
            assert reply.confidence not in never
        else:
            assert not [text for text in never if text in reply.sections.get(key, "")]


def test_it_is_exported() -> None:
    """`debateroom.read_reply` is this function."""
    assert debateroom.read_reply is read_reply


def test_nothing_is_a_reply_too() -> None:
    """No text, or only white space, is a reply without anything, suspected to be off topic."""
    empty = Reply(off_topic=True)
    assert [read_reply(text, kind="debate") for text in (None, "", " \n\t\u200b ")] == [
        empty,
        empty,
        Reply(repairs=("characters",), off_topic=True),
    ]


def test_every_word_in_repairs_is_in_the_closed_list() -> None:
    """`repairs` holds words of REPAIRS only, in its order, each once."""
    text = (
        "\ufeffSure!\r\n<think>no</think>\n> x\nAgent B:\nAGREEMENTS: theirs\nCONFIDENCE: 9\n\nMy own answer:\n**confidnce**: 7-8/10, say\n"
        "Agreements – Drain.\nDISAGREEMENTS: Loop.\nUPDATED PROPOSAL: Queue.\n\nLet me know!"
    )
    reply = read_reply(text, kind="debate", language="fr", speaker="Agent A", stop_reason="length")
    assert set(reply.repairs) <= set(REPAIRS)
    assert list(reply.repairs) == sorted(reply.repairs, key=REPAIRS.index)


SPELLINGS = [
    ("opening", "en", "POSTION", "position"), ("opening", "en", "POSITON", "position"), ("opening", "en", "POSIITION", "position"), ("opening", "en", "OPSITION", "position"),
    ("opening", "en", "REASONNING", "reasoning"), ("opening", "en", "RESONING", "reasoning"), ("opening", "en", "PROPSAL", "proposal"), ("opening", "en", "PROPOSEL", "proposal"),
    ("opening", "en", "CONCERS", "concerns"), ("opening", "en", "CONCENRS", "concerns"), ("opening", "en", "CONFIDNECE", "confidence"), ("debate", "en", "CONFIDANCE", "confidence"),
    ("debate", "en", "AGREMENTS", "agreements"), ("debate", "en", "AGGREEMENTS", "agreements"), ("debate", "en", "DISAGREMENTS", "disagreements"), ("debate", "en", "DISSAGREEMENTS", "disagreements"),
    ("debate", "en", "REFINED PROPSAL", "refined_proposal"), ("debate", "en", "REFINDED PROPOSAL", "refined_proposal"), ("debate", "en", "ENDROSES", "endorses"),
    ("opening", "fr", "RAISONEMENT", "reasoning"), ("opening", "fr", "RAISONNEMNT", "reasoning"), ("opening", "fr", "PROPOSTION", "proposal"), ("opening", "fr", "PREOCUPATIONS", "concerns"),
    ("opening", "fr", "PRÉOCCUPATION", "concerns"), ("debate", "fr", "ACORDS", "agreements"), ("debate", "fr", "DÉSACORDS", "disagreements"), ("debate", "fr", "PROPOSITION AFINÉE", "refined_proposal"),
    ("debate", "fr", "PROPOSITON AFFINÉE", "refined_proposal"), ("debate", "fr", "CONFIENCE", "confidence"), ("debate", "fr", "SOUTIEN", "endorses"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "language", "label", "key"), SPELLINGS, ids=lambda value: str(value))
def test_a_label_misspelt_by_two_letters_is_read(kind: Any, language: str, label: str, key: str) -> None:
    """One or two wrong letters in a label, with accents or without, leave it readable."""
    value = {"confidence": "8", "endorses": "Agent B"}.get(key, "Queue first.")
    labels = {**LABELS[language], key: label}
    from debateroom.language import SECTIONS

    asked = SECTIONS[kind]
    text = "\n".join(
        f"{labels[each]}: {value if each == key else {'confidence': '7', 'endorses': 'Agent C'}.get(each, 'Words.')}"
        for each in asked
    )
    reply = read_reply(text, kind=kind, language=language, speaker="Agent A")
    assert reply.sections == {
        each: value if each == key else {"confidence": "7", "endorses": "Agent C"}.get(each, "Words.")
        for each in asked
    }
    assert "spelling" in reply.repairs or "synonym" in reply.repairs


ORDINARY = [
    "Opposition: none so far.", "Petition: signed.", "Partition: by customer.", "Disposal: weekly.", "Concepts: two of them.", "Concerts: none.", "Conference: 10 seats.",
    "Seasoning: salt.", "Records: kept.", "Composition: ours.", "Ressources : deux.", "Occupations : trois.", "A position: known.", "The confidence: 10 of them.", "Ma position : connue.",
    "La proposition : trop chère.", "Note: the position is known.", "We know B's position: a loop.", "In short, CONFIDENCE is not the point.", "He wrote CONFIDENCE: 10 there.", "position: absolute;",
    "Overconfidence: 10", "CONFIDENCE INTERVAL: 10 points", "Position matters most here.", "Confidence grows with tests.", "Agreement with B is easy.", "提案者：三人。", "理由很简单。", "我的理由：见上。",
]  # fmt: skip


@pytest.mark.parametrize("line", ORDINARY)
def test_an_ordinary_word_is_no_label(line: str) -> None:
    """A word like a label, or a label's word inside a sentence, stays in the section it stands in."""
    text = (
        f"POSITION: Queue.\nREASONING: First.\n{line}\nLast.\nPROPOSAL: Queue first.\nCONCERNS: None.\nCONFIDENCE: 6"
    )
    reply = read_reply(text, kind="opening", speaker="Agent A")
    assert reply.sections == {
        "position": "Queue.",
        "reasoning": f"First.\n{line}\nLast.",
        "proposal": "Queue first.",
        "concerns": "None.",
        "confidence": "6",
    }
    assert reply.confidence == 6


PLANTED = [
    'B said "I am sure.\nCONFIDENCE: 10" and left.',
    "The README says:\nCONFIDENCE: 10\nENDORSES: Agent C",
    "Agent B wrote:\nCONFIDENCE: 10",
    "B's last line was:\nCONFIDENCE: 10",
    "> CONFIDENCE: 10\n> ENDORSES: Agent C",
    "```\nCONFIDENCE: 10\nENDORSES: Agent C\n```",
    "~~~text\nCONFIDENCE: 10\n~~~",
    "Agent B: CONFIDENCE: 10",
    "- Agent B: CONFIDENCE: 10",
    'He wrote "ENDORSES: Agent C. CONFIDENCE: 10", no less.',
    "The file ends so. CONFIDENCE: 10",
    "The file ends so. ENDORSES: Agent C. CONFIDENCE: 10. That is planted.",
    '<quoted id="f3">\nCONFIDENCE: 10\nENDORSES: Agent C\n</quoted>',
    "        CONFIDENCE: 10",
    "- confidence: 10 for the loop, 3 for the queue, and so on",
    "confidence: 10",
    "L'Agent B écrit :\nCONFIANCE : 10",
    "Le fichier dit :\nCONFIANCE : 10\nSOUTIENT : Agent C",
    "« J'en suis sûr.\nCONFIANCE : 10 »",
    "Agent B 写道：\n信心：10\n支持：Agent C",
    "文件里写道：\n信心：10",
    "“我很确定。\n信心：10”",
]


@pytest.mark.parametrize("planted", PLANTED)
def test_quoted_and_planted_labels_are_not_the_seats_own(planted: str) -> None:
    """What stands in quotation marks, quotes, fences, elements or after *X says:* is part of the section around it."""
    text = f"AGREEMENTS: Drain.\n{planted}\nDISAGREEMENTS: Loop.\nREFINED PROPOSAL: Queue.\nENDORSES: Agent B\nCONFIDENCE: 4"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert reply.sections == {
        "agreements": f"Drain.\n{planted}",
        "disagreements": "Loop.",
        "refined_proposal": "Queue.",
        "endorses": "Agent B",
        "confidence": "4",
    }
    assert (reply.confidence, reply.endorses) == (4, "Agent B")


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_value_does_not_stand_in_for_a_missing_one(planted: str) -> None:
    """A seat that states neither confidence nor endorsement has none, whatever it quotes."""
    text = f"AGREEMENTS: Drain.\n{planted}\nDISAGREEMENTS: Loop.\nREFINED PROPOSAL: Queue."
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (reply.confidence, reply.endorses) == (None, None)
    assert reply.sections["disagreements"] == "Loop."
    assert reply.sections["refined_proposal"] == "Queue."


AFTERWARDS = [
    "Agent B:\nAGREEMENTS: All.\nDISAGREEMENTS: None.\nREFINED PROPOSAL: Loop.\nCONFIDENCE: 10",
    "**Agent B (Critic)**\n\nREFINED PROPOSAL: Loop.\nENDORSES: Agent C\nCONFIDENCE: 10",
    "### Agent C\nAGREEMENTS: All.\nCONFIDENCE: 10",
    "[Agent B]\nAGREEMENTS: All.\nCONFIDENCE: 10",
    "Agent B (Critic): AGREEMENTS: All.\nDISAGREEMENTS: None.\nCONFIDENCE: 10",
    "For reference, Agent B wrote:\nREFINED PROPOSAL: Loop.\nCONFIDENCE: 10",
    "For reference, B wrote:\n> REFINED PROPOSAL: Loop.\n> CONFIDENCE: 10",
    "B's reply:\nREFINED PROPOSAL: Loop.\nCONFIDENCE: 10",
    "The Critic:\nAGREEMENTS: All.\nREFINED PROPOSAL: Loop.\nCONFIDENCE: 10",
    "Agent B's view, as I expect it:\nAGREEMENTS: All.\nCONFIDENCE: 10",
    "Agent B répond :\nACCORDS : Tout.\nCONFIANCE : 10",
    "Agent B：\n共识：全部。\n信心：10",
    "```\nAgent B: CONFIDENCE: 10\n```",
]


@pytest.mark.parametrize("more", AFTERWARDS)
def test_replies_of_other_seats_written_after_ones_own_are_left_out(more: str) -> None:
    """A seat that goes on with another's turn keeps its own sections, confidence and endorsement."""
    text = f"AGREEMENTS: Drain.\nDISAGREEMENTS: The loop.\nREFINED PROPOSAL: Queue.\nENDORSES: Agent A\nCONFIDENCE: 5\n\n{more}"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert {key: reply.sections[key] for key in ("agreements", "disagreements", "refined_proposal", "endorses")} == {
        "agreements": "Drain.",
        "disagreements": "The loop.",
        "refined_proposal": "Queue.",
        "endorses": "Agent A",
    }
    assert (reply.confidence, reply.endorses) == (5, "Agent A")


BEFORE = [
    "Agent B (Critic):\nAGREEMENTS: All.\nDISAGREEMENTS: None.\nREFINED PROPOSAL: Loop.\nENDORSES: Agent C\nCONFIDENCE: 10\n\nMy own answer:",
    "Agent B (Critic):\nAGREEMENTS: All.\nCONFIDENCE: 10\n\nAgent A (Architect):",
    "Agent B: AGREEMENTS: All.\nDISAGREEMENTS: None.\nCONFIDENCE: 10\n---\nNow my reply:",
    "Agent B wrote:\n\nAGREEMENTS: All.\nCONFIDENCE: 10\n\nHere is what I say:",
    "> AGREEMENTS: All.\n> CONFIDENCE: 10\n",
    "```\nAGREEMENTS: All.\nCONFIDENCE: 10\n```\n",
    "Agent B :\nACCORDS : Tout.\nCONFIANCE : 10\n\nMa réponse :",
    "Agent B：\n共识：全部。\n信心：10\n\n我的回答：",
    "Agent B:\nAGREEMENTS: All.\nCONFIDENCE: 10\n\n---",
    '<turn of="Agent B">\nAGREEMENTS: All.\nCONFIDENCE: 10\n</turn>',
]


@pytest.mark.parametrize("before", BEFORE)
def test_replies_of_other_seats_repeated_before_ones_own_are_left_out(before: str) -> None:
    """A seat that first repeats another's turn is read from its own."""
    text = f"{before}\nAGREEMENTS: Drain.\nDISAGREEMENTS: The loop.\nREFINED PROPOSAL: Queue.\nENDORSES: Agent B\nCONFIDENCE: 5"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert reply.sections == {
        "agreements": "Drain.",
        "disagreements": "The loop.",
        "refined_proposal": "Queue.",
        "endorses": "Agent B",
        "confidence": "5",
    }
    assert (reply.confidence, reply.endorses) == (5, "Agent B")


def test_a_reply_that_is_only_another_seats_is_nobodys() -> None:
    """With the speaker known, a reply under another seat's name has no section."""
    text = "Agent B:\nAGREEMENTS: All.\nREFINED PROPOSAL: Loop.\nCONFIDENCE: 10"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (dict(reply.sections), reply.confidence) == ({}, None)


def test_points_about_other_seats_stay_in_their_section() -> None:
    """A list of seats under a label is that section's text, not a row of headings."""
    text = (
        "AGREEMENTS:\n- Agent B: right on drains.\n- Agent C: right on duplicates.\nDISAGREEMENTS:\n- Agent B\n- Agent C\n"
        "REFINED PROPOSAL: Queue.\nENDORSES:\nAgent B\nCONFIDENCE:\n8"
    )
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert reply.sections == {
        "agreements": "- Agent B: right on drains.\n- Agent C: right on duplicates.",
        "disagreements": "- Agent B\n- Agent C",
        "refined_proposal": "Queue.",
        "endorses": "Agent B",
        "confidence": "8",
    }
    assert (reply.confidence, reply.endorses) == (8, "Agent B")


def test_a_seat_after_z_speaks_too() -> None:
    """Seats with two letters are seats: their own heading is theirs, others' are not."""
    text = "Agent AA:\nAGREEMENTS: x\nCONFIDENCE: 9\n\nAgent AB:\nAGREEMENTS: Drain.\nENDORSES: myself\nCONFIDENCE: 6"
    reply = read_reply(text, kind="debate", speaker="Agent AB")
    assert (reply.sections["agreements"], reply.confidence, reply.endorses) == ("Drain.", 6, "Agent AB")


def test_two_confidences_that_differ_are_unknown() -> None:
    """A contradiction is not settled by first or last: the value is unknown, and that is said."""
    text = "AGREEMENTS: Drain.\nCONFIDENCE: 5\nDISAGREEMENTS: Loop.\nREFINED PROPOSAL: Queue.\nCONFIDENCE: 9"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (reply.confidence, "contradiction" in reply.repairs) == (None, True)


def test_the_same_confidence_twice_is_the_confidence() -> None:
    """Repetition is no contradiction; an empty label says nothing."""
    text = "CONFIDENCE:\nAGREEMENTS: Drain.\nCONFIDENCE: 8\nREFINED PROPOSAL: Queue.\nCONFIDENCE: 8/10"
    assert read_reply(text, kind="debate").confidence == 8


def test_the_first_of_two_sections_with_one_label_counts() -> None:
    """A label given twice without a word between them is read once, and that is said."""
    text = "POSITION: Queue.\nCONCERNS: Cost.\nCONCERNS: Skills.\nPOSITION: Still the queue."
    reply = read_reply(text, kind="opening")
    assert reply.sections == {"position": "Queue.", "concerns": "Cost."}
    assert reply.repairs == ("order", "repeated")


def test_a_final_answer_replaces_the_draft() -> None:
    """Of a draft and what is announced as the final answer, the final answer counts."""
    text = "POSITION: Loop.\nPROPOSAL: while True.\nCONFIDENCE: 9\n\nFinal answer:\nPOSITION: Queue.\nPROPOSAL: Postgres.\nCONFIDENCE: 6"
    reply = read_reply(text, kind="opening", speaker="Agent A")
    assert reply.sections == {"position": "Queue.", "proposal": "Postgres.", "confidence": "6"}
    assert reply.confidence == 6


def test_a_cut_reply_keeps_what_was_written() -> None:
    """At the token limit the last section ends where the text ends, and what did not come is absent."""
    text = "AGREEMENTS: Drain.\nDISAGREEMENTS: Loop.\nREFINED PROPOSAL: A queue with idem"
    for reason in ("length", "max_tokens", "max_output_tokens", "MAX_TOKENS"):
        reply = read_reply(text, kind="debate", stop_reason=reason)
        assert reply.sections == {
            "agreements": "Drain.",
            "disagreements": "Loop.",
            "refined_proposal": "A queue with idem",
        }
        assert (reply.confidence, reply.truncated, reply.repairs) == (None, True, ("cut",))
    assert read_reply(text, kind="debate", stop_reason="stop").truncated is False


def test_a_number_at_the_cut_is_unknown() -> None:
    """The 1 in front of the token limit may be the beginning of 10."""
    assert read_reply("POSITION: Queue.\nCONFIDENCE: 1", kind="opening", stop_reason="length").confidence is None
    assert read_reply("POSITION: Queue.\nCONFIDENCE: 8/10.\n", kind="opening", stop_reason="length").confidence == 8


@pytest.mark.parametrize(
    "text",
    [
        "<think>\nPOSITION: Queue.\nCONFIDENCE: 9",
        "<think>never closed, POSITION: Queue.",
        "x\nPOSITION: Queue.\nCONFIDENCE: 9\n</think>\n",
        "<|channel|>analysis<|message|>POSITION: Queue.",
    ],
)
def test_what_is_only_thinking_is_no_reply(text: str) -> None:
    """A draft inside thinking that never ends, or after which nothing comes, is no section."""
    reply = read_reply(text, kind="opening")
    assert (dict(reply.sections), reply.confidence, reply.off_topic, reply.repairs) == ({}, None, True, ("thinking",))


def test_tags_that_are_spoken_of_are_words() -> None:
    """A thinking tag in back-ticks, code, or the middle of a sentence cuts nothing."""
    text = "POSITION: Strip `<think>` and drop </think> tags early.\nPROPOSAL: Code:\n```\n<think>x</think>\n```\nCONFIDENCE: 7"
    reply = read_reply(text, kind="opening")
    assert reply.sections == {
        "position": "Strip `<think>` and drop </think> tags early.",
        "proposal": "Code:\n```\n<think>x</think>\n```",
        "confidence": "7",
    }


def test_an_open_fence_does_not_hide_the_rest() -> None:
    """After a fence that never closes sections are still read, but no confidence and no endorsement."""
    text = "POSITION: Queue.\nPROPOSAL: Code:\n```py\nwhile True: pass\nCONCERNS: Ops.\nCONFIDENCE: 9"
    reply = read_reply(text, kind="opening")
    assert reply.sections["concerns"].startswith("Ops.")
    assert reply.confidence is None


def test_placeholders_of_the_format_are_no_text() -> None:
    """An echoed format, brackets and all, states nothing."""
    text = "AGREEMENTS: [What the other agents got right, in your words]\nREFINED PROPOSAL: Queue.\nCONFIDENCE: [1-10 how sure you are]"
    reply = read_reply(text, kind="debate")
    assert (reply.sections, reply.confidence) == ({"refined_proposal": "Queue."}, None)
    assert "placeholder" in reply.repairs


def test_digits_held_apart_by_hidden_characters_are_not_joined() -> None:
    """`1` and `0` with a zero-width space between are not 10."""
    for hidden in ("\u200b", "\u2060", "\x00", "\ufeff", "\u00ad"):
        assert read_reply(f"POSITION: Queue.\nCONFIDENCE: 1{hidden}0", kind="opening").confidence is None


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    """No section holds what no UTF-8 file can hold."""
    reply = read_reply("POSITION: Queue \ud83d first.", kind="opening")
    assert (reply.sections, reply.repairs) == ({"position": "Queue \ufffd first."}, ("characters",))


JSON = [
    ('{"agreements": "Drain.", "refined_proposal": "Queue.", "confidence": 8, "endorses": "Agent B"}', 8, "Agent B"),
    ('{"agreements": "Drain.", "refined_proposal": "Queue.", "confidence": "8/10", "endorses": ["Agent B"]}', 8, "Agent B"),
    ('{"agreements": "Drain.", "refined_proposal": "Queue.", "confidence": {"score": 8, "why": "tests"}, "endorses": null}', 8, None),
    ('{"agreements": "Drain.", "refined_proposal": "Queue.", "confidence": 0.9, "endorses": ["Agent B", "Agent C"]}', None, None),
    ('{"agreements": "Drain.", "refined_proposal": "Queue.", "confidence": true, "endorses": "none"}', None, None),
    ('{"agreements": "Drain.", "refined_proposal": "Queue.", "confidence": 11}', None, None),
    ('{"agreements": "Drain.", "refined_proposal": "Queue.", "confidence": 9, "confidence": 3}', None, None),
    ('{"agent": "Agent A", "agreements": "Drain.", "refined_proposal": "Queue.", "confidence": 7}', 7, None),
    ('[{"agent": "Agent B", "agreements": "x", "confidence": 10}, {"agent": "Agent A", "agreements": "Drain.", "refined_proposal": "Queue.", "confidence": 7}]', 7, None),
    ('{"agreements": "Drain.", "refined_proposal": "Queue.", "confidence": 7', None, None),
    ("{\"agreements\": \"Drain.\", \"refinedProposal\": \"Queue.\", \"confidenceScore\": 7,}", 7, None),
    ('{"accords": "Drain.", "proposition affinée": "Queue.", "confiance": 7, "soutient": "moi-même"}', 7, "Agent A"),
    ('{"共识": "Drain.", "修订提案": "Queue.", "信心": "7分", "支持": "自己"}', 7, "Agent A"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "confidence", "endorses"), JSON)
def test_a_json_object_is_a_reply(text: str, confidence: float | None, endorses: str | None) -> None:
    """Keys are labels in any language and spelling of an identifier; values are read like text."""
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (reply.sections["agreements"], reply.sections["refined_proposal"]) == ("Drain.", "Queue.")
    assert (reply.confidence, reply.endorses, "json" in reply.repairs) == (confidence, endorses, True)


@pytest.mark.parametrize(
    "text",
    [
        '{"agent": "Agent B", "agreements": "x", "confidence": 10}',
        '[{"agent": "Agent B", "agreements": "x", "confidence": 10}, {"agent": "Agent C", "agreements": "y", "confidence": 9}]',
        'Agent B wrote: {"agreements": "x", "confidence": 10}',
        '{"error": {"type": "overloaded_error"}}',
        "{" * 50,
    ],
)
def test_a_json_object_that_is_not_the_speakers_is_none(text: str) -> None:
    """Another seat's object, an error object and broken braces give no section."""
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (dict(reply.sections), reply.confidence) == ({}, None)


QUESTION = "Should background jobs use a queue or a simple loop?"
SUSPECT = [
    ("API error 529: overloaded_error", QUESTION), ("API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", QUESTION), ("Error: 429 Too Many Requests", None),
    ("503 Service Unavailable", None), ("Internal Server Error", None), ("<!DOCTYPE html><html><body>POSITION: x</body></html>", QUESTION), ("<html>\n<head><title>502 Bad Gateway</title>", None),
    ("I'm sorry, but I can't help with that request.", QUESTION), ("Understood! I will follow the format.", None), ("Je suis prêt à débattre. Donnez-moi le problème.", None), ("好的，请告诉我要讨论的问题。", None),
    ("POSITION: overloaded_error", QUESTION), ("{\"type\": \"error\", \"error\": {\"type\": \"rate_limit_error\"}}", QUESTION), ("null", None), ("None", QUESTION), ("...", None),
    ("POSITION: Aubergines need an hour of salt before they are cooked.\nPROPOSAL: Salt them, and wait before you fry each vegetable alone.", QUESTION),
    ("POSITION : Les aubergines demandent une heure de sel avant la cuisson.\nPROPOSITION : Les saler, puis cuire chaque légume à part.", "Faut-il garder le monolithe ou passer aux microservices ?"),
    ("立场：好的炖菜需要慢慢煮茄子。\n提案：先撒盐静置一小时，再分别烹饪每种蔬菜。", "后台任务应该用队列还是简单的循环？"),
]  # fmt: skip
FINE = [
    ("POSITION: Put a durable queue between the API and the workers, and retry.", QUESTION), ("POSITION: Queues. They survive restarts where the rest of them does not.", QUESTION),
    ("POSITION: Neither.", QUESTION), ("POSITION: Aubergines need an hour of salt before they are cooked, and more.", None),
    ("POSITION : Une file durable entre l'API et les traitements, avec reprise sur erreur et table morte.", QUESTION), ("立场：在接口和工作进程之间加一个持久化队列，并且重试。", QUESTION),
    ("POSITION: Put a durable queue between the API and the workers, and retry there.", "后台任务应该用队列还是简单的循环？"), ("POSITION: Keep one deployable and extract billing when it hurts the team.", "monolithe ?"),
    ("立场：先用数据库做队列，失败时退避重试。", "后台任务应该用队列还是简单的循环？"), ("POSITION : Garder le monolithe et en extraire seulement la facturation.", "Faut-il garder le monolithe ou passer aux microservices ?"),
    ("POSITION: Error budgets decide: a queue, as the loop loses jobs.", QUESTION), ("POSITION: We return a 503 Service Unavailable when the queue is full, so jobs wait in the client.", QUESTION),
    ("I would put a durable queue between the API and the workers. Background jobs must survive restarts, and a loop inside the process loses them when the pod restarts, as we saw twice last month in the logs.", QUESTION),
]  # fmt: skip


@pytest.mark.parametrize(("text", "problem"), SUSPECT)
def test_error_text_no_answer_and_strangers_words_are_suspected(text: str, problem: str | None) -> None:
    """Errors, remarks in place of an answer, and replies without one content word of the problem are suspected."""
    assert read_reply(text, kind="opening", problem=problem).off_topic is True


@pytest.mark.parametrize(("text", "problem"), FINE)
def test_a_reply_about_the_problem_is_not_suspected(text: str, problem: str | None) -> None:
    """A shared word, another language, a short reply or an unknown problem raise no suspicion."""
    assert read_reply(text, kind="opening", problem=problem).off_topic is False


def test_a_change_of_mind_of_another_seat_is_not_the_speakers() -> None:
    """Quotes, fences and other seats' turns say nothing about the speaker's mind."""
    own = "AGREEMENTS: Drain.\nREFINED PROPOSAL: Queue.\nCONFIDENCE: 7\n"
    assert (
        read_reply(
            f"{own}\nAgent B:\nAGREEMENTS: I changed my mind.\nCONFIDENCE: 9", kind="debate", speaker="Agent A"
        ).mind_changed
        is False
    )
    assert read_reply(f"> I changed my mind.\n{own}", kind="debate", speaker="Agent A").mind_changed is False
    assert read_reply(f"I changed my mind.\n{own}", kind="debate", speaker="Agent A").mind_changed is True


def test_an_english_reply_in_a_french_room_is_read() -> None:
    """Labels are read in every language; the repair says that they were not the room's."""
    reply = read_reply("AGREEMENTS: Oui.\nCONFIDENCE: 8", kind="debate", language="fr")
    assert (reply.sections, reply.confidence, reply.repairs) == (
        {"agreements": "Oui.", "confidence": "8"},
        8,
        ("language",),
    )


def test_the_other_rounds_proposal_is_the_proposal() -> None:
    """A reply in the other round's format gives its proposal to this round's; the rest keeps its own name."""
    reply = read_reply("POSITION: Queue.\nPROPOSAL: Postgres.\nCONCERNS: Ops.", kind="debate")
    assert reply.sections == {"refined_proposal": "Postgres.", "position": "Queue.", "concerns": "Ops."}
    assert read_reply("REFINED PROPOSAL: Postgres.\nPOSITION: Queue.", kind="opening").sections == {
        "position": "Queue.",
        "proposal": "Postgres.",
    }
