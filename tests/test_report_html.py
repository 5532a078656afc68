"""`chatroom_report.html`: one file that needs nothing else, with nothing in it that a model could make run."""

from __future__ import annotations

import base64
import hashlib
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import samples

from debateroom.messages import Entry, Round, Seat, Transcript
from debateroom.report.html import render

TAGS = {
    "a", "article", "b", "blockquote", "body", "br", "button", "caption", "circle", "code", "desc", "details", "div",
    "em", "footer", "g", "h1", "h2", "h3", "h4", "h5", "head", "header", "hr", "html", "input", "label", "li", "line",
    "main", "meta", "ol", "p", "path", "polygon", "pre", "rect", "s", "script", "section", "span", "strong", "style",
    "summary", "svg", "table", "tbody", "td", "text", "th", "thead", "time", "title", "tr", "tspan", "ul",
}  # fmt: skip
NUMBERED = {"ol": {"start"}, "code": {"class"}}


class Page(HTMLParser):
    """What a browser would find: every tag with its attributes, and the text outside script and style."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]].append(data)
        else:
            self.words.append(data)

    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def policy(page: Page) -> dict[str, str]:
    content = next(
        attrs["content"]
        for tag, attrs in page.tags
        if tag == "meta" and "content-security-policy" in str(attrs).lower()
    )
    return dict(part.strip().split(" ", 1) for part in str(content).split(";"))


@pytest.mark.parametrize("transcript", samples.everybody())
def test_nothing_runs_and_nothing_is_fetched(transcript: Transcript) -> None:
    """Our tags only, no handler, no style attribute, no source; links go to http(s), mail or this page."""
    page = Page(render(transcript))
    assert {tag for tag, _ in page.tags} <= TAGS
    count = Counter(tag for tag, _ in page.tags)
    assert (count["script"], count["style"], count["title"] >= 1) == (1, 1, True)
    for tag, attrs in page.tags:
        assert not {name for name in attrs if name.startswith("on")} | (
            {"src", "style", "srcdoc", "action"} & attrs.keys()
        )
        if "href" in attrs:
            assert tag == "a"
            assert re.match(r"https?://|mailto:|#r\d+-\d+$|#transcript$|chat\.json$", str(attrs["href"])), attrs
            assert attrs.get("rel") == "noopener noreferrer nofollow" or not str(attrs["href"]).startswith("http")


@pytest.mark.parametrize("transcript", [samples.consensus(), samples.hostile()])
def test_the_policy_allows_our_script_and_our_style_and_nothing_else(transcript: Transcript) -> None:
    """`default-src 'none'`, and one hash each."""
    page = Page(render(transcript))

    def name(kind: str) -> str:
        digest = hashlib.sha256("".join(page.raw[kind]).encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode()}'"

    assert policy(page) == {
        "default-src": "'none'",
        "style-src": name("style"),
        "script-src": name("script"),
        "base-uri": "'none'",
        "form-action": "'none'",
    }


@pytest.mark.parametrize("transcript", samples.everybody())
def test_ids_are_unique_and_every_jump_has_its_target(transcript: Transcript) -> None:
    """Links inside the page lead somewhere, to one place; so do the pictures' names."""
    page = Page(render(transcript))
    ids = [str(attrs["id"]) for _, attrs in page.tags if "id" in attrs]
    assert len(set(ids)) == len(ids)
    wanted = [str(attrs["href"])[1:] for _, attrs in page.tags if str(attrs.get("href", "")).startswith("#")]
    wanted += [name for _, attrs in page.tags for name in str(attrs.get("aria-labelledby", "") or "").split()]
    assert set(wanted) <= set(ids)


@pytest.mark.parametrize("transcript", samples.everybody())
def test_the_pictures_are_well_formed(transcript: Transcript) -> None:
    """Each picture is XML by itself, has a name for those who do not see it, and stays inside its frame."""
    for picture in re.findall(r"<svg.*?</svg>", render(transcript), re.DOTALL):
        svg = ET.fromstring(picture)  # noqa: S314 — our own output
        assert svg.get("role") == "img"
        assert svg.get("aria-label") or (svg.find("title") is not None and svg.find("desc") is not None)
        _, _, width, height = map(float, str(svg.get("viewBox")).split())
        for element in svg.iter():
            for name, limit in (
                ("x", width),
                ("cx", width),
                ("x1", width),
                ("x2", width),
                ("y", height),
                ("cy", height),
            ):
                assert -1 <= float(element.get(name, 0)) <= limit


def test_headings_are_ours() -> None:
    """A heading in a reply becomes a bold line: the outline of the page is never a model's."""
    page = render(samples.hostile())
    assert '<p class="heading">Recommended action</p>' in page
    outline = re.findall(r"<h[12][^>]*>(.*?)</h[12]>", page, re.DOTALL)
    assert outline[1:] == [
        "Recommended action",
        "Sharpest disagreement — yours to decide",
        "How far to trust this",
        "How positions moved",
        "How sure each agent was",
        "Agreed",
        "Still open",
        "Changes of mind",
        "Risks nobody resolved",
        "Debate highlights",
        "Other fields of the synthesis",
        "Transcript",
        "What was odd or could not be read",
    ]


def test_markdown_of_a_reply_is_rendered_and_its_html_is_shown() -> None:
    """Lists, code, tables and links of a reply are rendered; tags, images and other schemes are text."""
    text = (
        "POSITION: Use **one** `queue`.\nREASONING:\n- a\n- b\n\n| x | y |\n|--:|---|\n| 1 | 2 |\n\n"
        "[ok](https://example.invalid/?a=1&b=2) [mail](mailto:a@b.invalid) [no](javascript:alert(1)) "
        "[file](file:///etc) [ftp](ftp://a.invalid) [other](other.html) [bare](//a.invalid)\n"
        "![image](https://example.invalid/i.png) <b onclick=x>bold</b>\nPROPOSAL: p\nCONCERNS: c"
    )
    seat = Seat("Agent A", "Architect", "")
    page = render(Transcript("?", agents=(seat,), rounds=(Round(1, (Entry("Agent A", "Architect", text),)),)))
    for expected in (
        "<p>Use <strong>one</strong> <code>queue</code>.</p>",
        "<ul>\n<li>a</li>\n<li>b</li>\n</ul>",
        "<th>x</th>",
        '<a href="https://example.invalid/?a=1&amp;b=2" rel="noopener noreferrer nofollow">ok</a>',
        '<a href="mailto:a@b.invalid" rel="noopener noreferrer nofollow">mail</a>',
        "[no](javascript:alert(1))",
        "[file](file:///etc)",
        "[ftp](ftp://a.invalid) [other](other.html) [bare](//a.invalid)",
        '!<a href="https://example.invalid/i.png" rel="noopener noreferrer nofollow">image</a>',
        "&lt;b onclick=x&gt;bold&lt;/b&gt;",
    ):
        assert expected in page


def test_a_reply_without_sections_is_shown_as_it_is() -> None:
    """The raw text stands where the sections would."""
    page = Page(render(samples.one_round())).text()
    assert page.count("Use a queue. I say no more.") == 2
    assert "POSITION" not in page


def test_what_the_sections_leave_out_is_shown_as_written() -> None:
    """A reply that says more than its sections is there whole, folded."""
    seat = Seat("Agent A", "Architect", "")
    preamble = "Before I answer, let me say that this question has been open for a year and nobody likes it."
    text = f"{preamble}\n\nPOSITION: A queue.\nREASONING: r\nPROPOSAL: p\nCONCERNS: c"
    page = Page(
        render(Transcript("?", agents=(seat,), rounds=(Round(1, (Entry("Agent A", "Architect", text),)),)))
    ).text()
    assert f"As written {preamble} POSITION: A queue." in page


def test_the_verdict_comes_first_and_the_last_round_is_open() -> None:
    """Badge, summary, action, disagreement, trust, pictures, lists, transcript: in this order."""
    page = render(samples.consensus())
    order = [
        "Consensus in round 4", "All four would sign", "Build the table queue", "Is a five-minute delay",
        "How far to trust this", "How positions moved", "How sure each agent was", "Agreed", "Changes of mind",
        "Risks nobody resolved", 'id="transcript"', "POSITION",
    ]  # fmt: skip
    places = [page.index(text) for text in order]
    assert places == sorted(places)
    assert re.findall(r'<details class="round"( open)?>', page) == ["", "", "", " open"]


def test_a_change_of_mind_leads_to_the_reply_in_which_it_happened() -> None:
    """Who, what, the cause, and a jump to the card."""
    page = render(samples.consensus())
    head = '<a href="#r3-2">Pragmatist, round 3</a></b>: the plain loop → the Architect’s table</p>'
    assert head in page
    assert '<p class="soft">the table is forty lines too</p>' in page
    assert re.search(r'<article class="reply s1" id="r3-2" tabindex="-1">', page)


def test_the_movement_is_not_drawn_where_it_is_not_known() -> None:
    """Replies that name nobody give no lines; one round without a vote gives no movement."""
    silent = samples.crowd(5, 2)
    rounds = tuple(
        replace(round_, entries=tuple(replace(entry, endorses=None) for entry in round_.entries))
        for round_ in silent.rounds
    )
    unknown = render(replace(silent, rounds=rounds, final_output=None))
    assert "do not name the proposal they would sign, so movement is not known." in unknown
    assert 'class="movement' not in unknown
    assert "One round was played, so nobody could move." in render(samples.one_round())
    assert 'class="movement wide"' in render(samples.unanimous())


def test_the_pictures_are_there_in_words_too() -> None:
    """A table says whose proposal each seat would sign in each round, and how sure it was."""
    page = Page(render(samples.deadlock())).text()
    assert "A Optimist own proposal · 9/10 own proposal · 8/10 own proposal · 8/10" in page
    assert "C Synthesizer own proposal · — Not said · 7/10 Skeptic’s proposal · — changed position" in page
    assert "D Devil's advocate own proposal · 5/10 Off topic · — No reply · —" in page


def test_a_failed_seat_is_named_in_the_head_and_in_its_round() -> None:
    """Between headline and verdict, and as a card without a reply."""
    page = render(samples.deadlock())
    head = page[: page.index("</header>")]
    assert '<p class="dead">Devil&#39;s advocate: no reply in round 3 — no answer within 120 s' in head
    assert page.count('class="reply failed s3"') == 1


def test_the_page_is_in_the_language_of_the_debate() -> None:
    """`lang`, labels and sections follow."""
    for language, lang, expected in (
        ("en", "en", "Recommended action"),
        ("fr", "fr", "Action recommandée"),
        ("zh", "zh-Hans", "建议行动"),
    ):
        page = render(samples.debate(language))
        assert f'<html lang="{lang}">' in page
        assert f"<h2>{expected}</h2>" in page


def test_a_very_long_question_and_reply_stay_legible() -> None:
    """The headline is cut, the whole stands folded; a reply past the parser's limit is shown as typed."""
    transcript = samples.one_round()
    entry = replace(transcript.rounds[0].entries[0], response="[" * 100_000)
    long = replace(transcript, problem="Should jobs use a queue? " * 8_000, rounds=(Round(1, (entry,)),))
    page = render(long)
    headline = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    assert headline is not None
    assert len(headline[1]) < 160
    assert '<p class="typed">[[[' in page


def test_the_page_says_why_there_is_no_agreement() -> None:
    """Badge, reason with the blocker as plain text, trust, concerns, changes and picture tell one story."""
    page = render(samples.undecided())
    assert '<p class="badge mixed">Split: all 3 would sign one proposal, no agreement yet</p>' in page
    assert (
        '<p class="obstacle" dir="auto">No agreement: a blocker is open: '
        "“the *licence* of &lt;b&gt;one&lt;/b&gt; font”.</p>" in page
    )
    assert "<h2>Concerns raised</h2>" in page
    assert "Risks nobody resolved" not in page
    assert page.count('<blockquote class="change"') == 2
    wide = re.findall(r'<svg class="movement wide".*?</svg>', page, re.DOTALL)[0]
    assert wide.count(' moved"') == 1
    assert "<b>Open point of Tester</b>: the docs</li>" in page
    assert '<b>Which Monday?</b> — <span class="by">open point of Writer</span>: the next</li>' in page
    assert "x/s.jsonl" not in page


def test_blockers_that_the_reason_does_not_quote_have_a_box_in_the_head() -> None:
    """As text, above the fold of the transcript."""
    said = {"outcome": "split", "undecided_because": "unsure", "open_blockers": ["one *font*"]}
    page = render(replace(samples.undecided(), final_output=said))
    head = page[: page.index("</header>")]
    assert '<h2>Open blockers</h2>\n<ul class="list">\n<li dir="auto">one *font*</li>' in head
    assert "Split: all 3 would sign one proposal" in head


def test_the_page_links_the_transcript_by_its_name() -> None:
    """A foreign file under its own name, without its folders; None links nothing."""
    assert '<a href="left%20behind.json">left behind.json</a>' in render(
        samples.left_behind(), chat_path="/home/x/left behind.json"
    )
    assert "chat.json" not in render(samples.left_behind(), chat_path=None)
