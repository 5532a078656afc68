"""What a reply cites as `path:line`, read from its text; and whether it is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debateroom.messages import Citation
from debateroom.project.citing import checked
from debateroom.project.folder import Project
from debateroom.reading.citations import MOST, citations


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/app.py:12, README.md:7.", ["src/app.py:12", "README.md:7"]),
        ("`src/a b.py:3-9` and (./x/b.rs:L10-L12) and c.go:5–6", ["src/a b.py:3-9", "x/b.rs:10-12", "c.go:5-6"]),
        ("见src/app.py:12。`文档/说明.md：3`、docs/été.md:4", ["src/app.py:12", "文档/说明.md:3", "docs/été.md:4"]),
        (
            "**loop.py:12**, [x](a/b.py:3), a.py:1:5, .gitignore:2",
            ["loop.py:12", "a/b.py:3", "a.py:1", ".gitignore:2"],
        ),
        ("`src/app.py:12 (the loop)`, `dir/Makefile:3`", ["src/app.py:12", "dir/Makefile:3"]),
        ("a.py:1 and again a.py:1", ["a.py:1"]),
        ("/home/me/project/a.py:3", ["/home/me/project/a.py:3"]),
        ("at 12:30, localhost:8080, api.example.com:443, 127.0.0.1:80, http://x.com/a.js:80", []),
        ("v1.2:3, 3.5:1, and/or:3, he/she: 5, std::vec:3, `npm run x:3`, 9/10:3, CONFIDENCE: 9", []),
        ("a.py:0 and a.py:99999999", ["a.py:0"]),
    ],
)
def test_what_looks_like_a_place_in_a_file_is_read(text: str, found: list[str]) -> None:
    """Single lines and ranges, in and outside backticks, in three languages; no addresses, hosts, times, shares."""
    assert [cited.text for cited in citations(text)] == found


@given(st.text(alphabet="ab/.:`-1920Ll ：\n@~é文", max_size=60))
def test_every_place_that_is_read_stands_in_the_text(text: str) -> None:
    """Nothing is made up, whatever the text is."""
    for cited in citations(text):
        assert cited.path in text
        assert str(cited.first) in text.replace("0", "") or str(cited.first) in text


def test_a_text_without_end_is_read_quickly_and_up_to_a_number() -> None:
    """Long runs of letters, colons and backticks; a reply that cites thousands of places cites nothing."""
    for text in ("x" * 100_000 + ":1", "a/" * 50_000, "`a:" * 30_000, "://" * 30_000, "a-" * 50_000 + "://"):
        assert citations(text) == ()
    assert len(citations(" ".join(f"a.py:{n}" for n in range(1_000)))) == MOST


def test_a_citation_exists_when_the_line_does(tmp_path: Path) -> None:
    """A file that may be looked at, and the line in it; what is closed is not there."""
    (tmp_path / "a.py").write_text("one\ntwo\n")
    (tmp_path / ".env").write_text("KEY=1\n")
    expected = {
        "a.py:2": True, "a.py:3": False, "a.py:0": False, "a.py:2-1": False, "a.py:1-2": True, "b.py:1": False,
        ".env:1": False, "../x.py:1": False, f"{tmp_path}/a.py:1": True,
    }  # fmt: skip
    found = checked(Project(tmp_path), " ".join(expected))
    assert found == tuple(Citation(text, exists) for text, exists in expected.items())
