"""`debateroom conclude`: hands in the synthesis of a debate that was started with `--synthesis host`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from debateroom.cli import output, place
from debateroom.errors import UsageError


@click.command(
    "conclude",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 concluded, 2 the room waits for no synthesis or the JSON is none (it says which field), "
    "3 concluded, but --decide gave no verdict, 6 the room is busy.",
)
@click.argument("room", required=False)
@click.option("--file", "file", required=True, metavar="FINAL.json", help="The synthesis; - is standard input.")
@click.option("--active", metavar="DIR", help="Folder of the rooms.  [default: ./active]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def conclude(room: str | None, file: str, active: str | None, as_json: bool) -> int:
    """Conclude ROOM with your own synthesis, as its brief.md asks for it, and write both reports.

    Outcome and votes are worked out from the transcript; a claim that does not stand on it is left out and counted.
    """
    from debateroom import concluding
    from debateroom.language import say

    folder = place.folder(room, active)
    outcome = concluding.conclude(folder, _text(file))
    left_out = (outcome.transcript.final_output or {}).get("unsupported", 0)
    if left_out:
        output.note(say(outcome.transcript.language, "claims_left_out", count=left_out))
    return output.finished(outcome, as_json=as_json)


def _text(file: str) -> str:
    from debateroom.concluding import LONGEST

    try:
        if file == "-":
            if sys.stdin is None or sys.stdin.isatty():
                raise UsageError("there is no synthesis on standard input", hint="debateroom conclude --help")
            data = sys.stdin.buffer.read(LONGEST + 1)
        else:
            with Path(file).open("rb") as stream:
                data = stream.read(LONGEST + 1)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}") from error
    if len(data) > LONGEST:
        raise UsageError(f"the synthesis is over {LONGEST:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the synthesis is not UTF-8 text (byte {error.start})") from error
