"""`chatroom_report.html` in a real browser, on a phone and on a desk, by day and by night, and under attack."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import samples

from debateroom.messages import Transcript
from debateroom.report.html import render

sync_api = pytest.importorskip("playwright.sync_api")

pytestmark = pytest.mark.browser

MEASURE = (Path(__file__).parent / "measure.js").read_text(encoding="utf-8")
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1440, "height": 900}
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
DEBATES = {
    "en": samples.debate("en"),
    "fr": samples.debate("fr"),
    "zh": samples.debate("zh"),
    "deadlock": samples.deadlock(),
    "unanimous": samples.unanimous(),
    "undecided": samples.undecided(),
    "one round": samples.one_round(),
    "crowd": samples.crowd(),
    "two rounds": samples.crowd(5, 2),
    "hostile": samples.hostile(),
    "single answers": samples.against_single_answers(),
    "judged": samples.judged("en"),
    "arena": samples.judged("fr", kind="arena"),
}
EVALUATIONS = {
    "evaluation": samples.evaluation(),
    "evaluation fr": samples.evaluation("fr"),
    "evaluation zh": samples.evaluation("zh"),
    "long words": samples.evaluation(said="W" * 300),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium: DEBATEROOM_CHROMIUM, else the one on the PATH."""
    path = os.environ.get("DEBATEROOM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no chromium on the PATH")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield found
        found.close()


class Visit:
    """A page that is open, with everything it asked for and complained about."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        page.goto(address)


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens the report of a transcript from a file, as a reader would."""
    contexts = []

    def open_page(transcript: Transcript, viewport: dict[str, int] = DESK, **options: Any) -> Visit:
        path = tmp_path / f"report-{len(contexts)}.html"
        path.write_text(render(transcript), encoding="utf-8")
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        return Visit(context.new_page(), path.as_uri())

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("name", [*DEBATES, *EVALUATIONS])
def test_everything_can_be_read(visit: Any, name: str, viewport: dict[str, int]) -> None:
    """No horizontal scroll, no text under 12 px, contrast of 4.5 in both themes, a picture of movement that fits."""
    page = visit({**DEBATES, **EVALUATIONS}[name], viewport).page
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": viewport["width"], "height": min(height, 60_000)})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        measured = page.evaluate(MEASURE)
        assert measured.pop("count") > 30
        assert measured == {
            "scrolls": False,
            "small": [],
            "pale": [],
            "charts": [] if name == "one round" or name in EVALUATIONS else [True],
            "labelsClear": True,
        }


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("name", ["en", "fr", "zh", "deadlock", "unanimous", "undecided"])
def test_the_verdict_is_on_the_first_screen(visit: Any, name: str, viewport: dict[str, int]) -> None:
    """Outcome, summary and recommended action are seen without scrolling."""
    page = visit(DEBATES[name], viewport).page
    for place in ("h1", ".badge", ".lead", ".box.action"):
        box = page.locator(place).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= viewport["height"], place


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_a_very_long_role_does_not_make_a_tall_card(visit: Any, viewport: dict[str, int]) -> None:
    """A card of confidence stays under 190 px; the whole role is in its title."""
    page = visit(samples.undecided(), viewport).page
    role = samples.undecided().agents[0].role.strip()
    assert len(role) > 300
    assert page.locator(".seats li").first.bounding_box()["height"] < 190
    assert page.locator(".seats .who b").first.get_attribute("title") == role


@pytest.mark.parametrize("bypass", [False, True], ids=["with its policy", "without its policy"])
def test_a_hostile_transcript_runs_nothing_and_fetches_nothing(visit: Any, bypass: bool) -> None:
    """No script of a model runs and nothing is asked for: neither with the page's policy nor without it."""
    seen = visit(samples.hostile(), bypass_csp=bypass)
    page = seen.page
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    page.mouse.wheel(0, 100_000)
    page.wait_for_timeout(300)
    assert page.evaluate("window.pwned") is None
    assert seen.requests == [page.url]
    assert seen.complaints == []
    assert page.evaluate("[document.scripts.length, document.querySelectorAll('img, iframe, object').length]") == [
        1,
        0,
    ]
    assert "{{ 7 * 7 }} {% raw %} {{ config }}" in page.inner_text("body")


@pytest.mark.parametrize("name", DEBATES)
def test_a_report_asks_for_nothing_and_complains_about_nothing(visit: Any, name: str) -> None:
    """The page works offline: one file, no error in the console."""
    seen = visit(DEBATES[name], offline=True)
    assert seen.requests == [seen.page.url]
    assert seen.complaints == []


def focus_by_keyboard(page: Any, selector: str) -> None:
    """Presses Tab until the element has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def test_the_search_works_by_keyboard(visit: Any) -> None:
    """Tab to it, type, Enter through the replies, Escape: what was folded is folded again."""
    page = visit(DEBATES["en"]).page
    focus_by_keyboard(page, "#search")
    page.keyboard.type("Dead-Letter")
    found = page.locator("article.reply:visible")
    assert page.inner_text(".found") == f"{found.count()} replies found"
    assert found.count() == 4
    assert all("dead-letter" in text.lower() for text in found.all_inner_texts())
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator("article.reply.current").get_attribute("id") == found.nth(1).get_attribute("id")
    page.keyboard.press("Shift+Enter")
    assert page.locator("article.reply.current").get_attribute("id") == found.nth(0).get_attribute("id")
    page.keyboard.press("Escape")
    assert page.input_value("#search") == ""
    assert page.inner_text(".found") == ""
    assert page.evaluate("[...document.querySelectorAll('details.round')].map((fold) => fold.open)") == [
        False, False, False, True,
    ]  # fmt: skip


def test_the_search_does_not_mind_case_and_accents(visit: Any) -> None:
    """`reecriture` finds `réécriture`; nothing found is said."""
    page = visit(DEBATES["fr"]).page
    page.fill("#search", "REECRITURE")
    assert page.inner_text(".found") == "4 réponses trouvées"
    page.fill("#search", "zzz")
    assert page.inner_text(".found") == "Aucune réponse trouvée"
    assert page.locator("article.reply:visible").count() == 0


def test_folds_open_by_keyboard_and_all_at_once(visit: Any) -> None:
    """Enter on a round opens it; one button opens all and closes all."""
    page = visit(DEBATES["en"]).page
    focus_by_keyboard(page, "details.round > summary")
    page.keyboard.press("Enter")
    folds = "[...document.querySelectorAll('details.round')].map((fold) => fold.open)"
    assert page.evaluate(folds) == [True, False, False, True]
    page.get_by_role("button", name="Open all rounds").click()
    assert page.evaluate(folds) == [True] * 4
    page.get_by_role("button", name="Close all rounds").click()
    assert page.evaluate(folds) == [False] * 4


def test_a_change_of_mind_opens_the_reply_it_names(visit: Any) -> None:
    """The link unfolds the round and brings the card into view."""
    page = visit(DEBATES["en"]).page
    page.get_by_role("link", name="Critic, round 2").click()
    card = page.locator("#r2-3")
    assert card.is_visible()
    assert 0 <= card.bounding_box()["y"] < DESK["height"]


def test_paper_shows_every_round(visit: Any) -> None:
    """Printed, folded rounds are there, dark on white also by night, the search is not; then all is as before."""
    page = visit(DEBATES["en"], color_scheme="dark").page
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("article.reply:visible").count() == 16
    assert not page.locator("#search").is_visible()
    page.set_viewport_size({"width": 794, "height": page.evaluate("document.documentElement.scrollHeight")})
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(MEASURE)["pale"] == []
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator("article.reply:visible").count() == 4


def test_without_scripts_the_report_is_whole(visit: Any) -> None:
    """The search is not offered; verdict, pictures and folds work."""
    page = visit(DEBATES["en"], java_script_enabled=False).page
    assert page.locator(".badge").is_visible()
    assert page.locator("svg.movement.wide").is_visible()
    assert not page.locator("#search").is_visible()
    page.locator("details.round > summary").first.click()
    assert page.locator("#r1-1").is_visible()


def test_a_screen_reader_finds_its_way(visit: Any) -> None:
    """One main part, one top heading, named pictures and a table, and a first link that skips to the transcript."""
    page = visit(DEBATES["en"]).page
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("img", name="How positions moved").count() == 1
    assert (
        page.get_by_role("img", name="Architect: round 1: 8/10, round 2: 7/10, round 3: 8/10, round 4: 9/10").count()
        == 1
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "transcript"


def test_an_evaluation_is_read_from_its_figures_to_what_was_said(visit: Any) -> None:
    """Figures, a row a task, and folded below it each trial that did not pass: what it wanted, said and did."""
    page = visit(samples.evaluation()).page
    assert page.inner_text("h1") == "shop-30.jsonl"
    assert page.inner_text(".box.action li >> nth=0") == "pass^1 by tool_call_match: 2/4 (50%)"
    assert page.locator("tbody tr").count() == 3
    titles = page.locator("details.round summary").all_inner_texts()
    assert titles == ["S-1 #2: failed (db_state)", "S-2 #1: broke", "S-3 #2: failed (db_state)"]
    assert not page.locator("article.reply").first.is_visible()
    focus_by_keyboard(page, "details.round > summary")
    page.keyboard.press("Enter")
    told = page.inner_text("details.round >> nth=0")
    parts = (
        "The customer wants: It is shipped",
        "expected ≠ found: orders.W1912.status",
        "Cancel W1912!",
        "get_order",
    )
    places = [told.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    page.fill("#search", "w1912")
    assert page.locator("article.reply:visible").count() == 2


@pytest.mark.parametrize("bypass", [False, True], ids=["with its policy", "without its policy"])
def test_a_hostile_evaluation_runs_nothing(visit: Any, bypass: bool) -> None:
    """What an agent, a customer or a tool said is text, wherever it stands."""
    evil = "</summary><script>window.pwned=1</script><img src=x onerror='window.pwned=1'>{{ 7 * 7 }}"
    seen = visit(samples.evaluation(said=evil), bypass_csp=bypass)
    page = seen.page
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert page.evaluate("window.pwned") is None
    assert (seen.requests, seen.complaints) == ([page.url], [])
    assert page.inner_text("main").count("<script>window.pwned=1</script>") >= 6
