"""The golden reports: one full scripted debate in each language, as Markdown and as HTML.

`python tests/golden/make.py` writes them again. Look at the difference before you commit it.
"""

from __future__ import annotations

import datetime
import json
import sys
from dataclasses import replace
from pathlib import Path

from freezegun import freeze_time

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))  # a checkout without an installation

from debateroom.report import html, markdown  # noqa: E402 — after the path
from debateroom.room.transcript import from_json  # noqa: E402

LANGUAGES = ("en", "fr", "zh")


def reports(language: str) -> dict[str, str]:
    """The reports of one language by file name, of a debate that starts on 30 November 2026 at 14:05 UTC."""
    transcript = from_json(json.loads((HERE / language / "chat.json").read_text(encoding="utf-8")))
    with freeze_time("2026-11-30 14:05:00"):
        transcript = replace(transcript, started=datetime.datetime.now(datetime.UTC).isoformat())
        return {
            "chatroom_report.md": markdown.render(transcript),
            "chatroom_report.html": html.render(transcript),
        }


if __name__ == "__main__":
    for language in LANGUAGES:
        for name, text in reports(language).items():
            (HERE / language / name).write_text(text, encoding="utf-8", newline="\n")
