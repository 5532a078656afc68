"""What can go wrong with a program that is run for a call: its kind, and whether another try would help."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping
from typing import NamedTuple

from debateroom.errors import CallFailed, NoModel, Wording
from debateroom.language import worded
from debateroom.models.assistants import Assistant
from debateroom.models.faults import named_hint
from debateroom.models.printed import Printed
from debateroom.models.processes import Ran
from debateroom.models.quote import safe_line, scrub


class Kind(NamedTuple):
    """One way a program fails. Its sentence is the message `program_<kind>` of `templates/labels`."""

    cause: str
    """The word that goes into `CallFailed.cause`."""
    retry: bool = False
    hint: str | None = None
    """The message that is the hint, by its name; or `{login}`, the command that logs in."""
    hopeless: bool = False
    """No call to this model can succeed, now or later: NoModel in place of CallFailed."""


KINDS: Mapping[str, Kind] = {
    "timeout": Kind("timeout", True),
    "stopped": Kind("stopped"),
    "too_much": Kind("error"),
    "not_started": Kind("error"),
    "garbled": Kind("cut", True),
    "empty": Kind("empty", True),
    # what the program itself reports
    "refusal": Kind("refusal"),
    "length": Kind("cut"),
    "too_large": Kind("too_large", hint="hint_too_large"),
    "spent": Kind("quota"),
    "busy": Kind("overloaded", True),
    "rate_limit": Kind("rate_limit", True),
    "login": Kind("key", hint="{login}", hopeless=True),
    "permission": Kind("key", hint="{login}", hopeless=True),
    "model": Kind("model", hint="hint_program_model", hopeless=True),
    "exit": Kind("error"),
}
_WORDS: Mapping[str, str] = {
    "login": r"not logged in|/login\b|codex login|invalid api key|incorrect api key|api key not valid|no api key"
    r"|authentication_(error|failed)|\b401\b|unauthorized|oauth token|token_revoked|set an auth method"
    r"|must specify the \w+_api_key",
    "permission": r"permission_(error|denied)|not have permission|\b403\b",
    "model": r"issue with the selected model|model\b.{0,60}\b(does not exist|not found|is not supported)",
    "spent": r"(usage|session|weekly|spend\w*) limit|hit your .{0,20}limit|quota|credit balance|billing",
    "too_large": r"prompt is too long|context.?(window|length)|\b413\b|request too large|maximum number of tokens",
    "refusal": r"safeguards flagged|safety settings|usage policy",
    "length": r"max_output_tokens|output token maximum",
    "empty": r"empty response",
    "garbled": r"without a finish reason",
    "rate_limit": r"rate.?limit|\b429\b|too many requests",
    "busy": r"overloaded|\b5(00|02|03|04|29)\b|high demand|unavailable|stream disconnected|fetch failed|network"
    r"|timed? ?out|ECONN|ENOTFOUND|connection",
}
"""How the assistants word their failures; the first that is found counts. A user's own program has no such words."""
_STATUSES = {401: "login", 402: "spent", 403: "permission", 404: "model", 413: "too_large", 429: "rate_limit"}
_UNQUOTED = ("garbled", "empty")
"""Kinds of which the program's own words say nothing more."""
_TAIL = 3
"""Lines of standard error that are quoted."""
_LONGEST = 220


def failed(
    kind: str, name: str, said: str = "", *, login: str = "", ended: Wording | None = None, figure: str = ""
) -> CallFailed | NoModel:
    """The error of one kind (a key of `KINDS`) for the program `name`, which the command `login` logs in to.

    `said` are its own words, `ended` how it ended, `figure` the limit that it passed or the reason of the system.
    """
    row = KINDS[kind]
    wording = [Wording(f"program_{kind}", {"name": safe_line(name), "figure": figure})]
    wording += [ended] if ended else []
    if said and kind not in _UNQUOTED:
        wording.append(Wording("program_last_said" if kind == "timeout" else "fault_said", {"words": said}))
    hint = login if row.hint == "{login}" else named_hint(row.hint)
    if row.hopeless:
        return worded(NoModel, *wording, hint=hint)
    return worded(CallFailed, *wording, retry=row.retry, cause=row.cause, hint=hint)


def complaint(name: str, assistant: Assistant | None, ran: Ran, printed: Printed) -> CallFailed | NoModel:
    """The error for a program that ended with a failure of its own, by what it reports and by its exit code."""
    said = quoted(printed.problem) if printed.problem else _tail(ran.err if printed.complete else ran.err or ran.out)
    kind = _kind(printed, printed.problem or ran.err) if assistant else "exit"
    ended = _end(ran.code) if kind == "exit" and ran.code != 0 else None
    return failed(kind, name, said, ended=ended, login=assistant.login if assistant else "")


def late(name: str, seconds: float, ran: Ran, printed: Printed) -> CallFailed | NoModel:
    """The error for a program whose time was over, with its last words: they often say what it was waiting for."""
    said = quoted(printed.problem) if printed.problem else _tail(ran.err)
    return failed("timeout", name, said, figure=f"{max(seconds, 1):.0f}")


def quoted(text: str, longest: int = _LONGEST) -> str:
    """The end of what a program said, on one line and without keys."""
    text = " ".join(_without_secrets(scrub(text)).split())
    return safe_line(text if len(text) <= longest else "… " + text[-longest:])


def _kind(printed: Printed, said: str) -> str:
    """The kind by the stop reason and the status that are reported, else by the words; a spent account says 429."""
    if printed.stop_reason == "refusal":
        return "refusal"
    worded = next((kind for kind, words in _WORDS.items() if re.search(words, said, re.IGNORECASE)), "exit")
    stated = _STATUSES.get(printed.status or 0) or ("busy" if (printed.status or 0) >= 500 else None)
    return "spent" if stated == "rate_limit" and worded == "spent" else stated or worded


def _tail(said: str) -> str:
    """The last lines of a program's standard error, or of what it printed in place of an answer."""
    lines = [line for line in said.splitlines() if line.strip()]
    return quoted("\n".join(lines[-_TAIL:]))


def _end(code: int) -> Wording:
    if code >= 0:
        return Wording("program_exit_code", {"code": str(code)})
    try:
        return Wording("program_signal", {"signal": signal.Signals(-code).name})
    except ValueError:
        return Wording("program_signal", {"signal": str(-code)})


def _without_secrets(text: str) -> str:
    """`text` without the values of this process's variables that hold keys, whatever they look like."""
    for name, value in os.environ.items():
        if len(value) >= 8 and re.search(r"(KEY|TOKEN|SECRET|PASSWORD)$", name, re.IGNORECASE):
            text = text.replace(value, "[key]")
    return text
