"""The results as JUnit XML, a test case for each trial: what continuous integration shows."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from debateroom.errors import UsageError
from debateroom.evaluation import journal
from debateroom.evaluation.checks import Check, grade, verdict
from debateroom.evaluation.task import Task
from debateroom.evaluation.trial import Trial
from debateroom.terminal import quoted

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold."""


def check_place(path: str) -> None:
    """Raises UsageError when the results could not be written to `path`: better before the first call than after."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise UsageError(f"--junit {path}: there is no folder {folder}", hint=f"mkdir -p {quoted(str(folder))}")
    if Path(path).is_dir() or not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise UsageError(f"--junit {path}: that file cannot be written", hint="name another file with --junit")


def to_junit(folder: Path, tasks: Sequence[Task], *, name: str, missing: Sequence[tuple[str, int]] = ()) -> str:
    """The trials in a room's journal as one test suite.

    A failed trial is a failure, a broken one an error; one without a verdict, of an invalid customer, or among those
    that are `missing` because they were not played, is skipped.
    """
    known = {task.id: task for task in tasks}
    suite = ElementTree.Element("testsuite", name=_plain(name))
    counts: Counter[str] = Counter()
    for trial, _ in journal.finished(folder):
        if trial.task not in known:
            continue
        checks = grade(known[trial.task], trial)
        case = _case(suite, trial.task, trial.number)
        counts["tests"] += 1
        if told := _told(trial, checks):
            kind, text = told
            counts[kind] += 1
            ElementTree.SubElement(case, kind, message=_plain(text.splitlines()[0])).text = _plain(text)
    for task, number in missing:
        ElementTree.SubElement(_case(suite, task, number), "skipped", message="not played")
    counts.update(tests=len(missing), skipped=len(missing))
    for kind, attribute in (("tests", "tests"), ("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(attribute, str(counts[kind]))
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, task: str, number: int) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=_plain(task), name=f"{_plain(task)} #{number}")


def _told(trial: Trial, checks: Sequence[Check]) -> tuple[str, str] | None:
    """The element of a trial that did not pass, and its text."""
    status = verdict(checks)
    text = "\n".join(
        f"{check.name}: {'; '.join(map(str, check.evidence)) or check.status}"
        for check in checks
        if check.status != "pass"
    )
    if status == "error" or trial.stop.cause == "error":
        return "error", trial.stop.error or text
    if trial.simulator_invalid:
        return "skipped", "simulator_invalid: " + "; ".join(trial.simulator_invalid)
    if status == "pass":
        return None
    return ("failure", text) if status == "fail" else ("skipped", text or "no check")


def _plain(text: str) -> str:
    return _NOT_XML.sub("�", text)
