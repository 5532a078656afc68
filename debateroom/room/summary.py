"""A room in one small object: what `--json` prints, what `status` and `wait` answer. A function of the journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from debateroom import clock, files
from debateroom.errors import DebateroomError, RoomError, UsageError
from debateroom.language import say
from debateroom.messages import CURRENCY, Transcript, dollars
from debateroom.room import lock
from debateroom.room.events import State
from debateroom.room.played import DEBATES, EVALUATION, devil, missing, played
from debateroom.room.room import BRIEF, CHAT, JOURNAL, REPORT, command, opening_event, read
from debateroom.terminal import one_line

_SAID = ("outcome", "summary", "recommended_action", "sharpest_disagreement")
"""What the final output says in words. One from elsewhere may hold anything."""
_LISTS = ("error_trials", "invalid_trials", "missing_trials", "left_out")
"""What of the figures lists trials or tasks."""
_NAMED = 3
"""Missing seats that a paragraph names."""
_LISTED = 20
"""Missing seats that the object names."""
_REASON = 160
"""Characters of a reason that a paragraph has room for; the whole is in the report."""
JSON_LIMIT = 2000
"""Bytes the JSON object of a room may have: assistants read it, and their context costs money."""
_KEYS = (
    "ok", "exit_code", "room", "kind", "status", "outcome", "decision", "summary", "recommended_action",
    "sharpest_disagreement", "rounds_played", "agents", "effective_agents", "missing", "degraded", "cost", "currency",
    "report", "transcript", "brief", "error", "hint", "figures",
)  # fmt: skip
_OPTIONAL = ("decision", "figures")
"""Keys of some rooms alone: where a vote or a judge decided, and of an evaluation."""
_SHORTENED = ("summary", "recommended_action", "sharpest_disagreement", "error", "hint")
UNREADABLE = "unreadable"
"""Status of a room whose journal cannot be read, or does not say how it was opened."""
STOPPED = 143
"""Exit code of a run that was told to leave, as SIGTERM does it."""
QUIET = 7_200.0
"""Seconds without a note after which a coordinator that calls us counts as gone."""


def summarize(folder: Path, state: State) -> dict[str, Any]:
    """The object for the room in `folder` as `state` has it; paths are absolute, what is not known yet is None.

    That of an evaluation has `figures` as well, that of a room which a vote or a judge decided `decision`.
    `exit_code` is that of the run. While it goes on there is none, and `ok` is true: nothing has gone wrong.
    `missing` names seats without a reply in the last round; `degraded` is true when there are such, or when the
    moderator's verdict or synthesis is lacking: the debate is done, and weighs less.
    Of an evaluation `missing` names trials that were not played, or broke; it is `degraded` when it ended without
    some of its trials.
    """
    transcript = state.transcript
    final = transcript.final_output or {}
    said = {key: value for key in _SAID for value in [final.get(key)] if isinstance(value, str)}
    effective = final.get("effective_agents")
    gone = [seat.agent for seat in missing(transcript)] if transcript.kind in DEBATES else _unplayed(transcript)
    report = folder.resolve() / REPORT
    if "summary" in said:
        said["summary"] = paragraph(transcript)
    told = {"figures": _figures(state)} if transcript.kind == EVALUATION else {}
    decided = final.get("decision")
    if isinstance(decided, Mapping):
        told["decision"] = _decision(decided, transcript.language)
    return {
        "ok": state.exit_code in (0, None),
        "exit_code": state.exit_code,
        "room": str(folder.resolve()),
        "kind": transcript.kind,
        "status": transcript.status,
        **dict.fromkeys(_SAID) | said,
        "rounds_played": len(played(transcript)),
        "agents": len(transcript.agents),
        "effective_agents": effective if isinstance(effective, int) else None,
        "missing": gone[:_LISTED],
        "degraded": bool(gone) or any(_unmoderated(transcript)) or _broken_off(state),
        "cost": dollars(transcript.cost),
        "currency": CURRENCY,
        **told,
        "report": str(report) if report.exists() else None,
        "transcript": str(folder.resolve() / CHAT),
        "brief": str(folder.resolve() / BRIEF) if transcript.status == "waiting_for_host" else None,
        "error": state.error,
        "hint": state.hint,
    }


def shortened(value: Mapping[str, Any]) -> dict[str, Any]:
    """The object with all its keys in their order, long texts cut, and after them the list of what is missing, until
    its JSON is within `JSON_LIMIT`.

    Of a decision and of figures nothing is cut.
    """
    whole: dict[str, Any] = {key: value.get(key) for key in _KEYS if key in value or key not in _OPTIONAL}
    for key in _SHORTENED:
        if isinstance(whole[key], str):
            whole[key] = one_line(whole[key], 600)
    while len(files.dumps(whole)) > JSON_LIMIT:
        longest = max((key for key in _SHORTENED if whole[key]), key=lambda key: len(whole[key]), default=None)
        if longest is None or len(whole[longest]) < 40:
            if not whole["missing"]:
                break
            whole["missing"] = whole["missing"][:-1]
            continue
        whole[longest] = one_line(whole[longest], len(whole[longest]) * 4 // 5)
    return whole


def _planned(state: State) -> int:
    """Trials that an evaluation was to play."""
    return len(state.settings.get("tasks", ())) * int(state.settings.get("asked", {}).get("trials", 1))


def _unplayed(transcript: Transcript) -> list[str]:
    """The trials of an evaluation that were not played, and those that broke."""
    found = (transcript.final_output or {}).get("figures")
    if transcript.kind != EVALUATION or not isinstance(found, Mapping):
        return []
    listed = (*found.get("missing_trials", ()), *found.get("error_trials", ()))
    return [one_line(f"{task} #{number}", 60) for task, number in listed]


def _broken_off(state: State) -> bool:
    """Whether an evaluation is over without all of its trials."""
    transcript = state.transcript
    return transcript.kind == EVALUATION and transcript.status != "running" and state.trials < _planned(state)


def _figures(state: State) -> dict[str, Any]:
    """Of an evaluation: trials that are planned and that came to an end, and the figures once there are some.

    Lists of trials and tasks are left out: they may be long, and are in `chat.json`.
    """
    final, planned = state.transcript.final_output or {}, _planned(state)
    known = final.get("figures")
    if not isinstance(known, Mapping):
        return {"planned": planned, "trials": state.trials}
    figures = {name: value for name, value in known.items() if name not in _LISTS}
    rates = [figures["overall"], *figures["by_check"].values()]
    short = [{name: value for name, value in rate.items() if name not in _LISTS} for rate in rates]
    by_check = dict(zip(figures["by_check"], short[1:], strict=True))
    return {"planned": planned, **figures, "overall": short[0], "by_check": by_check, "spent": final.get("spent")}


def _decision(found: Mapping[str, Any], language: str) -> dict[str, Any]:
    """What decided the room: a vote or a judge, and whom it named. `because` tells why there is no verdict.

    A final output from elsewhere may hold anything.
    """
    told = {key: found.get(key) for key in ("by", "outcome", "winner", "tied")}
    told["because"] = undecided(found, language)
    if found.get("by") == "vote":
        votes = found.get("votes")
        each = votes.items() if isinstance(votes, Mapping) else ()
        counts = {str(name): len(voters) for name, voters in each if isinstance(voters, list | tuple)}
        named = [(name, count) for name, count in counts.items() if name]
        return told | {"voters": sum(counts.values()), "votes": dict(named[:_LISTED])}
    rows = found.get("scores")
    scored = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []
    scores = {str(row.get("agent")): row.get("score") for row in scored[:_LISTED]}
    return told | {"judge": found.get("judge"), "scores": scores}


def undecided(decision: Mapping[str, Any], language: str) -> str | None:
    """Why a vote or a judge came to no verdict, None where there is one. A word of another version stands."""
    reason = decision.get("undecided_because")
    try:
        return say(language, f"undecided_{reason}") if reason else None
    except KeyError:
        return one_line(str(reason), _REASON)


def paragraph(transcript: Transcript) -> str:
    """The synthesis in a paragraph, behind what weighs on it: seats that are missing, a moderator that failed.

    These come first, so that a text that is shortened keeps them.
    """
    summary = str((transcript.final_output or {}).get("summary", ""))
    weighing = (
        [*_absent(transcript), *_attacked(transcript), *_unmoderated(transcript)]
        if transcript.kind in DEBATES
        else []
    )
    return say(transcript.language, "between_sentences").join([*weighing, summary])


def _absent(transcript: Transcript) -> Iterator[str]:
    gone = missing(transcript)
    names = [_named(transcript, seat.agent, seat.role) for seat in gone[:_NAMED]]
    more = [f"+{len(gone) - _NAMED}"] if len(gone) > _NAMED else []
    if names:
        yield say(transcript.language, "without_seats", seats=", ".join(names + more))


def _attacked(transcript: Transcript) -> Iterator[str]:
    """That the last round's votes are without its devil's advocate."""
    rounds = played(transcript)
    attacker = devil(rounds[-1]) if rounds else None
    if attacker:
        role = next((seat.role for seat in transcript.agents if seat.name == attacker), "")
        yield say(transcript.language, "without_devil", seat=_named(transcript, attacker, role))


def _named(transcript: Transcript, agent: str, role: str) -> str:
    return say(transcript.language, "seat_name", agent=agent, role=one_line(role, 60))


def _unmoderated(transcript: Transcript) -> Iterator[str]:
    """That the synthesis is an extract because its call failed; else that verdicts on rounds are lacking."""
    final, language = transcript.final_output or {}, transcript.language
    because, problems = final.get("extract_because"), final.get("moderator_problems")
    if because and isinstance(because, str):
        yield _sentence(say(language, "no_synthesis", reason=one_line(because, _REASON)))
    elif isinstance(problems, list) and problems and isinstance(problems[-1], Mapping):
        reason = str(problems[-1].get("reason", ""))
        yield _sentence(
            say(language, "no_verdict", round=problems[-1].get("round"), reason=one_line(reason, _REASON))
        )


def _sentence(text: str) -> str:
    """`text` with a capital and an end."""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?…。！？" else "。" if text[0] > "\u2e7f" else ".")


def has_result(summary: Mapping[str, Any]) -> bool:
    """Whether the room with this object came to one. A verdict that is no is one."""
    return summary["exit_code"] in (0, 3)


def look(folder: Path) -> dict[str, Any]:
    """The object for the room in `folder`, looked at from outside: a run whose process is gone is `interrupted`.

    One whose journal does not say how it was opened is `unreadable`. Raises UsageError when there is no room.
    """
    try:
        state = read(folder)
        if not state.transcript.agents:
            opening_event(folder)
    except (RoomError, UsageError) as error:
        if not (folder / JOURNAL).exists():
            raise
        return _unreadable(folder, error)
    left = quiet(folder) if state.settings.get("outside") else not lock.starting(folder)
    alone = left and not lock.busy(folder)
    if state.transcript.status == "running" and alone:
        state = read(folder)  # it may have ended between the first look and the second
        if state.transcript.status == "running":
            return _gone(folder, state)
    value = summarize(folder, state)
    if value["status"] == "running":
        outside = state.settings.get("outside")
        value["hint"] = "debateroom playbook finish" if outside else command("wait", folder)
    return value


def quiet(folder: Path) -> bool:
    """Whether nothing was noted in the room for so long that whoever coordinates it from outside has gone."""
    try:
        return clock.epoch() - (folder / JOURNAL).stat().st_mtime > QUIET
    except OSError:
        return True


def _unreadable(folder: Path, error: DebateroomError) -> dict[str, Any]:
    """The object for a room of which nothing is known but that it is there, and why."""
    value = summarize(folder, State(Transcript(problem="", status=UNREADABLE)))
    return value | {"ok": False, "exit_code": error.exit_code, "error": str(error), "hint": error.hint}


def _gone(folder: Path, state: State) -> dict[str, Any]:
    """The object for a room whose process ended without a word."""
    stopped = lock.was_stopped(folder)
    error = "interrupted" if stopped else say(state.transcript.language, "process_gone")
    ended = {"ok": False, "exit_code": STOPPED if stopped else 1, "error": error, "hint": command("resume", folder)}
    gone = replace(state, transcript=replace(state.transcript, status="interrupted"))
    return summarize(folder, gone) | ended
