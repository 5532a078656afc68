"""The figures of an evaluation as lines of text: for the terminal and for both reports. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from debateroom.language import number, say
from debateroom.report.words import Words


def texts(final: Mapping[str, Any], language: str) -> list[str]:
    """The four lines first, as every evaluation has them, then pass^k, counts, baseline, what was left out, costs."""
    found = final.get("figures")
    if not isinstance(found, Mapping):
        return []
    told = [*map(str, final.get("lines", ())), "", *_unplayed(found, language)]
    told += [pass_line(say(language, "eval_all"), found["overall"])]
    told += [pass_line(name, rate) for name, rate in found["by_check"].items()]
    told += [
        "",
        *_counts(found, language),
        *_apart(found, language),
        *spent_lines(final.get("spent") or {}, language),
    ]
    gate = final.get("gate")
    if gate:
        value = "-" if gate["value"] is None else f"{gate['value']:.4g}"
        came = "eval_gate_ok" if gate["ok"] else "eval_gate_no" if gate.get("complete", True) else "eval_gate_part"
        came = say(language, came, value=value)
        told.append(say(language, "eval_gate", gate=gate["text"], came=came))
    return told


def trials(listed: Iterable[Sequence[Any]]) -> list[str]:
    """Trials by their names: `S-004 #2`."""
    return [f"{task} #{number}" for task, number in listed]


def _unplayed(found: Mapping[str, Any], language: str) -> Iterator[str]:
    """How many of the planned trials the figures are of, and which were not played; nothing when all were."""
    missing = found.get("missing_trials")
    if missing:
        done = found["trials"]
        listed = ", ".join(trials(missing))
        yield say(language, "eval_incomplete", done=done, count=done + len(missing), trials=listed)


def pass_line(name: str, rate: Mapping[str, Any]) -> str:
    """`all checks: 88/120 [0.65, 0.81]  pass^1 0.73  pass^2 0.61`."""
    interval = rate["interval"]
    between = f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else ""
    hats = "  ".join(
        f"pass^{k} {'-' if value is None else f'{value:.4f}'}" for k, value in enumerate(rate["pass_hat"], 1)
    )
    return f"{name}: {rate['passed']}/{rate['trials']}{between}  {hats}".rstrip()


def _counts(found: Mapping[str, Any], language: str) -> Iterator[str]:
    stops = ", ".join(f"{name} {count}" for name, count in sorted(found["stops"].items()))
    yield say(language, "eval_counts", stops=stops or "-")
    if found["do_nothing"]:
        part, whole = found["do_nothing"]
        yield say(language, "eval_baseline", part=part, count=whole)


def _apart(found: Mapping[str, Any], language: str) -> Iterator[str]:
    for key, name in (("eval_invalid", "invalid_trials"), ("eval_errors", "error_trials")):
        if found[name]:
            yield say(language, key, count=len(found[name]), trials=", ".join(trials(found[name])))
    if found["inconclusive"]:
        yield say(language, "eval_inconclusive", count=found["inconclusive"])
    if found.get("style"):
        yield say(language, "eval_style", count=found["style"])
    for k, tasks in found["overall"]["left_out"].items():
        yield say(language, "eval_left_out", k=k, tasks=", ".join(tasks))


def spent_lines(spent: Mapping[str, Any], language: str) -> Iterator[str]:
    """A line for each party that used something: `Agent: 5,868 tokens in, 228 out; 0.00 US dollars`."""
    words = Words(language)
    for party, told in spent.items():
        usage, cost = told["usage"], told["cost"]
        if not usage["input"] and not usage["output"]:
            continue
        tokens = words(
            "scores.tokens", input=number(language, usage["input"]), output=number(language, usage["output"])
        )
        price = words("footer.cost_unknown") if cost is None else words.money(cost)
        yield say(language, "eval_spent", party=words(f"scores.{party}"), tokens=tokens, cost=price)
