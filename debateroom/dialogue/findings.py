"""What a simulated person said that no person would: found in the visible text, reported beside the verdict. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from debateroom.dialogue import data, offers, sameness, signs, tool_names
from debateroom.dialogue.data import Datum
from debateroom.dialogue.loop import Exchange
from debateroom.dialogue.scenario import Scenario

_IDENTIFIERS = ("email", "link", "iban", "reference", "address", "number")
"""Kinds of data that a person copies and does not make up."""
_CLOSE = 0.8
"""Share of an identifier from which another one is that one, rewritten."""
_SPEAKER = re.compile(
    r"^[\s>*_#-]*(?:the )?(?:agent|assistant|bot|system|support|l['’]agent|l['’]assistant|"
    r"代理|助手|客服|系统)[*_]*\s*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_WORDS, _HAN = 5, 12
"""Words, or Han characters, from which a sentence that both say is repeated and not answered."""
_LONGEST = 160


class Finding(NamedTuple):
    """One thing that was odd, and where."""

    rule: str
    turn: int
    quote: str


def of_simulator(
    exchanges: Sequence[Exchange], scenario: Scenario, persona: str, *, closing: str = "", gave_up: bool = False
) -> tuple[Finding, ...]:
    """The findings on everything the simulator said to the agent, and on the words beside its verdict.

    `gave_up` says that it ended with a failure of its own will: then offers that it did not take up were left unused.
    """
    found: list[Finding] = []
    brief = "\n".join((persona, scenario.goals, scenario.opening, scenario.instructions))
    known_tools = [tool.name for exchange in exchanges for tool in exchange.tools]
    messages = [exchange.request for exchange in exchanges] + ([closing] if closing.strip() else [])
    for turn, message in enumerate(messages, 1):
        answers = [exchange.answer for exchange in exchanges[: turn - 1]]
        told = "\n".join((brief, *answers, *messages[: turn - 1]))
        if turn == 1 and scenario.opening:
            continue  # the scenario's own words
        found += [Finding(rule, turn, quote[:_LONGEST]) for rule, quote in _said(message, answers, told, known_tools)]
    left = offers.unused(exchanges) if gave_up else ()
    return (*found, *(Finding("unused_offer", offer.turn, offer.text[:_LONGEST]) for offer in reversed(left)))


def _said(message: str, answers: Sequence[str], told: str, tools: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Rule and quotation for everything that is odd about one message."""
    for name in tool_names.in_text(message, tools):
        yield "tool_name", name
    if quote := signs.find("nature", message):
        yield "nature", quote
    if quote := signs.find("strategy", message):
        yield "search_strategy", quote
    if match := _SPEAKER.search(message):
        yield "speaks_for_agent", match.group(0).strip()
    if answers and (quote := repeated(message, answers[-1])):
        yield "repeats_agent", quote
    for datum in data.in_text(message):
        if datum.kind in _IDENTIFIERS and not data.stands_in(datum, told):
            yield ("rewritten_id" if _rewritten(datum, told) else "invented_id"), datum.text
        elif datum.kind == "amount" and not data.known_in(datum, told):
            yield "invented_amount", datum.text


def repeated(message: str, answer: str) -> str:
    """The sentence of `message` that the answer before it said already; empty when there is none."""
    said = [sentence for sentence in _sentences(answer) if _long(sentence)]
    for sentence in _sentences(message):
        if _long(sentence) and any(sameness.near_identical(sentence, other) for other in said):
            return sentence
    return ""


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?。！？;；])\s*|\n+", text[:20_000]) if part.strip()]


def _long(sentence: str) -> bool:
    return len(sentence.split()) >= _WORDS or len(re.findall("[\u4e00-\u9fff]", sentence)) >= _HAN


def _rewritten(datum: Datum, told: str) -> bool:
    """Whether an identifier that stands nowhere is one that does, written another way."""
    plain = data.compact(datum.text)
    for other in data.in_text(told):
        if other.kind in _IDENTIFIERS:
            known = data.compact(other.text)
            if plain == known or SequenceMatcher(None, plain, known, autojunk=False).ratio() >= _CLOSE:
                return True
    return len(plain) > 3 and plain in data.compact(told)
