"""The page's server over real HTTP: who is answered, what is told and when, and what the three buttons need."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import until
from coordinators import coordinator, record, slowly
from debates import run

serving_page = pytest.importorskip("debateroom.doors.serving", exc_type=ImportError)
serving = serving_page.serving

LINK = "https://example.com/proof"


@pytest.fixture
def page(here: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """A page over a folder with one finished run, whose coordinator wrote markup everywhere."""
    agent = coordinator(here, [record(1, LINK, what="<img src=x onerror=alert(1)>")], "<script>alert(1)</script>")
    run(capsys, "playbook", "run", "reflect", "--agent", agent, "--goal", "<b>all</b>")
    with serving(here / "active", port=0, agent=agent, language="en", folder=here) as served:
        yield served


def ask(page: Any, path: str, method: str = "GET", body: Any = None, **headers: str) -> tuple[int, Any, str]:
    """Status, headers and text of one answer; `headers` with `_` for `-`."""
    host = page.url.split("/")[2]
    connection = http.client.HTTPConnection(host, timeout=30)
    try:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, None if body is None else json.dumps(body), given)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def token(page: Any) -> str:
    """The page's own token, as its script reads it."""
    found = re.search(r"token&#34;: &#34;([\w-]+)", ask(page, "/")[2])
    assert found
    return found[1]


def first_lines(page: Any, last: str) -> list[str]:
    """The first two lines that somebody hears who comes back and has seen `last`."""
    connection = http.client.HTTPConnection(page.url.split("/")[2], timeout=30)
    try:
        connection.request("GET", "/events", headers={"Last-Event-ID": last})
        lines = iter(connection.getresponse().readline, b"")
        told = (line.decode().strip() for line in lines if line.strip())
        return [next(told), next(told)]
    finally:
        connection.close()


def first_event(page: Any, last: str = "") -> dict[str, Any]:
    """The first thing that who listens is told."""
    connection = http.client.HTTPConnection(page.url.split("/")[2], timeout=30)
    try:
        connection.request("GET", "/events", headers={"Last-Event-ID": last} if last else {})
        answer = connection.getresponse()
        while line := answer.readline().decode():
            if line.startswith("data: "):
                return dict(json.loads(line[6:]))
    finally:
        connection.close()
    raise AssertionError("nothing was told")


def test_the_page_has_a_strict_policy_and_no_text_of_a_model(page: Any) -> None:
    """One style and one script by their hashes; what is in rooms is fetched as JSON, and never cached."""
    status, headers, text = ask(page, "/")
    assert status == 200
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; connect-src 'self'; "
        r"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        headers["content-security-policy"],
    )
    assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
    assert "alert(1)" not in text
    assert text.count("<script>") == 1


def test_cards_report_and_transcript_are_those_on_disk(page: Any, here: Path) -> None:
    """The report under the policy that names its one script."""
    cards = json.loads(ask(page, "/cards")[2])["cards"]
    assert [(card["room"], card["verdict"], card["report"]) for card in cards] == [
        ("coordinator", "incomplete", True)
    ]
    assert [step["state"] for step in cards[0]["steps"]] == ["ok", "missing", "missing"]
    status, headers, text = ask(page, "/rooms/coordinator/report")
    room = here / "active/coordinator"
    assert (status, text) == (200, (room / "chatroom_report.html").read_text())
    assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert "<script>alert(1)" not in text
    assert ask(page, "/rooms/coordinator/transcript")[2] == (room / "chat.json").read_text()


@pytest.mark.parametrize(
    "path", ["/rooms/%2e%2e/report", "/rooms/..%2f..%2fetc/report", "/rooms/x/report", "/nothing"]
)
def test_nothing_else_is_given(page: Any, path: str) -> None:
    """A room is one of those that are listed."""
    assert ask(page, path)[0] == 404


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Host": "127.0.0.1"}, {"Host": "localhost:1"}, {"Origin": "http://evil.example"},
     {"Origin": "null"}],
)  # fmt: skip
def test_only_the_page_s_own_address_is_answered(page: Any, headers: dict[str, str]) -> None:
    """A name that leads here, and another page's script, get nothing."""
    for path in ("/", "/cards", "/events", "/rooms/coordinator/report"):
        status, _, text = ask(page, path, **headers)
        assert (status, text) == (421, "this page has another address")


def test_who_listens_is_told_what_changed_since(page: Any, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything at first; who says what it saw last only hears of something else."""
    seen = first_event(page)
    assert [card["room"] for card in seen["cards"]] == ["coordinator"]
    assert first_event(page, "another")["id"] == seen["id"]
    run(capsys, "playbook", "start", "swarm", "--room", "two")
    told = first_event(page, seen["id"])
    assert told["id"] != seen["id"]
    assert {card["room"]: card["status"] for card in told["cards"]}["two"] == "queued"


def test_who_comes_back_is_not_told_again_what_it_has_seen(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing has changed meanwhile it only hears that the connection stands."""
    seen = first_event(page)["id"]
    monkeypatch.setattr("debateroom.doors.app.ALIVE", -1.0)  # said at each look that finds nothing new
    assert first_lines(page, seen) == ["retry: 2500", ": here"]
    assert first_lines(page, "another") == ["retry: 2500", f"id: {seen}"]


@pytest.mark.parametrize("path", ["/start", "/stop", "/wake"])
def test_a_button_needs_the_page_s_token(page: Any, path: str) -> None:
    """And a small object; a GET does nothing."""
    assert ask(page, path, "POST", {"room": "coordinator"})[0] == 403
    assert ask(page, path, "POST", {"room": "coordinator"}, X_Debateroom_Token="x")[0] == 403
    assert ask(page, path)[0] == 405
    known = token(page)
    assert ask(page, path, "POST", [1], X_Debateroom_Token=known)[0] == 400
    assert ask(page, path, "POST", "x" * 20_000, X_Debateroom_Token=known)[0] == 400
    evil = {"X_Debateroom_Token": known, "Origin": "http://evil.example"}
    assert ask(page, path, "POST", {"room": "coordinator"}, **evil)[0] == 421


def test_the_three_buttons_do_what_the_commands_do(page: Any, here: Path) -> None:
    """Start runs with the agent that was fixed, in the background; stop and wake say what the command said."""

    def press(path: str, **given: str) -> dict[str, Any]:
        status, _, text = ask(page, path, "POST", given, X_Debateroom_Token=token(page))
        assert status == 200
        return dict(json.loads(text))

    coordinator(here, [record(number, LINK) for number in (1, 2, 3)], "Done.")
    slowly(here)
    assert press("/start", playbook="--help") == {"ok": False, "text": press("/start", playbook="--help")["text"]}
    assert press("/start", playbook="reflect", goal="--the last sprint")["ok"]
    journal = here / "active/coordinator/journal.jsonl"
    until(lambda: '"step":3' in journal.read_text() and "--the last sprint" in journal.read_text())
    assert press("/stop", room="coordinator") == {
        "ok": True,
        "text": f"stopped; continue with: debateroom resume {here}/active/coordinator",
    }
    assert '"room_interrupted"' in journal.read_text()
    assert press("/stop", room="coordinator")["text"].startswith("nothing is running in")
    assert press("/stop", room="../coordinator") == {"ok": False, "text": "there is no such room"}
    woken = press("/wake", room="coordinator")
    assert (woken["ok"], "debateroom wake set" in woken["text"]) == (False, True)


@pytest.mark.parametrize(
    ("told", "instead"),
    [
        ('"steps":[', '"steps":7,"others":['), ('"ok":true', '"fine":true'),
        ('"evidence":"', '"evidences":"'),
    ],
)  # fmt: skip
def test_a_room_that_cannot_be_read_does_not_hide_the_others(page: Any, here: Path, told: str, instead: str) -> None:
    """A journal may come from anywhere; what is wrong with it stands on its card."""
    journal = here / "active/coordinator/journal.jsonl"
    (here / "active/strange").mkdir()
    text = journal.read_text()
    (here / "active/strange/journal.jsonl").write_text(text.replace(told, instead, 1))
    assert told in text
    cards = {card["room"]: card for card in json.loads(ask(page, "/cards")[2])["cards"]}
    assert cards["coordinator"]["verdict"] == "incomplete"
    assert set(cards) == {"coordinator", "strange"}


@pytest.mark.parametrize("text", ["", "garbage\n"])
def test_a_room_of_which_nothing_can_be_read_says_so_on_its_card(page: Any, here: Path, text: str) -> None:
    """What, where and the next command; the other rooms have their cards. Damage in part stands on its card too."""
    (here / "active/broken").mkdir()
    (here / "active/broken/journal.jsonl").write_text(text)
    journal = here / "active/coordinator/journal.jsonl"
    opened, *more = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([opened, "garbage\n", *more]))
    cards = {card["room"]: card for card in json.loads(ask(page, "/cards")[2])["cards"]}
    assert (cards["broken"]["status"], cards["coordinator"]["verdict"]) == ("unreadable", "incomplete")
    assert "does not say how the room was opened" in cards["broken"]["status_text"]
    assert cards["broken"]["damage"].startswith("start the debate again")
    assert "left out: line 2" in cards["coordinator"]["damage"]


OWN = """name: "<b onclick=alert(1)>Tidy</b>"
description: "\\" autofocus onfocus=alert(1) x=\\""
rule: R.
field: "\\"><script>alert(1)</script>"
steps: [{do: a, proof: b}, {do: a, proof: b}, {do: a, proof: b}]
"""


def test_a_workspace_s_own_playbooks_are_on_the_page(page: Any, here: Path) -> None:
    """As text, whatever is in them; one with a mistake is named, and those that ship can be started all the same."""
    own = here / ".debateroom" / "playbooks"
    own.mkdir()
    (own / "tidy.yaml").write_text(OWN)
    text = ask(page, "/")[2]
    assert (text.count("<option "), text.count("<script>"), "<b onclick" in text, '" autofocus' in text) == (
        6, 1, False, False,
    )  # fmt: skip
    (own / "tidy.yaml").write_text(OWN + "<b>: x\n")
    status, _, text = ask(page, "/")
    assert (status, text.count("<option ")) == (200, 5)
    assert f"{own / 'tidy.yaml'}, line 6, &lt;b&gt;: there is no such key" in text


def test_who_listens_is_let_go_when_the_page_is_closed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its stream ends, and nothing about it is said where the page was opened."""
    with contextlib.ExitStack() as page:
        served = page.enter_context(serving(here / "active", port=0, agent=None, language="en", folder=here))
        with contextlib.closing(http.client.HTTPConnection(served.url.split("/")[2], timeout=30)) as connection:
            connection.request("GET", "/events")
            answer = connection.getresponse()
            until(lambda: answer.readline().startswith(b"data: "))
            page.close()
            assert answer.read() == b"\n"
    assert capsys.readouterr() == ("", "")


def test_a_port_in_use_is_said(page: Any, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, with the way out."""
    port = page.url.split(":")[2].strip("/")
    code, _, err = run(capsys, "serve", "--port", port)
    assert (code, "--port 0" in err) == (2, True)


@pytest.mark.parametrize("path", ["/start", "/stop", "/wake"])
def test_half_a_character_is_no_request(page: Any, path: str) -> None:
    """JSON can name one, and no command can be given it."""
    given = {"playbook": "\ud800", "goal": "\ud800", "room": "\ud800"}
    status, _, text = ask(page, path, "POST", given, X_Debateroom_Token=token(page))
    assert (status, json.loads(text)) == (400, {"ok": False, "text": "this is no request of the page"})
