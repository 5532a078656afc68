"""What can go wrong with a program that is run for a call: its sentence, and whether another try would help."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping
from typing import NamedTuple

from debateroom.errors import CallFailed, NoModel
from debateroom.models.assistants import Assistant
from debateroom.models.printed import Printed
from debateroom.models.processes import Ran
from debateroom.models.quote import one_line, scrub


class Kind(NamedTuple):
    """One way a program fails."""

    sentence: str
    """For people; `{name}` is the command line, `{said}` a figure or the program's own words."""
    cause: str
    """The word that goes into `CallFailed.cause`."""
    retry: bool = False
    hint: str | None = None


KINDS: Mapping[str, Kind] = {
    "timeout": Kind("{name} did not answer within {said} and was ended.", "timeout", True),
    "stopped": Kind("The run was stopped before {name} had answered.", "stopped"),
    "too_much": Kind("{name} wrote more than {said} and was ended.", "error"),
    "not_started": Kind("{name} could not be started: {said}.", "error"),
    "garbled": Kind("What {name} printed is not its answer, or only a part of it.", "cut", True),
    "empty": Kind("{name} gave an empty answer.", "empty", True),
    "refusal": Kind("{name} refused to answer.", "refusal"),
    "spent": Kind("The account of {name} has reached its limit. It said: {said}", "quota"),
    "busy": Kind("{name} could not reach its model, or it is overloaded. It said: {said}", "overloaded", True),
    "rate_limit": Kind("{name} is held back by a rate limit. It said: {said}", "rate_limit", True),
    "exit": Kind("{name} failed: {said}", "error"),
}
_WORDS = (
    (
        "login",
        r"not logged in|/login\b|codex login|invalid api key|incorrect api key|api key not valid|no api key"
        r"|authentication_(error|failed)|\b401\b|unauthorized|oauth token|token_revoked|set an auth method",
    ),
    (
        "spent",
        r"(usage|session|weekly|spend\w*) limit|hit your .{0,20}limit|quota|credit balance|billing",
    ),
    ("rate_limit", r"rate.?limit|\b429\b|too many requests"),
    (
        "busy",
        r"overloaded|\b5(00|02|03|04|29)\b|high demand|unavailable|stream disconnected|fetch failed|network"
        r"|timed? ?out|ECONN|ENOTFOUND|connection",
    ),
)
"""How the assistants word their failures; the first that is found counts. A user's own program has no such words."""
_STATUSES = {401: "login", 402: "spent", 429: "rate_limit"}
_TAIL = 3
"""Lines of standard error that are quoted."""
_LONGEST = 220


def failed(kind: str, name: str, said: str = "") -> CallFailed:
    """The error of one kind (a key of `KINDS`) for the program `name`."""
    row = KINDS[kind]
    return CallFailed(
        row.sentence.format(name=one_line(name), said=said), retry=row.retry, cause=row.cause, hint=row.hint
    )


def complaint(name: str, assistant: Assistant | None, ran: Ran, printed: Printed) -> CallFailed | NoModel:
    """The error for a program that ended with a failure of its own, by what it reports and by its exit code."""
    said = quoted(printed.problem) if printed.problem else _tail(ran.err if printed.complete else ran.err or ran.out)
    kind = _kind(printed, printed.problem or ran.err) if assistant else "exit"
    if kind == "login" and assistant:
        return NoModel(f"{one_line(name)} is not logged in. It said: {said}", hint=assistant.login)
    if kind == "exit" and ran.code != 0:
        said = _end(ran.code) + (f": {said}" if said else "")
    return failed(kind, name, said)


def quoted(text: str, longest: int = _LONGEST) -> str:
    """The end of what a program said, on one line and without keys."""
    text = " ".join(_without_secrets(scrub(text)).split())
    return one_line(text if len(text) <= longest else "… " + text[-longest:])


def _kind(printed: Printed, said: str) -> str:
    stated = _STATUSES.get(printed.status or 0) or ("busy" if (printed.status or 0) >= 500 else None)
    if stated == "rate_limit" and re.search(_WORDS[1][1], said, re.IGNORECASE):
        return "spent"
    return stated or next((kind for kind, words in _WORDS if re.search(words, said, re.IGNORECASE)), "exit")


def _tail(said: str) -> str:
    """The last lines of a program's standard error, or of what it printed in place of an answer."""
    lines = [line for line in said.splitlines() if line.strip()]
    return quoted("\n".join(lines[-_TAIL:]))


def _end(code: int) -> str:
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"


def _without_secrets(text: str) -> str:
    """`text` without the values of this process's variables that hold keys, whatever they look like."""
    for name, value in os.environ.items():
        if len(value) >= 8 and re.search(r"(KEY|TOKEN|SECRET|PASSWORD)$", name, re.IGNORECASE):
            text = text.replace(value, "[key]")
    return text
