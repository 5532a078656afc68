"""The judge of a room: which model it is, and that its maker is none of the seats'. Asks nobody.

A model that judges its own house's answers is no judge, whatever endpoint serves it (see `models.vendors`).
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from debateroom import context
from debateroom.errors import UsageError, Wording
from debateroom.language import worded
from debateroom.messages import Seat
from debateroom.models import catalog
from debateroom.models.catalog import makers as makers_of
from debateroom.models.registry import Listed, Models, describe, info
from debateroom.models.vendors import Makers
from debateroom.settings import Settings
from debateroom.terminal import is_blank, quoted

AUTO = "auto"
MOST_PAIRED = 8
"""Seats up to which every pair of answers is compared; of more, each answer is rated by itself."""


@dataclass(frozen=True, slots=True)
class Judging:
    """How a room is judged."""

    model: str
    """`provider:model` of the judge."""
    vendor: str
    """Who made it: nobody who made a model of a seat."""
    rubric: str
    """What it goes by, as text; empty for our own list."""
    seed: int
    """What the order is drawn by."""


def appoint(settings: Settings, seats: Sequence[Seat], makers: Makers, models: Models) -> Judging:
    """The judge that the settings name, or with `auto` a configured one. `seats` have their makers.

    Raises UsageError when it is of a seat's maker, cannot judge, or there is none; NoModel.
    """
    taken = {maker for seat in seats for maker in makers_of(seat.vendor)}
    wanted = settings.judge or AUTO
    if wanted != AUTO and not catalog.info(wanted).moderates:  # said before it is opened: it may not be there
        raise worded(UsageError, Wording("cannot_judge", {"model": wanted}), hint=_way_out(taken, models))
    model = models.open(_free(taken, models)[0].alias if wanted == AUTO else wanted)
    vendor = makers.of(model)
    if own := makers_of(vendor) & taken:
        related = next(seat for seat in seats if own & makers_of(seat.vendor))
        figures = {
            "judge": model.name,
            "vendor": ", ".join(sorted(own)),
            "agent": related.name,
            "model": related.model,
        }
        raise worded(UsageError, Wording("judge_related", figures), hint=_way_out(taken, models))
    if not model.moderates:
        raise worded(UsageError, Wording("cannot_judge", {"model": model.name}), hint=_way_out(taken, models))
    seed = secrets.randbelow(2**31) if settings.seed is None else settings.seed
    return Judging(model.name, vendor, _rubric(settings.rubric), seed)


def with_makers(seats: Sequence[Seat], makers: Makers, models: Models) -> tuple[Seat, ...]:
    """The seats with who made their models. Raises UsageError when that is not known of one."""
    return tuple(replace(seat, vendor=makers.of(models.open(seat.model))) for seat in seats)


def calls(seats: int) -> int:
    """How many judgements so many answers take, each given twice."""
    return 2 * seats if seats > MOST_PAIRED else seats * (seats - 1)


def _free(taken: Set[str], models: Models) -> Sequence[Listed]:
    """The configured models of other makers, in the order of the defaults. Raises UsageError when there is none."""
    found = _configured(taken, models)
    if not found:
        raise worded(
            UsageError, Wording("no_judge", {"vendors": ", ".join(sorted(taken))}), hint=_way_out(taken, models)
        )
    return found


def _configured(taken: Set[str], models: Models) -> list[Listed]:
    """Those that there is a key for; a program is never chosen unasked, and a small model never judges."""
    order = catalog.default_order()
    rows = describe(keys=models.keys, settings=models.settings)
    ready = [
        row for row in rows if row.ready and row.key and row.info.moderates and not makers_of(row.info.vendor) & taken
    ]
    return sorted(ready, key=lambda row: order.index(row.alias) if row.alias in order else len(order))


def _way_out(taken: Set[str], models: Models) -> Wording | str:
    """What would do: a configured model, else a key for one, else a program."""
    ready = _configured(taken, models)
    if ready:
        return f"--judge {ready[0].alias}"
    others = [alias for alias in catalog.default_order() if not makers_of(info(alias).vendor) & taken]
    if not others:
        return Wording("no_judge_hint_other")
    return Wording("no_judge_hint_key", {"provider": catalog.resolve(others[0]).provider, "alias": others[0]})


def _rubric(path: str | None) -> str:
    """The text of the file at `path`. Raises UsageError when it is none."""
    if path is None:
        return ""
    if path == "-":
        raise worded(UsageError, Wording("rubric_stdin"), hint="--rubric FILE")
    if Path(path).is_dir():
        raise worded(UsageError, Wording("rubric_folder", {"path": path}), hint="--rubric FILE")
    try:
        sources = context.collect((path,), ()).sources
    except UsageError as error:
        raise UsageError(f"--rubric {quoted(path)}: {error}", hint=error.hint) from error
    text = "\n\n".join(source.text.strip() for source in sources)
    if is_blank(text) or "\0" in text:
        raise worded(UsageError, Wording("rubric_empty", {"path": path}), hint="--rubric FILE")
    return text
