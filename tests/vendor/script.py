"""Replies for a whole debate: the seats' in the format asked for, the moderator's verdicts, the synthesis."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from debateroom.language import LABELS, SECTIONS
from debateroom.messages import Kind
from vendor.call import Answerer, Call, Fault, Reply, Said

_NAME = re.compile(r"Agent [A-Z]{1,2}(?![A-Za-z])")
_ROUND = re.compile(r"(?:round|tour|manche)\s*(?:n[°o]\s*)?(\d+)|第\s*(\d+)\s*轮", re.IGNORECASE)
_COLON = {"en": ": ", "fr": " : ", "zh": "："}
_BODY = {
    "en": "{seat} says on {section} in round {round}: {about} should be settled by what can be undone cheaply.",
    "fr": "{seat} dit au tour {round}, sur {section} : pour {about}, choisir ce qui se défait à peu de frais.",
    "zh": "{seat}在第{round}轮谈{section}：关于{about}，应当选择容易撤回的做法。",
}
Row = tuple[float | str | None, str | None]
"""A reply's confidence and the seat it endorses; None leaves the line out."""
Verdicts = Mapping[str, Any] | Sequence[Mapping[str, Any]] | Callable[[Call], Said] | None


class Place(NamedTuple):
    """Who is asked, and in which round."""

    seat: str
    round: int


def place_of(call: Call) -> Place | None:
    """The first seat name and the first round number in the call's own block; None when either is missing."""
    name, number = _NAME.search(call.own), _ROUND.search(call.own)
    return Place(name[0], int(number[1] or number[2])) if name and number else None


def debate_script(
    table: Mapping[str, Sequence[Row]] | None = None,
    *,
    language: str | None = None,
    about: str = "queue or loop",
    moderator: Verdicts = None,
    synthesis: Verdicts = None,
    replies: Mapping[tuple[str, int], Said] | None = None,
    place: Callable[[Call], Place | None] = place_of,
) -> Answerer:
    """A reply function for a debate.

    `table` has a row per round for each seat, `{"Agent A": [(6, None), (9, "Agent B")]}`; the last row serves
    all later rounds, and a seat without rows is 7 sure and endorses itself. `replies` replaces single ones, by
    seat and round, with any text, Reply or Fault. `moderator` and `synthesis` are one dict, a list used in order
    (the last one repeated) or a function; a structured call that nobody scripted is an error of the test.
    `language` None reads the labels in the own block.
    """
    asked = {"aligned": 0, "recommended_action": 0}

    def structured(call: Call, key: str, verdicts: Verdicts) -> Said:
        if callable(verdicts):
            return verdicts(call)
        if verdicts is None:
            raise AssertionError(f"the script has no answer for a structured call with {key!r}")
        rows = [verdicts] if isinstance(verdicts, Mapping) else verdicts
        asked[key] += 1
        return rows[min(asked[key], len(rows)) - 1]

    def reply(call: Call) -> Said:
        properties = (call.schema or {}).get("properties", {})
        if "aligned" in properties:
            return structured(call, "aligned", moderator)
        if "recommended_action" in properties:
            return structured(call, "recommended_action", synthesis)
        found = place(call)
        if found is None:
            raise AssertionError(f"no seat and round in the own block: {call.own[:300]!r}")
        if replies and found in replies:
            return replies[found]
        rows = (table or {}).get(found.seat) or [(7, found.seat)]
        return seat_reply(found, rows[min(found.round, len(rows)) - 1], language or _language(call.own), about)

    return reply


def seat_reply(place: Place, row: Row, language: str, about: str) -> str:
    """A well-formed reply of one seat: every section asked for in its round, in order."""
    kind: Kind = "opening" if place.round == 1 else "debate"
    confidence, endorses = row
    lines = []
    for section in SECTIONS[kind]:
        label, body = LABELS[language][section], ""
        if section == "confidence":
            body = "" if confidence is None else f"{confidence}"
        elif section == "endorses":
            body = endorses or ""
        else:
            body = _BODY[language].format(seat=place.seat, round=place.round, section=label, about=about)
        if body:
            lines.append(f"{label}{_COLON[language]}{body}")
    return "\n\n".join(lines)


def _language(own: str) -> str:
    return "zh" if LABELS["zh"]["confidence"] in own else "fr" if LABELS["fr"]["confidence"] in own else "en"


__all__ = ["Fault", "Place", "Reply", "Row", "debate_script", "place_of", "seat_reply"]
