"""The assistants' programs that `command:` knows, from `commands.toml`, and the environment that programs get."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_HOST = re.compile(r"CLAUDECODE$|CLAUDE_CODE_|CLAUDE_AGENT_SDK_|CODEX_|GEMINI_CLI$", re.IGNORECASE)
"""Variables by which an assistant knows that it runs inside another one, and then refuses or joins it."""
_KEPT: Mapping[str, frozenset[str]] = {
    "claude": frozenset({
        "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS", "CLAUDE_CODE_CLIENT_CERT",
        "CLAUDE_CODE_CLIENT_KEY", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CLAUDE_CODE_GIT_BASH_PATH", "CLAUDE_CODE_SKIP_BEDROCK_AUTH", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
        "CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_FOUNDRY",
        "CLAUDE_CODE_USE_VERTEX",
    }),
    "codex": frozenset({"CODEX_HOME", "CODEX_API_KEY", "CODEX_CA_CERTIFICATE"}),
}  # fmt: skip
"""Those of them that a user sets, by the assistant that gets them, and nobody else: who pays, how the vendor is
reached, what it may be told; not where the program runs."""
SECRETS = (
    "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE", "CODEX_API_KEY", "ANTHROPIC_AUTH_TOKEN",
    "GEMINI_API_KEY", "GOOGLE_API_KEY",
)  # fmt: skip
"""Variables of the assistants that let somebody in: what they hold is left out of all that is shown and written."""


@dataclass(frozen=True, slots=True)
class Assistant:
    """How one assistant's program is called."""

    name: str
    reads: str
    """Which reader in `printed` understands its output."""
    login: str
    """The command that logs in."""
    install: str
    """The command that installs it."""
    before: tuple[str, ...]
    """Arguments in front of the user's own."""
    attempts: int
    """Times the program is started for one call at most."""
    closed: tuple[str, ...] = ()
    """Arguments behind these when it may look at nothing."""
    looking: tuple[str, ...] = ()
    """The same when it may look at a folder, and change nothing in it."""
    inside: bool = True
    """Whether it then runs in that folder; else in an empty one, as always."""
    secret: str = ""
    """How it is told of one pattern of secret files, as `{pattern}`."""
    between: str = " "
    """What stands between two of them."""
    after: tuple[str, ...] = ()
    """Arguments behind the user's own."""
    schema: tuple[str, ...] = ()
    """Arguments for a request that wants a JSON object; empty when the program has none for that."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Names and contents of small files that arguments refer to as `{NAME}`."""
    environment: Mapping[str, str] = field(default_factory=dict)


@cache
def assistants() -> Mapping[str, Assistant]:
    """All assistants by name, in the order of the file."""
    table = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
    return {name: _assistant(name, row) for name, row in table.items()}


def _assistant(name: str, row: Mapping[str, object]) -> Assistant:
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Assistant(name, **values)  # type: ignore[arg-type]  # the file is ours; a wrong key fails in every test


def environment(own: Mapping[str, str], folder: Path, assistant: str = "") -> dict[str, str]:
    """This process's variables for a program that runs in `folder`: `own` set, an assistant's session left out.

    What an assistant was set up with goes to that one's own program only; `assistant` is its name, empty for others.
    """
    its = _KEPT.get(assistant, frozenset())
    kept = {name: value for name, value in os.environ.items() if name in its or not _HOST.match(name)}
    kept.pop("OLDPWD", None)
    return {**kept, "PWD": str(folder), "NO_COLOR": "1", **own}
