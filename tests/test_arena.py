"""The arena: a judge of another maker compares answers without names, twice, and what it says holds or does not."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from arenas import ANSWERS, TASK, arena, chat, decision, events, judge, prefers, says, script, seats
from debates import run

from debateroom import context, settings
from debateroom.debating import arena as arenas
from debateroom.debating import judging
from debateroom.errors import UsageError
from debateroom.models.registry import Models, ModelSettings
from debateroom.report import markdown
from debateroom.room.transcript import read_chat

Capture = pytest.CaptureFixture[str]
README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with nothing in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_better_answer_wins_whichever_is_shown_first(folder: Path, capsys: Capture) -> None:
    """stdout has the verdict, how each did and the paths; `chat.json` is a room's, of the kind `arena`."""
    code, out, err = arena(capsys, *seats(folder, *ANSWERS[:2]), *judge(folder, *prefers(["Agent B", "Agent A"])))
    assert code == 0
    assert out.splitlines()[:5] == [
        "Winner: Agent B (b) gave the best answer, as judge (nvidia) judges it.",
        "Agent B (b): won 1, tied 0, lost 0, without verdict 0; 23 characters",
        "Agent A (a): won 0, tied 0, lost 1, without verdict 0; 12 characters",
        "the judge held to its judgement in both orders for 1 of 1 pair",
        "the longer answer won in 1 of 1 comparison",
    ]
    assert out.splitlines()[-2:] == [
        f"Report: {folder / 'active/arena/chatroom_report.md'}",
        f"Transcript: {folder / 'active/arena/chat.json'}",
    ]
    assert "Judge    nvidia  scripted:judge.jsonl" in err
    assert "the judge is asked for 2 judgements" in err
    found = chat()
    assert (found["kind"], found["status"], found["problem"]) == ("arena", "finished", TASK)
    assert [(seat["name"], seat["vendor"]) for seat in found["agents"]] == [
        ("Agent A", "anthropic"), ("Agent B", "openai"),
    ]  # fmt: skip
    final = found["final_output"]
    assert (final["outcome"], final["recommended_action"]) == ("winner", ANSWERS[1])
    assert (decision()["winner"], decision()["judge"]) == (
        "Agent B", {"model": "scripted:judge.jsonl", "vendor": "nvidia"},
    )  # fmt: skip


def test_json_is_one_object(folder: Path, capsys: Capture) -> None:
    """With all keys, as of every room."""
    given = (*seats(folder, *ANSWERS[:2]), *judge(folder, *prefers(["Agent A", "Agent B"])))
    code, out, _ = arena(capsys, *given, "--json", "-q")
    value = json.loads(out)
    assert code == 0
    assert (value["ok"], value["kind"], value["outcome"], value["rounds_played"]) == (True, "arena", "winner", 1)
    assert (value["recommended_action"], value["agents"], value["effective_agents"]) == (ANSWERS[0], 2, 2)
    assert list(value)[list(value).index("outcome") + 1] == "decision"
    assert value["decision"] == {
        "by": "judge", "outcome": "winner", "winner": "Agent A", "tied": [], "because": None,
        "judge": {"model": "scripted:judge.jsonl", "vendor": "nvidia"}, "scores": {"Agent A": None, "Agent B": None},
    }  # fmt: skip


def test_json_says_who_won_and_why_nobody_did(folder: Path, capsys: Capture) -> None:
    """Of three seats with their scores; without a verdict, exit code 3 with the reason; the same from `status`."""
    code, out, _ = arena(
        capsys, *seats(folder, *ANSWERS), *judge(folder, *prefers(["Agent B", "Agent A", "Agent C"])), "--json", "-q"
    )
    told = json.loads(out)["decision"]
    assert (code, told["winner"]) == (0, "Agent B")
    assert list(told["scores"]) == ["Agent B", "Agent A", "Agent C"]
    assert told["scores"]["Agent B"] > told["scores"]["Agent A"] > told["scores"]["Agent C"]
    code, out, _ = arena(capsys, *seats(folder, *ANSWERS[:2]), *judge(folder, says("answer_1")), "--json", "-q")
    value = json.loads(out)
    told = value["decision"]
    assert (code, value["exit_code"], told["outcome"], told["winner"]) == (3, 3, "no_verdict", None)
    assert told["because"] == "its judgements, with the answers in one order and in the other, disagree"
    assert json.loads(run(capsys, "status", "arena", "--json")[1])["decision"] == told


@pytest.mark.parametrize("always", ["answer_1", "answer_2"])
def test_a_judge_that_always_prefers_one_place_gives_no_verdict(folder: Path, capsys: Capture, always: str) -> None:
    """Its two judgements contradict each other: exit 3, nothing recommended, both of them in the file."""
    code, out, _ = arena(capsys, *seats(folder, *ANSWERS[:2]), *judge(folder, says(always)))
    assert code == 3
    assert out.startswith(
        "No verdict: judge (nvidia) gave no verdict: its judgements, with the answers in one order and in the other, "
        "disagree.\n"
    )
    assert "the judge held to its judgement in both orders for 0 of 1 pair\n" in out
    (pair,) = decision()["pairs"]
    assert (pair["verdict"], pair["because"]) == ("no_verdict", "order")
    assert {each["verdict"] for each in pair["judgements"]} == {"Agent A", "Agent B"}
    assert chat()["final_output"]["recommended_action"] == ""
    assert events("room_finished")[-1]["exit_code"] == 3


def test_a_tie_is_a_tie_and_half_of_one_is_no_verdict(folder: Path, capsys: Capture) -> None:
    """Both ways round, or it is none."""
    code, out, _ = arena(capsys, *seats(folder, *ANSWERS[:2]), *judge(folder, says("tie")))
    assert (code, decision()["outcome"], decision()["tied"]) == (0, "tie", ["Agent A", "Agent B"])
    assert out.startswith("Tie: The answers of Agent A (a), Agent B (b) are as good as each other")
    half = [{"agent": "Agent A/Agent B", **says("tie")}, {"agent": "Agent B/Agent A", **says("answer_1")}]
    code, _, _ = arena(capsys, *seats(folder, *ANSWERS[:2]), *judge(folder, *half))
    assert (code, decision()["outcome"]) == (3, "no_verdict")


def test_three_seats_are_compared_in_pairs_and_scored(folder: Path, capsys: Capture) -> None:
    """Every pair twice; the scores are those of the table in `test_strength`, with intervals; lengths beside them."""
    order = ["Agent C", "Agent A", "Agent B"]
    code, out, _ = arena(capsys, *seats(folder, *ANSWERS), *judge(folder, *prefers(order)))
    assert code == 0
    rows = decision()["scores"]
    assert [(row["agent"], row["score"], row["won"], row["lost"]) for row in rows] == [
        ("Agent C", 0.7849, 2, 0), ("Agent A", 0.5, 1, 1), ("Agent B", 0.2151, 0, 2),
    ]  # fmt: skip
    assert [row["characters"] for row in rows] == [len(ANSWERS[2]), len(ANSWERS[0]), len(ANSWERS[1])]
    assert "Agent C (c): 0.78 [0.10, 0.99]; won 2, tied 0, lost 0, without verdict 0; 33 characters" in out
    assert decision()["longer_won"] == [2, 3]
    assert len(events("judged")) == 6


def test_a_winner_must_lead_whatever_the_open_pairs_would_have_said(folder: Path, capsys: Capture) -> None:
    """A pair without a verdict between the others changes nothing; one that could put another on top does."""
    open_pair = [{"agent": f"{one}/{other}", **says("answer_1")}
                 for one, other in (("Agent B", "Agent C"), ("Agent C", "Agent B"))]  # fmt: skip
    lines = [line for line in prefers(["Agent A", "Agent B", "Agent C"]) if "Agent A" in line["agent"]]
    code, _, _ = arena(capsys, *seats(folder, *ANSWERS), *judge(folder, *lines, *open_pair))
    assert (code, decision()["winner"]) == (0, "Agent A")
    tied = [{"agent": f"{one}/{other}", **says("tie")}
            for one, other in (("Agent A", "Agent C"), ("Agent C", "Agent A"))]  # fmt: skip
    lines = [line for line in lines if "Agent C" not in line["agent"]]
    code, _, _ = arena(capsys, *seats(folder, *ANSWERS), *judge(folder, *lines, *tied, *open_pair))
    assert (code, decision()["winner"], decision()["undecided_because"]) == (3, None, "order")


@pytest.mark.parametrize(
    ("low", "outcome", "code"), [(6, "winner", 0), (8, "no_verdict", 3)],
)  # fmt: skip
def test_above_eight_seats_each_answer_is_rated_twice(
    folder: Path, capsys: Capture, low: int, outcome: str, code: int
) -> None:
    """The winner's lower rating is above every other's higher one; else there is none. Scores are the means."""
    answers = [f"Answer number {number}." for number in range(9)]
    rated = [
        {"response": {"why": "So so.", "score": low}},
        {"agent": "Agent D", "response": {"why": "Good.", "score": 9}},
        {"agent": "Agent D", "round": 2, "response": {"why": "Good.", "score": 8}},
    ]
    found, _, _ = arena(capsys, *seats(folder, *answers), *judge(folder, *rated))
    assert (found, decision()["outcome"], decision()["method"]) == (code, outcome, "rating")
    assert len(events("judged")) == 18
    best = decision()["scores"][0]
    assert (best["agent"], best["score"], best["low"], best["high"]) == ("Agent D", 8.5, 8, 9)
    assert "8.5 [8.0, 9.0]" in Path("active/arena/chatroom_report.md").read_text(encoding="utf-8")


def test_a_rating_off_the_scale_is_asked_for_once_more_and_then_unusable(folder: Path, capsys: Capture) -> None:
    """No rating is made up, and a seat without two of them leaves no verdict."""
    answers = [f"Answer number {number}." for number in range(9)]
    code, _, _ = arena(capsys, *seats(folder, *answers), *judge(folder, {"response": {"why": "!", "score": 11}}))
    assert (code, decision()["undecided_because"]) == (3, "unusable")
    assert {event["problem"] for event in events("judged")} == {"`score` is a whole number from 1 to 10"}


def test_what_cannot_be_read_is_no_verdict_and_is_kept(folder: Path, capsys: Capture) -> None:
    """A judge that writes prose, also when told what is wrong, has judged nothing: the reason is in the file."""
    code, out, _ = arena(capsys, *seats(folder, *ANSWERS[:2]), *judge(folder, {"response": "The first, I think."}))
    assert (code, decision()["undecided_because"]) == (3, "unusable")
    assert "what it wrote could not be read" in out
    assert [event["problem"] for event in events("judged")] == ["there is no JSON object in the answer"] * 2


def report(room: str = "arena") -> str:
    return Path("active", room, "chatroom_report.md").read_text(encoding="utf-8")


def test_what_was_not_judged_is_no_disagreement(folder: Path, capsys: Capture) -> None:
    """Of three pairs one is held, one contradicts itself, one cannot be read: the judge held to one of two."""
    lines = [{"agent": "Agent A/Agent B", **says("answer_1")}, {"agent": "Agent B/Agent A", **says("answer_2")},
             {"agent": "Agent A/Agent C", **says("answer_1")}, {"agent": "Agent C/Agent A", **says("answer_1")},
             {"response": "?"}]  # fmt: skip
    _, out, _ = arena(capsys, *seats(folder, *ANSWERS), *judge(folder, *lines))
    assert "the judge held to its judgement in both orders for 1 of 2 pairs\n" in out
    assert decision()["agreed"] == [1, 2]


def test_of_a_judge_that_was_not_asked_nothing_is_claimed(folder: Path, capsys: Capture) -> None:
    """With one answer that counts there is nothing to judge: no blindness, no score, no order."""
    given = [*seats(folder, ANSWERS[0], ANSWERS[1], ""), "--quorum", "2"]
    arena(capsys, *given, *judge(folder, says("tie")))
    assert "Every judgement was made without names" in report()
    transcript = replace(read_chat("active/arena/chat.json"), final_output={
        "outcome": "no_verdict", "summary": "x",
        "decision": {**decision(), "outcome": "no_verdict", "pairs": [], "scores": [], "agreed": [0, 0]},
    })  # fmt: skip
    told = markdown.render(transcript)
    assert "made by nvidia; it was not asked" in told
    assert "Every judgement" not in told
    assert "seed" not in told


def test_ratings_are_told_as_ratings(folder: Path, capsys: Capture) -> None:
    """Nothing was shown in an order: each answer was rated twice; two ratings that lie apart are the reason."""
    answers = [f"Answer number {number}." for number in range(9)]
    rated = [{"response": {"why": "So so.", "score": 5}},
             {"agent": "Agent D", "response": {"why": "Good.", "score": 9}},
             {"agent": "Agent D", "round": 2, "response": {"why": "Hm.", "score": 4}}]  # fmt: skip
    code, out, _ = arena(capsys, *seats(folder, *answers), *judge(folder, *rated))
    assert (code, decision()["undecided_because"]) == (3, "ratings")
    assert "gave no verdict: its two ratings of an answer differ too much for an order.\n" in out
    told = report()
    assert "Every rating was made without names, on answers made alike, and twice." in told
    assert "made by nvidia; each answer was rated by itself" in told
    assert "the other way round" not in told
    assert [line.strip() for line in told.splitlines() if "Good." in line] == ["- 9\\.0. Good."]


def test_a_cycle_is_told_as_one(folder: Path, capsys: Capture) -> None:
    """A beats B, B beats C, C beats A: nobody is best, and nobody held them for as good as each other."""
    lines = [line for order in ("AB", "BC", "CA") for line in prefers([f"Agent {letter}" for letter in order])]
    code, out, _ = arena(capsys, *seats(folder, *ANSWERS), *judge(folder, *lines))
    assert (code, decision()["outcome"], decision()["tie"]) == (0, "tie", "cycle")
    assert out.startswith(
        "Tie: None is best: Agent A (a), Agent B (b), Agent C (c) won equally often, as judge (nvidia) judges them, "
        "and beat each other in a circle.\n"
    )
    assert "as good as each other" not in report()


def test_the_same_answers_need_no_judge(folder: Path, capsys: Capture) -> None:
    """They are a tie, which is told as what it is; a third answer is judged against each of them."""
    code, out, _ = arena(capsys, *seats(folder, "Use a queue.", "**Use a queue.**"), *judge(folder, says("tie")))
    assert (code, decision()["tie"], events("judged")) == (0, "identical", [])
    assert out.startswith("Tie: The answers of Agent A (a), Agent B (b) are the same, word for word: ")
    assert "tie: the answers are the same, and the judge was not asked" in report()
    both = [*prefers(["Agent A", "Agent C"]), *prefers(["Agent B", "Agent C"])]
    arena(capsys, *seats(folder, "Use a queue.", "Use a queue.", "Use a loop."), *judge(folder, *both))
    assert (decision()["tied"], decision()["tie"]) == (["Agent A", "Agent B"], "identical")
    assert (len(events("judged")), decision()["agreed"]) == (4, [2, 2])


def test_the_order_is_drawn_by_the_seed_and_can_be_drawn_again() -> None:
    """Every pair comes twice, the second time reversed; another seed draws another order; no place is favoured."""
    answers = {f"Agent {letter}": f"Plan {letter}." for letter in "ABCDE"}
    first = judging.questions(answers, 7)
    assert first == judging.questions(answers, 7)
    assert first != judging.questions(answers, 8)
    assert len(first) == 20
    for one, other in zip(first[::2], first[1::2], strict=True):
        assert (one.shown, one.turn, other.turn) == (other.shown[::-1], 1, 2)
    two = {name: answers[name] for name in ("Agent A", "Agent B")}
    leads = Counter(judging.questions(two, seed)[0].shown[0] for seed in range(400))
    assert 150 < leads["Agent A"] < 250


def test_the_seed_is_kept_and_draws_the_rooms_order(folder: Path, capsys: Capture) -> None:
    """What was shown first is in the journal, and follows from the seed alone."""
    given = (
        *seats(folder, *ANSWERS),
        *judge(folder, *prefers(["Agent A", "Agent B", "Agent C"])),
        "--concurrency",
        "1",
    )
    arena(capsys, *given, "--seed", "11")
    asked = judging.questions(dict(zip(("Agent A", "Agent B", "Agent C"), ANSWERS, strict=True)), 11)
    assert [tuple(event["shown"]) for event in events("judged")] == [each.shown for each in asked]
    assert decision()["seed"] == 11


@pytest.mark.parametrize(
    ("seat", "wanted"),
    [
        ("opus", "sonnet"),
        ("opus", "anthropic:claude-haiku-5-5"),
        ("opus", "anthropic/claude-sonnet-5-5"),
        ("opus", "openai:anthropic/claude-sonnet-5-5"),
        ("openai:claude-opus-5-5", "sonnet"),
        ("openai:anthropic/claude-opus-5-5", "command:claude"),
        ("gpt", "command:codex"),
        ("openai:google/gemini-3-pro", "command:gemini"),
    ],
)
def test_a_judge_of_a_seats_maker_is_refused(
    here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, seat: str, wanted: str
) -> None:
    """Under an alias, a server of one's own, a gateway's name or as a program: exit 2, the reason, what would do."""
    monkeypatch.setenv("DEBATEROOM_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("PATH", str(here))
    for name in ("claude", "codex", "gemini"):
        (here / name).write_text("#!/bin/sh\nexit 1\n")
        (here / name).chmod(0o755)
    other = script(here / "x.jsonl", "cohere", {"default": True, "response": "x"})
    code, _, err = arena(capsys, "--seat", other, "--seat", seat, "--judge", wanted)
    assert code == 2
    assert "a judge must not judge answers of its own maker" in err
    assert "next: --judge " in err
    assert not Path("active").exists(), "nothing was asked, and there is no room"


def test_auto_takes_a_configured_model_of_another_maker(here: Path, capsys: Capture) -> None:
    """In the order of the defaults; what is not configured is never taken."""
    one = script(here / "x.jsonl", "cohere", {"default": True, "response": "x"})
    code, out, _ = arena(capsys, "--seat", one, "--seat", "opus", "--dry-run")
    assert code == 0
    assert "judge    openai:gpt-6.2-sol (openai)" in out
    code, out, _ = arena(capsys, "--seat", one, "--seat", "gpt", "--dry-run", "--judge", "auto")
    assert "judge    anthropic:claude-sonnet-5-5 (anthropic)" in out


def test_without_a_judge_there_is_no_arena(here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 2 with what is lacking, and nothing is pretended."""
    code, _, err = arena(capsys, "--seat", "opus", "--seat", "gpt")
    assert code == 2
    assert "no model that is configured here is made by somebody other than anthropic, openai" in err
    assert "--judge command:gemini" in err
    monkeypatch.delenv("OPENAI_API_KEY")
    one = script(here / "x.jsonl", "cohere", {"default": True, "response": "x"})
    code, _, err = arena(capsys, "--seat", one, "--seat", "opus")
    assert code == 2
    assert "next: debateroom keys set openai, then --judge gpt" in err


def test_a_maker_that_nobody_knows_is_asked_for(here: Path, capsys: Capture) -> None:
    """A script that states none and a model of one's own need `--vendor`."""
    (here / "plain.jsonl").write_text(json.dumps({"default": True, "response": "x"}))
    code, _, err = arena(capsys, "--seat", "scripted:plain.jsonl", "--seat", "opus", "--dry-run")
    assert (code, "next: --vendor scripted:plain.jsonl=VENDOR" in err) == (2, True)
    given = ("--seat", "scripted:plain.jsonl", "--seat", "opus", "--vendor", "scripted:plain.jsonl=acme", "--dry-run")
    assert arena(capsys, *given)[0] == 0
    assert arena(capsys, *given[:-3], "--vendor", "scripted:plain.jsonl=openai", "--dry-run")[0] == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--seat", "opus"], "an arena has at least two seats"),
        (["--seat", "opus", "--seat", "gpt", "--rounds", "-1"], "--rounds -1: it is 0"),
        (["--seat", "gpt", "--seat", "gpt", "--judge", "embedded"], "embedded cannot judge"),
        (["--seat", "gpt", "--seat", "gpt", "--rubric", "none.md"], "--rubric none.md: context file none.md"),
        (["--seat", "gpt", "--seat", "gpt", "--rubric", "-"], "is read from a file"),
        (["--seat", "gpt", "--seat", "gpt", "--vendor", "gpt"], "does not say who made a model"),
        (["--seat", "gpt", "--seat", "gpt", "--vendor", "haiku=anthropic"], "neither a seat nor the judge"),
    ],
)
def test_what_makes_no_arena_is_refused(here: Path, capsys: Capture, given: list[str], said: str) -> None:
    """Exit 2 before anybody is asked, with the word that is wrong."""
    code, _, err = arena(capsys, *given)
    assert (code, said in err) == (2, True), err
    assert not Path("active").exists()


def test_errors_speak_the_language_of_the_task(here: Path, capsys: Capture) -> None:
    """And so do the room's lines."""
    code, _, err = run(
        capsys, "arena", "Comment exécuter nos tâches de fond ?", "--seat", "opus", "--judge", "sonnet"
    )
    assert (code, "une arène a au moins deux sièges" in err) == (2, True)


def test_a_rubric_of_ones_own_is_what_the_judge_goes_by(here: Path) -> None:
    """It is read once, and kept in the room: a resume does not need the file."""
    (here / "rubric.md").write_text("- It fits on one line.\n")
    chosen = settings.load({"judge": "gpt", "rubric": "rubric.md"})
    plan = arenas.make(TASK, ["opus", "haiku"], chosen, context.Context(), Models(ModelSettings()))
    assert plan.judging is not None
    assert plan.judging.rubric == "- It fits on one line."
    missing = settings.load({"judge": "gpt", "rubric": "nothing.md"})
    with pytest.raises(UsageError, match=r"nothing\.md does not exist"):
        arenas.make(TASK, ["opus", "haiku"], missing, context.Context(), Models(ModelSettings()))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b" \n\t\n", "there is no text in it"),
        (b"\x89PNG\r\n\x1a\n\x00\xd8", "text"),
        (b"a\0b", "text"),
        (None, "a folder is not what a judge can go by"),
    ],
)
def test_a_rubric_without_text_is_refused(here: Path, capsys: Capture, content: bytes | None, said: str) -> None:
    """An empty file, a binary one, a folder: exit 2 with its name, before anything is asked."""
    rubric = here / "rubric"
    rubric.mkdir() if content is None else rubric.write_bytes(content)
    given = (*seats(here, *ANSWERS[:2]), *judge(here, says("tie")), "--rubric", "rubric")
    code, _, err = arena(capsys, *given)
    assert code == 2
    assert "--rubric rubric: " in err
    assert said in err
    assert not Path("active").exists()


def test_a_rating_is_a_number(folder: Path, capsys: Capture) -> None:
    """`true` is none, though it would pass for 1."""
    answers = [f"Answer number {number}." for number in range(9)]
    code, _, _ = arena(capsys, *seats(folder, *answers), *judge(folder, {"response": {"why": "!", "score": True}}))
    assert (code, decision()["undecided_because"]) == (3, "unusable")
    assert all("score" not in event for event in events("judged"))


def test_the_dry_run_reckons_with_the_judging(here: Path, capsys: Capture) -> None:
    """As JSON too: so many judgements as pairs twice; above eight seats two for each."""
    three = ("--seat", "opus", "--seat", "haiku", "--seat", "sonnet", "--judge", "gpt", "--dry-run", "--json")
    value = json.loads(arena(capsys, *three)[1])
    assert (value["judge"], value["moderator"], value["judging"]["calls"]) == ("openai:gpt-6.2-sol", None, 6)
    assert value["synthesis"] is None
    assert value["all_rounds"]["calls"] == 9
    nine = [part for _ in range(9) for part in ("--seat", "opus")]
    value = json.loads(arena(capsys, *nine, "--judge", "gpt", "--dry-run", "--json")[1])
    assert value["judging"]["calls"] == 18


def test_a_budget_that_does_not_hold_answers_and_judgements_asks_nobody(here: Path, capsys: Capture) -> None:
    """Exit 7 before there is a room."""
    code, _, err = arena(capsys, "--seat", "opus", "--seat", "haiku", "--judge", "gpt", "--budget", "0.01")
    assert (code, "nothing was asked" in err) == (7, True)
    assert not Path("active/arena/journal.jsonl").exists()


QUEUE = (
    "**A queue.** Put jobs into a table with a lock and let two workers take from it; "
    "a job that fails is tried again three times."
)
LOOP = (
    "A simple loop will do: one process that wakes up each second, runs what is due and writes what failed to the "
    "log. It has no retries and no second worker, so a slow job holds up all others."
)


def test_the_arena_of_the_readme_is_a_real_one(folder: Path, capsys: Capture) -> None:
    """What it shows, stderr first, is what comes of the command as it stands there."""
    shown = re.search(r"```\n\$ (debateroom arena .*?)```", README, re.DOTALL)
    assert shown is not None
    command, expected = re.split(r"\n(?! )", shown[1], maxsplit=1)
    script(folder / "one.jsonl", "anthropic", {"default": True, "response": QUEUE})
    script(folder / "two.jsonl", "openai", {"default": True, "response": LOOP})
    script(folder / "three.jsonl", "mistral", {"default": True, "response": "Use cron."})
    lines = [line for line in prefers(["Agent A", "Agent B", "Agent C"]) if "Agent A" in line["agent"]]
    script(folder / "judge.jsonl", "google", *({"call": "judge", **line} for line in [*lines, says("answer_1")]))
    code, out, err = run(capsys, *shlex.split(command.replace("\\\n", ""))[1:])
    assert code == 0
    said = (err + out).replace(str(folder), "/home/you/project")
    given = r"about [\d,]+ tokens in"  # the tag of the fence is drawn, and counts with what it is made of
    assert re.sub(given, "", said) == re.sub(given, "", expected)
