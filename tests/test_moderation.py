"""The moderator's verdict: read as it was meant, asked for once more, or said to be unusable. Never turned round."""

from __future__ import annotations

import json
from typing import Any

import pytest
from debates import ALIGNED, APART, QUESTION, SYNTHESIS, Serve, chat, moderated_calls, seat_calls
from vendor import VendorServer, debate_script

from debateroom import activities
from debateroom.activities import Outcome

NOTHING = "the agents are called aligned, but “proposal” names none whose proposal counts"
SURE = {f"Agent {x}": [(9, None)] for x in "ABC"}


def debated(serve: Serve, *verdicts: dict[str, Any], **given: Any) -> tuple[VendorServer, Outcome]:
    """A debate of three seats that are all 9 sure, and what came of it."""
    server = serve(debate_script(SURE, moderator=list(verdicts), synthesis=SYNTHESIS))
    return server, activities.debate(QUESTION, **{"agents": 3, "rounds": 2, "model": "sonnet"} | given)


@pytest.mark.parametrize(
    "proposal", ["Agent A (Architect)", "agent a", "A", "Architect", "Agent A: Use a queue", "**Agent A**"]
)
def test_a_seat_named_in_another_way_is_that_seat(serve: Serve, proposal: str) -> None:
    """Three seats, the moderator and the synthesis: five calls, and the debate has converged."""
    server, outcome = debated(serve, ALIGNED | {"proposal": proposal})
    found = chat(outcome)
    assert len(server.calls) == 5
    assert (found["stopped"], found["final_output"]["outcome"]) == ("converged", "unanimous")
    assert found["rounds"][0]["moderation"]["proposal"] == "Agent A"


def test_a_verdict_that_names_no_seat_is_asked_for_once_more(serve: Serve) -> None:
    """What was wrong with it is told; the second answer is taken."""
    server, outcome = debated(serve, ALIGNED | {"proposal": "Use a queue"}, ALIGNED)
    assert len(server.calls) == 6
    assert "“proposal” names no agent of this room: “Use a queue”" in moderated_calls(server)[1].own
    assert chat(outcome)["final_output"]["outcome"] == "unanimous"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"proposal": "Use a queue"}, "“proposal” names no agent of this room: “Use a queue”"),
        ({"proposal": None}, "the agents are called aligned, but “proposal” names none whose proposal counts"),
        (
            {"off_topic": ["Agent A"]},
            "the agents are called aligned, but “proposal” names none whose proposal counts",
        ),
        ({"holdouts": ["the last one"]}, "“holdouts” names no agent of this room: “the last one”"),
        ({"holdouts": ["Critic"]}, "the agents are called aligned, but “holdouts” names Agent C"),
    ],
)
def test_a_verdict_that_stays_unusable_is_a_problem_in_words_and_no_disagreement(
    serve: Serve, change: dict[str, Any], problem: str
) -> None:
    """It is journaled and in the report, which does not say that the moderator saw no agreement."""
    _, outcome = debated(serve, ALIGNED | change)
    journal = (outcome.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    told = [event for event in map(json.loads, journal) if event["event"] == "moderated"]
    assert [(event["verdict"], event["problem"]) for event in told] == [(None, problem)] * 2
    report = outcome.report.read_text(encoding="utf-8")
    assert "no usable verdict of the moderator in rounds 1, 2: " in report
    assert "the moderator gave no verdict that could be used" in report
    assert "saw no agreement" not in report
    assert chat(outcome)["final_output"]["undecided_because"] == "no_verdict"


def test_seats_that_are_apart_need_no_proposal_in_common(serve: Serve) -> None:
    """`proposal` may be null or `none` when nothing stands out: that is a verdict."""
    server, outcome = debated(serve, APART | {"proposal": None}, APART | {"proposal": "none"})
    assert [item["moderation"]["proposal"] for item in chat(outcome)["rounds"]] == [None, None]
    assert len(moderated_calls(server)) == 2


@pytest.mark.parametrize(
    ("language", "problem"),
    [
        ("en", "“shared_premise” must be a text"),
        ("fr", "« shared_premise » doit être un texte"),
        ("zh", "“shared_premise”必须是文本"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_in_the_rooms_words(serve: Serve, language: str, problem: str) -> None:
    """No library's English reaches people, nor the model that is asked again."""
    server, outcome = debated(serve, ALIGNED | {"shared_premise": None}, rounds=1, language=language)
    assert problem in moderated_calls(server)[1].own
    assert chat(outcome)["final_output"]["moderator_problems"] == [{"round": 1, "reason": problem}]
    assert "Input should" not in outcome.report.read_text(encoding="utf-8")


def test_the_schemas_allow_the_rooms_seats_and_no_other_name(serve: Serve) -> None:
    """In the verdict and in the synthesis, by one enum that the fields refer to."""
    server, _ = debated(serve, ALIGNED)
    verdict, synthesis = (call.schema or {} for call in server.calls if call.schema)
    seat = {"$ref": "#/$defs/Seat"}
    assert verdict["$defs"]["Seat"]["enum"] == synthesis["$defs"]["Seat"]["enum"] == ["Agent A", "Agent B", "Agent C"]
    assert verdict["properties"]["proposal"]["anyOf"] == [seat, {"type": "null"}]
    assert [verdict["properties"][key]["items"] for key in ("holdouts", "off_topic")] == [seat, seat]
    shapes = synthesis["$defs"]
    assert shapes["MindChange"]["properties"]["agent"] == seat
    assert shapes["Risk"]["properties"]["raised_by"]["items"] == seat
    assert [shapes[name]["properties"]["agents"]["items"] for name in ("Side", "OpeningPosition")] == [seat, seat]


def test_an_endorsement_by_a_role_of_this_room_is_one(serve: Serve) -> None:
    """`the Architect` names one seat here; a role that nobody has names none."""
    table = {"Agent A": [(9, "myself")], "Agent B": [(9, "the Architect")], "Agent C": [(9, "Gardener")]}
    server = serve(debate_script(table))
    found = chat(activities.debate(QUESTION, agents=3, rounds=2, model="sonnet", moderator="none"))
    assert len(seat_calls(server)) == 6
    assert [entry["endorses"] for entry in found["rounds"][1]["entries"]] == ["Agent A", "Agent A", None]
