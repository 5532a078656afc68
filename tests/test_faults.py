"""Whatever goes wrong with a call leaves the models floor as one of two errors that a person understands."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import openai
import pydantic
import pytest
from vendor import Reply, Said, VendorServer
from vendor.clients import Clients, clients
from vendor.faults import (
    BrokenJSON,
    Cut,
    HttpError,
    NullContent,
    Page,
    Reset,
    Silent,
    StreamError,
    in_seconds,
)

from debateroom import clock
from debateroom.errors import CallFailed, NoModel, UsageError
from debateroom.models.faults import failed, failed_event, retry_after, translate, translated


def ask_messages(client: Clients) -> str:
    """All the text of a streamed answer, read event by event."""
    body: Any = {"model": "claude-x", "max_tokens": 900, "messages": [{"role": "user", "content": "?"}]}
    with client.anthropic.messages.create(**body, stream=True) as stream:
        deltas = [event.delta for event in stream if event.type == "content_block_delta"]
        return "".join(delta.text for delta in deltas if delta.type == "text_delta")


def ask_responses(client: Clients) -> str:
    with client.openai.responses.create(model="gpt-x", input="?", stream=True) as stream:
        return "".join(event.delta for event in stream if event.type == "response.output_text.delta")


def ask_chat(client: Clients) -> str:
    messages: Any = [{"role": "user", "content": "?"}]
    with client.openai.chat.completions.create(model="gpt-x", messages=messages, stream=True) as stream:
        return "".join(choice.delta.content or "" for chunk in stream for choice in chunk.choices)


def ask_messages_whole(client: Clients) -> str:
    body: Any = {"model": "claude-x", "max_tokens": 900, "messages": [{"role": "user", "content": "?"}]}
    message = client.anthropic.messages.create(**body)
    return "".join(block.text for block in message.content if block.type == "text")


def ask_responses_whole(client: Clients) -> str:
    return client.openai.responses.create(model="gpt-x", input="?").output_text


def ask_chat_whole(client: Clients) -> str:
    messages: Any = [{"role": "user", "content": "?"}]
    return client.openai.chat.completions.create(model="gpt-x", messages=messages).choices[0].message.content or ""


Ask = Callable[[Clients], str]
STREAMS: list[Ask] = [ask_messages, ask_responses, ask_chat]
WHOLE: list[Ask] = [ask_messages_whole, ask_responses_whole, ask_chat_whole]


def what_comes_of(said: Said, ask: Ask, timeout: float = 30.0) -> CallFailed | NoModel:
    """The error that a call ends with when the server answers `said`."""
    provider, model = ("anthropic", "claude-x") if "messages" in ask.__name__ else ("openai", "gpt-x")
    with (
        VendorServer(said) as server,
        clients(server, "sk-test-12345678", timeout) as client,
        pytest.raises((CallFailed, NoModel)) as caught,
        translated(provider, model),
    ):
        ask(client)
    error = caught.value
    assert provider in str(error)
    assert model in str(error)
    assert "\n" not in str(error)
    assert "sk-test" not in f"{error} {error.hint}"
    assert isinstance(error, CallFailed | NoModel)
    return error


FINAL = [
    (400, CallFailed, "error"),
    (401, NoModel, None),
    (402, CallFailed, "quota"),
    (403, NoModel, None),
    (404, NoModel, None),
    (413, CallFailed, "too_large"),
    (501, CallFailed, "error"),
    ("quota", CallFailed, "quota"),
    ("spend_limit", CallFailed, "quota"),
]
AGAIN = [
    (408, "timeout"),
    (409, "error"),
    (429, "rate_limit"),
    (500, "error"),
    (503, "overloaded"),
    (529, "overloaded"),
]


@pytest.mark.parametrize("ask", STREAMS)
@pytest.mark.parametrize(("name", "kind", "cause"), FINAL)
def test_a_final_status_is_never_worth_another_try(ask: Ask, name: int | str, kind: type, cause: str | None) -> None:
    """Wrong calls, refused keys, missing models, spent money and 501 are final, whatever their status."""
    error = what_comes_of(HttpError(name), ask)
    assert type(error) is kind
    assert (getattr(error, "retry", False), getattr(error, "cause", None)) == (False, cause)


@pytest.mark.parametrize("ask", STREAMS)
@pytest.mark.parametrize(("status", "cause"), AGAIN)
def test_a_passing_status_is_worth_another_try(ask: Ask, status: int, cause: str) -> None:
    """408, 409, 429 and 5xx may pass; the provider's own time to wait comes along."""
    error = what_comes_of(HttpError(status, retry_after="7"), ask)
    assert isinstance(error, CallFailed)
    assert (error.retry, error.cause, error.retry_after) == (True, cause, 7.0)


@pytest.mark.parametrize(("name", "cause"), [(529, "overloaded"), (429, "rate_limit"), (500, "error")])
def test_an_error_inside_a_stream_of_status_200_is_read_by_its_type(name: int, cause: str) -> None:
    """`overloaded_error` as an event is the same as the status 529, and so on; the SDKs raise it in two ways."""
    error = what_comes_of(StreamError(name), ask_messages)
    assert (isinstance(error, CallFailed) and error.retry, getattr(error, "cause", "")) == (True, cause)
    chat = what_comes_of(StreamError(name), ask_chat)
    assert isinstance(chat, CallFailed)
    assert chat.retry


def test_an_error_event_that_the_sdk_does_not_raise_is_read_by_its_code() -> None:
    """Responses reports failures as events; their codes lead to the same errors."""
    event = {"provider": "openai", "model": "gpt-x"}
    limit, quota = (
        failed_event("rate_limit_exceeded", "slow", **event),
        failed_event("insufficient_quota", "", **event),
    )
    unknown = failed_event(None, "what\never", **event)
    assert isinstance(limit, CallFailed)
    assert isinstance(quota, CallFailed)
    assert isinstance(unknown, CallFailed)
    assert [(one.retry, one.cause) for one in (limit, quota, unknown)] == [
        (True, "rate_limit"),
        (False, "quota"),
        (True, "error"),
    ]
    assert str(unknown) == "openai had an error of its own while gpt-x was asked. It said: what ever"


BROKEN: list[tuple[Said, Ask, float, bool, str]] = [
    *[(Silent(), ask, 0.2, True, "timeout") for ask in (*STREAMS, *WHOLE)],
    *[(Reset(), ask, 30.0, True, "connection") for ask in (*STREAMS, *WHOLE)],
    *[(Reset("some text"), ask, 30.0, True, "connection") for ask in STREAMS],
    *[(Cut(abrupt=True), ask, 30.0, True, "connection") for ask in (*STREAMS, *WHOLE)],
    *[(Page(), ask, 30.0, False, "error") for ask in WHOLE],
    *[(BrokenJSON(), ask, 30.0, True, "error") for ask in (*STREAMS, *WHOLE)],
    *[(NullContent(), ask, 30.0, True, "empty") for ask in (ask_messages, ask_chat, *WHOLE)],
]


@pytest.mark.parametrize(("said", "ask", "timeout", "retry", "cause"), BROKEN)
def test_what_the_network_breaks_is_named(said: Said, ask: Ask, timeout: float, retry: bool, cause: str) -> None:
    """Silence, resets, cuts, web pages, half JSON and null content each become a CallFailed, raw or wrapped."""
    error = what_comes_of(said, ask, timeout)
    assert isinstance(error, CallFailed)
    assert (error.retry, error.cause) == (retry, cause)


def test_a_server_that_is_not_there_is_a_connection_error() -> None:
    """A refused connection is worth another try: local servers start slowly."""
    with VendorServer("x") as server:
        pass
    with clients(server) as client:
        for ask in STREAMS:
            with pytest.raises(CallFailed) as caught, translated("openai", "gpt-x"):
                ask(client)
            assert (caught.value.retry, caught.value.cause) == (True, "connection")


def test_a_missing_key_names_the_command_that_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """anthropic says TypeError, openai its base class; both are NoModel. A key in the environment is named first."""

    def hint(variable: str | None) -> list[str | None]:
        hints = []
        for provider, make in (("anthropic", ask_messages_without_key), ("openai", openai.OpenAI)):
            if variable:
                monkeypatch.setenv(f"{provider.upper()}_API_KEY", variable)
            with pytest.raises(NoModel) as caught, translated(provider, "m"):
                make()
            hints.append(caught.value.hint)
        return hints

    def ask_messages_without_key() -> None:
        with anthropic.Anthropic(base_url="http://127.0.0.1:9", max_retries=0) as client:
            client.messages.create(model="m", max_tokens=9, messages=[])

    assert hint(None) == ["debateroom keys set anthropic", "debateroom keys set openai"]
    refused = failed("key", provider="openai", model="m")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-key")
    assert refused.hint == "debateroom keys set openai"
    assert failed("key", provider="openai", model="m").hint == (
        "set OPENAI_API_KEY to a valid key, or unset it and run: debateroom keys set openai"
    )
    assert failed("key", provider="local", model="m").hint == "check the key and the base URL of this provider"


def test_a_refused_header_does_not_give_the_key_away() -> None:
    """A key with a line break is quoted whole by the HTTP library; neither message nor traceback keeps it."""
    key = "sk-ant-secret-0123456789\nx"
    with VendorServer("x") as server, clients(server, key) as client:
        for ask in (ask_messages, ask_responses):
            with pytest.raises(CallFailed) as caught, translated("anthropic", "m"):
                ask(client)
            assert caught.value.__cause__ is None
            assert caught.value.__suppress_context__
            assert "secret" not in f"{caught.value} {caught.value.hint}"


def test_the_time_to_wait_is_read_in_every_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds, milliseconds and HTTP dates; what is past is 0, what cannot be read is unknown."""
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    assert [
        retry_after(headers)
        for headers in (
            {"retry-after": "2"},
            {"retry-after": "0.5"},
            {"retry-after": "-3"},
            {"retry-after": "9", "retry-after-ms": "1500"},
            {"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"},
            {"retry-after": "soon"},
            {"retry-after": "nan"},
            {"retry-after": "inf"},
            {},
        )
    ] == [2.0, 0.5, 0.0, 1.5, 0.0, None, None, None, None]
    date = retry_after({"retry-after": in_seconds(30)})
    assert date is not None
    assert 28 <= date <= 31


def test_our_own_errors_pass_and_our_bugs_stay_bugs() -> None:
    """An error of ours leaves as it is; one that no SDK or network raised is not dressed up as a failed call."""
    ours = UsageError("no")
    with pytest.raises(UsageError) as same, translated("openai", "m"):
        raise ours
    assert same.value is ours
    with pytest.raises(KeyError), translated("openai", "m"):
        {}["x"]
    with pytest.raises(AttributeError, match="nothing"), translated("openai", "m"):
        object().nothing  # type: ignore[attr-defined]  # noqa: B018
    assert translate(ValueError("x"), provider="openai", model="m") is None


def test_a_bug_in_a_callback_is_not_taken_for_a_broken_answer() -> None:
    """The traces of null content count only where an answer is read, not in debateroom's own code above."""
    room: dict[str, Any] = {"__name__": "debateroom.room.live"}
    exec("def show(text): return text.strip()", room)  # noqa: S102 - a function that lives in another module
    with pytest.raises(AttributeError), translated("openai", "m"):
        room["show"](None)
    with pytest.raises(CallFailed) as caught, translated("openai", "m"):
        None.strip()  # type: ignore[attr-defined]
    assert (caught.value.cause, caught.value.retry) == ("empty", True)


class _Shape(pydantic.BaseModel):
    number: int


def test_raw_errors_of_reading_are_failed_calls() -> None:
    """A decoder's or validator's own error inside a call is a damaged answer, worth another try."""
    for read in (lambda: json.loads("{"), lambda: _Shape(number="x"), lambda: b"\xff".decode()):  # type: ignore[arg-type]
        with pytest.raises(CallFailed) as caught, translated("openai", "m"):
            read()
        assert (caught.value.cause, caught.value.retry) == ("error", True)


def test_compatible_servers_are_understood() -> None:
    """Ollama's bare text, vLLM's and llama.cpp's numbers as codes lead to the same errors as the vendor's words."""

    def told(status: int, body: object) -> CallFailed | NoModel | None:
        response = httpx2.Response(status, request=httpx2.Request("POST", "http://127.0.0.1/"), json=body)
        client = openai.OpenAI(api_key="x", base_url="http://127.0.0.1:9")
        error = client._make_status_error("m", body=body, response=response)
        client.close()
        return translate(error, provider="ollama", model="m")

    missing = told(404, {"error": 'model "m" not found, try pulling it first'})
    assert isinstance(missing, NoModel)
    assert missing.hint == "debateroom models"
    assert isinstance(told(404, {"message": "The model `m` does not exist.", "code": 404}), NoModel)
    wrong_path = told(404, {"detail": "Not Found"})
    assert isinstance(wrong_path, CallFailed)
    assert wrong_path.hint == "check the base URL, and whether this network wants you to sign in first"
    loading = told(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}})
    assert isinstance(loading, CallFailed)
    assert (loading.retry, loading.cause) == (True, "overloaded")


def test_an_answer_that_is_fine_passes() -> None:
    """Nothing happens to a call that works."""
    with VendorServer(Reply("hello")) as server, clients(server) as client, translated("openai", "m"):
        assert [ask(client) for ask in (*STREAMS, *WHOLE)] == ["hello"] * 6
