"""The door: `python -m debateroom` and the command `debateroom`. Ctrl-C is answered from the first import on."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line of this process; ends it with 130 when it is interrupted before it could begin."""
    try:
        from debateroom.cli import main as begin

        begin()
    except KeyboardInterrupt:
        sys.stderr.write("debateroom: interrupted; nothing had been asked\n")
        sys.stderr.flush()
        os._exit(130)


if __name__ == "__main__":
    main()
