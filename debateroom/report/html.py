"""`chatroom_report.html`: one file that needs nothing else, with the verdict first and what was said at the end.

Its only script and its only style are named by their hashes in the page's content security policy; nothing else
can run or be fetched, whatever a model wrote.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote as percent

from markupsafe import Markup

from debateroom import templates
from debateroom.messages import Transcript
from debateroom.report import arena, baseline, cards, chart, decision, evaluation, prose, talk, trust
from debateroom.report import facts as facts_of
from debateroom.report.facts import Facts
from debateroom.report.phrases import change_parts
from debateroom.report.positions import Move
from debateroom.report.seats import model_name
from debateroom.report.text import columns, flat, sentence_start, shorten
from debateroom.room.played import DEBATES, EVALUATION

_TITLE = 150
"""Columns of the question that the headline has room for; the whole stands folded below it."""
_CLAMPED = 40
"""Columns from which the style sheet may clamp a seat's name on its card: the whole is then in the title."""


class Chip(NamedTuple):
    """One short text with a class."""

    text: str
    kind: str = ""


class Change(NamedTuple):
    """A change of mind."""

    who: str
    what: str
    cause: str
    anchor: str
    """The card of the reply in which it happened; empty when not known."""


class ShownSeat(NamedTuple):
    """A seat's card beside the pictures."""

    colour: int
    mark: str
    name: str
    title: str
    """The name, where it may be clamped; else empty."""
    about: list[str]
    final: str
    spark: Markup


def render(transcript: Transcript, *, chat_path: PurePath | str | None = "chat.json") -> str:
    """The report as one HTML page. `chat_path` is the transcript's path, linked by its name; None links nothing."""
    if transcript.kind == EVALUATION:
        return _evaluation(transcript, chat_path)
    if transcript.kind in talk.KINDS:
        return _talk(transcript, chat_path)
    if transcript.kind == arena.KIND:
        return _arena(transcript, chat_path)
    facts = facts_of.of(transcript)
    style, script = asset("report.css"), asset("report.js")
    cost, tokens, time = facts_of.spending(facts)
    templates.add_filters(sentence_start=sentence_start, block=prose.block, inline=prose.inline)
    tokens = tokens if tokens != facts.words("tokens_unknown") else facts.words("footer.no_tokens")
    return (
        templates.render(
            "reports/chatroom_report.html.j2",
            w=facts.words,
            facts=facts,
            verdict=facts.verdict,
            decided=decision.values(facts.transcript, facts.words),
            style=Markup(style),  # noqa: S704 — our own file
            script=Markup(script),  # noqa: S704 — our own file
            policy=_policy(style, script),
            unjudged=facts.extracted and bool(facts.verdict.risks),
            title=shorten(facts.transcript.problem, _TITLE) or "—",
            whole_problem=facts.transcript.problem if len(flat(facts.transcript.problem)) > _TITLE else "",
            kicker=_kicker(facts),
            dead=[trust.dead_text(dead, facts.seats, facts.words) for dead in facts.dead if not dead.returned],
            concluded=facts.transcript.final_output is not None,
            pictures=bool(facts.rows and facts.rows[0]) and facts.transcript.kind in DEBATES,
            movement=_movement(facts),
            moved=any(position.moved for row in facts.rows for position in row),
            seats=_seats(facts),
            table=_table(facts),
            changes=[_change(facts, move) for move in facts.moves],
            names=lambda names: facts.words.join([facts.name(name) for name in names]),
            baseline=baseline.of(facts),
            rounds=cards.rounds(facts),
            footer=_footer(facts, cost, tokens, time),
            chat_href=percent(PurePath(chat_path).name) if chat_path is not None else "",
            chat_name=PurePath(chat_path).name if chat_path is not None else "",
        )
        + "\n"
    )


def _talk(transcript: Transcript, chat_path: PurePath | str | None) -> str:
    """The page of a dialogue."""
    templates.add_filters(block=prose.block)
    shown = talk.values(transcript)
    facts = shown["facts"]
    kicker = [each for each in (facts.words(f"talk.kicker_{shown['kind']}"), shown["turns"]) if each]
    return _page("dialogue_report", shown, chat_path, kicker=kicker, rounds=cards.rounds(facts))


def _arena(transcript: Transcript, chat_path: PurePath | str | None) -> str:
    """The page of an arena."""
    templates.add_filters(block=prose.block)
    shown = arena.values(transcript)
    facts: Facts = shown["facts"]
    kicker = [facts.words("arena.kicker"), *_kicker(facts)[1:]]
    dead = [trust.dead_text(dead, facts.seats, facts.words) for dead in facts.dead if not dead.returned]
    more = {"kicker": kicker, "dead": dead, "movement": _movement(facts), "rounds": cards.rounds(facts)}
    return _page("arena_report", shown, chat_path, **more)


def _evaluation(transcript: Transcript, chat_path: PurePath | str | None) -> str:
    """The page of an evaluation."""
    return _page("eval_report", evaluation.values(transcript), chat_path)


def _page(name: str, shown: Mapping[str, Any], chat_path: PurePath | str | None, **more: Any) -> str:
    """The page that template `name` makes of what a report shows."""
    style, script = asset("report.css"), asset("report.js")
    href, chat = talk.link(chat_path)
    page = templates.render(
        f"reports/{name}.html.j2",
        **shown,
        **more,
        style=Markup(style),  # noqa: S704 — our own file
        script=Markup(script),  # noqa: S704 — our own file
        policy=_policy(style, script),
        footer=_footer(shown["facts"], shown["cost"], shown["tokens"], shown["time"]),
        chat_href=href,
        chat_name=chat,
    )
    return page + "\n"


def policy() -> str:
    """The content security policy of every page that `render` makes: its one style, its one script, nothing else."""
    return _policy(asset("report.css"), asset("report.js"))


def _policy(style: str, script: str) -> str:
    """Only this style and this script; nothing is fetched."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'"
    )


def asset(name: str) -> str:
    """The text of one of our own files for pages."""
    return (templates.folder() / "reports" / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    """The name by which a content security policy allows exactly this script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _kicker(facts: Facts) -> list[str]:
    words, asked = facts.words, facts.transcript.rounds_asked
    rounds = words.count("rounds", facts.played)
    if asked is not None:
        rounds = words.rounds(facts.played, asked)
    return [words("kicker"), words.count("agents", len(facts.seats)), rounds]


def _movement(facts: Facts) -> list[Markup] | str:
    """The picture in each size, or the sentence that says why there is none."""
    later = [position for row in facts.rows for position in row[1:]]
    if later and not any(position.proposal is not None for position in later):
        return facts.words("chart.unknown")
    moved = any(position.state == "signs" for row in facts.rows for position in row)
    if not later and not moved:
        return facts.words("chart.one_round")
    return [Markup(chart.movement(facts, size)) for size in chart.SIZES]  # noqa: S704 — built by `chart.tag`, escaped


def _seats(facts: Facts) -> list[ShownSeat]:
    numbers = [round_.round for round_ in facts.transcript.rounds]
    several = len({seat.model for seat in facts.seats}) > 1
    found = []
    for seat, row, final in zip(facts.seats, facts.rows, facts.finals, strict=True):
        final_ = "—" if final.confidence is None else facts.words.of_ten(final.confidence).split("/")[0]
        about = [model_name(seat.model).partition(":")[2] or seat.model] if several and seat.model else []
        if final.round is not None:
            about.append(facts.words("body.last_heard", round=final.round))
        stated = any(position.confidence is not None for seat_row in facts.rows for position in seat_row)
        spark = Markup(chart.confidence(row, seat, numbers, facts.words)) if stated else Markup("")  # noqa: S704 — as above
        title = (seat.role or seat.name) if columns(seat.short) > _CLAMPED else ""
        found.append(ShownSeat(seat.index % chart.COLOURS, seat.mark, seat.short, title, about, final_, spark))
    return found


def _table(facts: Facts) -> list[tuple[str, str, list[Chip]]]:
    """The pictures in words: mark, name, and one cell a round."""
    words, rows = facts.words, []
    for seat, row in zip(facts.seats, facts.rows, strict=True):
        cells = []
        for position in row:
            if position.proposal is None:
                text = words(f"chart.{position.state}_lane")
            elif position.proposal == seat.index:
                text = words("body.own_plan")
            else:
                text = words("body.proposal_of", seat=facts.seats[position.proposal].short)
            cells.append(Chip(f"{text} · {words.of_ten(position.confidence)}", "moved" if position.moved else ""))
        rows.append((seat.mark, seat.short, cells))
    return rows


def _change(facts: Facts, move: Move) -> Change:
    anchor = ""
    for round_ in facts.transcript.rounds:
        if move.seat is not None and round_.round == move.round and (entry := facts.entry_of(round_, move.seat)):
            anchor = cards.anchor(round_, entry)
    who, what = change_parts(move, facts)
    return Change(who, what, move.because or facts.words("body.change_uncaused"), anchor)


def _footer(facts: Facts, cost: str, tokens: str, time: str) -> list[str]:
    words, transcript = facts.words, facts.transcript
    replies = sum(len(round_.entries) for round_ in transcript.rounds)
    parts = [words.count("replies", replies), tokens]
    parts.append(words("footer.cost_unknown") if transcript.cost is None else cost)
    parts.append(words("footer.time_unknown") if transcript.seconds is None else time)
    if transcript.version:
        parts.append(words("footer.made", version=transcript.version))
    return parts
