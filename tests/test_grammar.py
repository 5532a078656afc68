"""The grammar of replies: everything it lets a model write is a reply that our own reader reads without repair.

The grammar has no rule that contains itself, so it is turned into a regular expression here: hypothesis writes what
a model held by it may write, and what it refuses is seen by matching.
"""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from debateroom.language import LABELS, LANGUAGES, SECTIONS
from debateroom.messages import Kind, ReplyFormat
from debateroom.models.grammar import reply_grammar
from debateroom.reading.reply import read_reply

SEATS = ("Agent A", "Agent B", "Agent C")
ALPHABET = "".join(map(chr, range(0x250))) + "’“”‘—…、。，；：？！《》（）还是不应该使用立场共识\u2028\ufeff😀"
_TOKENS = re.compile(r'\s+|"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{[0-9,]+\}|[()|?*+]|[a-z_]+')


@cache
def expression(kind: Kind, language: str, writer: str = "Agent A", *, short: bool = False) -> re.Pattern[str]:
    """The grammar as a regular expression; a token it does not know, or a rule that is missing, is an error.

    With `short` sentences end early, and are written with ALPHABET: that is all hypothesis needs, and much faster.
    """
    text = reply_grammar(ReplyFormat(kind, language, SEATS), writer=writer)
    if short:
        text = re.sub(r"\{(\d+),\d\d+\}", lambda match: f"{{{match[1]},{int(match[1]) + 4}}}", text)
    rules = dict(line.split(" ::= ", 1) for line in text.splitlines() if not line.lstrip().startswith("#"))

    def translated(rule: str) -> str:
        pieces = []
        at = 0
        while at < len(rule):
            match = _TOKENS.match(rule, at)
            assert match, f"not GBNF: {rule[at : at + 20]!r}"
            token, at = match.group(), match.end()
            if token.startswith('"'):
                pieces.append(f"(?:{re.escape(json.loads(token))})")
            elif token[0].isalpha():
                pieces.append(f"(?:{translated(rules[token])})")
            elif token.startswith("[") and short:
                pieces.append(f"[{re.escape(''.join(re.findall(token, ALPHABET)))}]")
            elif not token.isspace():
                pieces.append(token)
        return "".join(pieces)

    return re.compile(translated(rules["root"]))


FORMATS = [(kind, language) for kind in SECTIONS for language in LANGUAGES]


@pytest.mark.parametrize(("kind", "language"), FORMATS)
def test_whatever_the_grammar_lets_through_is_read_without_repair(kind: Kind, language: str) -> None:
    """Every text of the grammar has all sections, a confidence from 1 to 10, and in a debate a seat it endorses."""
    written = st.from_regex(expression(kind, language, short=True), fullmatch=True)

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(written)
    def check(text: str) -> None:
        reply = read_reply(text, kind=kind, language=language, speaker="Agent A")
        assert [key for key in SECTIONS[kind] if key in reply.sections] == list(SECTIONS[kind])
        assert reply.confidence == float(text.rsplit(maxsplit=1)[-1].rpartition("：")[2])
        assert 1 <= (reply.confidence or 0) <= 10
        assert reply.endorses in (SEATS if kind == "debate" else (None,))
        assert (reply.repairs, reply.truncated) == ((), False)

    check()


@pytest.mark.parametrize(("kind", "language"), FORMATS)
def test_labels_stand_in_their_order_at_the_start_of_a_line(kind: Kind, language: str) -> None:
    """A reply has one line a section, which begins with the section's label in the room's language."""
    written = st.from_regex(expression(kind, language, short=True), fullmatch=True)

    @settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
    @given(written)
    def check(text: str) -> None:
        found = [re.split(" ?[:：]", line)[0] for line in text.split("\n")]
        assert found == [LABELS[language][key] for key in SECTIONS[kind]]

    check()


OPENING = (
    "POSITION: We should use a durable queue.\n"
    "REASONING: A loop forgets what it was doing when the process stops. A queue (e.g. RabbitMQ) does not.\n"
    "PROPOSAL: Put one queue before the workers.\n"
    "CONCERNS: The main risk is that nobody watches how long the queue is.\n"
    "CONFIDENCE: 8"
)
DEBATE = (
    "ACCORDS : Agent B a raison de dire que l’équipe connaît déjà « les boucles ».\n"
    "DÉSACCORDS : Je ne suis pas d'accord avec Agent C, car le coût n'a pas été mesuré.\n"
    "PROPOSITION AFFINÉE : Il ne faut pas réécrire le service. Mesurez d'abord où il perd son temps.\n"
    "SOUTIENT : Agent A\n"
    "CONFIANCE : 10"
)
CHINESE = (
    "立场：我们应该使用微服务。\n"
    "理由：团队可以分开发布，故障也不会扩散。还可以按需扩展API。\n"
    "提案：先拆出订单服务。\n"
    "顾虑：主要风险是运维成本上升50%。\n"
    "信心：7"
)


@pytest.mark.parametrize(
    ("kind", "language", "text"),
    [
        ("opening", "en", OPENING),
        ("opening", "en", OPENING.replace("before the workers", "before the workers, " + "one for each, " * 14)),
        ("debate", "fr", DEBATE),
        ("opening", "zh", CHINESE),
    ],
)
def test_a_good_reply_is_let_through(kind: Kind, language: str, text: str) -> None:
    """What a person would write in the format is inside the grammar."""
    assert expression(kind, language).fullmatch(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("CONFIDENCE: 8", "CONFIDENCE: 11"),
        ("CONFIDENCE: 8", "CONFIDENCE: 0"),
        ("CONFIDENCE: 8", "CONFIDENCE: high"),
        ("POSITION: We", "## POSITION: We"),
        ("REASONING: A loop", "REASONING: **A loop**"),
        ("before the workers", "before the workers, CONFIDENCE: 10"),
        ("before the workers", "before | the workers"),
        ("Put one queue before the workers.", "Put one queue before the workers. Then wait. Then look again."),
        ("PROPOSAL: Put one queue before the workers.\n", ""),
        ("POSITION: We should use a durable queue.", "POSITION: The Architect thinks in systems."),
        ("CONFIDENCE: 8", "CONFIDENCE: 8\nAgent B: I agree."),
        ("nobody watches", "x" * 300),
    ],
)
def test_what_breaks_the_format_is_kept_out(before: str, after: str) -> None:
    """No confidence outside 1-10, no Markdown, no label inside a body, no third sentence, no missing section."""
    assert before in OPENING
    assert not expression("opening", "en").fullmatch(OPENING.replace(before, after))


def test_a_seat_agrees_and_disagrees_with_others_and_may_endorse_itself() -> None:
    """The writer is no one to agree with, but its own proposal is one that it may sign; no seat outside the room."""
    own, others = expression("debate", "fr", "Agent B"), expression("debate", "fr", "Agent A")
    assert (bool(own.fullmatch(DEBATE)), bool(others.fullmatch(DEBATE))) == (False, True)
    assert others.fullmatch(DEBATE.replace("SOUTIENT : Agent A", "SOUTIENT : Agent B"))
    assert not others.fullmatch(DEBATE.replace("SOUTIENT : Agent A", "SOUTIENT : Agent D"))


def test_a_name_with_a_quotation_mark_stays_a_name() -> None:
    """Names are data: nothing in one becomes part of the grammar."""
    grammar = reply_grammar(ReplyFormat("debate", "en", ('Agent "A" | [a-z]', "Agent\nB")))
    assert r'seat ::= "Agent \"A\" | [a-z]" | "Agent\nB"' in grammar.splitlines()


def test_the_grammar_is_the_same_for_the_same_format() -> None:
    """Pure: the same format gives the same text, with one rule a line, each defined once."""
    asked = ReplyFormat("debate", "en", SEATS)
    assert reply_grammar(asked) == reply_grammar(asked)
    names = [line.split(" ::= ")[0] for line in reply_grammar(asked).splitlines()]
    assert names == ["root", "rest", "letter", "sentence", "more", "seat", "other", "sure"]
