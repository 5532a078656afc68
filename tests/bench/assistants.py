"""Debates held through the assistants' real programs, with the vendors' stand-in on loopback behind them.

    npm install --prefix /tmp/assistants @anthropic-ai/claude-code @openai/codex @google/gemini-cli
    PATH=/tmp/assistants/node_modules/.bin:$PATH PYTHONPATH=tests:. python -m bench.assistants

Prints two lines for each program on PATH, without tools and with `--tools read`: its version, how the debate ended,
what it cost, which tools the model was given, and which files were read: one that a seat names as @FILE, and, by the
tools, one of the project, a secret one and one outside. Keys are made up, and home is a temporary folder.
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
            with tempfile.TemporaryDirectory() as folder:
                print(played(name, Path(folder), looking=True), flush=True)


def project(folder: Path) -> Path:
    """A project in `folder`, with a file, a secret one, and settings that would run a program; beside it a file."""
    root = folder / "project"
    for name in (".claude", ".gemini", ".codex", ".git"):
        (root / name).mkdir(parents=True)
    (root / "app.py").write_text("what-the-project-holds\n")
    (root / ".env").write_text("KEY=what-the-secret-holds\n")
    (folder / "outside.txt").write_text("what-the-outside-holds\n")
    hook = [{"hooks": [{"type": "command", "command": f"touch {folder / 'hooked'}"}]}]
    settings = json.dumps({"hooks": {"SessionStart": hook, "PreToolUse": hook, "BeforeTool": hook}})
    for name in (".claude", ".gemini"):
        (root / name / "settings.json").write_text(settings)
    (root / ".codex" / "config.toml").write_text(f'notify = ["touch", "{folder / "hooked"}"]\n')
    return root


def looks(name: str, root: Path) -> tuple[tuple[str, str], ...]:
    """The calls with which a model would look at each of the files."""
    paths = [str(path) for path in (root / "app.py", root / ".env", root.parent / "outside.txt")]
    if name == "codex":
        return tuple(("exec_command", json.dumps({"cmd": f"cat {path}"})) for path in paths)
    tool = "Read" if name == "claude" else "read_file"
    return tuple((tool, json.dumps({"file_path": path})) for path in paths)


def played(name: str, folder: Path, *, looking: bool = False) -> str:
    """What a debate of two seats through the program `name` came to, in one line."""
    file = folder / "file.txt"
    file.write_text(SECRET)
    root = project(folder)
    home = folder / "home"
    (home / ".gemini").mkdir(parents=True)
    (home / ".codex").mkdir()
    (home / ".gemini" / "settings.json").write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
    asked = looks(name, root) if looking else ()
    with VendorServer(lambda call: answer(call, str(file), asked)) as server:
        environment = surroundings(home, server)
        version = subprocess.run([name, "--version"], env=environment, capture_output=True, text=True, check=False)
        model = f"command:{name} {shlex.join(own_arguments(name, server))}".strip()
        command = [sys.executable, "-m", "debateroom", QUESTION, "-n", "2", "-r", "2", "--model", model,
                   "--no-early-stop", "--json", "-q", *(["--tools", "read"] if looking else [])]  # fmt: skip
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        calls = server.calls
    if not done.stdout:
        return f"{name} {version.stdout.strip()}: {done.stderr[-500:]}"
    found, sent = json.loads(done.stdout), json.dumps([dict(call.body) for call in calls])
    chat = json.loads((root / "active" / "chatroom" / "chat.json").read_text())
    said = [failure["reason"] for item in chat["rounds"] for failure in item["failures"]]
    return (
        f"{name} {version.stdout.strip()}: exit {found['exit_code']}, {found['outcome']}, by "
        f"{(chat['final_output'] or {}).get('synthesized_by')}; {len(calls)} calls, usage {chat['usage']}, "
        f"cost {chat['cost']}; tools {sorted({tool for call in calls for tool in tools(call)})}; "
        f"read: {[what for what in ('file', 'project', 'secret', 'outside') if f'what-the-{what}-holds' in sent]}; "
        f"hooks {'RUN' if (folder / 'hooked').exists() else 'not run'}; {said or found['error'] or 'no failures'}"
    )


def answer(call: Call, file: str, looks: tuple[tuple[str, str], ...] = ()) -> Any:
    """A verdict, a synthesis or a seat's reply after its look-ups, by what is asked for anywhere in the call."""
    asked = json.dumps(call.body)
    results = ("tool_result", "function_call_output", "functionResponse")
    if looks and "Agent" in asked and "open_blockers" not in asked and not any(mark in asked for mark in results):
        return Reply("", calls=looks)
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
