"""What was handed to providers as batches: which calls, under which id, and which of them came to nothing.

| event | says |
|---|---|
| `submitting` | which calls are about to be handed over, and what each is for |
| `submitted` | the id that the provider gave |
| `refused` | the provider did not take them: they may be handed over again |
| `ended` | all results are there; the calls that have none that can be used |

A line is on the disk before the next step is taken. So a run that was killed finds its batches again, and hands over
nothing twice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from debateroom import clock
from debateroom.files import AppendLog, read_lines

FILE = "provider_batches.jsonl"


@dataclass(slots=True)
class Sent:
    """One batch."""

    key: str
    """Our name for it."""
    group: str
    """Whose it is: provider, and model where a batch has one."""
    ids: tuple[str, ...]
    at: float
    """Seconds since 1970 at which it was about to be handed over."""
    batch: str = ""
    """The provider's id; empty until it is known."""
    refused: bool = False


@dataclass(slots=True)
class BatchLog:
    """The file in a folder, and what it says. One thread writes."""

    folder: Path
    _sent: dict[str, Sent] | None = None
    """By key; None before the file was read."""
    _of: dict[str, str] = field(default_factory=dict)
    """Call → key of the batch it was in last."""
    _spoiled: set[str] = field(default_factory=set)
    _log: AppendLog | None = None

    @property
    def sent(self) -> dict[str, Sent]:
        """The batches by key; read when it is first asked for. Raises RoomError when that cannot be done."""
        if self._sent is None:
            self._sent, path = {}, self.folder / FILE
            for event in read_lines(path).values if path.is_file() else ():
                self._apply(event)
        return self._sent

    def of(self, call: str) -> Sent | None:
        """The batch that the call is in; None when it is in none."""
        sent = self.sent
        found = sent.get(self._of.get(call, ""))
        return None if found is None or found.refused else found

    def is_spoiled(self, call: str) -> bool:
        """Whether the call came to nothing: the same is asked under another id."""
        return bool(self.sent) and call in self._spoiled

    def known(self) -> set[str]:
        """The providers' ids of all batches."""
        return {each.batch for each in self.sent.values() if each.batch}

    def submitting(self, key: str, group: str, items: Sequence[Mapping[str, Any]]) -> Sent:
        """These calls, each `{"id", "room", "call", "agent", "round"}`, are about to be handed over."""
        self._write({"event": "submitting", "key": key, "group": group, "items": list(items), "epoch": clock.epoch()})
        return self.sent[key]

    def submitted(self, key: str, batch: str) -> None:
        """The provider has them."""
        self._write({"event": "submitted", "key": key, "batch": batch})

    def refused(self, key: str, reason: str) -> None:
        """The provider has not."""
        self._write({"event": "refused", "key": key, "reason": reason})

    def ended(self, key: str, spoiled: Collection[str]) -> None:
        """All is there that will ever be; of these calls nothing can be used."""
        self._write({"event": "ended", "key": key, "spoiled": sorted(spoiled)})

    def close(self) -> None:
        """Closes the file."""
        if self._log is not None:
            self._log.close()

    def _write(self, event: dict[str, Any]) -> None:
        if self._log is None:
            self._log = AppendLog(self.folder / FILE)
        _ = self.sent  # what is there is read before
        self._log.append([{"at": clock.now().isoformat(), **event}])
        self._apply(event)

    def _apply(self, event: Mapping[str, Any]) -> None:
        """Takes one event in; what another version wrote otherwise is passed over."""
        kind, key = event.get("event"), event.get("key")
        if not isinstance(key, str):
            return
        if kind == "submitting" and isinstance(event.get("items"), list):
            ids = tuple(str(item.get("id")) for item in event["items"] if isinstance(item, Mapping))
            self.sent[key] = Sent(key, str(event.get("group")), ids, float(event.get("epoch") or 0.0))
            self._of.update(dict.fromkeys(ids, key))
        elif key in self.sent and kind == "submitted":
            self.sent[key].batch = str(event.get("batch"))
        elif key in self.sent and kind == "refused":
            self.sent[key].refused = True
        elif key in self.sent and kind == "ended":
            self._spoiled.update(map(str, event.get("spoiled") or ()))
