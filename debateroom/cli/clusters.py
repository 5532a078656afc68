"""`--cluster` for evaluations: who plays their trials, and what is said of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import output
from debateroom.language import say

if TYPE_CHECKING:
    from debateroom.evaluation.plan import Plan
    from debateroom.evaluation.remote import Task, Workers

option = click.option("--cluster", metavar="ADDRESS", help="Scheduler of a Dask cluster: tcp://HOST:8786.")


@contextlib.contextmanager
def workers(address: str | None, plan: Plan, *, quiet: bool) -> Iterator[Workers | None]:
    """The cluster's workers, each with its part of the calls at once; None without an address.

    Raises UsageError and RoomError as `cluster.connected` does.
    """
    if not address:
        yield None
        return
    from debateroom.batch import cluster, trial
    from debateroom.evaluation.remote import Workers

    with cluster.connected(address) as found:
        each = max(1, plan.concurrency // found.workers)

        def send(task: Task) -> Future[dict[str, Any]]:
            return found.executor.submit(trial.play_here, tuple(task), each)

        if not quiet:
            output.note(say(plan.language, "eval_cluster", count=found.workers))
        yield Workers(send, plan.concurrency)
