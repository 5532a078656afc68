"""`debateroom keys`: the vendors' keys, from the environment or a file that only you can read. None is ever shown."""

from __future__ import annotations

import sys

import click

from debateroom.cli import output
from debateroom.errors import UsageError


@click.group("keys", invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.pass_context
def keys(context: click.Context) -> int:
    """List where the key of each provider comes from."""
    return 0 if context.invoked_subcommand else _list()


@keys.command("list")
def list_() -> int:
    """List where the key of each provider comes from; never the key."""
    return _list()


def _list() -> int:
    from debateroom.models.keys import Keys

    keys = Keys()
    for provider, source in keys.list().items():
        wrong = keys.trouble(provider)
        if wrong is not None:
            output.note(f"{provider}: {wrong}" + (f"\n  next: {wrong.hint}" if wrong.hint else ""))
        told = source or ("none that can be used" if wrong else f"no key; set one: debateroom keys set {provider}")
        click.echo(f"{provider}: {told}")
    return 0


@keys.command("set")
@click.argument("provider")
@click.argument("more", nargs=-1, metavar="")
def set_(provider: str, more: tuple[str, ...]) -> int:
    """Store the key of PROVIDER (anthropic or openai). It is asked for, or read from standard input; never a flag."""
    from debateroom.models.keys import Keys

    if more:  # it is not repeated: it may be a key
        raise UsageError(
            "a key is no part of the command, where the shell and a log keep it: type it when asked, or pipe it in",
            hint=f"take it out of the shell's history, then: debateroom keys set {provider}",
        )
    if sys.stdin.isatty():
        value = str(click.prompt(f"Key for {provider}", hide_input=True, err=True))
    else:
        value = sys.stdin.readline()
    if not value.strip():
        raise UsageError("no key was given", hint=f"debateroom keys set {provider} < file-with-the-key")
    click.echo(f"stored in {Keys().set(provider, value)}")
    return 0


@keys.command("path")
def path() -> int:
    """Print where stored keys are kept."""
    from debateroom.models.keys import Keys

    click.echo(Keys().path())
    return 0
