"""The scripted model: replies by seat and round from a file, and a file that is broken is said to be."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debateroom.errors import CallFailed, DebateroomError, UsageError
from debateroom.messages import Answer, Purpose, Request, Usage
from debateroom.models.registry import Models
from debateroom.models.script import read
from debateroom.models.scripted import ScriptedModel

LINES = """\
{"agent": "Agent A", "round": 1, "response": "POSITION: queue"}

{"agent": "Agent B", "round": 1, "error": "the server is down"}
{"agent": "Agent C", "response": "the same in every round"}
{"round": 2, "response": "whoever asks in round 2"}
{"call": "repair", "agent": "Agent A", "round": 1, "response": "POSITION: repaired"}
{"call": "moderator", "round": 1, "response": {"aligned": false, "why": "是"}}
{"call": "synthesis", "response": {"summary": "done"}}
{"agent": "Agent A", "round": 3, "response": "cut", "finish": "length", "usage": {"input": 9, "output": 2}}
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "replies.jsonl"
    path.write_text(LINES, encoding="utf-8")
    return path


def model(path: Path) -> ScriptedModel:
    return ScriptedModel(f"scripted:{path}", path)


def seat(agent: str, number: int, *, timeout: float = 120.0) -> Request:
    return Request((), "own", timeout=timeout, purpose=Purpose("seat", agent, number))


def said(asked: ScriptedModel, purpose: Purpose | None) -> str:
    return asked.ask(Request((), "own", purpose=purpose)).text


def test_each_call_gets_the_reply_of_its_seat_and_round(script: Path) -> None:
    """The closest match counts: seat and round, then seat, then round."""
    asked = model(script)
    assert said(asked, Purpose("seat", "Agent A", 1)) == "POSITION: queue"
    assert said(asked, Purpose("seat", "Agent C", 7)) == "the same in every round"
    assert said(asked, Purpose("seat", "Agent Z", 2)) == "whoever asks in round 2"
    assert said(asked, Purpose("repair", "Agent A", 1)) == "POSITION: repaired"
    assert said(asked, Purpose("moderator", round=1)) == '{"aligned":false,"why":"是"}'
    assert said(asked, Purpose("synthesis")) == '{"summary":"done"}'


def test_an_answer_says_how_it_ended_and_what_it_used(script: Path) -> None:
    """`finish` and `usage` of a line become the answer's."""
    answer = model(script).ask(seat("Agent A", 3))
    assert answer == Answer("cut", Usage(input=9, output=2), "length", f"scripted:{script}", answer.seconds)


@pytest.mark.parametrize(
    ("purpose", "spoken"),
    [
        (Purpose("seat", "Agent D", 4), "Agent D in round 4"),
        (Purpose("repair", "Agent B", 1), "the repair of Agent B in round 1"),
        (Purpose("moderator", round=2), "the moderator in round 2"),
        (None, "a seat"),
    ],
)
def test_a_missing_reply_names_seat_round_and_file(script: Path, purpose: Purpose | None, spoken: str) -> None:
    """A call that the file has nothing for has failed, and says what was looked for and where."""
    with pytest.raises(CallFailed) as caught:
        said(model(script), purpose)
    assert str(caught.value) == f"The script {script} has no reply for {spoken}."


def test_an_error_stands_in_the_place_of_a_reply(script: Path) -> None:
    """A line with `error` makes its call fail with that sentence."""
    with pytest.raises(CallFailed, match=r"^the server is down$"):
        model(script).ask(seat("Agent B", 1))


def test_two_lines_for_one_call_answer_one_after_the_other(tmp_path: Path) -> None:
    """The first line answers the first time, the last one every time after."""
    path = tmp_path / "twice.jsonl"
    path.write_text('{"round": 1, "error": "busy"}\n{"round": 1, "response": "now"}\n', encoding="utf-8")
    asked = model(path)
    for agent in ("Agent A", "Agent B"):
        with pytest.raises(CallFailed, match="busy"):
            asked.ask(seat(agent, 1))
        assert [asked.ask(seat(agent, 1)).text for _ in range(2)] == ["now", "now"]


def test_a_default_answers_seats_only(tmp_path: Path) -> None:
    """`default` is for any seat in any round; moderator and synthesis fail, so that the extract is used."""
    path = tmp_path / "default.json"
    path.write_text('[{"default": true, "response": "POSITION: yes"}]', encoding="utf-8")
    asked = model(path)
    assert (said(asked, Purpose("seat", "Agent Q", 9)), said(asked, None)) == ("POSITION: yes", "POSITION: yes")
    assert asked.moderates is False
    for purpose in (Purpose("moderator", round=1), Purpose("synthesis"), Purpose("repair", "Agent A", 1)):
        with pytest.raises(CallFailed):
            said(asked, purpose)


def test_it_moderates_only_with_lines_for_that(script: Path, tmp_path: Path) -> None:
    """Only a file that answers for the moderator or the synthesis lets the model moderate."""
    assert model(script).moderates is True
    seats_only = tmp_path / "seats.jsonl"
    seats_only.write_text('{"agent": "Agent A", "response": "x"}', encoding="utf-8")
    assert model(seats_only).moderates is False


def test_the_file_can_say_whose_model_it_plays(tmp_path: Path) -> None:
    """An `about` line sets vendor and window."""
    path = tmp_path / "about.jsonl"
    path.write_text('{"about": {"vendor": "openai", "window": 9000}}\n{"default": 1, "response": "x"}')
    assert (model(path).vendor, model(path).window, model(path).name) == ("openai", 9000, f"scripted:{path}")


CHAT = {
    "problem": "p",
    "rounds": [
        {
            "round": 1,
            "entries": [{"agent": "Agent A", "role": "R", "response": "one", "seconds": 99, "finish": "length"}],
            "failures": [{"agent": "Agent B", "role": "R", "reason": "it was late"}],
            "moderation": {"aligned": True},
        },
        {"entries": [{"agent": "Agent A", "response": "two", "usage": {"input": 5}}, 3, {"agent": 1}]},
        "damaged",
    ],
    "final_output": {"summary": "s"},
}


def test_a_transcript_is_replayed(tmp_path: Path) -> None:
    """A `chat.json` answers with its own replies, failures, verdicts and synthesis, without the waiting."""
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT, indent=2), encoding="utf-8")
    asked = model(path)
    first, second = asked.ask(seat("Agent A", 1)), asked.ask(seat("Agent A", 2))
    assert (first.text, first.stop_reason, second.text, second.usage) == ("one", "length", "two", Usage(input=5))
    assert first.seconds < 5
    with pytest.raises(CallFailed, match=r"^it was late$"):
        asked.ask(seat("Agent B", 1))
    assert said(asked, Purpose("moderator", round=1)) == '{"aligned":true}'
    assert said(asked, Purpose("synthesis")) == '{"summary":"s"}'
    assert asked.moderates is True


def test_the_original_skills_extra_rounds_are_replayed(tmp_path: Path) -> None:
    """Rounds under `rounds_r2` are rounds too."""
    path = tmp_path / "chat.json"
    old = {"rounds": [], "rounds_r2": [{"round": 2, "entries": [{"agent": "Agent A", "response": "old"}]}]}
    path.write_text(json.dumps(old), encoding="utf-8")
    assert model(path).ask(seat("Agent A", 2)).text == "old"


def test_text_arrives_in_pieces(script: Path) -> None:
    """A reply is handed on as it is written, piece by piece, and the pieces make the whole."""
    path = script.with_name("long.jsonl")
    text = "POSITION: " + "一段话 " * 40
    path.write_text(json.dumps({"default": True, "response": text}), encoding="utf-8")
    pieces: list[str] = []
    answer = model(path).ask(seat("Agent A", 1), on_text=pieces.append)
    assert (answer.text, "".join(pieces)) == (text, text)
    assert len(pieces) > 3


def test_a_slow_reply_takes_its_time_and_no_longer_than_allowed(tmp_path: Path) -> None:
    """`seconds` is how long a reply takes; past the call's time the call fails."""
    path = tmp_path / "slow.jsonl"
    path.write_text('{"agent": "Agent A", "response": "x", "seconds": 0.2}\n{"response": "y", "seconds": 60}')
    asked = model(path)
    assert 0.2 <= asked.ask(seat("Agent A", 1)).seconds < 5
    with pytest.raises(CallFailed, match=r"No answer within 0.1 s") as caught:
        asked.ask(seat("Agent B", 1, timeout=0.1))
    assert caught.value.cause == "timeout"


def test_closing_ends_every_wait(tmp_path: Path) -> None:
    """A closed model lets go of the threads that wait in it."""
    path = tmp_path / "slow.jsonl"
    path.write_text('{"response": "y", "seconds": 60}')
    models = Models()
    asked = models.open(f"scripted:{path}")
    started = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(asked.ask, seat(agent, 1)) for agent in ("Agent A", "Agent B")]
        models.close()
        assert all(isinstance(future.exception(timeout=10), CallFailed) for future in waiting)
    assert time.monotonic() - started < 30


def test_a_path_is_taken_from_the_current_folder(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path starts where the command runs."""
    monkeypatch.chdir(script.parent)
    with Models() as models:
        assert models.open("scripted:replies.jsonl").ask(seat("Agent A", 1)).text == "POSITION: queue"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.jsonl", '{"response": "x"}\n{"agent": "A", \n', "is broken in line 2: "),
        (
            "a.jsonl",
            '{"response": "x"}\n[1]\n',
            "is broken in line 2: a reply is an object with `response` or `error`.",
        ),
        ("a.jsonl", '{"response": "x"}\n{"agent": "A"}', "in line 2: it has neither `response` nor `error`."),
        ("a.jsonl", '{"agent": 3, "response": "x"}\n{"a": 1}', "in line 1: `agent` is a seat's name."),
        ("a.jsonl", '{"round": true, "response": "x"}', "is broken: `round` is a number, 1 and up."),
        ("a.json", '[{"response": "x"}, {"call": "boss", "response": "x"}]', "in entry 2: `call` is one of seat,"),
        ("a.json", '{"entries": [{"response": "x", "seconds": -1}]}', "in entry 1: `seconds` is a number from 0"),
        ("a.json", '{"entries": [{"response": "x", "finish": "no"}]}', "in entry 1: `finish` is one of stop,"),
        ("a.json", '{\n"rounds": [\n}', "is broken in line 3: "),
        ("a.jsonl", '{"agent": "Agent A", "error": " "}', "is broken: `error` is a sentence."),
        ("a.json", '{"rounds": []}', "holds no reply."),
        ("a.jsonl", "", "is broken in line 1: "),
        ("a.jsonl", '{"about": {"window": 0}}', "is broken: `vendor` is a word and `window` a number of tokens."),
        ("a.jsonl", "[" * 100_000, "is broken in line 1: "),
        ("a.jsonl", '{"response": NaN}', "is broken in line 1: "),
    ],
)
def test_a_broken_file_is_a_usage_error_that_says_where(
    tmp_path: Path, name: str, content: str, complaint: str
) -> None:
    """What is wrong is said with the file and the line, before any call."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        Models().open(f"scripted:{path}")
    assert str(caught.value).startswith(f"The script {path} ")
    assert complaint in str(caught.value)


@pytest.mark.parametrize("name", ["missing.jsonl", "folder", "binary.jsonl"])
def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path: Path, name: str) -> None:
    """Missing, a folder, not text: each is a usage error that names the path."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(UsageError, match=r"cannot be read: .+\.$"):
        read(tmp_path / name)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["agent", "round", "rounds", "entries", "response", "error", "call", "about", "default"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(value=ANY_JSON)
def test_a_hostile_file_never_crashes(value: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever JSON a file holds, it is read or refused with our own error."""
    path = tmp_path_factory.getbasetemp() / "hostile.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    try:
        asked = model(path)
        asked.ask(seat("Agent A", 1, timeout=0.01))
    except DebateroomError as error:
        assert str(error)  # noqa: PT017 — reading it is right as well
