"""Prints what Gemini CLI prints with `--output-format json`."""

from __future__ import annotations

import json
import sys

import order


def tokens(prompt: int, candidates: int, cached: int, thoughts: int) -> dict[str, object]:
    return {
        "api": {"totalRequests": 1, "totalErrors": 0, "totalLatencyMs": 812},
        "tokens": {
            "prompt": prompt, "candidates": candidates, "total": prompt + candidates + thoughts, "cached": cached,
            "thoughts": thoughts, "tool": 0,
        },
    }  # fmt: skip


def main() -> None:
    if "--version" in sys.argv:
        print("0.70.0")
        return
    _, what = order.read()
    order.common(what)
    if what == "login":
        error = {"type": "Error", "message": "Please set an Auth method in your settings.json", "code": 41}
        print("Loaded cached credentials.", json.dumps({"session_id": "x", "error": error}, indent=2), sep="\n",
              file=sys.stderr)  # fmt: skip
        sys.exit(41)
    models = {"gemini-3-flash": tokens(40, 3, 0, 0), "gemini-3-pro": tokens(24939, 20, 21263, 154)}
    said = {"response": "POSITION: both", "stats": {"models": models, "tools": {"totalCalls": 0}}}
    print("Loaded cached credentials.")
    print(json.dumps(said, indent=2))


main()
