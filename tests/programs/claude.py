"""Prints what Claude Code 2.1 prints with `-p --output-format json`."""

from __future__ import annotations

import json
import os
import sys

import order

USAGE = {
    "input_tokens": 4, "cache_creation_input_tokens": 1200, "cache_read_input_tokens": 15000, "output_tokens": 350,
    "output_tokens_details": {"thinking_tokens": 90}, "server_tool_use": {"web_search_requests": 0},
    "service_tier": "standard", "iterations": [],
}  # fmt: skip
UNUSED = {name: 0 if isinstance(value, int) else value for name, value in USAGE.items()}
MODELS = {
    "claude-haiku-5-5": {"inputTokens": 300, "outputTokens": 12, "costUSD": 0.0004, "costBasis": "list"},
    "claude-opus-5-5": {"inputTokens": 4, "outputTokens": 350, "costUSD": 0.0211, "costBasis": "list"},
}


def result(said: str | None, **values: object) -> dict[str, object]:
    """One result, as the program ends with."""
    return {
        "type": "result", "subtype": "success", "is_error": False, "api_error_status": None, "duration_ms": 2814,
        "num_turns": 1, "session_id": "0b1e", "stop_reason": "end_turn", "total_cost_usd": 0.0215, "usage": USAGE,
        "modelUsage": MODELS, "permission_denials": [], "terminal_reason": "completed", "result": said, **values,
    }  # fmt: skip


def refused(said: str, **values: object) -> dict[str, object]:
    """A result that says a call failed before anything was paid for."""
    free: dict[str, object] = {"total_cost_usd": 0, "usage": UNUSED, "modelUsage": {}, "stop_reason": "stop_sequence"}
    return result(said, **{"is_error": True, "terminal_reason": "api_error", **free, **values})


FAILURES = {
    "login": refused("Not logged in · Please run /login"),
    "key": refused("Invalid API key · Fix external API key", api_error_status=401),
    "permission": refused("Failed to authenticate. API Error: 403 Your key may not use this.", api_error_status=403),
    "model": refused("There's an issue with the selected model (claude-x). It may not exist.", api_error_status=404),
    "overloaded": refused("API Error: 529 Overloaded", api_error_status=529),
    "limit": refused("You've hit your usage limit · resets 3am", api_error_status=429),
    "rate": refused("API Error: Request rejected (429) · Slow down.", api_error_status=429),
    "long": refused("Prompt is too long · the request is ~250000 tokens (limit 200000)", api_error_status=400),
    "lost": refused("API Error: Connection to the API was lost (ECONNRESET).", api_error="connection_failed"),
    "refusal": result("API Error: its safeguards flagged this message.", is_error=True, stop_reason="refusal"),
    "endless": result("API Error: The response exceeded the 128000 output token maximum.", is_error=True),
    "turns": result(None, subtype="error_max_turns", is_error=True),
}


def said(role: str, *blocks: dict[str, object]) -> dict[str, object]:
    """One message, as the program lists it with `--verbose`."""
    return {"type": role, "message": {"role": role, "content": list(blocks)}, "session_id": "0b1e"}


READ = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/project/README.md"}}
GREP = {"type": "tool_use", "id": "toolu_2", "name": "Grep", "input": {"pattern": "queue"}}
LOST = {"type": "tool_use", "id": "toolu_3", "name": "Read", "input": {"file_path": "/project/cut.md"}}
FOUND = [{"type": "text", "text": "1\tone"}, {"type": "text", "text": "2\ttwo"}]
LOOKS = [
    {"type": "system", "subtype": "init", "tools": ["Read", "Grep"]},
    said("assistant", {"type": "text", "text": "I will look."}, READ, GREP),
    said("user", {"type": "tool_result", "tool_use_id": "toolu_1", "content": FOUND},
         {"type": "tool_result", "tool_use_id": "toolu_2", "content": "no permission", "is_error": True}),
    said("assistant", LOST),
]  # fmt: skip


def main() -> None:
    if "--version" in sys.argv:
        print("2.1.332 (Claude Code)")
        return
    if os.environ.get("CLAUDECODE"):
        sys.exit("Error: it cannot be launched inside another session.")
    _, what = order.read()
    order.common(what)
    if what in FAILURES:
        print(json.dumps(FAILURES[what]))
        sys.exit(1)
    if what == "quiet error":
        print(json.dumps(result("something broke", is_error=True)))
    elif what == "exit with a good body":
        print(json.dumps(result("POSITION: yes")))
        sys.exit(3)
    elif what == "cut":
        print(json.dumps(result("POSITION: y", stop_reason="max_tokens")))
    elif what == "empty once":
        print(json.dumps(result("" if order.first_time() else "POSITION: a queue")))
    elif what == "unpriced":
        print(json.dumps(result("POSITION: a queue", total_cost_usd=0)))
    elif "--json-schema" in sys.argv:
        print(json.dumps(result('{"aligned":true}', structured_output={"aligned": True}, num_turns=2)))
    elif what == "verbose":
        print(json.dumps([{"type": "system", "subtype": "init"}, result("POSITION: a list")]))
    elif "--verbose" in sys.argv:
        print(json.dumps([*LOOKS, result("POSITION: a queue")]))
    else:
        print(json.dumps(result("POSITION: a queue")))


main()
