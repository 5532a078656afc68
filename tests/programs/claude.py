"""Prints what Claude Code prints with `-p --output-format json`."""

from __future__ import annotations

import json
import os
import sys

import order

USAGE = {
    "input_tokens": 4, "cache_creation_input_tokens": 1200, "cache_read_input_tokens": 15000, "output_tokens": 350,
    "server_tool_use": {"web_search_requests": 0}, "service_tier": "standard",
}  # fmt: skip


def result(**values: object) -> dict[str, object]:
    """One result, as the program ends with."""
    return {
        "type": "result", "subtype": "success", "is_error": False, "duration_ms": 2814, "num_turns": 1,
        "session_id": "0b1e", "stop_reason": "end_turn", "total_cost_usd": 0.0215, "usage": USAGE,
        "modelUsage": {
            "claude-haiku-5-5": {"inputTokens": 300, "outputTokens": 12, "costUSD": 0.0004},
            "claude-opus-5-5": {"inputTokens": 4, "outputTokens": 350, "costUSD": 0.0211},
        },
        "permission_denials": [], **values,
    }  # fmt: skip


def main() -> None:
    if "--version" in sys.argv:
        print("2.1.143 (Claude Code)")
        return
    if os.environ.get("CLAUDECODE"):
        sys.exit("Error: it cannot be launched inside another session.")
    _, what = order.read()
    order.common(what)
    failure = {
        "login": result(is_error=True, result="Not logged in · Please run /login", api_error_status=401),
        "overloaded": result(is_error=True, result="API Error: 529 Overloaded", api_error_status=529),
        "limit": result(is_error=True, result="You've hit your usage limit · resets 3am", api_error_status=429),
        "turns": result(subtype="error_max_turns", is_error=True, result=None),
    }.get(what)
    if failure is not None:
        print(json.dumps(failure))
        sys.exit(1)
    if what == "quiet error":
        print(json.dumps(result(is_error=True, result="something broke")))
    elif what == "exit with a good body":
        print(json.dumps(result(result="POSITION: yes")))
        sys.exit(3)
    elif what == "cut":
        print(json.dumps(result(result="POSITION: y", stop_reason="max_tokens")))
    elif "--json-schema" in sys.argv:
        print(json.dumps(result(result="Done.", structured_output={"aligned": True})))
    elif what == "verbose":
        print(json.dumps([{"type": "system", "subtype": "init"}, result(result="POSITION: a list")]))
    else:
        print(json.dumps(result(result="POSITION: a queue")))


main()
