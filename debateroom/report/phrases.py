"""Sentences that both reports say: a change of mind, what is special about a reply or a round."""

from __future__ import annotations

from debateroom.messages import Entry, Round
from debateroom.report import talk
from debateroom.report.facts import Facts
from debateroom.report.positions import Move
from debateroom.report.text import flat, shorten
from debateroom.report.verdict import items, prose
from debateroom.report.words import Words

_PLACES = 8
"""Citations of one reply that are named when they do not exist; the others are counted."""
_PLACE = 120
"""Columns that one has."""


def change_text(move: Move, facts: Facts) -> str:
    """`Critic, round 2: own proposal → Architect’s proposal, because …`."""
    who, what = change_parts(move, facts)
    words = facts.words
    cause = (
        words("body.change_because", because=flat(move.because)) if move.because else words("body.change_uncaused")
    )
    return who + words("colon") + what + words("comma") + cause


def change_parts(move: Move, facts: Facts) -> tuple[str, str]:
    """Who changed its mind and in which round; from what to what."""
    words = facts.words
    who = facts.seats[move.seat].short if move.seat is not None else facts.name(move.who)
    if move.round is not None:
        who = words("body.seat_round", seat=who, round=move.round)
    before, after = (_held(text, move.seat, facts) for text in (move.before, move.after))
    if move.kept is not None:
        return who, _kept(move, before, after, facts)
    if move.seen and not after:
        start, end = move.seen
        before = before or proposal_of(start, move.seat, facts)
        after = proposal_of(end, move.seat, facts)
    return who, words("body.change" if before else "body.change_to", before=before, after=after or words("unknown"))


def _kept(move: Move, before: str, after: str, facts: Facts) -> str:
    """A told change of a seat that stood by one proposal before and after: what changed, and that it stayed."""
    words = facts.words
    if move.kept == move.seat:
        stayed = words("body.reworked")
    else:
        stayed = words("body.kept", proposal=proposal_of(move.kept, move.seat, facts))
    if facts.find.exactly(move.after) is not None or not after:
        return stayed
    if facts.find.exactly(move.before) is not None:
        before = ""
    told = words("body.change", before=before, after=after) if before else after
    return stayed + words("colon") + told


def _held(text: str, seat: int | None, facts: Facts) -> str:
    """What a seat held: the proposal of the seat that `text` names, or the text itself."""
    proposal = facts.find(text) if flat(text) in {other.name for other in facts.seats} else None
    return flat(text) if proposal is None else proposal_of(proposal, seat, facts)


def proposal_of(proposal: int | None, seat: int | None, facts: Facts) -> str:
    """`own proposal` or `Architect’s proposal`; empty for None."""
    if proposal is None:
        return ""
    if proposal == seat:
        return facts.words("body.own_plan")
    return facts.words("body.proposal_of", seat=facts.seats[proposal].short)


def reply_marks(entry: Entry, round_: Round, facts: Facts) -> list[str]:
    """What a reader must know about a reply besides its text, each in a few words."""
    words, marks = facts.words, []
    if entry.agent == round_.devil:
        marks.append(words("body.devil", seat=facts.name(round_.attacks or "")))
    elif entry.endorses and (proposal := facts.find(entry.endorses)) is not None:
        own = proposal == facts.find(entry.agent)
        key = "body.would_sign_own" if own else "body.would_sign"
        marks.append(words(key, seat=facts.seats[proposal].short))
    if entry.off_topic:
        marks.append(words("body.off_topic"))
    if entry.repaired:
        marks.append(words("body.repaired"))
    if entry.finish in ("length", "refusal"):
        marks.append(words("body.cut" if entry.finish == "length" else "body.refused"))
    if entry.history == "last_round":
        marks.append(words("body.last_round"))
    if mark := talk.tools_mark(entry, words):
        marks.append(mark)
    if missing := [shorten(citation.text, _PLACE) for citation in entry.citations if not citation.exists]:
        more = [f"+{len(missing) - _PLACES}"] if len(missing) > _PLACES else []
        marks.append(words("body.cited_missing", places=words.join([*missing[:_PLACES], *more])))
    return marks


def finding(round_: Round, facts: Facts) -> str:
    """What the moderator found about a round: why, who held out, what is open. Empty without a moderator."""
    said = round_.moderation or {}
    parts = [flat(prose(said.get("why")))]
    holdouts = [facts.name(name) for name in items(said.get("holdouts"))]
    if holdouts:
        parts.append(facts.words("body.holdouts", seats=facts.words.join(holdouts)))
    blockers = [flat(text) for text in items(said.get("open_blockers"))]
    if blockers:
        parts.append(facts.words("body.blockers", texts=facts.words.join(blockers)))
    told = facts.words("semicolon").join(part.removesuffix(".").removesuffix("。") for part in parts if part)
    return facts.words("body.moderator", finding=told) if told else ""


def round_title(round_: Round, words: Words) -> str:
    """`Round 2 · 4 replies`."""
    return f"{words('body.round', round=round_.round)} · {words.count('replies', len(round_.entries))}"
