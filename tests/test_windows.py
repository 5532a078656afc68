"""Without what only POSIX has: every module is imported, and a whole debate runs, in a process that lacks it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LACKING = """
import builtins, importlib, os, pkgutil, select, signal, socket, subprocess, sys, tempfile, threading, time

for name in ("anthropic", "openai", "filelock", "rich.live", "rich.console", "click", "pydantic", "platformdirs"):
    importlib.import_module(name)  # other people's modules know the system that they run on

MODULES = {"fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "readline", "curses", "posix"}
ATTRIBUTES = {
    os: ["fdatasync", "killpg", "getpgid", "getpgrp", "setsid", "setpgid", "fork", "forkpty", "getuid", "geteuid",
         "getgid", "chown", "lchown", "uname", "waitid", "WNOWAIT", "WEXITED", "P_PID", "WIFEXITED", "O_CLOEXEC",
         "O_NONBLOCK", "O_DIRECTORY", "O_NOFOLLOW", "openpty", "statvfs", "mkfifo", "sync", "nice"],
    signal: ["SIGKILL", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGALRM", "SIGPIPE", "SIGXFSZ",
             "SIGTSTP", "SIGCONT", "SIGSTOP", "pthread_sigmask", "alarm", "setitimer", "siginterrupt"],
    socket: ["AF_UNIX"],
    time: ["tzset", "pthread_getcpuclockid"],
}
real = builtins.__import__


def lacking(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    if importer.partition(".")[0] in ("debateroom", "__main__") and name.partition(".")[0] in MODULES:
        raise ModuleNotFoundError(f"No module named {name!r}")
    return real(name, globals, locals, fromlist, level)


class Without:
    '''A module as debateroom sees it: without what only POSIX has. The standard library keeps its own.'''

    def __init__(self, module, names):
        self.__dict__.update(_module=module, _names=set(names))

    def __getattr__(self, name):
        if name in self._names:
            raise AttributeError(f"module {self._module.__name__!r} has no attribute {name!r}")
        return getattr(self._module, name)

    def __setattr__(self, name, value):
        setattr(self._module, name, value)


poor = {module.__name__: Without(module, names) for module, names in ATTRIBUTES.items()}


def lacking_attributes(name, globals=None, locals=None, fromlist=(), level=0):
    found = lacking(name, globals, locals, fromlist, level)
    ours = (globals or {}).get("__name__", "").partition(".")[0] == "debateroom"
    return poor.get(name, found) if ours else found


builtins.__import__ = lacking_attributes
"""

EVERY_MODULE = """
import debateroom

names = [module.name for module in pkgutil.walk_packages(debateroom.__path__, "debateroom.")]
for name in names:
    if name != "debateroom.__main__":
        importlib.import_module(name)
print(len(names))
"""


def run(program: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own that lacks what only POSIX has."""
    return subprocess.run(
        [sys.executable, "-c", LACKING + program, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def test_every_module_is_imported_without_what_only_posix_has(tmp_path: Path) -> None:
    """No module needs it at its top; the embedded model's may lack the extra."""
    done = run(EVERY_MODULE, tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


def test_the_test_sees_what_it_looks_for(tmp_path: Path) -> None:
    """A module of ours that imported fcntl, or used os.killpg, would fail here."""
    program = """
for line in sys.argv[1:]:
    try:
        exec(line, {"__name__": "debateroom.made_up", "__builtins__": builtins})
    except (AttributeError, ImportError):
        print(line)
"""
    lines = ["import fcntl", "import os; os.killpg", "from os import fdatasync", "import signal; signal.SIGKILL"]
    assert run(program, tmp_path, *lines, "import os").stdout.splitlines() == lines


def test_a_debate_is_played_stopped_and_resumed_without_what_only_posix_has(tmp_path: Path) -> None:
    """Journal, lock, handlers, reports, `--detach`, `wait`, `stop`, `rooms`: through the nearest thing there is."""
    replies = [{"default": True, "response": "POSITION: A queue.\nPROPOSAL: Build it."}]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    program = """
from debateroom import cli, interruption
interruption.install()
given = ["-r", "2", "--model", "scripted:replies.jsonl"]
codes = [cli.run(["Should we use a queue or a loop?", *given, "-q"])]
codes += [cli.run([command]) for command in ("resume", "report", "status", "rooms", "stop", "doctor")]
codes += [cli.run(["Should we use a queue or a loop?", *given, "--detach"]), cli.run(["wait", "--timeout", "60"])]
interruption.leave()
print(codes)
"""
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str([0] * 9), done.stderr
