"""Prints what `codex exec --json` prints."""

from __future__ import annotations

import json
import sys

import order


def say(kind: str, **values: object) -> None:
    print(json.dumps({"type": kind, **values}), flush=True)


def message(text: str) -> None:
    say("item.completed", item={"id": "item_1", "type": "agent_message", "text": text})


def main() -> None:
    if "--version" in sys.argv:
        print("codex-cli 0.155.1")
        return
    _, what = order.read()
    order.common(what)
    say("thread.started", thread_id="0199")
    say("turn.started")
    if what == "login":
        say("error", message="Reconnecting... 1/5")
        told = "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header"
        say("error", message=told)
        say("turn.failed", error={"message": told})
        sys.exit(1)
    if what == "limit":
        told = json.dumps({"error": {"type": "usage_limit_reached", "message": "The usage limit has been reached"}})
        say("turn.failed", error={"message": told})
        sys.exit(1)
    say("item.completed", item={"id": "item_0", "type": "reasoning", "text": "**Thinking**"})
    message("I will answer now.")
    if what == "cut":
        return
    say("error", message="Reconnecting... 1/5")
    message('{"aligned": false}' if "--output-schema" in sys.argv else "POSITION: a loop")
    usage = {"input_tokens": 16071, "cached_input_tokens": 6912, "cache_write_input_tokens": 20, "output_tokens": 345}
    say("turn.completed", usage={**usage, "reasoning_output_tokens": 200})


main()
