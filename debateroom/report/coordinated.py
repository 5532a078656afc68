"""What a report shows of a playbook's run: the steps and what proves them, the workers, decisions and receipts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from debateroom.report.text import flat
from debateroom.report.words import Words

KIND = "playbook"


def sections(final: Mapping[str, Any], words: Words) -> list[tuple[str, str]]:
    """The sections in order, as label and text; one from another version may lack any of it."""
    told = [
        (words("talk.steps"), _lines(_step(each, words) for each in _listed(final.get("steps")))),
        (words("talk.answer"), str(final.get("answer") or "").strip()),
        (words("talk.workers"), _lines(_worker(each, words) for each in _listed(final.get("workers")))),
        (words("talk.decisions"), _lines(_decision(each, words) for each in _listed(final.get("decisions")))),
        (words("talk.goal"), flat(str(final.get("goal") or ""))),
        (words("talk.rule"), flat(str(final.get("rule") or ""))),
    ]
    return [(label, text) for label, text in told if text]


def _step(step: Mapping[str, Any], words: Words) -> str:
    text = words("talk.run_step", number=step.get("number"), state=_state(step, words), text=_flat(step, "text"))
    return text + _evidence(step, words)


def _worker(worker: Mapping[str, Any], words: Words) -> str:
    told = {"room": _flat(worker, "room"), "state": _state(worker, words), "task": _flat(worker, "task")}
    line = words("talk.run_worker", **told)
    return f"{line} — {_flat(worker, 'outcome')}" if worker.get("state") == "failed" else line


def _decision(decision: Mapping[str, Any], words: Words) -> str:
    number = decision.get("step")
    mark = words("talk.run_receipt") if decision.get("receipt") else ""
    mark = words("talk.run_of_step", number=number) if number else mark
    told = {key: _flat(decision, key) for key in ("what", "why")}
    text = words("talk.run_decision", outcome=_state(decision, words, "outcome"), **told)
    return (f"[{mark}] {text}" if mark else text) + _evidence(decision, words)


def _evidence(value: Mapping[str, Any], words: Words) -> str:
    text = _flat(value, "evidence")
    return f" ({words('talk.run_evidence', evidence=text)})" if text else ""


def _state(value: Mapping[str, Any], words: Words, key: str = "state") -> str:
    known = _flat(value, key)
    try:
        return words(f"talk_states.{known}")
    except KeyError:
        return known


def _flat(value: Mapping[str, Any], key: str) -> str:
    return flat(str(value.get(key) or ""))


def _lines(lines: Iterator[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _listed(value: Any) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []
