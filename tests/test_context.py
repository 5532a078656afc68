"""Context: what may be given, and the error for everything else."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from debateroom import context
from debateroom.context import Source, collect
from debateroom.errors import UsageError


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a few files, as the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("alpha")
    (tmp_path / "docs" / "b.md").write_text("beta")
    (tmp_path / "docs" / "logo.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "docs" / ".git").mkdir()
    (tmp_path / "docs" / ".git" / "config").write_text("hidden")
    return tmp_path


def test_files_folders_globs_stdin_and_notes_come_in_the_order_given(here: Path) -> None:
    """Each source keeps its name, and is there once; notes follow the files; hidden and binary files are left out."""
    stdin = io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfpiped"))
    found = collect(["docs/b.md", "-", "docs", "docs/*.md"], ["typed"], stdin=stdin)
    assert found.sources == (
        Source("docs/b.md", "beta"),
        Source("standard input", "piped"),
        Source("docs/a.md", "alpha"),
        Source("note 1", "typed"),
    )
    assert found.skipped == ("docs/logo.png",)
    assert found.sizes("en").startswith("docs/b.md 4 characters, standard input 5 characters")


def test_a_file_that_links_lead_to_again_and_again_is_there_once(here: Path) -> None:
    """A loop of links under `**`, a link beside its file, and what others installed."""
    for loop in ("loop", "loop2", "loop3"):
        (here / "docs" / loop).symlink_to(here / "docs")
    (here / "docs" / "up").symlink_to(here)
    (here / "docs" / "z.md").symlink_to(here / "docs" / "a.md")
    (here / "docs" / "node_modules").mkdir()
    (here / "docs" / "node_modules" / "c.md").write_text("gamma")
    found = collect(["docs/**/*.md"], [])
    assert [source.name for source in found.sources] == ["docs/a.md", "docs/b.md"]
    named = collect(["docs/node_modules/*.md"], [])
    assert [source.text for source in named.sources] == ["gamma"]


def test_a_pattern_takes_no_key_and_nothing_hidden_that_it_does_not_name(here: Path) -> None:
    """As a folder does."""
    for name in ("id_rsa", "server.pem", ".env", "plain.txt"):
        (here / "keys" / name).parent.mkdir(exist_ok=True)
        (here / "keys" / name).write_text(name)
    for pattern in ("keys/*", "keys/**", "k*/**.txt", "**/keys/*"):
        assert [source.name for source in collect([pattern], []).sources] == ["keys/plain.txt"], pattern
    assert [source.name for source in collect([str(here / "keys" / "*.txt")], []).sources] == [
        str(here / "keys" / "plain.txt")
    ]
    assert [source.name for source in collect(["keys/.e*"], []).sources] == []
    assert [source.name for source in collect(["key?/server.pem"], []).sources] == ["keys/server.pem"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing.md", r"context file missing\.md does not exist"),
        ("docs/logo.png", r"docs/logo\.png is a binary file"),
        ("latin1.txt", r"latin1\.txt is not UTF-8 text \(byte 3\)"),
        ("gbk.txt", r"gbk\.txt is not UTF-8 text"),
        ("empty", r"the folder empty holds no text file"),
        ("*.rst", r"no file matches \*\.rst"),
    ],
)
def test_what_is_not_text_is_named(here: Path, path: str, message: str) -> None:
    """A file that is missing, binary or in another encoding is a usage error with its name."""
    (here / "latin1.txt").write_bytes("caf\xe9".encode("latin1"))
    (here / "gbk.txt").write_bytes("背景说明".encode("gbk"))
    (here / "empty").mkdir()
    with pytest.raises(UsageError, match=message):
        collect([path], [])


def test_a_file_over_the_limit_is_refused_before_it_is_read(here: Path) -> None:
    """300 MB of context are refused with the figures, and memory stays bounded."""
    with (here / "huge.txt").open("wb") as file:
        file.truncate(300_000_000)
    with pytest.raises(UsageError, match=r"huge\.txt has 300,000,000 bytes; the context may have 20,000,000"):
        collect(["huge.txt"], [])


def test_many_files_together_are_limited_too(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is for all sources together."""
    monkeypatch.setattr(context, "LIMIT", 7)
    with pytest.raises(
        UsageError, match=r"docs/b\.md has 4 bytes; the context may have 2|over 7 bytes with docs/b\.md"
    ):
        collect(["docs/a.md", "docs/b.md"], [])


def test_standard_input_cannot_be_question_and_context(here: Path) -> None:
    """`-` twice is a usage error."""
    with pytest.raises(UsageError, match="already the question"):
        collect(["-"], [])
