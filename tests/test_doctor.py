"""`debateroom doctor`: what is set up, what is broken, and the command that comes next."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Installed
from debates import Serve, run
from vendor import Reply, VendorServer
from vendor.faults import HttpError, Silent

from debateroom import cli
from debateroom.cli import checks
from debateroom.cli.checks import Check
from debateroom.models import registry
from debateroom.models.pull import OFFICIAL, location
from debateroom.models.retry import no_sleep

KEY = "sk-ant-known-secret-0042"


@pytest.fixture(autouse=True)
def _bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine with nothing on it: no programs, no embedded model, an empty current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("DEBATEROOM_GGUF", raising=False)
    monkeypatch.setattr(registry, "embedded_installed", lambda: False)
    with no_sleep():
        yield


def doctor(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code, and the checks by name."""
    code = cli.run(["doctor", "--json", *arguments])
    out = capsys.readouterr().out
    assert KEY not in out
    value = json.loads(out)
    assert (value["exit_code"], value["ok"]) == (code, code == 0)
    return code, {check["name"]: check for check in value["checks"]}


def test_nothing_set_up_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """Every line says what to run next; the exit code is 0."""
    code, found = doctor(capsys)
    assert code == 0
    assert {name: (check["state"], check["next"]) for name, check in found.items()} == {
        "anthropic": ("not set up", "debateroom keys set anthropic"),
        "openai": ("not set up", "debateroom keys set openai"),
        "embedded": ("not set up", 'pip install "debateroom[embedded]"'),
        "command:claude": ("not set up", "npm install -g @anthropic-ai/claude-code"),
        "command:codex": ("not set up", "npm install -g @openai/codex"),
        "command:gemini": ("not set up", "npm install -g @google/gemini-cli"),
        "default model": ("not set up", "debateroom keys set anthropic"),
        "rooms": ("ok", None),
        "config": ("ok", None),
        "cache": ("ok", None),
    }


def test_as_text_it_is_an_aligned_list(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A line a check, in columns, and below it what comes next; the key's source and never the key."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert cli.run(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    sdk = checks.version("anthropic")
    assert lines[0] == (
        f"anthropic        ok          key from ANTHROPIC_API_KEY, SDK {sdk}, https://api.anthropic.com"
    )
    assert lines[2] == "                             next: debateroom keys set openai"
    assert "default model    ok          sonnet, there is a key for it" in lines
    assert KEY not in "".join(lines)


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> Iterator[VendorServer]:
    """Both vendors on loopback, with keys for them."""
    with VendorServer(lambda call: HttpError(401) if "openai" in call.endpoint else "ready") as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        yield server


def test_live_asks_each_provider_once_for_a_little(capsys: pytest.CaptureFixture[str], vendor: VendorServer) -> None:
    """A call of limit 1,024: the one that answers is ok, a refused key is broken and makes the exit code 1."""
    code, found = doctor(capsys, "--live")
    assert code == 1
    good, refused = found["anthropic"], found["openai"]
    assert (good["state"], good["live"], good["url"], good["key"]) == ("ok", True, vendor.url, "ANTHROPIC_API_KEY")
    assert "claude-haiku-5-5 answered in " in good["detail"]
    assert (refused["state"], refused["live"], refused["url"]) == ("broken", False, vendor.openai_url)
    assert refused["detail"].endswith("openai refused the key that gpt-6.2-sol was asked with.")
    assert "debateroom keys set openai" in refused["next"]
    assert [call.body.get("max_tokens") or call.body["max_completion_tokens"] for call in vendor.calls] == [
        1024,
        1024,
    ]


def test_without_live_nobody_is_asked(capsys: pytest.CaptureFixture[str], vendor: VendorServer) -> None:
    """What is set up is only described."""
    code, found = doctor(capsys)
    assert (code, found["openai"]["state"], found["openai"]["live"], vendor.calls) == (0, "ok", None, [])


@pytest.mark.parametrize(
    ("fault", "said"), [(Reply("", stop_reason="length"), "thinking"), (HttpError(429), "rate limit")]
)
def test_a_model_that_is_reached_is_not_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, fault: Any, said: str
) -> None:
    """A limit that went into thinking, or a rate limit, shows that it answers."""
    with VendorServer(lambda call: fault) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        code, found = doctor(capsys, "--live")
    check = found["anthropic"]
    assert (code, check["state"], check["live"]) == (0, "ok", True)
    assert said in check["detail"]


def test_a_server_without_the_vendors_model_is_reached(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of one's own needs no key, and to not have the default model is no fault."""
    with VendorServer(HttpError(404, message="there is no model gpt-6.2-sol")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        code, found = doctor(capsys, "--live")
    check = found["openai"]
    assert (code, check["state"], check["live"]) == (0, "ok", True)
    assert check["next"] == "--model openai:NAME, with a name that it knows"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_keys_that_others_can_read_are_broken(capsys: pytest.CaptureFixture[str]) -> None:
    """The file is named with the command that mends it; the exit code is 1."""
    path = Path(os.environ["XDG_CONFIG_HOME"]) / "debateroom" / "keys.toml"
    path.parent.mkdir()
    path.write_text(f'anthropic = "{KEY}"\n')
    path.chmod(0o644)
    code, found = doctor(capsys)
    assert code == 1
    assert (found["anthropic"]["state"], found["anthropic"]["next"]) == ("broken", f"chmod 600 {path}")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_keys_that_others_can_read_are_warned_about_and_the_rest_is_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`keys` and `models` end with 0; a provider whose key comes from the environment is as it was."""
    path = Path(os.environ["XDG_CONFIG_HOME"]) / "debateroom" / "keys.toml"
    path.parent.mkdir()
    path.write_text(f'openai = "{KEY}"\n')
    path.chmod(0o644)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    code, out, err = run(capsys, "keys", "list")
    assert (code, out) == (0, "anthropic: ANTHROPIC_API_KEY\nopenai: none that can be used\n")
    assert f"Others on this machine can read the keys in {path}." in err
    assert f"chmod 600 {path}" in err
    code, out, err = run(capsys, "models", "--json")
    rows = {row["alias"]: row for row in json.loads(out)}
    assert (code, rows["sonnet"]["ready"]) == (0, True)
    assert (rows["gpt"]["ready"], rows["gpt"]["missing"]) == (False, f"chmod 600 {path}")
    assert "Others on this machine can read" in err


@pytest.mark.parametrize("key", [f"{KEY}\nfoo", f"{KEY}é", f"{KEY}\x01x", "sk-ant-“quoted”"])
def test_a_key_that_no_header_can_hold_is_named_before_any_call(
    serve: Serve, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Exit 4 with the variable, in a debate, a dry run and `doctor --live`; the key is never shown."""
    server = serve(HttpError(401))
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    code, out, err = run(capsys, "Should jobs use a queue or a loop?", "--model", "sonnet", "-vv")
    assert (code, server.accepted) == (4, 0)
    assert "The key in ANTHROPIC_API_KEY cannot be sent" in err
    assert "set ANTHROPIC_API_KEY to a valid key" in err
    dry = run(capsys, "Should jobs use a queue or a loop?", "--model", "sonnet", "--dry-run")
    listed = run(capsys, "keys", "list")
    assert (dry[0], listed[0]) == (0, 0)
    code, found = doctor(capsys, "--live")
    assert (code, found["anthropic"]["state"]) == (1, "broken")
    assert [call.endpoint for call in server.calls] == ["openai.chat"], "which needs no key here"
    shown = json.dumps([out, err, dry, listed, found])
    assert KEY not in shown
    assert "quoted" not in shown


def test_an_address_that_is_none_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A base URL is checked before anything is sent there; a password in a good one is not shown."""
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:11434")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"https://me:{KEY}@proxy.example/anthropic")
    code, found = doctor(capsys)
    assert (code, found["openai"]["state"]) == (1, "broken")
    assert found["anthropic"]["url"] == "https://proxy.example/anthropic"


def test_a_damaged_model_file_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    """The file in the cache is hashed: what is not the official one is damaged, and is to be fetched again."""
    path = location(OFFICIAL)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"GGUF, but not the official one")
    code, found = doctor(capsys)
    assert (code, found["embedded"]["state"], found["embedded"]["next"]) == (1, "broken", "debateroom models pull")
    assert found["embedded"]["detail"] == f"{path} is damaged: it is not the official file"


def test_programs_are_found_with_their_versions(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program tells its version; one that nobody has logged in to is not set up, and names its login."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'empty'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    installed = Installed(tmp_path / "home", monkeypatch)
    (tmp_path / "home" / "bin" / "gemini").write_text("#!/bin/sh\necho no such thing >&2\nexit 3\n")
    (tmp_path / "home" / "bin" / "codex").write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.155.1 && exit 0\n'
        'echo \'{"type":"turn.failed","error":{"message":"401 Unauthorized"}}\'\nexit 1\n'
    )
    code, found = doctor(capsys, "--live")
    assert code == 1
    claude, codex, gemini = (found[f"command:{name}"] for name in ("claude", "codex", "gemini"))
    assert (claude["state"], claude["version"], claude["live"]) == ("ok", "2.1.332 (Claude Code)", True)
    assert (codex["state"], codex["version"], codex["next"]) == ("not set up", "codex-cli 0.155.1", "codex login")
    assert (gemini["state"], gemini["detail"]) == (
        "broken", f"{tmp_path}/home/bin/gemini --version ended with exit code 3: no such thing",
    )  # fmt: skip
    assert [call["arguments"][0] for call in installed.calls()] == ["-p"]


def test_a_folder_that_cannot_be_written_is_broken(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rooms must be writable somewhere; a file in a folder's place is none."""
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("DEBATEROOM_ACTIVE", str(tmp_path / "taken" / "rooms"))
    code, found = doctor(capsys)
    assert (code, found["rooms"]["state"]) == (1, "broken")
    assert found["rooms"]["detail"] == f"{tmp_path}/taken/rooms cannot be written: Not a directory"
    assert found["rooms"]["next"] == "debateroom … --active DIR"


def test_the_default_is_said_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Named in the settings, or by the key that there is, or what stands in for it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert checks.default() == Check("default model", "ok", "gpt. No key for sonnet: using gpt.")
    monkeypatch.setenv("DEBATEROOM_MODEL", "opus")
    assert checks.default() == Check("default model", "ok", "opus, named in the settings")
    monkeypatch.setenv("DEBATEROOM_ROUNDS", "many")
    assert checks.default().state == "broken"


def test_providers_are_asked_at_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    """Of two silent servers the second is asked while the first still has its time; both are then named as such."""
    server = serve(Silent())
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    code, found = doctor(capsys, "--live", "--call-timeout", "1.5")
    assert (code, server.peak_in_flight) == (1, 2)
    for name in ("anthropic", "openai"):
        assert (found[name]["state"], found[name]["live"]) == ("broken", False)
        assert "did not answer in time" in found[name]["detail"]
    assert checks.PATIENCE == 20


def test_a_spent_quota_is_told_without_a_room_to_go_on_with(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    """What helps is at the provider's; there is no room that could be resumed."""
    serve(HttpError("quota"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    _, found = doctor(capsys, "--live")
    assert found["anthropic"]["next"] == "mend it at the provider's website"


def test_a_key_on_the_command_line_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever types it there is told what to do, and no log gets it from us; nor from another command."""
    assert cli.run(["keys", "set", "anthropic", KEY]) == 2
    told = capsys.readouterr()
    assert KEY not in told.out + told.err
    assert "debateroom keys set anthropic" in told.err
    assert cli.run(["rooms", "more", KEY]) == 2
    assert KEY not in capsys.readouterr().err
