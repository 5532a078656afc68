"""Two debates side by side: what came of each, and which claims one has and the other lacks. Pure, asks no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from debateroom.messages import Kind, Round, Transcript
from debateroom.reading.claims import likeness
from debateroom.reading.reply import read_reply
from debateroom.report import decision
from debateroom.report import facts as facts_of
from debateroom.report.facts import Facts
from debateroom.report.phrases import change_text
from debateroom.report.seats import model_name
from debateroom.report.text import flat
from debateroom.report.trust import vote_text
from debateroom.report.words import Words
from debateroom.room.played import devil


class Claim(NamedTuple):
    """Something that a debate holds."""

    kind: str
    """`consensus`, `disagreement`, `risk` or `proposal`."""
    text: str
    agents: tuple[str, ...] = ()
    """Who says it, where that is known."""


class Shared(NamedTuple):
    """A claim of the first debate, and the one of the second that is most like it."""

    first: Claim
    second: Claim


class Comparison(NamedTuple):
    """Two debates and their claims."""

    sides: tuple[Facts, Facts]
    one_question: bool
    """Whether both have the same question, to the letter but for case and spaces."""
    one_language: bool
    """Whether claims can be compared at all: words of two languages are never alike."""
    both: tuple[Shared, ...]
    only: tuple[tuple[Claim, ...], tuple[Claim, ...]]
    """What each alone has."""


def of(first: Transcript, second: Transcript) -> Comparison:
    """The comparison of two debates."""
    one, other = facts_of.of(first), facts_of.of(second)
    left, right, language = claims(one), claims(other), one.words.language
    pairs = _pairs(left, right, language)
    return Comparison(
        sides=(one, other),
        one_question=_plain(first.problem) == _plain(second.problem),
        one_language=language == other.words.language,
        both=tuple(Shared(left[place], right[match]) for place, match in sorted(pairs.items())),
        only=(
            tuple(claim for place, claim in enumerate(left) if place not in pairs),
            tuple(claim for place, claim in enumerate(right) if place not in pairs.values()),
        ),
    )


def claims(facts: Facts) -> tuple[Claim, ...]:
    """Every claim of a debate: what was agreed, what stayed open, the risks, and each seat's last proposal.

    Claims of one kind in the same words are one, said by all who say it.
    """
    said = facts.verdict
    found = [Claim("consensus", flat(text)) for text in said.consensus]
    for item in said.disagreements:
        told = [flat(part) for part in (item.question, *(side.claim for side in item.sides)) if flat(part)]
        names = tuple(facts.long_name(name) for side in item.sides for name in side.agents)
        found.append(Claim("disagreement", facts.words("semicolon").join(told), names))
    for risk in said.risks:
        found.append(Claim("risk", flat(risk.risk), tuple(facts.long_name(name) for name in risk.raised_by)))
    one: dict[tuple[str, str], Claim] = {}
    for claim in (*found, *_proposals(facts)):
        key = claim.kind, _plain(claim.text)
        known = one.get(key, claim)
        one[key] = known._replace(agents=tuple(dict.fromkeys((*known.agents, *claim.agents))))
    return tuple(one.values())


def _proposals(facts: Facts) -> Iterator[Claim]:
    """The last proposal of each seat, of a round in which it spoke for itself."""
    for seat in facts.seats:
        texts = (_proposal(item, seat.index, facts) for item in reversed(facts.transcript.rounds))
        text = next(filter(None, texts), "")
        if text:
            yield Claim("proposal", text, (facts.long_name(seat.name),))


def _proposal(item: Round, seat: int, facts: Facts) -> str:
    entry = facts.entry_of(item, seat)
    if entry is None or entry.agent == devil(item) or entry.off_topic:
        return ""
    kind: Kind = "opening" if item.round == 1 else "debate"
    sections = read_reply(entry.response, kind=kind, language=facts.words.language, speaker=entry.agent).sections
    return flat(sections.get("refined_proposal") or sections.get("proposal") or "")


def _pairs(left: Sequence[Claim], right: Sequence[Claim], language: str) -> dict[int, int]:
    """Which claim of `right` is that of `left`, by their places: each has one partner at most.

    The same words go first, then what is most alike; of equals those of one kind, and then in order.
    """
    found = []
    for place, claim in enumerate(left):
        for match, other in enumerate(right):
            if much := likeness(claim.text, other.text, language):
                same = _plain(claim.text) == _plain(other.text)
                found.append((not same, -much, claim.kind != other.kind, place, match))
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for *_, place, match in sorted(found):
        if place not in pairs and match not in taken:
            pairs[place] = match
            taken.add(match)
    return pairs


def rows(compared: Comparison) -> list[tuple[str, str, str]]:
    """What is told of each debate, in words: a label, and the two values, in the first one's language."""
    words = compared.sides[0].words
    one, other = (_told(facts, words) for facts in compared.sides)
    return [(label, left, right) for (label, left), (_, right) in zip(one, other, strict=True)]


def _told(facts: Facts, words: Words) -> list[tuple[str, str]]:
    transcript, said = facts.transcript, facts.verdict
    cost, tokens, time = facts_of.spending(facts)
    changes = [move for move in facts.moves if move.kept is None]
    told = words("semicolon").join(change_text(move, facts) for move in changes)
    count = words.count("changes", len(changes))
    rounds = "played_only" if transcript.rounds_asked is None else "played_of_asked"
    voices = len(facts.seats) - bool(transcript.rounds and devil(transcript.rounds[-1]))
    votes = [vote_text(vote, voices, words) for vote in (said.opening_vote, said.final_vote) if vote]
    return [
        (words("outcome_label"), _came_to(facts)),
        (words("sections.action"), said.recommended_action or words("body.no_action")),
        (words("sections.sharpest"), said.sharpest or words("unknown")),
        (words("compare.votes"), " → ".join(votes) or words("unknown")),
        (words("compare.moves"), words("colon").join(filter(None, (count, told)))),
        (words("rounds"), words(rounds, played=facts.played, asked=transcript.rounds_asked)),
        (words("compare.models"), words.join(models(facts)) or words("unknown")),
        (words("spent"), cost),
        (words("tokens_label"), tokens),
        (words("time_label"), time),
    ]


def _came_to(facts: Facts) -> str:
    """The outcome in a few words, and what a judge or a vote decided beside it; in an arena that alone."""
    decided = decision.headline(facts.transcript) if decision.of(facts.transcript) else ""
    outcome = "" if decided and facts.verdict.outcome is None else facts.outcome.badge
    return facts.words("semicolon").join(filter(None, (outcome, decided)))


def models(facts: Facts) -> list[str]:
    """The seats' models, each once, in seat order."""
    return list(dict.fromkeys(model_name(seat.model) for seat in facts.seats if seat.model))


def to_json(compared: Comparison, rooms: Sequence[str]) -> dict[str, Any]:
    """The comparison for a machine; `rooms` are how the two were named."""
    return {
        "ok": True,
        "exit_code": 0,
        "same_question": compared.one_question,
        "rooms": [_room(facts, room) for facts, room in zip(compared.sides, rooms, strict=True)],
        "claims": {
            "matched_by": "shared words" if compared.one_language else None,
            "both": [
                {"first": shared.first._asdict(), "second": shared.second._asdict()} for shared in compared.both
            ],
            "only_first": [claim._asdict() for claim in compared.only[0]],
            "only_second": [claim._asdict() for claim in compared.only[1]],
        },
    }


def _room(facts: Facts, room: str) -> dict[str, Any]:
    transcript, final = facts.transcript, facts.transcript.final_output or {}
    return {
        "room": room,
        "kind": transcript.kind,
        "language": facts.words.language,
        "problem": transcript.problem,
        "status": transcript.status,
        "outcome": facts.verdict.outcome,
        "decision": final.get("decision"),
        "recommended_action": facts.verdict.recommended_action or None,
        "sharpest_disagreement": facts.verdict.sharpest or None,
        "opening_vote": final.get("opening_vote"),
        "final_vote": final.get("final_vote"),
        "rounds_played": facts.played,
        "agents": len(facts.seats),
        "effective_agents": facts.verdict.effective_agents,
        "models": models(facts),
        "moves": [
            {"agent": facts.long_name(move.who) if move.seat is None else facts.seats[move.seat].name,
             "round": move.round, "told": change_text(move, facts)}
            for move in facts.moves if move.kept is None
        ],
        "cost": transcript.cost,
        "tokens": {"input": transcript.usage.input, "output": transcript.usage.output},
    }  # fmt: skip


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
