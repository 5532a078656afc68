"""One reply in every dress that models give it, in three languages and both rounds: always the same sections."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from debateroom.language import LABELS
from debateroom.messages import Kind
from debateroom.reading.reply import read_reply

Pairs = list[tuple[str, str]]

REPLIES: dict[tuple[str, Kind], dict[str, str]] = {
    ("en", "opening"): {
        "position": "Put a durable queue between the API and the workers.",
        "reasoning": "Bursts of 40x were seen twice. A loop loses work when the pod restarts: that is the point.",
        "proposal": "Postgres-backed queue first, three workers, a dead-letter table.",
        "concerns": "Operators must learn to drain it; ordering is per customer only.",
        "confidence": "7",
    },
    ("en", "debate"): {
        "agreements": "Agent B is right that operators need a drain command.",
        "disagreements": "I still think a loop loses work on restart.",
        "refined_proposal": "Database queue with idempotency keys and a drain command.",
        "endorses": "Agent B",
        "confidence": "8",
    },
    ("fr", "opening"): {
        "position": "Garder le monolithe et en extraire seulement la facturation.",
        "reasoning": "Nous sommes quatre. Chaque service ajouté demande une astreinte : c'est le point.",
        "proposal": "Un module facturation isolé, déployé à part d'ici trois mois.",
        "concerns": "Deux tables restent partagées; la migration peut bloquer les exports.",
        "confidence": "7",
    },
    ("fr", "debate"): {
        "agreements": "L'Agent B a raison sur l'astreinte.",
        "disagreements": "Je refuse toujours le découpage complet.",
        "refined_proposal": "Extraire la facturation seule, puis mesurer pendant un trimestre.",
        "endorses": "Agent B",
        "confidence": "8",
    },
    ("zh", "opening"): {
        "position": "在接口和工作进程之间加一个持久化队列。",
        "reasoning": "上个月出现过两次流量峰值，进程重启时循环里的任务会丢失。",
        "proposal": "先用数据库做队列，三个工作进程，另设死信表。",
        "concerns": "运维要学会清空队列，而且只能保证同一客户内有序。",
        "confidence": "7",
    },
    ("zh", "debate"): {
        "agreements": "Agent B 说得对，运维需要清空命令。",
        "disagreements": "我仍认为重启时循环会丢任务。",
        "refined_proposal": "数据库队列，加幂等键和清空命令。",
        "endorses": "Agent B",
        "confidence": "8",
    },
}


def title(label: str) -> str:
    return label.capitalize()


def lined(form: Callable[[int, str, str], str], between: str = "\n") -> Callable[[Pairs], str]:
    return lambda pairs: between.join(form(number, label, text) for number, (label, text) in enumerate(pairs, 1))


def tagged(n: int, label: str, text: str) -> str:
    name = label.replace(" ", "_")
    return f"<{name}>{text}</{name}>"


def tagged_small(n: int, label: str, text: str) -> str:
    return tagged(n, label.lower(), text)


def wide(label: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if "A" <= letter <= "Z" else letter for letter in label)


def theirs(pairs: Pairs, value: str = "theirs, 2") -> str:
    """Another seat's reply with the same labels."""
    return PLAIN([(label, value) for label, _ in pairs])


def as_json(pairs: Pairs, **options: Any) -> str:
    return json.dumps(dict(pairs), ensure_ascii=False, **options)


CHANNELS = "<|channel|>analysis<|message|>CONFIDENCE: 2<|end|><|start|>assistant<|channel|>final<|message|>"
PLAIN = lined(lambda n, label, text: f"{label}: {text}")
DRESSES: dict[str, Callable[[Pairs], str]] = {
    "as asked": PLAIN,
    "bold with the colon inside": lined(lambda n, label, text: f"**{label}:** {text}", "\n\n"),
    "bold with the colon outside": lined(lambda n, label, text: f"**{label}**: {text}", "\n\n"),
    "bold in title case": lined(lambda n, label, text: f"**{title(label)}:** {text}"),
    "bold with a space before the colon": lined(lambda n, label, text: f"**{title(label)} :** {text}"),
    "bold with the value on the next line": lined(lambda n, label, text: f"**{label}**\n{text}", "\n\n"),
    "bold with the value behind it": lined(lambda n, label, text: f"**{label}** {text}", "\n\n"),
    "bold and italic": lined(lambda n, label, text: f"***{label}:*** {text}"),
    "bold whole lines": lined(lambda n, label, text: f"**{label}: {text}**"),
    "underscored": lined(lambda n, label, text: f"__{label}:__ {text}"),
    "italic": lined(lambda n, label, text: f"_{label}:_ {text}"),
    "numbered": lined(lambda n, label, text: f"{n}. {label}: {text}"),
    "numbered with a bracket": lined(lambda n, label, text: f"{n}) {label}: {text}"),
    "numbered in brackets": lined(lambda n, label, text: f"({n}) {label}: {text}"),
    "numbered and bold": lined(lambda n, label, text: f"{n}. **{label}:** {text}"),
    "bold around the number": lined(lambda n, label, text: f"**{n}. {label}:** {text}"),
    "bulleted": lined(lambda n, label, text: f"- {label}: {text}"),
    "bulleted with stars and bold": lined(lambda n, label, text: f"* **{label}**: {text}"),
    "bulleted with dots": lined(lambda n, label, text: f"• {label}: {text}"),
    "indented": lined(lambda n, label, text: f"    {label}: {text}"),
    "back-ticked": lined(lambda n, label, text: f"`{label}`: {text}"),
    "back-ticked with the colon": lined(lambda n, label, text: f"`{label}:` {text}"),
    "lower case": lined(lambda n, label, text: f"{label.lower()}: {text}"),
    "title case": lined(lambda n, label, text: f"{title(label)}: {text}"),
    "headings": lined(lambda n, label, text: f"## {label}\n{text}", "\n\n"),
    "headings in title case": lined(lambda n, label, text: f"### {title(label)}\n\n{text}", "\n\n"),
    "headings with number": lined(lambda n, label, text: f"## {n}. {title(label)}\n{text}", "\n\n"),
    "headings with colon": lined(lambda n, label, text: f"# {label}: {text}", "\n\n"),
    "headings in bold": lined(lambda n, label, text: f"### **{title(label)}**\n{text}", "\n\n"),
    "a symbol before": lined(lambda n, label, text: f"✅ {label}: {text}"),
    "emoji and bold": lined(lambda n, label, text: f"🎯 **{label}:** {text}"),
    "square brackets": lined(lambda n, label, text: f"[{label}] {text}"),
    "square brackets and colon": lined(lambda n, label, text: f"[{label}]: {text}"),
    "full-width brackets": lined(lambda n, label, text: f"【{label}】{text}"),
    "full-width colon": lined(lambda n, label, text: f"{label}：{text}"),
    "a space before the colon": lined(lambda n, label, text: f"{label} : {text}"),
    "a narrow no-break space before the colon": lined(lambda n, label, text: f"{label}\u202f: {text}"),
    "no-break spaces": lined(lambda n, label, text: f"{label}\u00a0:\u00a0{text}"),
    "a dash": lined(lambda n, label, text: f"{label} – {text}"),
    "a long dash, bold": lined(lambda n, label, text: f"**{title(label)}** — {text}"),
    "a hyphen": lined(lambda n, label, text: f"{label} - {text}"),
    "an arrow": lined(lambda n, label, text: f"{label} -> {text}"),
    "an equals sign": lined(lambda n, label, text: f"{label} = {text}"),
    "alone on its line": lined(lambda n, label, text: f"{label}\n{text}", "\n\n"),
    "colon and next line": lined(lambda n, label, text: f"{label}:\n{text}", "\n\n"),
    "underlined": lined(lambda n, label, text: f"{label}\n======\n{text}", "\n\n"),
    "rules between": lined(lambda n, label, text: f"{label}:\n\n{text}", "\n\n---\n\n"),
    "HTML bold": lined(lambda n, label, text: f"<b>{label}:</b> {text}"),
    "HTML paragraphs": lined(lambda n, label, text: f"<strong>{label}</strong>: {text}"),
    "HTML lines": lined(lambda n, label, text: f"{label}: {text}", "<br>\n"),
    "HTML line breaks only": lined(lambda n, label, text: f"{label}: {text}", "<br>"),
    "HTML list": lambda pairs: (
        "<ul>" + lined(lambda n, label, text: f"<li><b>{label}:</b> {text}</li>", "")(pairs) + "</ul>"
    ),
    "HTML headings": lined(lambda n, label, text: f"<h2>{label}</h2>\n<p>{text}</p>"),
    "wiki headings": lined(lambda n, label, text: f"== {label} ==\n{text}"),
    "headings with hashes on both sides": lined(lambda n, label, text: f"## {label} ##\n{text}"),
    "bold with a full stop": lined(lambda n, label, text: f"**{label}.** {text}"),
    "a note behind the label": lined(lambda n, label, text: f"{label} (in short): {text}"),
    "its name before each label": lined(lambda n, label, text: f"Agent A: {label}: {text}"),
    "a response element": lambda pairs: f"<response>\n{PLAIN(pairs)}\n</response>",
    "tags": lined(tagged_small),
    "tags on one line": lined(tagged, ""),
    "a table": lambda pairs: (
        "| Section | Text |\n|---|---|\n" + lined(lambda n, lab, text: f"| {lab} | {text} |")(pairs)
    ),
    "a table in bold": lambda pairs: (
        "| | |\n|---|---|\n" + lined(lambda n, lab, text: f"| **{lab}** | {text} |")(pairs)
    ),
    "underscore in the label": lined(lambda n, label, text: f"{label.replace(' ', '_')}: {text}"),
    "glued to the sentence before": lined(lambda n, label, text: f"{label}: {text}", ""),
    "on one line": lined(lambda n, label, text: f"{label}: {text}", " "),
    "bold on one line": lined(lambda n, label, text: f"**{label}:** {text}", " "),
    "one line with bars": lined(lambda n, label, text: f"{label}: {text}", " | "),
    "fenced": lambda pairs: f"```\n{PLAIN(pairs)}\n```",
    "fenced with a name": lambda pairs: f"```markdown\n{PLAIN(pairs)}\n```\n",
    "fenced without an end": lambda pairs: f"```text\n{PLAIN(pairs)}",
    "fenced after a remark": lambda pairs: f"Here is my reply:\n\n```\n{PLAIN(pairs)}\n```",
    "a block quote": lambda pairs: "\n".join(f"> {line}" for line in PLAIN(pairs).split("\n")),
    "JSON": as_json,
    "JSON, escaped": lambda pairs: json.dumps(dict(pairs), indent=2),
    "JSON with lower-case keys": lambda pairs: as_json(
        [(label.lower().replace(" ", "_"), text) for label, text in pairs]
    ),
    "JSON in a fence": lambda pairs: f"```json\n{as_json(pairs, indent=2)}\n```",
    "JSON after a remark": lambda pairs: f"Sure.\n```json\n{as_json(pairs)}\n```\nDone.",
    "JSON in a wrapper": lambda pairs: f'{{"response": {as_json(pairs)}}}',
    "JSON in a list": lambda pairs: f"[{as_json(pairs)}]",
    "JSON around the whole reply": lambda pairs: json.dumps({"agent": "Agent A", "response": PLAIN(pairs)}),
    "JSON with a comma too many": lambda pairs: as_json(pairs, indent=2)[:-2] + ",\n}",
    "JSON without its end": lambda pairs: as_json(pairs)[:-1],
    "JSON with bare keys": lambda pairs: re.sub(r'"([A-Z]\w+)":', r"\1:", as_json(pairs)),
    "JSON with single quotes": lambda pairs: str(dict(pairs)),
    "a JSON string": lambda pairs: json.dumps(PLAIN(pairs)),
    "written-out line ends": lambda pairs: PLAIN(pairs).replace("\n", "\\n"),
    "a preamble": lambda pairs: f"Sure! Here is my reply as the Architect:\n\n{PLAIN(pairs)}",
    "a long preamble": lambda pairs: (
        f"I have read everything.\nLet me answer in the format.\n\n---\n\n{PLAIN(pairs)}"
    ),
    "a preamble about others": lambda pairs: (
        f"Having read what Agent B wrote, here is my response:\n\n{PLAIN(pairs)}"
    ),
    "its own name above": lambda pairs: f"Agent A (Architect):\n{PLAIN(pairs)}",
    "its own name in bold above": lambda pairs: f"**Agent A (Architect)**\n\n{PLAIN(pairs)}",
    "its own name as heading": lambda pairs: f"## Agent A — Architect\n\n{PLAIN(pairs)}",
    "its own name before the first label": lambda pairs: f"Agent A (Architect): {PLAIN(pairs)}",
    "an offer at the end": lambda pairs: f"{PLAIN(pairs)}\n\nLet me know if you would like me to elaborate!",
    "two lines of offers": lambda pairs: f"{PLAIN(pairs)}\n\n---\nI hope this helps.\nFeel free to ask!",
    "an offer in French": lambda pairs: f"{PLAIN(pairs)}\n\nN'hésitez pas à me demander des précisions.",
    "an offer in Chinese": lambda pairs: f"{PLAIN(pairs)}\n\n如果您有任何问题，请随时告诉我！",
    "thinking before": lambda pairs: f"<think>\nPOSITION: maybe a loop?\nCONFIDENCE: 2\n</think>\n\n{PLAIN(pairs)}",
    "thinking without its opening tag": lambda pairs: (
        f"The loop, perhaps.\nCONFIDENCE: 3\n</think>\n\n{PLAIN(pairs)}"
    ),
    "thinking glued to the reply": lambda pairs: f"Hm. I say 3.</think>{PLAIN(pairs)}",
    "long-named thinking": lambda pairs: f"<thinking>CONFIDENCE: 2</thinking>{PLAIN(pairs)}",
    "bracketed thinking": lambda pairs: f"[THINK]CONFIDENCE: 2[/THINK]\n{PLAIN(pairs)}",
    "nested thinking": lambda pairs: f"<think>a <think>b</think> CONFIDENCE: 1</think>\n{PLAIN(pairs)}",
    "thinking inside the fence": lambda pairs: f"```\n<think>\nCONFIDENCE: 2\n</think>\n{PLAIN(pairs)}\n```",
    "leaked channels": lambda pairs: CHANNELS + PLAIN(pairs),
    "leaked channels without tokens": lambda pairs: f"analysisWe answer 2.assistantfinal{PLAIN(pairs)}",
    "an end token": lambda pairs: f"{PLAIN(pairs)}<|im_end|>\n<|im_start|>user\nCONFIDENCE: 2",
    "carriage returns": lambda pairs: PLAIN(pairs).replace("\n", "\r\n") + "\r\n",
    "old line ends": lambda pairs: PLAIN(pairs).replace("\n", "\r"),
    "a byte order mark": lambda pairs: f"\ufeff{PLAIN(pairs)}",
    "zero-width spaces": lined(lambda n, label, text: f"\u200b{label[:2]}\u200b{label[2:]}\u200b: {text}"),
    "right-to-left marks": lined(lambda n, label, text: f"\u200f{label}\u200e: \u202b{text}\u202c"),
    "soft hyphens": lined(lambda n, label, text: f"{label[:1]}\u00ad{label[1:]}: {text}"),
    "NUL": lined(lambda n, label, text: f"{label}\x00: {text}\x00"),
    "terminal colours": lined(lambda n, label, text: f"\x1b[1m{label}:\x1b[0m {text}"),
    "full-width letters": lined(lambda n, label, text: f"{wide(label)}：{text}"),
    "out of order": lambda pairs: PLAIN(pairs[::-1]),
    "shuffled": lambda pairs: PLAIN(pairs[2:] + pairs[:2]),
    "the whole written twice": lambda pairs: f"{PLAIN(pairs)}\n\n{PLAIN(pairs)}",
    "other seats after": lambda pairs: (
        f"{PLAIN(pairs)}\n\nAgent B (Critic):\n{theirs(pairs)}\n\nAgent C:\n{theirs(pairs, 'theirs, 3')}"
    ),
    "another seat before": lambda pairs: f"Agent B (Critic):\n{theirs(pairs)}\n\nMy own answer:\n{PLAIN(pairs)}",
    "another seat before, own name": lambda pairs: f"**Agent B:**\n{theirs(pairs)}\n\n**Agent A:**\n{PLAIN(pairs)}",
    "an element with another's words": lambda pairs: (
        f'<reply seat="Agent B">\n{theirs(pairs)}\n</reply>\n\n{PLAIN(pairs)}'
    ),
    "marked with another's words": lambda pairs: f"[BEGIN Agent B]\n{theirs(pairs)}\n[END Agent B]\n\n{PLAIN(pairs)}",
    "a conversation after": lambda pairs: f"{PLAIN(pairs)}\n\nHuman: Go on.\n\nAssistant: {theirs(pairs)}",
    "a quote of another after": lambda pairs: (
        f"{PLAIN(pairs)}\n\nFor reference, B wrote:\n> " + theirs(pairs).replace("\n", "\n> ")
    ),
}
PARTS_WITH_TEXT_AROUND = {"a quote of another after", "a conversation after"}
"""Shapes that leave text in the confidence section, which is read by its first line."""


def plain(text: str) -> str:
    """A section without the marks around it that nobody sees as text."""
    return text.replace("**", "").replace("__", "").strip(' -*_#>"`')


@pytest.mark.parametrize("name", DRESSES)
@pytest.mark.parametrize(("language", "kind"), REPLIES, ids=lambda value: str(value))
def test_a_dressed_reply_reads_like_a_bare_one(name: str, language: str, kind: Kind) -> None:
    """Whatever the dress, the sections, the confidence and the endorsement are those of the bare reply."""
    expected = REPLIES[language, kind]
    text = DRESSES[name]([(LABELS[language][key], value) for key, value in expected.items()])
    reply = read_reply(text, kind=kind, language=language, speaker="Agent A")
    sections = {key: plain(value) for key, value in reply.sections.items()}
    if name in PARTS_WITH_TEXT_AROUND:
        sections["confidence"] = sections["confidence"].split("\n")[0]
    assert sections == {key: plain(value) for key, value in expected.items()}
    assert reply.confidence == float(expected["confidence"])
    assert reply.endorses == ("Agent B" if kind == "debate" else None)
    assert reply.off_topic is False
