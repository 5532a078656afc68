"""What the 30 tasks of the shop are worth: their reference solutions, doing nothing, and solutions with a mistake.

`python tests/datasets/solve.py` prints a line a task and the figures, and ends with 1 when a task is worth nothing:
its reference solution fails, doing nothing passes, or a mistake leaves the state that was expected.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))  # a checkout without an installation

from debateroom.evaluation.checks import Status, asked_of, grade, verdict  # noqa: E402 — after the path
from debateroom.evaluation.dataset import read_dataset  # noqa: E402
from debateroom.evaluation.figures import Graded, Planned, figures, first_lines  # noqa: E402
from debateroom.evaluation.reference import do_nothing, mutations, reference_trial  # noqa: E402
from debateroom.evaluation.task import ReferenceCall, Task  # noqa: E402
from debateroom.evaluation.world import World, find_world, play  # noqa: E402
from debateroom.matching.state import Strength, compare_state  # noqa: E402

DATASET = HERE / "shop-30.jsonl"


class Worth(NamedTuple):
    """What one task is worth."""

    task: str
    reference: Status
    nothing: Status
    mistakes: tuple[str, ...]
    missed: tuple[str, ...]
    """Mistakes that one of the strengths `paths_only` and `hash` does not see."""

    @property
    def ok(self) -> bool:
        return self.reference == "pass" and self.nothing != "pass" and not self.missed


def world() -> World:
    """The shop, as `--world python:shop:ShopWorld` makes it."""
    return find_world("python:shop:ShopWorld", HERE.parent / "agents")("solve")


def worth(task: Task, shop: World) -> Worth:
    """Plays everything that can be played without a model."""
    made = mutations(task, shop)
    reference = verdict(grade(task, reference_trial(task, shop)))
    missed = tuple(
        f"{name} by {by}" for name, calls in made for by in ("paths_only", "hash") if _holds(task, shop, calls, by)
    )
    return Worth(task.id, reference, do_nothing(task, shop), tuple(name for name, _ in made), missed)


def _holds(task: Task, shop: World, calls: Sequence[ReferenceCall], strength: Strength) -> bool:
    """Whether the state after `calls` is the expected one."""
    played = play(shop, task.initial, calls)
    return compare_state(played.initial, played.final, task.checks.db_state.expected, strength=strength).ok


def main() -> int:
    shop, tasks = world(), read_dataset(str(DATASET)).tasks
    found = [worth(task, shop) for task in tasks]
    for each in found:
        print(
            f"{each.task}  reference: {each.reference}  nothing: {each.nothing}  mistakes tried: {len(each.mistakes)}"
            + "".join(f"  NOT SEEN: {name}" for name in each.missed)
        )
    trials = [Graded(trial, grade(task, trial)) for task in tasks for trial in [reference_trial(task, shop)]]
    planned = Planned({task.id: asked_of(task) for task in tasks}, 1)
    print(*first_lines(figures(trials, planned, do_nothing={each.task: each.nothing for each in found})), sep="\n")
    return 0 if all(each.ok for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
