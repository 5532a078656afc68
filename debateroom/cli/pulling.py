"""Getting the embedded model's file, with what people want to know while it takes its time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from debateroom.cli.output import note

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_STEP = 10
"""Percent between two lines where no bar can be drawn."""


def pull_embedded(*, verify: bool = False) -> Path:
    """The file's path; it is fetched when it is not there yet. With `verify` the one that is there is hashed."""
    from debateroom.models import pull

    with _Shown() as shown:
        if verify:
            return pull.verify(shown.on_progress)
        if pull.cached() is None:
            file = pull.OFFICIAL
            note(f"getting the embedded model {file.name}, {file.size / 1e6:,.0f} MB, licence {file.licence}, once")
        return pull.ensure(shown.on_progress)


class _Shown:
    """A bar on a terminal; else a line every tenth."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._source = ""
        self._percent = 0

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar:
            self._bar.stop()

    def on_progress(self, source: str, done: int, total: int) -> None:
        """So many bytes of `total` have come from `source`."""
        if sys.stderr.isatty():
            self._draw(source, done, total)
            return
        percent = done * 100 // max(total, 1) // _STEP * _STEP
        if source != self._source or percent > self._percent:  # a part may be counted again when it is joined
            self._source, self._percent = source, percent
            note(f"{source}: {percent} % of {total / 1e6:,.0f} MB")

    def _draw(self, source: str, done: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.text import Text

        if self._bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task(str(Text(source)), total=total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], description=str(Text(source)), completed=done, total=total)
