"""The cards of all rooms, newest first, and a mark that changes when one of them does. Reads, never writes."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any

from debateroom import files
from debateroom.errors import DebateroomError
from debateroom.playbooks.live import Live
from debateroom.playbooks.looking import look
from debateroom.room.room import CHAT, JOURNAL, PAGE, read
from debateroom.room.summary import UNREADABLE
from debateroom.terminal import one_line

_ALIVE = ("queued", "running")


class Rooms:
    """The rooms below one folder. A journal that has not grown since a run ended is not read again."""

    def __init__(self, active: Path) -> None:
        self.active = active
        self._known: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}
        self._lock = threading.Lock()  # protects _known: pages are answered in threads

    def cards(self) -> list[dict[str, Any]]:
        """One card a room, as JSON, the newest first."""
        found = [self._card(journal) for journal in self.active.glob(f"*/{JOURNAL}")]
        return sorted(found, key=lambda card: (str(card["started"]), card["room"]), reverse=True)

    def folder(self, name: str) -> Path | None:
        """The folder of the room that is called exactly `name`; None when there is none."""
        known = {journal.parent.name for journal in self.active.glob(f"*/{JOURNAL}")}
        return self.active / name if name in known else None

    def _card(self, journal: Path) -> dict[str, Any]:
        name = journal.parent.name
        try:
            stat = journal.stat()
            seen = (stat.st_mtime_ns, stat.st_size)
        except OSError:
            seen = (0, 0)
        with self._lock:
            known = self._known.get(name)
        if known and known[0] == seen and known[1]["status"] not in _ALIVE:
            return {**known[1], **_files(journal.parent)}
        made = _made(journal.parent)
        with self._lock:
            self._known[name] = (seen, made)
        return {**made, **_files(journal.parent)}


def _made(folder: Path) -> dict[str, Any]:
    try:
        live: Live = look(folder)
        started = read(folder).transcript.started
    except DebateroomError as error:
        text = one_line(str(error), 200)
        return {
            "room": folder.name, "started": "", "status": UNREADABLE, "status_text": text, "title": folder.name,
            "goal": "", "damage": error.hint or "", "kind": "", "verdict": None,
            "steps": [], "workers": [], "seats": [], "decisions": [],
        }  # fmt: skip
    return {"room": folder.name, "started": started, **live.to_json()}


def _files(folder: Path) -> dict[str, bool]:
    """Which of its files may be opened."""
    return {"report": (folder / PAGE).is_file(), "transcript": (folder / CHAT).is_file()}


def mark(cards: list[dict[str, Any]]) -> str:
    """A short text that is another one when anything but the time has changed."""
    still = [{key: value for key, value in card.items() if key != "seconds"} for card in cards]
    return hashlib.sha256(files.dumps(still)).hexdigest()[:16]
