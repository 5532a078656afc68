"""The page of all rooms in a real browser: it moves by itself, fits a phone, and runs nothing that a model wrote."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from coordinators import coordinator, record
from debates import run

sync_api = pytest.importorskip("playwright.sync_api")
serving = pytest.importorskip("debateroom.doors.serving", exc_type=ImportError).serving

from starlette.responses import PlainTextResponse  # noqa: E402

from debateroom.doors import app  # noqa: E402

pytestmark = pytest.mark.browser

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
# read here: no variable of ours is left while a test runs
CHROMIUM = os.environ.get("DEBATEROOM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
SHOTS = os.environ.get("DEBATEROOM_SHOTS")
EVIL = "<img src=x onerror=\"document.title='owned'\">"


@pytest.fixture
def page(here: Path) -> Iterator[Any]:
    """The page over the current folder's rooms, and what it complained about as `page.complaints`."""
    if CHROMIUM is None:
        pytest.skip("no chromium on the PATH")
    with (
        serving(here / "active", port=0, agent="scripted:c.jsonl", language="en", folder=here) as served,
        sync_api.sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        opened = browser.new_page(viewport={"width": 390, "height": 844})
        opened.complaints = []
        opened.on("console", lambda message: opened.complaints.append(message.text))
        opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
        opened.goto(served.url)
        yield opened
        browser.close()


def shot(page: Any, name: str) -> None:
    """A picture for whoever wants to look at one."""
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def test_a_running_debate_moves_on_the_page_without_a_reload(page: Any, here: Path) -> None:
    """By server-sent events: the room appears, its seats answer one after the other, and it ends."""
    text = "POSITION: A queue.\nPROPOSAL: Build it.\nENDORSES: Agent A\nCONFIDENCE: 9"
    lines = [{"agent": f"Agent {mark}", "response": text, "seconds": wait} for mark, wait in (("A", 0.2), ("B", 3))]
    (here / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    page.wait_for_function("document.getElementById('link').textContent === 'live'")
    page.evaluate("window.same = true")
    words = ["Should background jobs use a queue or a loop?", "-n", "2", "-r", "1", "--model", "scripted:s.jsonl"]
    words += ["--moderator", "none", "-q"]
    process = subprocess.Popen([sys.executable, "-m", "debateroom", *words], cwd=here, stdout=subprocess.DEVNULL)
    try:
        card = page.locator("article[data-room=chatroom]")
        card.locator(".state.done").first.wait_for(timeout=20_000)
        assert card.locator(".state").all_text_contents() == ["done", "asked"]
        assert card.locator(".now.running").text_content() == "round 1 is played"
        shot(page, "debate-phone")
        card.locator(".now.finished").wait_for(timeout=20_000)
    finally:
        process.wait()
    assert card.locator(".state").all_text_contents() == ["done", "done"]
    assert page.evaluate("window.same") is True
    assert page.complaints == []


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """What who listens says that it saw last. The first stream ends behind its first event, the second is refused."""
    last: list[str | None] = []
    real = app.Door.events

    async def cut(pieces: Any) -> AsyncIterator[bytes]:
        async for piece in pieces:
            yield piece
            if b"data: " in piece:
                yield b"retry: 20\n\n"
                return

    async def events(door: app.Door, request: Any) -> Any:
        last.append(request.headers.get("last-event-id"))
        answer: Any = await real(door, request)
        if len(last) == 1:
            answer.body_iterator = cut(answer.body_iterator)
        return PlainTextResponse("", 503) if len(last) == 2 else answer

    monkeypatch.setattr(app.Door, "events", events)
    return last


def test_the_page_moves_when_the_stream_breaks_off(
    breaking: list[str | None], page: Any, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The browser says what it saw last when it takes the stream up again; when that is refused, the page asks every
    2.5 s, and tries to listen again after a while.
    """
    link = page.locator("#link")
    url = page.url
    page.goto("about:blank")
    breaking.clear()  # of before there was a clock that waits
    page.clock.install()
    with page.expect_response(lambda given: given.status == 503):
        page.goto(url)
    first, again = breaking
    assert (first, re.fullmatch("[0-9a-f]{16}", again or "") is not None) == (None, True)
    page.evaluate("window.same = true")
    run(capsys, "playbook", "start", "reflect", "--room", "first")
    page.clock.run_for(2_500)
    page.locator("article[data-room=first]").wait_for()
    assert link.text_content() == "live, asked every 2.5 s"
    assert len(breaking) == 2
    run(capsys, "record", "--room", "first", "--what", "Found it", "--why", "So", "--evidence", "https://example.com/x",
        "--outcome", "ok", "--step", "1")  # fmt: skip
    page.clock.run_for(2_500)
    page.locator("article[data-room=first] .state.ok").first.wait_for()
    page.clock.run_for(10_000)
    page.locator("#link", has_text=re.compile("^live$")).wait_for()
    assert breaking == [None, again, None]
    run(capsys, "playbook", "finish", "--room", "first")
    page.locator("article[data-room=first] .now.incomplete").wait_for()
    assert page.evaluate("window.same") is True
    assert all("503" in told for told in page.complaints)


def test_a_page_whose_server_is_gone_says_so(here: Path) -> None:
    """And comes back by itself when there is one again at the same place."""
    if CHROMIUM is None:
        pytest.skip("no chromium on the PATH")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page()
        page.clock.install()
        given: dict[str, Any] = {"agent": None, "language": "fr", "folder": here}
        with contextlib.ExitStack() as first:
            served = first.enter_context(serving(here / "active", port=0, **given))
            page.goto(served.url)
            page.locator("#link", has_text="en direct").wait_for()
            with page.expect_event("requestfinished", lambda request: request.url.endswith("/events")):
                first.close()
        page.clock.run_for(2_600)
        page.locator("#link", has_text="le serveur de la page ne répond pas").wait_for()
        with serving(here / "active", port=int(served.url.split(":")[2].strip("/")), **given):
            page.clock.run_for(2_600)
            page.locator("#link", has_text="en direct").wait_for()
        browser.close()


def test_a_run_fits_a_phone_and_nothing_in_it_runs(page: Any, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Markup of a model is text; nothing is wider than the screen; the report opens under its own policy."""
    long = "x" * 300
    agent = coordinator(
        here,
        [record(1, "https://example.com/" + long, what=EVIL), record(2, "https://example.com/x", "failed", long)],
        EVIL,
    )
    run(capsys, "playbook", "run", "reflect", "--agent", agent, "--goal", EVIL)
    card = page.locator("article[data-room=coordinator]")
    card.locator(".now.failed, .now.incomplete").wait_for(timeout=20_000)
    card.locator("summary").click()
    assert card.locator("ol .state").all_text_contents() == ["ok", "failed", "missing"]
    assert card.locator(".now").text_content() == "Incomplete: Steps: 1 ok, 2 failed, 3 missing."
    assert card.locator(".counts").text_content() == "actions 2 ok, 0 failed · workers 0 · decisions 2"
    assert (card.locator(".goal").text_content(), card.locator(".facts").text_content()) == (EVIL, "coordinator")
    assert EVIL in card.text_content()
    assert card.locator("img").count() == 0
    for width in (320, 390, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        shot(page, f"run-{width}")
    assert page.title() == "debateroom"
    card.get_by_text("Report", exact=True).click()
    page.wait_for_url("**/rooms/coordinator/report")
    assert "/reflect · Look back" in page.locator("h1").text_content()
    assert page.complaints == []


def test_no_other_script_runs_on_the_page(page: Any) -> None:
    """Were markup to get into it all the same, the page's policy keeps it from running and from asking elsewhere."""
    page.locator("#link", has_text="live").wait_for()
    page.evaluate("""async () => {
        const script = document.createElement("script");
        script.textContent = "window.owned = 'script'";
        const image = document.createElement("img");
        image.setAttribute("onerror", "window.owned = 'image'");
        image.src = "data:,x";
        const base = document.createElement("base");
        base.href = "http://127.0.0.1:1/";
        document.body.append(script, image, base);
        await fetch("http://127.0.0.1:1/").catch(() => 0);
    }""")
    assert page.evaluate("[window.owned, document.baseURI]") == [None, page.url]
    broken = [re.search("directive:? \\W?([a-z-]+)", told) for told in page.complaints]
    assert {"script-src", "base-uri", "connect-src"} <= {found[1] for found in broken if found}


def test_the_buttons_start_and_say_what_came_of_it(page: Any, here: Path) -> None:
    """Start with the agent that was fixed; the card is there without a reload, and wake says that nobody is named."""
    coordinator(here, [record(number, "https://example.com/x") for number in (1, 2, 3)], "Done.")
    page.select_option("#playbook", "reflect")
    assert page.get_attribute("#goal", "placeholder") == "What to look back on"
    page.fill("#goal", "the last sprint")
    page.click("#go")
    card = page.locator("article[data-room=coordinator]")
    page.locator("#said", has_text="started").wait_for(timeout=30_000)
    card.locator(".now.complete").wait_for(timeout=30_000)
    card.get_by_text("Wake", exact=True).click()
    card.locator(".acts .soft").wait_for(timeout=20_000)
    assert card.locator(".acts .soft").text_content().startswith("✗ ")
