"""The catalogue of playbooks: what ships, in three languages, and a workspace's own, each mistake with its place."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from debates import run

from debateroom import templates
from debateroom.errors import UsageError
from debateroom.language import LANGUAGES
from debateroom.playbooks import catalogue
from debateroom.playbooks.catalogue import check_goal, shipped

NAMES = ["deploy-verify", "figure-it-out", "watch-page", "swarm", "reflect"]
GOOD = """name: Tidy the changelog
description: Brings it up to date.
rule: Nothing is written that no commit shows.
steps:
  - {do: Find the commits., proof: the path of the log}
  - {do: Write them down., proof: the path of the changelog}
  - {do: Read it again., proof: "the path, with its line"}
"""


@pytest.mark.parametrize(
    ("language", "missing", "proof"),
    [
        ("fr", "Un résultat manquant ne compte jamais comme un succès.",
         "Une preuve est un lien ou un chemin, jamais un paragraphe."),
        ("en", "A missing result never counts as a success.", "Evidence is a link or a path, never a paragraph."),
        ("zh", "缺失的结果绝不算成功。", "证据是一个链接或一个路径，绝不是一段话。"),
    ],
)  # fmt: skip
def test_five_ship_with_three_steps_and_one_rule(language: str, missing: str, proof: str) -> None:
    """Rules and fields are those of the table; each step names what proves it."""
    found = shipped(language)
    assert list(found) == NAMES
    rules = [missing, proof, missing, missing, proof]
    assert [each.rule for each in found.values()] == rules
    assert [each.kind for each in found.values()] == ["text", "text", "url", "text", "text"]
    assert [each.id for each in found.values() if each.follows_workers] == ["swarm"]
    assert all(len(each.steps) == 3 and each.field for each in found.values())
    assert all(step.do and step.proof for each in found.values() for step in each.steps)


def test_all_languages_say_the_same_things() -> None:
    """The same keys, and the same places to fill."""

    def shape(value: object) -> object:
        if isinstance(value, dict):
            return {key: shape(item) for key, item in value.items()}
        if isinstance(value, list):
            return [shape(item) for item in value]
        import string

        return sorted(name for _, name, _, _ in string.Formatter().parse(str(value)) if name)

    shapes = [shape(templates.data(f"playbooks/{language}.toml")) for language in LANGUAGES]
    assert shapes[0] == shapes[1] == shapes[2]


def test_the_list_is_text_or_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And has a workspace's own behind those that ship."""
    own = here / ".debateroom" / "playbooks"
    own.mkdir(parents=True)
    (own / "tidy.yaml").write_text(GOOD + "field: Since when\n")
    code, out, _ = run(capsys, "playbooks", "--json")
    listed = json.loads(out)
    assert (code, [each["id"] for each in listed]) == (0, [*NAMES, "tidy"])
    assert (listed[-1]["field"], listed[-1]["source"]) == ("Since when", str(own / "tidy.yaml"))
    code, out, _ = run(capsys, "playbooks", "--language", "fr")
    assert code == 0
    assert "/watch-page · Surveiller une page" in out
    assert "--goal : Since when" in out
    assert "  1. Find the commits. [the path of the log]\n" in out


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (GOOD.replace("rule: Nothing is written that no commit shows.\n", ""), "line 1: the key `rule` is missing"),
        (GOOD + "color: red\n", "line 8, color: there is no such key"),
        (GOOD.replace("  - {do: Read it again., proof: \"the path, with its line\"}\n", ""),
         "line 5, steps: a playbook has 3 steps; here are 2"),
        (GOOD.replace(", proof: the path of the log", ""), "line 5, steps[0]: the key `proof` is missing"),
        (GOOD + "field: {about: x, kind: date}\n", "line 8, field.kind: this is one of text, url"),
        (GOOD.replace("Tidy the changelog", '"a\\nb"'), "line 1, name: this is to be one line"),
        ("- a\n", "line 1: this is not a mapping"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_line_and_field(tmp_path: Path, text: str, what: str) -> None:
    """So that it can be mended."""
    (tmp_path / "tidy.yaml").write_text(text)
    with pytest.raises(UsageError) as caught:
        catalogue.find("tidy", tmp_path, "en")
    line, _, field = what.partition(",") if "steps: a playbook" in what else (what, "", "")
    assert str(tmp_path / "tidy.yaml") in str(caught.value)
    assert (field.strip() or line) in str(caught.value)


@pytest.mark.parametrize("name", ["Tidy", "swarm", "a b", "x_y"])
def test_a_file_s_name_is_the_playbook_s(tmp_path: Path, name: str) -> None:
    """It is plain, and none of those that ship."""
    (tmp_path / f"{name}.yaml").write_text(GOOD)
    found, mistakes = catalogue.known(tmp_path, "en")
    assert (list(found), list(mistakes)) == (NAMES, [name])


def test_one_with_a_mistake_keeps_no_other_from_being_used(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list names it on stderr; only itself is refused."""
    own = here / ".debateroom" / "playbooks"
    own.mkdir(parents=True)
    (own / "broken.yaml").write_text("- a\n")
    (own / "tidy.yaml").write_text(GOOD)
    code, out, err = run(capsys, "playbooks", "--json")
    assert (code, [each["id"] for each in json.loads(out)]) == (0, [*NAMES, "tidy"])
    assert err == f"debateroom: {own / 'broken.yaml'}, line 1: this is not a mapping of keys to values\n"
    code, _, err = run(capsys, "playbook", "start", "broken")
    assert (code, "broken.yaml, line 1" in err) == (2, True)
    assert run(capsys, "playbook", "start", "tidy")[0] == 0


@pytest.mark.parametrize(
    ("name", "goal", "told"),
    [
        ("swarm", "one\ntwo", None), ("swarm", "one\r", "one"), ("swarm", "a\x00b", None),
        ("swarm", "x" * 2001, None),
        ("watch-page", "http://example.com", None), ("watch-page", "example.com", None),
        ("watch-page", "https://a.example/x https://b.example", None),
        ("watch-page", " https://example.com/status ", "https://example.com/status"),
        ("reflect", None, ""), ("reflect", "the last sprint", "the last sprint"),
    ],
)  # fmt: skip
def test_a_goal_is_one_line_and_a_page_s_is_its_address(name: str, goal: str | None, told: str | None) -> None:
    """A newline in the field is refused."""
    if told is None:
        with pytest.raises(UsageError):
            check_goal(shipped("en")[name], goal)
    else:
        assert check_goal(shipped("en")[name], goal) == told


def test_an_unknown_one_is_refused_with_the_list(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and no room is made."""
    code, _, err = run(capsys, "playbook", "run", "deploy", "--agent", "scripted:x.jsonl")
    assert code == 2
    assert "there are deploy-verify, figure-it-out, watch-page, swarm, reflect" in err
    assert not (here / "active").exists()


def test_what_is_no_small_regular_file_is_named_and_never_read(tmp_path: Path) -> None:
    """A pipe would be waited for, and a large file take long."""
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "large.yaml").write_text(GOOD + "#" * 262_144)
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere")
    found, mistakes = catalogue.known(tmp_path, "en")
    assert list(found) == NAMES
    assert {name: str(error).removeprefix(str(tmp_path)) for name, error in mistakes.items()} == {
        "folder": "/folder.yaml: this is no regular file",
        "gone": "/gone.yaml cannot be read: No such file or directory",
        "large": "/large.yaml: this is over 262,144 bytes, and a playbook is not",
        "pipe": "/pipe.yaml: this is no regular file",
    }


@pytest.mark.parametrize("option", ["--budget", "--timeout"])
def test_a_setting_that_is_wrong_points_to_the_help_of_the_command(
    here: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    """Of the one below `playbook`, which knows the option."""
    code, _, err = run(capsys, "playbook", "run", "reflect", "--agent", "scripted:x.jsonl", option, "0")
    assert (code, err.splitlines()[-1]) == (2, "  next: debateroom playbook run --help")
