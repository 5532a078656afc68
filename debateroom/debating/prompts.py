"""The requests of a debate. What all seats share comes first and is the same to the byte; what differs, last.

The order is a decision about money (DESIGN, section 3): room rules, context, problem and what each round asks for,
then one block a finished round, then the seat's own block: who it is, which round it is, and the labels. So the seats
of a round, and all later rounds, share one prefix, and no seat is charged for instructions that all others have too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from debateroom import templates
from debateroom.debating.looking import is_assistant
from debateroom.language import LABELS, SECTIONS, say
from debateroom.messages import Entry, Kind, Purpose, ReplyFormat, Request, Round, Seat, Transcript
from debateroom.room.played import devil

if TYPE_CHECKING:
    from debateroom.debating.plan import Plan


def kind_of(number: int) -> Kind:
    """Which format round `number` asks for."""
    return "opening" if number == 1 else "debate"


def unfenced(text: str, fence: str) -> str:
    """`text` without the run's fence tag, so that a quote cannot close its own fence."""
    return text.replace(fence, "said")


def shared_blocks(plan: Plan, rounds: Sequence[Round]) -> tuple[str, ...]:
    """The blocks every seat gets: the room, then what was said in each of `rounds`.

    In an arena without a debate that is the task alone.
    """
    room = templates.render(
        f"prompts/{plan.language}/{'arena' if plan.alone else 'room'}.j2",
        seats=[_as_told(plan, seat) for seat in plan.seats],
        fence=plan.fence,
        problem=unfenced(plan.problem, plan.fence),
        context=unfenced(plan.context, plan.fence).strip(),
        rounds=plan.rounds,
        tools=plan.tools,
    )
    return (room, *(_round_block(plan, item) for item in rounds))


def _round_block(plan: Plan, item: Round) -> str:
    entries = [
        {
            "agent": entry.agent,
            "role": _role(plan, entry.role),
            "response": unfenced(entry.response, plan.fence).strip(),
            "devil": entry.agent == item.devil,
        }
        for entry in item.entries
    ]
    return templates.render(f"prompts/{plan.language}/round.j2", number=item.round, entries=entries, fence=plan.fence)


def seat_request(
    plan: Plan, shared: Sequence[str], seat: Seat, number: int, *, attacks: Seat | None = None
) -> Request:
    """What `seat` is asked in round `number`, after the blocks all seats share.

    `attacks` is the seat whose proposal it attacks, where it is this round's devil's advocate.
    """
    kind = kind_of(number)
    labels = [LABELS[plan.language][section] for section in SECTIONS[kind]]
    name = "answer" if plan.alone else "seat"
    told = {"seat": _as_told(plan, seat), "number": number, "labels": labels, "attacks": attacks}
    own = templates.render(f"prompts/{plan.language}/{name}.j2", **told)
    return Request(
        shared=tuple(shared),
        own=own,
        max_tokens=plan.max_tokens,
        timeout=plan.call_timeout,
        reply_format=None if plan.alone else _format(plan, kind),
        cache_key=plan.uuid,
        purpose=Purpose("seat", seat.name, number),
        folder=plan.tools.folder if plan.tools and is_assistant(seat.model) else "",
    )


def _format(plan: Plan, kind: Kind) -> ReplyFormat:
    return ReplyFormat(kind, plan.language, tuple(other.name for other in plan.seats))


def _as_told(plan: Plan, seat: Seat) -> Seat:
    return replace(seat, role=_role(plan, seat.role))


def _role(plan: Plan, role: str) -> str:
    """A role as the seats are told it: in an arena it is a model's name, which no seat learns of another."""
    return say(plan.language, "contestant") if plan.kind == "arena" else role


def repair_request(plan: Plan, asked: Request, answer: str) -> Request:
    """The same question once more, with the answer in which no label was found."""
    purpose = asked.purpose or Purpose("repair")
    own = templates.render(
        f"prompts/{plan.language}/repair.j2",
        asked=asked.own,
        answer=unfenced(answer, plan.fence).strip(),
        fence=plan.fence,
    )
    return replace(asked, own=own, purpose=Purpose("repair", purpose.agent, purpose.round), reserve=0, folder="")


def moderator_request(plan: Plan, transcript: Transcript, number: int, schema: Mapping[str, Any]) -> Request:
    """The moderator's one question after round `number`, on the prefix that the next round will use."""
    attacker = next((devil(item) for item in transcript.rounds if item.round == number), None)
    own = templates.render(f"prompts/{plan.language}/moderator.j2", seats=plan.seats, number=number, devil=attacker)
    return _orchestrator(plan, transcript, own, schema, Purpose("moderator", "", number))


def synthesis_request(
    plan: Plan, transcript: Transcript, schema: Mapping[str, Any], *, finding: str, excluded: Sequence[Entry]
) -> Request:
    """What the moderator is asked at the end; `finding` is the outcome that was established before."""
    own = templates.render(
        f"prompts/{plan.language}/synthesis.j2",
        seats=plan.seats,
        number=len(transcript.rounds),
        finding=finding,
        excluded=[entry.agent for entry in excluded],
        attacked=any(map(devil, transcript.rounds)),
    )
    return _orchestrator(plan, transcript, own, schema, Purpose("synthesis"))


def judge_request(
    plan: Plan, answers: Sequence[str], rubric: str, schema: Mapping[str, Any], purpose: Purpose
) -> Request:
    """What a judge is asked of two answers, or of one by itself; all its questions begin alike."""
    fence = plan.fence
    shared = templates.render(
        f"prompts/{plan.language}/judge.j2",
        fence=fence,
        problem=unfenced(plan.problem, fence),
        context=unfenced(plan.context, fence).strip(),
        rubric=unfenced(rubric, fence) or templates.render(f"prompts/{plan.language}/rubric.j2"),
    )
    own = templates.render(
        f"prompts/{plan.language}/{'rate' if len(answers) == 1 else 'compare'}.j2",
        fence=fence,
        answers=[unfenced(text, fence) for text in answers],
        again=purpose.round > 1,
    )
    return _structured(plan, (shared,), own, schema, purpose)


def fix_json_request(plan: Plan, asked: Request, answer: str, problem: str) -> Request:
    """The same structured question once more, with what was wrong with the first answer."""
    own = templates.render(
        f"prompts/{plan.language}/fix_json.j2",
        asked=asked.own,
        answer=unfenced(answer, plan.fence).strip(),
        problem=problem,
        fence=plan.fence,
    )
    return replace(asked, own=own)


def alone_request(plan: Plan, number: int, drafts: Sequence[str] = ()) -> Request:
    """What answer `number` of the baseline is asked: for itself, or, after its own `drafts`, to do it better.

    As in a debate what was said stands before the question, block by block: each call begins as the one before it.
    """
    room = templates.render(
        f"prompts/{plan.language}/alone.j2",
        fence=plan.fence,
        problem=unfenced(plan.problem, plan.fence),
        context=unfenced(plan.context, plan.fence).strip(),
    )
    blocks = [
        templates.render(
            f"prompts/{plan.language}/alone_draft.j2",
            fence=plan.fence,
            version=version,
            answer=unfenced(draft, plan.fence).strip(),
        )
        for version, draft in enumerate(drafts, 1)
    ]
    version = len(drafts) + 1
    return Request(
        shared=(room, *blocks),
        own=templates.render(f"prompts/{plan.language}/alone_own.j2", version=version),
        max_tokens=plan.max_tokens,
        timeout=plan.call_timeout,
        cache_key=plan.uuid,
        purpose=Purpose("baseline", f"Answer {number}", version),
    )


def ballot_request(plan: Plan, items: Sequence[str], schema: Mapping[str, Any]) -> Request:
    """The moderator's question which of the recommendations `items` decide the same."""
    own = templates.render(
        f"prompts/{plan.language}/ballot.j2",
        fence=plan.fence,
        problem=unfenced(plan.problem, plan.fence),
        items=[unfenced(item, plan.fence).strip() for item in items],
    )
    return Request(
        own=own,
        max_tokens=plan.max_tokens,
        timeout=plan.call_timeout,
        schema=schema,
        cache_key=plan.uuid,
        purpose=Purpose("ballot"),
    )


def _orchestrator(
    plan: Plan, transcript: Transcript, own: str, schema: Mapping[str, Any], purpose: Purpose
) -> Request:
    shared = shared_blocks(replace(plan, tools=None), transcript.rounds)  # only seats look things up
    return _structured(plan, shared, own, schema, purpose)


def _structured(
    plan: Plan, shared: tuple[str, ...], own: str, schema: Mapping[str, Any], purpose: Purpose
) -> Request:
    return Request(
        shared=shared,
        own=own,
        max_tokens=plan.max_tokens,
        timeout=plan.call_timeout,
        schema=schema,
        cache_key=plan.uuid,
        purpose=purpose,
    )
