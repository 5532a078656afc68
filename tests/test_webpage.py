"""A web page read as text: what stands in it, in order, and nothing that it would do."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debateroom.reading.webpage import Page, read_page

PAGE = """<!doctype html><html><head><title> Status &amp;
 more </title><style>p{color:red}</style><script>alert("<p>no</p>")</script></head>
<body onload="x()"><h1>All good</h1><!-- a comment --><p>Up   since <b>May</b>.<br>No &lt;errors&gt;.</p>
<ul><li>one</li><li>two <a href="javascript:x">link</a></li></ul>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre>x = 1
    y</pre><svg><title>not this</title><text>nor this</text></svg><template><p>hidden</p></template></body></html>"""
TEXT = """# All good

Up since May.
No <errors>.

- one

- two link

a | b

1 | 2

x = 1
    y"""


def test_a_page_is_read_in_order() -> None:
    """Headings, paragraphs, lists, cells and code; no script, style, comment or template."""
    assert read_page(PAGE.encode(), "text/html; charset=utf-8") == Page("Status & more", TEXT)


@pytest.mark.parametrize(
    ("kind", "data", "text"),
    [
        ("text/plain", "é".encode(), "é"),
        ("text/plain; charset=iso-8859-1", b"\xe9", "é"),
        ("text/plain; charset=GBK", "测试".encode("gbk"), "测试"),
        ("text/html", '<meta charset="windows-1252"><p>\x80'.encode("latin-1"), "€"),
        ("text/html", b'<meta charset="windows-1252"><p>\x80', "€"),
        ("text/plain", "\ufeffé".encode("utf-16"), "é"),
        ("application/json", b'{"a": 1}', '{"a": 1}'),
        ("application/problem+json", b"{}", "{}"),
        ("TEXT/CSV", b"a,b", "a,b"),
        *[(f"text/plain; charset={name}", b"abc\xff", "abc\ufffd") for name in ("zip", "idna", "rot13", "nope", '"')],
    ],
)
def test_text_of_many_kinds_and_encodings(kind: str, data: bytes, text: str) -> None:
    """An encoding that pages do not come in is not tried: then it is UTF-8."""
    page = read_page(data, kind)
    assert page is not None
    assert page.text == text


@pytest.mark.parametrize("kind", ["", "image/png", "application/pdf", "application/octet-stream", "application/zip"])
def test_what_is_no_text_is_not_read(kind: str) -> None:
    """Nor is what says nothing of itself."""
    assert read_page(b"<p>x</p>", kind) is None


def test_what_nobody_sees_is_left_out() -> None:
    """Control characters, reversed direction, and letters that hide words for a model."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    for kind in ("text/plain", "text/html"):
        assert read_page(f"a\x1b[31m{hidden}\u202eb\u200b&#x202e;".encode(), kind) in (
            Page("", "a[31mb"),
            Page("", "a[31mb&#x202e;"),
        )


@given(st.text(max_size=200), st.sampled_from(["", "<p>", "<pre>", "<table><tr><td>", "<title>", "<!--", "<script>"]))
def test_whatever_is_sent_it_is_read(text: str, before: str) -> None:
    """Never an error, and never a character that steers a terminal."""
    page = read_page((before + text).encode("utf-8", "replace"), "text/html")
    assert page is not None
    assert not {unicodedata.category(mark) for mark in set(page.text) - set("\n\t\u200c\u200d")} & {"Cc", "Cf", "Cs"}


HOSTILE = [
    "<a ",
    "<a b=",
    "<a/",
    "<!--",
    "<a='",
    "<!-- --!",
    "<a><b><i>",
    "<table><a>",
    "<svg><title>",
    "<pre><p>",
    "&lt;",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_pages_made_to_be_slow_are_read_all_the_same(piece: str) -> None:
    """In a process of its own: 128 KB for which the standard library's parser needs minutes or days."""
    program = (
        "import sys\nfrom debateroom.reading.webpage import read_page\n"
        f"page = read_page(({piece!r} * 131072).encode()[:131072], 'text/html')\nprint(page is not None)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False, env=environment
    )
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr
