"""Seats that look things up: which tools they have, how far one reply may go with them, and the reply itself.

Only tools that read are ours to give: `read` is the project folder, `fetch` the web. A file of the user's own may add
tools of its own; what those do is its author's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debateroom.agents import fetching
from debateroom.agents import run as runs
from debateroom.agents.conversation import Equipped, Taped
from debateroom.agents.lookups import lookups
from debateroom.agents.loop import Listens, converse
from debateroom.agents.run import Limits
from debateroom.agents.tools import Tool
from debateroom.errors import UsageError, Wording
from debateroom.language import worded
from debateroom.messages import Answer, Model, OnText, Request, Seat
from debateroom.models import catalog
from debateroom.models.assistants import assistants
from debateroom.models.registry import Models
from debateroom.project.folder import Project

if TYPE_CHECKING:
    from debateroom.agents.fields import Field

STEPS, CALLS, CHARACTERS = 4, 12, 40_000
"""How far one reply goes unless a file says otherwise; see `Looking`."""
_MOST = {"steps": 50, "calls": 200, "characters": 1_000_000}
_OFF = "none"
_KINDS = ("read", "fetch")


@dataclass(frozen=True, slots=True)
class Looking:
    """What the seats of a debate may look things up with."""

    kinds: tuple[str, ...]
    """Of `read` and `fetch`."""
    folder: str
    """Absolute path of the project's folder."""
    file: str = ""
    """Absolute path of the file with tools of the user's own; empty without any."""
    refuse: tuple[str, ...] = ()
    """Patterns, as in `.gitignore`, of what is not opened either."""
    steps: int = STEPS
    """Times that one reply may ask for tools; several asked for at once are one time."""
    calls: int = CALLS
    """Tool calls for one reply."""
    characters: int = CHARACTERS
    """Characters of all results for one reply."""
    ports: tuple[int, ...] = ()
    """Ports of web addresses that may be asked beside 443."""

    def room(self, window: int) -> int:
        """Characters of results that one reply by a model with this `window` has: an eighth of it at most."""
        return min(self.characters, window * 3 // 8)

    def reserve(self, window: int) -> int:
        """Tokens that results take at most, about."""
        return self.room(window) // 2


def chosen(text: str | None, models: Models, *, ports: tuple[int, ...] = ()) -> Looking | None:
    """What `--tools` means: kinds of tools one after the other, or a YAML file; None for no tools.

    `ports` may be asked beside 443; `models` keeps the servers that a file names. Raises UsageError for a kind that
    does not exist, for what is wrong in the file, with its line, and for a folder that is nobody's project.
    """
    wanted = (text or _OFF).strip()
    if wanted == _OFF:
        return None
    if wanted.lower().endswith((".yaml", ".yml")):
        return _of_file(Path(wanted), models, ports)
    kinds = _kinds([part.strip() for part in wanted.split(",") if part.strip()])
    here = _project(Path.cwd()) if "read" in kinds else Path.cwd()
    return Looking(kinds, str(here), ports=ports)


def hold(looking: Looking | None, seats: Sequence[Seat]) -> None:
    """Raises UsageError for a seat whose model cannot be given these tools."""
    for seat in seats if looking else ():
        named = catalog.resolve(seat.model)
        if named.provider == "command" and (
            not is_assistant(seat.model) or (looking and (looking.file or looking.refuse or "fetch" in looking.kinds))
        ):
            key = "tools_of_assistant" if is_assistant(seat.model) else "tools_of_program"
            raise worded(UsageError, Wording(key, {"model": seat.model}), hint=Wording("tools_of_program_hint"))


def is_assistant(model: str) -> bool:
    """Whether `model` is an assistant's program, which looks at the project with tools of its own."""
    named = catalog.resolve(model)
    return named.provider == "command" and catalog.program(named.model) in assistants()


def _kinds(given: Sequence[str]) -> tuple[str, ...]:
    known = ", ".join(_KINDS)
    for kind in given:
        if kind not in _KINDS:
            raise worded(UsageError, Wording("tools_unknown", {"kind": kind, "known": known}))
    if not given:
        raise worded(UsageError, Wording("tools_unknown", {"kind": "", "known": known}))
    return tuple(dict.fromkeys(given))


def _project(folder: Path) -> Path:
    """The folder, when it can be a project."""
    if folder.resolve() in (Path(folder.anchor).resolve(), Path.home().resolve()):
        raise worded(UsageError, Wording("tools_no_project", {"folder": folder}), hint=Wording("tools_project_hint"))
    return folder


def _of_file(path: Path, models: Models, ports: tuple[int, ...]) -> Looking:
    from debateroom.agents.fields import read_fields

    given = read_fields(path).mapping(("tools", "folder", "refuse", "limits"), required=("tools",))
    entries = given["tools"].items()
    kinds = [entry.value for entry in entries if _is_kind(entry)]
    if not entries:
        given["tools"].fail("there is no tool in here")
    folder = path.parent / given["folder"].text() if "folder" in given else Path.cwd()
    if not folder.is_dir():
        given["folder"].fail(f"there is no folder {folder}")
    looking = Looking(
        kinds=_kinds(kinds) if kinds else (),
        folder=str(_project(folder.resolve())),
        file=str(path.resolve()) if len(entries) > len(kinds) else "",
        refuse=tuple(item.text() for item in given["refuse"].items()) if "refuse" in given else (),
        ports=ports,
        **_limits(given.get("limits")),
    )
    _tools(looking, _project_of(looking), models, "en")  # what is wrong with them is said now
    return looking


def _is_kind(field: Field) -> bool:
    return isinstance(field.value, str) and field.value in _KINDS


def _limits(field: Field | None) -> dict[str, Any]:
    return {
        name: int(each.number(1, _MOST[name]))
        for name, each in (field.mapping(tuple(_MOST)).items() if field else ())
    }


def _project_of(looking: Looking) -> Project:
    return Project(Path(looking.folder), refuse=looking.refuse)


def _tools(looking: Looking, project: Project, models: Models, language: str) -> dict[str, Tool]:
    """Our tools and those that the file describes, by name."""
    from debateroom.agents.fields import read_fields
    from debateroom.agents.toolbox import read_tools

    tools: dict[str, Tool] = dict(lookups(project, language) if "read" in looking.kinds else {})
    if "fetch" in looking.kinds:
        tools[fetching.NAME] = fetching.fetch_tool(language, ports=looking.ports)
    entries = read_fields(Path(looking.file)).mapping()["tools"].items() if looking.file else []
    for field in entries:
        if not _is_kind(field):
            tools |= {tool.spec.name: tool for tool in read_tools(field, models, language, known=tools)}
    return tools


class Desk:
    """What the seats of one run have at hand. The tools are shared: they keep nothing from one call to the next."""

    def __init__(self, looking: Looking, models: Models, *, language: str, fence: str, seconds: float) -> None:
        """`seconds` is the time of a round. Raises UsageError when the project or the file is not there any more."""
        if not Path(looking.folder).is_dir():
            raise worded(UsageError, Wording("tools_folder_gone", {"folder": looking.folder}))
        self.project = _project_of(looking)
        self._looking = looking
        self._language = language
        self._fence = fence
        self._seconds = seconds
        self._tools = _tools(looking, self.project, models, language)

    def kit(self, seat: Seat, model: Model, tape: Sequence[Taped] = ()) -> Kit | None:
        """What `seat` answers with; None for one whose program looks things up by itself.

        `tape` are the steps of this reply that were made before the run broke off.
        """
        if is_assistant(seat.model):
            return None
        limits = Limits(
            steps=self._looking.steps,
            calls=self._looking.calls,
            seconds=self._seconds,
            characters=self._looking.room(model.window),
            one_limit=True,
        )
        equipped = Equipped(seat.name, model, tools=self._tools, language=self._language)
        again = tape if len(tape) <= limits.steps + 1 else ()  # it went to its end, and that was no answer
        return Kit(equipped, limits, self._fence, tuple(again))


@dataclass(frozen=True, slots=True)
class Kit:
    """How one seat makes one reply."""

    equipped: Equipped
    limits: Limits
    fence: str
    tape: tuple[Taped, ...] = ()

    def answer(
        self,
        asked: Request,
        *,
        on_text: OnText,
        on_step: Callable[[Answer], None],
        on_tool: Callable[[Mapping[str, Any]], None],
    ) -> Answer:
        """The seat's last word on `asked`, after its look-ups. Raises CallFailed and NoModel of its model.

        `on_step` gets each answer that asks for tools, `on_tool` what a tool is asked and what it gave, as
        `agent.OnEvent` says. What was paid for the answers on the way is told with them and not said again.
        """
        run = runs.start(
            self.limits,
            until=asked.until,
            session=asked.cache_key,
            language=self.equipped.language,
            turn=asked.purpose.round if asked.purpose else 1,
            fence=self.fence,
        )
        talk = converse(self.equipped, asked, run, on_tool, listens=Listens(on_text, on_step), tape=self.tape)
        if talk.answer is None:
            raise ValueError("a conversation has at least one answer")
        return talk.answer
