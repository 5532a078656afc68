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

_QUOTES = re.compile('“([^”]+)”|«\\s*([^»]+?)\\s*»|「([^」]+)」|『([^』]+)』|"([^"\n]+)"')
_MENTION = re.compile(r"\bAgent\s+([A-Z]{1,2})\b")
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?]+[”»\"')\]]*(?=\s|$)|[。！？]+[”」』]*|\n|$|[.!?])")
_MARKS = str.maketrans("", "", "*_`“”\"«»「」『』‘’'")


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
        "opening_positions": claims["opening_positions"],
    }
    return Grounded(held, check.dropped)


def flat(text: str) -> str:
    """`text` as quotes are compared: one case, one kind of space, no quote or emphasis marks."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_MARKS).casefold().split())


def mentioned(text: str) -> set[str]:
    """Every `Agent X` that `text` names."""
    return {f"Agent {letters}" for letters in _MENTION.findall(text)}


class _Check:
    """Counts what it drops."""

    def __init__(self, transcript: Transcript) -> None:
        self.names = tuple(seat.name for seat in transcript.agents)
        self.dropped = 0
        self._said = {
            name: flat("\n".join(e.response for item in transcript.rounds for e in item.entries if e.agent == name))
            for name in self.names
        }
        self._rounds_spoken = {
            name: [item.round for item in transcript.rounds if any(e.agent == name for e in item.entries)]
            for name in self.names
        }
        self._given = flat(f"{transcript.problem}\n{transcript.context}")

    def stands(self, text: str, seats: Iterable[str] = ()) -> bool:
        """Whether every name in `text` is a seat and every quote stands in what `seats`, or those it names, said."""
        named = mentioned(text)
        if not named <= set(self.names):
            return False
        whose = (set(seats) | named) & set(self.names)
        sources = [self._said[name] for name in whose] if whose else [*self._said.values(), self._given]
        quotes = ["".join(groups) for groups in _QUOTES.findall(text)]
        return all(any(flat(quote).rstrip(" .,;…") in source for source in sources) for quote in quotes)

    def text(self, text: str) -> str:
        """`text` without the sentences that do not stand."""
        pieces = [match.group() for match in _SENTENCE.finditer(text) if match.group()]
        kept = [piece for piece in pieces if self._keep(self.stands(piece))]
        return "".join(kept).strip()

    def items(self, texts: Sequence[str]) -> list[str]:
        return [text.strip() for text in texts if text.strip() and self._keep(self.stands(text))]

    def seats(self, names: Sequence[str]) -> list[str]:
        """The seats of this room among `names`, in seat order. Unknown ones are counted, unless none is known:
        then the whole claim falls, and is counted where it falls."""
        given = {name.strip().casefold() for name in names}
        found = [name for name in self.names if name.casefold() in given]
        self.dropped += len(given) - len(found) if found else 0
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

    def changes(self, values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Changes of mind of seats that spoke before and in the round named."""
        kept = []
        for value in values:
            agent = value["agent"].strip()
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
