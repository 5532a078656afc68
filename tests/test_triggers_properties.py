"""What holds of `read_trigger` for any text at all."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading_cases import calls

from debateroom.reading.clean import visible
from debateroom.reading.endings import OWNERS, Kind, ProtocolName
from debateroom.reading.triggers import read_trigger

TOKENS = {
    "###STOP###": "stop", "###TRANSFER###": "transfer", "###OUT-OF-SCOPE###": "out_of_scope",
    '[DONE] {"success": true}': "done", '[DONE]\n```json\n{"success": false, "error": "x"}\n```': "done",
    '[WORKER_COMPLETE]\n{"deliverable": "x", "summary": "", "confidence": 1}': "worker_complete",
}  # fmt: skip
PIECES = st.sampled_from([
    *TOKENS, "[DONE]", "[WORKER_COMPLETE]", "###", "STOP", "[", "]", "{", "}", '{"success": ', "true", "True",
    "false",
    '"explain": ', '"a"', '"', "'", ",", ":", "“", "”", "「", "\n", "\n\n", " ", "```", "```json\n", "> ", "`", "**",
    "<think>", "</think>", "Thought: ", "User Response: ", "Agent: ", "I will say ", "type ", " when done", "not ",
    ".", "。", "?", "\\", "\ufffc", "0", "\ufffc0\ufffc", "\u200b", "\ud83d", "\x00", "\x1b[1m", "eval(", "没有",
    "输出", "__import__('os')", "Merci, ",
])  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=40).map("".join),
    st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=30).map("".join),
)
PROTOCOLS = st.sampled_from(get_args(ProtocolName))
many = settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])

_executed: list[str] | None = None


def _watch(event: str, _: Any) -> None:
    if _executed is not None and event in ("exec", "compile", "open", "import", "os.system", "subprocess.Popen"):
        _executed.append(event)


sys.addaudithook(_watch)


@contextmanager
def watched() -> Iterator[list[str]]:
    """Events of code that is run, files that are opened and programs that are started meanwhile."""
    global _executed
    _executed = events = []
    try:
        yield events
    finally:
        _executed = None


def test_the_watch_sees_eval() -> None:
    """Else the next test could not fail."""
    with watched() as events:
        eval("1")  # noqa: S307
    assert events == ["compile", "exec"]


@many
@given(text=TEXTS, protocol=PROTOCOLS)
def test_any_text_gives_a_trigger_and_runs_nothing(text: str, protocol: ProtocolName) -> None:
    """No text raises; a verdict has its types, what is malformed says why, and what is visible stood in the text."""
    read_trigger("", protocol=protocol)  # whatever is loaded late is loaded now
    with watched() as events:
        trigger = read_trigger(text, protocol=protocol, speaker="simulator")
    assert events == []
    assert trigger.kind in get_args(Kind)
    assert (trigger.value is not None) == (trigger.kind in ("done", "worker_complete"))
    assert trigger.problem or trigger.kind != "malformed"
    if trigger.kind == "done":
        assert trigger.value is not None
        assert isinstance(trigger.value["success"], bool)
        assert str(trigger.value["success"]).lower() in text.lower()
    if trigger.kind == "worker_complete":
        assert trigger.value is not None
        assert trigger.value["deliverable"].strip()
        assert 0 <= trigger.value["confidence"] <= 1
    letters = iter(visible(text).text.replace("\ufffc", "\ufffd"))
    shown = trigger.visible_text.replace("\ufffc", "\ufffd")
    assert all(letter in letters for letter in shown if not letter.isspace())


@many
@given(
    text=TEXTS, protocol=PROTOCOLS, speaker=st.text(max_size=12).filter(lambda name: name.casefold() not in OWNERS)
)
def test_nobody_but_the_driving_party_ends_a_talk(text: str, protocol: ProtocolName, speaker: str) -> None:
    """An agent under test may write what it likes."""
    trigger = read_trigger(text, protocol=protocol, speaker=speaker)
    assert (trigger.kind, trigger.value, trigger.problem) == ("none", None, None)
    assert trigger.visible_text == visible(text).text


WORDS = st.lists(st.text(alphabet="abcdefghijklmnopqrstuvwxyzéç没有了", min_size=1, max_size=6), max_size=8)


@many
@given(before=WORDS, after=WORDS, token=st.sampled_from(sorted(TOKENS)))
def test_a_token_on_its_own_line_ends_and_all_words_stay(before: list[str], after: list[str], token: str) -> None:
    """Whatever words stand above and below it."""
    text = f"{' '.join(before)}\n{token}\n{' '.join(after)}"
    trigger = read_trigger(text, protocol=protocol_of(token))
    assert (trigger.kind, trigger.visible_text.split()) == (
        TOKENS[token],
        visible(" ".join(before + after)).text.split(),
    )


@many
@given(before=WORDS, after=WORDS, token=st.sampled_from(sorted(TOKENS)))
def test_all_words_beside_a_token_stay(before: list[str], after: list[str], token: str) -> None:
    """On one line too, whether the token is used or only mentioned."""
    text = " ".join((*before, token, *after))
    trigger = read_trigger(text, protocol=protocol_of(token))
    left = text if trigger.kind == "none" else " ".join(before + after)
    assert trigger.visible_text.split() == visible(left).text.split()


def protocol_of(token: str) -> ProtocolName:
    """The protocol that a token belongs to."""
    return "stop_tokens" if token.startswith("#") else "done" if token.startswith("[DONE]") else "worker"


HOSTILE: dict[str, tuple[str, Kind]] = {
    "words": ("a ", "malformed"),
    "tokens": ("[DONE]", "malformed"),
    "broken objects": ('[DONE] {"success": tru', "malformed"),
    "verdicts": ('[DONE] {"success": true}', "malformed"),
    "mended verdicts": ('[DONE] {"success": true,}', "malformed"),
    "Python objects": ("[DONE] {'a': 'x", "malformed"),
    "nested objects": ('[DONE]{"a":', "malformed"),
    "fences": ("```\n", "malformed"),
    "quotes": ('“[DONE] "', "malformed"),
    "mentions": ("say [DONE] when ", "malformed"),
    "thinking": ("</think>", "none"),
    "marks": ("\ufffc0\ufffc", "malformed"),
    "digits": ("1\u200b", "malformed"),
    "escapes": ('\\"', "malformed"),
    "Python's words": ('{"success": True, ', "malformed"),
}


@pytest.mark.parametrize(("piece", "kind"), HOSTILE.values(), ids=HOSTILE)
def test_a_million_characters_are_read_with_work_that_grows_no_faster(piece: str, kind: Kind) -> None:
    """Twice the hostile text makes at most about twice the calls, and a megabyte of it comes to an end."""
    few, more = (f"[DONE] x {piece * (size // len(piece))}" for size in (20_000, 40_000))
    assert (
        calls(lambda: read_trigger(more, protocol="done"))
        <= 2.5 * calls(lambda: read_trigger(few, protocol="done")) + 2_000
    )
    assert read_trigger(f"[DONE] x {piece * (1_000_000 // len(piece))}", protocol="done").kind == kind


def test_a_deliverable_of_a_million_characters_is_read_whole() -> None:
    """Nothing is cut, in the object or beside it."""
    long = "Supplier A, Geneva.\n" * 50_000
    text = f'{long}[WORKER_COMPLETE] {{"deliverable": "{long}", "summary": "s", "confidence": 0.5}}\n{long}'
    trigger = read_trigger(text, protocol="worker", speaker="worker-agent")
    assert trigger.value == {"deliverable": long, "summary": "s", "confidence": 0.5}
    assert re.sub(r"\s+", "", trigger.visible_text) == re.sub(r"\s+", "", 2 * long)
