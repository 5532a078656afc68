"""The grammar (GBNF, llama.cpp's notation) that holds a small model to the reply format. Pure text; asks nothing.

It fixes the labels and their order, makes each body one or two sentences, and limits what `ENDORSES` and
`CONFIDENCE` may hold. Some bodies have a given beginning: without one a model this small describes its role in
place of taking a side. Colons and Markdown signs are left out, so that no label and no heading can stand in a body;
semicolons, so that a role's description is not copied into one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from debateroom.language import LABELS, SECTIONS
from debateroom.messages import ReplyFormat


@dataclass(frozen=True, slots=True)
class _Writing:
    """How replies are written in one language."""

    colon: str
    """Between a label and its body."""
    rules: str
    """`rest`: the rest of a sentence with its end. `sentence`: a whole one. `more`: a further one, and its gap."""
    bodies: Mapping[str, str]
    """Section → its body, where that has a given beginning. `other` is a seat that is not the writer."""


_WRITING: Mapping[str, _Writing] = {
    "en": _Writing(
        colon=": ",
        rules=r"""
rest ::= letter{8,240} "."
letter ::= [^\x00-\x1f.:;?!*#`|<>\[\]\\\x7f-\U0010ffff] | "e.g." | "i.e."
sentence ::= [A-Z] rest
more ::= " " sentence
""",
        bodies={
            "position": '("We" | "You") " should " ("not ")? rest',
            "concerns": '"The main risk is that " rest',
            "agreements": 'other " is right that " rest',
            "disagreements": '"I disagree with " other " because " rest more?',
            "refined_proposal": '("We" | "You") " should " ("not ")? rest more?',
        },
    ),
    "fr": _Writing(
        colon=" : ",
        rules=r"""
rest ::= (letter | quote){8,260} "."
letter ::= [^\x00-\x1f.:;?!*#`|<>\[\]\\\x7f-\xbf\u0180-\u2018\u201a-\U0010ffff]
quote ::= "«" letter{1,60} "»"
sentence ::= [A-ZÀÂÇÈÉÊËÎÏÔÙÛÜŒ] rest
more ::= " " sentence
""",
        bodies={
            "position": '("Il faut " | "Il ne faut pas ") rest',
            "concerns": '"Le principal risque est " rest',
            "agreements": 'other " a raison de dire que " rest',
            "disagreements": '"Je ne suis pas d\'accord avec " other ", car " rest more?',
            "refined_proposal": '("Il faut " | "Il ne faut pas ") rest more?',
        },
    ),
    "zh": _Writing(
        colon="：",
        rules=r"""
rest ::= letter{2,30} ("，" letter{2,30}){0,3} "。"
letter ::= pick | "还" | quote
pick ::= [\u4e00-\u8fd7\u8fd9-\u9fff] | [A-Za-z0-9%+/、-]
quote ::= "“" pick{1,20} "”" | "《" pick{1,20} "》" | "（" pick{1,20} "）"
sentence ::= rest
more ::= sentence
""",
        bodies={
            # without 还: 还是 would put both sides of the question into the position
            "position": '("我们应该" | "我们不应该") pick{2,30} ("，" letter{2,30}){0,2} "。"',
            "concerns": '"主要风险是" rest',
            "agreements": 'other "说得对，" rest',
            "disagreements": '"我不同意 " other "，因为" rest more?',
            "refined_proposal": '("我们应该" | "我们不应该") rest more?',
        },
    ),
}


def reply_grammar(asked: ReplyFormat, *, writer: str = "") -> str:
    """GBNF whose only texts are replies in the format and language that `asked` names.

    `writer` is the seat that replies: it may endorse itself, but agrees and disagrees with others only.
    """
    writing, labels = _WRITING[asked.language], LABELS[asked.language]
    bodies = {"endorses": "seat", "confidence": "sure", **writing.bodies}
    lines = [
        f"{_literal(labels[section] + writing.colon)} {bodies.get(section, 'sentence more?')}"
        for section in SECTIONS[asked.kind]
    ]
    rules = ["root ::= " + ' "\\n" '.join(lines), writing.rules.strip()]
    if asked.kind == "debate":
        others = [name for name in asked.seats if name != writer] or list(asked.seats)
        rules += [f"seat ::= {_one_of(asked.seats)}", f"other ::= {_one_of(others)}"]
    rules.append('sure ::= "10" | [1-9]')
    return "\n".join(rules) + "\n"


def _one_of(names: tuple[str, ...] | list[str]) -> str:
    return " | ".join(map(_literal, names))


def _literal(text: str) -> str:
    """`text` as a literal of the grammar; its escapes are the ones of JSON."""
    return json.dumps(text, ensure_ascii=False)
