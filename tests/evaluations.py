"""What tests of evaluations share: a stand-in server that plays each customer and the shop's agent by the dataset."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vendor import Call, Reply

from debateroom.evaluation.dataset import read_dataset
from debateroom.evaluation.task import ReferenceCall, Task

HERE = Path(__file__).parent
DATASET = str(HERE / "datasets" / "shop-30.jsonl")
AGENT = str(HERE / "agents" / "shop.yaml")
WORLD = "python:shop:ShopWorld"
TASKS = read_dataset(DATASET).tasks
DONE = "It is done."

Solve = Callable[[Task, int], Sequence[ReferenceCall]]
"""The calls that the agent makes in one trial, given the task and how often that task was solved before."""


def solution(task: Task, before: int) -> Sequence[ReferenceCall]:
    """The reference, each time."""
    return task.reference.calls if task.reference else ()


def few(tasks: Sequence[Task]) -> list[str]:
    """The command that evaluates these of the shop's tasks; their file is written into the current folder."""
    lines = [json.dumps(task.model_dump(mode="json", exclude={"line", "unscored"})) for task in tasks]
    Path("few.jsonl").write_text("\n".join(lines), encoding="utf-8")
    given = ["eval", "few.jsonl", "--agent", AGENT, "--world", WORLD, "--customer", "haiku", "--agent-model", "haiku"]
    return [*given, "--seed", "7"]


class Shop:
    """Answers for a customer, who says what it wants and then stops, and for the agent, who solves that task."""

    def __init__(self, solve: Solve = solution, tasks: Sequence[Task] = TASKS) -> None:
        self._tasks = {task.id: task for task in tasks}
        self._solve = solve
        self._begun: Counter[str] = Counter()
        self._lock = threading.Lock()  # protects the counts: trials come side by side
        self.asked: list[tuple[str, str]] = []
        """Who was asked in each call, and for which task."""

    def __call__(self, call: Call) -> Reply:
        turns = call.body["messages"]
        texts = "\n".join(call.prompt)
        if "###STOP###" in call.prompt[0]:
            return self._customer(texts, sum(turn["role"] == "assistant" for turn in turns))
        return self._agent(texts, turns)

    def _customer(self, prompt: str, said: int) -> Reply:
        task = next(task for task in self._tasks.values() if task.instruction in prompt)
        self.asked.append(("customer", task.id))
        if said == 0:
            with self._lock:
                self._begun[task.id] += 1
                return Reply(f"{'Please, ' * self._begun[task.id]}help me. {task.instruction}")
        satisfied = task.checks.user_satisfied is not False
        return Reply("Thank you. ###STOP###" if satisfied else "Well. ###OUT-OF-SCOPE###")

    def _agent(self, prompt: str, turns: Sequence[Any]) -> Reply:
        task = next(task for task in self._tasks.values() if task.instruction in prompt)
        self.asked.append(("agent", task.id))
        done = sum(turn["role"] == "assistant" for turn in turns)
        calls = self._solve(task, prompt.count("Please, ") - 1)  # how often the task was begun before this trial
        if done < len(calls):
            return Reply("", calls=((calls[done].tool, json.dumps(calls[done].args)),))
        return Reply(" ".join((DONE, *(task.reference.say if task.reference else ()))))
