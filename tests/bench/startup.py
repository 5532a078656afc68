"""What `debateroom --help` costs beside a bare click program's `--help`: CPU seconds, medians of 15 runs each.

Run: python tests/bench/startup.py. The aim is at most 3 times the bare program.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

RUNS = 15
BARE = "import click\n@click.command()\n@click.option('--name')\ndef hello(name): pass\nhello(['--help'])"
OURS = "import sys\nsys.argv = ['debateroom', '--help']\nfrom debateroom.cli import main\nmain()"


def cpu_seconds(program: str) -> float:
    """User and system time of one Python process that runs `program`."""
    before = os.times()
    subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return (after.children_user - before.children_user) + (after.children_system - before.children_system)


def main() -> None:
    """Prints both medians and their ratio."""
    cpu_seconds(BARE), cpu_seconds(OURS)  # the first runs fill the disk cache
    pairs = [(cpu_seconds(BARE), cpu_seconds(OURS)) for _ in range(RUNS)]
    bare, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"bare click --help {bare:.3f} s, debateroom --help {ours:.3f} s, ratio {ours / bare:.2f} (aim: 3 at most)")


if __name__ == "__main__":
    main()
