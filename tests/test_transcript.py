"""`chat.json`: what is written, and what is read back from files of any origin."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from debateroom import files
from debateroom.errors import DebateroomError, RoomError, UsageError
from debateroom.messages import Entry, Failure, Round, Seat, Transcript
from debateroom.room.transcript import from_json, read_chat, to_json

OPENING = "POSITION: A queue.\nREASONING: Bursts.\nPROPOSAL: Postgres.\nCONCERNS: Growth."
REPLY = "AGREEMENTS: Yes.\nDISAGREEMENTS: No.\nREFINED PROPOSAL: Postgres.\nENDORSES: Agent B\nCONFIDENCE: 8/10"

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["problem", "context", "agents", "name", "role", "rounds", "rounds_r2", "round", "entries", "agent",
                 "response", "confidence", "endorses", "failures", "reason", "final_output", "usage", "version",
                 "status", "language", "cost", "seconds", "rounds_asked", "1"]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)  # fmt: skip


def foreign(**keys: Any) -> dict[str, Any]:
    """A file as the original skill leaves it, with some keys replaced."""
    return {
        "problem": "Should background jobs use a queue or a loop?",
        "context": "",
        "agents": [
            {"name": "Agent A", "role": "Architect", "framing": "systems"},
            {"name": "Agent B", "role": "Critic", "framing": "edges"},
        ],
        "rounds": [
            {"round": 1, "entries": [{"agent": "Agent A", "role": "Architect", "response": OPENING}]},
            {"round": 2, "entries": [{"agent": "Agent A", "role": "Architect", "response": REPLY}]},
        ],
        "final_output": None,
        **keys,
    }


def test_the_keys_are_the_skills_in_its_order_and_ours_come_after() -> None:
    """`problem, context, agents, rounds, final_output` first, then what debateroom adds; the same inside."""
    value = to_json(samples.deadlock())
    assert list(value) == [
        "problem", "context", "agents", "rounds", "final_output",
        "version", "uuid", "kind", "status", "language", "model", "usage", "stopped",
        "started", "seconds", "rounds_asked", "quorum", "cost", "currency",
    ]  # fmt: skip
    assert list(value["agents"][0]) == ["name", "role", "framing", "model", "vendor"]
    assert list(value["rounds"][2]) == ["round", "entries", "failures", "moderation", "usage"]
    assert list(value["rounds"][2]["entries"][0]) == [
        "agent", "role", "response",
        "confidence", "endorses", "model", "usage", "seconds", "finish", "repaired", "off_topic", "history",
    ]  # fmt: skip
    assert value["rounds"][2]["failures"] == [
        {"agent": "Agent D", "role": "Devil's advocate", "reason": "no answer within 120 s (openai:gpt-6.2-sol)"}
    ]


@pytest.mark.parametrize(
    "transcript",
    [*(t for t in samples.everybody() if t.version), Transcript("Not begun", version="0.1.0", status="running")],
)
def test_what_was_written_is_read_back(transcript: Transcript) -> None:
    """A room's own file loses nothing, and nothing of it is read a second time from the replies."""
    assert from_json(orjson.loads(files.dumps(to_json(transcript)))) == transcript


def test_a_half_emoji_does_not_lose_the_file() -> None:
    """A lone surrogate is replaced wherever it stands, so that the file can be written."""
    entry = Entry("Agent A", "half \ud83d", "cut \ud83d here, whole \U0001f600 there")
    transcript = Transcript("\udc00?", rounds=(Round(1, (entry,)),), final_output={"a\ud83d": ["\ud83d"]})
    written = orjson.loads(files.dumps(to_json(transcript)))
    assert written["problem"] == "�?"
    assert written["rounds"][0]["entries"][0]["response"] == "cut � here, whole 😀 there"
    assert written["final_output"] == {"a�": ["�"]}


def test_a_file_of_the_original_skill_is_read_with_what_its_replies_say() -> None:
    """Without `confidence` and `endorses`, both come from the reply; the opening states neither."""
    transcript = from_json(foreign())
    assert transcript.agents == (Seat("Agent A", "Architect", "systems"), Seat("Agent B", "Critic", "edges"))
    assert transcript.rounds == (
        Round(1, (Entry("Agent A", "Architect", OPENING),)),
        Round(2, (Entry("Agent A", "Architect", REPLY, confidence=8.0, endorses="Agent B"),)),
    )
    assert transcript.notes == ()


def test_an_unknown_confidence_of_our_own_file_stays_unknown() -> None:
    """What debateroom wrote as null was read once and is not read again."""
    value = foreign(version="0.1.0")
    value["rounds"][1]["entries"][0] |= {"confidence": None, "endorses": None}
    assert from_json(value).rounds[1].entries[0] == Entry("Agent A", "Architect", REPLY)


def test_a_context_that_is_an_object_becomes_text() -> None:
    """`context` as an object is kept as JSON text."""
    context = from_json(foreign(context={"db": "Postgres 16", "load": [300, "mails/h"]})).context
    assert json.loads(context) == {"db": "Postgres 16", "load": [300, "mails/h"]}


def test_rounds_under_another_key_are_read_after_the_others() -> None:
    """`rounds_r2` holds replies, a round or rounds; the note says that they were found there."""
    first, second = foreign()["rounds"]
    expected = from_json(foreign()).rounds
    for under in (second["entries"], second, [second]):
        transcript = from_json(foreign(rounds=[first], rounds_r2=under))
        assert transcript.rounds == expected
        assert transcript.notes == ("Rounds were also found under “rounds_r2”.",)


def test_rounds_whose_numbers_repeat_are_numbered_in_their_order() -> None:
    """Nothing is merged: the rounds stand in the order of the file, and the note says so."""
    transcript = from_json(foreign(rounds_r2=foreign()["rounds"]))
    assert [round_.round for round_ in transcript.rounds] == [1, 2, 3, 4]
    assert "Round numbers repeat or are missing" in " ".join(transcript.notes)


def test_rounds_by_name_and_replies_by_seat_are_read() -> None:
    """An object of rounds, and an object from seats to replies, are the same as lists."""
    named = {"round_2": {"entries": {"Agent A": {"response": REPLY}}}, "round_3": {"entries": {"Agent A": REPLY}}}
    transcript = from_json(foreign(rounds=named))
    assert [(round_.round, [entry.response for entry in round_.entries]) for round_ in transcript.rounds] == [
        (2, [REPLY]),
        (3, [REPLY]),
    ]
    assert transcript.notes == ()


def test_no_rounds_are_no_rounds() -> None:
    """`rounds: []` is a debate that has not begun, not an error."""
    assert from_json(foreign(rounds=[])).rounds == ()
    assert from_json(foreign(rounds=[])).notes == ()


def test_agents_as_names_or_as_an_object_are_read() -> None:
    """A list of names and an object from names to roles are seats too."""
    assert from_json(foreign(agents=["Agent A"])).agents == (Seat("Agent A", "", ""),)
    assert from_json(foreign(agents={"Agent A": "Architect", "Agent B": {"role": "Critic"}})).agents == (
        Seat("Agent A", "Architect", ""),
        Seat("Agent B", "Critic", ""),
    )


def test_who_speaks_without_being_listed_gets_a_seat_and_a_note() -> None:
    """A reply is never lost because its seat is missing from `agents`."""
    transcript = from_json(foreign(agents=[{"name": "Agent B", "role": "Critic"}]))
    assert transcript.agents == (Seat("Agent B", "Critic", ""), Seat("Agent A", "Architect", ""))
    assert transcript.notes == ("Agent A speaks but is not in the list of agents.",)


def test_wrong_types_are_named_and_never_guessed() -> None:
    """Each thing that cannot be read is one sentence; what can be read stays."""
    value = foreign(problem=7, agents=[{"name": "Agent A"}, 5], status="odd", cost="cheap", seconds=-1)
    value["rounds"] = [
        {
            "round": 1,
            "entries": [5, {"response": "nobody"}, {"agent": "Agent A", "confidence": "high", "endorses": []}],
        },
        "not a round",
    ]
    transcript = from_json(value)
    assert transcript.problem == "7"
    assert transcript.rounds == (
        Round(1, (Entry("", "", "nobody"), Entry("Agent A", "", "", confidence=None, endorses=None))),
    )
    assert (transcript.cost, transcript.seconds, transcript.status) == (None, None, "finished")
    assert transcript.notes == (
        "The question is missing or is not text.",
        "Agent number 2 of the list could not be read.",
        "Part 2 of “rounds” is not a round and could not be read.",
        "Reply 1 of round 1 could not be read.",
        "Reply 2 of round 1 does not say who wrote it.",
        "Agent A in round 1 has no text.",
        'The confidence of Agent A in round 1 is not a number from 1 to 10: "high".',
        "The agent that Agent A would sign in round 1 is not text.",
        "“status” holds \"odd\", which could not be read.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("final_output", "expected"),
    [
        (None, None),
        ("We agreed on a queue.", {"summary": "We agreed on a queue."}),
        ({"consensus": "A queue."}, {"consensus": "A queue."}),
        (["a", "b"], {"final_output": ["a", "b"]}),
        (5, {"final_output": 5}),
    ],
)
def test_a_final_output_of_any_shape_is_kept(final_output: object, expected: object) -> None:
    """An object stays as it is, text is the summary, anything else is kept whole."""
    assert from_json(foreign(final_output=final_output)).final_output == expected


def test_a_seat_that_failed_is_read_as_a_failure() -> None:
    """A failure never becomes a reply."""
    value = foreign(rounds=[{"round": 1, "entries": [], "failures": [{"agent": "Agent B", "reason": "timeout"}, 3]}])
    transcript = from_json(value)
    assert transcript.rounds == (Round(1, (), (Failure("Agent B", "", "timeout"),)),)
    assert transcript.notes == ("A failed agent of round 1 could not be read.",)


def test_the_language_is_the_stated_one_or_the_questions() -> None:
    """A foreign file states none: the question decides, and the notes follow."""
    assert from_json(foreign(language="zh")).language == "zh"
    french = from_json(foreign(problem="Faut-il une file d'attente ou une simple boucle ?", rounds="?"))
    assert french.language == "fr"
    assert french.notes == ("Les tours sous «\u202frounds\u202f» n’ont pas pu être lus.",)


@given(JSON)
def test_any_json_is_read_without_an_error(value: Any) -> None:
    """Whatever the file holds, there is a transcript, and it can be written again."""
    transcript = from_json(value)
    assert isinstance(transcript, Transcript)
    files.dumps(to_json(transcript))
    for round_ in transcript.rounds:
        for entry in round_.entries:
            assert entry.confidence is None or 1 <= entry.confidence <= 10


def test_a_transcript_file_is_read(tmp_path: Path) -> None:
    """With or without a byte order mark, in UTF-8 or UTF-16."""
    path = tmp_path / "chat.json"
    expected = from_json(foreign())
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_text(json.dumps(foreign()), encoding=encoding)
        assert read_chat(path) == expected
    path.write_bytes(files.dumps(to_json(samples.deadlock())))
    assert read_chat(str(path)) == replace(samples.deadlock(), notes=())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\0" * 144_258, "holds only NUL bytes"),
        (b'{"problem": "x",', "is not valid JSON: Expecting property name enclosed in double quotes at line 1"),
        (b"# A report", "is not valid JSON: Expecting value at line 1, column 1"),
        (b'{"problem": "\xe9"}', "is not JSON: 'utf-8' codec can't decode"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"name": "debateroom"}', "not a transcript: it has no problem, agents or rounds"),
        (b"[1, 2]", "not a transcript: it has no problem, agents or rounds"),
    ],
)
def test_a_file_without_a_transcript_is_an_error_with_its_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    """The error names the file and says what is wrong with it."""
    path = tmp_path / "chat.json"
    path.write_bytes(content)
    with pytest.raises(RoomError) as caught:
        read_chat(path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize("name", ["nowhere.json", ".", "file/inside.json", "nul\0.json"])
def test_a_path_without_a_file_is_an_error_with_its_reason(tmp_path: Path, name: str) -> None:
    """Missing files and folders are the caller's mistake, with the next step as a hint."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(DebateroomError) as caught:
        read_chat(tmp_path / name)
    assert isinstance(caught.value, UsageError) or "cannot be read" in str(caught.value)
