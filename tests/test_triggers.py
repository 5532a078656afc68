"""`read_trigger`: the handed cases, and what ends a talk, what does not, and what cannot be read, one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reading_cases import rows, shown
from test_reading_reply import comparable

import debateroom
from debateroom.errors import UsageError
from debateroom.reading.endings import OWNERS
from debateroom.reading.triggers import Trigger, read_trigger

DONE = '[DONE]\n{"success": true, "explain": "ok", "error": ""}'
VERDICT = {"success": True, "explain": "ok", "error": ""}
COMPLETE = '[WORKER_COMPLETE] {"deliverable": "Three names.", "summary": "s", "confidence": 0.5}'


@pytest.mark.parametrize("case", rows("triggers"), ids=shown)
def test_the_handed_cases_read_as_stated(case: dict[str, Any], here: Path) -> None:
    """Each handed text gives the stated kind and object, in ambiguous cases too; nothing in it is executed."""
    expect = case["expect"]
    trigger = read_trigger(case["text"], protocol=case["protocol"], speaker=case["speaker"])
    assert (trigger.kind, trigger.value) == (expect["kind"], expect["json"])
    if "visible_text" in expect:
        assert comparable(trigger.visible_text) == comparable(expect["visible_text"])
    assert list(here.iterdir()) == []


def test_it_is_exported() -> None:
    """`debateroom.read_trigger` is this function."""
    assert debateroom.read_trigger is read_trigger


def test_an_unknown_protocol_is_a_mistake_of_the_caller() -> None:
    """It names the protocols that there are."""
    with pytest.raises(UsageError, match="stop_tokens, done, worker"):
        read_trigger("x", protocol="stop")  # type: ignore[arg-type]


USED = [
    ("###TRANSFER###", "transfer", ""),
    ("###OUT-OF-SCOPE###", "out_of_scope", ""),
    ("###OUT_OF_SCOPE###", "out_of_scope", ""),
    ("＃＃＃STOP＃＃＃", "stop", ""),
    ("\\#\\#\\#STOP\\#\\#\\#", "stop", ""),
    ("###STO\u200bP###", "stop", ""),
    ("Thanks! ###STOP###", "stop", "Thanks!"),
    ("###STOP### Thanks.", "stop", "Thanks."),
    ("OK ###STOP### bye", "stop", "OK bye"),
    ("One.\n###STOP###\nTwo.", "stop", "One.\n\nTwo."),
    ("###STOP### ###STOP###", "stop", ""),
    ("`###STOP###`", "stop", ""),
    ('"Thanks! ###STOP###"', "stop", "Thanks!"),
    ("```\n###STOP###\n```", "stop", ""),
    ("Thanks.\n```\n###STOP###\n```", "stop", "Thanks."),
    ("```\nThanks.\n###STOP###", "stop", "Thanks."),
    ("Look:\n```\nx\n###STOP###", "stop", "Look:\n```\nx"),
    ("<message>###STOP###</message>", "stop", ""),
    ("> ###STOP###", "stop", ""),
    ("I'm done, so I'll say ###STOP###", "stop", "I'm done, so I'll say"),
    ("That's all I wanted to say ###STOP###", "stop", "That's all I wanted to say"),
    ("Nothing more to say ###STOP###", "stop", "Nothing more to say"),
    ("No ###STOP###", "stop", "No"),
    ("Output: ###STOP###", "stop", "Output:"),
    ("I do not need anything else. ###STOP###", "stop", "I do not need anything else."),
    ("Merci, c'est tout bon ###STOP###", "stop", "Merci, c'est tout bon"),
    ("J'écris donc ###STOP###", "stop", "J'écris donc"),
    ("没有别的问题了，谢谢###STOP###", "stop", "没有别的问题了，谢谢"),
    ("那我就输出###STOP###", "stop", "那我就输出"),
    ("<think>All done.</think>\n###STOP###", "stop", ""),
    ("Thought:\nI should output ###STOP###.\n\nUser Response:\n###TRANSFER###", "transfer", ""),
    ("You wrote ###STOP### is for the end.\n###STOP###", "stop", "You wrote ###STOP### is for the end."),
]


@pytest.mark.parametrize(("text", "kind", "left"), USED)
def test_a_token_ends_the_talk_and_the_words_beside_it_stay(text: str, kind: str, left: str) -> None:
    """Case, width, marks and place do not matter, nor a fence or quotation marks around the whole."""
    assert read_trigger(text, protocol="stop_tokens", speaker="simulator") == Trigger(kind, None, left, None)


MENTIONED = [
    'You wrote "type ###STOP### when done". Why?',
    'You wrote: "###STOP###". Why?',
    "Vous dites « tapez ###STOP### » : pourquoi ?",
    "你说“输入###STOP###”是什么意思？",
    "Why `###STOP###` and not a button?",
    "> You can type ###STOP### to end.\nI do not want to.",
    "Agent: You can type ###STOP###\nNo thanks, go on.",
    '```sh\necho "###STOP###"\n```\nWhat does this do?',
    "What does ###STOP### mean?",
    "###STOP### is what I should type, right?",
    "The agent told me to type ###STOP###.",
    "If you cannot do it I will say ###STOP###",
    "Should I write ###STOP###?",
    "No ###STOP### yet please",
    "Use ###STOP### to finish.",
    "So the ###STOP### token ends it?",
    "Je n'écrirai pas ###STOP### avant le remboursement.",
    "Vous pouvez taper ###STOP### pour finir.",
    "我不会输出###STOP###，除非退款到账",
    "您可以输入###STOP###结束对话",
    "###STOPPED###",
    "### Stop the process ###",
    "## STOP",
    "",
]


@pytest.mark.parametrize("text", MENTIONED)
def test_a_token_that_is_quoted_refused_or_described_is_none(text: str) -> None:
    """The talk goes on, with the whole text."""
    assert read_trigger(text, protocol="stop_tokens", speaker="simulator") == Trigger("none", None, text, None)


HIDDEN = [
    ("<think>maybe ###STOP###</think>Is it confirmed?", "stop_tokens"),
    ("###STOP### would be right? No.</think>Is it confirmed?", "stop_tokens"),
    (f"<think>{DONE}</think>Is it confirmed?", "done"),
    ("Thought:\nShall I?\n###STOP###\n\nUser Response:\nIs it confirmed?", "stop_tokens"),
]


@pytest.mark.parametrize(("text", "protocol"), HIDDEN)
def test_a_token_in_a_thought_is_none(text: str, protocol: Any) -> None:
    """What a model tried out on the way ends nothing, and is not said to the other side."""
    assert read_trigger(text, protocol=protocol) == Trigger("none", None, "Is it confirmed?", None)


@pytest.mark.parametrize("speaker", ["agent", "Agent", "shop", "assistant", ""])
@pytest.mark.parametrize(
    ("text", "protocol"), [("Bye. ###STOP###", "stop_tokens"), (DONE, "done"), (COMPLETE, "worker")]
)
def test_an_agent_under_test_does_not_end_its_own_trial(text: str, protocol: Any, speaker: str) -> None:
    """Whatever it is called, its token is text like any other."""
    assert read_trigger(text, protocol=protocol, speaker=speaker) == Trigger("none", None, text, None)


@pytest.mark.parametrize("speaker", [None, *sorted(OWNERS), "Simulator"])
def test_the_party_that_drives_the_talk_ends_it(speaker: str | None) -> None:
    """Under the names that seats have, and when the caller does not say who speaks."""
    assert read_trigger(DONE, protocol="done", speaker=speaker) == Trigger("done", VERDICT, "", None)


WRITTEN = [
    "`[DONE]`\n{}",
    "**[DONE]** {}",
    "[DONE]: {}",
    "\\[DONE\\] {}",
    "【DONE】{}",
    "```\n[DONE]\n{}\n```",
    "[DONE]\n\n---\n\n{}",
    "[DONE]\n<json>{}</json>",
    '"[DONE] {}"',
    "> [DONE]\n> {}",
    "[DONE] {}\n[DONE] {}",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_verdict_is_read_whatever_is_around_it(text: str) -> None:
    """Marks, fences, elements and quotes of the whole are not words; the same verdict twice is one."""
    written = json.dumps(VERDICT)
    assert read_trigger(text.replace("{}", written), protocol="done") == Trigger("done", VERDICT, "", None)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Merci.\n```json\n{DONE}\n```\nBye {{name}}", "Merci.\n\nBye {name}"),
        (DONE.replace("[DONE]\n", "Merci [DONE] voici : "), "Merci voici :"),
        (
            DONE.replace("[DONE]\n", "L'agent n'a pas su, je termine avec [DONE] "),
            "L'agent n'a pas su, je termine avec",
        ),
        (DONE.replace('""}', '"",}\nBye!'), "Bye!"),
    ],
)
def test_words_beside_a_verdict_stay(text: str, left: str) -> None:
    """Before it, between token and object, and behind it, also when the object had to be mended."""
    trigger = read_trigger(text, protocol="done")
    assert (trigger.kind, trigger.visible_text) == ("done", left)


MENDED = [
    ('{"success": true, "explain": "a",}', {"success": True, "explain": "a"}),
    ('{success: true, explain: "a"}', {"success": True, "explain": "a"}),
    ("{“success”: true, “explain”: “a”}", {"success": True, "explain": "a"}),
    (
        '{"success": True, "explain": "True \\"None\\"", "error": None}',
        {"success": True, "explain": 'True "None"', "error": None},
    ),
    ("{'success': False, 'explain': \"it's ok, really\"}", {"success": False, "explain": "it's ok, really"}),
    (
        '{"success": true, "explain": "</think> [DONE] ``` } {"}',
        {"success": True, "explain": "</think> [DONE] ``` } {"},
    ),
    ('{"success": true, "explain": "\\u001b[31m\\ud800"}', {"success": True, "explain": "\ufffd"}),
    ('{"success": true, "turns": [1, {"a": null}]}', {"success": True, "turns": [1, {"a": None}]}),
]


@pytest.mark.parametrize(("written", "value"), MENDED)
def test_small_damage_in_the_json_is_mended(written: str, value: dict[str, Any]) -> None:
    """Commas, quotes, Python's words; texts come without what no file or terminal takes; other keys are kept."""
    assert read_trigger(f"Bye. [DONE]\n{written}", protocol="done") == Trigger("done", value, "Bye.", None)


BAD_VERDICTS = [
    ("[DONE]", "behind [DONE] there is no JSON object"),
    ("[DONE] The agent did well.", "behind [DONE] there is no JSON object"),
    ("Thanks. [DONE]", "behind [DONE] there is no JSON object"),
    ("[DONE] true", "behind [DONE] there is no JSON object"),
    ("[DONE] {}", "the JSON behind [DONE] is empty"),
    ('[DONE] [{"success": true}]', "behind [DONE] stands a list, and not one JSON object"),
    ('[DONE] {"success": true, "explain": "a', "the JSON behind [DONE] is cut off before its end"),
    ('[DONE] {"success": tru}', "the JSON behind [DONE] cannot be read: Expecting value, at its character 13"),
    ('[DONE] {"x": ' * 9_000, "the JSON behind [DONE] cannot be read: Expecting value, at its character 8"),
    ('[DONE] {"x":' + "[" * 99_000, "the JSON behind [DONE] cannot be read: it is nested too deep"),
    ('[DONE] {"x":' + "9" * 9_000 + "}", "the JSON behind [DONE] cannot be read: a number in it is too long"),
    ('[DONE] {"result": {"success": true}}', 'in the JSON behind [DONE], "success" is missing'),
    ('[DONE] {"success": "true"}', 'in the JSON behind [DONE], "success" is "true", and must be true or false'),
    ('[DONE] {"success": 1}', 'in the JSON behind [DONE], "success" is 1, and must be true or false'),
    ('[DONE] {"success": true, "error": [0]}', 'in the JSON behind [DONE], "error" is [0], and must be a text'),
    (
        '[DONE] {"success": false, "success": true}',
        'in the JSON behind [DONE], "success" is written twice, with different values',
    ),
    ('[DONE] {"success": true} {"success": false}', "it has several verdicts behind [DONE], and they differ"),
    (
        '[DONE] {"success": tru}\n[DONE] {"success": true}',
        "the JSON behind [DONE] cannot be read: Expecting value, at its character 13",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "problem"), BAD_VERDICTS, ids=lambda each: each[:60])
def test_a_verdict_that_cannot_be_read_is_malformed_and_says_why(text: str, problem: str) -> None:
    """In words that a repair request can carry; there is no value, so no success."""
    trigger = read_trigger(text, protocol="done", speaker="simulator")
    assert (trigger.kind, trigger.value, trigger.problem) == ("malformed", None, problem)


BAD_WORK = [
    ('"summary": "s", "confidence": 0.5', '"deliverable" is missing'),
    ('"deliverable": "x", "confidence": 0.5', '"summary" is missing'),
    ('"deliverable": "x", "summary": "s"', '"confidence" is missing'),
    ('"deliverable": null, "summary": "s", "confidence": 0.5', '"deliverable" is null, and must be a text'),
    ('"deliverable": "\\u200b", "summary": "s", "confidence": 0.5', '"deliverable" is empty'),
    ('"deliverable": "x", "summary": 5, "confidence": 0.5', '"summary" is 5, and must be a text'),
    *(
        (
            f'"deliverable": "x", "summary": "s", "confidence": {confidence}',
            f'"confidence" is {confidence}, and must be a number from 0 to 1',
        )
        for confidence in ("85", "1.01", "-0.1", "NaN", "Infinity", "true", '"high"', '"85%"', '"7"', "[0.5]")
    ),
]


@pytest.mark.parametrize(("fields", "problem"), BAD_WORK)
def test_a_workers_fields_are_held_to_their_types(fields: str, problem: str) -> None:
    """A deliverable that is not blank, a summary, a confidence from 0 to 1; anything else is named."""
    trigger = read_trigger(f"[WORKER_COMPLETE] {{{fields}}}", protocol="worker", speaker="worker")
    assert (trigger.kind, trigger.value) == ("malformed", None)
    assert trigger.problem == f"in the JSON behind [WORKER_COMPLETE], {problem}"


@pytest.mark.parametrize(
    ("written", "confidence"), [("0", 0), ("1", 1), ("0.85", 0.85), ('"0,85"', 0.85), ('".5"', 0.5)]
)
def test_a_confidence_may_be_written_as_text(written: str, confidence: float) -> None:
    """A number in quotation marks, with point or comma, is that number."""
    trigger = read_trigger(COMPLETE.replace("0.5", written), protocol="worker")
    value = {"deliverable": "Three names.", "summary": "s", "confidence": confidence}
    assert trigger == Trigger("worker_complete", value, "", None)


@pytest.mark.parametrize("token", ["\\[WORKER\\_COMPLETE\\]", "[WORKER COMPLETE]", "[worker_completed]"])
def test_a_misspelt_token_counts_with_its_object(token: str) -> None:
    """Escapes, spaces and endings; without an object such a word is just a word."""
    text = COMPLETE.replace("[WORKER_COMPLETE]", token)
    assert read_trigger(text, protocol="worker").kind == "worker_complete"
    assert read_trigger(token, protocol="worker") == Trigger("none", None, token, None)


NOT_DONE = [
    "I'm [DONE] with this.",
    "I will say [DONE] when you answer.",
    'I will say [DONE] later. My data: {"id": 5}',
    "- [done] asked the number",
    "[done](http://127.0.0.1/) is the page.",
    "Is it [DONE]?",
    'You said: "[DONE] {"success": true}". Why?',
    'I\'d output [DONE] {"success": true} when the date is there.',
    'The agent answered {"success": true} and no date.',
    COMPLETE,
]


@pytest.mark.parametrize("text", NOT_DONE)
def test_a_verdict_that_is_spoken_of_is_none(text: str) -> None:
    """A word in a sentence, a quotation, a plan, another protocol's token."""
    assert read_trigger(text, protocol="done", speaker="simulator") == Trigger("none", None, text, None)


@pytest.mark.parametrize(
    ("text", "protocol", "problem"),
    [
        ('{"success": true}', "done", "its JSON object stands without [DONE] before it"),
        ('Thanks.\n[DONE {"success": true}', "done", "its JSON object stands without [DONE] before it"),
        (COMPLETE[18:], "worker", "its JSON object stands without [WORKER_COMPLETE] before it"),
        ("That is all.\n###STOP#", "stop_tokens", "the token at its end is cut off"),
    ],
)
def test_a_verdict_without_its_token_does_not_end_but_is_a_problem(text: str, protocol: Any, problem: str) -> None:
    """It must not be said to the other side as if it were talk."""
    assert read_trigger(text, protocol=protocol) == Trigger("none", None, text, problem)
