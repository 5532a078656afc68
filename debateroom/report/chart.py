"""The report's pictures as inline SVG: how positions moved, how sure each seat was. Colour is never the only sign.

Colours come from the style sheet through classes (`s0` … `s7`), so that both themes and paper have their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil

from debateroom.report.facts import Facts
from debateroom.report.lanes import Lane, Place, arrange, text_width
from debateroom.report.positions import SILENT, Position
from debateroom.report.seats import ShownSeat
from debateroom.report.words import Words

COLOURS = 8
"""How many seat colours the style sheet has; later seats repeat them with a dashed line."""
GATE = 8.0
"""The confidence that an early stop needs."""


@dataclass(frozen=True, slots=True)
class Size:
    """Measures of one rendering, in units that are about a CSS pixel."""

    name: str
    width: int
    gutter: int
    """Room for the lanes' names at the left."""
    font: int = 14


SIZES = (Size("narrow", 300, 116), Size("middle", 470, 144), Size("wide", 780, 172, font=15))
"""For phones, for tablets and paper, and for wide windows; the style sheet shows one of them."""

_FOOT = 30
_LETTER = 12.5


def tag(name: str, *children: str, **attributes: object) -> str:
    """An element; `class_` and `stroke_width` become `class` and `stroke-width`. Children are markup already."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{pairs}>{''.join(children)}</{name}>"


def movement(facts: Facts, size: Size) -> str:
    """The picture of whose proposal each seat stood behind: a lane a proposal, a line a seat, a column a round."""
    rounds = [round_.round for round_ in facts.transcript.rounds]
    big = _big_markers(size, len(rounds), len(facts.seats))
    lanes = arrange(facts, step=25 if big else 16, font=size.font, columns=_label_columns(size))
    right = 8 if big else 24
    radius = 10.5 if big else min(5.0, max(3.4, (size.width - size.gutter) / max(len(rounds), 1) * 0.28))
    xs = _columns(size.gutter + radius + 10, size.width - right - radius - 8, len(rounds))
    height = lanes.height + _FOOT
    ids = f"mv-{size.name}"
    parts = [
        tag("title", escape(facts.words("sections.movement")), id=f"{ids}-t"),
        tag("desc", escape(facts.words("chart.desc")), id=f"{ids}-d"),
        *(_lane(lane, size) for lane in lanes.lanes),
        *_round_labels(rounds, xs, size.width, height, facts.words),
        *(_line(seat, places, xs, known=False) for seat, places in zip(facts.seats, lanes.places, strict=True)),
        *(_line(seat, places, xs, known=True) for seat, places in zip(facts.seats, lanes.places, strict=True)),
    ]
    for seat, places, row in zip(facts.seats, lanes.places, facts.rows, strict=True):
        for x, place, position, number in zip(xs, places, row, rounds, strict=True):
            told = _told(seat, position, number, facts)
            parts.append(_marker(seat, x, place.y, position, told, radius=radius, letter=big))
        if not big and places:
            end = tag("text", escape(seat.mark), x=xs[-1] + radius + 5, y=places[-1].y + 4.5, class_="mark")
            parts.append(end)
    return tag(
        "svg",
        *parts,
        class_=f"movement {size.name}{'' if big else ' crowded'}",
        viewBox=f"0 0 {size.width} {_value(height)}",
        role="img",
        aria_labelledby=f"{ids}-t {ids}-d",
    )


def confidence(row: Sequence[Position], seat: ShownSeat, rounds: Sequence[int], words: Words) -> str:
    """One seat's confidence as a bar a round, filled where it reaches the gate; a round without one has a mark."""
    width, top, bottom, foot = 150, 4.0, 44.0, 59.0
    xs = _columns(14, width - 14, len(row))
    gap = xs[1] - xs[0] if len(xs) > 1 else width
    bar = min(22.0, gap * 0.62)
    gate = bottom - GATE / 10 * (bottom - top)
    labelled = gap >= 17
    low = labelled or any(position.confidence is None for position in row)
    parts = []
    for x, position in zip(xs, row, strict=True):
        sure = position.confidence
        if sure is not None:
            height = sure / 10 * (bottom - top)
            reached = "bar reached" if sure >= GATE else "bar"
            parts.append(
                tag("rect", x=x - bar / 2, y=bottom - height, width=bar, height=height - 1, rx=2.5, class_=reached)
            )
        text = words.of_ten(sure).split("/")[0] if sure is not None else "?" if position.state not in SILENT else "×"
        if labelled or sure is None:
            parts.append(tag("text", escape(text), x=x, y=foot, text_anchor="middle", class_="value"))
    told = words.join(
        [
            words("chart.sure_at", round=number, confidence=words.of_ten(position.confidence))
            for number, position in zip(rounds, row, strict=True)
        ]
    )
    return tag(
        "svg",
        tag("line", x1=1, x2=width - 1, y1=gate, y2=gate, class_="gate"),
        *parts,
        tag("line", x1=1, x2=width - 1, y1=bottom, y2=bottom, class_="base"),
        class_=f"spark {_colour(seat)}",
        viewBox=f"0 0 {width} {63 if low else 48}",
        role="img",
        aria_label=words("chart.sure", seat=seat.short, values=told),
    )


def _told(seat: ShownSeat, position: Position, number: int, facts: Facts) -> str:
    """The sentence that a marker stands for."""
    words = facts.words
    stays = position.state == "signs" and position.proposal == seat.index
    key = "stays" if stays else str(position.state)
    other = facts.seats[position.proposal].short if position.proposal is not None else ""
    text = words(f"chart.{key}", seat=seat.short, round=number, other=other)
    return words("brackets", before=text, text=words("chart.changed")) if position.moved else text


def _big_markers(size: Size, rounds: int, seats: int) -> bool:
    """Whether there is room for a letter in every marker."""
    room = (size.width - size.gutter - 46) / max(rounds - 1, 1)
    return room >= 32 and seats <= 8


def _label_columns(size: Size) -> int:
    return int((size.gutter - 6) / (size.font * 0.6))


def _columns(left: float, right: float, n: int) -> list[float]:
    if n == 1:
        return [(left + right) / 2]
    return [left + (right - left) * position / (n - 1) for position in range(n)]


def _lane(lane: Lane, size: Size) -> str:
    texts = [
        tag(
            "text",
            _lane_name(text, marked=lane.proposal is not None and number == 0),
            x=0,
            y=lane.label_y + (number - (len(lane.label) - 1) / 2) * (size.font + 2) + size.font * 0.36,
            class_="lane-label" if lane.proposal is not None else "lane-label soft",
        )
        for number, text in enumerate(lane.label)
    ]
    band = tag(
        "rect",
        x=size.gutter,
        y=lane.top,
        width=size.width - size.gutter,
        height=lane.height,
        rx=8,
        class_="lane" if lane.proposal is not None else "lane none",
    )
    return band + "".join(texts)


def _lane_name(text: str, *, marked: bool) -> str:
    """The label's text; its first word is the seat's mark where `marked`."""
    mark, space, rest = text.partition(" ")
    return tag("tspan", escape(mark), class_="mark") + space + escape(rest) if marked else escape(text)


def _round_labels(
    rounds: Sequence[int], xs: Sequence[float], width: float, height: float, words: Words
) -> Iterator[str]:
    gap = xs[1] - xs[0] if len(xs) > 1 else 1e3
    long = max((text_width(words("body.round", round=number), 13) for number in rounds), default=0)
    key = "body.round" if long + 10 <= gap else "body.round_short"
    widest = max((text_width(words(key, round=number), 13) for number in rounds), default=0)
    every = max(1, ceil((widest + 5) / gap))
    for position, (number, x) in enumerate(zip(rounds, xs, strict=True)):
        if (len(rounds) - 1 - position) % every == 0:
            text = words(key, round=number)
            middle = min(x, width - text_width(text, 13) / 2)
            yield tag("text", escape(text), x=middle, y=height - 8, text_anchor="middle", class_="round-label")


def _line(seat: ShownSeat, places: Sequence[Place], xs: Sequence[float], *, known: bool) -> str:
    """A seat's line between known positions, with a halo that parts crossings; or, dotted, what is not known."""
    pieces = []
    for start, end, x0, x1 in zip(places, places[1:], xs, xs[1:], strict=False):
        if (start.known and end.known) != known:
            continue
        middle = (x0 + x1) / 2
        bend = " ".join(f"{_value(x)},{_value(y)}" for x, y in ((middle, start.y), (middle, end.y), (x1, end.y)))
        pieces.append(f"M{_value(x0)},{_value(start.y)} " + (f"H{_value(x1)}" if start.y == end.y else f"C{bend}"))
    if not pieces:
        return ""
    path = " ".join(pieces)
    if not known:
        return tag("path", d=path, class_=f"seat-line dotted {_colour(seat)}")
    return tag("path", d=path, class_="halo") + tag("path", d=path, class_=f"seat-line {_colour(seat)}{_dash(seat)}")


def _marker(
    seat: ShownSeat, x: float, y: float, position: Position, told: str, *, radius: float, letter: bool
) -> str:
    """A dot with the seat's letter, or a small shape; hollow and larger where the seat changed its position."""
    known = position.proposal is not None
    classes = f"marker {_colour(seat)}{' moved' if position.moved else ''}{'' if known else ' unknown'}"
    r = radius + (1.5 if position.moved else 0)
    shape = _shape(seat, x, y, r) if not letter else tag("circle", cx=x, cy=y, r=r)
    text = ""
    if letter:
        size = _LETTER if len(seat.mark) == 1 else 12
        text = tag("text", escape(seat.mark), x=x, y=y + size * 0.36, text_anchor="middle", font_size=size)
    return tag("g", tag("title", escape(told)), shape, text, class_=classes)


def _shape(seat: ShownSeat, x: float, y: float, r: float) -> str:
    kind = seat.index % 4
    if kind == 0:
        return tag("circle", cx=x, cy=y, r=r)
    if kind == 1:
        return tag("rect", x=x - r * 0.9, y=y - r * 0.9, width=r * 1.8, height=r * 1.8)
    corners = ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)) if kind == 2 else ((0, -1.2), (1.2, 0.95), (-1.2, 0.95))
    return tag("polygon", points=" ".join(f"{_value(x + dx * r)},{_value(y + dy * r)}" for dx, dy in corners))


def _colour(seat: ShownSeat) -> str:
    return f"s{seat.index % COLOURS}"


def _dash(seat: ShownSeat) -> str:
    return " dashed" if seat.index >= COLOURS else ""


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
