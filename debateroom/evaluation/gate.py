"""`pass^1>=0.7`: a bar that an evaluation must reach, for continuous integration. Pure."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from debateroom.errors import UsageError
from debateroom.evaluation.figures import Figures, Rate
from debateroom.evaluation.task import CHECKS

_GATE = re.compile(
    r"\s*pass\s*\^\s*(?P<k>\d{1,4})\s*(?:by\s+(?P<check>[a-z_]+)\s*)?>=\s*(?P<bar>\d+(?:\.\d+)?)\s*(?P<percent>%?)\s*"
)


class Gate(NamedTuple):
    """A bar for pass^k, over all checks or of one."""

    text: str
    k: int
    check: str
    """The check whose pass^k is meant; empty is all of them together."""
    bar: float
    """0 to 1."""


class Passed(NamedTuple):
    """How a gate came out."""

    ok: bool
    value: float | None
    """pass^k; None when no task has so many valid trials: then the bar is not reached."""
    complete: bool = True
    """Whether every planned trial came to an end; else nothing is reached yet."""


def read_gate(text: str) -> Gate:
    """The gate in `pass^1>=0.7` or `pass^2 by db_state >= 50%`. Raises UsageError for anything else.

    >>> read_gate("pass^2 by db_state >= 50%")
    Gate(text='pass^2 by db_state >= 50%', k=2, check='db_state', bar=0.5)
    """
    found = _GATE.fullmatch(text)
    hint = 'write it as "pass^1>=0.7", or "pass^2 by db_state>=0.5"'
    if not found:
        raise UsageError(f"--gate {text!r} cannot be understood", hint=hint)
    bar = float(found["bar"]) / (100 if found["percent"] else 1)
    if not 0 <= bar <= 1 or int(found["k"]) < 1:
        raise UsageError(f"--gate {text!r}: k is 1 or more, and the bar a share from 0 to 1", hint=hint)
    if found["check"] and found["check"] not in CHECKS:
        raise UsageError(f"--gate {text!r}: there is no check {found['check']}", hint=", ".join(CHECKS))
    return Gate(text.strip(), int(found["k"]), found["check"] or "", bar)


def passed(gate: Gate, found: Figures) -> Passed:
    """Whether the figures reach the gate's bar; a hair of binary fractions below it is on it.

    With trials that are still to be played nothing is reached.
    """
    complete = not found.missing and not found.errors
    rate: Rate | None = found.overall
    if gate.check:
        rate = next((each for name, each in found.by_check.items() if name == gate.check), None)
    if rate is None or gate.k > rate.most or math.isnan(rate.pass_hat[gate.k - 1]):
        return Passed(False, None, complete)
    value = rate.pass_hat[gate.k - 1]
    return Passed(complete and value >= gate.bar - 1e-12, value, complete)
