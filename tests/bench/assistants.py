"""Debates held through the assistants' real programs, with the vendors' stand-in on loopback behind them.

    npm install --prefix /tmp/assistants @anthropic-ai/claude-code @openai/codex @google/gemini-cli
    PATH=/tmp/assistants/node_modules/.bin:$PATH PYTHONPATH=tests:. python -m bench.assistants

Prints a line for each program on PATH: its version, how the debate ended, what it cost, which tools the model was
given, and whether a file that a seat names as @FILE was read. Keys are made up, and home is a temporary folder.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from debates import ALIGNED, QUESTION, SYNTHESIS
from vendor import Call, Reply, VendorServer

ROOT = Path(__file__).parents[2]
SECRET = "what-the-file-holds"
REPLY = """POSITION: A queue.
REASONING: It can be undone; see @{file} and @./none.
PROPOSAL: Build the queue.
REFINED PROPOSAL: Build the queue, small.
CONCERNS: Ordering.
ENDORSES: Agent A
CONFIDENCE: 9"""


def main() -> None:
    """Plays one debate for each program that is here."""
    for name in ("claude", "codex", "gemini"):
        if shutil.which(name):
            with tempfile.TemporaryDirectory() as folder:
                print(played(name, Path(folder)), flush=True)


def played(name: str, folder: Path) -> str:
    """What a debate of two seats through the program `name` came to, in one line."""
    file = folder / "file.txt"
    file.write_text(SECRET)
    home = folder / "home"
    (home / ".gemini").mkdir(parents=True)
    (home / ".codex").mkdir()
    (home / ".gemini" / "settings.json").write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
    with VendorServer(lambda call: answer(call, str(file))) as server:
        environment = surroundings(home, server)
        version = subprocess.run([name, "--version"], env=environment, capture_output=True, text=True, check=False)
        model = f"command:{name} {shlex.join(own_arguments(name, server))}".strip()
        command = [sys.executable, "-m", "debateroom", QUESTION, "-n", "2", "-r", "2", "--model", model,
                   "--no-early-stop", "--json", "-q"]  # fmt: skip
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        calls = server.calls
    if not done.stdout:
        return f"{name} {version.stdout.strip()}: {done.stderr[-500:]}"
    found, sent = json.loads(done.stdout), json.dumps([dict(call.body) for call in calls])
    chat = json.loads((folder / "active" / "chatroom" / "chat.json").read_text())
    said = [failure["reason"] for item in chat["rounds"] for failure in item["failures"]]
    return (
        f"{name} {version.stdout.strip()}: exit {found['exit_code']}, {found['outcome']}, by "
        f"{(chat['final_output'] or {}).get('synthesized_by')}; {len(calls)} calls, usage {chat['usage']}, "
        f"cost {chat['cost']}; tools {sorted({tool for call in calls for tool in tools(call)})}; "
        f"file {'READ' if SECRET in sent else 'not read'}; {said or found['error'] or 'no failures'}"
    )


def answer(call: Call, file: str) -> Any:
    """A verdict, a synthesis or a seat's reply, by what is asked for anywhere in the call."""
    asked = json.dumps(call.body)
    for key, value in (("unresolved_risks", SYNTHESIS), ("open_blockers", ALIGNED)):
        if key in asked:
            tool = "StructuredOutput" if "StructuredOutput" in asked else ""
            known = {part: value[part] for part in value if part in asked}
            return Reply("", calls=((tool, json.dumps(known)),)) if tool else known
    return REPLY.format(file=file)


def tools(call: Call) -> list[str]:
    """Names of the tools that the model was given, as the three vendors write them."""
    extra = [tool for item in call.body.get("input") or () for tool in item.get("tools") or ()]
    listed = [*(call.body.get("tools") or ()), *extra]
    inner = [tool for one in listed for tool in one.get("tools", one.get("functionDeclarations", [one]))]
    return [str(tool.get("name") or tool.get("type")) for tool in inner]


def own_arguments(name: str, server: VendorServer) -> list[str]:
    """What a user would write behind the program's name to have it ask our server."""
    if name == "codex":
        where = f'{{name="here", base_url="{server.openai_url}", env_key="OPENAI_API_KEY", wire_api="responses"}}'
        return ["-c", f"model_providers.here={where}", "-c", "model_provider=here", "--model", "gpt-6.2-sol"]
    return ["--model", "gemini-3-pro"] if name == "gemini" else []


def surroundings(home: Path, server: VendorServer) -> dict[str, str]:
    """Variables for debateroom and the program: our server, keys that are none, nothing sent elsewhere."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TERM") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "sk-ant-none-0000000000",
        "OPENAI_API_KEY": "sk-none-0000000000",
        "GEMINI_API_KEY": "none-0000000000",
        "GOOGLE_GEMINI_BASE_URL": server.url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "CLAUDECODE": "1",
        "CODEX_SANDBOX": "seatbelt",
    }


if __name__ == "__main__":
    main()
