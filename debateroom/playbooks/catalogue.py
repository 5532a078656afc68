"""Which playbooks there are: those that ship, in three languages, and a workspace's own, one YAML file each.

name: Tidy the changelog          # .debateroom/playbooks/tidy.yaml is /tidy
description: Brings the changelog up to date.
rule: Nothing is written that no commit shows.
field: Since which version        # may be left out; or {about: …, kind: url}
steps:
  - {do: Find the commits., proof: the path of the log}
  - …                             # three of them
"""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from debateroom import templates
from debateroom.agents.fields import Field, parse_fields
from debateroom.errors import UsageError
from debateroom.terminal import one_line

FOLDER = "playbooks"
"""Where a workspace's own lie, below its `.debateroom/`."""
STEPS = 3
LONGEST_GOAL = 2_000
"""Characters of what is typed into the field."""
_LARGEST = 262_144
"""Bytes of a playbook's file."""
_LONGEST = 600
"""Characters of a text in a playbook."""
_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_KINDS = ("text", "url")


@dataclass(frozen=True, slots=True)
class Step:
    """One of the three."""

    do: str
    proof: str
    """Which evidence proves it."""


@dataclass(frozen=True, slots=True)
class Playbook:
    """One playbook, in one language."""

    id: str
    name: str
    description: str
    rule: str
    steps: tuple[Step, ...]
    field: str = ""
    """What may be typed beside it, on one line; empty when it takes nothing."""
    kind: str = "text"
    """`url` where that has to be a web address."""
    follows_workers: bool = False
    """Whether the last step follows the workers and not a note."""
    source: str = ""
    """Absolute path of the file of a workspace's own; empty for one that ships."""

    def to_json(self) -> dict[str, Any]:
        """As `--json` and the journal hold it."""
        return asdict(self)


def shipped(language: str) -> dict[str, Playbook]:
    """Those that ship, by id, in `language`."""
    data = templates.data(f"playbooks/{language}.toml")
    return {each: _shipped(each, given, data["rules"]) for each, given in data["playbooks"].items()}


def _shipped(name: str, given: Mapping[str, Any], rules: Mapping[str, str]) -> Playbook:
    more = {key: given[key] for key in ("kind", "follows_workers") if key in given}
    steps = tuple(Step(**step) for step in given["steps"])
    return Playbook(
        name, given["name"], given["description"], rules[given["rule"]], steps, field=given["field"], **more
    )


class Known(NamedTuple):
    """The playbooks there are."""

    playbooks: dict[str, Playbook]
    """By id: those that ship, then a workspace's own."""
    mistakes: dict[str, UsageError]
    """Why one of its own cannot be used, by the name of its file: file, line and field are named."""


def known(own: Path, language: str) -> Known:
    """All playbooks: those that ship, and those in the folder `own`, where there is one. One with a mistake keeps no
    other from being used.
    """
    found, mistakes = shipped(language), {}
    for path in sorted([*own.glob("*.yaml"), *own.glob("*.yml")]):
        if path.stem in found:
            told = f"{path}: there is a playbook called {path.stem} already"
            mistakes[path.stem] = UsageError(told, hint="give the file another name")
            continue
        try:
            found[path.stem] = read(path)
        except UsageError as error:
            mistakes[path.stem] = error
    return Known(found, mistakes)


def find(name: str, own: Path, language: str) -> Playbook:
    """The playbook called `name`, with or without its slash. Raises UsageError with the list when there is none,
    with its mistake for one that cannot be used.
    """
    playbooks, mistakes = known(own, language)
    wanted = name.strip().removeprefix("/")
    if wanted in mistakes and wanted not in playbooks:
        raise mistakes[wanted]
    if wanted not in playbooks:
        listed = ", ".join(playbooks)
        raise UsageError(
            f"there is no playbook {one_line(wanted, 60)!r}; there are {listed}", hint="debateroom playbooks"
        )
    return playbooks[wanted]


def read(path: Path) -> Playbook:
    """The playbook in a YAML file. Raises UsageError that names file, line and field."""
    top = parse_fields(_written(path), path)
    given = top.mapping(
        ("name", "description", "rule", "field", "steps"), required=("name", "description", "rule", "steps")
    )
    if not _ID.fullmatch(path.stem) or len(path.stem) > 40:
        top.fail("the file's name is the playbook's: letters a to z, digits and dashes, at most 40")
    field, kind = _field(given.get("field"))
    return Playbook(
        id=path.stem,
        name=_line(given["name"]),
        description=_line(given["description"]),
        rule=_line(given["rule"]),
        steps=_steps(given["steps"]),
        field=field,
        kind=kind,
        source=str(path.resolve()),
    )


def _written(path: Path) -> str:
    """The text of a small regular file. Raises UsageError for anything else, which is not opened."""
    try:
        told = path.stat()
        if not stat.S_ISREG(told.st_mode):
            raise UsageError(f"{path}: this is no regular file")
        if told.st_size > _LARGEST:
            raise UsageError(f"{path}: this is over {_LARGEST:,} bytes, and a playbook is not")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {reason}") from error


def _steps(field: Field) -> tuple[Step, ...]:
    items = field.items()
    if len(items) != STEPS:
        field.fail(f"a playbook has {STEPS} steps; here are {len(items)}")
    made = []
    for item in items:
        given = item.mapping(("do", "proof"), required=("do", "proof"))
        made.append(Step(_line(given["do"]), _line(given["proof"])))
    return tuple(made)


def _field(field: Field | None) -> tuple[str, str]:
    """What may be typed, and of which kind it is."""
    if field is None:
        return "", "text"
    if not isinstance(field.value, dict):
        return _line(field), "text"
    given = field.mapping(("about", "kind"), required=("about",))
    kind = given["kind"].text() if "kind" in given else "text"
    if kind not in _KINDS:
        given["kind"].fail(f"this is one of {', '.join(_KINDS)}")
    return _line(given["about"]), kind


def _line(field: Field) -> str:
    text = field.text()
    if not text.isprintable():
        field.fail("this is to be one line without control characters")
    if len(text) > _LONGEST:
        field.fail(f"this is over {_LONGEST} characters")
    return text


def check_goal(playbook: Playbook, goal: str | None) -> str:
    """What was typed into the playbook's field, without blanks around it; empty when nothing was.

    Raises UsageError for more than one line, and for an address that is no https one where one is wanted.
    """
    text = (goal or "").strip()
    if not text:
        return ""
    if not playbook.field:
        raise UsageError(f"/{playbook.id} takes no goal", hint="leave --goal out")
    if not text.isprintable():
        raise UsageError("the goal is to be one line, without line breaks and control characters")
    if len(text) > LONGEST_GOAL:
        raise UsageError(f"the goal is over {LONGEST_GOAL:,} characters")
    if playbook.kind == "url":
        _check_address(text)
    return text


def _check_address(text: str) -> None:
    from debateroom.reading.evidence import check_evidence

    if not text.lower().startswith("https://"):
        raise UsageError(f"the goal is to be a page's address that begins with https://: {one_line(text, 80)}")
    check_evidence(text)
