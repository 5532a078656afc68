"""What is passed around: requests and answers, seats and rounds, the transcript. Frozen values, no behaviour."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Kind = Literal["opening", "debate"]
"""Which round's format a reply follows: `opening` is round 1, `debate` every later one."""
CALL_SECONDS = 120.0
"""How long one call may take when nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, or of many added up; the same shape for every provider."""

    input: int = 0
    """Tokens sent, the cached and the newly written ones included."""
    cached: int = 0
    """The part of `input` that was read from the provider's cache."""
    written: int = 0
    """The part of `input` that was written to the provider's cache."""
    output: int = 0
    """Tokens received, thinking included."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.written + other.written,
            self.output + other.output,
        )


CURRENCY = "USD"
"""Of every amount in this project."""


def dollars(amount: float | None) -> float | None:
    """`amount` to a millionth of a US dollar, as it is written: without the noise of added fractions. None stays."""
    return None if amount is None else round(amount, 6)


@dataclass(frozen=True, slots=True)
class Paid:
    """One call that was made, whatever became of its answer: nobody gets its tokens back."""

    usage: Usage
    cost: float | None = None
    """US dollars that the provider itself says it cost; None when it says nothing."""
    rate: float = 1.0
    """The part of the usual price that is charged: half of it in a provider's batch."""


class Allowance(Protocol):
    """Says whether a call may be made once more under a budget. Asked from worker threads."""

    def again(self, lost: Sequence[Paid]) -> int | None:
        """Tokens that another attempt may have, `lost` having been paid for nothing since; None when none fits.

        Waits while calls that are under way may still leave something.
        """
        ...


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """The labels a seat was asked to write. Only a model that can be held to a grammar uses it."""

    kind: Kind
    language: str
    seats: tuple[str, ...]
    """Names of the room's seats, `Agent A` …: what `ENDORSES` may hold."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a call is for. It is never sent: only a model that reads its replies from a file looks at it."""

    call: Literal["seat", "moderator", "synthesis", "repair", "plan", "judge", "baseline", "ballot"]
    """`repair` asks a seat once more for what could not be used; `plan` asks a worker for its steps; `baseline` is a
    single answer outside of the debate, `ballot` the question which of them decide the same."""
    agent: str = ""
    """The seat's name, `Agent A` …, or `Answer 1` …; empty for the moderator and the synthesis; for a judge whose
    answers it is shown, in order: `Agent B/Agent A`."""
    round: int = 0
    """1 and up, of a single answer how often it was asked; 0 for the synthesis; for a judge 1 or 2, the second time
    being the other way round."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of its arguments, an object."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model asked for."""

    id: str
    name: str
    arguments: str
    """JSON text as the model wrote it, not trusted."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model is told that a tool call gave."""

    call_id: str
    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant", "tools"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    """What an assistant turn asked for."""
    results: tuple[ToolResult, ...] = ()
    """What a tools turn tells: one result a call of the turn before."""
    raw: Any = None
    """An assistant's content as its provider gave it; that provider gets it back unchanged, reasoning included."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call: the blocks all seats share, then what is this seat's own, then the conversation if there is one.

    The order is a decision about money: `shared` is the same to the byte for every seat of a round and
    a prefix of the next round's, so a provider can serve it from its cache.
    """

    shared: tuple[str, ...] = ()
    """Shared blocks in order: room rules with context and problem, then one block a finished round."""
    own: str = ""
    """What differs: who you are, which round, the reply format."""
    max_tokens: int = 16_000
    """Limit on what comes back, thinking included."""
    timeout: float = CALL_SECONDS
    """Seconds the call may take, from the moment it is sent to its last token."""
    until: float | None = None
    """Moment of `clock.monotonic()` after which nobody wants the answer, waiting for a slot included; None: never."""
    schema: Mapping[str, Any] | None = None
    """JSON Schema the reply must follow; None for free text."""
    reply_format: ReplyFormat | None = None
    """The format asked for, for models that can be held to one by a grammar."""
    cache_key: str = ""
    """Stable per room: lets a provider route calls with one prefix to one cache."""
    purpose: Purpose | None = None
    """What this call is for, for models that are scripted; None when nobody needs to know."""
    system: str = ""
    """Instructions that stand above the conversation; empty for none."""
    turns: tuple[Turn, ...] = ()
    """What follows the first user message, which `shared` and `own` make; without these there is none."""
    tools: tuple[ToolSpec, ...] = ()
    """What the model may ask for; none is ever required."""
    may_call: bool = True
    """Whether it may ask for tools now. They are told all the same: what it asked for before names them."""
    reserve: int = 0
    """Tokens that what tools give may take in the further calls of the same reply; kept free in the window."""
    folder: str = ""
    """A project folder that an assistant's program may look at by itself, read-only; empty for none."""
    allowance: Allowance | None = None
    """Whether what was paid for and thrown away may be asked for again; None: as often as it helps."""
    together: int = 1
    """So many calls of this room are made at this moment, itself included: a provider's batch waits for all."""
    temperature: float | None = None
    """Sent where a server takes it and its own default may be another; None is the model's default."""
    seed: int | None = None
    """The same for the seed of what is drawn at random."""
    may_be_silent: bool = False
    """An answer without a word is not asked for again: whoever asks does that in its own words."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything in it that a model reads, in order, tools left out."""
        said = [text for turn in self.turns for text in (turn.text, *(result.content for result in turn.results))]
        return tuple(text for text in (self.system, *self.shared, self.own, *said) if text)


@dataclass(frozen=True, slots=True)
class Looked:
    """A look-up that a model's own program made while it answered, as far as the program tells."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: str = ""
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model gave back."""

    text: str
    usage: Usage
    stop_reason: str
    """`stop` (finished), `tools` (it waits for their results), `length` (cut by the token limit) or `refusal`."""
    model: str
    """The model's id as the provider states it."""
    seconds: float
    """Wall time of the call, waiting for a free slot left out."""
    cost: float | None = None
    """US dollars that the provider itself says this call cost; None when it says nothing."""
    before: tuple[Paid, ...] = ()
    """The calls whose answers were thrown away before this one came: cut, empty, broken off."""
    calls: tuple[ToolCall, ...] = ()
    """Tools that it asks for, in order."""
    raw: Any = None
    """The content as the provider gave it, for the assistant turn that follows; None when text and calls say all."""
    looked: tuple[Looked, ...] = ()
    """What a program looked up by itself, in order."""
    rate: float = 1.0
    """As in `Paid`."""

    @property
    def paid(self) -> tuple[Paid, ...]:
        """Every call that was paid for to get this answer, itself last."""
        return (*self.before, Paid(self.usage, self.cost, self.rate))


OnText = Callable[[str], None]
"""Called in the calling thread with each piece of text as it arrives."""


class Model(Protocol):
    """A model that can be asked. `ask` is called from many threads at once."""

    name: str
    """`provider:model`."""
    vendor: str
    """The maker of the model, not the endpoint; `unknown` when not known."""
    window: int
    """Tokens a request and its answer may have together."""
    moderates: bool
    """Whether this model may moderate and conclude; a very small one may not."""

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """The model's answer. Raises CallFailed when this call failed, NoModel when no call can succeed."""
        ...


@dataclass(frozen=True, slots=True)
class Seat:
    """One agent of a room: its name, its role, and which model speaks from it."""

    name: str
    """`Agent A` … `Agent Z`, `Agent AA` …, in every language."""
    role: str
    framing: str
    """What the role optimises for and what it attacks, in one sentence or two."""
    model: str = ""
    """`provider:model`."""
    vendor: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in a file of the project that a reply cites."""

    text: str
    """`path:line`, or `path:first-last`."""
    exists: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One reply in a round."""

    agent: str
    role: str
    response: str
    """The reply as it was written, unchanged."""
    confidence: float | None = None
    """1–10 as read from the reply; None is unknown."""
    endorses: str | None = None
    """The seat whose proposal the writer would sign; None when not said."""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    """Of all the calls that were paid for to get this reply."""
    calls: int = 1
    """How many those were; more than 1 when an answer was thrown away and asked for again."""
    seconds: float = 0.0
    finish: str = "stop"
    """`stop`, `length` or `refusal`."""
    repaired: bool = False
    """The first reply had no readable section; this is the answer to the one repair prompt."""
    off_topic: bool = False
    """The moderator said that this reply is not about the problem."""
    history: str = "full"
    """`full`, or `last_round` when the model's window held only the last round."""
    tools: tuple[str, ...] = ()
    """Names of the tools that were executed for this reply, in order."""
    interrupted: tuple[str, ...] = ()
    """Names of those that were at work when a run broke off: they may have been executed."""
    citations: tuple[Citation, ...] = ()
    """What it cites of the project, looked up when it came; empty in a debate whose seats look nothing up."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A seat that did not answer in a round. It never has a response."""

    agent: str
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class Round:
    """The replies of one round, in seat order, and the seats that failed in it."""

    round: int
    entries: tuple[Entry, ...] = ()
    failures: tuple[Failure, ...] = ()
    moderation: Mapping[str, Any] | None = None
    """The moderator's verdict on this round: `aligned, proposal, holdouts, open_blockers, off_topic, why`."""
    usage: Usage = field(default_factory=Usage)
    """Everything this round spent: replies, repairs, what failed after it was paid for, and the moderator."""
    devil: str | None = None
    """The seat that attacked in this round by order: what it endorses and how sure it is do not count."""
    attacks: str | None = None
    """The seat whose proposal it attacked."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole room: what `chat.json` holds and what the reports are made from."""

    problem: str
    context: str = ""
    agents: tuple[Seat, ...] = ()
    rounds: tuple[Round, ...] = ()
    final_output: Mapping[str, Any] | None = None
    """The synthesis; None until it is written."""
    version: str = ""
    """Version of debateroom that wrote it; empty for a foreign file."""
    uuid: str = ""
    kind: str = "debate"
    status: str = "finished"
    """`running`, `interrupted`, `waiting_for_host`, `finished` or `failed`."""
    language: str = "en"
    model: str = ""
    """The model all seats use unless a seat names its own."""
    usage: Usage = field(default_factory=Usage)
    """Everything the room spent, moderator and synthesis included."""
    stopped: str | None = None
    """Why it ended: `converged`, `rounds`, `quorum`, `deadline`, `budget`, `interrupted`, `error` and others."""
    started: str = ""
    """ISO 8601 with time zone."""
    seconds: float | None = None
    """Wall time of the run; None when not known."""
    rounds_asked: int | None = None
    quorum: int | None = None
    """Replies without which a round is none; None when not recorded."""
    cost: float | None = None
    """US dollars; None when a price is unknown."""
    baseline: Mapping[str, Any] | None = None
    """What single answers with about as many tokens came to; None without any."""
    notes: tuple[str, ...] = ()
    """What could not be read from a foreign file, one sentence each. Never written to `chat.json`."""
