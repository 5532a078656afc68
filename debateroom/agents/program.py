"""`command:"…"` and `python:module:callable`: an agent in a process of its own, spoken to in lines of JSON.

It is given one line a turn on standard input, with the whole conversation, so that it need not remember anything:

    {"protocol": 1, "session": "…", "turn": 2, "messages": [{"role": "user", "content": "…"}, …], "seconds": 57.0}

and answers with one line on standard output, flushed (its form: `outside`). It may go on running and be given the
next turn, or exit with code 0 and be started again. `seconds` is how long it has; after that it is killed with all
its children. Standard error is free, and quoted when it crashes; a crash after the last answer is one too, but not
how it takes the end of its input. It runs without a shell, in the folder in which its room was started.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

from debateroom import clock
from debateroom.agents.agent import Answered, OnEvent
from debateroom.agents.lines import MOST_LINE, Ended, LineProgram, OutOfTurn
from debateroom.agents.outside import ends_at, garbage, messages, read_said
from debateroom.agents.references import lacks, next_step
from debateroom.errors import AgentFailed, DebateroomError, UsageError
from debateroom.files import whole_characters
from debateroom.messages import CALL_SECONDS, Turn
from debateroom.models.assistants import environment
from debateroom.models.command import in_folder
from debateroom.models.processes import Programs, Stopped, TooMuch
from debateroom.models.quote import safe_line
from debateroom.reading import strict

_PROTOCOL = 1


class ProgramAgent:
    """An agent behind a program. What it does beside answering, like the tools it runs, is known from its answers."""

    capabilities: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    def __init__(
        self, name: str, model: str, program: LineProgram, *, session: str = "", call_timeout: float = CALL_SECONDS
    ) -> None:
        self.name = name
        self.model = model
        self._program = program
        self._session = session
        self._call_timeout = call_timeout

    def answer(
        self, said: Sequence[Turn], *, until: float | None = None, on_event: OnEvent | None = None
    ) -> Answered:
        """What the program says. Raises AgentFailed when it crashed, ran out of time or answered garbage."""
        began = clock.monotonic()
        ends = ends_at(began, self._call_timeout, until)
        with self._failing(f"gave no answer within {ends - began:.3g} s; it was ended", "and without an answer"):
            line = self._program.exchange(self._message(said, ends - began), ends)
        try:
            value = strict.loads(line)
        except strict.KeyTwice as twice:
            self._program.close()
            raise garbage(self.name, str(twice)) from None
        except (ValueError, RecursionError):
            self._program.close()
            raise garbage(self.name, f"{safe_line(line.decode('utf-8', 'replace'))!r} is not JSON") from None
        try:
            return read_said(value, agent=self.name, model=self.model, seconds=clock.monotonic() - began)
        except AgentFailed:
            self._program.close()
            raise

    def finish(self) -> None:
        """Ends the program. Raises AgentFailed when it crashed after its last answer, or wrote more than that."""
        with self._failing("did not end", "after its last answer"):
            try:
                self._program.finish()
            except Stopped:  # nothing is known against it
                raise DebateroomError(f"The agent {self.name} was ended: the run was stopped.") from None

    def close(self) -> None:
        """Ends the program."""
        self._program.close()

    def _message(self, said: Sequence[Turn], seconds: float) -> bytes:
        message: dict[str, Any] = {
            "protocol": _PROTOCOL,
            "session": self._session,
            "turn": sum(turn.role == "user" for turn in said),
            "messages": messages(said),
            "seconds": round(seconds, 3),
        }
        return whole_characters(json.dumps(message, ensure_ascii=False)).encode()

    @contextlib.contextmanager
    def _failing(self, late: str, when: str) -> Iterator[None]:
        """What goes wrong with the program in the block is AgentFailed."""
        try:
            yield
        except TimeoutError:
            raise AgentFailed(f"The agent {self.name} {late}.") from None
        except Ended as error:
            said = f" It said: {safe_line(error.err[-300:])}" if error.err else ""
            raise AgentFailed(f"The agent {self.name} ended with exit code {error.code} {when}.{said}") from None
        except TooMuch:
            raise garbage(self.name, f"it wrote more than {MOST_LINE / 1e6:g} MB") from None
        except OutOfTurn:
            raise garbage(self.name, "it wrote a line that it was not asked for") from None
        except Stopped:
            raise AgentFailed(f"The agent {self.name} was ended: the run was stopped.") from None
        except OSError as error:
            raise AgentFailed(f"The agent {self.name} cannot be started: {error.strerror or error}.") from None


def command_agent(
    line: str, programs: Programs, *, folder: Path, session: str, call_timeout: float = CALL_SECONDS
) -> ProgramAgent:
    """The agent behind a command line, run in `folder`; starts nothing yet. Raises UsageError for no such program."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"command:{line} cannot be read: {error}", hint="check its quotes") from error
    found = shutil.which(in_folder(folder, words[0])) if words else None
    if found is None:
        raise UsageError(
            f"There is no program {words[0] if words else 'with an empty name'} here.",
            hint="name a program that is on the PATH, or give its whole path",
        )
    arguments = [str(Path(found).absolute()), *words[1:]]
    program = LineProgram(programs, arguments, folder=folder, environment=environment({}, folder))
    name = PurePath(words[0]).stem
    return ProgramAgent(name, f"command:{line}", program, session=session, call_timeout=call_timeout)


def python_agent(
    reference: str, programs: Programs, *, folder: Path, session: str, call_timeout: float = CALL_SECONDS
) -> ProgramAgent:
    """The agent behind `module:callable`, in a Python of its own: modules are found in `folder`, else as in this one.

    A process, because a callable that hangs can be stopped there and nowhere else. Raises UsageError for one that
    surely is not there; what else is wrong with it shows when it is first asked.
    """
    module, colon, name = reference.partition(":")
    if not module or not colon or not name:
        raise UsageError(f"python:{reference} is not written as python:module:callable")
    if why := lacks(reference, folder):
        raise UsageError(f"python:{reference}: {why}", hint=next_step(reference, folder))
    own = "import sys; from debateroom.agents.callee import main; sys.exit(main(sys.argv[1]))"
    path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path if entry)
    more = {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
    arguments = [sys.executable, "-c", own, reference]
    program = LineProgram(programs, arguments, folder=folder, environment=environment(more, folder))
    return ProgramAgent(name, f"python:{reference}", program, session=session, call_timeout=call_timeout)
