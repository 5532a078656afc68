"""The report of an evaluation: the figures first, a table by task, then each trial that did not pass, folded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from debateroom.language import say
from debateroom.messages import Transcript
from debateroom.report import facts as facts_of
from debateroom.report import scores
from debateroom.report.seats import model_name
from debateroom.report.text import flat, shorten
from debateroom.report.words import Words

_TONES = {"scored": "good", "reached": "good", "missed": "open", "broken": "mixed", "incomplete": "mixed"}
T = TypeVar("T")
_INSTRUCTION = 90
"""Columns of a task's instruction that the table has room for."""


class Row(NamedTuple):
    """A task in the table."""

    task: str
    instruction: str
    passed: str
    checks: list[str]
    turns: str
    ends: str
    unscored: list[str]


class Section(NamedTuple):
    """One trial in full."""

    title: str
    facts: list[str]
    checks: list[tuple[str, list[str]]]
    messages: list[tuple[str, str]]
    calls: list[str]


def values(transcript: Transcript) -> dict[str, Any]:
    """What both templates show of an evaluation."""
    facts = facts_of.of(transcript)
    words, told = facts.words, facts.transcript
    final = told.final_output or {}
    rows, failed = _listed(final.get("tasks")), _listed(final.get("failed"))
    wants = {str(row.get("task")): str(row.get("instruction")) for row in rows}
    names = list(dict.fromkeys(name for row in rows for name in _mapping(row.get("checks"))))
    lines = _readable(lambda told: scores.texts(told, words.language), [final])
    outcome, more = str(final.get("outcome")), final.get("more_failed")
    cost, tokens, time = facts_of.spending(facts)
    return {
        "facts": facts,
        "w": words,
        "title": words("scores.title"),
        "problem": told.problem.strip() or "—",
        "verdict": words(f"scores_outcome.{outcome if outcome in _TONES else 'none'}"),
        "tone": _TONES.get(outcome, "none"),
        "parties": [(seat.name, model_name(seat.model) or words("unknown")) for seat in told.agents],
        "lines": lines[0] if lines else [],
        "seed": _seed(final, words),
        "checks": names,
        "rows": _readable(lambda row: _row(row, names), rows),
        "sections": _readable(lambda item: _section(item, wants, words), failed),
        "more": words("scores.more", n=words.number(more)) if isinstance(more, int) and more > 0 else "",
        "date": told.started if facts.date else words("no_date", date=facts.written.isoformat()),
        "cost": cost,
        "tokens": tokens,
        "time": time,
        "notes": told.notes,
    }


def _seed(final: Mapping[str, Any], words: Words) -> str:
    told = [words("scores.seed", seed=final.get("seed", "—"), temperature=final.get("temperature", "—"))]
    own = final.get("own_seed")
    if own and isinstance(own, list | tuple):
        told.append(words("scores.own_seed", models=", ".join(map(str, own))))
    return say(words.language, "between_sentences").join(told)


def _row(row: Mapping[str, Any], names: Sequence[str]) -> Row:
    checks = [row["checks"].get(name) for name in names]
    return Row(
        task=str(row["task"]),
        instruction=shorten(str(row["instruction"]), _INSTRUCTION),
        passed=f"{row['passed']}/{row['valid']}",
        checks=["—" if each is None else f"{each[0]}/{each[1]}" for each in checks],
        turns="—" if row["turns"] is None else f"{row['turns']:.1f}",
        ends=", ".join(f"{name} {count}" for name, count in sorted(row["stops"].items())) or "—",
        unscored=[str(each) for each in row["unscored"]],
    )


def _section(item: Mapping[str, Any], wants: Mapping[str, str], words: Words) -> Section:
    failed = ", ".join(check["name"] for check in item["checks"] if check["status"] == "fail")
    status = words(f"scores_status.{item['status']}") + (f" ({failed})" if failed else "")
    told = [f"{words('scores.wants')}{words('colon')}{flat(wants.get(str(item['task']), '—'))}"]
    told.append(words("scores.stop", stop=item["stop"]))
    if item["error"]:
        told.append(f"{words('scores.error')}{words('colon')}{flat(str(item['error']))}")
    if item["simulator_invalid"]:
        told.append(words("scores.invalid"))
        told += [flat(str(each)) for each in item["simulator_invalid"]]
    if item.get("style"):
        told += [f"{words('scores.style')}{words('colon')}{flat(str(each))}" for each in item["style"]]
    return Section(
        title=words("scores.trial", task=item["task"], trial=item["trial"], status=status),
        facts=told,
        checks=[
            (
                f"{check['name']}{words('colon')}{words('scores_status.' + check['status'])}",
                [
                    f"{words(f'scores_evidence.{kind}')}{words('colon')}{flat(about)}"
                    for kind, about in check["evidence"]
                    if about != item["error"]
                ],
            )
            for check in item["checks"]
        ],
        messages=[
            (words(f"scores.{message['party']}"), message["text"].strip() or words("scores.nobody"))
            for message in item["messages"]
        ],
        calls=[_call(call, words) for call in item["calls"]],
    )


def _call(call: Mapping[str, Any], words: Words) -> str:
    by = f"{call['by']}: " if call["by"] else ""
    refused = "" if call["ok"] else f" ({words('scores.refused')})"
    return flat(f"{by}{call['tool']} {call['args']} → {call['result']}{refused}")


def _readable(make: Callable[[Mapping[str, Any]], T], items: Sequence[Mapping[str, Any]]) -> list[T]:
    """What `make` makes of each item; one from elsewhere or of another version that it cannot read is left out."""
    made = []
    for item in items:
        with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError, IndexError):
            made.append(make(item))
    return made


def _listed(value: Any) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
