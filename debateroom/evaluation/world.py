"""The world that an agent acts in: reset before a trial, looked at before and after, and played through by itself.

A world is a class or a function of the user's, named `python:module:World`, that makes one world a trial. A whole
example, with 30 tasks for it, is `ShopWorld` in `tests/agents/shop.py`:

    class ShopWorld:
        def __init__(self, session: str = "") -> None: …      # the session of the agent's tools, when it asks for it
        def reset(self, initial: Any, seed: int) -> None: …   # the orders of a task in place of the shop's own
        def tools(self) -> Mapping[str, Callable[..., Any]]: …
        def state(self) -> Any: …                             # {"orders": {"W1001": {"status": "processing", …}}}
"""

from __future__ import annotations

import copy
import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import orjson

from debateroom import files
from debateroom.agents.functions import as_text
from debateroom.agents.references import NoSuchCallable, find_callable
from debateroom.errors import UsageError
from debateroom.evaluation.task import ReferenceCall
from debateroom.evaluation.trial import Call
from debateroom.matching.values import as_json, same

PATIENCE = 60.0
"""Seconds that a world may take for one thing."""
T = TypeVar("T")


@runtime_checkable
class World(Protocol):
    """A database with rules, for one trial at a time."""

    def reset(self, initial: Any, seed: int) -> None:
        """Puts the world to its beginning: `initial` of the task, or its own where that is None.

        Whatever it draws at random it draws from `seed`: the same seed gives the same world.
        """
        ...

    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """What can be done in it, by the names that agents call. A tool refuses by an exception, changing nothing."""
        ...

    def state(self) -> Any:
        """All that is to be compared, as JSON: what an agent may word freely is left out or counted."""
        ...


MakeWorld = Callable[[str], World]
"""Makes the world of one trial, given its session."""


def find_world(reference: str, folder: Path) -> MakeWorld:
    """What makes the worlds that `reference` names, `python:module:World`; the module may lie in `folder`.

    A maker with a parameter `session` gets the trial's, which the agent's tools get as well. Raises UsageError.
    """
    try:
        maker = find_callable(reference.removeprefix("python:"), folder)
    except NoSuchCallable as error:
        raise UsageError(f"--world {reference}: {error}", hint="write it as python:module:World") from error
    takes = _takes_session(maker)

    def make(session: str) -> World:
        try:
            world = maker(session=session) if takes else maker()
        except Exception as error:  # whatever a class of the user's does
            raise UsageError(f"--world {reference} cannot be made: {type(error).__name__}: {error}") from error
        if not isinstance(world, World):
            raise UsageError(f"--world {reference} is no world: it needs reset, tools and state")
        return world

    return make


def _takes_session(maker: Callable[..., Any]) -> bool:
    try:
        return "session" in inspect.signature(maker).parameters
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class Played:
    """Calls that were played through a world."""

    initial: Any
    final: Any
    calls: tuple[Call, ...]
    """Each with its result; one that the world refused is not `ok`."""
    writes: tuple[int, ...]
    """Indices of the calls that changed the state."""


def bounded(act: Callable[..., T], *given: Any) -> T:
    """What a piece of a world's code gives back. What it prints goes to standard error.

    Raises what it raises, RuntimeError for an attempt to end the process, TimeoutError when it takes too long: it is
    left behind then, for a thread cannot be stopped.
    """
    done: list[tuple[T | None, BaseException | None]] = []

    def work() -> None:
        try:
            done.append((act(*given), None))
        except BaseException as error:
            done.append((None, error))

    thread = threading.Thread(target=work, name="world", daemon=True)
    thread.start()
    thread.join(PATIENCE)
    if not done:
        raise TimeoutError(f"it takes longer than {PATIENCE:g} s")
    result, error = done[0]
    if isinstance(error, Exception):
        raise error
    if error is not None:
        raise RuntimeError(f"{type(error).__name__}: {error}")
    return cast(T, result)


def play(world: World, initial: Any, calls: Sequence[ReferenceCall], *, seed: int = 0) -> Played:
    """Resets `world` and makes `calls` one after the other. Raises UsageError when the world itself breaks."""
    try:
        return bounded(_played, world, initial, calls, seed)
    except Exception as error:  # whatever a world of the user's does
        raise UsageError(f"the world breaks: {type(error).__name__}: {error}") from error


def _played(world: World, initial: Any, calls: Sequence[ReferenceCall], seed: int) -> Played:
    world.reset(copy.deepcopy(initial), seed)
    begin = before = snapshot(world)
    tools = world.tools()
    made: list[Call] = []
    writes: list[int] = []
    for call in calls:
        made.append(_called(tools, call))
        after = snapshot(world)
        if not same(before, after):
            writes.append(len(made) - 1)
        before = after
    return Played(begin, before, tuple(made), tuple(writes))


def snapshot(world: World) -> Any:
    """The world's state as JSON, a copy that later calls leave alone. Raises what the world raises, ValueError for a
    state that is no JSON."""
    state = as_json(world.state())
    try:
        return orjson.loads(files.dumps(state))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"its state is no JSON: {error}") from error


def _called(tools: Mapping[str, Callable[..., Any]], call: ReferenceCall) -> Call:
    tool = tools.get(call.tool)
    if tool is None:
        return Call(tool=call.tool, args=call.args, result="there is no such tool", ok=False)
    try:
        result = as_text(tool(**copy.deepcopy(call.args)))
    except Exception as error:  # the world refuses, or its arguments are wrong: that is its answer
        return Call(tool=call.tool, args=call.args, result=str(error) or type(error).__name__, ok=False)
    return Call(tool=call.tool, args=call.args, result=result)
