"""The real embedded model: replies in the format, one prefix read once, and a process that stays clean and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from debateroom.errors import CallFailed, NoModel
from debateroom.language import LANGUAGES, SECTIONS
from debateroom.messages import Kind, Purpose, ReplyFormat, Request
from debateroom.models import embedded, serving
from debateroom.models.embedded import Embedded, Fitted
from debateroom.models.registry import Models
from debateroom.reading.reply import read_reply

pytestmark = pytest.mark.embedded

SEATS = ("Agent A", "Agent B", "Agent C")

ROOM = {
    "en": "Three agents debate. PROBLEM: should our order service use a durable queue or a loop?",
    "fr": "Trois agents débattent. PROBLÈME : faut-il réécrire le service de facturation en Rust ?",
    "zh": "三位参与者辩论。问题：我们应该使用微服务还是单体架构？",
}
SAID = {
    "en": "WHAT WAS SAID IN ROUND 1:\nAgent B (Pragmatist):\nA loop is enough.\nAgent C (Critic):\nIt loses work.",
    "fr": "CE QUI A ÉTÉ DIT AU TOUR 1 :\nAgent B (Pragmatique) :\nNon, c'est trop cher.\nAgent C (Critique) :\nOui.",
    "zh": "第 1 轮的发言：\nAgent B（务实派）：\n单体就够了。\nAgent C（批评者）：\n单体难以扩展。",
}
OWN = {
    "en": "You are Agent A, Architect. Answer with the labels {labels}.",
    "fr": "Vous êtes Agent A, Architecte. Répondez avec les étiquettes {labels}.",
    "zh": "你是 Agent A，架构师。用这些标签回答：{labels}。",
}


@pytest.fixture(scope="module")
def model() -> Iterator[Embedded]:
    """The real model, loaded once; its file is fetched when it is not there."""
    pytest.importorskip("xllamacpp")
    with Models() as models:
        found = models.open("embedded")
        assert isinstance(found, Embedded)
        yield found


def seat_request(kind: Kind, language: str, seat: str = "Agent A") -> Request:
    """What a seat is asked, short."""
    return Request(
        (ROOM[language],) if kind == "opening" else (ROOM[language], SAID[language]),
        OWN[language].format(labels=", ".join(SECTIONS[kind])),
        timeout=300.0,
        reply_format=ReplyFormat(kind, language, SEATS),
        purpose=Purpose("seat", seat, 1 if kind == "opening" else 2),
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", SECTIONS)
def test_real_replies_hold_the_format(model: Embedded, kind: Kind, language: str) -> None:
    """In each language and round the real model's reply is read without repair, finished, with all its sections."""
    pieces: list[str] = []
    answer = model.ask(seat_request(kind, language), on_text=pieces.append)
    reply = read_reply(answer.text, kind=kind, language=language, speaker="Agent A")
    assert (tuple(reply.sections), reply.repairs) == (SECTIONS[kind], ())
    assert reply.confidence in range(1, 11)
    assert reply.endorses in (SEATS if kind == "debate" else (None,))
    assert ("".join(pieces), answer.stop_reason) == (answer.text, "stop")
    assert 40 < answer.usage.output < embedded.REPLY


def test_the_common_beginning_of_prompts_is_read_once(model: Embedded) -> None:
    """The second seat of a round finds all shared blocks in the slot, and so does the next round what was there."""
    shared = ROOM["en"] + " It has to survive a restart, and two people look after it." * 20
    first, second = (
        model.ask(Request((shared,), f"You are {seat}. Say yes or no.", max_tokens=3)) for seat in SEATS[:2]
    )
    third = model.ask(Request((shared, SAID["en"]), "You are Agent A. Say yes or no.", max_tokens=3))
    size = model.count_tokens(shared)
    assert size > 200
    assert first.usage.cached < size / 2
    assert min(second.usage.cached, third.usage.cached) >= size
    assert second.usage.input - second.usage.cached < 30


def test_seats_that_ask_at_once_are_served_one_after_the_other(model: Embedded) -> None:
    """Calls from many threads all get their answer; none counts the time it waited for the others as its own."""
    requests = [Request((ROOM["en"],), f"You are {seat}. Count to twenty.", max_tokens=40) for seat in SEATS]
    began = time.monotonic()
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(model.ask, requests))
    assert [0 < answer.usage.output <= 40 for answer in answers] == [True] * 3
    assert sum(answer.seconds for answer in answers) <= time.monotonic() - began + 0.1
    assert {answer.model for answer in answers} == {pull_stem()}


def pull_stem() -> str:
    """The name of the file in use, which is the model's id."""
    from debateroom.models.pull import ensure

    return ensure().stem


def test_what_does_not_fit_the_real_window_is_not_sent(model: Embedded) -> None:
    """Too long a request fails at once with the real figures; `fit` cuts the history where that is enough."""
    long = Request(
        ("word " * 3000, "word " * 3000, "word " * 2000), "?", reply_format=ReplyFormat("debate", "en", SEATS)
    )
    began = time.monotonic()
    with pytest.raises(CallFailed, match=r"would have to read 8,\d\d\d tokens; its window of 8,192 leaves 7,592"):
        model.ask(long)
    assert time.monotonic() - began < 2.0
    assert model.fit(long) == Fitted(Request(long.shared[::2], "?", reply_format=long.reply_format), "last_round")


def test_a_call_that_is_out_of_time_ends_and_the_next_one_is_served(model: Embedded) -> None:
    """The deadline ends a call in the middle of reading its prompt; the model is free for the next seat."""
    began = time.monotonic()
    with pytest.raises(CallFailed) as caught:
        model.ask(Request(("other words " * 2500,), "Go on.", timeout=1.0))
    assert (caught.value.cause, time.monotonic() - began < 5.0) == ("timeout", True)
    assert model.ask(Request((ROOM["en"],), "Say yes.", max_tokens=3)).text


def test_the_port_answers_nobody_without_the_key(model: Embedded) -> None:
    """Another program, or a web page, that finds the port cannot use the model."""
    import httpx2

    running = model._running
    assert running is not None
    with httpx2.Client(trust_env=False) as client:
        body = {"messages": [{"role": "user", "content": "hello"}]}
        answers = [
            client.post(f"{running._serving.url}/v1/chat/completions", json=body),
            client.get(running._serving.url),
        ]
    assert [answer.status_code for answer in answers] == [401, 404]
    assert [answer.headers.get("access-control-allow-origin") or "nobody" for answer in answers] == ["nobody"] * 2


QUIET = """
import sys, threading, time
from debateroom.messages import Request
from debateroom.models.registry import Models
with Models() as models:
    model = models.open("embedded")
    model.start()
    {body}
    closing = time.monotonic()
assert time.monotonic() - closing < 4, "closing took too long"
"""


def run(body: str) -> subprocess.Popen[str]:
    """A process of its own in which `body` is run with the model open."""
    code = QUIET.replace("{body}", textwrap.indent(textwrap.dedent(body), "    ").strip())
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def test_nothing_is_written_to_the_streams() -> None:
    """Loading, answering and closing print nothing: standard output is the answer, and standard error is ours."""
    with run('print(model.ask(Request((), "Say yes.", max_tokens=2)).usage.output)') as process:
        out, err = process.communicate(timeout=120)
    assert (out, err, process.returncode) == ("2\n", "", 0)


def test_a_program_that_closes_nothing_ends_by_itself() -> None:
    """Without `close` the server is stopped when the program ends, and the exit is clean."""
    with run("models._open.clear()") as process:
        out, err = process.communicate(timeout=120)
    assert (out, err, process.returncode) == ("", "", 0)


@pytest.mark.parametrize(("asked", "seconds"), [('"Count from 1 to 1000."', 60), ('"other words " * 3000', 2.5)])
def test_closing_in_the_middle_of_a_call_is_prompt(asked: str, seconds: float) -> None:
    """As soon as a reply has begun, or while a prompt is read, closing hangs up: the call fails, the process ends."""
    body = f"""
        begun = threading.Event()
        def call():
            try:
                model.ask(Request((), {asked}, timeout=300.0), on_text=lambda piece: begun.set())
            except Exception as error:
                print(type(error).__name__)
        thread = threading.Thread(target=call)
        thread.start()
        begun.wait({seconds})
    """
    with run(body) as process:
        out, err = process.communicate(timeout=120)
    assert (out, err, process.returncode) == ("CallFailed\n", "", 0)


def test_ctrl_c_ends_a_program_that_waits_for_the_model() -> None:
    """SIGINT in the middle of a call ends the process within seconds, with Python's own exit for it."""
    body = """
        import signal

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore it
        print("asked", flush=True)
        model.ask(Request((), "other words " * 3000, timeout=300.0))
    """
    with run(body) as process:
        assert process.stdout is not None
        process.stdout.readline()
        threading.Event().wait(2.0)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        process.communicate(timeout=60)
    assert (process.returncode, time.monotonic() - began < 5.0) == (-signal.SIGINT, True)


def test_a_broken_model_file_is_an_error_without_noise(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A file that only begins like a model is refused by the real library in silence."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF\x03\0\0\0" + b"x" * 1000)
    with pytest.raises(NoModel, match="cannot be loaded as a model"):
        serving.Serving(broken, window=8192)
    assert capfd.readouterr() == ("", "")
