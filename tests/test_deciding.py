"""`--decide` on a debate: the final endorsements counted, or a judge of another maker, beside what was agreed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from arenas import decision, events, judge, prefers, says, script
from debates import QUESTION, SYNTHESIS, run
from samples import judged, reply

from debateroom.language import LANGUAGES
from debateroom.messages import Transcript
from debateroom.report import decision as told
from debateroom.report import html, markdown
from debateroom.room import summary
from debateroom.room.events import State
from debateroom.room.transcript import read_chat

Capture = pytest.CaptureFixture[str]
VOTES = {"A": ["A", "B"], "B": ["B", "B"], "C": ["C", "C"]}
"""Seat → whom it endorses in rounds 1 and 2."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with nothing in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def seats(folder: Path, votes: dict[str, list[str]] | None = None, *more: dict[str, Any]) -> str:
    """The seats' model: each has a proposal of its own and votes as the table says; without a moderator."""
    lines = []
    for seat, (first, second) in (votes or VOTES).items():
        opening = reply("opening", f"Position {seat}.", "Because.", f"Proposal {seat}.", "None.", "7")
        later = reply("debate", "Yes.", "No.", f"Refined {seat}.", f"Agent {second}" if second else "", "7")
        opening += f"\nENDORSES: Agent {first}"
        lines += [{"agent": f"Agent {seat}", "round": 1, "response": opening},
                  {"agent": f"Agent {seat}", "round": 2, "response": later}]  # fmt: skip
    return script(folder / "seats.jsonl", "anthropic", *lines, *more)


def debated(capsys: Capture, model: str, *arguments: str) -> tuple[int, str, str]:
    return run(capsys, QUESTION, "-n", "3", "-r", "2", "--model", model, *arguments)


def test_a_vote_counts_the_final_endorsements_and_shows_the_opening_ones(folder: Path, capsys: Capture) -> None:
    """Two of three sign one proposal: it wins; the debate's own outcome stays what it was."""
    code, out, _ = debated(capsys, seats(folder), "--decide", "vote")
    assert code == 0
    assert "Decided by vote: Agent B (Pragmatist), with 2 of 3 votes (in round 1: 1)\n" in out
    assert "Recommended action: Refined B.\n" in out
    found = decision("chatroom")
    assert (found["by"], found["outcome"], found["winner"]) == ("vote", "winner", "Agent B")
    assert found["votes"] == {"Agent B": ["Agent A", "Agent B"], "Agent C": ["Agent C"]}
    assert found["opening_votes"] == {f"Agent {seat}": [f"Agent {seat}"] for seat in "ABC"}
    assert events("synthesized", "chatroom")[0]["final_output"]["outcome"] == "split"
    report = Path("active/chatroom/chatroom_report.md").read_text(encoding="utf-8")
    assert "## Decision\n\nDecided by vote: Agent B (Pragmatist), with 2 of 3 votes (in round 1: 1)\n" in report


def test_the_proposal_that_won_stands_beside_another_recommendation(folder: Path, capsys: Capture) -> None:
    """Where the moderator recommends something else, both reports have both; where it is the same, it stands once."""
    model = seats(folder, None, {"call": "moderator", "response": {"aligned": False}},
                  {"call": "synthesis", "response": SYNTHESIS})  # fmt: skip
    debated(capsys, model, "--decide", "vote")
    assert decision("chatroom")["proposal"] == "Refined B."
    page = Path("active/chatroom/chatroom_report.md").read_text(encoding="utf-8")
    assert "The proposal that won, in its agent’s own words:\n\n> Refined B.\n" in page
    shown = html.render(read_chat("active/chatroom/chat.json"))
    assert '<blockquote class="prose" dir="auto">Refined B.</blockquote>' in shown
    debated(capsys, seats(folder), "--decide", "vote")
    page = Path("active/chatroom/chatroom_report.md").read_text(encoding="utf-8")
    assert "The proposal that won" not in page


def test_a_vote_is_counted_out_of_those_who_may_vote(folder: Path, capsys: Capture) -> None:
    """Who attacks by order has no vote, and is none of those out of whom the votes are counted."""
    votes = {"A": ["A", "A"], "B": ["B", "B"], "C": ["C", "A"], "D": ["D", ""]}
    code, out, _ = debated(capsys, seats(folder, votes), "-n", "4", "--decide", "vote", "--devil")
    assert code == 0
    assert "Decided by vote: Agent A (Architect), with 2 of 3 votes (in round 1: 1)\n" in out


def test_json_says_what_the_vote_decided(folder: Path, capsys: Capture) -> None:
    """The winner beside the debate's own outcome; without one, exit code 3 with the reason; else nothing of it."""
    code, out, _ = debated(capsys, seats(folder), "--decide", "vote", "--json", "-q")
    value = json.loads(out)
    assert (code, value["outcome"]) == (0, "split")
    assert value["decision"] == {
        "by": "vote", "outcome": "winner", "winner": "Agent B", "tied": [], "because": None,
        "voters": 3, "votes": {"Agent B": 2, "Agent C": 1},
    }  # fmt: skip
    nobody = seats(folder, {seat: [seat, ""] for seat in "ABC"})
    code, out, _ = debated(capsys, nobody, "--decide", "vote", "--json", "-q")
    told = json.loads(out)["decision"]
    assert (code, told["outcome"], told["votes"], told["voters"]) == (3, "no_verdict", {}, 3)
    assert told["because"] == "nobody said whose proposal they would sign"
    assert "decision" not in json.loads(debated(capsys, seats(folder), "--json", "-q")[1])


@pytest.mark.parametrize("value", [None, [], "x", {"Agent A": 1}, [None, 1, {}], 7])
@pytest.mark.parametrize("by", ["vote", "judge", None])
def test_a_decision_from_elsewhere_breaks_no_json(by: str | None, value: object) -> None:
    """Whatever it holds, there is an object."""
    found = {"by": by, "outcome": value, "votes": value, "scores": value, "undecided_because": value}
    transcript = Transcript("x", language="en", final_output={"decision": found})
    told = summary.shortened(summary.summarize(Path("room"), State(transcript)))
    assert told["decision"]["by"] == by


def test_a_tied_vote_is_a_tie(folder: Path, capsys: Capture) -> None:
    """Nobody's proposal is taken for the winner."""
    code, out, _ = debated(capsys, seats(folder, {seat: [seat, seat] for seat in "ABC"}), "--decide", "vote")
    assert code == 0
    assert (
        "Decided by vote: a tie between Agent A (Architect), Agent B (Pragmatist), Agent C (Critic), with 1 of 3"
        in out
    )
    assert decision("chatroom")["winner"] is None


def test_a_vote_that_nobody_cast_is_no_verdict(folder: Path, capsys: Capture) -> None:
    """Exit 3: an endorsement is declared or it is none."""
    code, out, _ = debated(capsys, seats(folder, {seat: [seat, ""] for seat in "ABC"}), "--decide", "vote")
    assert code == 3
    assert "Decided by vote: no verdict, because nobody said whose proposal they would sign" in out
    assert decision("chatroom")["votes"] == {"": ["Agent A", "Agent B", "Agent C"]}


def test_a_judge_decides_a_debate_as_in_the_arena(folder: Path, capsys: Capture) -> None:
    """It compares what the seats stand for in the end; scores and judgements are in the report."""
    code, out, err = debated(
        capsys, seats(folder), "--decide", "judge", *judge(folder, *prefers(["Agent C", "Agent A", "Agent B"]))
    )
    assert code == 0
    assert "Decided by scripted:judge.jsonl (nvidia): Agent C (Critic)\n" in out
    assert "Recommended action: Refined C.\n" in out
    assert "Moderator" in err
    assert "Judge" in err
    assert [row["agent"] for row in decision("chatroom")["scores"]] == ["Agent C", "Agent A", "Agent B"]
    report = Path("active/chatroom/chatroom_report.md").read_text(encoding="utf-8")
    assert "| Agent C (Critic) | scripted:seats.jsonl | 0.78 [0.10, 0.99] | won 2, tied 0, lost 0" in report
    page = Path("active/chatroom/chatroom_report.html").read_text(encoding="utf-8")
    assert page.count('class="ladder"') == 3


def test_a_judge_without_a_verdict_ends_a_debate_with_3(folder: Path, capsys: Capture) -> None:
    """The debate itself is done, and its synthesis is there."""
    code, out, _ = debated(capsys, seats(folder), "--decide", "judge", *judge(folder, says("answer_1")))
    assert code == 3
    assert "no verdict, because its judgements, with the answers in one order and in the other, disagree" in out
    assert "Recommended action: Refined B.\n" in out


def test_the_synthesis_is_told_what_was_decided(folder: Path, capsys: Capture, monkeypatch: Any) -> None:
    """A moderator that concludes is asked to carry the decision out, not to find another."""
    from debateroom.models.scripted import ScriptedModel

    asked: list[str] = []
    ask = ScriptedModel.ask
    monkeypatch.setattr(ScriptedModel, "ask", lambda self, request, **more: asked.append(request.own) or ask(
        self, request, **more))  # fmt: skip
    model = seats(folder, None, {"call": "synthesis", "response": SYNTHESIS})
    assert debated(capsys, model, "--decide", "vote", "--moderator", model)[0] == 0
    assert "It was decided by vote: the proposal of Agent B has most endorsements." in asked[-1]


def test_a_judge_of_the_seats_maker_decides_no_debate(folder: Path, capsys: Capture) -> None:
    """Nor does one that nobody asked to decide."""
    model = seats(folder)
    own = script(folder / "own.jsonl", "anthropic", {"call": "judge", **says("tie")})
    code, _, err = debated(capsys, model, "--decide", "judge", "--judge", own)
    assert (code, "its own maker" in err) == (2, True)
    code, _, err = debated(capsys, model, "--judge", own)
    assert (code, "next: --decide judge" in err) == (2, True)
    code, _, err = debated(capsys, model, "--decide", "lottery")
    assert (code, "--decide is 'lottery'" in err) == (2, True)
    assert not Path("active").exists()


@pytest.mark.parametrize("kind", ["debate", "arena"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_reports_tell_a_decision_in_every_language(language: str, kind: str) -> None:
    """The table, both judgements with their order, and a judge's words as text: no markup of theirs comes through."""
    transcript = judged(language, kind=kind)
    text, page = markdown.render(transcript), html.render(transcript)
    size = {"en": "1,204 characters", "fr": "1\u202f204 caractères", "zh": "1,204 个字符"}[language]
    for rendered in (text, page):
        assert size in rendered
        assert "Agent A → Agent B" in rendered
        assert "no JSON" in rendered
        assert "<b>x</b>" not in rendered
    assert "\\[y](http://z)" in text
    assert 'class="ladder"' in page


@pytest.mark.parametrize(
    "changed",
    [
        {"scores": "none", "pairs": 7, "longer_won": "x", "agreed": [1, None]},
        {"scores": [{}, {"score": "high", "agent": 3}, {"score": 1e9, "low": -4, "high": True}], "judge": "me"},
        {"scores": None, "pairs": [{"agents": None, "judgements": [{"shown": None, "verdict": {"a": 1}}]}]},
        {"outcome": "no_verdict", "undecided_because": "the moon", "winner": None, "tied": "all"},
        {"outcome": "tie", "tied": [None, {"x": 1}], "by": "vote", "votes": ["a"], "opening_votes": None},
        {"outcome": "else"}, {"by": "dice"}, {"judge": None, "seed": None, "rubric": {"a": 1}},
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["debate", "arena"])
def test_a_decision_from_elsewhere_breaks_no_report(kind: str, changed: dict[str, Any]) -> None:
    """A `chat.json` may hold anything."""
    transcript = judged("en", kind=kind, **changed)
    assert markdown.render(transcript)
    assert html.render(transcript)
    json.dumps(list(told.standings(transcript)))


def test_who_concludes_by_hand_is_told_what_was_decided(folder: Path, capsys: Capture) -> None:
    """The judge is asked before the room waits; the brief names the winner; no verdict ends `conclude` with 3."""
    given = ("--decide", "judge", *judge(folder, *prefers(["Agent C", "Agent A", "Agent B"])), "--synthesis", "host")
    assert debated(capsys, seats(folder), *given)[0] == 0
    brief = Path("active/chatroom/brief.md").read_text(encoding="utf-8")
    assert "A judge of another maker decided: the proposal of Agent C is the best one." in brief
    Path("final.json").write_text(json.dumps(SYNTHESIS))
    assert run(capsys, "conclude", "--file", "final.json")[0] == 0
    assert decision("chatroom")["winner"] == "Agent C"
    assert len(events("judged", "chatroom")) == 6
    given = ("--decide", "judge", *judge(folder, says("answer_1")), "--synthesis", "host")
    assert debated(capsys, seats(folder), *given)[0] == 0
    assert run(capsys, "conclude", "--file", "final.json")[0] == 3
