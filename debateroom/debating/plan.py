"""The plan of a debate: every choice made, before the first call. What the journal keeps and `resume` reads."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any

from pydantic import ConfigDict

from debateroom import tokens
from debateroom.context import Context
from debateroom.debating import judge, looking, prompts, roles
from debateroom.debating.judge import Judging
from debateroom.debating.looking import Looking
from debateroom.errors import DebateroomError, UsageError, VagueQuestion, Wording
from debateroom.language import say, spoken, worded
from debateroom.messages import Seat, Transcript
from debateroom.models import batched, prices, reach
from debateroom.models.reach import Reach
from debateroom.models.registry import Default, Models, choose_default, resolve
from debateroom.models.vendors import Makers
from debateroom.reading.question import classify_question, sharpen
from debateroom.room.opening import read_opening, write_opening
from debateroom.settings import Settings
from debateroom.terminal import quoted

USUAL_SEATS = 3
"""Of a room whose seats nobody counted."""
NO_MODERATOR = "none"
HOST = "host"
"""Who concludes where that is left to whoever started the debate."""
DEBATE, ARENA = "debate", "arena"
"""What a room may be whose seats speak in rounds."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A debate with every choice made."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # a setting that is not known was not kept to

    problem: str
    context: str
    """All context as one text, each source in its fence."""
    language: str
    seats: tuple[Seat, ...]
    rounds: int
    """Rounds at most."""
    model: str
    """`provider:model` of the seats that name no other."""
    moderator: str
    """`provider:model`, or `none`."""
    synthesis: str
    """Who concludes: `moderator`, or `host`, whoever started the debate."""
    devil: bool
    """Whether from round 2 one seat a round attacks the leading proposal by order."""
    baseline: int | None
    """Single answers that the debate is held against, at most; None for none."""
    early_stop: bool
    quorum: int
    """Seats that must answer in a round."""
    stagger: str
    call_timeout: float
    """Seconds one call may take."""
    round_timeout: float
    """Seconds one round may take."""
    max_tokens: int
    """Tokens of one reply, thinking included."""
    timeout: float | None
    """Seconds the whole run may take; None is no limit."""
    budget: float | None
    """US dollars the run may cost; None is no limit."""
    tools: Looking | None
    """What the seats look things up with; None for nothing."""
    prices: Mapping[str, Mapping[str, Any]]
    """The user's own prices: US dollars for a million tokens, by `provider:model`."""
    concurrency: int
    """Calls under way at once with one provider."""
    reach: Reach
    """How the models are reached, so that resume asks the same ones."""
    fence: str
    """Tag around quoted text, drawn at random for this run."""
    uuid: str
    kind: str = DEBATE
    alone: bool = False
    """Every seat answers by itself, in its own form: an arena without a debate."""
    decide: str = "consensus"
    """What decides beside the outcome of the debate: `vote`, `judge`, or nothing more."""
    judging: Judging | None = None
    """How it is judged; None where nobody judges."""
    provider_batch: bool = False
    """Whether its calls go into batches of the providers, beside those of other debates, at half the price."""

    @property
    def rate(self) -> float:
        """The part of the listed prices that its calls cost."""
        return prices.BATCH_RATE if self.provider_batch else 1.0

    def opening_event(self) -> dict[str, Any]:
        """The first event of the journal: all that `from_event` needs to make this plan again."""
        told = {
            "kind": self.kind, "problem": self.problem, "context": self.context, "language": self.language,
            "model": self.model, "rounds": self.rounds,
        }  # fmt: skip
        return write_opening(self, told, at_top=_AT_TOP)


_AT_TOP = {"kind", "problem", "context", "language", "model", "rounds", "seats", "uuid"}


def from_event(opening: Mapping[str, Any]) -> Plan:
    """The plan that a room was opened with. Raises UsageError when the event is not a debate's."""
    lacking: dict[str, Any] = {"reach": {}, "tools": None, "synthesis": "moderator", "devil": False, "baseline": None}
    plan = read_opening(Plan, {"kind": DEBATE, **opening}, "a debate", at_top=_AT_TOP, **lacking)
    if plan.kind not in (DEBATE, ARENA):
        raise UsageError("this journal was not opened by a debate")
    if len(plan.seats) < 2:
        raise UsageError("this journal was not opened by a debate: it names fewer than two agents")
    return plan


def make(question: str, settings: Settings, context: Context, models: Models) -> Plan:
    """The plan of a debate on `question`. Opens the models, asks none.

    Raises UsageError for settings that contradict each other, VagueQuestion for a question that names nothing
    to debate (unless `anyway`), NoModel when a model cannot be used: all in the debate's language.
    """
    problem = stated(question)
    guess = classify_question(problem)
    language = guess.language if settings.language == "auto" else settings.language
    try:
        if guess.vague and not settings.anyway:
            raise vague(problem, language)
        return _made(problem, guess.domain, language, settings, context, models)
    except DebateroomError as error:
        raise spoken(error, language) from error.__cause__


def _made(
    problem: str, domain: str | None, language: str, settings: Settings, context: Context, models: Models
) -> Plan:
    """The plan, the question being read."""
    model = usual_model(settings).name
    specs = _dealt(_roles(settings, domain, language), settings.mixed)
    seats = tuple(_seat(position, spec, model, models) for position, spec in enumerate(specs))
    moderator = _moderator(settings, model, models)
    makers, judging = Makers(settings.vendor, models.settings), None
    seats = tuple(replace(seat, vendor=makers.known_or_stated(models.open(seat.model))) for seat in seats)
    if settings.decide == "judge":
        seats = judge.with_makers(seats, makers, models)
        judging = judge.appoint(settings, seats, makers, models)
        makers.hold_used()
    return completed(
        settings, context, models,
        problem=problem, language=language, seats=seats, rounds=settings.rounds, model=models.open(model).name,
        moderator=moderator, decide=settings.decide, judging=judging,
    )  # fmt: skip


def completed(
    settings: Settings, context: Context, models: Models, *, seats: tuple[Seat, ...], **chosen: Any
) -> Plan:
    """A plan with `seats` and what else was `chosen`; the rest is as the settings have it.

    Raises UsageError for a budget that cannot be kept, tools that a seat cannot have, or a window that is full.
    """
    judging: Judging | None = chosen.get("judging")
    names = {*(seat.model for seat in seats), chosen["moderator"]} - {NO_MODERATOR}
    names |= {judging.model} if judging else set()
    if settings.budget is not None:
        prices.require(names, settings.prices)
    given = {"devil": settings.devil, **_as_given(settings), **chosen}
    if given["devil"] and len(seats) < 3:  # the one that is left would agree with itself
        raise worded(UsageError, Wording("devil_seats", {"given": len(seats)}), hint=Wording("devil_seats_hint"))
    tools = looking.chosen(settings.tools, models, ports=settings.web_ports)
    looking.hold(tools, seats)
    plan = Plan(
        context=context.text,
        seats=seats,
        quorum=_quorum(settings, len(seats)),
        fence=_fence(),
        tools=tools,
        reach=reach.noted(names, models.settings),
        uuid=str(uuid.uuid4()),
        **given,
    )
    _hold_window(plan, models)
    return plan


def in_batches(plan: Plan) -> Plan:
    """The same debate, its calls in the providers' batches: nobody goes ahead, and nobody is late within a week.

    Raises UsageError when a model's provider has none.
    """
    judging = [plan.judging.model] if plan.judging else []
    batched.require({*(seat.model for seat in plan.seats), plan.moderator, *judging} - {NO_MODERATOR})
    seconds = prices.BATCH_SECONDS
    return replace(plan, provider_batch=True, stagger="off", call_timeout=seconds, round_timeout=seconds)


def _hold_window(plan: Plan, models: Models) -> None:
    """Raises UsageError when what everybody reads leaves a model's window no place for a reply."""
    given = sum(map(tokens.estimate, prompts.shared_blocks(plan, [])))
    asked = [(seat.model, tokens.estimate(prompts.seat_request(plan, (), seat, 2).own)) for seat in plan.seats]
    others = [plan.moderator] if plan.moderator != NO_MODERATOR else []
    others += [plan.judging.model] if plan.judging else []
    asked += [(name, max(own for _, own in asked)) for name in others]  # their questions are about as long
    for model, own in asked:
        window = models.open(model).window
        needed = given + own + (plan.tools.reserve(window) if plan.tools else 0)
        if needed + min(plan.max_tokens, window // 4) > window:
            figures = {"needed": needed, "model": model, "window": window}
            raise worded(UsageError, Wording("window_full", figures), hint=Wording("window_full_hint"))


def from_transcript(
    transcript: Transcript, settings: Settings, models: Models, *, model: str | None = None, rounds: int | None = None
) -> Plan:
    """A plan that goes on where a `chat.json` without a journal stopped: its seats, problem and context as they are.

    `model` is the one that the caller wants on every seat; without it each keeps its own. `rounds` is how many the
    caller wants at most; without it as many as the file was to have. Raises UsageError when the file names no
    problem, fewer than two seats, or a program.
    """
    if transcript.kind == ARENA:
        raise UsageError("this transcript is an arena's, which goes on from its journal only")
    if not transcript.problem.strip() or len(transcript.agents) < 2:
        raise UsageError("this transcript has no problem or fewer than two agents; it cannot be continued")
    usual = model or settings.model or _of_file(transcript.model) or None
    usual = models.open(choose_default(usual).name).name
    seats = tuple(
        replace(seat, model=own.name, vendor=own.vendor)
        for seat in transcript.agents
        for own in [models.open(model or _of_file(seat.model) or usual)]
    )
    moderator = _moderator(settings, usual, models)
    return Plan(
        problem=transcript.problem,
        context=transcript.context,
        language=transcript.language,
        seats=seats,
        rounds=max(
            rounds or transcript.rounds_asked or settings.rounds, *(item.round for item in transcript.rounds), 1
        ),
        model=usual,
        moderator=moderator,
        fence=_fence(),
        devil=len(seats) > 2 and (settings.devil or any(item.devil for item in transcript.rounds)),
        tools=None,
        reach=reach.noted({*(seat.model for seat in seats), moderator} - {NO_MODERATOR}, models.settings),
        uuid=transcript.uuid or str(uuid.uuid4()),
        quorum=_quorum(settings, len(seats)),
        **_as_given(settings),
    )


def _of_file(name: str) -> str:
    """A model that a transcript names. Raises UsageError for a program: a file that was handed on starts none."""
    if name and resolve(name).provider == "command":
        raise UsageError(
            f"this transcript names the program {name} as a model",
            hint=f"if you want that: --model {quoted(name)}",
        )
    return name


def _as_given(settings: Settings) -> dict[str, Any]:
    """The settings that a plan takes over unchanged."""
    names = ("synthesis", "baseline", "early_stop", "stagger", "call_timeout", "round_timeout", "max_tokens")
    limits = ("timeout", "budget", "prices", "concurrency")
    return {name: getattr(settings, name) for name in (*names, *limits)}


def _fence() -> str:
    return f"said-{secrets.token_hex(4)}"


def vague(problem: str, language: str) -> VagueQuestion:
    """The error for a question that names nothing to debate, with two sharper ones in its hint."""
    first, second = sharpen(problem, language)
    shown = problem if len(problem) <= 80 else problem[:79] + "…"
    return VagueQuestion(
        say(language, "vague", question=shown),
        hint=say(language, "vague_hint", first=quoted(first), second=quoted(second)),
    )


def stated(question: str) -> str:
    """The question without blanks around it. Raises UsageError when there is none."""
    if "\0" in question:
        raise UsageError("the question holds a NUL character")
    problem = question.strip()
    if not problem:
        raise UsageError("there is no question", hint='debateroom "queue vs loop?"')
    return problem


def _roles(settings: Settings, domain: str | None, language: str) -> Sequence[roles.RoleSpec]:
    """One role a seat, framings filled in."""
    if settings.agents is not None and settings.agents < 2:
        named = settings.role or settings.roles != "auto"
        hint = Wording("every_role_hint" if named else "two_agents_hint")
        raise worded(UsageError, Wording("two_agents", {"given": settings.agents}), hint=hint)
    given = [roles.parse_role(text) for text in settings.role]
    if settings.roles != "auto":
        if given:
            raise worded(UsageError, Wording("roles_twice"))
        given = list(roles.parse_roles_list(settings.roles))
    wanted = domain if settings.domain == "auto" else settings.domain
    if not given:
        return roles.assign(wanted, language, settings.agents or USUAL_SEATS, given, False)
    usual = max(USUAL_SEATS, len(given)) if settings.add_roles else len(given)
    count = settings.agents if settings.agents is not None else usual
    if count < len(given) or (count > len(given) and not settings.add_roles):
        key = "roles_fill_up" if count > len(given) else "roles_contradict"
        raise worded(UsageError, Wording(key, {"given": count, "count": len(given)}), hint=Wording("roles_hint"))
    if count < 2:
        raise worded(UsageError, Wording("one_role"), hint=Wording("one_role_hint"))
    return roles.assign(wanted, language, count, given, settings.add_roles)


def usual_model(settings: Settings) -> Default:
    """The model of what names none: the one that was named, else the first of the mixed ones, else what is there."""
    return choose_default(settings.model or next(iter(settings.mixed), None))


def _dealt(specs: Sequence[roles.RoleSpec], mixed: Sequence[str]) -> Sequence[roles.RoleSpec]:
    """`specs`, those without a model of their own with one of the `mixed`, in order, round robin."""
    if not mixed:
        return specs
    if not all(name.strip() for name in mixed):
        raise worded(UsageError, Wording("mixed_empty", {"given": ",".join(mixed)}), hint=Wording("mixed_hint"))
    for name in mixed:  # also one that no seat is left for
        resolve(name)
    pack = cycle(mixed)
    return [spec if spec.model else replace(spec, model=next(pack)) for spec in specs]


def _seat(position: int, spec: roles.RoleSpec, model: str, models: Models) -> Seat:
    opened = models.open(spec.model or model)
    return Seat(roles.seat_name(position), spec.name, spec.framing or "", opened.name, opened.vendor)


def _moderator(settings: Settings, model: str, models: Models) -> str:
    """The moderator's model; `none` when it was refused, or when every model is too small to judge.

    Of mixed models it is the first that is not, unless one was named.
    """
    if settings.moderator == NO_MODERATOR:
        return NO_MODERATOR
    others = () if settings.model else settings.mixed
    for name in (settings.moderator,) if settings.moderator else (model, *others):
        opened = models.open(name)
        if opened.moderates:
            return opened.name
    if settings.moderator:
        refused = Wording("cannot_moderate", {"model": opened.name})
        raise worded(UsageError, refused, hint=Wording("cannot_moderate_hint"))
    return NO_MODERATOR


def _quorum(settings: Settings, seats: int) -> int:
    if settings.quorum is None:
        return max(2, seats // 2 + 1)
    if settings.quorum > seats:
        raise worded(UsageError, Wording("quorum_too_high", {"quorum": settings.quorum, "seats": seats}))
    return settings.quorum
