"""What decided a room, in words: the vote counted, or the judge's verdict with how each seat did. Decides nothing.

For the terminal and for both reports. A `chat.json` may come from anywhere: what it lacks is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from debateroom.language import number, say
from debateroom.messages import Transcript
from debateroom.report.chart import tag
from debateroom.report.seats import model_name
from debateroom.report.text import flat
from debateroom.report.words import Words
from debateroom.room.summary import undecided

OUTCOMES = ("winner", "tie", "no_verdict")
TONES = {"winner": "good", "tie": "mixed", "no_verdict": "open"}


class Standing(NamedTuple):
    """How a seat did, as a table shows it; what is not known is empty."""

    seat: str
    model: str
    score: str
    between: str
    """The interval of the score."""
    results: str
    length: str


class Judged(NamedTuple):
    """What two judgements came to, or one rating."""

    title: str
    verdict: str
    whys: list[str]


def of(transcript: Transcript) -> Mapping[str, Any]:
    """What decided the room; empty where nothing did beside the debate."""
    found = (transcript.final_output or {}).get("decision")
    return found if isinstance(found, Mapping) and found.get("outcome") in OUTCOMES else {}


def values(transcript: Transcript, words: Words) -> dict[str, Any]:
    """What the part of both reports shows that tells of a decision."""
    found, rows = of(transcript), table(transcript)
    rated = found.get("method") == "rating"
    about = [words("arena.blind_rating" if rated else "arena.blind")] if was_asked(transcript) else []
    about += habits(transcript)
    if any(row.score for row in rows):
        about.insert(0, words("arena.scores_rating" if rated else "arena.scores_pairs"))
    return {
        "headline": headline(transcript),
        "proposal": _proposal(transcript),
        "table": rows,
        "pictures": [_picture(*pair, words) for pair in zip(_rows(found.get("scores")), rows, strict=True)],
        "about": [text for text in about if text],
        "judged": judged(transcript),
    }


def _proposal(transcript: Transcript) -> str:
    """The text of the proposal that won; empty where none did, or where it is what is recommended."""
    found, final = of(transcript), transcript.final_output or {}
    text, recommended = (flat(str(value or "")) for value in (found.get("proposal"), final.get("recommended_action")))
    return "" if text == recommended else text


def was_asked(transcript: Transcript) -> bool:
    """Whether the judge said anything."""
    found = of(transcript)
    return any(row.get("judgements") for key in ("pairs", "scores") for row in _rows(found.get(key)))


def badge(transcript: Transcript) -> str:
    """The outcome in a few words: `Winner: Agent B (gpt-6.2-sol)`; empty where nothing decided."""
    found, language = of(transcript), transcript.language
    if not found:
        return ""
    label = say(language, f"verdict_{found['outcome']}")
    named = _texts(found.get("tied")) or _texts([found.get("winner") or ""])
    told = say(language, "listed").join(_name(transcript, name) for name in named if name)
    return say(language, "verdict_line", verdict=label, summary=told) if told else label.rstrip(":： \u00a0\u202f")


def headline(transcript: Transcript) -> str:
    """`Decided by vote: Agent B (Critic), with 3 of 5 votes (in round 1: 1)`; empty where nothing decided."""
    found, language = of(transcript), transcript.language
    by = found.get("by")
    if by not in ("vote", "judge"):
        return ""
    tied = say(language, "listed").join(_name(transcript, name) for name in _texts(found.get("tied")))
    told: dict[str, object] = {"winner": _name(transcript, str(found.get("winner"))), "tied": tied}
    if by == "vote":
        told |= _votes(found, language)
    else:
        judge = _mapping(found.get("judge"))
        told |= {"judge": model_name(flat(str(judge.get("model")))), "vendor": flat(str(judge.get("vendor")))}
    told["because"] = undecided(found, language) or ""
    kind = f"_{found['tie']}" if found["outcome"] == "tie" and found.get("tie") in ("cycle", "identical") else ""
    return say(language, f"decision_{by}_{found['outcome']}{kind}", **told)


def table(transcript: Transcript) -> list[Standing]:
    """How each seat did under a judge, the best first."""
    return [_standing(transcript, row) for row in _rows(of(transcript).get("scores"))]


def standings(transcript: Transcript) -> Iterator[str]:
    """The same as lines of text, then what shows a bias of the judge."""
    words = Words(transcript.language)
    for row in table(transcript):
        told = [row.score + (f" {row.between}" if row.between else ""), row.results, row.length]
        yield row.seat + words("colon") + words("semicolon").join(text for text in told if text)
    yield from habits(transcript)


def habits(transcript: Transcript) -> list[str]:
    """What shows a judge's bias: how often the order decided, and whether longer answers won."""
    found, language = of(transcript), transcript.language
    pairs, longer = _part(found.get("agreed")), _part(found.get("longer_won"))
    told = [say(language, "judge_agrees", part=pairs[0], count=pairs[1])] if pairs else []
    return told + ([say(language, "longer_won", part=longer[0], count=longer[1])] if longer else [])


def _part(value: object) -> tuple[int, int] | None:
    """How many of how many; None where that is not known, or of none."""
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(isinstance(each, int) for each in value):
        return None
    return (int(value[0]), int(value[1])) if value[1] > 0 else None


def judged(transcript: Transcript) -> list[Judged]:
    """Every pair with its verdict and both judgements; or every answer with its two ratings."""
    found = of(transcript)
    pairs = [_pair(transcript, row) for row in _rows(found.get("pairs"))]
    rated = [row for row in _rows(found.get("scores")) if row.get("judgements")]
    return pairs or [
        Judged(_name(transcript, str(row.get("agent"))), _score(row.get("score"), transcript.language),
               _whys(transcript, row)) for row in rated
    ]  # fmt: skip


def _pair(transcript: Transcript, row: Mapping[str, Any]) -> Judged:
    language = transcript.language
    title = say(language, "listed").join(_name(transcript, name) for name in _texts(row.get("agents")))
    same = row.get("because") == "identical"
    verdict = say(language, "judged_identical") if same else result(transcript, row.get("verdict"))
    return Judged(title, verdict, _whys(transcript, row))


def result(transcript: Transcript, verdict: object) -> str:
    """A verdict as people are told it: a seat's name, a tie, or that there is none."""
    language = transcript.language
    if verdict in ("tie", "no_verdict", None):
        keys = {"tie": "judged_tie", "no_verdict": "judged_none"}
        return say(language, keys.get(str(verdict), "judged_unusable"))
    return _name(transcript, str(verdict))


def _whys(transcript: Transcript, row: Mapping[str, Any]) -> list[str]:
    """Each judgement: what it says, in which order the answers were shown, and why."""
    language, told = transcript.language, []
    for each in _rows(row.get("judgements")):
        said = _score(each.get("score"), language) or result(transcript, each.get("verdict"))
        why = flat(str(each.get("why") or each.get("problem") or "")) or "—"
        names = _texts(each.get("shown"))
        shown = say(language, "judged_order", shown=" → ".join(names))
        key = "judged_why" if len(names) > 1 else "rated_why"
        told.append(say(language, key, shown=shown, verdict=said, why=why))
    return told


def _standing(transcript: Transcript, row: Mapping[str, Any]) -> Standing:
    language = transcript.language
    low, high = _score(row.get("low"), language), _score(row.get("high"), language)
    counts = {key: row[key] for key in ("won", "tied", "lost", "undecided") if isinstance(row.get(key), int)}
    size = row.get("characters")
    return Standing(
        seat=_name(transcript, str(row.get("agent"))),
        model=model_name(flat(str(row.get("model") or ""))),
        score=_score(row.get("score"), language),
        between=f"[{low}, {high}]" if low and high else "",
        results=say(language, "standing_results", **counts) if len(counts) == 4 else "",
        length=say(language, "standing_length", count=size) if isinstance(size, int) else "",
    )


def _picture(row: Mapping[str, Any], shown: Standing, words: Words) -> Markup:
    """The score on its scale, with its interval; nothing where there is none. The text beside it says the same."""
    given = [row.get(key) for key in ("score", "low", "high")]
    known = [float(value) for value in given if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(known) < 3 or not all(0 <= value <= 10 for value in known):
        return Markup("")
    most, least = (1.0, 0.0) if max(known) <= 1 else (10.0, 1.0)
    score, low, high = (4 + 112 * (value - least) / (most - least) for value in known)
    label = words("arena.interval", seat=shown.seat, score=shown.score, between=shown.between)
    drawn = tag(
        "svg",
        tag("line", x1=4, x2=116, y1=9, y2=9, class_="base"),
        tag("line", x1=low, x2=high, y1=9, y2=9, class_="between"),
        tag("circle", cx=score, cy=9, r=5),
        class_="ladder",
        viewBox="0 0 120 18",
        role="img",
        aria_label=label,
    )
    return Markup(drawn)  # noqa: S704 - built by `chart.tag`, escaped


def _votes(found: Mapping[str, Any], language: str) -> dict[str, object]:
    votes, opening = (_mapping(found.get(key)) for key in ("votes", "opening_votes"))
    counts = {str(name): len(_texts(backers)) for name, backers in votes.items()}
    most = max((count for name, count in counts.items() if name), default=0)
    at_first = len(_texts(opening.get(str(found.get("winner")))))
    return {"most": most, "all": sum(counts.values()), "opening": at_first}


def _score(value: object, language: str) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return ""
    return number(language, value, 2) if value <= 1 and not isinstance(value, int) else number(language, value, 1)


def _name(transcript: Transcript, name: str) -> str:
    role = next((seat.role for seat in transcript.agents if seat.name == name), "")
    known = {"agent": flat(name), "role": flat(role)}
    return say(transcript.language, "seat_name", **known) if role else flat(name)


def _rows(value: object) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: object) -> list[str]:
    return [flat(str(item)) for item in value] if isinstance(value, list | tuple) else []
