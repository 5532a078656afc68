"""What a run does at the moment or came to, in one line for people. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from debateroom.language import say
from debateroom.playbooks.decision import EVENT, TOOL
from debateroom.playbooks.plan import KIND
from debateroom.playbooks.purse import DELEGATE
from debateroom.room.events import Event, State
from debateroom.terminal import one_line

_TOLD = (TOOL, DELEGATE)
"""Tools whose doing is told by events of their own."""
_ASKED = {"moderator_asked": "moderating", "synthesis_asked": "concluding", "judging_started": "judging"}
"""What is said while somebody beside the seats is asked."""
ABOUT = 160
"""Characters of what a line says about something."""


def status_text(state: State, events: Sequence[Event], status: str, workers: int) -> str:
    """The line; `workers` is how many are running."""
    language, told = state.transcript.language, state.transcript
    if status == "queued":
        return say(language, "live_queued")
    if status == "failed":
        return say(language, "live_failed", reason=one_line(state.error or "?", ABOUT))
    if status == "interrupted":
        return say(language, "live_interrupted")
    if told.status != "running":
        return told.status
    if workers:
        return say(language, "live_workers", count=workers)
    return _under_way(language, events, rounds=told.kind != KIND) or say(language, "live_thinking")


def end_text(language: str, outcome: str | None, why: str) -> str:
    """The line of a run that is over: done, or the outcome that is no, and why. None is an end without any."""
    if outcome in (None, "complete"):
        return say(language, "live_done")
    told = one_line(why, ABOUT)
    try:
        return say(language, "verdict_line", verdict=say(language, f"verdict_{outcome}"), summary=told)
    except KeyError:  # an outcome of another version
        return told or say(language, "live_done")


def _under_way(language: str, events: Sequence[Event], *, rounds: bool) -> str:
    """The tool in progress, or the last milestone; rounds are some where there are `rounds`."""
    waiting: list[Event] = []
    for each in events:
        if each["event"] == "tool_called" and each["name"] not in _TOLD:
            waiting.append(each)
        elif each["event"] == "tool_answered":
            names = [(call.get("name"), call.get("arguments")) for call in waiting]
            call = (each.get("name"), each.get("arguments"))
            if call in names:
                del waiting[names.index(call)]
        elif each["event"] in ("reply", "room_resumed"):
            waiting.clear()
    if waiting:
        return _tool(language, waiting[-1])
    for each in reversed(events):
        name = each["event"]
        if name == EVENT:
            return say(language, "live_noted", what=one_line(each["what"], ABOUT))
        if name in _ASKED:
            return say(language, _ASKED[name])
        if name in ("round_started", "round_finished") and rounds:
            return say(language, "live_round" if name == "round_started" else "live_round_over", round=each["round"])
    return ""


def _tool(language: str, called: Event) -> str:
    arguments = called.get("arguments") or {}
    about = next((str(arguments[key]) for key in ("url", "path", "what", "task", "text") if key in arguments), "")
    if called.get("name") == "fetch_page":
        return say(language, "live_fetching", url=one_line(about, ABOUT))
    if called.get("name") in ("read_path", "read_file"):
        return say(language, "live_reading", path=one_line(about, ABOUT))
    shown = f"{called.get('name')}: {about}" if about else str(called.get("name"))
    return say(language, "live_tool", tool=one_line(shown, ABOUT))
