"""One attempt to wake somebody, and what came of it by name. The answer's body is shown to nobody."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from debateroom import clock, files
from debateroom.errors import DebateroomError, RefusedURL, RoomError, TimedOut, Unreachable
from debateroom.language import say, spoken
from debateroom.outbound import loopback
from debateroom.outbound.exchange import Ask, exchange
from debateroom.outbound.guard import Unresolved
from debateroom.wake import pacing, signature
from debateroom.wake.body import Call
from debateroom.wake.hook import Hook
from debateroom.wake.workspace import Workspace

SECONDS = 8.0
"""For everything: the name's look-up, the connection, the answer."""
MOST = 65_536
"""Bytes of the answer that are read, and thrown away."""
RECORD = "wakes.jsonl"

Result = Literal[
    "accepted", "key_refused", "redirect_refused", "other_status", "timed_out", "unreachable", "blocked", "too_soon"
]
RESULTS: tuple[Result, ...] = Result.__args__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of one wake-up call."""

    result: Result
    event: str
    """As it was sent: `debateroom.run_failed`."""
    to: str
    """`https://host/…`."""
    status: int | None = None
    """The HTTP status; None when there was no answer."""
    error: DebateroomError | None = None
    """Why there was none."""
    to_test: bool = False
    """Whether a test of this very process had a server on this machine asked in place of a public one."""

    @property
    def exit_code(self) -> int:
        """0 when it was accepted, else 1."""
        return 0 if self.result == "accepted" else 1

    def said(self, language: str) -> str:
        """One line for people."""
        reason = str(spoken(self.error, language)) if self.error else ""
        figures = {"to": self.to, "status": self.status or "", "reason": reason, "seconds": round(pacing.PAUSE)}
        line = say(language, f"wake_{self.result}", **{name: str(value) for name, value in figures.items()})
        return f"{line} {say(language, 'wake_to_test')}" if self.to_test else line

    def figures(self) -> dict[str, Any]:
        """What `--json` prints and the record keeps."""
        value: dict[str, Any] = {"result": self.result, "status": self.status, "event": self.event, "to": self.to}
        value["error"] = str(self.error) if self.error else None
        return value | ({"loopback": True} if self.to_test else {})


def deliver(
    workspace: Workspace, hook: Hook, call: Call, *, url: str | None = None, ports: Collection[int] = ()
) -> Delivery:
    """What came of waking `hook` with `call`, in one attempt. `url` is the project's; `ports` as for the guard.

    Raises UsageError for a project's `url` that is none, RoomError when the workspace cannot be written.
    """
    body = call.body(hook.prefix, workspace.project(url) if call.of_project else {})
    event = f"{hook.prefix}.{call.event}"
    if not pacing.take_turn(workspace):
        return Delivery("too_soon", event, hook.shown)
    made = _attempt(hook, event, body, ports)
    run = call.run.get("uuid") if call.run else None
    _record(workspace, {"at": clock.now().isoformat(), **made.figures(), "run": run})
    return made


def _attempt(hook: Hook, event: str, body: bytes, ports: Collection[int]) -> Delivery:
    to_test = loopback.current() is not None
    try:
        answer = exchange(Ask("POST", hook.url, _headers(hook, body), body, seconds=SECONDS, most=MOST, ports=ports))
    except (RefusedURL, Unreachable) as error:
        return Delivery(_failure(error), event, hook.shown, error=error, to_test=to_test)
    return Delivery(_named(answer.status), event, hook.shown, answer.status, to_test=to_test)


def _headers(hook: Hook, body: bytes) -> dict[str, str]:
    number, moment = f"msg_{uuid.uuid4().hex}", int(clock.now().timestamp())
    return {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {hook.key}",
        "X-Automation-Key": hook.key,
        **signature.headers(hook.key, number, moment, body),
    }


def _named(status: int) -> Result:
    if 200 <= status < 300:
        return "accepted"
    if status in (401, 403):
        return "key_refused"
    return "redirect_refused" if 300 <= status < 400 else "other_status"


def _failure(error: DebateroomError) -> Result:
    """A name that has no address now is out of reach, not forbidden."""
    if isinstance(error, Unresolved):
        return "timed_out" if error.late else "unreachable"
    if isinstance(error, RefusedURL):
        return "blocked"
    return "timed_out" if isinstance(error, TimedOut) else "unreachable"


def _record(workspace: Workspace, value: dict[str, Any]) -> None:
    """Notes what was sent beside the workspace's other files. On a full disk it was sent all the same."""
    with suppress(RoomError):
        log = files.AppendLog(workspace.own / RECORD)
        try:
            log.append([value])
        finally:
            log.close()
