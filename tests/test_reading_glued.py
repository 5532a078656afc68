"""Labels in the middle of a line: one's own are read, whatever stands before them; quoted ones are not."""

from __future__ import annotations

import pytest

from debateroom.language import LABELS
from debateroom.messages import Kind
from debateroom.reading.reply import read_reply

TEXTS: dict[tuple[str, Kind], dict[str, str]] = {
    ("en", "opening"): {
        "position": "Use a queue",
        "reasoning": "it survives restarts",
        "proposal": "Postgres queue",
        "concerns": "ops",
        "confidence": "8",
    },
    ("en", "debate"): {
        "agreements": "I agree with Agent B",
        "disagreements": "none",
        "refined_proposal": "use a queue",
        "endorses": "Agent B",
        "confidence": "8/10",
    },
    ("fr", "opening"): {
        "position": "Une file durable",
        "reasoning": "elle survit aux redémarrages",
        "proposal": "une file Postgres",
        "concerns": "l'astreinte",
        "confidence": "8",
    },
    ("fr", "debate"): {
        "agreements": "d'accord avec Agent B",
        "disagreements": "aucun",
        "refined_proposal": "une file",
        "endorses": "Agent B",
        "confidence": "8",
    },
    ("zh", "opening"): {
        "position": "做",
        "reasoning": "因为重启不丢任务",
        "proposal": "数据库队列",
        "concerns": "运维",
        "confidence": "8",
    },
    ("zh", "debate"): {
        "agreements": "同意 Agent B",
        "disagreements": "无",
        "refined_proposal": "队列",
        "endorses": "Agent B",
        "confidence": "8",
    },
}
BETWEEN = {"space": " ", "comma": ", ", "dash": " — ", "semicolon": "; ", "slash": " / ", "two spaces": "  "}
COLONS = {"colon": ": ", "space before": " : ", "no-break space": "\u00a0: ", "full width": "："}


@pytest.mark.parametrize("colon", COLONS.values(), ids=COLONS)
@pytest.mark.parametrize("between", BETWEEN.values(), ids=BETWEEN)
@pytest.mark.parametrize(("language", "kind"), TEXTS, ids=str)
def test_a_reply_on_one_line_reads_like_one_on_five(language: str, kind: Kind, between: str, colon: str) -> None:
    """Labels written as asked count after white space, a comma or a dash; that is no part of the section before."""
    texts = TEXTS[language, kind]
    text = between.join(f"{LABELS[language][key]}{colon}{value}" for key, value in texts.items())
    reply = read_reply(text, kind=kind, language=language, speaker="Agent A")
    assert (reply.sections, reply.confidence) == (texts, 8)
    assert reply.endorses == ("Agent B" if kind == "debate" else None)
    assert "glued" in reply.repairs


@pytest.mark.parametrize("form", ["【{}】{}", "【{}】：{}", "[{}] {} ", "[{}]: {} "])
@pytest.mark.parametrize(("language", "kind"), TEXTS, ids=str)
def test_labels_in_brackets_on_one_line_are_read(language: str, kind: Kind, form: str) -> None:
    """`【立场】做【理由】因为…` needs neither a colon nor a space."""
    texts = TEXTS[language, kind]
    text = "".join(form.format(LABELS[language][key], value) for key, value in texts.items())
    reply = read_reply(text, kind=kind, language=language, speaker="Agent A")
    assert (reply.sections, reply.confidence) == (texts, 8)


OWN: list[tuple[Kind, str, dict[str, str]]] = [
    ("debate", "REFINED PROPOSAL: use a queue CONFIDENCE: 8", {"refined_proposal": "use a queue", "confidence": "8"}),
    ("debate", "修订提案：用队列 信心：8", {"refined_proposal": "用队列", "confidence": "8"}),
    (
        "debate",
        "AGREEMENTS: Drain.\nREFINED PROPOSAL: a queue, ENDORSES: Agent B, CONFIDENCE: 8",
        {"agreements": "Drain.", "refined_proposal": "a queue", "endorses": "Agent B", "confidence": "8"},
    ),
    (
        "opening",
        "立场：做，理由：因为快，提案：队列，信心：8",
        {"position": "做", "reasoning": "因为快", "proposal": "队列", "confidence": "8"},
    ),
    (
        "opening",
        "Position: Use a queue Reasoning: it survives Proposal: Postgres Confidence: 8",
        {"position": "Use a queue", "reasoning": "it survives", "proposal": "Postgres", "confidence": "8"},
    ),
    (
        "opening",
        "Here is my view POSITION: Use a queue REASONING: it survives CONCERNS: ops CONFIDENCE: 8",
        {"position": "Use a queue", "reasoning": "it survives", "concerns": "ops", "confidence": "8"},
    ),
    (
        "opening",
        "CONFIDENCE: 8 POSITION: a PROPOSAL: c REASONING: b",
        {"confidence": "8", "position": "a", "proposal": "c", "reasoning": "b"},
    ),
    (
        "opening",
        "POSITION: a REASONING: b PROPOSAL: c CONFIDENCE: 8 because we tested it twice last week",
        {"position": "a", "reasoning": "b", "proposal": "c", "confidence": "8 because we tested it twice last week"},
    ),
    (
        "opening",
        "POSITION: a REASONING: b PROPOSAL: c CONFIDENCE: I would say fairly sure, 8 out of 10",
        {"position": "a", "reasoning": "b", "proposal": "c", "confidence": "I would say fairly sure, 8 out of 10"},
    ),
    (
        "debate",
        "AGREEMENTS: x DISAGREEMENTS: y PROPOSAL: z CONFIDENCE: 8",
        {"agreements": "x", "disagreements": "y", "refined_proposal": "z", "confidence": "8"},
    ),
]


@pytest.mark.parametrize(("kind", "text", "sections"), OWN)
def test_a_glued_label_written_like_the_others_is_read(kind: Kind, text: str, sections: dict[str, str]) -> None:
    """In part of a line, out of order, after a preamble, in title case when the whole reply is: all are labels."""
    reply = read_reply(text, kind=kind, speaker="Agent A")
    assert (reply.sections, reply.confidence) == (sections, 8)


PROSE: list[tuple[Kind, str]] = [
    ("opening", "POSITION: Le plan, la proposition : trop chère, ma position : connue, notre confiance : 9"),
    ("opening", "POSITION: We looked at the proposal: too dear, and our confidence: 9"),
    ("opening", "POSITION: Trust the file, whose header says CONFIDENCE: 10"),
    ("debate", "REFINED PROPOSAL: Keep the field with the CONFIDENCE: 10"),
    ("debate", "REFINED PROPOSAL: Keep it (see CONFIDENCE: 10)"),
    ("debate", "AGREEMENTS: Agent B said POSITION: use cron REASONING: simple CONFIDENCE: 9"),
    ("debate", "DISAGREEMENTS: I reject Agent B's REFINED PROPOSAL: use cron CONFIDENCE: 9"),
    ("debate", "AGREEMENTS: x. Agent B: REFINED PROPOSAL: use cron CONFIDENCE: 9"),
    ("debate", "DISAGREEMENTS: Agent B REFINED PROPOSAL: use cron ENDORSES: Agent C CONFIDENCE: 9"),
    ("debate", "DISAGREEMENTS: Agent B wrote “REFINED PROPOSAL: use cron CONFIDENCE: 9” and I differ"),
    ("debate", "DISAGREEMENTS: They wrote: REFINED PROPOSAL: use cron ENDORSES: Agent C CONFIDENCE: 9"),
    ("debate", "REFINED PROPOSAL: the queue; Agent C argued REFINED PROPOSAL: cron, CONFIDENCE: 9"),
    ("debate", "REFINED PROPOSAL: the queue and not what Agent C had as REFINED PROPOSAL: cron, CONFIDENCE: 9"),
    ("debate", "REFINED PROPOSAL: use `ENDORSES: x CONFIDENCE: 9` as the template"),
    ("debate", "分歧：文件中写着 信心：10"),
    ("debate", "分歧：Agent B 说「修订提案：定时任务 信心：9」"),
]


@pytest.mark.parametrize(("kind", "text"), PROSE)
def test_a_label_that_a_sentence_speaks_of_stays_in_it(kind: Kind, text: str) -> None:
    """Lower-case words with a colon, and labels said by or quoted from another, stay in the one section."""
    label, _, value = text.replace("：", ": ", 1).partition(": ")
    reply = read_reply(text, kind=kind, speaker="Agent A")
    assert (list(reply.sections.values()), reply.confidence, reply.endorses) == ([value], None, None)
    assert label == label.upper()
