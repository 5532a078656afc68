"""A stream of server-sent events is read as its JSON values, wherever the network cuts it into pieces."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debateroom.models import server_events as module
from debateroom.models.server_events import ServerEvent, recognised, server_events

STREAM = (
    ': a comment\n\nevent: start\ndata: {"text": "é 一 😀"}\n\nevent:end\nid: 7\nretry: 9\ndata:[1,\ndata: 2]\n\n'
    'data: "no name"\n\nevent: nothing\n\n'
)
EVENTS = [ServerEvent("start", {"text": "é 一 😀"}), ServerEvent("end", [1, 2]), ServerEvent("", "no name")]


@given(st.lists(st.integers(0, len(STREAM.encode()))), st.sampled_from(["\n", "\r\n"]))
def test_pieces_of_any_size_give_the_same_events(cuts: list[int], line_end: str) -> None:
    """Cuts in the middle of a letter, a line end or an event change nothing; both line ends are understood."""
    stream = STREAM.replace("\n", line_end).encode()
    pieces = [stream[start:end] for start, end in pairwise(sorted({0, *cuts, len(stream)}))]
    assert list(server_events(pieces)) == EVENTS


def test_an_event_is_there_once_it_is_complete() -> None:
    """It does not wait for the next piece, and one that the end cuts off is none."""
    sent: list[int] = []

    def pieces() -> list[bytes]:
        return [b"data: 1\n\nda", b"ta: 2\n\n", b"data: 3\n"]

    events = server_events(sent.append(number) or piece for number, piece in enumerate(pieces()))  # type: ignore[func-returns-value]
    assert (next(events).value, len(sent)) == (1, 1)
    assert [event.value for event in events] == [2]


def test_the_last_word_of_some_vendors_ends_the_stream() -> None:
    """Nothing is read after `[DONE]`."""
    pieces = iter([b"data: 1\n\ndata: [DONE]\n\ndata: 2\n\n", b"data: 3\n\n"])
    assert [event.value for event in server_events(pieces)] == [1]
    assert list(pieces) == [b"data: 3\n\n"]


@pytest.mark.parametrize("stream", [b'data: {"cut": \n\n', b"data: page\n\n"])
def test_data_that_is_no_json_is_an_error(stream: bytes) -> None:
    """Half a value, and words where a value should be."""
    with pytest.raises(json.JSONDecodeError):
        list(server_events([stream]))


def test_an_event_without_an_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never ends is given up."""
    monkeypatch.setattr(module, "_LONGEST", 1000)
    assert len(list(server_events([b"data: 1\n\n" * 1000]))) == 1000
    with pytest.raises(json.JSONDecodeError, match="no end"):
        list(server_events(b"data: 1" for _ in range(1000)))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (STREAM, "events"),
        ("\ufeff\r\n" + STREAM, "events"),
        (": keep-alive\n\n", "events"),
        ("data\n\n", "events"),
        ("", "events"),
        ("dat", "events"),
        ('{"choices": []}', "value"),
        ("  [1]", "value"),
        ("<!doctype html><p>Sign in", "page"),
        ("\ufeff <html>", "page"),
        ("database is locked", "page"),
        ("Please sign in: here", "page"),
        ('"a string"', "page"),
        ("null", "page"),
        (" " * 70_000, "events"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100_000])
def test_what_a_body_is_shows_in_how_it_begins(body: str, kind: str, size: int) -> None:
    """However the network cuts it; nothing of it is lost by looking."""
    sent = body.encode()
    found, pieces = recognised(sent[start : start + size] for start in range(0, len(sent), size))
    assert (found, b"".join(pieces)) == (kind, sent)
