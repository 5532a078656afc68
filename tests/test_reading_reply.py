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
        "\ufeffSure!\r\n<think>no</think>\n> x\nAgent B:\nAGREEMENTS: theirs\nCONFIDENCE: 9\n\nMy own "
        "answer:\n**confidnce**: 7-8/10, say\n"
        "Agreements – Drain.\nDISAGREEMENTS: Loop.\nUPDATED PROPOSAL: Queue.\n\nLet me know!"
    )
    reply = read_reply(text, kind="debate", language="fr", speaker="Agent A", stop_reason="length")
    assert set(reply.repairs) <= set(REPAIRS)
    assert list(reply.repairs) == sorted(reply.repairs, key=REPAIRS.index)


def test_two_confidences_that_differ_are_unknown() -> None:
    """A contradiction is not settled by first or last: the value is unknown, and that is said."""
    text = "AGREEMENTS: Drain.\nCONFIDENCE: 5\nDISAGREEMENTS: Loop.\nREFINED PROPOSAL: Queue.\nCONFIDENCE: 9"
    reply = read_reply(text, kind="debate", speaker="Agent A")
    assert (reply.confidence, "contradiction" in reply.repairs) == (None, True)


def test_the_same_confidence_twice_is_the_confidence() -> None:
    """Repetition is no contradiction; an empty label says nothing."""
    text = "CONFIDENCE:\nAGREEMENTS: Drain.\nCONFIDENCE: 8\nREFINED PROPOSAL: Queue.\nCONFIDENCE: 8/10"
    assert read_reply(text, kind="debate").confidence == 8


def test_a_label_that_follows_itself_goes_on_with_its_section() -> None:
    """A label given twice in a row is one section with both texts, a piece of what was written; that is said."""
    text = "POSITION: Queue.\n**CONCERNS:** Cost.\n**CONCERNS:** Skills.\nCONFIDENCE: 8"
    reply = read_reply(text, kind="opening")
    assert reply.sections == {"position": "Queue.", "concerns": "Cost.\n**CONCERNS:** Skills.", "confidence": "8"}
    assert (reply.further, "repeated" in reply.repairs) == ({}, True)


def test_a_label_that_comes_again_later_gives_a_further_text() -> None:
    """The first text under a label counts; another one after other sections is kept beside it, and that is said."""
    text = "POSITION: Queue.\nCONCERNS: Cost.\nPOSITION: Still the queue.\nCONCERNS: Cost.\nPOSITION: Yes."
    reply = read_reply(text, kind="opening")
    assert reply.sections == {"position": "Queue.", "concerns": "Cost."}
    assert reply.further == {"position": ("Still the queue.", "Yes.")}
    assert reply.repairs == ("order", "repeated")


def test_a_json_field_given_twice_keeps_both_texts() -> None:
    """Two spellings of one key, or the key itself twice, lose no text; a rating given twice is unknown."""
    for again in ("Proposal", "proposal"):
        text = f'{{"position": "Queue.", "proposal": "One.", "{again}": "Two.", "confidence": 8}}'
        reply = read_reply(text, kind="opening")
        assert reply.sections == {"position": "Queue.", "proposal": "One.", "confidence": "8"}
        assert (reply.further, reply.repairs) == ({"proposal": ("Two.",)}, ("json", "repeated"))
    text = '{"position": "Queue.", "confidence": {"value": 8, "value": 3}}'
    assert read_reply(text, kind="opening").confidence is None


def test_a_final_answer_replaces_the_draft() -> None:
    """Of a draft and what is announced as the final answer, the final answer counts."""
    draft = "POSITION: Loop.\nPROPOSAL: while True.\nCONFIDENCE: 9"
    text = f"{draft}\n\nFinal answer:\nPOSITION: Queue.\nPROPOSAL: Postgres.\nCONFIDENCE: 6"
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
    code = "```\n<think>x</think>\n```"
    text = f"POSITION: Strip `<think>` and drop </think> tags early.\nPROPOSAL: Code:\n{code}\nCONFIDENCE: 7"
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
    asked = "AGREEMENTS: [What the other agents got right, in your words]"
    text = f"{asked}\nREFINED PROPOSAL: Queue.\nCONFIDENCE: [1-10 how sure you are]"
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
