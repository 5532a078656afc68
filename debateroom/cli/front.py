"""The front door: a first word that is no command starts a question. Commands are loaded when they are called."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import click

from debateroom import __version__
from debateroom.errors import UsageError
from debateroom.terminal import quoted


class Entry(NamedTuple):
    """Where a command lives, and its line in the list of commands."""

    module: str
    help: str
    name: str = ""
    """What the command is called in its module, where that is not its own name."""


COMMANDS = {
    "arena": Entry("debateroom.cli.arena", "Have models do one task, judged by another maker's."),
    "batch": Entry("debateroom.cli.batch", "Debate many questions, a room each; the same command goes on."),
    "conclude": Entry("debateroom.cli.conclude", "Hand in your own synthesis of a debate: see --synthesis host."),
    "compare": Entry("debateroom.cli.compare", "Compare two debates side by side."),
    "debate": Entry("debateroom.cli.debate", "Debate a question; the word itself may be left out."),
    "doctor": Entry("debateroom.cli.doctor", "Check providers, keys, the embedded model and folders."),
    "eval": Entry("debateroom.cli.evaluate", "Try many tasks on an agent, with simulated customers.", "evaluate"),
    "keys": Entry("debateroom.cli.keys", "List and store the keys of providers."),
    "mcp": Entry("debateroom.cli.mcp", "Serve debates to assistants that speak MCP."),
    "models": Entry("debateroom.cli.models", "List models, and get the embedded one."),
    "decisions": Entry("debateroom.cli.decisions", "List what a coordinator decided, with its evidence."),
    "playbook": Entry("debateroom.cli.playbook", "Run a playbook, or start and finish one that you coordinate."),
    "playbooks": Entry("debateroom.cli.playbooks", "List the playbooks."),
    "record": Entry("debateroom.cli.record", "Note a decision in the run that you coordinate."),
    "report": Entry("debateroom.cli.report", "Render the report of a room or of a chat.json again."),
    "rooms": Entry("debateroom.cli.rooms", "List the rooms with their state, age and cost."),
    "serve": Entry("debateroom.cli.serve", "Show all rooms on a page on this machine."),
    "simulate": Entry("debateroom.cli.simulate", "Play a person against an agent, and judge it."),
    "skill": Entry("debateroom.cli.skill", "Teach a coding assistant to use debateroom."),
    "status": Entry("debateroom.cli.status", "Say how a room is getting on."),
    "stop": Entry("debateroom.cli.stop", "Stop a running room; it can be resumed."),
    "watch": Entry("debateroom.cli.watch", "Show a room while it goes on."),
    "work": Entry("debateroom.cli.work", "Have a worker drive an agent towards a deliverable."),
    "wake": Entry("debateroom.cli.wake", "Say whom a failed run wakes; set, test and call a webhook."),
    "wait": Entry("debateroom.cli.wait", "Wait until a room ends, with its exit code."),
    "resume": Entry("debateroom.cli.resume", "Continue an unfinished room; no finished call is repeated."),
}

_OWN_OPTIONS = {"-h", "--help", "--version"}


class FrontDoor(click.Group):
    """A group whose commands are imported late, so that `--help` costs nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands, for help and completion."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called `cmd_name`, imported now."""
        if cmd_name not in COMMANDS:
            return None
        entry = COMMANDS[cmd_name]
        command: Any = getattr(import_module(entry.module), entry.name or cmd_name)
        return command  # type: ignore[no-any-return]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table: no command is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].help) for name in self.list_commands(ctx)])


@click.group(
    cls=FrontDoor,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='Start with:  debateroom "queue vs loop?" -n 5 -r 4',
)
@click.version_option(__version__, prog_name="debateroom", message="%(prog)s %(version)s")
def group() -> None:
    """Rooms of language-model agents: a question in, a debate, a report out.

    debateroom "QUESTION" [options] starts a debate; debateroom debate --help lists the options.
    """


def with_command(arguments: Sequence[str]) -> list[str]:
    """`arguments` with `debate` put in front when their first word is no command.

    One lone word close to a command's name is a typo, not a paid question: UsageError. `--` protects a question.
    """
    if not arguments or arguments[0] in COMMANDS or arguments[0] in _OWN_OPTIONS:
        return list(arguments) or _without_arguments()
    before_dashes = arguments[: arguments.index("--")] if "--" in arguments else arguments
    first = arguments[0]
    if first in before_dashes and " " not in first and not first.startswith("-"):
        others = [word for word in before_dashes[1:] if not word.startswith("-")]
        close = difflib.get_close_matches(first.lower(), COMMANDS, n=1, cutoff=0.75)
        if close and len(others) == 0:
            raise UsageError(
                f"there is no command {first!r}; did you mean {close[0]}?",
                hint=f"debateroom {close[0]} --help, or to debate the word itself: debateroom -- {quoted(first)}",
            )
    return ["debate", *arguments]


def _without_arguments() -> list[str]:
    """On a terminal the help; else the question is on standard input."""
    return ["--help"] if sys.stdin is not None and sys.stdin.isatty() else ["debate"]


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether the caller wants one JSON object on stdout, also when the call fails early."""
    before_dashes = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return before_dashes[:1] == ["wait"] or bool({"--json", "--events"} & set(before_dashes))
