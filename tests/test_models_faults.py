"""What the models do when a vendor or the network fails: recognised, tried again where that helps, never a turn."""

from __future__ import annotations

import socket
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from vendor import Answerer, Call, Reply, Said, VendorServer
from vendor.faults import (
    ALL_THINKING,
    EMPTY,
    REFUSAL,
    BrokenJSON,
    Cut,
    HttpError,
    NullContent,
    Page,
    Reset,
    SlowHead,
    StreamError,
    Trickle,
    fail_first,
)

from debateroom import clock
from debateroom.errors import CallFailed, DebateroomError, NoModel
from debateroom.messages import Answer, Request
from debateroom.models import retry
from debateroom.models.keys import Keys
from debateroom.models.registry import Models, ModelSettings

KEY = "sk-known-secret-0042"
KEYS = Keys(Path("/nowhere/keys.toml"), environment={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY})
REQUEST = Request(("shared",), "own", timeout=20)
WEB = pytest.mark.parametrize(
    ("name", "api"),
    [("opus", "responses"), ("gpt", "responses"), ("openai:qwen", "chat")],
    ids=["messages", "responses", "chat"],
)


def settings(server: VendorServer, api: Any, **more: Any) -> ModelSettings:
    return ModelSettings(anthropic_url=server.url, openai_url=server.openai_url, openai_api=api, **more)


def ask(
    name: str, api: Any, said: Said | Answerer, request: Request = REQUEST, **more: Any
) -> tuple[Answer, list[Call]]:
    with retry.no_sleep(), VendorServer(said) as server, Models(settings(server, api, **more), keys=KEYS) as models:
        return models.open(name).ask(request), server.calls


def failure(name: str, api: Any, said: Said | Answerer, request: Request = REQUEST, **more: Any) -> tuple[Any, int]:
    """The error of a call, and how often it was sent."""
    with retry.no_sleep(), VendorServer(said) as server, Models(settings(server, api, **more), keys=KEYS) as models:
        with pytest.raises(DebateroomError) as caught:
            models.open(name).ask(request)
        return caught.value, len(server.calls)


@WEB
@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (Cut(), "cut"),
        (EMPTY, "empty"),
        (Reply("  \n"), "empty"),
        (HttpError(429), "rate_limit"),
        (HttpError(529), "overloaded"),
        (HttpError(500), "error"),
        (HttpError(408), "timeout"),
        (StreamError(529), "overloaded"),
        (BrokenJSON(), "error"),
        (Reset(), "connection"),
        (Reset("POSITION: we"), "connection"),
        (Cut(abrupt=True), "connection"),
    ],
    ids=lambda value: repr(value) if not isinstance(value, str) else value,
)
def test_what_may_pass_is_tried_again(name: str, api: Any, said: Said, cause: str) -> None:
    """A fault that may pass is tried three times here, and the third answer counts; never more often than allowed."""
    answer, calls = ask(name, api, fail_first(2, said, "POSITION: yes"), attempts=3)
    assert (answer.text, len(calls)) == ("POSITION: yes", 3)
    error, sent = failure(name, api, said, attempts=2)
    assert (type(error), sent) == (CallFailed, 2)
    assert str(error).endswith(" Tried 2 times.")


@WEB
@pytest.mark.parametrize(
    ("said", "kind", "cause"),
    [
        (HttpError(400), CallFailed, "error"),
        (HttpError(401), NoModel, None),
        (HttpError(403), NoModel, None),
        (HttpError(404), NoModel, None),
        (HttpError(501), CallFailed, "error"),
        (HttpError("quota"), CallFailed, "quota"),
        (HttpError("spend_limit"), CallFailed, "quota"),
        (Page(), CallFailed, "error"),
        (Page(kind="text/plain"), CallFailed, "error"),
        (Page(kind="application/json"), CallFailed, "error"),
        (Page(kind="text/event-stream"), CallFailed, "error"),
        (Page(b"{}", "application/json"), CallFailed, "error"),
        (Page(b'{"status": "ok"}', "text/plain"), CallFailed, "error"),
        (Page(b"Please sign in first.", "text/plain"), CallFailed, "error"),
        (Page(b'"a string"', "application/json"), CallFailed, None),
        (ALL_THINKING, CallFailed, "thought_out"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_cannot_pass_is_final_at_once(name: str, api: Any, said: Said, kind: type, cause: str | None) -> None:
    """A fault that stays is one call, and a sentence without a web page in it."""
    error, sent = failure(name, api, said)
    assert (type(error), sent) == (kind, 1)
    if cause is not None:
        assert error.cause == cause
    assert "<" not in str(error)


@WEB
def test_a_refused_key_is_no_model_with_the_command_that_mends_it(name: str, api: Any) -> None:
    """401 stops at once, exit 4, and says what to run; the key is nowhere in the error."""
    with VendorServer("yes", key="sk-another") as server, Models(settings(server, api), keys=KEYS) as models:
        with pytest.raises(NoModel) as caught:
            models.open(name).ask(REQUEST)
        provider = "anthropic" if name == "opus" else "openai"
        assert (caught.value.exit_code, caught.value.hint) == (4, f"debateroom keys set {provider}")
        shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
        assert KEY not in shown


def test_a_refusal_without_a_word_is_no_turn() -> None:
    """A refusal that says nothing fails the call at once."""
    error, sent = failure("opus", "responses", REFUSAL)
    assert (type(error), error.cause, sent) == (CallFailed, "refusal", 1)


@pytest.mark.parametrize(("name", "api"), [("gpt", "responses"), ("openai:qwen", "chat")])
def test_openais_refusals_are_on_a_channel_of_their_own(name: str, api: Any) -> None:
    """What OpenAI sends as a refusal is an answer that says it is one, though the API calls it finished."""
    answer, calls = ask(name, api, REFUSAL)
    assert (answer.text, answer.stop_reason, len(calls)) == ("I cannot help with that.", "refusal", 1)


@WEB
def test_an_answer_without_content_is_no_turn(name: str, api: Any) -> None:
    """`choices`, `content` or `output` of null is recognised and tried again."""
    error, sent = failure(name, api, NullContent(), attempts=2)
    assert (type(error), error.cause in ("cut", "empty"), sent) == (CallFailed, True, 2)


def test_a_failed_response_says_its_code() -> None:
    """A Responses stream that ends in `response.failed` is decided by the code inside."""
    error, sent = failure("gpt", "responses", StreamError("quota", failed=True))
    assert (error.cause, sent) == ("quota", 1)


@WEB
@pytest.mark.parametrize("fault", [Trickle(), SlowHead()], ids=["pings", "an answer that never begins"])
def test_nothing_that_trickles_extends_a_call(name: str, api: Any, fault: Said) -> None:
    """A stream that stays alive, or headers that come byte by byte, end at the call's deadline."""
    started = time.monotonic()
    error, sent = failure(name, api, fault, Request((), "own", timeout=0.5))
    assert (error.cause, sent) == ("timeout", 1)
    assert 0.4 < time.monotonic() - started < 10


@WEB
def test_nobody_there_says_where_it_looked(name: str, api: Any) -> None:
    """A server that is not running is a connection error that names the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    more = ModelSettings(anthropic_url=url, openai_url=f"{url}/v1", openai_api=api, attempts=2)
    with retry.no_sleep(), Models(more, keys=KEYS) as models, pytest.raises(CallFailed) as caught:
        models.open(name).ask(REQUEST)
    assert caught.value.cause == "connection"
    assert str(caught.value.hint).startswith(f"check that {url}")


@WEB
def test_the_gate_lets_so_many_calls_through(name: str, api: Any) -> None:
    """Never more calls at once than allowed, and waiting for a slot is not the call's time."""
    with (
        VendorServer("yes", latency=0.15) as server,
        Models(settings(server, api, concurrency=2), keys=KEYS) as models,
    ):
        model = models.open(name)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: model.ask(Request((), "own", timeout=0.6)), range(8)))
        assert server.peak_in_flight == 2
        assert max(answer.seconds for answer in answers) < 0.55


def test_an_answer_that_nobody_wants_any_more_is_not_asked_for() -> None:
    """A call that still waits for a slot when its round is over is never sent."""
    with VendorServer("yes", latency=30.0) as server:
        with Models(settings(server, "chat", concurrency=1), keys=KEYS) as models:
            model = models.open("openai:qwen")
            with ThreadPoolExecutor(2) as pool:
                first = pool.submit(model.ask, REQUEST)
                while not server.calls:
                    time.sleep(0.01)
                late = pool.submit(model.ask, Request((), "late", until=clock.monotonic() + 0.2))
                assert isinstance(late.exception(timeout=10), CallFailed)
                server.hurry()
                assert first.result(timeout=10).text == "yes"
        assert len(server.calls) == 1


def test_a_stopped_run_sends_nothing_more() -> None:
    """After a stop those who wait for a slot give up within a second, and nothing is sent."""
    with (
        VendorServer("yes", latency=30.0) as server,
        Models(settings(server, "chat", concurrency=1), keys=KEYS) as models,
    ):
        model = models.open("openai:qwen")
        with ThreadPoolExecutor(2) as pool:
            pool.submit(model.ask, REQUEST)
            while not server.calls:
                time.sleep(0.01)
            waiting = pool.submit(model.ask, REQUEST)
            threading.Timer(0.1, models.stop.set).start()
            started = time.monotonic()
            assert isinstance(waiting.exception(timeout=10), CallFailed)
            assert time.monotonic() - started < 5
            server.hurry()
        assert len(server.calls) == 1


def test_a_server_that_does_not_stream_is_understood() -> None:
    """A compatible server that answers in one JSON piece is an answer like any other."""
    whole = (
        b'{"id": "1", "model": "tiny", "choices": [{"index": 0, "finish_reason": "stop", '
        b'"message": {"role": "assistant", "content": "POSITION: yes"}}], '
        b'"usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}}'
    )
    answer, calls = ask("openai:tiny", "chat", Page(whole, "application/json; charset=utf-8"))
    assert (answer.text, answer.model, answer.usage.input, answer.usage.output) == ("POSITION: yes", "tiny", 5, 3)
    assert len(calls) == 1


@WEB
@pytest.mark.parametrize(
    "event",
    [
        b"[" * 100_000, b'{"a":' * 50_000 + b"1" + b"}" * 50_000, b"3", b"null", b'"x"', b"NaN", b"\xff", b"[DONE]",
        b'{"type": ["x"], "choices": 5, "usage": []}', b'{"choices": [5, null, {"delta": "x"}]}',
        b'{"type": "message_delta", "delta": {"stop_reason": ["x"]}, "usage": {"input_tokens": "5"}}',
        b'{"type": "message_start", "message": []}', b'{"type": "response.completed", "response": 5}',
        b'{"type": "response.failed", "response": {"error": [1]}}', b'{"error": {"code": {}, "message": null}}',
        b'{"type": "error", "code": [1], "message": {"x": 1}}', b'{"type": "error", "error": [1]}',
    ],
    ids=lambda event: event[:30].decode("latin-1"),
)  # fmt: skip
def test_nothing_that_a_stream_can_hold_leaves_as_it_is(name: str, api: Any, event: bytes) -> None:
    """Values of any shape and depth where an event is due are a failed call, never an error of Python's."""
    for prefix in (b"data: ", b"event: error\ndata: "):
        error, _ = failure(name, api, Page(prefix + event + b"\n\n", "text/event-stream"), attempts=1)
        assert isinstance(error, CallFailed)
        assert "\n" not in str(error)


def test_a_count_that_nobody_can_have_paid_for_is_none() -> None:
    """A number beyond all tokens ever sent is not one: no file could hold it and no price would be right."""
    end = b'{"type": "response.completed", "response": {"usage": {"input_tokens": 9%s, "output_tokens": 4}}}' % (
        b"9" * 30
    )
    text = b'{"type": "response.output_text.delta", "delta": "POSITION: yes"}'
    answer, _ = ask("gpt", "responses", Page(b"data: %s\n\ndata: %s\n\n" % (text, end), "text/event-stream"))
    assert (answer.text, answer.usage.input, answer.usage.output) == ("POSITION: yes", 0, 4)


@WEB
def test_an_error_with_status_200_is_an_error(name: str, api: Any) -> None:
    """Some gateways send the error object with status 200."""
    body = b'{"error": {"message": "no credit", "type": "insufficient_quota", "code": "insufficient_quota"}}'
    error, sent = failure(name, api, Page(body, "application/json"))
    assert (error.cause, sent) == ("quota", 1)


@WEB
def test_the_exact_reason_of_an_error_decides(name: str, api: Any) -> None:
    """A spend limit has the type of a rate limit; what stands in its details makes it final, in a stream or not."""
    error = b'{"type": "rate_limit_error", "message": "m", "details": {"error_code": "enforced_spend_limit_reached"}}'
    body = b'{"type": "error", "error": %s}' % error
    for said in (Page(body, "application/json"), Page(b"event: error\ndata: %s\n\n" % body, "text/event-stream")):
        failed, sent = failure(name, api, said)
        assert (failed.cause, sent) == ("quota", 1)


@pytest.mark.parametrize("field", ["max_completion_tokens", "stream_options", "response_format"])
def test_a_field_that_a_server_does_not_know_is_left_out(field: str) -> None:
    """A refused field is dropped (the limit gets its older name), the call made again, and the server remembered."""

    def old_server(call: Call) -> Said:
        unknown = f"Unrecognized request argument supplied: {field}"
        return HttpError(400, message=unknown) if field in call.body else "yes"

    request = Request((), "own", max_tokens=50, schema={"type": "object", "properties": {}})
    with VendorServer(old_server) as server, Models(settings(server, "chat"), keys=KEYS) as models:
        model = models.open("openai:old")
        assert [model.ask(request).text for _ in range(2)] == ["yes", "yes"]
        assert [field in call.body for call in server.calls] == [True, False, False]
        assert server.calls[-1].body.get("max_tokens") == (50 if field == "max_completion_tokens" else None)


def test_a_bug_in_the_listener_is_not_taken_for_a_fault() -> None:
    """What `on_text` raises leaves as it is: it is no failure of the provider's."""

    def listener(_: str) -> None:
        raise ZeroDivisionError

    with VendorServer("yes") as server, Models(settings(server, "chat"), keys=KEYS) as models:
        with pytest.raises(ZeroDivisionError):
            models.open("openai:qwen").ask(REQUEST, on_text=listener)
        assert len(server.calls) == 1
