"""`debateroom doctor`: what is set up here, what is broken, and what to run next."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from debateroom.cli import output
from debateroom.errors import DebateroomError
from debateroom.terminal import one_line

if TYPE_CHECKING:
    from debateroom.cli.checks import Check
    from debateroom.models.registry import ModelSettings


@click.command("doctor", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--live", is_flag=True, help="Ask each provider that is set up for one word; this costs a little.")
@click.option(
    "--call-timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Seconds that each may take with --live; all are asked at once.  [default: 20]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def doctor(live: bool, call_timeout: float | None, as_json: bool) -> int:
    """Check providers, keys, the embedded model's file and folders; say what to run next. No key is ever shown.

    Exit code 1 when something that is set up is broken; what is not set up is no fault.
    """
    from debateroom.cli.checks import PATIENCE, everything
    from debateroom.models.registry import Models

    checks: list[Check] = []
    with Models(replace(_reached(), attempts=2)) as models:
        for check in everything(models, live=live, seconds=call_timeout or PATIENCE):
            checks.append(check)
            if not as_json:
                _show(check)
    code = 1 if any(check.state == "broken" for check in checks) else 0
    if as_json:
        _print_json(checks, code)
    return code


def _reached() -> ModelSettings:
    """How models are reached by the settings; settings that cannot be read have a line of their own."""
    from debateroom import activities, settings
    from debateroom.models.registry import ModelSettings

    try:
        return activities.model_settings(settings.load({}))
    except DebateroomError:
        return ModelSettings()


def _show(check: Check) -> None:
    """The check on a line, and what to run next on a second one."""
    click.echo(f"{check.name:<16} {check.state:<11} {one_line(check.detail, 400)}")
    if check.next:
        click.echo(f"{'':<16} {'':<11} next: {one_line(check.next)}")


def _print_json(checks: list[Check], code: int) -> None:
    from debateroom import files

    value = {"ok": code == 0, "exit_code": code, "checks": [asdict(check) for check in checks]}
    output.line(files.dumps(value).decode())
