"""A workspace: the folder that holds `active/`, and what debateroom keeps about it in `.debateroom/`."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debateroom import files
from debateroom.errors import BadEvidence, RoomError, UsageError
from debateroom.reading.evidence import check_evidence
from debateroom.terminal import one_line

OWN = ".debateroom"
_PROJECT = "project.json"
_IGNORED = "# who wakes whom and which coordinator works is each user's own\n/.gitignore\n/wake*\n/coordinator*\n"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder, and the files of the wake-up call in it."""

    folder: Path
    """Absolute."""

    @property
    def own(self) -> Path:
        """Where debateroom keeps what belongs to no room."""
        return self.folder / OWN

    def make(self) -> None:
        """Makes that folder; version control is told to leave the wake-up call out. Raises RoomError."""
        try:
            self.own.mkdir(exist_ok=True)
        except OSError as error:
            raise RoomError(f"cannot make {self.own}: {error.strerror or error}") from error
        ignored = self.own / ".gitignore"
        if not ignored.exists():
            files.replace(ignored, _IGNORED.encode())

    def project(self, url: str | None) -> dict[str, str | None]:
        """`uuid`, which is kept, the folder's name, and `url`, where the project is on the web.

        Raises UsageError for a `url` that is no web link, RoomError when the uuid cannot be kept.
        """
        return {"uuid": self._uuid(), "name": one_line(self.folder.name, 200), "url": _link(url)}

    def _uuid(self) -> str:
        path = self.own / _PROJECT
        known = _read(path)
        if isinstance(known.get("uuid"), str) and known["uuid"]:
            return one_line(known["uuid"], 64)
        self.make()
        made = str(uuid.uuid4())
        files.replace(path, files.dumps({**known, "uuid": made}, indent=True) + b"\n")
        return made


def of_active(active: Path) -> Workspace:
    """The workspace whose rooms are in `active`."""
    return Workspace(active.resolve().parent)


def of_room(folder: Path) -> Workspace:
    """The workspace to which the room in `folder` belongs."""
    return of_active(folder.resolve().parent)


def _read(path: Path) -> dict[str, Any]:
    """What project.json says. Raises RoomError when there is one that cannot be read: its uuid would be lost."""
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RoomError(f"{path} cannot be read", hint=f"mend or remove {path}") from error
    if not isinstance(value, dict):
        raise RoomError(f"{path} holds no JSON object", hint=f"mend or remove {path}")
    return value


def _link(url: str | None) -> str | None:
    if not url:
        return None
    try:
        link = check_evidence(url)
    except BadEvidence:
        link = ""
    if not link.casefold().startswith(("http://", "https://")):
        raise UsageError("the setting `url` is no web link", hint="it is where your project is found on the web")
    return link
