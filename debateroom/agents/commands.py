"""Programs as tools: an argument list without a shell, run in the agent file's folder, ended when their time is over.

The arguments of the call stand where the list says `{name}`, and all of them as a JSON object on standard input.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debateroom.agents.run import Run
from debateroom.agents.tools import MOST_TEXT, TIMEOUT, Outcome, cut
from debateroom.agents.wording import say
from debateroom.messages import ToolSpec
from debateroom.models.assistants import environment
from debateroom.models.catalog import provider, web_providers
from debateroom.models.processes import Programs, Ran, Stopped, TooMuch

_PLACE = re.compile(r"\{(\w+)\}")
_MOST_BYTES = 4_000_000
"""What a program may write; what the model is given of it is far less."""
_MOST_REASON = 2_000


def find_program(name: str, folder: Path) -> str:
    """Absolute path of a program on the PATH or, named by a path, in `folder`. Raises ValueError."""
    found = shutil.which(str(folder / name if "/" in name else Path(name)))
    if found is None:
        raise ValueError(f"there is no program {name} here")
    return str(Path(found).absolute())


def keyless(folder: Path) -> dict[str, str]:
    """The variables of a program that a model decides about, run in `folder`: without any of the vendors' keys."""
    keys = {provider(each).key_variable for each in web_providers()}
    return {name: value for name, value in environment({}, folder).items() if name not in keys}


class NotAValue(Exception):
    """A value that could be taken for an option; the message is for the model that gave it."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A command line with places for the values of a call."""

    program: str
    """Absolute path of the program."""
    words: tuple[str, ...]
    names: frozenset[str]
    """What may stand between braces; other braces are what they are."""

    @classmethod
    def of(cls, words: Sequence[str], schema: Mapping[str, Any], folder: Path) -> Placed:
        """The command line in `words`, its program found on the PATH or in `folder`. Raises ValueError."""
        return cls(find_program(words[0], folder), tuple(words[1:]), frozenset(schema.get("properties") or {}))

    def filled(self, arguments: Mapping[str, Any], language: str) -> list[str]:
        """All arguments of one call. A word made of a value that was not given is left out. Raises NotAValue."""
        filled, options_ended = [self.program], False
        for word in self.words:
            names = [name for name in _PLACE.findall(word) if name in self.names]
            if any(name not in arguments for name in names):
                continue
            value = _PLACE.sub(lambda match: self._value(match, arguments), word)
            if names and not options_ended and value.startswith("-") and not word.startswith("-"):
                raise NotAValue(say(language, "value_is_option", name=names[0]))
            options_ended = options_ended or word == "--"
            filled.append(value)
        return filled

    def _value(self, match: re.Match[str], arguments: Mapping[str, Any]) -> str:
        if match[1] not in self.names:
            return match[0]
        value = arguments[match[1]]
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class CommandTool:
    """One program. It is given none of the vendors' keys: a model decides what it is called with."""

    def __init__(
        self,
        spec: ToolSpec,
        line: Placed,
        *,
        folder: Path,
        programs: Programs,
        timeout: float = TIMEOUT,
        most: int = MOST_TEXT,
    ) -> None:
        self.spec = spec
        self.timeout = timeout
        self.aliases: Mapping[str, str] = {}
        self._line = line
        self._folder = folder
        self._programs = programs
        self._most = most
        """Characters of its output that the model is given."""

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """What it wrote to standard output. Another exit code than 0, or too long a time, is a failure."""
        seconds = min(self.timeout, max(run.left(), 0.0))
        language, name = run.language, self.spec.name
        try:
            ran = self._ran(self._line.filled(arguments, language), arguments, seconds)
        except NotAValue as error:
            return Outcome(str(error), ok=False, executed=False)
        except TimeoutError:
            return Outcome(say(language, "tool_too_slow", name=name, seconds=f"{seconds:.3g}"), ok=False)
        except TooMuch:
            return Outcome(say(language, "tool_wrote_too_much", name=name), ok=False)
        except Stopped:
            return Outcome(say(language, "tool_failed", name=name, reason="stopped"), ok=False)
        if ran.code != 0:
            reason = f"exit code {ran.code}. {(ran.err.strip() or ran.out.strip())[-_MOST_REASON:]}"
            return Outcome(say(language, "tool_failed", name=name, reason=reason), ok=False)
        return Outcome(cut(ran.out, language, self._most))

    def _ran(self, words: Sequence[str], arguments: Mapping[str, Any], seconds: float) -> Ran:
        with self._programs.scratch() as scratch:
            return self._programs.run(
                words,
                folder=scratch,
                where=self._folder,
                environment=keyless(self._folder),
                seconds=seconds,
                most=_MOST_BYTES,
                prompt=json.dumps(arguments, ensure_ascii=False).encode("utf-8", "replace"),
            )
