"""`debateroom compare`: two debates side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from debateroom.cli import output
from debateroom.cli import place as places
from debateroom.errors import UsageError
from debateroom.terminal import one_line, printable, quoted

if TYPE_CHECKING:
    from debateroom.messages import Transcript
    from debateroom.report.comparison import Claim, Comparison

_LONGEST = 600
"""Characters of one text that is shown."""


@click.command("compare", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("first", metavar="ROOM")
@click.argument("second", metavar="ROOM")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def compare(first: str, second: str, active: str | None, as_json: bool) -> int:
    """Compare two debates: outcome, recommendation, votes, moves, cost, and the claims that one has alone.

    ROOM is a name below active/, a folder, or a chat.json. Claims are matched by the words they share; no model is
    asked.
    """
    from debateroom import files
    from debateroom.report import comparison

    compared = comparison.of(_debate(first, active), _debate(second, active))
    if as_json:
        output.line(files.dumps(comparison.to_json(compared, (first, second))).decode())
        return 0
    _show(compared, (first, second))
    return 0


def _debate(named: str, active: str | None) -> Transcript:
    """The debate in the room or file called `named`. Raises UsageError where there is none, or no debate."""
    from debateroom.room import room as rooms
    from debateroom.room.played import DEBATES
    from debateroom.room.transcript import read_chat

    folder = places.folder(named, active)
    if Path(named).is_file() or Path(named).suffix == ".json":
        found = read_chat(named)
    elif (folder / rooms.CHAT).is_file() and not (folder / rooms.JOURNAL).exists():
        found = read_chat(folder / rooms.CHAT)
    else:
        found = rooms.read(folder).transcript
    if found.kind not in DEBATES:
        raise UsageError(
            f"compare takes two debates, and {named} holds another kind of room: {found.kind}",
            hint=f"debateroom report {quoted(named)}",
        )
    return found


def _show(compared: Comparison, rooms: Sequence[str]) -> None:
    """The first line says whether both are on one question; then what came of each, and the claims."""
    from debateroom.report import comparison

    words = compared.sides[0].words
    one, other = (one_line(facts.transcript.problem, _LONGEST) or "—" for facts in compared.sides)
    table = comparison.rows(compared)
    if compared.one_question:
        output.tell(words("compare.one_question", problem=one))
    else:
        output.tell(words("compare.two_questions"))
        table = [(words("problem"), one, other), *table]
    cells = [(label, one_line(left, _LONGEST), one_line(right, _LONGEST)) for label, left, right in table]
    names = [one_line(room, 80) for room in rooms]
    if sys.stdout.isatty():
        _table(cells, names)
    else:
        _lines(cells, names)
    for line in _claims(compared, names):
        output.tell(printable(line))


def _lines(cells: Sequence[tuple[str, str, str]], names: Sequence[str]) -> None:
    """A label, and below it what each room has."""
    for label, *values in cells:
        output.tell(f"\n{label}")
        for name, value in zip(names, values, strict=True):
            output.tell(f"  {name}: {value}")


def _table(cells: Sequence[tuple[str, str, str]], names: Sequence[str]) -> None:
    """The two rooms beside each other, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 1, 0), pad_edge=False)
    for head in ("", *names):
        table.add_column(Text(head), ratio=3 if head else 1, overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    Console(file=sys.stdout).print(table)


def _claims(compared: Comparison, names: Sequence[str]) -> Iterator[str]:
    words = compared.sides[0].words
    yield f"\n{words('compare.rule' if compared.one_language else 'compare.two_languages')}"
    for name, claims in zip(names, compared.only, strict=True):
        yield f"\n{words('compare.only', room=name)}"
        yield from (f"  {_told(claim, compared)}" for claim in claims)
        if not claims:
            yield f"  {words('compare.nothing')}"
    yield f"\n{words('compare.both')}"
    for shared in compared.both:
        yield f"  {_told(shared.first, compared)}"
        if shared.second != shared.first:
            yield f"    {names[1]}{words('colon')}{_told(shared.second, compared)}"
    if not compared.both:
        yield f"  {words('compare.nothing')}"


def _told(claim: Claim, compared: Comparison) -> str:
    """A claim behind what it is, with who says it."""
    words = compared.sides[0].words
    text = one_line(claim.text, _LONGEST)
    if claim.agents:
        text = words("brackets", before=text, text=words.join([one_line(name, 60) for name in claim.agents]))
    return words(f"compare.{claim.kind}") + words("colon") + text
