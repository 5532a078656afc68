"""What all the programs share: they note how they were called, and do what the prompt says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def read() -> tuple[str, str]:
    """The prompt, and the word after its line `DO `; how the program was called is in CALL_LOG afterwards."""
    prompt = sys.stdin.read()
    if log := os.environ.get("CALL_LOG"):
        called = {
            "arguments": sys.argv[1:],
            "prompt": prompt,
            "folder": str(Path.cwd()),
            "files": [path.name for path in Path().iterdir()],
            "environment": dict(os.environ),
            "pid": os.getpid(),
            "group": os.getpgrp(),
            "read": {path.name: path.read_text() for path in named()},
        }
        with Path(log).open("a") as file:
            file.write(json.dumps(called) + "\n")
    orders = [line[3:] for line in prompt.splitlines() if line.startswith("DO ")]
    return prompt, orders[0] if orders else "answer"


def named() -> list[Path]:
    """Files that are named in the arguments, alone or behind `name=`, or as the system prompt of Gemini CLI."""
    words = [word.rpartition("=")[2] for word in (*sys.argv[1:], os.environ.get("GEMINI_SYSTEM_MD", ""))]
    return [Path(word) for word in words if word.startswith("/") and len(word) < 1000 and Path(word).is_file()]


def first_time() -> bool:
    """Whether this call is the first in CALL_LOG."""
    return len(Path(os.environ["CALL_LOG"]).read_text().splitlines()) == 1


def common(order: str) -> None:
    """Orders that every program understands: to sleep, to have stubborn children, to flood, to fail bare."""
    if order == "sleep":
        time.sleep(60)
    elif order == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    elif order == "family":
        family()
        time.sleep(60)
    elif order == "leave children":
        family()
    elif order == "crash":
        sys.stderr.write("Traceback\n  deep inside\nOSError: key sk-ant-secret-0123456789 refused\n")
        raise SystemExit(7)
    elif order == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif order == "nothing":
        raise SystemExit(0)
    elif order == "noise":
        print("Welcome! A new version is available.")
        raise SystemExit(0)


def family() -> None:
    """A child in this group and one in a group of its own, both deaf to SIGTERM; their pids go to PIDS."""
    deaf = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    pids = [os.getpid()]
    for apart in (False, True):
        child = subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE, start_new_session=apart)
        assert child.stdout is not None
        child.stdout.readline()
        pids.append(child.pid)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    draft = Path(os.environ["PIDS"] + f".{os.getpid()}.draft")
    draft.write_text(json.dumps(pids))
    draft.replace(os.environ["PIDS"] + f".{os.getpid()}.json")
