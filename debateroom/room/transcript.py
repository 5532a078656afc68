"""The transcript on disk: `chat.json` from a Transcript and back, files of the original skill and of others included.

The keys and their order are the original skill's: `problem, context, agents, rounds, final_output`. Ours are added
after them, and after `agent, role, response` in an entry; none is renamed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from debateroom.errors import RoomError, UsageError
from debateroom.language import LANGUAGES
from debateroom.messages import CURRENCY, Entry, Failure, Round, Seat, Transcript, Usage, dollars
from debateroom.reading.question import classify_question
from debateroom.room import foreign
from debateroom.room.foreign import Notes, as_count, as_number, as_text, as_usage

STATUSES = ("running", "interrupted", "waiting_for_host", "finished", "failed")


def to_json(transcript: Transcript) -> dict[str, Any]:
    """What `chat.json` holds for `transcript`. It may hold lone surrogates, which `files.dumps` replaces."""
    return {
        "problem": transcript.problem,
        "context": transcript.context,
        "agents": [_seat(seat) for seat in transcript.agents],
        "rounds": [_round(round_) for round_ in transcript.rounds],
        "final_output": transcript.final_output,
        "version": transcript.version,
        "uuid": transcript.uuid,
        "kind": transcript.kind,
        "status": transcript.status,
        "language": transcript.language,
        "model": transcript.model,
        "usage": _usage(transcript.usage),
        "stopped": transcript.stopped,
        "started": transcript.started,
        "seconds": transcript.seconds,
        "rounds_asked": transcript.rounds_asked,
        "quorum": transcript.quorum,
        "cost": dollars(transcript.cost),
        "currency": CURRENCY,
        **({"baseline": transcript.baseline} if transcript.baseline is not None else {}),
    }


def from_json(value: object) -> Transcript:
    """The transcript that `value` (parsed JSON of any origin) holds. Never raises.

    What could not be read is in `notes`, in words. In a file that debateroom did not write, confidence and
    endorsement are read from the replies where their keys are missing.
    """
    return _read(value)[0]


def _read(value: object) -> tuple[Transcript, Notes]:
    if not isinstance(value, Mapping):
        notes = Notes("en")
        notes.add("not_object")
        return Transcript(problem="", notes=tuple(notes.said)), notes
    problem = value.get("problem")
    own = isinstance(value.get("version"), str) and bool(value["version"])
    notes = Notes(_language(value, problem))
    if not isinstance(problem, str) or not problem.strip():
        notes.add("problem")
    agents = foreign.seats(value.get("agents"), notes)
    rounds = foreign.rounds(value, own=own, problem=problem if isinstance(problem, str) else "", notes=notes)
    transcript = Transcript(
        problem=as_text(problem),
        context=as_text(value.get("context")),
        agents=_with_speakers(agents, rounds, notes),
        rounds=rounds,
        final_output=_final_output(value.get("final_output"), notes),
        version=value["version"] if own else "",
        uuid=as_text(value.get("uuid")),
        kind=as_text(value.get("kind")) or "debate",
        status=_status(value.get("status"), notes),
        language=notes.language,
        model=as_text(value.get("model")),
        usage=as_usage(value.get("usage")),
        stopped=as_text(value.get("stopped")) or None,
        started=as_text(value.get("started")),
        seconds=as_number(value.get("seconds")),
        rounds_asked=as_count(value.get("rounds_asked")),
        quorum=as_count(value.get("quorum")),
        cost=as_number(value.get("cost")),
        baseline=value["baseline"] if isinstance(value.get("baseline"), Mapping) else None,
        notes=tuple(notes.said),
    )
    return transcript, notes


def read_chat(path: Path | str, *, strict: bool = False) -> Transcript:
    """The transcript in file `path`. Raises UsageError when there is no such file, RoomError when it holds none.

    `strict`: also when it is not clear who said what in which round.
    """
    path = Path(path)
    hint = "debateroom report PATH wants a chat.json, or the folder of a room"
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UsageError(f"{path}: no such file", hint=hint) from error
    except IsADirectoryError as error:
        raise UsageError(f"{path} is a folder, not a file", hint=hint) from error
    except (OSError, ValueError) as error:
        raise RoomError(f"{path} cannot be read: {error}") from error
    value = _parsed(path, raw)
    if not isinstance(value, dict) or not any(key == "problem" or key == "agents" or "round" in key for key in value):
        raise RoomError(f"{path} is JSON, but not a transcript: it has no problem, agents or rounds", hint=hint)
    found, notes = _read(value)
    if strict and notes.grave:
        raise RoomError(f"{path} cannot be continued: {' '.join(notes.grave)}", hint=hint)
    return found


def _parsed(path: Path, raw: bytes) -> object:
    if not raw.strip():
        raise RoomError(f"{path} is empty")
    if not raw.strip(b"\0"):
        raise RoomError(f"{path} holds only NUL bytes: the disk lost its content (a crash during a save does that)")
    try:
        return json.loads(raw)
    except RecursionError as error:
        raise RoomError(f"{path} is not a transcript: its JSON is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise RoomError(
            f"{path} is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from error
    except ValueError as error:
        raise RoomError(f"{path} is not JSON: {error}") from error


def _seat(seat: Seat) -> dict[str, Any]:
    return {
        "name": seat.name,
        "role": seat.role,
        "framing": seat.framing,
        "model": seat.model,
        "vendor": seat.vendor,
    }


def _round(round_: Round) -> dict[str, Any]:
    return {
        "round": round_.round,
        "entries": [_entry(entry) for entry in round_.entries],
        "failures": [
            {"agent": failure.agent, "role": failure.role, "reason": failure.reason} for failure in round_.failures
        ],
        "moderation": round_.moderation,
        **({"devil": round_.devil, "attacks": round_.attacks} if round_.devil else {}),
        "usage": _usage(round_.usage),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "agent": entry.agent,
        "role": entry.role,
        "response": entry.response,
        "confidence": entry.confidence,
        "endorses": entry.endorses,
        "model": entry.model,
        "usage": _usage(entry.usage),
        "seconds": entry.seconds,
        "finish": entry.finish,
        "repaired": entry.repaired,
        "off_topic": entry.off_topic,
        "history": entry.history,
        **({"tools": list(entry.tools)} if entry.tools else {}),
        **({"interrupted": list(entry.interrupted)} if entry.interrupted else {}),
        **({"citations": [asdict(each) for each in entry.citations]} if entry.citations else {}),
    }


def _usage(usage: Usage) -> dict[str, int]:
    return {"input": usage.input, "cached": usage.cached, "written": usage.written, "output": usage.output}


def _language(value: Mapping[str, Any], problem: object) -> str:
    stated = value.get("language")
    if isinstance(stated, str) and stated in LANGUAGES:
        return stated
    found = classify_question(problem).language if isinstance(problem, str) else "en"
    return found if found in LANGUAGES else "en"


def _status(value: object, notes: Notes) -> str:
    if value is None:
        return "finished"
    if isinstance(value, str) and value in STATUSES:
        return value
    notes.add("field", key="status", value=json.dumps(value, ensure_ascii=False, default=str))
    return "finished"


def _final_output(value: object, notes: Notes) -> Mapping[str, Any] | None:
    if value is None or isinstance(value, Mapping):
        return value
    if isinstance(value, str):
        return {"summary": value}
    notes.add("final_output")
    return {"final_output": value}


def _with_speakers(agents: tuple[Seat, ...], rounds: tuple[Round, ...], notes: Notes) -> tuple[Seat, ...]:
    """The listed seats, and after them those who speak or fail without being listed."""
    known = {seat.name: seat for seat in agents}
    for round_ in rounds:
        speakers: list[Entry | Failure] = [*round_.entries, *round_.failures]
        for speaker in speakers:
            if speaker.agent and speaker.agent not in known:
                if agents:
                    notes.add("unlisted", name=speaker.agent)
                known[speaker.agent] = Seat(speaker.agent, speaker.role, "")
    return tuple(known.values())
