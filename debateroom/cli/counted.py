"""Lines about many things of one kind, debates or trials: how many have ended and how, what is still to come."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from debateroom import clock
from debateroom.cli import output
from debateroom.language import number, say
from debateroom.terminal import one_line, printable

if TYPE_CHECKING:
    from debateroom.models.parcels import Notice

FEW = 20
"""Things up to which each has a line; of more there is a line for every twentieth part."""
_LONGEST = 15.0
"""Seconds after which one that ends has a line in any case."""
_BATCH_LINE = 600.0
"""Seconds between two lines about the same batch of a provider."""


class CountedLines:
    """Counts what ended, and says so on stderr."""

    def __init__(self, language: str = "en", *, quiet: bool = False) -> None:
        self._language = language
        self._quiet = quiet
        self._all = self._done = 0
        self._came: Counter[str] = Counter()
        """How they ended → how many did in this run."""
        self._cost: float | None = 0.0
        self._began = self._told = clock.monotonic()
        self._told_done = 0
        """How many had ended when the last line was said."""
        self._batch_told: dict[str, float] = {}
        """When something was said of a provider's batch."""

    def on_wait(self, provider: str, seconds: float) -> None:
        """One line: a minute in which nothing happens has a reason."""
        self._note(say(self._language, "wait_line", provider=provider, seconds=round(seconds)))

    def on_batch(self, notice: Notice) -> None:
        """One line when a provider's batch begins, ends or cannot be asked about; in between one now and then."""
        now, known = clock.monotonic(), self._batch_told.get(notice.batch)
        if notice.what in ("waiting", "unreachable") and known is not None and now - known < _BATCH_LINE:
            return
        # what is said first has no end in sight; the first look at it knows more
        self._batch_told[notice.batch] = now if notice.what != "sent" else now - _BATCH_LINE
        figures = {"count": notice.items, "done": notice.done, "provider": notice.provider}
        told = say(
            self._language, f"provider_batch_{notice.what}", batch=one_line(notice.batch, 60),
            calls=self._calls_of(notice), when=self._when(notice), **figures,
        )  # fmt: skip
        self._note(told)

    def close(self) -> None:
        """Nothing to take down."""

    def _calls_of(self, notice: Notice) -> str:
        """What the calls of a batch are for."""
        return say(self._language, "provider_batch_calls", count=notice.items)

    def _when(self, notice: Notice) -> str:
        """When a batch is expected to be over."""
        if notice.expected is not None:
            return say(self._language, "provider_batch_expected", time=moment(notice.expected))
        if notice.until is not None:
            return say(self._language, "provider_batch_until", time=moment(notice.until))
        return say(self._language, "provider_batch_usually")

    def _is_due(self) -> bool:
        """Whether it is time for a line on how far it is; then it counts as said."""
        now = clock.monotonic()
        due = (self._done - self._told_done) * FEW >= self._all or now - self._told > _LONGEST
        if due or self._done == self._all:
            self._told, self._told_done = now, self._done
            return True
        return False

    def _forecast(self) -> str:
        """What is still to come, from how long and how dear it was so far."""
        left, here = self._all - self._done, self._came.total()
        if left <= 0:
            return say(self._language, "eval_last")
        if not here:
            return say(self._language, "eval_unknown")
        time = _duration((clock.monotonic() - self._began) / here * left)
        if not self._cost:
            return say(self._language, "eval_left", time=time)
        return say(
            self._language, "eval_left_cost", time=time, cost=number(self._language, self._cost / here * left, 2)
        )

    def _note(self, text: str) -> None:
        if not self._quiet:
            output.note(printable(text))


def moment(epoch: float) -> str:
    """A time of today as `14:05`, another with its date."""
    local = datetime.fromtimestamp(epoch).astimezone()
    return f"{local:%H:%M}" if local.date() == clock.now().date() else f"{local:%Y-%m-%d %H:%M}"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"
