"""Tools that look things up in a project folder: what is there, what a file says, where a text stands. None writes.

What they give is numbered as it is cited: `path:line`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from debateroom import clock
from debateroom.agents.run import Run
from debateroom.agents.tools import MOST_TEXT, Outcome
from debateroom.agents.wording import say
from debateroom.files import whole_characters
from debateroom.messages import ToolSpec
from debateroom.models.quote import without_keys
from debateroom.project.folder import Found, Project, Refused
from debateroom.terminal import one_line

TIMEOUT = 20.0
"""Seconds that one look may take."""
MOST_LISTED = 300
"""Files and folders that one call lists."""
MOST_LINES = 400
"""Lines of a file that one call gives."""
MOST_HITS = 80
"""Places of a text that one call names."""
LONGEST_LINE = 1_000
"""Characters of a line that are given."""
_AROUND = 240
"""Characters of a line in which a text stands that are shown."""
_END = 0.5
"""Seconds before its time is over in which a search comes to its end."""

Look = Callable[[Project, Mapping[str, Any], Run], str]
"""What a look gives, as text. Raises Refused."""


@dataclass(slots=True)
class Lookup:
    """One such tool."""

    spec: ToolSpec
    project: Project
    look: Look
    timeout: float = TIMEOUT
    aliases: Mapping[str, str] = field(default_factory=dict)

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """What it found, without any key that is in use; or why the path is not opened."""
        try:
            return Outcome(whole_characters(without_keys(self.look(self.project, arguments, run))))
        except Refused as refused:
            path = one_line(str(arguments.get("path") or arguments.get("folder") or "."))
            return Outcome(whole_characters(say(run.language, f"path_{refused.why}", path=path)), ok=False)


def lookups(project: Project, language: str) -> dict[str, Lookup]:
    """`list_files`, `read_file` and `search_text` over `project`, by name, described in `language`."""
    path = {"path": _text("param_path", language)}
    lines = {"from_line": _number("param_from_line", language), "lines": _number("param_lines", language)}
    where = {"folder": _text("param_folder", language), "pattern": _text("param_pattern", language)}
    tools = (
        _lookup("list_files", where, (), project, list_files, language),
        _lookup("read_file", path | lines, ("path",), project, read_file, language),
        _lookup(
            "search_text", {"text": _text("param_text", language)} | where, ("text",), project, search_text, language
        ),
    )
    return {tool.spec.name: tool for tool in tools}


def _lookup(
    name: str, properties: dict[str, Any], required: tuple[str, ...], project: Project, look: Look, language: str
) -> Lookup:
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return Lookup(ToolSpec(name, say(language, f"tool_{name}"), schema), project, look)


def _text(key: str, language: str) -> dict[str, Any]:
    return {"type": "string", "description": say(language, key)}


def _number(key: str, language: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": 1, "description": say(language, key, most=MOST_LINES)}


def list_files(project: Project, arguments: Mapping[str, Any], run: Run) -> str:
    """A line for each file with its bytes, and for each folder with a slash; the nearest first."""
    found = project.below(arguments.get("folder") or ".", arguments.get("pattern") or "")
    lines: list[str] = []
    for one in _in_time(found, run):
        if len(lines) == MOST_LISTED:
            lines.append(say(run.language, "listed_more", most=MOST_LISTED))
            break
        lines.append(f"{one_line(one.path, LONGEST_LINE)}/" if one.folder else _file(one, run.language))
    return "\n".join(lines) or say(run.language, "listed_none")


def _file(one: Found, language: str) -> str:
    return say(language, "listed_file", path=one_line(one.path, LONGEST_LINE), size=one.size)


def read_file(project: Project, arguments: Mapping[str, Any], run: Run) -> str:
    """The lines of a file that were asked for, as many as a result holds, each behind its number."""
    text = project.read(arguments["path"])
    first = arguments.get("from_line", 1)
    last = min(len(text.lines), first + min(arguments.get("lines", MOST_LINES), MOST_LINES) - 1)
    shown, size = [], 0
    for number in range(first, last + 1):
        line = f"{number}: {_cut(text.lines[number - 1])}"
        size += len(line) + 1
        if size > MOST_TEXT - 1_000:
            break
        shown.append(line)
    path = one_line(text.path, LONGEST_LINE)
    if not shown:
        return say(run.language, "read_nothing", path=path, count=len(text.lines))
    figures = {"first": first, "last": first + len(shown) - 1, "count": len(text.lines)}
    return "\n".join([say(run.language, "read_lines", path=path, **figures), *shown])


def search_text(project: Project, arguments: Mapping[str, Any], run: Run) -> str:
    """A line for each line in which the text stands, as `path:line: …`; capitals do not count."""
    wanted = str(arguments["text"]).casefold()
    hits: list[str] = []
    if wanted.strip():
        files = project.below(arguments.get("folder") or ".", arguments.get("pattern") or "")
        for hit in _hits(project, files, wanted, run):
            if len(hits) == MOST_HITS:
                hits.append(say(run.language, "searched_more", most=MOST_HITS))
                break
            hits.append(hit)
    return "\n".join(hits) or say(run.language, "searched_none")


def _hits(project: Project, files: Iterator[Found], wanted: str, run: Run) -> Iterator[str]:
    for one in _in_time((each for each in files if not each.folder), run):
        try:
            text = project.read(one.path)
        except Refused:
            continue
        for number, line in enumerate(text.lines, 1):
            at = line.casefold().find(wanted)
            if at >= 0:
                start = max(0, at - _AROUND // 2)
                yield f"{one_line(one.path, LONGEST_LINE)}:{number}: {line[start : start + _AROUND].strip()}"


def _in_time(found: Iterator[Found], run: Run) -> Iterator[Found]:
    """What is found until the time is nearly over; what comes later is left out, and that is better than nothing."""
    until = clock.monotonic() + min(TIMEOUT, run.left()) - _END
    for one in found:
        yield one
        if clock.monotonic() > until:
            return


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
