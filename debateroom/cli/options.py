"""Options that commands have in common which run a room of seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from debateroom.cli import running
from debateroom.cli.seated import MANY_CALLS
from debateroom.errors import UsageError

Option = Callable[[Any], Any]

GIVEN: Sequence[Option] = (
    click.option("--context", multiple=True, metavar="PATH", help="Text file, folder or glob; - is stdin; repeat."),
    click.option("--note", multiple=True, metavar="TEXT", help="Typed context; repeat."),
    click.option(
        "--tools",
        metavar="KINDS",
        help="What seats look things up with: read (the project), or FILE.yaml.  [default: none]",
    ),
)
"""What everybody reads, and may look up."""

JUDGED: Sequence[Option] = (
    click.option(
        "--judge", metavar="NAME", help="Model that judges, of another maker than every seat's.  [default: auto]"
    ),
    click.option("--rubric", metavar="FILE", help="Text file: what the judge goes by.  [default: our own list]"),
    click.option(
        "--vendor", multiple=True, metavar="MODEL=VENDOR", help="Who made a model whose name does not tell; repeat."
    ),
    click.option("--seed", type=int, metavar="N", help="What draws the order of judging.  [default: drawn]"),
)
"""Who judges, and how."""

LIMITS: Sequence[Option] = (
    running.ACTIVE,
    click.option(
        "--quorum", type=int, metavar="N", help="Seats that must answer in a round.  [default: more than half]"
    ),
    click.option("--concurrency", type=int, metavar="N", help="Calls at once with one provider.  [default: 32]"),
    click.option("--stagger", metavar="WHEN", help="Send the first seat ahead: auto, on or off.  [default: auto]"),
    click.option(
        "--call-timeout",
        type=float,
        metavar="S",
        help="Seconds one call may take, or be kept back by a rate limit.  [default: 120]",
    ),
    *running.LIMITS,
    click.option("--round-timeout", type=float, metavar="S", help="Seconds one round may take.  [default: 300]"),
    click.option(
        "--max-tokens", type=int, metavar="N", help="Tokens of one reply, thinking included.  [default: 16000]"
    ),
)
"""How far and how fast it may go."""

SHOWN: Sequence[Option] = (
    click.option("--yes", is_flag=True, help=f"Do not ask before {MANY_CALLS} calls or more."),
    click.option("--dry-run", is_flag=True, help="Print seats, calls, tokens and price; ask nobody."),
    *running.showing("tokens of each reply, how it was read"),
)
"""How it is started, and what it says."""


PROVIDER_BATCH: Option = click.option(
    "--provider-batch",
    is_flag=True,
    help="Half the price: calls go into the provider's batches, done in a day.",
)
POLL: Option = click.option(
    "--poll", type=float, metavar="S", help="Seconds between two looks at a provider's batch.  [default: 60]"
)


def hold_provider_batch(
    chosen: bool, cluster: str | None, given: Mapping[str, Any], *, one_by_one: Sequence[str] = ()
) -> None:
    """Raises UsageError for what cannot be given beside `--provider-batch`, the options `one_by_one` among it."""
    if not chosen:
        return
    if cluster:
        hint = "leave --cluster out: a batch needs no more than one machine, which waits"
        raise UsageError("--provider-batch hands calls over to the provider, and --cluster to workers", hint=hint)
    for name in one_by_one:
        if given.get(name) is not None:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(
                f"{option} is for calls that are made one by one, and --provider-batch makes none",
                hint=f"leave {option} out; --timeout is for the whole run",
            )


def room(default: str) -> Option:
    """The option that names the room."""
    return click.option("--room", metavar="NAME", help=f"Name of the room.  [default: {default}]")


def taking(*options: Option) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator that gives a command these options, in this order."""

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
