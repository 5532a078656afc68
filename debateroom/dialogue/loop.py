"""Two parties in turns, in a room: whom to ask next is the caller's business, what was said and paid for is ours.

Every call's answer is in the journal before anything follows from it. The caller is played again from the start when
a room is resumed: what the journal holds is taken from there in the same order, so no finished call is repeated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from debateroom import clock, files
from debateroom.agents.agent import Agent, Declares, Finishes, GoesOn, ToolRecord
from debateroom.agents.tape import tape
from debateroom.dialogue import broken, prompts
from debateroom.dialogue.plan import Plan
from debateroom.dialogue.waiting import Tell, TooLate, wait_for
from debateroom.errors import AgentFailed, CallFailed, DebateroomError
from debateroom.language import say, spoken
from debateroom.messages import Model, Paid, Purpose, Request, Turn
from debateroom.room.room import Room, event, journal
from debateroom.room.spending import spent_by_model, untold

OnProgress = Callable[[str, int], None]
"""Called on the main thread with a seat's name and the characters it has written so far."""
_SPEECH = ("reply", "set_aside", "planned")
"""Events that hold what somebody said: one for each call, and for each message that needed none."""
_NOTES = ("worker_started", "worker_iteration", "worker_completed")
"""Events that are written once, however often the room is resumed."""


class Over(Exception):
    """The run may go on no longer; the word says why: `budget` or `deadline`."""

    def __init__(self, why: Literal["budget", "deadline"]) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a party said, before it is decided what becomes of it."""

    agent: str
    round: int
    text: str
    """As it was written, unchanged."""
    tools: tuple[ToolRecord, ...] = ()
    spent: Mapping[str, Any] = field(default_factory=dict)
    """`calls`, `usage` and `cost`, as events carry them; empty when no call was paid for."""
    model: str = ""
    seconds: float = 0.0
    finish: str = "stop"
    state: Any = None
    raw: Any = None
    recorded: bool = False
    """It comes from the journal, which needs it no second time."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One finished turn: what was asked of the agent, and its answer."""

    request: str
    answer: str
    tools: tuple[ToolRecord, ...] = ()


class Dialogue:
    """A dialogue while it is played."""

    def __init__(
        self, room: Room, plan: Plan, driver: Model, agent: Agent, *,
        until: float | None = None, on_progress: OnProgress | None = None,
    ) -> None:  # fmt: skip
        self.room = room
        self.plan = plan
        self.exchanges: list[Exchange] = []
        """The turns so far."""
        self.until = until
        self.begun = clock.monotonic()
        self._driver = driver
        self._agent = agent
        self._on_progress = on_progress
        self._said: list[Turn] = []
        """The conversation as the agent sees it."""
        self._heard: list[Turn] = []
        """The conversation as the driver sees it."""
        self._told: list[Paid] = []
        """What was paid for on the way to the answer that is under way, and is in the journal."""
        self._way = 0.0
        """Seconds that the model took for it, which are there too."""
        known = journal(room.folder).values
        self._tape = deque(value for value in known if value.get("event") in _SPEECH)
        self._noted = deque(value for value in known if value.get("event") in _NOTES)
        self._broke_off = broken.broke_off(known)
        """Whether the next call that is made is one that a run before this one did not see the end of."""
        self._lost = next((value for value in known if value.get("event") == "agent_lost"), None)

    @property
    def number(self) -> int:
        """Turns that are over."""
        return len(self.exchanges)

    @property
    def remaining(self) -> int:
        """Turns that are left."""
        return self.plan.job.max_turns - self.number

    @property
    def executed(self) -> tuple[str, ...]:
        """Names of all tools that were executed, in order."""
        return tuple(tool.name for exchange in self.exchanges for tool in exchange.tools)

    @property
    def tool_names(self) -> tuple[str, ...]:
        """Names of the agent's tools as far as they are known: those that were executed, and those it declares."""
        return tuple(dict.fromkeys([*self.executed, *(self.declared or ())]))

    @property
    def declared(self) -> tuple[str, ...] | None:
        """Names of the tools that the agent declares; None when nobody knows what it has."""
        return self._agent.declared if isinstance(self._agent, Declares) else None

    def ask_driver(self, message: str, *, call: Literal["seat", "repair", "plan"] = "seat") -> Spoken:
        """What the simulator or worker says to `message`; its own conversation keeps both.

        Raises Over when the budget or the time is spent, CallFailed and NoModel when the model cannot answer.
        """
        self._heard.append(Turn("user", message))
        number = self.number + 1
        spoken = self._from_tape(self.plan.driver, number)
        if spoken is None:
            spoken = self._asked_driver(number, call)
        self._heard.append(Turn("assistant", spoken.text, raw=spoken.raw))
        return spoken

    def begin_anew(self) -> None:
        """The driver's conversation starts over: what it said so far is not before its eyes any more."""
        self._heard.clear()

    def keep_aside(self, spoken: Spoken, why: Sequence[str]) -> None:
        """What was said reaches nobody: a rule kept it back."""
        self._write("set_aside", spoken, why=list(why))

    def keep_plan(self, spoken: Spoken, **found: Any) -> None:
        """What was said is a plan: it stays in the journal."""
        self._write("planned", spoken, **found)

    def conclude(self, spoken: Spoken) -> None:
        """What was said ends the conversation; it stands alone in a last round."""
        self._write("reply", spoken)

    def exchange(
        self, message: str, spoken: Spoken | None = None, *, before: str = "", told: Mapping[str, Any] | None = None
    ) -> Exchange:
        """Sends `message` to the agent, with `before` in front of it, and takes its answer; a whole turn.

        `spoken` is what the driver wrote it as; None when nobody was asked for it. `told` are the fields of a
        `worker_iteration` event. Raises AgentFailed, Over.
        """
        number = self.number + 1
        sent = f"{before}\n\n{message}" if before else message
        written = spoken or self._from_tape(self.plan.driver, number) or Spoken(self.plan.driver, number, sent)
        self._write("reply", written, response=sent, opens=True)  # first: it was paid for
        if told is not None:
            self.note("worker_iteration", **told)
        self._said.append(Turn("user", sent))
        answer = self._remembered(number) or self._asked_agent(number)
        self._write("reply", answer)
        self._said.append(Turn("assistant", answer.text, raw=answer.raw))
        if number not in self.room.state.finished_rounds:
            self.room.write(event("round_finished", round=number))
        self.exchanges.append(Exchange(message, answer.text, answer.tools))
        return self.exchanges[-1]

    def finish(self) -> None:
        """Ends the agent before anything is made of what was said.

        Raises AgentFailed when it turns out to have failed, now or in a run before this one: its answers are in the
        journal and cannot be had again.
        """
        lost = self._lost
        if lost is None and isinstance(self._agent, Finishes):
            try:
                self._agent.finish()
            except AgentFailed as error:
                lost = event("agent_lost", round=self.number, agent=self.plan.agent, reason=str(error))
                self.room.write(lost)
        if lost is not None:
            raise AgentFailed(lost["reason"], hint=say(self.plan.language, "lost_hint"))

    def note(self, name: str, **values: Any) -> None:
        """Writes an event that holds no speech, unless the journal has it from before."""
        if self._noted and self._noted[0]["event"] == name:
            self._noted.popleft()
        else:
            self.room.write(event(name, **values))

    def _from_tape(self, agent: str, number: int) -> Spoken | None:
        """The next thing that the journal says was said; None when it has no more."""
        if not self._tape:
            return None
        told = self._tape.popleft()
        if (told["agent"], told["round"]) != (agent, number):
            raise DebateroomError(
                f"the journal has {told['agent']} in turn {told['round']} where {agent} speaks in turn {number}: "
                "it was written by another version",
                hint="start the dialogue again",
            )
        tools = tuple(ToolRecord(**tool) for tool in told.get("tools", ()))
        written = str(told.get("written", told["response"]))
        return Spoken(agent, number, written, tools, state=told.get("state"), recorded=True)

    def _asked_driver(self, number: int, call: Literal["seat", "repair", "plan"]) -> Spoken:
        request = Request(
            system=prompts.system(self.plan),
            turns=tuple(self._heard),
            max_tokens=self.plan.max_tokens,
            timeout=self.plan.call_timeout,
            until=self.until,
            cache_key=self.plan.uuid,
            purpose=Purpose(call, self.plan.driver, number),
        )
        self._hold_limits()
        self._tell_broken_off(self.plan.driver)
        written = 0

        def ask(tell: Tell) -> Any:
            def on_text(piece: str) -> None:
                nonlocal written
                written += len(piece)
                shown = written
                tell(lambda: self._progress(self.plan.driver, shown))

            return self._driver.ask(request, on_text=on_text)

        answer = self._in_time(ask, self.plan.driver, self._driver.name)
        if answer.stop_reason == "refusal":
            self._note_failed(self.plan.driver, "the model refused", {self._driver.name: answer.paid})
            raise CallFailed(f"{self._driver.name} refused to speak as {self.plan.driver}")
        return Spoken(
            self.plan.driver, number, answer.text, spent=self._spent({self._driver.name: answer.paid}),
            model=answer.model, seconds=answer.seconds, finish=answer.stop_reason, raw=answer.raw,
        )  # fmt: skip

    def _asked_agent(self, number: int) -> Spoken:
        self._hold_limits()
        self._tell_broken_off(self.plan.agent)
        self._go_on(number)
        self._told, self._way = [], 0.0

        def ask(tell: Tell) -> Any:
            def on_event(told: Mapping[str, Any]) -> None:
                tell(lambda: self._on_the_way(number, told))

            return self._agent.answer(tuple(self._said), until=self.until, on_event=on_event)

        answer = self._in_time(ask, self.plan.agent, self._agent.model)
        seconds, paid = max(0.0, answer.seconds - self._way), self._spent(self._untold(answer.paid))
        return Spoken(
            self.plan.agent, number, answer.text, tuple(answer.tools), paid, answer.model, seconds,
            answer.stop_reason, answer.state if files.writable(answer.state) else None,
        )  # fmt: skip

    def _tell_broken_off(self, seat: str) -> None:
        """Writes down that a call to `seat` was under way when a run broke off: it is made again now."""
        if self._broke_off:
            self._broke_off = False
            reason = say(self.plan.language, "call_interrupted")
            self.room.write(event("call_failed", round=self.number + 1, agent=seat, reason=reason, interrupted=True))

    def _remembered(self, number: int) -> Spoken | None:
        """The agent's answer that the journal has; an agent of ours is told what led to it."""
        answer = self._from_tape(self.plan.agent, number)
        if answer is not None and isinstance(self._agent, GoesOn):
            steps = self.room.state.led.get((number, self.plan.agent), ())
            self._agent.remember(tuple(self._said), tape(steps), answer.text)
        return answer

    def _go_on(self, number: int) -> None:
        """Gives the agent the steps of this answer that were made before the run broke off."""
        steps = self.room.state.looked.get((number, self.plan.agent), ())
        if steps and isinstance(self._agent, GoesOn):
            self._agent.go_on_from(tape(steps))

    def _on_the_way(self, number: int, told: Mapping[str, Any]) -> None:
        """Writes down what the agent does before it answers, and what was paid for it."""
        said = {name: value for name, value in told.items() if name != "paid"}
        paid = told.get("paid", {})
        place = {"round": number, **({"seat": self.plan.agent} if "within" in told else {})}
        self.room.write({**event(str(told["event"])), **place, **said, **self._spent(paid)})
        self._told += [each for calls in paid.values() for each in calls]
        if told["event"] == "tools_asked" and "within" not in told:
            self._way += told["seconds"]

    def _in_time(self, ask: Callable[[Tell], Any], seat: str, model: str) -> Any:
        """What the call gives. A call that failed because the run's time was over raises Over.

        What was paid for although no answer came of it is in the journal.
        """
        try:
            return wait_for(ask, until=self.until)
        except TooLate:
            raise Over("deadline") from None
        except DebateroomError as error:
            self._note_failed(seat, str(spoken(error, self.plan.language)), {model: error.paid})
            if self.until is not None and clock.monotonic() >= self.until:
                raise Over("deadline") from None
            raise

    def _note_failed(self, seat: str, reason: str, paid: Mapping[str, Sequence[Paid]]) -> None:
        self.room.write(
            event("call_failed", round=self.number + 1, agent=seat, reason=reason, **self._spent(self._untold(paid)))
        )

    def _hold_limits(self) -> None:
        spent = self.room.transcript.cost
        if self.plan.budget is not None and (spent is None or spent >= self.plan.budget):
            raise Over("budget")
        if self.until is not None and clock.monotonic() >= self.until:
            raise Over("deadline")

    def _spent(self, paid: Mapping[str, Sequence[Paid]]) -> dict[str, Any]:
        return spent_by_model(paid, prices=self.plan.prices)

    def _untold(self, paid: Mapping[str, Sequence[Paid]]) -> dict[str, list[Paid]]:
        """What of it is not in the journal from the way to the answer, which is over with this."""
        told, self._told = self._told, []
        return untold(paid, told)

    def _progress(self, seat: str, characters: int) -> None:
        if self._on_progress:
            self._on_progress(seat, characters)

    def _write(self, name: str, spoken: Spoken, *, opens: bool = False, **more: Any) -> None:
        """Puts what was said into the journal, unless it comes from there; `opens` when a turn begins with it."""
        if spoken.recorded:
            return
        response = more.pop("response", spoken.text)
        value: dict[str, Any] = {
            "round": spoken.round, "agent": spoken.agent, "role": spoken.agent, "response": response,
            "model": spoken.model, "seconds": round(spoken.seconds, 3), "finish": spoken.finish,
            **spoken.spent, **more,
        }  # fmt: skip
        if response != spoken.text:
            value["written"] = spoken.text
        if spoken.tools:
            value["tools"] = [asdict(tool) for tool in spoken.tools]
        if spoken.state is not None:
            value["state"] = spoken.state
        started = [event("round_started", round=spoken.round)] if opens else []
        self.room.write(*started, event(name, **value))
