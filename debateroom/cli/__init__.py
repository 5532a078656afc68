"""The command line: `main` is where every call enters, and where every error gets its exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from debateroom import interruption
from debateroom.cli import front, output, stdout
from debateroom.errors import DebateroomError, Declined, UsageError
from debateroom.terminal import quoted


def main() -> NoReturn:
    """Runs the command line of this process and ends it with the exit code (DESIGN, section 6)."""
    _open_streams()
    interruption.install()
    try:
        code = run(sys.argv[1:])
    finally:
        interruption.leave()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)  # sys.exit would wait for calls that are still under way in the pool


def _open_streams() -> None:
    """Makes stdout and stderr writable whatever the caller closed, and never fail on a character."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: what is said there goes nowhere, the work goes on
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        with contextlib.suppress(AttributeError, ValueError):
            getattr(sys, name).reconfigure(errors="replace")


def run(arguments: Sequence[str]) -> int:
    """The exit code of one call; what went wrong is said on stderr, and on stdout as JSON where that was asked."""
    try:
        return _run(arguments)
    finally:
        stdout.give_back()


def _run(arguments: Sequence[str]) -> int:
    as_json = front.asks_for_json(arguments)
    try:
        code = front.group.main(args=front.with_command(arguments), prog_name="debateroom", standalone_mode=False)
    except BaseException as error:
        stop = interruption.behind(error)
        if stop is None:
            return _failed(_hinted(error, arguments), as_json)
        interruption.obeyed()
        goes_on = arguments[:1] in (["resume"], ["batch"])
        typed = " ".join(["debateroom", *map(quoted, arguments)]) if goes_on else None
        return output.interrupted(stop, as_json=as_json, typed=typed)
    return code if isinstance(code, int) else 0


def _hinted(error: BaseException, arguments: Sequence[str]) -> BaseException:
    """The error of a setting, with the help of the command that was called."""
    from debateroom import settings

    if isinstance(error, UsageError) and error.hint == settings.HELP:
        error.hint = f"debateroom {_called(front.with_command(arguments))} --help"
    return error


def _called(arguments: Sequence[str]) -> str:
    """The words that name the command that was called: `debate`, `playbook run`."""
    first, *more = arguments
    if first == "eval" and more[:1] not in (["meta"], ["regrade"]):
        return "eval run"
    command = front.group.get_command(click.Context(front.group), first)
    known = isinstance(command, click.Group) and more and more[0] in command.commands
    return f"{first} {more[0]}" if known else first


def _failed(error: BaseException, as_json: bool) -> int:
    """Says what went wrong, and its exit code. Raises what is a fault of our own."""
    try:
        raise error
    except KeyboardInterrupt:
        output.note("debateroom: interrupted")
        return 130
    except click.Abort:  # the end of input, where an answer was asked for
        output.note("")
        ended = Declined(
            "the question was not answered: standard input ended",
            hint="debateroom debate --help: --anyway and --yes answer what is asked",
        )
        return output.failed(ended, as_json=as_json)
    except click.ClickException as error:
        return output.failed(_usage(error), as_json=as_json)
    except output.Unwritable as error:
        return _unwritable(error)
    except DebateroomError as error:
        return output.failed(error, as_json=as_json)
    except BrokenPipeError:  # the reader has gone: nothing more can be said to it
        output.to_nobody()
        return 0
    except OSError as error:
        return _unwritable(DebateroomError(f"standard output cannot be written: {error.strerror or error}"))


def _unwritable(error: DebateroomError) -> int:
    """Says on stderr that standard output could not be written, and writes nothing more there."""
    output.to_nobody()
    return output.failed(error, as_json=False)


def _usage(error: click.ClickException) -> UsageError:
    """click's error as ours, with the help of the command it came from."""
    from debateroom.models.quote import scrub

    command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "debateroom"
    return UsageError(scrub(error.format_message()), hint=f"{command} --help")
