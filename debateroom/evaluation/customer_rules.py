"""What a simulated customer did that its guidelines forbid, found by rules in a whole conversation. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from debateroom.dialogue.findings import repeated
from debateroom.dialogue.sameness import near_identical
from debateroom.evaluation.customer import open_question
from debateroom.evaluation.customer_data import data_in, even
from debateroom.evaluation.customer_text import TextFinding, check_customer_text
from debateroom.evaluation.personas import persona
from debateroom.evaluation.small_talk import is_small_talk
from debateroom.evaluation.task import Task
from debateroom.evaluation.trial import Trial

Rule = Literal[
    "invented", "leak", "id_rewritten", "parrot", "role_flip", "dump", "restart", "premature_stop"
]  # fmt: skip
RULES: tuple[Rule, ...] = (
    "invented", "leak", "id_rewritten", "parrot", "role_flip", "dump", "restart", "premature_stop",
)  # fmt: skip
ABOUT_FACTS: tuple[Rule, ...] = ("invented", "leak", "id_rewritten")
"""The rules that ask what `info_fidelity` asks; the others ask what `persona_consistency` does."""

_SPEAKER = re.compile(
    r"^[\s>*_#-]*(?:agent|assistant|bot|support|l['’]agent|l['’]assistant|conseiller|客服|助手)[*_]*\s?[:：]|"
    r"\b(?:how (?:can|may) I help you|is there anything else I can (?:do|help)|"
    r"en quoi puis-je vous aider|puis-je (?:encore )?vous aider)|(?:请问)?有什么(?:可以|能)帮(?:助)?(?:您|你)",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSE = 0.8
"""Share of an id from which another one is that one, written wrongly."""
_MUCH = 3
"""Pieces of data from which saying all of them in the first message is pouring them out."""
_LONGEST = 160


class Finding(NamedTuple):
    """One thing that a rule found."""

    rule: Rule
    message: int
    """Which of the customer's messages, 1 and up; the one after the last for the end."""
    quote: str


def customer_findings(task: Task, trial: Trial, language: str) -> tuple[Finding, ...]:
    """What the rules find in the customer's part of a trial; the task's own opening is not the customer's doing.

    `invented`, `leak`: data that it cannot know or must not say; `id_rewritten`: an id written another way, or
    wrongly; `parrot`: a sentence of the script or of the agent's, word for word; `role_flip`: it speaks as the agent;
    `dump`: all it knows in the first message; `restart`: it says again what it said before; `premature_stop`: it is
    content before the agent has answered, or while the agent waits for its answer.
    """
    known = [task.instruction, task.known_info, persona(task.persona, language), task.opening]
    heard: list[str] = []
    said: list[str] = []
    found: list[Finding] = []
    for message in trial.messages:
        if message.party == "agent":
            heard.append(message.text)
            continue
        if said or message.text != task.opening:
            told = _about(message.text, task, known, heard, said)
            found += [Finding(rule, len(said) + 1, quote[:_LONGEST]) for rule, quote in told]
        said.append(message.text)
    if trial.stop.satisfied and (early := _too_early(heard)):
        found.append(Finding("premature_stop", len(said) + 1, early[:_LONGEST]))
    return tuple(found)


def _about(
    text: str, task: Task, known: Sequence[str], heard: Sequence[str], said: Sequence[str]
) -> Iterator[tuple[Rule, str]]:
    allowed = [*known, *heard]
    findings = check_customer_text(text, allowed=allowed, forbidden_values=task.unknown_values)
    for finding in findings:
        yield _facts(finding, allowed), finding.text
    for quote in _rewritten(text, allowed, findings):
        yield "id_rewritten", quote
    script = "\n".join((task.instruction, task.known_info))
    if quote := repeated(text, script) or (repeated(text, heard[-1]) if heard else ""):
        yield "parrot", quote
    if match := _SPEAKER.search(text):
        yield "role_flip", match[0].strip()
    if not said and _pours_out(text, task.known_info):
        yield "dump", text
    if any(near_identical(text, before) for before in said):
        yield "restart", text


def _facts(finding: TextFinding, allowed: Sequence[str]) -> Rule:
    """An id that nobody gave is one that somebody gave, written wrongly, where it is nearly that."""
    if finding.rule == "leak":
        return "leak"
    plain = _compact(finding.text)
    ids = [_compact(datum.text) for text in allowed for datum in data_in(text) if datum.kind in ("id", "phone")]
    close = finding.kind in ("id", "phone") and any(
        SequenceMatcher(None, plain, other, autojunk=False).ratio() >= _CLOSE for other in ids
    )
    return "id_rewritten" if close else "invented"


def _rewritten(text: str, allowed: Sequence[str], findings: Sequence[TextFinding]) -> Iterator[str]:
    """Ids that are known, and written as they stand nowhere."""
    told = even("\n".join(allowed)).casefold()
    gone = {finding.text for finding in findings}
    for datum in data_in(text):
        written = datum.text in gone or datum.text.casefold() in told or is_small_talk(datum, even(text))
        if datum.kind == "id" and not written:
            yield datum.text


def _pours_out(text: str, known_info: str) -> bool:
    pieces = [datum for datum in data_in(known_info) if datum.kind != "quote"]
    said = {key for datum in data_in(text) for key in datum.keys}
    return len(pieces) >= _MUCH and all(datum.keys & said for datum in pieces)


def _too_early(heard: Sequence[str]) -> str:
    return open_question(heard[-1]) if heard else "###STOP###"


def _compact(text: str) -> str:
    return "".join(mark for mark in text.casefold() if mark.isalnum())
