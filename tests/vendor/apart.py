"""The server in a process of its own, so that a benchmark measures the client's CPU alone.

    with ServerApart(latency=1.0) as server:
        ...  # server.url, server.openai_url
    server.summary  # calls, peak_in_flight, usage, seconds, cpu

By hand, with a debate's replies, until Enter: `PYTHONPATH=tests:. python -m vendor.apart --latency 1.0`
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from debateroom.messages import Usage
from vendor.script import debate_script
from vendor.server import VendorServer

_TESTS = Path(__file__).parent.parent


class ServerApart:
    """A VendorServer with a debate's replies, from `with` to its end; the arguments are those of the command."""

    def __init__(self, **options: float | str) -> None:
        self._arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        self.url = ""
        self.summary: dict[str, Any] = {}
        """What the server saw; filled at the end."""

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    def __enter__(self) -> ServerApart:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_TESTS), str(_TESTS.parent)])}
        command = [sys.executable, "-m", "vendor.apart", *self._arguments]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=environment, text=True, stdin=pipe, stdout=pipe)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http://"), "the server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        out, _ = self._process.communicate("\n", timeout=30)
        if error is None:
            self.summary = json.loads(out)


def main() -> None:
    """Serves until a line or the end of stdin, then prints what it saw as JSON."""
    options = argparse.ArgumentParser(prog="vendor.apart", description=__doc__)
    options.add_argument("--latency", type=float, default=0.0, help="seconds to a call's last token")
    options.add_argument("--first-token", type=float, help="seconds to its first token")
    options.add_argument("--chunk", type=int, default=48, help="characters in one streamed piece")
    options.add_argument(
        "--language", choices=("en", "fr", "zh"), help="of the replies; read from the prompt if not set"
    )
    options.add_argument("--text", help="the same text for every call, in place of a debate's replies")
    chosen = options.parse_args()
    verdict = {"aligned": False, "proposal": "", "holdouts": [], "open_blockers": [], "off_topic": [], "why": "split"}
    synthesis = {
        "summary": "They stayed split.",
        "outcome": "split",
        "recommended_action": "Choose what can be undone.",
    }
    script = debate_script(language=chosen.language, moderator=verdict, synthesis=synthesis)
    with VendorServer(
        chosen.text or script, latency=chosen.latency, first_token=chosen.first_token, chunk=chosen.chunk
    ) as server:
        print(server.url, flush=True)
        began, cpu = time.monotonic(), time.process_time()
        sys.stdin.readline()
        usage = sum((call.usage for call in server.calls if call.usage), Usage())
        seen = {"calls": len(server.calls), "peak_in_flight": server.peak_in_flight, "usage": asdict(usage)}
        spent = {"seconds": time.monotonic() - began, "cpu": time.process_time() - cpu}
        print(json.dumps({**seen, **spent}), flush=True)


if __name__ == "__main__":
    main()
