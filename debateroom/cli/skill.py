"""`debateroom skill`: shows the skill for coding assistants, and puts it where they look for skills."""

from __future__ import annotations

from pathlib import Path

import click

from debateroom.cli import output

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group("skill", context_settings=_HELP)
def skill() -> None:
    """Teach a coding assistant to use debateroom."""


@skill.command("install", context_settings=_HELP)
@click.option(
    "--project/--user", "project", default=True, help="Into the current folder, or your home.  [default: project]"
)
@click.option(
    "--for", "whose", type=click.Choice(("claude", "agents", "all")), default="all",
    help="Claude Code (.claude/skills), others (.agents/skills), or both.  [default: all]",
)  # fmt: skip
def install(project: bool, whose: str) -> int:
    """Write the skill into .claude/skills/ and .agents/skills/; print the paths."""
    from debateroom.doors import skill as skills

    base = Path.cwd() if project else Path.home()
    for path in skills.install(base, tuple(skills.FOLDERS) if whose == "all" else (whose,)):
        output.tell(str(path))
    return 0


@skill.command("show", context_settings=_HELP)
def show() -> int:
    """Print the skill."""
    from debateroom.doors import skill as skills

    output.tell(skills.text().rstrip("\n"))
    return 0


@skill.command("path", context_settings=_HELP)
def path() -> int:
    """Print where the skill is shipped."""
    from debateroom.doors import skill as skills

    output.tell(str(skills.path()))
    return 0
