"""The tools over a project, as a model calls them: what each gives, and where each ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from debateroom import clock
from debateroom.agents import lookups as tools
from debateroom.agents.arguments import check_schema
from debateroom.agents.lookups import lookups
from debateroom.agents.run import Limits, start
from debateroom.agents.tools import MOST_TEXT, Outcome
from debateroom.language import LANGUAGES
from debateroom.project.folder import Project


def call(root: Path, name: str, *, seconds: float = 60.0, language: str = "en", **arguments: Any) -> Outcome:
    """What one call gives."""
    run = start(Limits(), until=clock.monotonic() + seconds, session="", language=language, turn=1)
    return lookups(Project(root), language)[name].run(arguments, run)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tools_are_described_in_the_language_with_schemas_that_can_be_used(tmp_path: Path, language: str) -> None:
    """Three of them; each parameter says what it is."""
    found = lookups(Project(tmp_path), language)
    assert list(found) == ["list_files", "read_file", "search_text"]
    for tool in found.values():
        assert check_schema(tool.spec.parameters) is None
        assert all(part["description"] for part in tool.spec.parameters["properties"].values())
        assert tool.spec.parameters["additionalProperties"] is False


def test_a_file_is_given_in_parts_with_its_numbers(tmp_path: Path) -> None:
    """As many lines as are asked for, as many as a result holds, and how many there are."""
    (tmp_path / "a.py").write_text("\n".join(f"line {n}" for n in range(1, 1_001)))
    assert call(tmp_path, "read_file", path="a.py", from_line=3, lines=2).text == (
        "a.py, lines 3 to 4 of 1000:\n3: line 3\n4: line 4"
    )
    assert call(tmp_path, "read_file", path="a.py").text.startswith("a.py, lines 1 to 400 of 1000:\n1: line 1\n")
    assert call(tmp_path, "read_file", path="a.py", from_line=999).text.endswith("1000: line 1000")
    assert call(tmp_path, "read_file", path="a.py", from_line=1001).text == "a.py has no such line; it has 1000."
    (tmp_path / "wide.txt").write_text(("x" * 5_000 + "\n") * 100)
    wide = call(tmp_path, "read_file", path="wide.txt").text
    assert len(wide) <= MOST_TEXT
    assert wide.startswith("wide.txt, lines 1 to 18 of 100:\n1: " + "x" * 1_000 + "…\n2: ")


def test_a_search_names_each_line(tmp_path: Path) -> None:
    """Whatever its capitals; in a folder or by a pattern; around the place in a long line; so many and no more."""
    (tmp_path / "a.py").write_text("x\nQueue = 1\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "b.md").write_text("a" * 900 + " the queue " + "b" * 900)
    (tmp_path / "blob.bin").write_bytes(b"queue\0")
    found = call(tmp_path, "search_text", text="queue").text.split("\n")
    assert found[0] == "a.py:2: Queue = 1"
    assert found[1].startswith("docs/b.md:1: aaa")
    assert " the queue " in found[1]
    assert len(found) == 2
    assert len(found[1]) < 300
    assert call(tmp_path, "search_text", text="queue", folder="docs").text.startswith("docs/b.md:1")
    assert call(tmp_path, "search_text", text="QUEUE", pattern="*.py").text == "a.py:2: Queue = 1"
    nothing = "It stands in no file that may be looked at."
    assert call(tmp_path, "search_text", text="loop").text == nothing
    assert call(tmp_path, "search_text", text=" ").text == nothing
    (tmp_path / "many.txt").write_text("hit\n" * 200)
    many = call(tmp_path, "search_text", text="hit").text.split("\n")
    assert many[tools.MOST_HITS :] == ["[cut after 80 lines: search for a longer text, or in a folder]"]


def test_a_list_ends_at_a_number(tmp_path: Path) -> None:
    """And says how to see the rest."""
    for number in range(tools.MOST_LISTED + 5):
        (tmp_path / f"{number:04}.txt").touch()
    lines = call(tmp_path, "list_files").text.split("\n")
    assert lines[0] == "0000.txt (0 bytes)"
    assert lines[tools.MOST_LISTED :] == ["[cut after 300: name a folder or a pattern]"]
    assert call(tmp_path, "list_files", pattern="*.md").text == "There is nothing that may be looked at."


def test_a_search_comes_to_its_end_in_time(tmp_path: Path) -> None:
    """With no time left it gives what it has found so far, in place of nothing."""
    for number in range(50):
        (tmp_path / f"{number:02}.txt").write_text("hit")
    assert call(tmp_path, "search_text", text="hit", seconds=0.0).text == "00.txt:1: hit"


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", ".env is not opened: files of that name may hold secrets."),
        ("fr", ".env n'est pas ouvert : un fichier de ce nom peut contenir des secrets."),
        ("zh", "没有打开 .env：这样命名的文件可能含有机密。"),
    ],
)
def test_a_refusal_is_told_and_is_no_success(tmp_path: Path, language: str, told: str) -> None:
    """In the language; a path with signs that steer a terminal is shown without them."""
    (tmp_path / ".env").write_text("x")
    outcome = call(tmp_path, "read_file", path=".env", language=language)
    assert (outcome.text, outcome.ok) == (told, False)
    assert call(tmp_path, "list_files", folder="no\x1b[2J\nne").text == "There is no folder no[2J ne in the project."


def test_names_that_are_no_text_are_shown_whole(tmp_path: Path) -> None:
    """A name in another encoding, or with signs in it, cannot break a request."""
    (Path(tmp_path) / b"caf\xe9.txt".decode("utf-8", "surrogateescape")).write_text("hit")
    (tmp_path / "a\nb\x07.txt").write_text("hit")
    for name, arguments in (("list_files", {}), ("search_text", {"text": "hit"})):
        text = call(tmp_path, name, **arguments).text
        text.encode("utf-8")
        assert "a b.txt" in text
        assert "\x07" not in text
