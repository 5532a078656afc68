"""Holds what a model says about the debate to what was said: unknown seats and invented quotes are dropped.

Models invent names and quotes. A claim about a seat must name a seat of this room, and a quoted phrase must stand
in a reply of the seat it is given to (of any seat, where none is named). What is dropped is counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from debateroom.messages import Transcript
from debateroom.reading.naming import names_of

_QUOTE = re.compile(
    r"“(.+?)”|«\s*(.+?)\s*»|「(.+?)」|『(.+?)』|„(.+?)[“”]|‘(.+?)’(?!\w)|\"(.+?)\"|`+(.+?)`+"
    r"|(?<!\w)'(?=\S)([^'\n]{2,}?)(?<=\S)'(?!\w)|^[ \t]*>[ \t]?(.+?)$",
    re.DOTALL | re.MULTILINE,
)
"""Every way to quote: the marks of our languages and their neighbours, code marks, and a quoted line."""
_LETTERS = r"[A-Z]{1,3}\d*(?![A-Za-z0-9])"
_MENTION = re.compile(
    rf"(?i:\bagents?|智能体|参与者|代理)\s*({_LETTERS}(?:\s*(?:[,，、&/]|(?i:\b(?:and|or|et|ou)\b)|[和与或])+\s*{_LETTERS})*)"
)
"""`Agent A`, `Agents A, B and C`, in any case; the letters are what is checked."""
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?]+[”»\"')\]]*(?=\s|$)|[。！？]+[”」』]*|\n|$|[.!?])")
_MARKS = str.maketrans("", "", "*_`“”\"«»「」『』‘’'„")
_MASK = "\ue000"


class Grounded(NamedTuple):
    """Claims that stand on the transcript, and how many did not."""

    claims: dict[str, Any]
    unsupported: int


def held_to_transcript(claims: Mapping[str, Any], transcript: Transcript) -> Grounded:
    """`claims` (the fields of `Synthesis`) without what nobody said; the number of claims that were dropped."""
    check = _Check(transcript)
    held: dict[str, Any] = {
        "summary": check.text(claims["summary"]),
        "consensus": check.items(claims["consensus"]),
        "disagreements": check.disagreements(claims["disagreements"]),
        "recommended_action": check.text(claims["recommended_action"]),
        "sharpest_disagreement": check.text(claims["sharpest_disagreement"]),
        "unresolved_risks": check.risks(claims["unresolved_risks"]),
        "mind_changes": check.changes(claims["mind_changes"]),
        "highlights": check.items(claims["highlights"]),
        "opening_positions": check.positions(claims["opening_positions"]),
    }
    return Grounded(held, check.dropped)


def premise(text: str, transcript: Transcript) -> Grounded:
    """The premise the moderator says all share, as `{"shared_premise": …}`, held to the same rules."""
    check = _Check(transcript)
    return Grounded({"shared_premise": check.text(text) or None}, check.dropped)


def _role_names(transcript: Transcript) -> dict[str, str]:
    """Roles by which a seat may be called: those that only one seat has, of two letters or more."""
    roles = [seat.role.strip() for seat in transcript.agents]
    return {
        seat.role.strip(): seat.name
        for seat in transcript.agents
        if roles.count(seat.role.strip()) == 1 and len(seat.role.strip()) >= 2
    }


def flat(text: str) -> str:
    """`text` as quotes are compared: one case, one kind of space, no quote or emphasis marks."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_MARKS).casefold().split())


class Mention(NamedTuple):
    """Where a text names seats, and which: `Agents A and B` names two at one place."""

    at: int
    names: frozenset[str]


def mentions(text: str) -> list[Mention]:
    """Every place at which `text` names seats by `Agent X`, whether there is such a seat or not."""
    found = []
    for match in _MENTION.finditer(text):
        letters = set(re.findall(r"[A-Z]{1,3}\d*", match[1]))
        if match[0][0].islower() and letters == {"I"}:  # "as an agent I would …"
            continue
        found.append(Mention(match.start(), frozenset(f"Agent {each}" for each in letters)))
    return found


def sentences(text: str) -> list[str]:
    """`text` in pieces that end where a sentence does; a quotation is never cut."""
    masked = _QUOTE.sub(lambda match: _hidden(match[0]), text)
    return [text[match.start() : match.end()] for match in _SENTENCE.finditer(masked) if match.group()]


def _hidden(quote: str) -> str:
    """A quotation with nothing in it that ends a sentence, but for a full stop before its closing mark."""
    body = quote[1:-1]
    stop = body[-1:] if body[-1:] in ".!?。！？" else ""
    return quote[0] + _MASK * (len(body) - len(stop)) + stop + quote[-1]


class _Check:
    """Counts what it drops."""

    def __init__(self, transcript: Transcript) -> None:
        self.names = tuple(seat.name for seat in transcript.agents)
        self._named = names_of(tuple((seat.name, seat.role) for seat in transcript.agents))
        self.dropped = 0
        self._said = {
            name: flat("\n".join(e.response for item in transcript.rounds for e in item.entries if e.agent == name))
            for name in self.names
        }
        self._rounds_spoken = {
            name: [
                item.round
                for item in transcript.rounds
                if item.devil != name and any(e.agent == name for e in item.entries)
            ]
            for name in self.names
        }
        self._given = flat(f"{transcript.problem}\n{transcript.context}")
        self._roles = _role_names(transcript)

    def stands(self, text: str, seats: Iterable[str] = ()) -> bool:
        """Whether every seat that `text` names is one of this room, and every quote stands where it is said to.

        A quote is the nearest seat's named before it, by name or role; without one, of those named after it, of
        `seats`, or of anybody, the question and its context included.
        """
        named = mentions(text)
        if not all(mention.names <= set(self.names) for mention in named):
            return False
        named = sorted([*named, *self._by_role(text)])
        return all(
            self._was_said(match[match.lastindex or 0], self._speakers(match.start(), named, seats))
            for match in _QUOTE.finditer(text)
        )

    def _by_role(self, text: str) -> list[Mention]:
        return [
            Mention(match.start(), frozenset([name]))
            for role, name in self._roles.items()
            for match in re.finditer(rf"(?<!\w){re.escape(role)}(?!\w)", text, re.IGNORECASE)
        ]

    def _speakers(self, at: int, named: Sequence[Mention], seats: Iterable[str]) -> set[str]:
        before = [mention for mention in named if mention.at < at]
        if before:
            return set(before[-1].names)
        after = {name for mention in named for name in mention.names}
        return after or set(seats) & set(self.names)

    def _was_said(self, quote: str, speakers: set[str]) -> bool:
        sources = [self._said[name] for name in speakers] or [*self._said.values(), self._given]
        return any(flat(quote).strip(" .,;:…!?。，！？") in source for source in sources)

    def text(self, text: str) -> str:
        """`text` without the sentences that do not stand."""
        kept = [piece for piece in sentences(text) if not piece.strip() or self._keep(self.stands(piece))]
        return "".join(kept).strip()

    def items(self, texts: Sequence[str]) -> list[str]:
        return [text.strip() for text in texts if text.strip() and self._keep(self.stands(text))]

    def seats(self, names: Sequence[str]) -> list[str]:
        """The seats of this room among `names`, in seat order. Unknown ones are counted, unless none is known:
        then the whole claim falls, and is counted where it falls."""
        found, unknown = self._named.among(names)
        self.dropped += len(unknown) if found else 0
        return found

    def disagreements(self, values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        kept = []
        for value in values:
            sides = [
                {"agents": self.seats(side["agents"]), "claim": side["claim"].strip()} for side in value["sides"]
            ]
            sides = [side for side in sides if self._keep(self._claimed(side["claim"], side["agents"]))]
            if sides and self._keep(self.stands(value["question"])):
                kept.append({"question": value["question"].strip(), "sides": sides})
        return kept

    def risks(self, values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        kept = []
        for value in values:
            raised_by = self.seats(value["raised_by"])
            if self._keep(self._claimed(value["risk"], raised_by)):
                kept.append({"risk": value["risk"].strip(), "raised_by": raised_by})
        return kept

    def _claimed(self, text: str, seats: Sequence[str]) -> bool:
        """Whether a seat of this room stands behind `text`, and `text` stands."""
        return bool(seats) and self.stands(text, seats)

    def positions(self, values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Who opened alike, by the seats' own names; it only counts votes, so its words are not looked at."""
        held = [{**value, "agents": self.seats(value["agents"])} for value in values]
        return [value for value in held if self._keep(bool(value["agents"]))]

    def changes(self, values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Changes of mind of seats that spoke for themselves before and in the round named."""
        kept = []
        for value in values:
            agent = self._named.find(value["agent"]) or ""
            rounds = self._rounds_spoken.get(agent, [])
            spoke = value["round"] in rounds[1:]
            # what it held before and after is the model's wording; a quoted cause may come from any seat
            stood = all(self.stands(value[key], [agent]) for key in ("from", "to")) and self.stands(value["because"])
            if self._keep(spoke and stood):
                kept.append({**value, "agent": agent})
        return kept

    def _keep(self, stands: bool) -> bool:
        self.dropped += not stands
        return stands
