"""What a room has shown of each model, by which estimates are corrected: tokens, lengths of replies, cache hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from debateroom import tokens
from debateroom.debating import lookup_cost, prompts
from debateroom.debating.expected import REPLY
from debateroom.debating.plan import Plan
from debateroom.messages import Entry, Transcript, Usage

_QUOTED = 450
"""Tokens of a reply's text, which is all of it that the others read, before any was measured."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one model's replies in this room have shown; before the first, what is usual."""

    factor: float = 1.0
    """Real tokens of input for each that was estimated."""
    reply: float = REPLY
    """Tokens of one reply, thinking included."""
    quoted: float = _QUOTED
    """Tokens of one reply's text, as estimated."""
    cached: float | None = None
    """Share of what it was sent in the last round that came from a cache; None when it was not asked in it."""


def measured(plan: Plan, transcript: Transcript) -> Mapping[str, Measured]:
    """The calibration of every model of the plan, from the replies that are there.

    A model that has not answered yet is taken to be like those that have.
    """
    models = {seat.name: seat.model for seat in plan.seats}
    given = shared_tokens(plan, transcript)
    own = OwnTokens(plan)
    found: dict[str, list[tuple[float, Entry]]] = {}
    for item, shared in zip(transcript.rounds, given, strict=False):
        for entry in item.entries:
            # the usage of a reply that was asked for again is that of all its calls
            if entry.usage.input and entry.history == "full" and entry.calls == 1 and entry.agent in models:
                ratio = entry.usage.input / (
                    shared + own.tokens(entry.agent, item.round, devil=entry.agent == item.devil)
                )
                found.setdefault(models[entry.agent], []).append((ratio, entry))
    known = {model: _averaged(ratios) for model, ratios in found.items()}
    others = _alike(list(known.values()))
    shares = _shares(models, transcript)
    names = {*models.values(), plan.moderator, *([plan.judging.model] if plan.judging else ())}
    return {model: replace(known.get(model, others), cached=shares.get(model)) for model in names}


def _averaged(seen: Sequence[tuple[float, Entry]]) -> Measured:
    """The median leaves out the odd call that was counted otherwise."""
    return Measured(
        factor=median(ratio for ratio, _ in seen),
        reply=fmean(entry.usage.output for _, entry in seen),
        quoted=fmean(tokens.estimate(entry.response) for _, entry in seen),
    )


def _alike(known: Sequence[Measured]) -> Measured:
    if not known:
        return Measured()
    return Measured(*(fmean(getattr(item, name) for item in known) for name in ("factor", "reply", "quoted")))


def _shares(models: Mapping[str, str], transcript: Transcript) -> Mapping[str, float]:
    """Of what each model was sent in the last round, the share that came from a cache; `models` by seat."""
    found: dict[str, Usage] = {}
    for entry in transcript.rounds[-1].entries if transcript.rounds else ():
        if entry.agent in models:
            model = models[entry.agent]
            found[model] = found.get(model, Usage()) + entry.usage
    return {model: used.cached / used.input for model, used in found.items() if used.input}


def shared_tokens(plan: Plan, transcript: Transcript) -> list[float]:
    """Estimated tokens of what every seat read in each played round, and, last, of what it reads in the next one."""
    sizes = [tokens.estimate(block) for block in prompts.shared_blocks(plan, transcript.rounds)]
    sizes[0] += lookup_cost.SPECS if plan.tools else 0
    return [float(sum(sizes[: number + 1])) for number in range(len(sizes))]


class OwnTokens:
    """Estimated tokens of each seat's own block. Only the first round's and a devil's differ from the others'."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._seats = {seat.name: seat for seat in plan.seats}
        self._known: dict[tuple[str, str, bool], int] = {}

    def tokens(self, agent: str, number: int, *, devil: bool = False) -> int:
        """Those of a seat in a round; as its `devil`, those of an attack on the first seat's proposal."""
        key = (agent, prompts.kind_of(number), devil)
        if key not in self._known:
            attacks = self._plan.seats[0] if devil else None
            asked = prompts.seat_request(self._plan, (), self._seats[agent], number, attacks=attacks)
            self._known[key] = tokens.estimate(asked.own)
        return self._known[key]
