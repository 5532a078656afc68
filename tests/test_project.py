"""The guard in front of a project: nothing outside it, nothing ignored, nothing secret, however it is written."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from debateroom.project.folder import LARGEST, Found, Project, Refused
from debateroom.project.ignored import Ignored
from debateroom.secrecy import is_secret

OUTSIDE = "what stands outside"
SECRET = "what nobody may read"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a secret file beside a project, which holds secrets, links, and things that are no text."""
    place = tmp_path_factory.mktemp("place")
    (place / "outside.txt").write_text(OUTSIDE)
    (place / "other").mkdir()
    (place / "other" / "a.md").write_text(OUTSIDE)
    root = place / "project"
    for folder in (".git", "src/deep", "docs", "build", "rooms/chatroom", "keys"):
        (root / folder).mkdir(parents=True)
    for path, text in {
        "README.md": "one\ntwo\r\nthree\n", "src/app.py": "import os\n", "src/deep/more.py": "x = 1\ny = 2",
        "docs/été.md": "chaud\n", ".gitignore": "build/\n*.log\n!kept.log\n", "src/.gitignore": "/local.py\n",
        "kept.log": "kept\n", "src/local.py": SECRET, "build/out.txt": SECRET, "run.log": SECRET,
        ".env": SECRET, ".env.local": SECRET, "docs/.ENV": SECRET, ".git/config": SECRET, "keys/server.pem": SECRET,
        "keys/id_rsa": SECRET, "keys/id_ed25519.pub": SECRET, "prod.env": SECRET, "credentials.json": SECRET,
        "rooms/chatroom/journal.jsonl": SECRET, "rooms/chatroom/chat.json": SECRET, "empty.txt": "",
    }.items():  # fmt: skip
        (root / path).write_bytes(text.encode())
    (root / "picture.png").write_bytes(b"\x89PNG\0\0")
    (root / "latin.txt").write_bytes("été".encode("latin1"))
    (root / "wide.txt").write_bytes("wide\n".encode("utf-16"))
    (root / "large.txt").write_bytes(b"x" * (LARGEST + 1))
    os.mkfifo(root / "pipe")
    os.link(place / "outside.txt", root / "linked.txt")
    os.link(root / ".env", root / "src" / "linked_env.txt")
    for name, target in {
        "to_readme": "README.md", "to_outside": "../outside.txt", "to_other": "../other", "to_env": ".env",
        "to_env.md": "docs/../.env", "to_root": "/", "to_etc": "/etc/passwd", "to_self": "to_self", "to_git": ".git",
        "to_ignored": "build/out.txt", "src/up": "../..", "a_chain": "to_env", "to_src": "src",
    }.items():  # fmt: skip
        (root / name).symlink_to(target)
    return place


@pytest.fixture(scope="module")
def project(place: Path) -> Project:
    return Project(place / "project")


@pytest.mark.parametrize(
    ("path", "real", "lines"),
    [
        ("README.md", "README.md", ["one", "two", "three"]),
        ("./src/../README.md", "README.md", ["one", "two", "three"]),
        ("to_readme", "README.md", ["one", "two", "three"]),
        ("to_src/app.py", "src/app.py", ["import os"]),
        ("src/deep/more.py", "src/deep/more.py", ["x = 1", "y = 2"]),
        ("docs/été.md", "docs/été.md", ["chaud"]),
        ("wide.txt", "wide.txt", ["wide"]),
        ("kept.log", "kept.log", ["kept"]),
        ("empty.txt", "empty.txt", []),
    ],
)
def test_a_file_of_the_project_is_read(project: Project, path: str, real: str, lines: list[str]) -> None:
    """By where it really is, in lines as an editor counts them."""
    assert project.read(path) == (real, lines)


def test_rooms_are_open_to_who_looks_back_on_them(project: Project) -> None:
    """Also where `.gitignore` leaves them out; what is closed by its name stays closed, and so does what else is."""
    (project.root / ".gitignore").write_text("rooms/\nrun.log\n")
    (project.root / "rooms/chatroom/.env").write_text("KEY=1")
    (project.root / "rooms/chatroom/link").symlink_to(project.root / "run.log")
    opened = Project(project.root, rooms=project.root / "rooms")
    assert opened.read("rooms/chatroom/journal.jsonl").lines == SECRET.splitlines()
    listed = {found.path for found in opened.below("rooms")}
    assert listed == {"rooms/chatroom", "rooms/chatroom/chat.json", "rooms/chatroom/journal.jsonl"}
    for path, why in (("rooms/chatroom/.env", "secret"), ("rooms/chatroom/link", "ignored"), ("run.log", "ignored")):
        with pytest.raises(Refused) as refused:
            opened.read(path)
        assert refused.value.why == why
    with pytest.raises(Refused):
        Project(project.root, rooms=project.root).read("rooms/chatroom/journal.jsonl")


def test_a_path_of_the_project_may_be_whole(project: Project) -> None:
    """Assistants write paths from the root of the disk."""
    assert project.read(str(project.root / "src" / "app.py")).path == "src/app.py"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../outside.txt", "outside"), ("src/../../outside.txt", "outside"), ("/etc/passwd", "outside"),
        ("/etc/there/is/none", "outside"), ("to_outside", "outside"), ("to_other/a.md", "outside"),
        ("to_root/etc/passwd", "outside"), ("to_etc", "outside"), ("src/up/outside.txt", "outside"),
        ("..", "outside"), ("/", "outside"), ("../project-2/x", "outside"), ("//etc/passwd", "outside"),
        (".env", "secret"), (".env.local", "secret"), (".ENV", "secret"), ("docs/.ENV", "secret"),
        ("src/../.env", "secret"), ("to_env", "secret"), ("to_env.md", "secret"), ("a_chain", "secret"),
        (".git/config", "secret"), (".GIT/config", "secret"), (".git/../README.md", "secret"),
        ("to_git/config", "secret"),
        ("keys/server.pem", "secret"), ("keys/id_rsa", "secret"), ("keys/id_ed25519.pub", "secret"),
        ("prod.env", "secret"), ("credentials.json", "secret"), (".env.", "secret"), (".env ", "secret"),
        ("src/up/project/.env", "secret"),
        ("build/out.txt", "ignored"), ("run.log", "ignored"), ("src/local.py", "ignored"), ("to_ignored", "ignored"),
        ("to_src/local.py", "ignored"),
        ("rooms/chatroom/journal.jsonl", "room"), ("rooms/chatroom/chat.json", "room"),
        ("none.md", "missing"), ("README.md/x", "missing"), ("", "missing"), ("  ", "missing"), ("a\0b", "missing"),
        ("\ud800", "missing"), ("x" * 2_000, "missing"), ("to_self", "unreadable"),
        ("src", "no_file"), (".", "no_file"), ("pipe", "no_file"), ("file:///etc/passwd", "missing"),
        ("~/.ssh/id_rsa", "secret"), ("%2e%2e/outside.txt", "missing"),
        ("linked.txt", "linked"), ("src/linked_env.txt", "linked"),
        ("picture.png", "binary"), ("latin.txt", "binary"), ("large.txt", "too_large"),
    ],
)  # fmt: skip
def test_what_may_not_be_read_is_refused_with_the_reason(project: Project, path: str, why: str) -> None:
    """Attacks on the path, links out of the project and to secrets, secrets by name, and what is no text."""
    with pytest.raises(Refused) as caught:
        project.read(path)
    assert caught.value.why == why


PIECES = st.sampled_from(
    ["..", ".", "", "/", "~", "src", "deep", "docs", ".env", ".ENV", ".git", "config", "build", "out.txt",
     "README.md", "project", "other", "outside.txt", "to_other", "to_root", "to_env", "to_src", "to_git", "a_chain",
     "src/up", "etc", "passwd", "app.py", "keys", "id_rsa", "\\", "..\\", "%2e%2e", "rooms", "chatroom",
     "journal.jsonl"]
) | st.text(max_size=4)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(parts=st.lists(PIECES, max_size=8), absolute=st.booleans())
def test_no_path_leads_to_what_is_closed(project: Project, parts: list[str], absolute: bool) -> None:
    """Whatever is asked for, what is read is a file below the project without a secret, and no more."""
    path = ("/" if absolute else "") + "/".join(parts)
    try:
        text = project.read(path)
    except Refused:
        return
    real = Path(os.path.realpath(project.root / text.path))
    assert real.is_relative_to(project.root)
    assert real == project.root / text.path
    assert not {SECRET, OUTSIDE} & set(text.lines)


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(PIECES, max_size=6), pattern=st.sampled_from(["", "*", "**/*", ".*", "!x", "/..", "../*"]))
def test_no_folder_lists_what_is_closed(project: Project, parts: list[str], pattern: str) -> None:
    """Each thing that is listed could be read, or is a folder that leads there."""
    try:
        found = list(project.below("/".join(parts), pattern))
    except Refused:
        return
    closed = {"linked.txt", "src/linked_env.txt"}
    closed |= {"build", "build/out.txt", "run.log", "src/local.py", "keys/id_rsa", "rooms/chatroom/chat.json"}
    assert not closed & {one.path for one in found}
    assert not any(is_secret(Path(one.path).parts) or ".." in Path(one.path).parts for one in found)
    assert not any((project.root / one.path).is_symlink() for one in found)


def test_the_nearest_is_listed_first(project: Project) -> None:
    """Folders and files with their bytes; with a pattern the files that match."""
    paths = [one.path for one in project.below(".")]
    assert paths.index("README.md") < paths.index("src/app.py") < paths.index("src/deep/more.py")
    assert Found("src/deep", True, 0) in list(project.below("src"))
    assert list(project.below("src", "*.py")) == [
        Found("src/app.py", False, 10),
        Found("src/deep/more.py", False, 11),
    ]


@pytest.mark.parametrize(
    ("folder", "why"), [("..", "outside"), ("to_other", "outside"), (".git", "secret"), ("none", "no_folder"),
                        ("README.md", "no_folder"), ("build", "ignored"), ("rooms/chatroom", "room")]
)  # fmt: skip
def test_a_folder_that_may_not_be_looked_at_is_refused(project: Project, folder: str, why: str) -> None:
    """By the same rules as a file."""
    with pytest.raises(Refused) as caught:
        list(project.below(folder))
    assert caught.value.why == why


def test_what_is_exchanged_for_a_link_in_between_is_not_followed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the path and its opening a folder becomes a link to the outside."""
    root = place / "raced"
    (root / "inner").mkdir(parents=True)
    (root / "inner" / "a.md").write_text("inside")
    project = Project(root)
    seen = project._inside

    def exchanged(path: str, *, folder: bool) -> tuple[str, ...]:
        parts = seen(path, folder=folder)
        shutil.rmtree(root / "inner")
        (root / "inner").symlink_to(place / "other")
        return parts

    monkeypatch.setattr(project, "_inside", exchanged)
    with pytest.raises(Refused):
        project.read("inner/a.md")


def test_own_patterns_are_refused_too_and_not_taken_back(tmp_path: Path) -> None:
    """What the caller refuses, no file of the project opens again."""
    (tmp_path / "data.sql").write_text("x")
    (tmp_path / ".gitignore").write_text("!data.sql\n")
    with pytest.raises(Refused, match="ignored"):
        Project(tmp_path, refuse=["*.sql"]).read("data.sql")


PATTERNS = [
    "*.log",
    "!keep.log",
    "build/",
    "/top",
    "a/**/z",
    "# no",
    "\\#yes",
    "doc/*.txt",
    "**/deep",
    "x?y",
    "!a",
    "[",
]
NAMES = ["a", "b", "build", "top", "z", "deep", "doc", "x.log", "keep.log", "n.txt", "xay", "#yes"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
@settings(max_examples=25, deadline=None)
@example(at_root=["*.log", "!keep.log"], in_a=[], paths=[["keep.log", "x.log", "a"], ["keep.log", "a"]])
@given(
    at_root=st.lists(st.sampled_from(PATTERNS), max_size=4),
    in_a=st.lists(st.sampled_from(PATTERNS), max_size=4),
    paths=st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4), min_size=1, max_size=5),
)
def test_ignored_is_what_git_ignores(
    tmp_path_factory: pytest.TempPathFactory, at_root: list[str], in_a: list[str], paths: list[list[str]]
) -> None:
    """Nested files of patterns, negations, anchors: the same answer as git's own."""
    root = tmp_path_factory.mktemp("clone")
    environment = {"PATH": os.environ["PATH"], "HOME": str(root / "nobody"), "GIT_CONFIG_NOSYSTEM": "1"}
    git = shutil.which("git")
    subprocess.run([str(git), "init", "-q", "."], cwd=root, env=environment, check=True)
    (root / ".gitignore").write_text("\n".join(at_root))
    (root / "a").mkdir()
    (root / "a" / ".gitignore").write_text("\n".join(in_a))
    ignored = Ignored(root)
    for parts in paths:
        path = "/".join(parts)
        asked = subprocess.run(
            [str(git), "check-ignore", "-q", "--no-index", path], cwd=root, env=environment, check=False
        )
        assert ignored(tuple(parts), folder=False) == (asked.returncode == 0), (path, at_root, in_a)


def test_patterns_above_a_project_count_up_to_its_clone(tmp_path: Path) -> None:
    """A project may be a part of a clone; what is above the clone does not count."""
    (tmp_path / ".gitignore").write_text("*.md\n")
    clone = tmp_path / "clone"
    (clone / ".git" / "info").mkdir(parents=True)
    (clone / ".git" / "info" / "exclude").write_text("*.tmp\n")
    (clone / ".gitignore").write_text("/part/no.txt\n")
    (clone / "part").mkdir()
    ignored = Ignored(clone / "part")
    assert [ignored((name,), folder=False) for name in ("no.txt", "x.tmp", "a.md")] == [True, True, False]
