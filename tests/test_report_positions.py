"""Whose proposal each seat stood behind, round by round: what was said, and nothing else."""

from __future__ import annotations

from itertools import pairwise

import samples

from debateroom.messages import Entry, Failure, Round, Seat
from debateroom.report import facts, positions, seats
from debateroom.report.lanes import arrange, label_lines
from debateroom.report.positions import Move, Position
from debateroom.report.seats import Finder
from debateroom.report.verdict import Excluded, MindChange, Verdict, Vote

ROOM = seats.shown([Seat("Agent A", "Architect", ""), Seat("Agent B", "Critic", ""), Seat("Agent C", "Critic", "")])
FIND = Finder(ROOM)


def round_(number: int, *said: tuple[str, str | None], failed: tuple[str, ...] = ()) -> Round:
    """A round in which each seat endorses as given."""
    return Round(
        number,
        tuple(Entry(name, "", "text", 8.0, endorses) for name, endorses in said),
        tuple(Failure(name, "", "timeout") for name in failed),
    )


def states(rounds: tuple[Round, ...], verdict: Verdict | None = None) -> list[list[tuple[str, int | None, bool]]]:
    rows = positions.trace(rounds, ROOM, verdict or Verdict(), FIND)
    return [[(position.state, position.proposal, position.moved) for position in row] for row in rows]


def test_names_and_marks_of_seats() -> None:
    """A role names a seat where only one has it; else it carries the seat's mark."""
    assert [(seat.mark, seat.short) for seat in ROOM] == [
        ("A", "Architect"),
        ("B", "Critic (B)"),
        ("C", "Critic (C)"),
    ]
    foreign = seats.shown([Seat("Claude", "", ""), Seat("Agent A", "x\ny", ""), Seat("GPT", "", "")])
    assert [(seat.mark, seat.short) for seat in foreign] == [("A", "Claude"), ("B", "x y"), ("C", "GPT")]
    many = seats.shown([Seat(f"s{number}", "", "") for number in range(28)])
    assert [seat.mark for seat in many[25:]] == ["Z", "AA", "AB"]


def test_a_seat_is_found_by_what_models_call_it() -> None:
    """Its name in any case, its name with more behind it, or a role that only one seat has."""
    assert [FIND(text) for text in ("agent a", " Agent  B (Critic)", "ARCHITECT", "Critic", "Agent AB", "", "A")] == [
        0, 1, 0, None, None, None, None,
    ]  # fmt: skip


def test_positions_are_what_the_replies_say() -> None:
    """Round 1 is each seat's own proposal; later an endorsement is a position, and its change is a move."""
    rounds = (
        round_(1, ("Agent A", None), ("Agent B", None), ("Agent C", None)),
        round_(2, ("Agent A", "Agent A"), ("Agent B", "Agent A"), ("Agent C", None)),
        round_(3, ("Agent A", "Agent A"), ("Agent B", "Agent A"), failed=("Agent C",)),
    )
    assert states(rounds) == [
        [("opens", 0, False), ("signs", 0, False), ("signs", 0, False)],
        [("opens", 1, False), ("signs", 0, True), ("signs", 0, False)],
        [("opens", 2, False), ("unsaid", None, False), ("absent", None, False)],
    ]


def test_a_move_across_silence_is_still_a_move() -> None:
    """A seat that named nobody for a round moved only if it stands elsewhere afterwards."""
    rounds = tuple(
        round_(number, ("Agent A", endorsed)) for number, endorsed in ((1, None), (2, None), (3, "Agent B"))
    )
    assert states(rounds)[0] == [("opens", 0, False), ("unsaid", None, False), ("signs", 1, True)]


def test_an_endorsement_of_nobody_known_is_unsaid() -> None:
    """A name that no seat has is not a position."""
    rounds = (round_(1, ("Agent A", None)), round_(2, ("Agent A", "everybody")))
    assert states(rounds)[0][1] == ("unsaid", None, False)


def test_a_reply_off_topic_has_no_position_and_no_confidence() -> None:
    """It does not count, whatever it endorses."""
    entry = Entry("Agent A", "", "pasta", 10.0, "Agent B", off_topic=True)
    assert positions.trace((Round(1, (entry,)),), ROOM, Verdict(), FIND)[0] == (Position("off_topic"),)


def test_the_moderators_vote_speaks_where_a_reply_names_nobody() -> None:
    """In the first round and the last; never against what a reply says, never in between."""
    rounds = (
        round_(1, ("Agent A", None), ("Agent B", None)),
        round_(2, ("Agent A", None), ("Agent B", None)),
        round_(3, ("Agent A", None), ("Agent B", "Agent B")),
    )
    vote = Vote({2: 2}, {2: (0, 1)}, 0)
    assert states(rounds, Verdict(opening_vote=vote, final_vote=vote))[:2] == [
        [("signs", 2, False), ("unsaid", None, False), ("signs", 2, False)],
        [("signs", 2, False), ("unsaid", None, False), ("signs", 1, True)],
    ]


def test_changes_of_mind_join_what_is_told_and_what_is_seen() -> None:
    """A told change takes its round from the seat's only move; a seen one that nobody told has no cause."""
    rounds = (
        round_(1, ("Agent A", None), ("Agent B", None), ("Agent C", None)),
        round_(2, ("Agent A", "Agent A"), ("Agent B", "Agent A"), ("Agent C", "Agent C")),
        round_(3, ("Agent A", "Agent A"), ("Agent B", "Agent A"), ("Agent C", "Agent A")),
    )
    told = (MindChange("Agent C", "own", "A's", "one alert", None), MindChange("nobody", "", "x", "", 2))
    rows = positions.trace(rounds, ROOM, Verdict(), FIND)
    assert positions.moves(rows, rounds, told, FIND) == (
        Move(None, "nobody", 2, "", "x", "", None),
        Move(1, "", 2, "", "", "", (1, 0)),
        Move(2, "Agent C", 3, "own", "A's", "one alert", (2, 0)),
    )


def test_the_final_vote_is_counted_from_the_last_round_only_where_it_is_known() -> None:
    """Seats that named nobody are unknown, and with nobody known there is no vote."""
    rounds = (
        round_(1, ("Agent A", None), ("Agent B", None), ("Agent C", None)),
        round_(2, ("Agent A", "Agent A"), ("Agent B", "Agent A"), ("Agent C", None)),
    )
    assert positions.final_vote(positions.trace(rounds, ROOM, Verdict(), FIND)) == Vote({0: 2}, {0: (0, 1)}, 1)
    silent = (rounds[0], round_(2, ("Agent A", None), ("Agent B", None), ("Agent C", None)))
    assert positions.final_vote(positions.trace(silent, ROOM, Verdict(), FIND)) is None


def test_a_line_bends_only_where_its_seat_moved() -> None:
    """A seat has the same height in a lane every time, and two seats are never in one place."""
    said = facts.of(samples.crowd())
    arranged = arrange(said, step=16, font=14, columns=14)
    heights: dict[tuple[int, int], set[float]] = {}
    for seat, (row, places) in enumerate(zip(said.rows, arranged.places, strict=True)):
        for position, place in zip(row, places, strict=True):
            if position.proposal is not None:
                heights.setdefault((seat, position.proposal), set()).add(place.y)
    assert all(len(found) == 1 for found in heights.values())
    for number in range(len(said.rows[0])):
        taken = [places[number].y for places in arranged.places]
        assert len(set(taken)) == len(taken)


def test_the_owner_has_the_first_place_of_its_lane() -> None:
    """Also where others stand in it from the beginning."""
    arranged = arrange(facts.of(samples.unanimous()), step=16, font=14, columns=14)
    assert [lane.proposal for lane in arranged.lanes] == [2]
    advocate, strategist, engineer = (places[0].y for places in arranged.places)
    assert engineer < advocate < strategist


def test_lanes_do_not_overlap_and_hold_their_seats() -> None:
    """Every place lies inside a lane, and the lanes follow each other."""
    arranged = arrange(facts.of(samples.crowd()), step=16, font=14, columns=14)
    lanes = arranged.lanes
    assert all(above.top + above.height < below.top for above, below in pairwise(lanes))
    assert arranged.height == lanes[-1].top + lanes[-1].height
    for places in arranged.places:
        for place in places:
            assert sum(lane.top < place.y < lane.top + lane.height for lane in lanes) == 1


def test_a_label_is_broken_at_words_and_cut_with_a_mark() -> None:
    """Two lines at most, each no wider than asked; a script without spaces is broken anywhere."""
    assert label_lines("A Security engineer", 12) == ("A Security", "engineer")
    assert label_lines("F Site reliability engineer", 13) == ("F Site", "reliability…")
    assert label_lines("C 一位非常仔细的安全工程师", 12) == ("C", "一位非常仔…")
    assert label_lines("批评者务实派架构师", 12) == ("批评者务实", "派架构师")


def test_a_seat_whose_opening_does_not_count_has_no_proposal_of_its_own() -> None:
    """Empty, refused, left out or failed in round 1: no position there, so what it signs later is no change."""
    opening = Round(
        1,
        (
            Entry("Agent A", "", "  "),
            Entry("Agent B", "", "text", 8.0, finish="refusal"),
            Entry("Agent C", "", "text", 8.0),
        ),
    )
    rounds = (opening, round_(2, ("Agent A", "Agent C"), ("Agent B", "Agent C"), ("Agent C", "Agent A")))
    left_out = Verdict(excluded=(Excluded("Agent C", 1, "no_answer"),))
    rows = positions.trace(rounds, ROOM, left_out, FIND)
    assert states(rounds, left_out) == [
        [("no_answer", None, False), ("signs", 2, False)],
        [("no_answer", None, False), ("signs", 2, False)],
        [("no_answer", None, False), ("signs", 0, False)],
    ]
    told = (
        MindChange("Agent A", "Agent A", "Agent C", "", 2),
        MindChange("Agent B", "my plan", "C's plan", "", 2),
        MindChange("Agent C", "Agent C", "Agent A", "", None),
    )
    assert positions.moves(rows, rounds, told, FIND) == ()


def test_a_told_change_of_a_seat_that_stayed_is_kept_apart() -> None:
    """Own proposal before and after is no change of position; a step between seats that nobody took is left out."""
    rounds = (
        round_(1, ("Agent A", None), ("Agent B", None)),
        round_(2, ("Agent A", "Agent A"), ("Agent B", "Agent A")),
        round_(3, ("Agent A", "Agent A"), ("Agent B", "Agent A")),
    )
    told = (
        MindChange("Agent A", "five retries", "three retries", "cost", 2),
        MindChange("Agent A", "Agent A", "Agent B", "politeness", 3),
        MindChange("Agent B", "all of it", "most of it", "time", 3),
    )
    rows = positions.trace(rounds, ROOM, Verdict(), FIND)
    assert positions.moves(rows, rounds, told, FIND) == (
        Move(0, "Agent A", 2, "five retries", "three retries", "cost", None, kept=0),
        Move(1, "", 2, "", "", "", (1, 0)),
        Move(1, "Agent B", 3, "all of it", "most of it", "time", None, kept=0),
    )


def test_one_round_has_one_vote() -> None:
    """The picture of a single round follows the final vote, as the line on trust does."""
    rounds = (round_(1, ("Agent A", None), ("Agent B", None), ("Agent C", None)),)
    verdict = Verdict(
        opening_vote=Vote({0: 1, 1: 2}, {0: (0,), 1: (1, 2)}, 0), final_vote=Vote({0: 3}, {0: (0, 1, 2)}, 0)
    )
    assert [row[0][1] for row in states(rounds, verdict)] == [0, 0, 0]


def test_a_models_name_shows_no_folder() -> None:
    """A path of the machine is cut to its file; a vendor's name with a stroke in it is none."""
    names = {
        "scripted:/tmp/a b/s.jsonl": "scripted:s.jsonl",
        "scripted:demo/s.jsonl": "scripted:s.jsonl",
        "embedded:C:\\models\\m.gguf": "embedded:m.gguf",
        "command:/opt/x/run --fast /a/b": "command:run --fast /a/b",
        "openai:meta/llama-4": "openai:meta/llama-4",
        "sonnet": "sonnet",
    }
    assert {name: seats.model_name(name) for name in names} == names
