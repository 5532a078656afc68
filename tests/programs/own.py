"""A program of a user's own: it repeats its arguments and the end of its prompt, or does what it is told."""

from __future__ import annotations

import json
import sys

import order


def main() -> None:
    prompt, what = order.read()
    order.common(what)
    if what == "json":
        print(
            json.dumps(
                {"text": "POSITION: json", "usage": {"input": 9, "output": 4}, "model": "mine-1", "cost": 0.002}
            )
        )
    elif what == "error as json":
        print(json.dumps({"type": "result", "is_error": True, "result": "no credit"}))
    else:
        print(f"POSITION: {' '.join(sys.argv[1:])} {prompt.splitlines()[-1]}")


main()
