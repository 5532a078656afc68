"""Small programs that print what the assistants' programs print, run as real processes under their names.

What a program does is told by the first line of its prompt that starts with `DO `; each notes how it was called.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parent / "programs"


class Installed:
    """Programs at the front of PATH, and how they were called."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        (folder / "bin").mkdir()
        monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("CALL_LOG", str(folder / "calls.jsonl"))
        monkeypatch.setenv("PIDS", str(folder / "pids"))
        for name in ("claude", "codex", "gemini", "own"):
            self.install(name)

    def install(self, name: str) -> Path:
        """The path of the program `name` on PATH."""
        path = self._folder / "bin" / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PROGRAMS / name}.py" "$@"\n')
        path.chmod(0o755)
        return path

    def remove(self, name: str) -> None:
        """Takes a program off PATH."""
        (self._folder / "bin" / name).unlink()

    def calls(self) -> list[dict[str, Any]]:
        """How the programs were called, in order."""
        path = self._folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def pids(self) -> list[int]:
        """The programs that have told their families, and all their children."""
        return [pid for path in self._folder.glob("pids.*.json") for pid in json.loads(path.read_text())]


def alive(pid: int) -> bool:
    """Whether a process is running; a zombie is not."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def until(condition: Callable[[], Any], seconds: float = 20.0) -> None:
    """Waits for `condition`; fails when it does not come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)
