"""Prints what `codex exec --json` prints, version 0.171."""

from __future__ import annotations

import json
import sys

import order


def say(kind: str, **values: object) -> None:
    print(json.dumps({"type": kind, **values}), flush=True)


def item(kind: str, **values: object) -> None:
    say("item.completed", item={"id": "item_1", "type": kind, **values})


def fail(told: str) -> None:
    """The end of a turn that failed: it is said twice."""
    say("error", message=told)
    say("turn.failed", error={"message": told})
    sys.exit(1)


WORDS = {
    "login": "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header",
    "limit": json.dumps({"error": {"type": "usage_limit_reached", "message": "The usage limit has been reached"}}),
    "quota": "Quota exceeded. Check your plan and billing details.",
    "rate": "exceeded retry limit, last status: 429 Too Many Requests, request id: req_1",
    "model": "The model `gpt-none` does not exist or you do not have access to it.",
    "lost": "stream disconnected before completion: stream closed before response.completed",
    "long": "unexpected status 413 Payload Too Large: Request too large, url: http://127.0.0.1/v1/responses",
}


def main() -> None:
    if "--version" in sys.argv:
        print("codex-cli 0.171.0")
        return
    _, what = order.read()
    order.common(what)
    print("WARNING: proceeding, even though we could not create PATH aliases", file=sys.stderr)
    say("thread.started", thread_id="0199")
    item("error", message="Code Mode is unavailable because code-mode host is disabled.")
    say("turn.started")
    if what == "waits":
        say("error", message="Reconnecting... 2/5 (unexpected status 503 Service Unavailable)")
        order.common("sleep")
    if what in WORDS:
        say("error", message="Reconnecting... 1/5")
        fail(WORDS[what])
    if what == "endless":
        item("agent_message", text="POSITION: a lo")
        fail("Incomplete response returned, reason: max_output_tokens")
    item("reasoning", text="**Thinking**")
    if what == "looks":
        item("command_execution", command="bash -lc 'cat a.md'", aggregated_output="one\n", exit_code=0)
        item("command_execution", command="cat .env", aggregated_output="denied", exit_code=1, status="failed")
    item("agent_message", text="I will answer now.")
    if what == "cut":
        return
    say("error", message="Reconnecting... 1/5")
    item("agent_message", text='{"aligned": false}' if "--output-schema" in sys.argv else "POSITION: a loop")
    usage = {"input_tokens": 16071, "cached_input_tokens": 6912, "cache_write_input_tokens": 20, "output_tokens": 345}
    say("turn.completed", usage={**usage, "reasoning_output_tokens": 200})


main()
