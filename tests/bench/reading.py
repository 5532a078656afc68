"""Prints how long hostile replies of a megabyte take to read, slowest first: `python tests/bench/reading.py`.

CPU seconds, so that a busy machine does not count. Growth must be linear: the column `x2` is the ratio of the
time for a megabyte (of which LONGEST characters are read) to that for half of LONGEST.
"""

from __future__ import annotations

import random
import time

from debateroom.reading.reply import LONGEST, read_reply

PIECES = (
    "<think>",
    "</think>",
    "<think></think>",
    "[THINK]",
    "<|x|>",
    "<|channel|>",
    "<|channel|>final<|message|>",
    "assistantfinal",
    "*",
    "**POSITION:** ",
    "POSITION: x\n",
    "CONFIDENCE: 8\n",
    "confidnce: 8\n",
    "ABCDEFGH: x\n",
    "8",
    "8 ",
    " ",
    "\n",
    "\n\n",
    "a\n",
    "{",
    '{"a":',
    "[",
    "[{",
    '"',
    '"x" ',
    "`",
    "```\n",
    "```\na\n",
    ":",
    "A:",
    "a:",
    "：",
    "POSITION:",
    ". POSITION:",
    "x. CONFIDENCE: 8",
    "Agent B:\n",
    "Agent B:\nPOSITION: x\n",
    "Agent ",
    "Agent B ",
    "> x\n",
    "<a>\n",
    "<a>\n</a>\n",
    "</a>\n",
    "<b>",
    "<position>x</position>",
    "|",
    "| POSITION | x |\n",
    "-",
    "---\n",
    "- ",
    "# ",
    "#",
    "(",
    "1. ",
    "【",
    "【立场】",
    "立场：一。",
    "信心：八\n",
    "十",
    "百分之",
    "\u200b",
    "1\u200b",
    "\r",
    "\r\n",
    "\x00",
    "\ud800",
    "e\u0301",
    "\\n",
    "I changed my mind ",
    "not ",
    '"I changed my mind" ',
    "“",
    "« ",
    "我",
    "改变",
    ".",
    "a. ",
    "error ",
    "API error 529 ",
    "http ",
    "- a\n\n",
    "POSITION (",
    "POSITION [",
    "POSITION\n",
    "POSITION\n===\n",
    "My own answer:\nPOSITION: x\n",
    "The README says:\nCONFIDENCE: 9\n",
    "~",
    "=",
    "_a",
    "7-",
    "~~~\n",
    "Let me know\n",
    "\u3000",
    "/10",
    " a",
    "\n \n",
    "\n\nAgent B",
    "x=1, ",
)
HEADS = ("CONFIDENCE: ", "ENDORSES: ", "POSITION: ", '{"position": "', '{"a": 1,', "```\n", 'POSITION: "a\n')
BODIES = (
    "8",
    "7 → ",
    "7 to ",
    "high ",
    "(",
    "Agent B ",
    "I sign the ",
    "x",
    " ",
    ", ",
    "POSITION: x\n",
    '"a":{',
    "=",
    "_ ",
    "\n",
    "not ",
)


def texts(size: int) -> dict[str, str]:
    """Hostile texts of `size` characters, by name."""

    def filled(piece: str, head: str = "") -> str:
        return (head + piece * (size // len(piece) + 1))[:size]

    found = {repr(piece): filled(piece) for piece in PIECES}
    found |= {repr(head + body): filled(body, head) for head in HEADS for body in BODIES}
    chance = random.Random(1)
    found["noise"] = "".join(chance.choice('POSITIONCFDE: \n*`<>think/A"') for _ in range(size))
    found["near labels"] = "".join(
        "".join(chance.choice("POSITNCAREDLG") for _ in range(8)) + ": x\n" for _ in range(size // 11)
    )
    return found


def seconds(text: str) -> float:
    """CPU seconds that reading `text` takes."""
    start = time.process_time()
    read_reply(
        text, kind="debate", speaker="Agent A", problem="Should background jobs use a queue?", stop_reason="length"
    )
    return time.process_time() - start


def main() -> None:
    full, half = texts(1_000_000), texts(LONGEST // 2)
    rows = sorted(((seconds(text), seconds(half[name]), name) for name, text in full.items()), reverse=True)
    print(f"{'seconds':>8} {'x2':>6}  text")
    for whole, part, name in rows[:25]:
        print(f"{whole:8.2f} {whole / max(part, 1e-6):6.1f}  {name[:60]}")


if __name__ == "__main__":
    main()
