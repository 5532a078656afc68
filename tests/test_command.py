"""Models behind programs: how each is called, what is read from it, and what is said when it fails."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Installed

from debateroom.errors import CallFailed, NoModel, UsageError
from debateroom.messages import Answer, Request, Usage
from debateroom.models import registry
from debateroom.models.registry import Models, ModelSettings
from debateroom.models.retry import no_sleep

SCHEMA = {"type": "object", "properties": {"aligned": {"type": "boolean"}}}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """The programs, first on PATH."""
    return Installed(tmp_path, monkeypatch)


@pytest.fixture
def models() -> Iterator[Models]:
    """The models of a run; retries do not sleep."""
    with no_sleep(), Models(ModelSettings(attempts=2)) as opened:
        yield opened


def order(what: str, **more: object) -> Request:
    """A request whose program does `what`."""
    return Request(shared=("The room.", "Round 1."), own=f"DO {what}", **more)  # type: ignore[arg-type]


def failure(models: Models, name: str, what: str) -> CallFailed | NoModel:
    """The error with which a call ends."""
    with pytest.raises((CallFailed, NoModel)) as caught:
        models.open(name).ask(order(what))
    return caught.value


@pytest.mark.parametrize(
    ("name", "text", "usage", "answers", "vendor"),
    [
        ("command:claude", "POSITION: a queue", Usage(16204, 15000, 1200, 350), "claude-opus-5-5", "anthropic"),
        ("command:codex", "POSITION: a loop", Usage(16071, 6912, 20, 345), "command:codex", "openai"),
        ("command:gemini", "POSITION: both", Usage(24979, 21263, 0, 177), "gemini-3-pro", "google"),
        ("command:own a b", "POSITION: a b DO answer", Usage(), "command:own a b", "unknown"),
    ],
)  # fmt: skip
def test_a_program_answers_with_text_usage_and_the_model_it_names(
    installed: Installed, models: Models, name: str, text: str, usage: Usage, answers: str, vendor: str
) -> None:
    """Usage has one shape, whichever way a program counts cached tokens; the vendor is the table's."""
    model = models.open(name)
    heard: list[str] = []
    found = model.ask(order("answer"), on_text=heard.append)
    assert found == Answer(text, usage, "stop", answers, found.seconds)
    assert found.seconds > 0
    assert heard == [text]
    assert (model.name, model.vendor, model.window, model.moderates) == (name, vendor, 200_000, True)


FLAGS = {
    "claude": ["-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--setting-sources", "",
               "--no-session-persistence", "--disable-slash-commands"],
    "codex": ["exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral",
              "--ignore-user-config", "--ignore-rules"],
    "gemini": ["--output-format", "json", "--extensions", "none", "--allowed-mcp-server-names", "none"],
}  # fmt: skip


@pytest.mark.parametrize("name", FLAGS)
def test_an_assistant_is_headless_alone_and_without_tools(installed: Installed, models: Models, name: str) -> None:
    """The flags come first, then the user's own; the prompt is on standard input, shared blocks first."""
    models.open(f"command:{name} --model 'of mine'").ask(order("answer"))
    (call,) = installed.calls()
    assert call["arguments"][: len(FLAGS[name])] == FLAGS[name]
    own = call["arguments"][-3:-1] if name == "codex" else call["arguments"][-2:]
    assert own == ["--model", "of mine"]
    assert (call["arguments"][-1] == "-") is (name == "codex"), "codex reads its prompt from -"
    assert call["prompt"] == "The room.\n\nRound 1.\n\nDO answer"


def test_gemini_is_given_a_policy_that_denies_every_tool(installed: Installed, models: Models) -> None:
    """Gemini CLI has no flag without tools: a policy file beside the working folder denies all of them."""
    models.open("command:gemini").ask(order("answer"))
    (call,) = installed.calls()
    (policy,) = call["read"].values()
    assert policy == '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
    assert call["arguments"][-2] == "--policy"
    assert call["environment"]["GEMINI_CLI_TRUST_WORKSPACE"] == "true"


def test_a_program_runs_in_an_empty_folder_and_group_of_its_own(installed: Installed, models: Models) -> None:
    """Nothing of the user's project is in sight, and nothing is left of the folder."""
    models.open("command:own").ask(order("answer"))
    (call,) = installed.calls()
    assert call["files"] == []
    assert call["environment"]["PWD"] == call["folder"]
    assert not Path(call["folder"]).parent.exists()
    assert call["group"] == call["pid"]


def test_the_session_of_a_host_is_left_out_of_the_environment(
    installed: Installed, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run inside an assistant works: its session's variables are taken out, what holds a login stays."""
    gone = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CODEX_SANDBOX", "CODEX_THREAD_ID")
    kept = ("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CODEX_API_KEY", "GEMINI_API_KEY")
    for name in gone + kept:
        monkeypatch.setenv(name, "set-outside")
    assert models.open("command:claude").ask(order("answer")).text == "POSITION: a queue"
    (call,) = installed.calls()
    assert [name for name in gone if name in call["environment"]] == []
    assert [call["environment"].get(name) for name in kept] == ["set-outside"] * len(kept)
    assert call["environment"]["HOME"]


def test_a_json_object_is_asked_for_by_flag_where_there_is_one(installed: Installed, models: Models) -> None:
    """claude and codex take the schema as a flag, closed; others find it in the prompt."""
    strict = {**SCHEMA, "additionalProperties": False, "required": ["aligned"]}
    texts = [
        models.open(f"command:{name}").ask(order("answer", schema=SCHEMA)).text for name in ("claude", "codex", "own")
    ]
    assert [json.loads(text) for text in texts[:2]] == [{"aligned": True}, {"aligned": False}]
    claude, codex, own = installed.calls()
    assert json.loads(claude["arguments"][claude["arguments"].index("--json-schema") + 1]) == strict
    assert [json.loads(text) for text in codex["read"].values()] == [strict]
    assert [call["prompt"].count("JSON Schema") for call in (claude, codex, own)] == [0, 0, 1]
    assert json.loads(own["prompt"].splitlines()[-1]) == SCHEMA


def test_a_program_of_ones_own_may_answer_in_json(installed: Installed, models: Models) -> None:
    """An object with a text and, if it likes, with usage and model."""
    found = models.open("command:own").ask(order("json"))
    assert (found.text, found.usage, found.model) == ("POSITION: json", Usage(input=9, output=4), "mine-1")


def test_files_named_in_a_command_are_those_of_the_current_folder(
    models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path means what it means where the command was typed, although the program runs elsewhere."""
    monkeypatch.chdir(tmp_path)
    Path("slow.py").write_text("import sys; print('POSITION: from', *sys.argv[1:])")
    found = models.open(f"command:{sys.executable} slow.py 'two words' none.txt").ask(order("answer"))
    assert found.text == "POSITION: from two words none.txt"


def test_no_shell_reads_a_command(installed: Installed, models: Models) -> None:
    """What a shell would take for its own is an argument."""
    text = models.open("command:own '$HOME' ; echo `id` > x").ask(order("answer")).text
    assert text == "POSITION: $HOME ; echo `id` > x DO answer"


@pytest.mark.parametrize(
    ("name", "what", "message", "cause", "tries"),
    [
        ("claude", "overloaded", "claude could not reach its model, or it is overloaded. It said: API Error: 529 "
         "Overloaded Tried 2 times.", "overloaded", 2),
        ("claude", "limit", "The account of claude has reached its limit. It said: You've hit your usage limit · "
         "resets 3am", "quota", 1),
        ("claude", "turns", "claude failed: it ended with exit code 1: error_max_turns", "error", 1),
        ("claude", "quiet error", "claude failed: something broke", "error", 1),
        ("claude", "exit with a good body", "claude failed: it ended with exit code 3", "error", 1),
        ("claude", "noise", "What claude printed is not its answer, or only a part of it. Tried 2 times.", "cut", 2),
        ("codex", "limit", "The account of codex has reached its limit. It said: The usage limit has been reached",
         "quota", 1),
        ("codex", "cut", "What codex printed is not its answer, or only a part of it. Tried 2 times.", "cut", 2),
        ("own", "crash", "own failed: it ended with exit code 7: Traceback deep inside OSError: key [key] refused",
         "error", 1),
        ("own", "die", "own failed: it was ended by SIGSEGV", "error", 1),
        ("own", "nothing", "own gave an empty answer. Tried 2 times.", "empty", 2),
        ("own", "error as json", "own failed: no credit", "error", 1),
        ("own", "flood", "own wrote more than 4 MB and was ended.", "error", 1),
    ],
)  # fmt: skip
def test_a_failure_is_never_an_answer(
    installed: Installed, models: Models, name: str, what: str, message: str, cause: str, tries: int
) -> None:
    """Body and exit code both count; what is said is quoted without keys, and tried again where that helps."""
    error = failure(models, f"command:{name}", what)
    assert isinstance(error, CallFailed)
    assert str(error).startswith(message)
    assert (error.cause, len(installed.calls())) == (cause, tries)
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    ("name", "hint"), [("claude", "claude auth login"), ("codex", "codex login"), ("gemini", "gemini")]
)
def test_a_missing_login_is_final_and_names_the_command(
    installed: Installed, models: Models, name: str, hint: str
) -> None:
    """Nobody logged in means that no call can succeed: exit 4, with the program's own login command."""
    error = failure(models, f"command:{name} --model x", "login")
    assert isinstance(error, NoModel)
    assert str(error).startswith(f"{name} --model x is not logged in. It said: ")
    assert (error.hint, error.exit_code, len(installed.calls())) == (hint, 4, 1)


def test_a_variable_that_holds_a_key_is_never_quoted(
    installed: Installed, models: Models, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever a key looks like, and wherever the program says it."""
    monkeypatch.setenv("MY_ODD_TOKEN", "correct horse battery")
    program = "import os,sys; sys.exit('refused: ' + os.environ['MY_ODD_TOKEN'])"
    error = failure(models, f'command:{sys.executable} -c "{program}"', "answer")
    assert str(error).endswith("it ended with exit code 1: refused: [key]")


def test_a_cut_answer_says_so(installed: Installed, models: Models) -> None:
    """The token limit is a stop reason, and the text stays."""
    found = models.open("command:claude").ask(order("cut"))
    assert (found.text, found.stop_reason) == ("POSITION: y", "length")


def test_a_list_of_messages_ends_in_the_result(installed: Installed, models: Models) -> None:
    """With --verbose Claude Code prints a list."""
    assert models.open("command:claude --verbose").ask(order("verbose")).text == "POSITION: a list"


def test_a_program_that_is_not_there_is_said_before_any_call(installed: Installed, models: Models) -> None:
    """Exit 4 when the model is opened, with what would install it."""
    installed.remove("codex")
    with pytest.raises(NoModel) as caught:
        models.open("command:codex --model x")
    assert (str(caught.value), caught.value.hint) == (
        "There is no program 'codex' here.", "npm install -g @openai/codex",
    )  # fmt: skip
    with pytest.raises(NoModel, match="There is no program 'nothing-of-the-kind' here"):
        models.open("command:nothing-of-the-kind --x")
    with pytest.raises(UsageError, match="command:own 'x cannot be read: No closing quotation"):
        models.open("command:own 'x")


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("command:/opt/x/claude --model a/b", "anthropic"), ("command:Codex.exe -m o3", "openai"),
        ("command:gemini", "google"), ("command:python claude.py", "unknown"), ("command:claude.py", "unknown"),
        ("command:ollama run qwen3", "unknown"), ("command:'", "unknown"),
    ],
)  # fmt: skip
def test_the_program_alone_tells_the_vendor(name: str, maker: str) -> None:
    """Arguments that look like a model's id say nothing about who made it."""
    assert registry.info(name).vendor == maker
