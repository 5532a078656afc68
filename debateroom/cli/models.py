"""`debateroom models`: what can be asked here; `pull` gets the embedded model's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from debateroom.cli import output
from debateroom.cli.pulling import pull_embedded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from debateroom.models.prices import Price
    from debateroom.models.registry import Listed


@click.group("models", invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list instead of text.")
@click.pass_context
def models(context: click.Context, as_json: bool) -> int:
    """List the models with a short name, and whether each can be asked here. Any PROVIDER:MODEL may be named too."""
    if context.invoked_subcommand is not None:
        return 0
    from debateroom import files, settings
    from debateroom.models.catalog import web_providers
    from debateroom.models.keys import Keys
    from debateroom.models.prices import own_table
    from debateroom.models.registry import ModelSettings, describe

    chosen = settings.load({})
    own = own_table(chosen.prices)
    reached = ModelSettings(anthropic_url=chosen.anthropic_base_url, openai_url=chosen.openai_base_url)
    rows = [_row(listed, own) for listed in describe(settings=reached)]
    for wrong in filter(None, map(Keys().trouble, web_providers())):
        output.note(str(wrong))
    if as_json:
        output.line(files.dumps(rows).decode())
        return 0
    for row in rows:
        price = "free" if row["free"] else _dollars(row["input_price"], row["output_price"])
        state = (
            f"key from {row['key']}" if row["key"] else "ready" if row["ready"] else f"not ready: {row['missing']}"
        )
        click.echo(f"{row['alias']:<9} {row['name']:<28} {row['window']:>9,} tokens  {price:<36} {state}")
    return 0


def _row(listed: Listed, own: Mapping[str, Price]) -> dict[str, object]:
    from debateroom.messages import CURRENCY
    from debateroom.models.prices import FREE

    known = listed.info
    provider = known.name.partition(":")[0]
    return {
        "alias": listed.alias,
        "name": known.name,
        "vendor": known.vendor,
        "window": known.window,
        "ready": listed.ready,
        "key": listed.key,
        "missing": listed.missing,
        "free": provider in FREE,
        **_prices(known.name, own),
        "currency": CURRENCY,
    }


def _prices(model: str, own: Mapping[str, Price]) -> dict[str, float | None]:
    """US dollars for a million tokens sent, read from the cache, and received, at the price of short prompts."""
    from debateroom.messages import Usage
    from debateroom.models.prices import cost

    sent, read, both = (
        cost(model, usage, own)
        for usage in (Usage(input=1000), Usage(input=1000, cached=1000), Usage(input=1000, output=1000))
    )
    if sent is None or read is None or both is None:
        return {"input_price": None, "cached_price": None, "output_price": None}
    prices = {"input_price": sent, "cached_price": read, "output_price": both - sent}
    return {name: round(price * 1000, 6) for name, price in prices.items()}


def _dollars(sent: object, received: object) -> str:
    if not isinstance(sent, float) or not isinstance(received, float):
        return "price unknown"
    return f"{sent:.2f} in, {received:.2f} out US dollars/M"


@models.command("pull")
@click.option("--verify", is_flag=True, help="Read and hash the whole file that is here.")
def pull(verify: bool) -> int:
    """Get the embedded model's file into the cache, once; print its path."""
    click.echo(pull_embedded(verify=verify))
    return 0


@models.command("path")
def path() -> int:
    """Print where the embedded model's file is, or would be."""
    from debateroom.models.pull import location

    click.echo(location())
    return 0
