"""`--devil`: one seat a round attacks by order, and its word makes and breaks no agreement."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from arenas import judgements
from debates import ALIGNED, APART, QUESTION, SYNTHESIS, Serve, chat, run, seat_calls
from vendor import VendorServer, debate_script
from vendor.faults import HttpError

from debateroom import activities, context, resuming, settings
from debateroom.activities import Outcome
from debateroom.debating import arena, devil
from debateroom.debating import plan as plans
from debateroom.debating.convergence import decide, gate
from debateroom.debating.plan import Plan
from debateroom.messages import Entry, Round, Transcript
from debateroom.models.registry import Models
from debateroom.report import html, markdown
from debateroom.room.transcript import from_json, read_chat, to_json

ATTACK = "you are also the devil's advocate"
TABLE: dict[str, list[tuple[float | str | None, str | None]]] = {
    "Agent A": [(9, None), (9, "Agent A")],
    "Agent B": [(9, None), (2, "Agent B")],
    "Agent C": [(9, None), (9, "Agent A")],
}
"""A leads after round 1, B attacks in round 2 and is unsure, A and C are sure of A's proposal."""


def three(serve: Serve, *verdicts: dict[str, Any], rounds: int = 3, **given: Any) -> tuple[VendorServer, Outcome]:
    """A debate of three with a devil's advocate, and the server that was asked."""
    server = serve(debate_script(TABLE, moderator=list(verdicts) or None, synthesis=SYNTHESIS))
    return server, activities.debate(QUESTION, agents=3, rounds=rounds, model="sonnet", devil=True, **given)


def plan_of(agents: int) -> Plan:
    chosen = settings.load({"agents": agents, "devil": True, "model": "sonnet"})
    with Models() as models:
        return plans.make(QUESTION, chosen, context.collect((), ()), models)


def said(number: int, *endorsed: str | None, devil: str | None = None) -> Round:
    """A round in which Agent A, Agent B … endorse these seats."""
    entries = tuple(
        Entry(f"Agent {'ABCDE'[n]}", "", f"REFINED PROPOSAL: plan {n}", confidence=9, endorses=name)
        for n, name in enumerate(endorsed)
    )
    return Round(number, entries, devil=devil)


def test_the_attack_rotates_by_seat_order_and_passes_over_the_seat_that_leads(here: object) -> None:
    """In turn after the last one; the seat whose proposal is attacked never attacks it itself."""
    plan, rounds, found = plan_of(4), [said(1, None, None, None, None)], []
    leads = ["Agent A", "Agent A", "Agent D", "Agent A", "Agent A", "Agent B"]
    for number, leading in enumerate(leads, start=2):
        transcript = Transcript(QUESTION, rounds=tuple(rounds))
        attack = devil.appointed(plan, transcript, {number - 1: {"proposal": leading}}, number)
        assert attack is not None
        assert attack.attacks == leading
        found.append(attack.devil[-1])
        rounds.append(said(number, None, None, None, None, devil=attack.devil))
    assert "".join(found) == "BCABCD"
    assert devil.appointed(plan, Transcript(QUESTION), {}, 1) is None
    assert devil.appointed(replace(plan, devil=False), Transcript(QUESTION, rounds=tuple(rounds)), {}, 2) is None


@pytest.mark.parametrize(
    ("last", "leading", "expected"),
    [
        (said(2, "Agent B", "Agent B", "Agent C"), "Agent C", "Agent C"),
        (said(2, "Agent B", "Agent C", "Agent C"), None, "Agent C"),
        (said(2, "Agent C", "Agent B", None), None, "Agent B"),
        (said(2, "Agent A", "Agent C", "Agent B", devil="Agent A"), "nobody", "Agent B"),
        (said(1, None, None, None), None, "Agent A"),
        (
            Round(1, (Entry("Agent A", "", "x", confidence=4), Entry("Agent B", "", "y", confidence=6))),
            None,
            "Agent B",
        ),
        (Round(1), None, None),
    ],
)
def test_what_is_attacked(last: Round, leading: str | None, expected: str | None) -> None:
    """What the decision names; else most endorsements, a devil's left out, else the surest; the first of several."""
    assert devil.attacked(last, {"proposal": leading}, ["Agent A", "Agent B", "Agent C"]) == expected


def test_the_devils_endorsement_and_confidence_make_and_break_no_agreement() -> None:
    """The same round converges with the seat as devil, and not without; one voice alone never does."""
    entries = said(2, "Agent A", "Agent B", "Agent A").entries
    item = Round(2, (entries[0], replace(entries[1], confidence=2), entries[2]), devil="Agent B")
    assert gate(item, quorum=2).open
    found = decide(item, moderated=False, quorum=2)
    assert (found.converged, found.proposal, found.backers) == (True, "Agent A", ("Agent A", "Agent C"))
    assert (found.effective, found.excluded) == (2, ())
    assert not decide(replace(item, devil=None), moderated=False, quorum=2).converged
    assert decide(item, moderated=False, quorum=3).converged, "who attacks is of the quorum"
    alone = replace(item, entries=item.entries[:2])
    assert decide(alone, moderated=False, quorum=2).why == "few_replies"
    lifted = Round(2, (entries[0], replace(entries[1], endorses="Agent C"), replace(entries[2], endorses="Agent C")))
    assert decide(replace(lifted, devil="Agent B"), moderated=False, quorum=2).proposal is None


def test_only_the_seat_itself_is_told_to_attack_and_all_still_share_one_prefix(serve: Serve) -> None:
    """The instruction stands in the own block; what the seats share is the same to the byte, and marks the attack."""
    server, _ = three(serve, APART, rounds=3)
    calls = seat_calls(server)
    first, second, third = calls[:3], calls[3:6], calls[6:]
    assert [ATTACK in call.own for call in first] == [False] * 3
    for calls_, name in ((second, "Agent B"), (third, "Agent C")):
        assert [call.own.split(",")[0] for call in calls_ if ATTACK in call.own] == [f"You are {name}"]
        assert len({tuple(call.shared) for call in calls_}) == 1
        assert not any(ATTACK in block for call in calls_ for block in call.shared)
    attacker = next(call for call in second if ATTACK in call.own)
    assert "attack the proposal of Agent A, Architect" in attacker.own
    assert "Agent B (Pragmatist), devil's advocate in this round by order:" in third[0].shared[2]
    assert "Agent A (Architect):" in third[0].shared[2]


def test_agreement_of_the_others_is_a_consensus_that_says_whom_it_leaves_out(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """The moderator's verdict leaves the devil out of the holdouts; votes, outcome and both reports say so."""
    server, outcome = three(serve, APART, {**ALIGNED, "holdouts": ["Agent B"]}, rounds=4)
    assert len(seat_calls(server)) == 6
    asked = [call for call in server.calls if "aligned" in (call.schema or {}).get("properties", {})]
    assert ["Agent B was the devil's advocate of this round" in call.own for call in asked] == [False, True]
    found = chat(outcome)
    assert [(item.get("devil"), item.get("attacks")) for item in found["rounds"]] == [
        (None, None),
        ("Agent B", "Agent A"),
    ]
    assert found["rounds"][1]["moderation"]["holdouts"] == []
    final = found["final_output"]
    assert (final["outcome"], final["effective_agents"], final["devil"]) == ("consensus", 2, "Agent B")
    assert final["final_vote"] == {"Agent A": ["Agent A", "Agent C"]}
    assert final["excluded"] == []
    report = outcome.report.read_text(encoding="utf-8")
    assert "Consensus, reached in round 2. Not counted: Pragmatist, the devil’s advocate of the last round." in report
    assert "devil’s advocate in round 2, by order and not counted: Pragmatist, against Architect’s proposal" in report
    assert "final vote 2–0" in report
    assert "· devil’s advocate against Architect’s proposal, by order: not counted" in report
    page = outcome.page.read_text(encoding="utf-8")
    assert "Pragmatist, round 2: devil’s advocate by order, not counted" in page
    assert outcome.summary["summary"].startswith("Agent B (Pragmatist), devil’s advocate in the last round by order")
    for language, told in (("fr", "Non compté : Pragmatist"), ("zh", "未计入：Pragmatist")):
        told_in = replace(outcome.transcript, language=language)
        assert told in markdown.render(told_in)
        assert {"fr": "avocat du diable", "zh": "魔鬼代言人"}[language] in html.render(told_in)
    assert from_json(to_json(outcome.transcript)).rounds == outcome.transcript.rounds


def test_a_change_of_mind_while_attacking_is_none(serve: Serve) -> None:
    """Neither the extract nor the moderator's synthesis can tell an attack as a seat's own view."""
    table = {**TABLE, "Agent B": [(9, None), (9, "Agent C"), (9, "Agent A")]}
    change = {"agent": "Agent B", "from": "its own", "to": "Agent C's", "because": "it had to", "round": 2}
    server = serve(debate_script(table, moderator=APART, synthesis=SYNTHESIS | {"mind_changes": [change]}))
    found = chat(activities.debate(QUESTION, agents=3, rounds=3, model="sonnet", devil=True, early_stop=False))
    final = found["final_output"]
    assert (final["mind_changes"], final["unsupported"]) == ([], 1)
    assert "it attacked by order" in next(call.own for call in server.calls if "Work out" in call.own)
    given: dict[str, Any] = {"agents": 3, "rounds": 3, "model": "sonnet", "devil": True, "early_stop": False}
    told = chat(activities.debate(QUESTION, **given, moderator="none"))
    moved = [
        (item["agent"], item["from"], item["to"], item["round"]) for item in told["final_output"]["mind_changes"]
    ]
    assert moved == [("Agent B", "Agent B", "Agent A", 3), ("Agent C", "Agent C", "Agent A", 2)]


def test_a_devil_that_does_not_answer_leaves_no_attack(serve: Serve) -> None:
    """Its round has all other voices, nobody is told of an attack that never came, and the next one has its turn."""
    reply = debate_script(TABLE, moderator=APART, synthesis=SYNTHESIS)
    server = serve(lambda call: HttpError(400) if ATTACK in call.own and "is round 2." in call.own else reply(call))
    outcome = activities.debate(QUESTION, agents=4, rounds=3, model="sonnet", devil=True)
    found = chat(outcome)
    assert [item.get("devil") for item in found["rounds"]] == [None, "Agent B", "Agent C"]
    assert [len(item["entries"]) for item in found["rounds"]] == [4, 3, 4]
    asked = [call.own for call in server.calls if "aligned" in (call.schema or {}).get("properties", {})]
    assert ["was the devil's advocate" in own for own in asked] == [False] * len(asked)
    assert "devil’s advocate in round 2" not in outcome.report.read_text(encoding="utf-8")


def test_a_resumed_round_has_the_same_attack(serve: Serve) -> None:
    """Killed while the devil was asked: it is asked again, with the same instruction, and the others are not."""
    server, outcome = three(serve, APART, rounds=2)
    journal = outcome.folder / "journal.jsonl"
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    start = next(n for n, item in enumerate(events) if item["event"] == "round_started" and item["round"] == 2)
    kept = events[: start + 1] + [item for item in events[start:] if item.get("agent") in ("Agent A", "Agent C")]
    journal.write_text("".join(json.dumps(item) + "\n" for item in kept))
    before = len(server.calls)
    again = resuming.resume(outcome.folder, settings.load({}))
    asked = [call for call in server.calls[before:] if call.schema is None]
    assert [ATTACK in call.own for call in asked] == [True]
    assert again.transcript.rounds[1].devil == "Agent B"


def test_a_chat_json_alone_goes_on_with_its_devils(serve: Serve) -> None:
    """Whose turn it is follows from the file; its rounds keep their marks."""
    server, outcome = three(serve, APART, rounds=2)
    value = {**chat(outcome), "final_output": None, "status": "interrupted"}
    (outcome.folder / "journal.jsonl").unlink()
    outcome.chat.write_text(json.dumps(value))
    folder = resuming.adopt(outcome.chat, settings.load({}), rounds=3)
    before = len(server.calls)
    again = resuming.resume(folder, settings.load({}))
    asked = [call.own.split(",")[0] for call in server.calls[before:] if ATTACK in call.own]
    assert asked == ["You are Agent C"]
    assert [item.devil for item in read_chat(again.chat).rounds] == [None, "Agent B", "Agent C"]


def test_who_attacks_is_said_on_the_way(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """One line a round, and the devil's confidence in brackets."""
    serve(debate_script(TABLE, moderator=APART, synthesis=SYNTHESIS))
    code, out, err = run(capsys, QUESTION, "-n", "3", "-r", "2", "--devil", "--model", "sonnet")
    assert code == 0
    assert "round 2: Agent B is devil’s advocate, against the proposal of Agent A\n" in err
    assert "round 2 of 2: 3 of 3 agents answered, confidence 9 (2) 9\n" in err
    assert "Agent B (Pragmatist), devil’s advocate in the last round by order, is in no vote of it." in out


def test_in_one_round_it_is_said_to_do_nothing(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """The debate is held; whoever asked for a devil's advocate knows that there was none."""
    serve(debate_script(TABLE, moderator=APART, synthesis=SYNTHESIS))
    for rounds, told in (("1", True), ("2", False)):
        code, _, err = run(capsys, QUESTION, "--model", "sonnet", "-r", rounds, "--devil")
        said = "--devil does nothing in one round: who attacks begins in round 2"
        assert (code, said in err) == (0, told)


def test_a_room_of_two_is_refused_and_the_price_counts_the_instruction(
    serve: Serve, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two, the one that is left would agree with itself. A dry run has one longer block a round from round 2."""
    serve("unused")
    monkeypatch.setattr("secrets.token_hex", lambda size: "0" * 2 * size)  # the fence has as many tokens each time
    code, _, err = run(capsys, QUESTION, "-n", "2", "--devil", "--dry-run")
    assert (code, "--devil needs three agents or more, not 2" in err, "--no-devil" in err) == (2, True, True)
    plain, devils = (
        [
            item["usage"]["input"]
            for item in json.loads(run(capsys, QUESTION, "--dry-run", "--json", *more)[1])["rounds"]
        ]
        for more in ((), ("--devil",))
    )
    more = [after - before for before, after in zip(plain, devils, strict=True)]
    assert more[0] == 0
    assert 60 < more[1] < 200
    assert more[1] == more[2]


@pytest.mark.parametrize(
    ("language", "told"), [("en", "Agent B (round 2)"), ("fr", "Agent B (tour 2)"), ("zh", "Agent B（第 2 轮）")]
)
def test_a_host_that_concludes_is_told_who_attacked(serve: Serve, language: str, told: str) -> None:
    """In its brief, with the round."""
    _, outcome = three(serve, APART, rounds=2, synthesis="host", language=language)
    assert told in (outcome.folder / "brief.md").read_text(encoding="utf-8")


def test_a_vote_that_decides_is_without_the_devils(serve: Serve) -> None:
    """`--decide vote` counts the final endorsements of who spoke for itself; what the devil wrote cannot win."""
    table = {**TABLE, "Agent A": [(9, None), (9, "Agent B")]}
    serve(debate_script(table, moderator=APART, synthesis=SYNTHESIS))
    given: dict[str, Any] = {"agents": 3, "rounds": 2, "model": "sonnet", "decide": "vote"}
    attacked = chat(activities.debate(QUESTION, **given, devil=True))["final_output"]["decision"]
    assert attacked["votes"] == {"Agent A": ["Agent C"], "Agent B": ["Agent A"]}
    assert (attacked["outcome"], attacked["winner"], attacked["undecided_because"]) == ("no_verdict", None, "devil")
    free = chat(activities.debate(QUESTION, **given))["final_output"]["decision"]
    assert free["winner"] == "Agent B"


def test_a_judge_that_decides_is_not_shown_what_the_devil_wrote(serve: Serve) -> None:
    """It judges the proposals of those who spoke for themselves in the last round."""
    debating = debate_script(TABLE, moderator=APART, synthesis=SYNTHESIS)
    serve(lambda call: {"why": "Both.", "better": "tie"} if judgements([call]) else debating(call))
    given: dict[str, Any] = {"agents": 3, "rounds": 2, "model": "sonnet", "decide": "judge", "judge": "gpt"}
    found = chat(activities.debate(QUESTION, **given, devil=True))
    assert found["rounds"][-1]["devil"] == "Agent B"
    assert [pair["agents"] for pair in found["final_output"]["decision"]["pairs"]] == [["Agent A", "Agent C"]]


def test_a_setting_for_debates_is_none_of_an_arena(here: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answers are alone, and nobody attacks; neither is there a baseline."""
    monkeypatch.setenv("DEBATEROOM_DEVIL", "1")
    monkeypatch.setenv("DEBATEROOM_BASELINE", "2")
    with Models() as models:
        chosen = settings.load({"judge": "gpt"})
        plan = arena.make("Write a haiku.", ("sonnet", "haiku"), chosen, context.collect((), ()), models, rounds=0)
    assert (plan.devil, plan.baseline) == (False, None)
