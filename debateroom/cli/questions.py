"""What is asked: the words on the command line or standard input, and the context that goes with them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from debateroom.cli import output
from debateroom.errors import UsageError
from debateroom.terminal import quoted

if TYPE_CHECKING:
    from debateroom.context import Context
    from debateroom.settings import Settings

LONGEST_QUESTION = 1_000_000
"""Bytes a question on standard input may have."""


class Asked(NamedTuple):
    """A question or a task, and what everybody reads with it."""

    text: str
    context: Context


def read(command: str, words: tuple[str, ...], chosen: Settings) -> Asked:
    """What `command` is asked. Raises UsageError when there is no question, or the context cannot be read."""
    from debateroom import context

    if "-" in chosen.context and sys.stdin is None:
        raise UsageError("--context - reads standard input, which is closed", hint="name a file instead")
    text = _question(command, words, chosen)
    stdin_is_free = words not in {(), ("-",)}
    return Asked(text, context.collect(chosen.context, chosen.note, stdin=sys.stdin if stdin_is_free else None))


def say_context(gathered: Context, verbose: int, language: str) -> None:
    """Says on stderr what everybody reads, and what was left out of it."""
    from debateroom.language import say

    if gathered.sources:
        output.note(say(language, "context_line", sources=gathered.sizes(language)))
    if gathered.skipped:
        shown = gathered.skipped if verbose else gathered.skipped[:5]
        names, more = say(language, "listed").join(shown), len(gathered.skipped) - len(shown)
        names = say(language, "left_out_more", names=names, more=more) if more else names
        output.note(say(language, "left_out", names=names))


def _quoted(command: str, words: Sequence[str], arguments: Sequence[str]) -> str:
    """The command that was meant: the words as one question, then the options as they were given."""
    front = "debateroom" if command == "debate" else f"debateroom {command}"
    meant = f"{front} {quoted(' '.join(words))}"
    if any(arguments.count(word) != 1 for word in words):  # which of them is an option's value cannot be told
        return meant
    options = [given for given in arguments if given not in (*words, command, "--")]
    return " ".join([meant, *map(quoted, options)])


def _question(command: str, words: tuple[str, ...], chosen: Settings) -> str:
    """The question from the command line or from standard input."""
    if len(words) > 1:
        raise UsageError("the question is more than one word: quote it", hint=_quoted(command, words, sys.argv[1:]))
    if words and words != ("-",):
        return words[0]
    if "-" in chosen.context:
        raise UsageError("standard input cannot be both the question and the context", hint="give one as a file")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("there is no question", hint='debateroom "queue vs loop?"')
    data = sys.stdin.buffer.read(LONGEST_QUESTION + 1)
    if len(data) > LONGEST_QUESTION:
        raise UsageError(f"the question is over {LONGEST_QUESTION:,} bytes", hint="give long text with --context")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the question on standard input is not UTF-8 text (byte {error.start})") from error
    if not text.strip():
        raise UsageError("there is no question: standard input is empty", hint='debateroom "queue vs loop?"')
    return text
