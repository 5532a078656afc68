"""`command:PROGRAM …`: a model behind a program on this machine, an assistant's or the user's own.

The prompt goes to its standard input; it runs in an empty folder, without a shell, and is ended with all its children
when its time is over. A limit on tokens cannot be passed on: such a program has its own.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import shlex
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from debateroom import secrecy, templates
from debateroom.errors import DebateroomError, NoModel, UsageError
from debateroom.files import whole_characters
from debateroom.messages import Answer, Looked, Model, OnText, Request
from debateroom.models import catalog
from debateroom.models.assistants import Assistant, assistants, environment
from debateroom.models.calls import Call, Caller
from debateroom.models.catalog import ModelName
from debateroom.models.complaints import complaint, failed, late
from debateroom.models.gate import Gate
from debateroom.models.printed import READERS, Printed
from debateroom.models.processes import Programs, Ran, Stopped, TimedOut, TooMuch
from debateroom.models.prompt import closed
from debateroom.models.quote import scrub, without_keys
from debateroom.terminal import is_blank

MOST_OUTPUT = 4_000_000
"""Bytes that a program may write."""
ATTEMPTS = 3
"""Times a program of the user's own is started for one call at most."""
_MOST_RESULT, _MOST_ARGUMENTS = 20_000, 20
"""Characters of a text, and arguments of a look-up, that are kept of what a program says it looked up."""
AT_ONCE = 8
"""Calls at once to one assistant at most: each is a process of some hundred megabytes."""


class Opens(Protocol):
    """What of `registry.Models` is used here."""

    @property
    def settings(self) -> Any: ...

    stop: threading.Event

    def keep(self, thing: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line, ready to run from any folder."""

    name: str
    """As the user wrote it."""
    program: str
    """Absolute path of the program."""
    arguments: tuple[str, ...]
    """The user's own arguments."""
    assistant: Assistant | None
    """The known assistant whose program it is; None for the user's own."""

    def filled(self, request: Request, folder: Path) -> Filled:
        """Arguments and variables of one call. Files that they name are written into `folder`."""
        row = self.assistant
        if row is None:
            return Filled([self.program, *self.arguments], {})
        told = templates.data("prompts/commands.toml")["system_looking" if request.folder else "system"]
        values = {"scratch": str(folder), "system": str(told)}
        values |= self._looking(row, request.folder) if request.folder else {}
        contents = {name: _filled(text, values) for name, text in row.files.items()}
        contents["system_file"] = values["system"]
        if request.schema is not None:
            contents["schema"] = values["schema_text"] = json.dumps(closed(request.schema))
        for name, content in contents.items():
            path = folder / name
            path.write_text(content, encoding="utf-8")
            values[name] = str(path)
        before = (*row.before, *(row.looking if request.folder else row.closed))
        before += row.schema if request.schema is not None else ()
        return Filled(
            [self.program, *(_filled(argument, values) for argument in before), *self.arguments, *row.after],
            {name: _filled(value, values) for name, value in row.environment.items()},
        )

    def _looking(self, row: Assistant, folder: str) -> dict[str, str]:
        """What arguments and files name when the program may look at a folder."""
        secrets = row.between.join(row.secret.replace("{pattern}", glob) for glob in secrecy.globs())
        real = Path(self.program).resolve()
        # a launcher of npm's starts the program proper out of the package beside it
        install = real.parents[2] if real.suffix == ".js" else real.parent
        return {
            "folder": folder,
            "install": str(install),
            "secrets": secrets,
            "secret_expression": secrecy.expression(),
        }


class Filled(NamedTuple):
    """What a program is started with."""

    arguments: list[str]
    """The program first."""
    environment: Mapping[str, str]
    """Variables beside those of this process."""


def _filled(text: str, values: Mapping[str, str]) -> str:
    """`text` with each `{name}` replaced by what it stands for, in one go: a value may hold braces too."""
    return re.sub(r"\{([\w.]+)\}", lambda found: values.get(found[1], found[0]), text)


class CommandModel:
    """A model that is asked by running a program once for each call."""

    moderates = True

    def __init__(self, named: ModelName, line: CommandLine, programs: Programs, caller: Caller) -> None:
        known = catalog.info(named)
        self.name = known.name
        self.vendor = known.vendor
        self.window = known.window
        self._line = line
        self._programs = programs
        self._caller = caller

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """The program's answer. Raises CallFailed when this call failed, NoModel when nobody is logged in to it.

        Raises UsageError for a request with tools: such a program has its own, and is asked without any.
        """
        if request.tools:
            raise UsageError(f"{self.name} takes no tools.", hint="name a model that is asked through an API")

        def attempt(call: Call) -> Answer:
            ran = self._run(request, call)
            printed = self._printed(ran)
            try:
                answer = self._answer(ran, printed, call.seconds())
            except DebateroomError as error:
                error.paid = printed.paid
                raise
            if on_text is not None:
                on_text(answer.text)
            return answer

        return self._caller.run(self.name, request, attempt)

    def _run(self, request: Request, call: Call) -> Ran:
        seconds = call.left()
        try:
            with self._programs.scratch() as folder:
                filled = self._line.filled(request, folder)
                row = self._line.assistant
                where = Path(request.folder) if request.folder and row and row.inside else None
                return self._programs.run(
                    filled.arguments,
                    folder=folder,
                    where=where,
                    environment=environment(filled.environment, where or folder / "empty", row.name if row else ""),
                    prompt=whole_characters(_prompt(request, self._line.assistant)).encode(),
                    seconds=seconds,
                    most=MOST_OUTPUT,
                )
        except TimedOut as error:
            raise late(self._line.name, seconds, error.ran, self._printed(error.ran)) from None
        except Stopped:
            raise failed("stopped", self._line.name) from None
        except TooMuch:
            raise failed("too_much", self._line.name, figure=f"{MOST_OUTPUT / 1e6:g}") from None
        except OSError as error:
            raise failed("not_started", self._line.name, figure=error.strerror or type(error).__name__) from None

    def _printed(self, ran: Ran) -> Printed:
        return READERS[self._line.assistant.reads if self._line.assistant else "plain"](ran.out, ran.err)

    def _answer(self, ran: Ran, printed: Printed, seconds: float) -> Answer:
        """The answer, when neither the exit code nor the output says otherwise."""
        if printed.problem or ran.code != 0:
            raise complaint(self._line.name, self._line.assistant, ran, printed)
        if not printed.complete:
            raise failed("garbled", self._line.name)
        if is_blank(printed.text):
            raise failed("refusal" if printed.stop_reason == "refusal" else "empty", self._line.name)
        return Answer(
            printed.text, printed.usage, printed.stop_reason, printed.model or self.name, seconds, printed.cost,
            looked=tuple(map(_shown, printed.looked)),
        )  # fmt: skip


def _shown(looked: Looked) -> Looked:
    """A look-up as it is kept: without any key that is in use, and no longer than a tool's result."""
    arguments = {str(name): _clean(value) for name, value in list(looked.arguments.items())[:_MOST_ARGUMENTS]}
    return Looked(_clean(looked.name)[:80], arguments, _clean(looked.result)[:_MOST_RESULT], looked.ok)


def _clean(value: Any) -> Any:
    """A text as it may be shown; a number as it is, anything else as JSON."""
    if isinstance(value, int | float | bool | None):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return whole_characters(without_keys(text))[:_MOST_RESULT]


def _prompt(request: Request, assistant: Assistant | None) -> str:
    """Everything that is said to the program: instructions, shared blocks, the seat's own, the conversation."""
    parts = [part for part in (request.system, *request.shared, request.own) if part]
    if len(request.turns) == 1 and not parts[1:]:
        parts.append(request.turns[0].text)
    elif request.turns:
        parts.append(_conversation(request))
    if request.folder:
        parts.append(templates.data("prompts/commands.toml")["folder"].strip().format(folder=request.folder))
    if request.schema is not None and not (assistant and assistant.schema):
        wanted = json.dumps(request.schema, ensure_ascii=False)
        parts.append(templates.data("prompts/commands.toml")["schema"].strip() + "\n\n" + wanted)
    return "\n\n".join(parts)


def _conversation(request: Request) -> str:
    """The turns as one text, each in a tag that nobody in it can know."""
    tag = f"message-{secrets.token_hex(4)}"
    lines = [templates.data("prompts/commands.toml")["conversation"].strip().format(tag=tag)]
    for turn in request.turns:
        lines.append(f'<{tag} by="{"you" if turn.role == "assistant" else "them"}">\n{turn.text}\n</{tag}>')
    return "\n\n".join(lines)


def read_line(text: str, folder: Path | None = None) -> CommandLine:
    """The command line that stands after `command:`, its program found; relative paths start in `folder`, or here.

    Raises UsageError when quotes do not match, NoModel when there is no such program here.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"command:{text} cannot be read: {error}", hint="check its quotes") from error
    if scrub(text) != text:
        raise UsageError(
            "a command line is shown and kept with the room, and this one seems to hold a key",
            hint="give the key in a variable that the program reads",
        )
    assistant = assistants().get(catalog.program(text))
    found = shutil.which(in_folder(folder, words[0])) if words else None
    if found is None:
        hint = assistant.install if assistant else "name a program that is on the PATH, or give its whole path"
        raise NoModel(f"There is no program {words[0] if words else text!r} here.", hint=hint)
    arguments = words[1:] if assistant else [_in_full(word, folder) for word in words[1:]]
    return CommandLine(text, str(Path(found).absolute()), tuple(arguments), assistant)


def in_folder(folder: Path | None, program: str) -> str:
    """The program as a path that starts in `folder`, when it is a path at all and not a name on the PATH."""
    return str(Path(folder, program)) if folder and program != Path(program).name else program


def _in_full(word: str, folder: Path | None) -> str:
    """An argument that names a file of that folder as its whole path: the program runs in another folder."""
    path = Path(folder or "", word)
    with contextlib.suppress(OSError):  # a whole program as an argument is too long for a name
        if not Path(word).is_absolute() and path.is_file():
            return str(path.absolute())
    return word


@dataclass(slots=True)
class _Shared:
    """What all commands of one run share: what is running, and a gate for each program."""

    programs: Programs
    callers: dict[str, Caller]


_SHARED: WeakKeyDictionary[Opens, _Shared] = WeakKeyDictionary()


def open_model(named: ModelName, models: Opens) -> Model:
    """The model behind a command line. Starts nothing. Raises NoModel when its program is not here."""
    line = read_line(named.model, models.settings.folder)
    if models not in _SHARED:
        _SHARED[models] = _Shared(Programs(models.stop), {})
        models.keep(_SHARED[models].programs)
    shared = _SHARED[models]
    if line.program not in shared.callers:
        limit: int = models.settings.concurrency
        gate = Gate(min(limit, AT_ONCE) if line.assistant else limit, stop=models.stop)
        attempts = min(models.settings.attempts, line.assistant.attempts if line.assistant else ATTEMPTS)
        shared.callers[line.program] = Caller("command", gate=gate, attempts=attempts)
    return CommandModel(named, line, shared.programs, shared.callers[line.program])
