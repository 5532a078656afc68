"""A command of our own, run as a process with a list of arguments: a door does what the command line does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_SECONDS = 60.0


class Called(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


def call(words: Sequence[str], folder: Path) -> Called:
    """Runs `debateroom WORDS…` in `folder`. Raises OSError and subprocess.TimeoutExpired."""
    safe = [] if {"", str(Path.cwd())} & set(sys.path) else ["-P"]
    ran = subprocess.run(
        [sys.executable, *safe, "-m", "debateroom", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    return Called(ran.returncode, ran.stdout.decode("utf-8", "replace"), ran.stderr.decode("utf-8", "replace"))
