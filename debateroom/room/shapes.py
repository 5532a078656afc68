"""What the events of a journal must hold to be read, as far as anything is made of it. What is more, is no fault.

A journal may come from another version, or from anywhere: one look at the door, so that nothing behind it has to ask
whether a name is a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Number = Annotated[int, Field(ge=1, le=1_000_000)]
"""Of a round."""
Amount = Annotated[float, Field(ge=0)]


class Shape(BaseModel):
    """What every event may have: when it was, and what its call used and cost."""

    model_config = ConfigDict(strict=True)

    at: str = ""
    usage: dict[str, int] | None = None
    calls: Annotated[int, Field(ge=0)] = 0
    cost: Amount | None = 0.0


class _Seat(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    name: str
    role: str
    framing: str
    model: str = ""
    vendor: str = ""


class _Step(BaseModel):
    do: str


class _Playbook(BaseModel):
    model_config = ConfigDict(strict=True)

    steps: Sequence[_Step]
    follows_workers: bool = False


class _Settings(BaseModel):
    model_config = ConfigDict(extra="allow")

    playbook: _Playbook | None = None


class _Opened(Shape):
    problem: str
    context: str = ""
    agents: list[_Seat]
    version: str = ""
    uuid: str = ""
    kind: str = "debate"
    model: str = ""
    rounds: Number | None = None
    settings: _Settings = _Settings()


class _OfRound(Shape):
    round: Number


class _Started(_OfRound):
    devil: str | None = None
    attacks: str | None = None


class _Unreadable(_OfRound):
    agent: str
    response: str
    model: str
    seconds: Amount
    finish: str


class _Tool(BaseModel):
    model_config = ConfigDict(strict=True)

    name: str
    arguments: dict[str, Any]
    result: str
    ok: bool
    seconds: Amount = 0.0


class _Call(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    id: str
    name: str
    arguments: str


class _Asked(_OfRound):
    agent: str
    seat: str = ""
    within: list[str] = []
    text: str
    asked: list[_Call]
    raw: Any = None
    model: str
    seconds: Amount


class _Ran(Shape):
    """A reply that broke off goes on from it."""

    round: Number | None = None
    agent: str = ""
    id: str = ""
    name: str
    arguments: dict[str, Any] = {}


class _Answered(_Ran):
    interrupted: bool = False
    result: str
    ok: bool
    seconds: Amount = 0.0
    executed: bool = True
    refused: bool = False
    again: bool = True
    seat: str = ""
    within: list[str] = []


class _Cited(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    text: str
    exists: bool


class _Said(_OfRound):
    agent: str
    response: str


class _Reply(_OfRound):
    agent: str
    role: str
    response: str
    confidence: float | None = None
    endorses: str | None = None
    model: str = ""
    seconds: Amount = 0.0
    finish: str = "stop"
    repaired: bool = False
    history: str = "full"
    tools: list[_Tool] = []
    citations: list[_Cited] = []


class _Failed(_OfRound):
    agent: str
    role: str
    reason: str


class _AgentLost(_OfRound):
    agent: str
    reason: str


class _Verdict(BaseModel):
    model_config = ConfigDict(strict=True)

    aligned: bool
    proposal: str | None
    holdouts: list[str]
    open_blockers: list[str]
    off_topic: list[str]
    why: str
    shared_premise: str = ""


class _Moderated(_OfRound):
    verdict: _Verdict | None = None
    problem: str | None = ""
    history: str = "full"


class _Decided(_OfRound):
    converged: bool


class _Synthesized(Shape):
    final_output: dict[str, Any]
    history: str = "full"


class _BaselineStarted(Shape):
    answers: Number
    debate: dict[str, Any]
    ended: dict[str, Any]


class _Single(Shape):
    answer: Number
    step: Number


class _SingleAnswered(_Single):
    response: str
    option: str
    recommendation: str
    confidence: float | None = None
    model: str = ""


class _SingleFailed(_Single):
    reason: str


class _BaselineFinished(Shape):
    baseline: dict[str, Any]


class _OfJudge(Shape):
    shown: Annotated[list[str], Field(min_length=1, max_length=2)]
    turn: Literal[1, 2]


class _Judged(_OfJudge):
    verdict: str | None = None
    score: Annotated[int, Field(ge=1, le=10)] | None = None
    why: str = ""
    problem: str = ""


class _JudgingFinished(Shape):
    halted: str = ""


class _OfTrial(Shape):
    task: str
    trial: Number
    attempt: Number


class _TrialStarted(_OfTrial):
    seed: int


class _TrialSaid(_OfTrial):
    party: Literal["customer", "agent", "judge"]
    text: str
    tools: list[dict[str, Any]] = []


class _TrialEnded(_OfTrial):
    result: dict[str, Any]
    status: str
    checks: dict[str, str]


class _Judging(Shape):
    task: str
    trial: Number
    judge: str
    question: str


class _CustomerJudged(_Judging):
    text: str


class _Carried(Shape):
    seconds: Amount | None = None


class _Ended(Shape):
    exit_code: int
    status: str | None = None
    stopped: str | None = None
    seconds: Amount = 0.0
    error: str | None = None
    hint: str | None = None


class _Decision(Shape):
    what: str
    why: str
    evidence: str
    outcome: Literal["ok", "failed", "skipped"]
    step: Annotated[int, Field(ge=1, le=3)] | None = None
    sha256: str | None = None


class _Approval(Shape):
    uuid: str
    tool: str
    worker: str = ""
    shown: str
    answer: Literal["approved", "denied"]
    by: Literal["person", "always", "never", "nobody", "long"]


class _Delegated(Shape):
    id: str
    room: str
    task: str
    model: str


class _WorkerEnded(Shape):
    id: str
    room: str
    outcome: str
    error: str | None = None


_TOLD = (
    "moved_aside",
    "journal_mended",
    "moderator_asked",
    "synthesis_asked",
    "judging_started",
    "worker_started",
    "worker_iteration",
    "worker_completed",
    "worker_failed",
)
"""Events that are for who listens: nothing is made of them."""

SHAPES: Mapping[str, type[Shape]] = {
    "room_opened": _Opened,
    "round_started": _Started,
    "unreadable": _Unreadable,
    "tools_asked": _Asked,
    "tool_called": _Ran,
    "tool_answered": _Answered,
    "reply": _Reply,
    "seat_failed": _Failed,
    "round_finished": _OfRound,
    "set_aside": _Said,
    "call_failed": _OfRound,
    "agent_lost": _AgentLost,
    "planned": _Said,
    "moderated": _Moderated,
    "decided": _Decided,
    "synthesized": _Synthesized,
    "baseline_started": _BaselineStarted,
    "single_answered": _SingleAnswered,
    "single_failed": _SingleFailed,
    "baseline_finished": _BaselineFinished,
    "judged": _Judged,
    "judge_failed": _OfJudge,
    "judging_finished": _JudgingFinished,
    "trial_started": _TrialStarted,
    "trial_said": _TrialSaid,
    "trial_call_failed": _OfTrial,
    "trial_finished": _TrialEnded,
    "customer_judged": _CustomerJudged,
    "customer_unjudged": _Judging,
    "carried_over": _Carried,
    "decision_recorded": _Decision,
    "approval_answered": _Approval,
    "worker_delegated": _Delegated,
    "worker_ended": _WorkerEnded,
    "room_resumed": Shape,
    "room_interrupted": _Ended,
    "room_finished": _Ended,
    **dict.fromkeys(_TOLD, Shape),
}


def check(event: Mapping[str, Any]) -> None:
    """Raises ValueError, naming the event and the value, for one that this version cannot read or does not know."""
    name = str(event.get("event"))
    shape = SHAPES.get(name)
    if shape is None:
        raise ValueError(f"`{name}` is no event of a room")
    try:
        shape.model_validate(event)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"`{where}` of `{name}`: {first['msg'].lower()}") from error
