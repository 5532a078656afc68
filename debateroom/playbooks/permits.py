"""How a worker's tools get permission: the worker's process asks its coordinator's, a question and an answer a file.

The coordinator decides, as for its own tools, and keeps the receipt. A worker that nobody listens to is denied.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from debateroom import clock, files
from debateroom.agents.load import Guard
from debateroom.dialogue.waiting import TooLate
from debateroom.errors import RoomError
from debateroom.playbooks import approval
from debateroom.playbooks.approval import Answer, Guarded
from debateroom.playbooks.desk import Desk

DOOR = "DEBATEROOM_PERMITS"
"""The variable with the private folder in which a worker's process asks."""
_ASKED, _TOLD = ".asked", ".told"
_PAUSE = 0.05
"""Seconds between two looks at that folder."""
_WAY = 2.0
"""Seconds that question and answer have for their way, beside those of the person who answers."""


def guard() -> Guard:
    """What makes a worker's tool that acts one which runs only with the coordinator's permission."""
    door = os.environ.get(DOOR)
    return lambda tool: Guarded(tool, partial(ask, Path(door) if door else None))


def ask(door: Path | None, tool: str, arguments: Mapping[str, Any], seconds: float) -> Answer:
    """What the coordinator says within so many seconds: nobody's is no permission."""
    if door is None or not door.is_dir():
        return Answer(False, "nobody")
    number, until = uuid.uuid4().hex, clock.monotonic() + seconds
    told = door / f"{number}{_TOLD}"
    question = {"tool": tool, "arguments": arguments, "seconds": seconds - _WAY}
    files.replace(door / f"{number}{_ASKED}", files.dumps(question))
    while clock.monotonic() < until:
        if told.exists():
            return Answer(**json.loads(told.read_bytes()))
        time.sleep(_PAUSE)
    return Answer(False, "nobody")


@contextlib.contextmanager
def answering(desk: Desk, door: Path, worker: str) -> Iterator[None]:
    """A block in which what a worker's process asks in the folder `door` is answered from the coordinator's desk."""
    over = threading.Event()
    thread = threading.Thread(target=_answer, args=(desk, door, worker, over), name=f"permits-{worker}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()  # it is not waited for: a person may be thinking about a question that nobody needs any more


def _answer(desk: Desk, door: Path, worker: str, over: threading.Event) -> None:
    answered: set[Path] = set()
    with contextlib.suppress(TooLate, RoomError, OSError):  # the run is over, or the worker and its folder are gone
        while not over.wait(_PAUSE):
            for question in sorted(set(door.glob(f"*{_ASKED}")) - answered):
                answered.add(question)
                said = approval.ask(desk, **_read(question), worker=worker)
                files.replace(question.with_suffix(_TOLD), files.dumps(said._asdict()))


def _read(question: Path) -> dict[str, Any]:
    """What is asked; its time began when it was written, and it may have waited for another one's answer."""
    asked: dict[str, Any] = json.loads(question.read_bytes())
    waited = clock.epoch() - question.stat().st_mtime
    return {**asked, "seconds": asked["seconds"] - max(0.0, waited)}
