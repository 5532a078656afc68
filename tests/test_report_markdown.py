"""`chatroom_report.md`: the original skill's sections in its order, honest about what is missing, forged by none."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import samples
from freezegun import freeze_time
from markdown_it import MarkdownIt

from debateroom import clock
from debateroom.messages import Entry, Round, Seat, Transcript, Usage
from debateroom.report.markdown import render
from debateroom.report.text import shorten
from debateroom.room.transcript import from_json

HEADINGS = {
    "en": [
        "Agent debate room report", "Participants", "Consensus", "Key disagreements", "Recommended action",
        "Unresolved risks", "Debate highlights", "Full transcript",
    ],
    "fr": [
        "Rapport de la salle de débat d’agents", "Participants", "Consensus", "Désaccords clés", "Action recommandée",
        "Risques non résolus", "Points forts du débat", "Transcription complète",
    ],
    "zh": ["辩论室报告", "参与者", "共识", "主要分歧", "建议行动", "未解决的风险", "辩论亮点", "完整记录"],
}  # fmt: skip


def headings(text: str) -> list[str]:
    """The headings that a reader of the rendered report sees."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open"]


def rows(text: str) -> list[list[str]]:
    """The cells of the participants table, as a splitter at every pipe sees them."""
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines() if row.startswith("|")]


def line_of(text: str, label: str) -> str:
    """The line that begins with `**label**`."""
    return next(row for row in text.splitlines() if row.startswith(f"**{label}**"))


@pytest.mark.parametrize("language", ["en", "fr", "zh"])
def test_the_sections_are_the_skills_in_its_order(language: str) -> None:
    """One title and seven sections, under their names in the debate's language."""
    transcript = replace(samples.consensus(), language=language)
    assert headings(render(transcript)) == HEADINGS[language]


@pytest.mark.parametrize("transcript", samples.everybody())
def test_nobody_adds_a_heading_or_a_row(transcript: Transcript) -> None:
    """Whatever stands in a reply, a role or the synthesis: the headings are ours and each row has three cells."""
    text = render(transcript)
    found = headings(text)
    expected = HEADINGS[transcript.language]
    assert found[0].startswith(expected[0])
    assert found[1:] == expected[1:]
    assert [len(row) for row in rows(text)] == [3] * (2 + len(transcript.agents))
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    text.encode("utf-8")


@pytest.mark.parametrize("transcript", samples.everybody())
def test_the_only_html_is_one_fold_a_round(transcript: Transcript) -> None:
    """`<details>` opens and closes once a round, with our own summary; nothing else is HTML for a renderer."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(render(transcript))
    inline = [child for token in tokens for child in token.children or () if child.type == "html_inline"]
    assert inline == []
    summaries = {f"<summary>{word} {n}" for word in ("Round", "Tour", "第") for n in range(1, 13)}
    blocks = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert len(blocks) == 2 * len(transcript.rounds)
    for opening, closing in zip(blocks[::2], blocks[1::2], strict=True):
        assert opening.startswith("<details>\n<summary>")
        assert opening.removeprefix("<details>\n").split(" · ")[0].removesuffix(" 轮") in summaries
        assert closing == "</details>"


def test_a_hostile_reply_is_shown_whole() -> None:
    """Every hostile text stands in the rendered report as it was typed."""
    transcript = samples.hostile()
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(render(transcript))
    shown = "\n".join(
        "".join(child.content if child.type == "text" else "\n" for child in token.children or ())
        for token in tokens
        if token.type == "inline"
    ).replace("\xa0", " ")
    for text in samples.HOSTILE:
        for row in text.splitlines():
            if row.isprintable() and row.strip() and "\ud83d" not in row and "\u202e" not in row:
                assert row.strip() in shown


def test_links_lead_to_the_transcript_and_nowhere_else() -> None:
    """The one link is ours: the transcript's name without its folders, safe for any file name."""
    for path, target in (("chat.json", "chat.json"), (Path("a b") / "(c).json", "%28c%29.json")):
        tokens = MarkdownIt("commonmark").parse(render(samples.hostile(), chat_path=path))
        links = [child for token in tokens for child in token.children or () if child.type == "link_open"]
        assert [link.attrs["href"] for link in links] == [target]
        assert not [child for token in tokens for child in token.children or () if child.type == "image"]
    assert "](" not in render(samples.consensus(), chat_path=None)


def test_the_head_says_how_the_debate_ran() -> None:
    """Problem, agents, rounds played of asked, date with its zone, outcome, trust, cost, tokens, time."""
    head = render(samples.consensus()).split("\n## ")[0]
    assert head.splitlines()[2:8] == [
        "**Problem**: Queue or plain loop for the order mails?  ",
        "**Agents**: 4 | **Rounds**: 4 of 5  ",
        "**Date**: 2026-11-30T14:05:00+01:00  ",
        "**Outcome**: Consensus, reached in round 4.  ",
        "**How far to trust this**: 4 of 4 agents counted; 4 of 5 rounds; ended in agreement; "
        "opening vote 1–1–1–1, final vote 4–0; 3 changes of mind, each with its cause; "
        "concluded by anthropic:claude-sonnet-5-5; one model for all agents: agreement weighs less; "
        "nobody checked: that 300 mails an hour is the peak and not the mean.  ",
        "**Cost**: 0.19 US dollars | **Tokens**: 61,240 in (81% cached), 8,310 out | **Time**: 48 s",
    ]


def test_a_deadlock_a_dead_seat_and_an_extract_are_called_by_their_names() -> None:
    """The seat that failed is in the title, the deadlock in the outcome, and who wrote it in the next sentence."""
    text = render(samples.deadlock())
    assert text.splitlines()[0] == "# Agent debate room report, without Agent D (Devil's advocate)"
    assert line_of(text, "Outcome") == (
        "**Outcome**: Deadlock: a judgement call without a dominant answer, yours to make. "
        "This was made without a moderator: an extract from the agents’ own words.  "
    )
    assert line_of(text, "How far to trust this") == (
        "**How far to trust this**: 3 of 4 agents counted; "
        "Devil's advocate: no reply in round 3 — no answer within 120 s (openai:gpt-6.2-sol); "
        "Devil's advocate left out: a recipe, not an answer (round 2); 3 of 3 rounds; "
        "opening vote 1–1–1–1, final vote 2–1, 1 unknown; 1 change of mind, 1 without a stated cause; "
        "no moderator: an extract from the agents’ own words; 2 models of 2 vendors; "
        "2 claims dropped: their agents or quotations are not in the debate; 1 reply cut by the token limit.  "
    )
    assert rows(text)[2:] == [
        ["Agent A", "Optimist", "8/10"],
        ["Agent B", "Skeptic", "9/10"],
        ["Agent C", "Synthesizer", "—"],
        ["Agent D", "Devil's advocate", "5/10 (round 1)"],
    ]


def test_an_unknown_cost_is_unknown_and_not_nought() -> None:
    """No price, no time and no tokens are said, never shown as 0."""
    assert line_of(render(samples.one_round()), "Cost") == (
        "**Cost**: unknown | **Tokens**: not recorded | **Time**: unknown"
    )


def test_a_single_round_has_no_confidence_and_says_so() -> None:
    """No 0/10 and no None/10: a dash."""
    text = render(samples.one_round())
    assert rows(text)[2:] == [["Agent A", "Architect", "—"], ["Agent B", "Pragmatist", "—"]]
    assert "None" not in text
    assert "0/10" not in text


def test_an_unfinished_debate_has_no_verdict() -> None:
    """Interrupted, failed, running, waiting: each says what is missing and invents no section."""
    for status, outcome in {
        "interrupted": "No verdict: the debate was interrupted, 1 round played.",
        "failed": "No verdict: the debate failed, 1 round played.",
        "running": "No verdict yet: the debate is still running, 1 round so far.",
        "waiting_for_host": "No verdict yet: the rounds are over and nobody has concluded.",
        "finished": "No verdict: the transcript holds no conclusion.",
    }.items():
        text = render(replace(samples.one_round(), status=status))
        assert line_of(text, "Outcome") == f"**Outcome**: {outcome}  "
        assert text.count("Nothing was recorded here.") == 5


@freeze_time("2026-11-30 14:05:00")
def test_a_date_that_was_not_recorded_is_not_made_up() -> None:
    """The report then carries its own date, and says that it is its own."""
    text = render(replace(samples.consensus(), started=""))
    written = clock.now().isoformat()
    assert written.startswith("2026-11-30T14:05:00")
    assert line_of(text, "Date") == f"**Date**: not recorded (this report was written on {written})  "


def test_a_seat_that_came_back_is_not_dead() -> None:
    """A failure in an early round stands in the line on trust, not in the title."""
    transcript = samples.deadlock()
    first, second, third = transcript.rounds
    second, third = replace(second, failures=third.failures), replace(third, failures=())
    text = render(replace(transcript, rounds=(first, second, third, Round(4, first.entries))))
    assert text.splitlines()[0] == "# Agent debate room report"
    assert "Devil's advocate: no reply in round 2" in line_of(text, "How far to trust this")


def test_an_exclusion_says_why_in_the_readers_words() -> None:
    """Our own two reasons are spelled out, the synthesis's own are quoted, and an extract says why it is one."""
    said = {
        "outcome": "deadlock",
        "synthesized_by": "extract",
        "extract_because": "the moderator did not answer",
        "excluded": [
            {"agent": "Agent A", "round": 1, "reason": "off_topic"},
            {"agent": "Agent B", "round": 2, "reason": "no_answer"},
            {"agent": "Agent C", "reason": "a recipe"},
        ],
        "mind_changes": [{"agent": "Agent C", "from": "Agent C", "to": "Agent B", "because": "pilots", "round": 3}],
    }
    text = render(replace(samples.deadlock(), final_output=said))
    trust = line_of(text, "How far to trust this")
    for expected in (
        "; Optimist left out: off topic in round 1; Skeptic left out: no answer in round 2 that could be used; "
        "Synthesizer left out: a recipe; ",
        "; the moderator’s synthesis could not be used (the moderator did not answer): "
        "an extract from the agents’ own words; ",
    ):
        assert expected in trust
    assert "- Synthesizer, round 3: own proposal → Skeptic’s proposal, because pilots\n" in text


def test_models_of_one_vendor_weigh_less_than_of_several() -> None:
    """One model, several of one vendor, several vendors, and what is not recorded are told apart."""
    room = (Seat("Agent A", "x", "", "a:1", "v"), Seat("Agent B", "y", "", "a:2", "v"))
    for agents, expected in (
        ((room[0], replace(room[1], model="a:1")), "one model for all agents: agreement weighs less"),
        (room, "2 models of one vendor: agreement weighs less"),
        ((room[0], replace(room[1], vendor="w")), "2 models of 2 vendors"),
        ((room[0], replace(room[1], vendor="unknown")), "2 models, not all of a known vendor"),
        ((Seat("Agent A", "", ""), Seat("Agent B", "", "")), "models not recorded"),
    ):
        rounds = (Round(1, tuple(Entry(seat.name, seat.role, "x", model=seat.model) for seat in agents)),)
        trust = line_of(render(Transcript("?", agents=agents, rounds=rounds)), "How far to trust this")
        assert trust.endswith(f"; {expected}.  ")


def test_a_file_of_the_original_skill_becomes_a_report() -> None:
    """Read in its language, with the confidence its replies state; what is not recorded is not made up."""
    text = render(samples.left_behind())
    head, *sections = text.split("\n## ")
    assert rows(text)[2:] == [["Agent A", "Architecte", "8/10"], ["Agent B", "Pragmatique", "—"]]
    assert line_of(head, "Issue") == "**Issue**\u202f: La transcription n’indique pas d’issue.  "
    assert line_of(head, "Coût") == (
        "**Coût**\u202f: inconnu | **Jetons**\u202f: non consignés | **Durée**\u202f: inconnue"
    )
    assert line_of(head, "Quel crédit y accorder") == (
        "**Quel crédit y accorder**\u202f: 2 tours\u202f; nombre demandé non consigné\u202f; "
        "auteur de la synthèse non consigné\u202f; modèles non consignés\u202f; "
        "1 point du fichier inhabituel ou illisible (précisé à la fin).  "
    )
    assert sections[1:4] == [
        "Consensus\n\n- Une table Postgres suffit.\n",
        "Désaccords clés\n\n- **Le délai acceptable**\n",
        "Action recommandée\n\nConstruire la table.\n",
    ]
    assert sections[5] == (
        "Points forts du débat\n\nAucun n’a été consigné.\n\n"
        "Autres champs de la synthèse\u202f:\n\n- **prochaine étape**\u202f: Mesurer.\n"
    )
    assert text.endswith(
        "**Ce qui était inhabituel ou illisible**\n\n- Des tours se trouvaient aussi sous «\u202frounds_r2\u202f».\n"
    )


def test_what_could_not_be_read_is_named_at_the_end() -> None:
    """A foreign file's notes are counted in the head and listed after the transcript."""
    transcript = from_json(
        {"problem": "Queue or loop for our jobs?", "agents": 5, "rounds": "x", "final_output": [1]}
    )
    text = render(transcript)
    assert "3 things in the file were odd or could not be read (named at the end)" in line_of(
        text, "How far to trust this"
    )
    assert text.endswith(
        "**What was odd or could not be read**\n\n"
        "- The list of agents could not be read.\n"
        "- The rounds under “rounds” could not be read.\n"
        "- The synthesis is neither an object nor text; it is shown as it stands.\n"
    )
    assert "- **final_output**: 1" in text


def test_replies_carry_their_marks() -> None:
    """Cut, repaired, off topic and a short memory are said beside the reply; a failure stands in its place."""
    transcript = samples.deadlock()
    entry = replace(transcript.rounds[0].entries[0], history="last_round", finish="refusal")
    first = replace(transcript.rounds[0], entries=(entry,))
    text = render(replace(transcript, rounds=(first, *transcript.rounds[1:])))
    for expected in (
        "**Agent A (Optimist)** · confidence 9/10 · the model refused · saw only the round before",
        "**Agent D (Devil's advocate)** · confidence 10/10 · off topic, not counted",
        "**Agent B (Skeptic)** · confidence 9/10 · would sign its own proposal · "
        "second attempt, after a reply without readable sections",
        "**Agent A (Optimist)** · confidence 8/10 · would sign its own proposal · cut by the token limit",
        "**Agent D (Devil's advocate)** — no reply: no answer within 120 s (openai:gpt-6.2-sol)",
    ):
        assert expected in text.splitlines()


def test_what_the_moderator_found_stands_above_the_replies() -> None:
    """Why a round did not end the debate, and who held out; nothing where nobody moderated."""
    text = render(samples.consensus())
    third = "Moderator: Three would sign the table; the batch API is still on the table; not yet: Operator; "
    third += "open: a delay of five minutes"
    assert f"<summary>Round 3 · 4 replies</summary>\n\n{third}\n\n**Agent A (Architect)**" in text
    assert text.count("Moderator: ") == 2


def test_tokens_are_added_up_where_the_file_has_no_sum() -> None:
    """Usage of the entries stands in for a missing total."""
    entry = Entry("Agent A", "x", "text", usage=Usage(1_000, 500, 0, 200))
    transcript = Transcript("?", agents=(Seat("Agent A", "x", ""),), rounds=(Round(1, (entry, entry)),))
    assert "**Tokens**: 2,000 in (50% cached), 400 out" in render(transcript)


def test_a_very_long_question_does_not_fill_the_head() -> None:
    """It is cut where the head ends, and the cut is said."""
    text = render(replace(samples.consensus(), problem="Should jobs use a queue? " * 8_000))
    problem = line_of(text, "Problem")
    assert len(problem) < 2_100
    assert re.search(r"… \(cut here; the whole question is in the transcript\)  $", problem)


def test_all_sign_and_yet_no_agreement_says_why() -> None:
    """The blocker is quoted as text, the moderator's failures are named, and the changes are what happened."""
    text = render(samples.undecided())
    assert line_of(text, "Outcome") == (
        "**Outcome**: Split: all 3 agents would sign one proposal, but it is not an agreement yet: "
        "a blocker is open: "
        "“the \\*licence\\* of \\<b>one\\</b> font”. "
        "The moderator’s synthesis could not be used; this is an extract from the agents’ own words.  "
    )
    trust = line_of(text, "How far to trust this")
    for expected in (
        "; opening vote 1–1, final vote 3–0; 1 change of mind, 1 without a stated cause; "
        "1 agent changed its own proposal and stayed with it; "
        "no usable verdict of the moderator in rounds 1, 2: there is no JSON object in the answer; "
        "the moderator’s synthesis could not be used (there is no JSON object in the answer): "
        "an extract from the agents’ own words; ",
    ):
        assert expected in trust
    assert "no moderator" not in text
    planner = shorten(samples.undecided().agents[0].role, 60)
    assert f"| Agent A | {samples.undecided().agents[0].role.strip()} | 8/10 |" in text
    changes = text.split("## Debate highlights\n\n")[1].split("\n\n##")[0].splitlines()
    assert changes == [
        f"- {planner}, round 2: changed its own proposal: ship today → ship on Monday, because tests",
        f"- Tester, round 2: own proposal → {planner}’s proposal, no cause was stated",
    ]
    assert "Concerns that agents raised in the debate; nobody judged whether they were resolved." in text


REASONS = {
    "few_replies": "too few replies counted",
    "unsure": "at least one agent is less than 8 of 10 sure",
    "unknown_confidence": "the confidence of at least one agent is not known",
    "few_confidences": "too few agents said how sure they are",
    "no_verdict": "the moderator gave no verdict that could be used",
    "no_agreement": "the moderator saw no agreement",
    "blocker": "a blocker is open",
    "no_common_proposal": "not all would sign the same proposal",
}


@pytest.mark.parametrize(("word", "reason"), REASONS.items())
def test_what_stood_against_agreement_is_said_in_words(word: str, reason: str) -> None:
    """Every reason that the engine knows has its words, in a split and in a deadlock."""
    said = {"undecided_because": word, "final_vote": {"Agent A": 2, "Agent B": 1}, "synthesized_by": "host"}
    split = replace(samples.undecided(), final_output={"outcome": "split", **said})
    assert line_of(render(split), "Outcome") == (
        f"**Outcome**: Split: 2 of 3 agents would sign one proposal, but it is not an agreement yet: {reason}.  "
    )
    deadlock = replace(split, final_output={"outcome": "deadlock", **said})
    assert line_of(render(deadlock), "Outcome").endswith(f", yours to make. No agreement: {reason}.  ")
    for language in ("fr", "zh"):
        sentence = line_of(render(replace(split, language=language)), {"fr": "Issue", "zh": "结果"}[language])
        assert reason not in sentence
        assert word not in sentence


def test_blockers_stand_near_the_verdict() -> None:
    """Where another reason comes first they have a line of their own; old files' are the last moderator's."""
    said = {"outcome": "split", "undecided_because": "unsure", "open_blockers": ["one *font*", "two"]}
    text = render(replace(samples.undecided(), final_output=said))
    assert line_of(text, "Open blockers") == "**Open blockers**: “one \\*font\\*”, “two”  "
    first, last = samples.undecided().rounds
    last = replace(last, moderation={"open_blockers": ["three"]})
    old = replace(samples.undecided(), final_output={"outcome": "split"}, rounds=(first, last))
    assert line_of(render(old), "Open blockers") == "**Open blockers**: “three”  "


def test_an_extract_says_why_it_is_one() -> None:
    """Made without a moderator, made because the moderator failed, and not recorded are told apart."""
    for said, expected in (
        ({"extract_because": ""}, "; no moderator: an extract from the agents’ own words; "),
        (
            {"extract_because": "no answer within 60 s"},
            "; the moderator’s synthesis could not be used (no answer within 60 s): "
            "an extract from the agents’ own words; ",
        ),
        ({}, "; an extract from the agents’ own words; "),
    ):
        transcript = replace(
            samples.undecided(), final_output={"outcome": "split", "synthesized_by": "extract", **said}
        )
        assert expected in line_of(render(transcript), "How far to trust this")


def test_one_round_has_one_vote() -> None:
    """Not an opening vote and another final one for the same replies."""
    said = {**(samples.unanimous().final_output or {}), "opening_vote": {"Agent A": ["Agent A", "Agent B"]}}
    trust = line_of(render(replace(samples.unanimous(), final_output=said)), "How far to trust this")
    assert "; vote of the only round 3–0; " in trust
    assert "opening vote" not in trust


def test_lists_and_bold_of_the_action_are_kept_and_nothing_is_forged() -> None:
    """A list is a list and bold is bold, as in the HTML; a heading and a table are shown as typed."""
    section = render(samples.undecided()).split("## Recommended action\n\n")[1].split("\n\n## ")[0]
    assert section == (
        "- **step one**: write `notes.md`\n- step two\n\n\\# Consensus  \n\\| a \\| b \\|  \n\\|---\\|---\\|"
    )


def test_a_disagreement_of_one_side_is_that_seats_open_point() -> None:
    """The question stays, unless it only names the seat again."""
    section = render(samples.undecided()).split("## Key disagreements\n\n")[1].split("\n\n## ")[0]
    assert section == (
        "- **Open point of Agent B (Tester)**: the docs\n"
        "- **Which Monday?** — open point of Agent C (Writer): the next"
    )


def test_a_reply_without_a_name_is_called_so() -> None:
    """In each language, in the transcript and in the notes."""
    for language, name in (("en", "unnamed"), ("fr", "sans nom"), ("zh", "未署名")):
        value = {"problem": "?", "language": language, "version": "0.1.0", "agents": [], "status": "finished"}
        value["rounds"] = [{"round": 1, "entries": [{"response": "I would wait.", "confidence": "x"}]}]
        text = render(from_json(value))
        assert f"**{name}**" in text
        assert "****" not in text
        assert any(name in row for row in from_json(value).notes)


def test_no_path_of_the_machine_is_shown() -> None:
    """Who concluded is named by the file, not by its folders."""
    said = {"outcome": "split", "synthesized_by": "scripted:/tmp/a/s.jsonl"}
    text = render(replace(samples.undecided(), final_output=said))
    assert "concluded by scripted:s.jsonl" in text
    assert "a/s.jsonl" not in text


def test_bold_and_code_of_the_synthesis_are_kept_in_lists_too() -> None:
    """What the HTML shows bold is bold here: in points of agreement, claims, risks and the sharpest disagreement."""
    said = {
        "outcome": "split",
        "consensus": ["**Ship** `v2`\n- # now"],
        "disagreements": [{"question": "When?", "sides": [{"agents": ["Agent B"], "claim": "**late** <i>"}]}],
        "sharpest_disagreement": "**Cost** of `x`",
        "unresolved_risks": [{"risk": "**Docs**", "raised_by": []}],
    }
    text = render(replace(samples.undecided(), final_output=said))
    for expected in (
        "\n- **Ship** `v2`\n\n  - \\# now\n",
        "\n- **When?** — open point of Agent B (Tester): **late** \\<i>\n",
        "**Sharpest disagreement — yours to decide**: **Cost** of `x`\n",
        "\n- **Docs**\n",
    ):
        assert expected in text
