"""The extract: what stands in for the synthesis when no moderator can be used. The seats' own words, marked so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from debateroom.debating import convergence
from debateroom.debating.convergence import Decision
from debateroom.debating.prompts import kind_of
from debateroom.language import say
from debateroom.messages import Entry, Round, Transcript
from debateroom.reading.reply import read_reply

_SHORT = 300
"""Characters of a section that are quoted in a list."""


def build(transcript: Transcript, decision: Decision, outcome: str, *, alone: bool = True) -> dict[str, Any]:
    """The fields of a synthesis, from the sections the seats wrote. No judgement that is not theirs.

    Not `alone`: there is a moderator, whose synthesis could not be used.
    """
    last = transcript.rounds[-1]
    entries = convergence.voices(last)
    leading = newest_proposal(transcript, decision.proposal)
    return {
        "summary": _summary(transcript, decision, outcome, leading, alone),
        "consensus": [leading] if decision.converged and leading else [],
        "disagreements": _disagreements(transcript, last, entries),
        "recommended_action": _recommended(transcript, decision, outcome, leading),
        "sharpest_disagreement": _sharpest(transcript, last, entries),
        "unresolved_risks": _risks(transcript),
        "mind_changes": _mind_changes(transcript),
        "highlights": [],
    }


def _section(entry: Entry, number: int, *keys: str) -> str:
    """The first of the sections `keys` that `entry` has, on one line; empty when it has none."""
    sections = read_reply(entry.response, kind=kind_of(number), speaker=entry.agent).sections
    text = next((sections[key] for key in keys if sections.get(key)), "")
    return " ".join(text.split())


def _short(text: str) -> str:
    if len(text) <= _SHORT:
        return text
    return text[: _SHORT - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


_NOTHING = re.compile(
    r"(?:none|no|nothing|n/a|nil|aucun\w*|rien|néant|sans objet|无|没有|暂无)\b.{0,40}|[-–—.\s]*", re.IGNORECASE
)
"""What a seat writes under a label when it has nothing to say there."""


def _stated(text: str) -> str:
    """`text`, or nothing when it only says that there is nothing: "None of substance."."""
    return "" if _NOTHING.fullmatch(text.strip().rstrip(".。!")) else text


def _proposal(entry: Entry, number: int) -> str:
    return _section(entry, number, "refined_proposal", "proposal", "position")


def _closed(text: str) -> str:
    """`text` with an end, so that another sentence can follow."""
    return text if not text or text[-1] in ".!?…。！？" else f"{text}."


def newest_proposal(transcript: Transcript, seat: str | None) -> str:
    """The newest wording of a seat's proposal; empty when there is none, or no seat."""
    for item in reversed(transcript.rounds):
        for entry in convergence.voices(item):
            if entry.agent == seat and _proposal(entry, item.round):
                return _proposal(entry, item.round)
    return ""


def _recommended(transcript: Transcript, decision: Decision, outcome: str, leading: str) -> str:
    """The leading proposal; in a deadlock it is said that it leads without a majority."""
    if not leading:
        return say(transcript.language, "no_leading_proposal")
    if outcome != "deadlock":
        return leading
    return say(
        transcript.language, "minority_proposal",
        agent=decision.proposal, count=len(decision.backers), effective=decision.effective, proposal=leading,
    )  # fmt: skip


def _summary(transcript: Transcript, decision: Decision, outcome: str, leading: str, alone: bool) -> str:
    """What came of it in a sentence, marked as made without a moderator."""
    role = next((seat.role for seat in transcript.agents if seat.name == decision.proposal), "")
    all_of_them = outcome == "split" and len(decision.backers) == decision.effective
    found = say(
        transcript.language,
        "extract_all" if all_of_them else f"extract_{outcome}",
        why=say(transcript.language, f"why_{decision.why}") if all_of_them else "",
        backers=len(decision.backers),
        effective=decision.effective,
        count=decision.effective,
        rounds=len(transcript.rounds),
        agent=decision.proposal or "—",
        role=role,
        proposal=_closed(_short(leading)),
    )
    made = say(transcript.language, "extract_marked" if alone else "extract_instead")
    return say(transcript.language, "between_sentences").join([found, made])


def _disagreements(transcript: Transcript, last: Round, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Each seat's proposal as a side of one question, and each stated disagreement as one of its own."""
    sides = [{"agents": [entry.agent], "claim": _short(_proposal(entry, last.round))} for entry in entries]
    sides = [side for side in sides if side["claim"]]
    stated = [(entry, _stated(_section(entry, last.round, "disagreements"))) for entry in entries]
    question = say(transcript.language, "which_proposal")
    agreed = convergence.decide(last, moderated=False, quorum=2).converged
    found = [] if agreed or len(sides) < 2 else [{"question": question, "sides": sides}]
    return found + [
        {"question": say(transcript.language, "still_differs", agent=entry.agent), "sides": [
            {"agents": [entry.agent], "claim": _short(text)}
        ]}
        for entry, text in stated
        if text
    ]  # fmt: skip


def _sharpest(transcript: Transcript, last: Round, entries: Sequence[Entry]) -> str:
    """The disagreement of the surest seat that stated one."""
    stated = [(entry, _stated(_section(entry, last.round, "disagreements"))) for entry in entries]
    stated = [(entry, text) for entry, text in stated if text]
    if not stated:
        return _two_proposals(transcript, last, entries)
    entry, text = max(stated, key=lambda pair: pair[0].confidence or 0.0)
    return _claim(transcript.language, entry, text)


def _claim(language: str, entry: Entry, text: str) -> str:
    """What a seat says, with who says it."""
    return say(language, "claim_of", agent=entry.agent, role=entry.role, text=_short(text))


def _risks(transcript: Transcript) -> list[dict[str, Any]]:
    """Concerns of the opening round; whether they were resolved later nobody has judged."""
    if not transcript.rounds:
        return []
    first = transcript.rounds[0]
    found = [(entry.agent, _stated(_section(entry, first.round, "concerns"))) for entry in convergence.counted(first)]
    return [{"risk": _short(text), "raised_by": [agent]} for agent, text in found if text]


def _mind_changes(transcript: Transcript) -> list[dict[str, Any]]:
    """Seats whose declared endorsement moved from one round to the next, with the agreement they stated then."""
    changes = []
    for seat in transcript.agents:
        # a seat that did not speak in round 1 has no proposal of its own to leave
        before = seat.name if _spoke(transcript, seat.name, 1) else ""
        for item in transcript.rounds:
            entry = next((e for e in convergence.voices(item) if e.agent == seat.name and e.endorses), None)
            if entry is None or entry.endorses is None or entry.endorses == before:
                continue
            if before:
                because = _because(entry, item.round)
                changes.append(
                    {
                        "agent": seat.name,
                        "from": before,
                        "to": entry.endorses,
                        "because": because,
                        "round": item.round,
                    }
                )
            before = entry.endorses
    return changes


def _spoke(transcript: Transcript, name: str, number: int) -> bool:
    return any(
        entry.agent == name
        for item in transcript.rounds
        if item.round == number
        for entry in convergence.counted(item)
    )


def _because(entry: Entry, number: int) -> str:
    """What the seat says the other got right, when it names the seat it moved to; else no cause was stated."""
    said = _section(entry, number, "agreements")
    return _short(said) if entry.endorses and entry.endorses in said else ""


def _two_proposals(transcript: Transcript, last: Round, entries: Sequence[Entry]) -> str:
    """Where nobody stated a disagreement: the two surest seats' proposals; else that none was stated."""
    ranked = sorted(entries, key=lambda entry: -(entry.confidence or 0.0))[:2]
    proposals = {_proposal(entry, last.round) for entry in ranked}
    signed = {entry.endorses or entry.agent for entry in entries}
    if len(proposals) < 2 or len(signed) < 2:
        return say(transcript.language, "no_disagreement_stated")
    claims = [_claim(transcript.language, entry, _proposal(entry, last.round)) for entry in ranked]
    between = say(transcript.language, "between_sentences")
    return between.join([say(transcript.language, "which_proposal"), *map(_closed, claims)])
