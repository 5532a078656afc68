"""What a run in French or Chinese says: nothing about the debate is in another language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from vendor import VendorServer
from vendor.faults import HttpError

from debateroom import cli, templates
from debateroom.models import retry

QUESTIONS = {
    "fr": "Faut-il une file d'attente ou une boucle pour les tâches de fond ?",
    "zh": "后台任务应该用队列还是循环？",
}


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a scripted model, in an empty current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies.jsonl").write_text(json.dumps({"default": True, "response": "POSITION: A queue."}))
    return "scripted:replies.jsonl"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one call."""
    code = cli.run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "debateroom: -n 4 contredit les 2 rôles donnés ; --add-roles complète avec les rôles par défaut\n"
               "  ensuite : laissez -n de côté\n"),
        ("zh", "debateroom: -n 4 与给出的 2 个角色矛盾；--add-roles 会用默认角色补足\n  下一步：去掉 -n\n"),
    ],
)  # fmt: skip
def test_a_plan_that_contradicts_itself_is_refused_in_the_question_s_language(
    language: str, said: str, script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By then the question was read, and its language is known."""
    arguments = (QUESTIONS[language], "-n", "4", "--model", script, "--role", "A", "--role", "B")
    assert run(capsys, *arguments) == (2, "", said)


@pytest.mark.parametrize(
    ("language", "shown"), [("fr", "contexte : a.md 8\u202f300 caractères"), ("zh", "上下文：a.md 8,300 字")]
)
def test_a_dry_run_speaks_the_question_s_language(
    language: str, shown: str, script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sizes of the context, both tables and what stands under them; columns stand under one another."""
    Path("a.md").write_text("x" * 8300)
    code, out, err = run(
        capsys, QUESTIONS[language], "--model", "opus", "--context", "a.md", "--dry-run", "--budget", "9"
    )
    assert (code, err.splitlines()[0]) == (0, shown)
    labels = templates.data(f"labels/{language}.toml")
    assert [
        labels[key] for key in labels if key in {"plan_role", "plan_best", "plan_worst"} and labels[key] not in out
    ] == []
    english = r"\b(seat|tokens|calls|round|best case|worst case|Estimates|budget of|context|characters|there is no)\b"
    assert re.findall(english, out + err) == []
    assert bool(re.search(r"\d,\d{3}\b", out)) == (language == "zh")


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        (
            "fr",
            "n’a pas répondu : anthropic est surchargé et n’a pas traité l’appel à claude-sonnet-5-5. Essayé 2 fois.",
        ),
        ("zh", "没有作答：anthropic 过载，没有处理对 claude-sonnet-5-5 的调用。共尝试 2 次。"),
    ],
)
def test_why_a_seat_failed_is_said_in_the_room_s_language(
    language: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The vendor's fault is ours to say; on the terminal and in the room."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-12345678")
    with VendorServer(HttpError(529)) as server, retry.no_sleep(attempts=2):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        code, _, err = run(capsys, QUESTIONS[language], "-n", "2", "-r", "1", "--model", "sonnet")
    assert code == 5
    assert reason in err
    assert reason.split("：")[-1].split(" : ")[-1] in (tmp_path / "active/chatroom/journal.jsonl").read_text("utf-8")


@pytest.mark.parametrize("language", ["fr", "zh"])
def test_one_word_and_one_mark_for_one_thing(language: str) -> None:
    """Seats, tokens and the reader have one name each in Chinese; French has one apostrophe."""
    texts = {
        f"{name}.{key}": str([*text.values()] if isinstance(text, dict) else text)
        for name in (f"labels/{language}.toml", f"labels/report.{language}.toml")
        for key, text in templates.data(name).items()
        if not key.startswith("finding_")  # they go into a prompt
    }
    wrong = r"\w'\w|\bd'\{" if language == "fr" else r"智能体|(?<!\{)\btoken|您|：[ ]"
    assert [key for key, text in texts.items() if re.search(wrong, text)] == []
