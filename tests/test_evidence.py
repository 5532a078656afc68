"""Evidence: exactly one web link or one path, by its form."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import debateroom
from debateroom.errors import BadEvidence
from debateroom.language import LANGUAGES, spoken

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases" / "evidence.jsonl").read_text().splitlines()]
check = debateroom.check_evidence

LETTERS = st.text(string.ascii_letters + "éß测試", min_size=1, max_size=8)
FILES = st.builds("{}.{}".format, LETTERS, st.sampled_from(["py", "md", "log", "jsonl", "html"]))
PATHS = st.builds(lambda folders, file: "/".join([*folders, file]), st.lists(LETTERS, max_size=4), FILES)
LINKS = st.builds(
    "{}://{}{}/{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    st.sampled_from(["example.com", "localhost", "a-b.example", "[::1]", "10.0.0.1"]),
    st.sampled_from(["", ":8443"]),
    st.text(string.ascii_letters + string.digits + "/?&=#%.-_~", max_size=30),
)


def accepted(text: Any) -> bool:
    try:
        check(text)
    except BadEvidence:
        return False
    return True


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_handed_case(case: dict[str, Any]) -> None:
    """Each is accepted or refused as the case says."""
    assert accepted(case["evidence"]) == case["expect"]["accepted"]


@pytest.mark.parametrize(
    "text",
    [
        *("receipts.jsonl#6f1cb7e2-0d0a-4a7e-9a55-3f0f8e1f2a10", "C:\\logs\\x.txt", "./run.sh", "logs/", "Makefile"),
        *(
            "文档/报告.md",
            "app/(group)/page.tsx",
            "docs/my folder/my report.md",
            "src/app.py:42:7",
            "../x/y.txt",
            "/srv",
        ),
        *(
            "https://web.archive.org/web/2020/https://example.com/",
            "https://zh.wikipedia.org/wiki/测试",
            ".env",
            "a.py:3",
        ),
        *(
            "https://example.com?next=https://example.org/",
            "http://10.0.0.1:8080",
            "https://[::1]/x",
            "https://例え.jp/x",
        ),
    ],
)
def test_what_is_one_link_or_one_path(text: str) -> None:
    """It comes back without the blanks around it."""
    assert check(f" {text}\n") == text


@pytest.mark.parametrize(
    "text",
    [
        *("See src/app.py", "src/a.py and src/b.py", "src/a.py src/b.py", "src/a.py,src/b.py", "n/a", "and/or", "OK"),
        *("Tests pass and/or logs ok", "12/12", "2026/12/01", "v1.2.3", "127.0.0.1", "100%", "..", ".", "/", "e.g"),
        *(
            "https://a.b/x https://c.d",
            "https://a.b/x;https://c.d/y",
            "https://a.b/xhttps://c.d",
            "src/*.py",
            "-rf /",
        ),
        *(
            "javascript:alert(1)//x.py",
            "JaVaScRiPt:x",
            "&#106;avascript:alert(1)",
            "java\u200bscript:x",
            "file:///etc/x",
        ),
        *("data:text/html,x", "//evil.example/x", "tel:123", "a@example.com", "www.example.com/x", "example.com"),
        *(
            "https://user:pw@example.com/",
            "https://example.com:0/",
            "https://example.com:99999/",
            "http:///x",
            "https:/x",
        ),
        *(
            "https://example.com/x\u200b",
            "https://example.com/。",
            "[x](https://example.com)",
            "$(rm -rf x)/y.txt",
            "`x`/y.z",
        ),
        *("测试/通过，一切正常.md", "\ud800/x.py", "a\nb.py"),
    ],
)
def test_what_is_not(text: str) -> None:
    """Words, several, another scheme, a slip, markup, or what hides in a browser."""
    assert not accepted(text)


@pytest.mark.parametrize("given_value", [None, 3, b"README.md", ["README.md"], {"path": "README.md"}, True])
def test_only_text_is_evidence(given_value: Any) -> None:
    """What JSON holds besides text is refused, not turned into text."""
    assert not accepted(given_value)


@given(st.one_of(PATHS, LINKS))
def test_every_clean_path_and_link_passes_unchanged(text: str) -> None:
    """And a second time, too."""
    assert check(check(f"  {text} ")) == text


@given(st.one_of(st.text(max_size=80), PATHS, LINKS), st.text(max_size=5), st.integers(0, 80))
def test_what_passes_is_one_line_that_nothing_can_run(text: str, inserted: str, at: int) -> None:
    """Whatever is put into it: no other error, and no line break, unseen character, markup or other scheme passes."""
    mixed = text[:at] + inserted + text[at:]
    if not accepted(mixed):
        return
    passed = check(mixed)
    assert passed == mixed.strip()
    assert passed.isprintable()
    assert not set(passed) & set('<>"`')
    before, colon, _ = passed.partition(":")
    if colon and len(before) > 1 and before.isalpha():
        assert before.casefold() in ("http", "https")


@given(
    st.sampled_from(["javascript", "data", "vbscript", "file", "ftp", "mailto", "s3", "blob"]),
    st.one_of(PATHS, LINKS),
)
def test_no_other_scheme_passes(scheme: str, rest: str) -> None:
    """Whatever stands behind it, and however it is written."""
    for before in (scheme, scheme.upper(), f" {scheme}", scheme[:2] + "\t" + scheme[2:], f"\x01{scheme}"):
        assert not accepted(f"{before}:{rest}")


@given(st.lists(st.one_of(PATHS, LINKS), min_size=2, max_size=4), st.sampled_from([" ", ", ", "\n", "; ", " and "]))
def test_several_never_pass(several: list[str], between: str) -> None:
    """Joined in whichever way."""
    assert not accepted(between.join(several))


@given(st.lists(LETTERS, min_size=1, max_size=8), st.sampled_from(["", ".", "!", "。"]))
def test_words_never_pass(words: list[str], end: str) -> None:
    """A sentence is no evidence, in whichever script."""
    if " ".join(words).casefold() not in ("makefile", "readme", "license", "dockerfile", "changelog"):
        assert not accepted(" ".join(words) + end)


@given(st.text("a/.: -", min_size=2_001, max_size=2_100))
def test_long_ones_never_pass(text: str) -> None:
    """Not even when each part of it would."""
    assert not accepted(f"https://example.com/{text.replace(' ', '')}{'a' * 2_001}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", [None, "", "a" * 3_000, "a\nb", "ftp://x", "https://", "a.py b.py", "it works"])
def test_the_reason_is_said_in_three_languages(text: Any, language: str) -> None:
    """An agent reads what was wrong; exit code 2."""
    with pytest.raises(BadEvidence) as caught:
        check(text)
    english = str(caught.value)
    said = str(spoken(caught.value, language))
    assert (said == english) == (language == "en")
    assert caught.value.exit_code == 2
