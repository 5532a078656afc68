"""How an evaluation is shown on the way: a line that moves on a terminal, plain lines now and then elsewhere."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from debateroom.cli import counted
from debateroom.cli.trials import LiveTrials, TrialLines
from debateroom.language import LANGUAGES

SEATS = [{"name": "customer", "model": "anthropic:c"}, {"name": "shop", "model": "anthropic:a"}]


def opened(tasks: int, number: int = 1, *, language: str = "en", **more: Any) -> dict[str, Any]:
    asked = {"trials": number, "seed": more.pop("seed", None)}
    settings = {"tasks": [{}] * tasks, "asked": asked, "seed": 7, "ignores": more.pop("ignores", {})}
    return {
        "event": "room_opened", "language": language, "model": "anthropic:c", "agents": SEATS, "settings": settings,
    }  # fmt: skip


def finished(number: int, status: str = "pass", **more: Any) -> dict[str, Any]:
    result = {"simulator_invalid": more.pop("invalid", [])}
    checks = {"tool_calls": status, "db_state": "pass"}
    return {
        "event": "trial_finished", "task": f"T{number}", "trial": 1, "status": status, "checks": checks,
        "result": result, **more,
    }  # fmt: skip


def told(capsys: pytest.CaptureFixture[str], *events: Mapping[str, Any], verbose: int = 0) -> list[str]:
    """The lines on stderr."""
    lines = TrialLines(verbose=verbose)
    for event in events:
        lines.on_event(event)
    lines.close()
    return capsys.readouterr().err.splitlines()


@pytest.fixture(autouse=True)
def moment(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The time, which stands still unless a test moves it."""
    now = [100.0]
    monkeypatch.setattr(counted.clock, "monotonic", lambda: now[0])
    return now


def test_few_trials_have_a_line_each(capsys: pytest.CaptureFixture[str], moment: list[float]) -> None:
    """With what failed, and what is left by what it took so far."""
    lines = TrialLines()
    lines.on_event(opened(3))
    moment[0] += 10
    lines.on_event({"event": "trial_said", "usage": {"input": 1}, "cost": 0.25})
    lines.on_event(finished(1))
    lines.on_event(finished(2, "fail"))
    lines.on_event(finished(3, "fail", invalid=["leak"]))
    assert capsys.readouterr().err.splitlines() == [
        "3 tasks × 1: shop (anthropic:a) against customer (anthropic:c); seed 7",
        "1 of 3: T1 #1 passed; about 20 s and 0.50 US dollars left",
        "2 of 3: T2 #1 failed (tool_calls); about 5 s and 0.12 US dollars left",
        "3 of 3: T3 #1 invalid customer (tool_calls); all done",
    ]


def test_many_have_one_now_and_then(capsys: pytest.CaptureFixture[str], moment: list[float]) -> None:
    """For every twentieth part, after a while in any case, and for the last; each with `-v`."""
    events = [opened(50, 2), *(finished(n, "fail" if n % 10 == 0 else "pass") for n in range(1, 101))]
    lines = told(capsys, *events)
    assert len(lines) == 21
    assert lines[2] == "10 of 100: 9 passed, 1 failed; about 0 s left"
    assert lines[-1] == "100 of 100: 90 passed, 10 failed; all done"
    slow = TrialLines()
    slow.on_event(opened(50, 2))
    moment[0] += 16
    slow.on_event(finished(1))
    slow.on_event(finished(2))
    assert capsys.readouterr().err.splitlines()[1:] == ["1 of 100: 1 passed; about 26 min 24 s left"]
    assert len(told(capsys, *events, verbose=1)) == 101


@pytest.mark.parametrize(
    ("language", "one", "three"),
    [
        ("en", "1 task × 2:", "3 tasks × 2:"),
        ("fr", "1 tâche × 2 :", "3 tâches × 2 :"),
        ("zh", "1 个任务", "3 个任务"),
    ],
)
def test_a_count_agrees_with_its_noun(
    capsys: pytest.CaptureFixture[str], language: str, one: str, three: str
) -> None:
    """In each language."""
    assert language in LANGUAGES
    assert told(capsys, opened(1, 2, language=language))[0].startswith(one)
    assert told(capsys, opened(3, 2, language=language))[0].startswith(three)


def test_who_takes_no_seed_is_said_when_one_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Once for each model, also when a server refuses it only when it is asked."""
    ignores = {"anthropic:a": ["seed", "temperature"]}
    refused = {"event": "trial_said", "ignored": ["seed"], "party": "customer"}
    lines = told(capsys, opened(1, seed=7, ignores=ignores), refused, refused)
    assert [line.split(" takes")[0] for line in lines[1:]] == ["anthropic:a", "anthropic:c"]
    assert len(told(capsys, opened(1, ignores=ignores), refused)) == 1


def test_a_resumed_run_goes_on_counting(capsys: pytest.CaptureFixture[str]) -> None:
    """What had ended before is in the count, and in no forecast."""
    resumed = {"event": "room_resumed", "elsewhere": {}, "finished": 2}
    lines = told(capsys, opened(4), resumed, finished(3))
    assert lines[1:] == ["resumed; trials that had ended: 2 of 4", "3 of 4: T3 #1 passed; about 0 s left"]


class Terminal(io.StringIO):
    """One that says so."""

    def isatty(self) -> bool:
        return True


def test_a_line_moves_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """How far it is, how trials came out, what is left; above it only what broke."""
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    lines = LiveTrials()
    for event in (opened(3), finished(1), finished(2, "error"), finished(3, "fail")):
        lines.on_event(event)
    lines.on_event({"event": "room_finished"})
    said = screen.getvalue()
    assert "0 of 3: none has ended; how long is not known yet" in said
    assert "1 of 3: 1 passed; about 0 s left" in said
    assert "2 of 3: T2 #1 broke (tool_calls); about 0 s left\n" in said
    assert "3 of 3: 1 passed, 1 failed, 1 broke; all done" in said
