"""Calls in the providers' batches: both vendors' endpoints, who waits for whom, what is noted and tried again."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from vendor import Call, Reply, VendorServer
from vendor.batches import Unanswered
from vendor.clients import clients
from vendor.faults import HttpError
from web_models import KEYS

from debateroom.errors import CallFailed, NoModel
from debateroom.messages import Answer, Purpose, Request, ToolSpec
from debateroom.models.batch_log import FILE, BatchLog
from debateroom.models.batched import BatchedModels
from debateroom.models.courier import Courier
from debateroom.models.parcels import Notice
from debateroom.models.registry import ModelSettings

NAMES = ("sonnet", "gpt")


class Office:
    """A courier between rooms and a server, whose waiting takes no time."""

    def __init__(self, server: VendorServer, folder: Path, *, api: Any = "responses", in_step: bool = False) -> None:
        self.server = server
        self.told: list[Notice] = []
        self.waits: list[float] = []
        self.courier = Courier(
            BatchLog(folder), poll=60.0, in_step=in_step, tell=self.told.append, wait=self.waits.append
        )
        settings = ModelSettings(anthropic_url=server.url, openai_url=server.openai_url, openai_api=api)
        self.models = BatchedModels(settings, self.courier)
        self.models.keys = KEYS

    def ask(self, *requests: Request, name: str = "sonnet") -> list[Answer | Exception]:
        """What came of requests that are asked at the same moment, each by a room of its own."""
        model = self.models.open(name)

        def one(request: Request) -> Answer | Exception:
            try:
                return model.ask(request)
            except Exception as error:
                return error
            finally:
                self.courier.leave()

        for _ in requests:
            self.courier.enter()
        with ThreadPoolExecutor(len(requests)) as pool:
            return list(pool.map(one, requests))

    def close(self) -> None:
        self.courier.close()
        self.models.close()


def request(text: str, *, room: str = "", number: int = 1, **more: Any) -> Request:
    """A seat's request in a room that is called as its text when nothing else is said."""
    purpose = Purpose("seat", "Agent A", number)
    return Request(shared=("rules",), own=text, cache_key=room or text, purpose=purpose, **more)


def echo(call: Call) -> str:
    """Says which question it answers."""
    return f"answer to {call.own}"


@pytest.mark.parametrize("api", ["responses", "chat"])
@pytest.mark.parametrize("name", NAMES)
def test_what_many_rooms_ask_is_one_batch(tmp_path: Path, name: str, api: str) -> None:
    """Each gets its own answer, in whatever order results come; usage is read, and the price is half."""
    with VendorServer(echo) as server:
        office = Office(server, tmp_path, api=api)
        answers = office.ask(*(request(f"question {number}") for number in range(5)), name=name)
        office.close()
    assert [len(batch.items) for batch in server.batches.all] == [5]
    for number, answer in enumerate(answers):
        assert isinstance(answer, Answer)
        assert (answer.text, answer.stop_reason, answer.rate) == (f"answer to question {number}", "stop", 0.5)
        assert answer.usage.input > 0
        assert answer.usage.output > 0
        assert not answer.usage.written
    assert [notice.what for notice in office.told] == ["sent", "waiting", "ended"]
    assert office.waits == [60.0]


@pytest.mark.parametrize("name", NAMES)
def test_tools_and_refusals_come_through(tmp_path: Path, name: str) -> None:
    """What a stream would have said, an answer in one piece says as well."""
    replies = {
        "tools": Reply("", calls=(("look", '{"x": 1}'),)),
        "refused": Reply("I cannot.", stop_reason="refusal"),
        "cut": Reply("half", stop_reason="length"),
    }
    spec = ToolSpec("look", "Looks.", {"type": "object", "properties": {}})
    with VendorServer(lambda call: replies[call.own]) as server:
        office = Office(server, tmp_path)
        asked = [request("tools", tools=(spec,)), request("refused"), request("cut")]
        tools, refused, cut = office.ask(*asked, name=name)
        office.close()
    assert isinstance(tools, Answer)
    assert (tools.stop_reason, tools.calls[0].name) == ("tools", "look")
    assert tools.calls[0].arguments.replace(" ", "") == '{"x":1}'
    assert tools.raw
    assert isinstance(refused, Answer)
    assert refused.stop_reason == "refusal"
    assert isinstance(cut, Answer)
    assert cut.stop_reason == "length"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("fault", "tries", "error"),
    [
        (Unanswered("expired"), 3, CallFailed),
        (HttpError(529), 3, CallFailed),
        (HttpError(400), 1, CallFailed),
        (Unanswered("canceled"), 1, CallFailed),
        (HttpError(404), 1, NoModel),
        (Reply(""), 3, CallFailed),
    ],
)
def test_a_call_that_fails_is_asked_again_where_that_helps(
    tmp_path: Path, name: str, fault: Any, tries: int, error: type[Exception]
) -> None:
    """By the table of faults, three times at most; another call of the same batch is not touched."""
    with VendorServer(lambda call: fault if call.own == "bad" else "good") as server:
        office = Office(server, tmp_path)
        failed, good = office.ask(request("bad"), request("fine"), name=name)
        office.close()
    assert isinstance(good, Answer)
    assert isinstance(failed, error)
    assert len(server.batches.all) == tries
    assert sum(call.own == "fine" for call in server.calls) == 1
    ids = [name for batch in server.batches.all for name in batch.ids]
    assert len(set(ids)) == len(ids)
    paid = isinstance(fault, Reply)
    assert len(failed.paid) == (3 if paid else 0)  # type: ignore[attr-defined]
    assert all(each.rate == 0.5 for each in failed.paid)  # type: ignore[attr-defined]


def test_an_expired_call_comes_the_second_time(tmp_path: Path) -> None:
    """And what had been paid for an empty answer stays with the one that came."""
    seen: list[str] = []

    def reply(call: Call) -> Any:
        seen.append(call.own)
        return Unanswered() if len(seen) == 1 else Reply("") if len(seen) == 2 else "at last"

    with VendorServer(reply) as server:
        office = Office(server, tmp_path)
        (answer,) = office.ask(request("q"))
        office.close()
    assert isinstance(answer, Answer)
    assert answer.text == "at last"
    assert len(answer.before) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_was_killed_takes_its_batch_up_again(tmp_path: Path, name: str) -> None:
    """Nothing is handed over twice, neither while the batch runs nor when its results were there already."""
    with VendorServer(echo) as server:
        server.batches.open = False
        first = Office(server, tmp_path, api="chat")
        sent = threading.Event()
        first.courier._carrier._wait = lambda seconds: sent.set() or first.courier._stop.wait(5)  # type: ignore[func-returns-value]
        thread = threading.Thread(target=first.ask, args=(request("a"), request("b")), kwargs={"name": name})
        thread.start()
        assert sent.wait(10)
        first.close()  # as far as the files go, that is a kill: nothing is written
        thread.join()
        server.batches.open = True
        for _ in range(2):
            again = Office(server, tmp_path, api="chat")
            one, two = again.ask(request("a"), request("b"), name=name)
            again.close()
            assert isinstance(one, Answer)
            assert isinstance(two, Answer)
            assert (one.text, two.text) == ("answer to a", "answer to b")
            assert again.told[0].what == "taken_up"
    assert len(server.batches.all) == 1
    assert len(server.calls) == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lost", ["the answer", "the line"])
def test_a_batch_whose_id_was_lost_is_found(tmp_path: Path, name: str, lost: str, no_waits: list[float]) -> None:
    """When the connection broke, or the process was killed, between handing over and noting the id."""
    with VendorServer(echo) as server:
        cut = [lost == "the answer"]

        def refuse(asked: Any) -> int | None:
            creates = asked.method == "POST" and asked.path.endswith("batches")
            return 500 if creates and cut and cut.pop() else None

        server.batches.refuse = refuse
        office = Office(server, tmp_path)
        office.ask(request("a"), request("b"), name=name)
        office.close()
        if lost == "the line":
            path = tmp_path / FILE
            path.write_text("".join(path.read_text().splitlines(keepends=True)[:1]))
        again = Office(server, tmp_path)
        one, _ = again.ask(request("a"), request("b"), name=name)
        again.close()
    assert isinstance(one, Answer)
    assert one.text == "answer to a"
    assert len(server.batches.all) == 1


def test_a_batch_that_never_arrived_is_handed_over(tmp_path: Path) -> None:
    """A run was killed before: the provider has no such batch."""
    log = BatchLog(tmp_path)
    with VendorServer(echo) as server:
        office = Office(server, tmp_path / "x")
        (tmp_path / "x").mkdir()
        office.ask(request("a"))
        office.close()
        (call,) = server.batches.all[0].ids
        log.submitting("k", "anthropic", [{"id": call}])
        log.close()
        server.batches.all.clear()
        again = Office(server, tmp_path)
        (answer,) = again.ask(request("a"))
        again.close()
    assert isinstance(answer, Answer)
    assert len(server.batches.all) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_server_without_batches_is_named(tmp_path: Path, name: str) -> None:
    """With what to do then; the calls are not lost in silence, nor asked at the full price."""
    with VendorServer(echo) as server:
        server.batches.refuse = lambda asked: 404
        office = Office(server, tmp_path)
        (error,) = office.ask(request("a"), name=name)
        office.close()
    assert isinstance(error, CallFailed)
    assert "takes no batches" in str(error)
    assert "--provider-batch" in str(error.hint)


def test_a_batch_that_fails_as_a_whole(tmp_path: Path) -> None:
    """Each of its calls has the vendor's reason, and is asked again where that helps."""
    with VendorServer(echo) as server:
        server.batches.fail = lambda batch: len(server.batches.all) == 1
        office = Office(server, tmp_path)
        (answer,) = office.ask(request("a"), name="gpt")
        office.close()
    assert isinstance(answer, Answer)
    assert len(server.batches.all) == 2


def test_a_server_that_cannot_be_reached_is_waited_for(tmp_path: Path) -> None:
    """A look that fails says nothing of the batch."""
    fails = [503, 503, 503]
    with VendorServer(echo) as server:
        server.batches.refuse = lambda asked: fails.pop() if asked.method == "GET" and fails else None
        office = Office(server, tmp_path)
        (answer,) = office.ask(request("a"))
        office.close()
    assert isinstance(answer, Answer)
    assert [notice.what for notice in office.told].count("unreachable") == 3


def test_a_server_that_never_comes_back_is_given_up(tmp_path: Path) -> None:
    """After an hour of looks; another run still finds the batch."""
    with VendorServer(echo) as server:
        server.batches.refuse = lambda asked: 503 if asked.method == "GET" else None
        office = Office(server, tmp_path)
        (error,) = office.ask(request("a"))
        office.close()
        server.batches.refuse = lambda asked: None
        again = Office(server, tmp_path)
        (answer,) = again.ask(request("a"))
        again.close()
    assert isinstance(error, CallFailed)
    assert "overloaded" in str(error)
    assert len(office.waits) == 59
    assert isinstance(answer, Answer)
    assert len(server.batches.all) == 1


@pytest.mark.parametrize(
    "body", [b"<html>", b"[1]\n{}\n", b'{"custom_id": 7}\n', b'{"custom_id": "x", "result": {}}\n']
)
def test_results_that_are_none(tmp_path: Path, body: bytes, no_waits: list[float]) -> None:
    """Whatever a server sends in their place, the call has failed, and that is said."""
    with VendorServer(echo) as server:
        office = Office(server, tmp_path)
        office.models.open("sonnet")
        serve, shown = server.batches._anthropic, []
        server.batches._anthropic = lambda asked: (  # type: ignore[method-assign]
            shown.append(body) or body if asked.path.endswith("results") else serve(asked)  # type: ignore[func-returns-value]
        )
        (error,) = office.ask(request("a"))
        office.close()
    assert shown
    assert isinstance(error, CallFailed)


def test_nobody_goes_ahead(tmp_path: Path) -> None:
    """A room of three calls is waited for, and a room in a later round waits for those in an earlier one."""
    with VendorServer(echo) as server:
        office = Office(server, tmp_path, in_step=True)
        model = office.models.open("sonnet")
        for _ in "ab":
            office.courier.enter()
        with ThreadPoolExecutor(4) as pool:
            with office.courier.gathering():
                late = pool.submit(model.ask, request("late", room="b", number=2))
                seats = [pool.submit(model.ask, request(f"seat {n}", room="a", together=3)) for n in range(2)]
            seats.append(pool.submit(model.ask, request("seat 2", room="a", together=3)))
            assert [seat.result(10).text for seat in seats] == [f"answer to seat {n}" for n in range(3)]
            office.courier.leave()
            assert late.result(10).text == "answer to late"
        office.close()
    assert [len(batch.items) for batch in server.batches.all] == [3, 1]


def test_the_same_call_twice_is_one_item(tmp_path: Path) -> None:
    """Two sub-agents may be asked the same: no vendor takes one id twice."""
    with VendorServer(echo) as server:
        office = Office(server, tmp_path)
        asked = request("same", room="r")
        answers = office.ask(asked, request("other"))
        office.courier._rooms = 1
        model = office.models.open("sonnet")
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda _: model.ask(request("twice", room="r", together=2)), "ab"))
        office.close()
    assert all(isinstance(each, Answer) for each in answers)
    assert [answer.text for answer in found] == ["answer to twice"] * 2
    assert [len(batch.items) for batch in server.batches.all] == [2, 1]


def test_closing_lets_everybody_go(tmp_path: Path) -> None:
    """Who waits is told that the run was stopped; the batch stays where it is."""
    with VendorServer(echo) as server:
        server.batches.open = False
        office = Office(server, tmp_path)
        begun = threading.Event()
        office.courier._carrier._wait = lambda seconds: begun.set() or office.courier._stop.wait(5)  # type: ignore[func-returns-value]
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(office.ask, request("a"))
            assert begun.wait(10)
            office.close()
            (error,) = waiting.result(10)
        with pytest.raises(CallFailed, match="stopped"):
            office.models.open("sonnet").ask(request("b"))
    assert isinstance(error, CallFailed)
    assert error.cause == "stopped"


def test_the_official_clients_agree_with_the_server() -> None:
    """What the stand-in speaks is what the SDKs read, cancelling included."""
    with VendorServer(echo) as server, clients(server) as (anthropic, openai):
        server.batches.looks = 1
        params: Any = {"model": "claude-sonnet-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
        made = anthropic.messages.batches.create(requests=[{"custom_id": "a", "params": params}])
        assert made.processing_status == "in_progress"
        assert anthropic.messages.batches.retrieve(made.id).processing_status == "ended"
        (line,) = anthropic.messages.batches.results(made.id)
        assert line.result.type == "succeeded"
        assert [each.id for each in anthropic.messages.batches.list()] == [made.id]
        other = anthropic.messages.batches.create(requests=[{"custom_id": "b", "params": params}])
        assert anthropic.messages.batches.cancel(other.id).processing_status == "ended"
        assert next(anthropic.messages.batches.results(other.id)).result.type == "canceled"

        row = b'{"custom_id":"a","method":"POST","url":"/v1/responses","body":{"model":"gpt-6.2-sol","input":"hi"}}\n'
        file = openai.files.create(file=("x.jsonl", row), purpose="batch")
        batch = openai.batches.create(input_file_id=file.id, endpoint="/v1/responses", completion_window="24h")
        done = openai.batches.retrieve(batch.id)
        assert done.status == "completed"
        assert done.output_file_id
        assert b'"custom_id": "a"' in openai.files.content(done.output_file_id).read()
        second = openai.batches.create(input_file_id=file.id, endpoint="/v1/responses", completion_window="24h")
        cancelled = openai.batches.cancel(second.id)
        assert cancelled.status == "cancelled"
        assert cancelled.error_file_id
        assert b"batch_cancelled" in openai.files.content(cancelled.error_file_id).read()
