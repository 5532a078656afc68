"""Standard output is the answer's: where code of the user's may run, what it prints there goes to standard error.

Tools, worlds and hooks run in this process. They may print, write to file descriptor 1, or start programs that do.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

_OUT, _ERR = 1, 2
"""The file descriptors of standard output and standard error."""


class _Taken:
    """Standard output while it is taken."""

    stream: Any = None
    """What leads to it; None while it is not taken."""
    before: Any = None
    """What `sys.stdout` was."""
    number: int | None = None
    """File descriptor of its own; None where standard output was closed from the beginning."""


def stream() -> Any:
    """What the answer is written to: standard output, taken or not."""
    return _Taken.stream or sys.stdout


def take() -> None:
    """From now on only `stream` leads to standard output; for commands in which code of the user's may run."""
    if _Taken.stream is not None:
        return
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    _Taken.before = _Taken.stream = sys.stdout
    with contextlib.suppress(OSError):  # closed by the caller: nothing can be written to it
        _Taken.number = os.dup(_OUT)
        if _is_real(sys.stdout):
            told = sys.stdout.encoding
            _Taken.stream = open(_Taken.number, "w", encoding=told, errors="replace", closefd=False)  # noqa: SIM115
        _lead_aside()
    sys.stdout = sys.stderr


def give_back() -> None:
    """Standard output is everybody's again."""
    if _Taken.stream is None:
        return
    with contextlib.suppress(OSError, ValueError):
        _Taken.stream.flush()
    if _Taken.number is not None:
        os.dup2(_Taken.number, _OUT)
        os.close(_Taken.number)
    sys.stdout = _Taken.before
    _Taken.stream = _Taken.before = _Taken.number = None


def _is_real(out: Any) -> bool:
    try:
        return bool(out.fileno() == _OUT)
    except (OSError, ValueError, AttributeError):  # a stand-in, as in a test
        return False


def _lead_aside() -> None:
    """Lets the descriptor of standard output lead to standard error, or nowhere where that is closed."""
    try:
        os.dup2(_ERR, _OUT)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), _OUT)
