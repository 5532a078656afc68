"""`debateroom batch`: many questions, a debate each, in threads or on a cluster; the same command goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from debateroom.cli import batch_lines, options, output, stdout, waking
from debateroom.cli.debate import ENDS, SEATS
from debateroom.errors import DeadlinePassed, DebateroomError
from debateroom.terminal import quoted

if TYPE_CHECKING:
    from debateroom.batch.planning import Batch
    from debateroom.batch.running import Result
    from debateroom.models.courier import Courier

_SHOWN = (
    click.option("--room", metavar="NAME", help="Name of the batch.  [default: that of the file]"),
    click.option("--cluster", metavar="ADDRESS", help="Scheduler of a Dask cluster: tcp://HOST:8786."),
    options.PROVIDER_BATCH,
    options.POLL,
    click.option("--dry-run", is_flag=True, help="Print calls, tokens and price of all debates; ask nobody."),
    waking.option,
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text."),
    click.option("-q", "--quiet", is_flag=True, help="No progress on stderr."),
)


@click.command(
    "batch",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="--budget and --timeout are for the whole batch. --concurrency is how many calls are made at once with "
    "one provider, and how many debates go on at once at most. Exit codes: 0 done, 1 debates failed, 2 usage, "
    "4 no model, 6 batch busy, 8 a vague question, 124 time.",
)
@click.argument("file", metavar="QUESTIONS.jsonl")
@options.taking(*SEATS, *options.GIVEN, *ENDS, *options.JUDGED, *options.LIMITS, *_SHOWN)
def batch(file: str, *, cluster: str | None, provider_batch: bool, dry_run: bool, **given: Any) -> int:
    """Debate every question of a file, each in a room of its own: active/BATCH/ID/.

    Each line is a JSON string, the question, or an object: "question", perhaps "id", and settings of its debate by
    the names of the options ("agents", "rounds", "model", "role", "context", "note", ...). The same command again
    goes on: what is done is not asked again.
    """
    from debateroom.batch import questions
    from debateroom.batch.planning import Batch

    stdout.take()
    as_json, quiet = given.pop("as_json"), given.pop("quiet")
    wake, name = given.pop("wake_on_failure"), given.pop("room")
    given = {key: value for key, value in given.items() if value is not None and value != ()}
    options.hold_provider_batch(
        provider_batch, cluster, given, one_by_one=("call_timeout", "round_timeout", "concurrency")
    )
    made = Batch(questions.read(file), name or _named(file), given, provider_batch=provider_batch)
    if dry_run:
        from debateroom.cli import batch_dry_run

        return batch_dry_run.show(made, as_json=as_json)
    with waking.watching(wake, made.chosen) as watched:
        result = _on_cluster(made, cluster, quiet=quiet) if cluster else _in_threads(made, quiet=quiet)
        found = batch_lines.problem(result, made.language)
        if found:
            watched.failed = DebateroomError(f"{result.folder.name}: {found}")
            watched.failed.language = made.language
        return _finished(result, found, made.language, _again(file, name, cluster, provider_batch), as_json=as_json)


def _named(file: str) -> str:
    """The name of a batch that was given none."""
    return "batch" if file == "-" else Path(file).stem


def _in_threads(made: Batch, *, quiet: bool) -> Result:
    from debateroom.batch import task
    from debateroom.batch.lending import Lending
    from debateroom.batch.running import run

    at_once = made.at_once()
    lines = batch_lines.make(made.language, at_once, quiet=quiet)
    courier = _courier(made, lines) if made.provider_batch else None
    lending = Lending(made.chosen.concurrency, lines.on_wait, courier=courier)
    # no `with`: leaving it would wait for calls in flight, and an interrupted run may not
    pool = ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="debate")

    def send(executor: Executor, folder: Path, on_event: Callable[..., None]) -> Future[dict[str, Any]]:
        if courier is None:
            return executor.submit(task.play, folder, made.chosen, lending, on_event)
        courier.enter()
        future = executor.submit(task.play, folder, made.chosen, lending, on_event)
        future.add_done_callback(lambda _: courier.leave())
        return future

    gathering = courier.gathering if courier else contextlib.nullcontext
    try:
        result = run(made, pool, send, lines, at_once=at_once, gathering=gathering)
    finally:
        lines.close()
        pool.shutdown(wait=False, cancel_futures=True)
    if courier is not None:
        courier.close()
    if courier is not None or not result.late:  # else calls may be under way, and closing waits for them
        lending.close()
    return result


def _courier(made: Batch, lines: batch_lines.BatchLines) -> Courier:
    """Who takes the calls of all debates to their providers, round by round."""
    from debateroom.models.batch_log import BatchLog
    from debateroom.models.courier import Courier

    lines.in_batches(made.steps())
    return Courier(BatchLog(made.folder), poll=made.chosen.poll, in_step=True, tell=lines.on_batch)


def _on_cluster(made: Batch, address: str, *, quiet: bool) -> Result:
    from debateroom.batch import cluster, task
    from debateroom.batch.running import run
    from debateroom.language import say

    at_once = made.at_once()
    lines = batch_lines.make(made.language, at_once, quiet=quiet)
    with cluster.connected(address) as found:
        each = max(1, made.chosen.concurrency // found.workers)

        def send(executor: Executor, folder: Path, _: object) -> Future[dict[str, Any]]:
            return executor.submit(task.play_here, str(folder.resolve()), each)

        if not quiet:
            output.note(say(made.language, "batch_cluster", count=found.workers))
        try:
            return run(made, found.executor, send, lines, at_once=at_once)
        finally:
            lines.close()


def _again(file: str, name: str | None, cluster: str | None, provider_batch: bool) -> str:
    """The command to give again; its other options stand in no way."""
    more = [f"--room {quoted(name)}"] if name else []
    more += [f"--cluster {quoted(cluster)}"] if cluster else []
    more += ["--provider-batch"] if provider_batch else []
    return " ".join(["debateroom batch", quoted(file), *more])


def _finished(result: Result, found: str | None, language: str, again: str, *, as_json: bool) -> int:
    """Says what it came to; the exit code."""
    from debateroom import files
    from debateroom.language import say

    code = DeadlinePassed.exit_code if result.late else 1 if result.failed else 0
    if found:
        output.note(f"debateroom: {found}")
        output.note(say(language, "next_line", command=again))
    if as_json:
        output.line(files.dumps(batch_lines.as_object(result, found, code, again)).decode())
    else:
        batch_lines.tell(result, language)
    return code
