"""`debateroom playbooks`: which playbooks there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from debateroom.cli import output
from debateroom.terminal import printable

if TYPE_CHECKING:
    from debateroom.playbooks.catalogue import Playbook


@click.command("playbooks", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--language", metavar="LANG", help="en, fr or zh.  [default: en]")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list instead of text.")
def playbooks(language: str | None, active: str | None, as_json: bool) -> int:
    """List the playbooks: those that ship, and your own in .debateroom/playbooks/, one YAML file each."""
    from debateroom import files, settings
    from debateroom.playbooks import catalogue
    from debateroom.wake import workspace

    chosen = settings.load({"language": language, "active": active})
    told = "en" if chosen.language == "auto" else chosen.language
    found, mistakes = catalogue.known(workspace.of_active(chosen.active).own / catalogue.FOLDER, told)
    if as_json:
        output.line(files.dumps([each.to_json() for each in found.values()]).decode())
    else:
        for each in found.values():
            _show(each, told)
    for mistake in mistakes.values():
        output.note(printable(f"debateroom: {mistake}"))
    return 0


def _show(playbook: Playbook, language: str) -> None:
    """A playbook in six lines."""
    from debateroom.language import say

    lines = [f"/{playbook.id} · {playbook.name}", f"  {playbook.description}"]
    lines += [f"  {number}. {step.do} [{step.proof}]" for number, step in enumerate(playbook.steps, 1)]
    lines.append("  " + say(language, "labelled", label=say(language, "rule_label"), text=playbook.rule))
    if playbook.field:
        lines.append("  " + say(language, "labelled", label="--goal", text=playbook.field))
    output.tell(printable("\n".join(lines)) + "\n")
