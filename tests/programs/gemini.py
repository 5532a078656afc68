"""Prints what Gemini CLI 0.61 prints with `--output-format json`."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import order

TRACE = "Error when talking to Gemini API\n_ApiError: {}\n    at f (file:///x.js:26:24) {{\n  status: {}\n}}"


def tokens(prompt: int, candidates: int, cached: int, thoughts: int) -> dict[str, object]:
    counts = {
        "input": prompt - cached, "prompt": prompt, "candidates": candidates, "cached": cached, "thoughts": thoughts,
        "total": prompt + candidates + thoughts, "tool": 0,
    }  # fmt: skip
    api = {"totalRequests": 1, "totalErrors": 0, "totalLatencyMs": 812, "errorsByType": {}}
    return {"api": api, "tokens": counts, "roles": {"main": {"totalRequests": 1, "tokens": counts}}}


def fail(message: str, code: int) -> None:
    """A failure of a call: a trace, a report in the temporary folder, the error as JSON, on standard error."""
    print("Ripgrep is not available. Falling back to GrepTool.", file=sys.stderr)
    if code != 41:
        Path(tempfile.gettempdir(), "gemini-client-error.json").write_text("{}")
        print(TRACE.format(message, code), file=sys.stderr)
    error = {"type": "Error", "message": message, "code": code}
    print(json.dumps({"session_id": "x", "error": error}, indent=2), file=sys.stderr)
    sys.exit(code % 256)


def api_error(message: str, code: int) -> str:
    return json.dumps({"error": {"code": code, "message": message, "status": "INVALID_ARGUMENT"}})


FAILURES = {
    "login": ("When using Gemini API, you must specify the GEMINI_API_KEY environment variable.", 41),
    "key": (api_error("API key not valid. Please pass a valid API key.", 400), 400),
    "permission": (api_error("The caller does not have permission", 403), 403),
    "model": ("models/gemini-none is not found for API version v1beta: model gemini-none not found", 1),
    "busy": (api_error("The model is overloaded.", 503), 503),
}
STREAMS = {
    "refusal": "The model response was blocked due to safety settings.",
    "empty": "The model returned an empty response with no text or thoughts.",
    "cut": "Model stream ended without a finish reason.",
}


def main() -> None:
    if "--version" in sys.argv:
        print("0.61.0")
        return
    _, what = order.read()
    order.common(what)
    if what in FAILURES:
        fail(*FAILURES[what])
    models = {"gemini-3-flash": tokens(40, 3, 0, 0), "gemini-3-pro": tokens(24939, 20, 21263, 154)}
    said: dict[str, object] = {"session_id": "x", "response": "POSITION: both"}
    said["stats"] = {"models": models, "tools": {"totalCalls": 0}, "files": {"totalLinesAdded": 0}}
    if what == "looks":
        by_name = {"read_file": {"count": 3, "success": 2, "fail": 1, "durationMs": 9}}
        said["stats"] = {"models": models, "tools": {"totalCalls": 3, "byName": by_name}}
    if what in STREAMS:  # a stream that went wrong ends with exit code 0
        said["response"] = "POSITION: bo" if what == "cut" else ""
        said["error"] = {"type": "INVALID_STREAM", "message": STREAMS[what]}
    print("Loaded cached credentials.")
    print(json.dumps(said, indent=2))


main()
