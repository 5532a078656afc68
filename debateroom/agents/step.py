"""One step of an answer: the calls that the model asked for at once, each made, or refused with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from debateroom.agents.agent import OnEvent, ToolRecord
from debateroom.agents.arguments import BadArguments, check_arguments, read_arguments, renamed
from debateroom.agents.conversation import Conversation, Equipped, Taped
from debateroom.agents.run import Run
from debateroom.agents.tools import Done, GoesOn, Job, OneByOne, Running, cut
from debateroom.agents.wording import say
from debateroom.messages import ToolCall, ToolResult


class Step:
    """The calls of the last answer of a conversation, while they are made."""

    def __init__(
        self,
        equipped: Equipped,
        talk: Conversation,
        run: Run,
        on_event: OnEvent,
        closed: set[str],
        taped: Taped | None = None,
    ) -> None:
        """`closed` are tools that must not be called again for this answer; those that say so now are added.

        What `taped` has was made before: it is not made again.
        """
        self._equipped = equipped
        self._talk = talk
        self._run = run
        self._on_event = on_event
        self._closed = closed
        self._taped = taped
        self._calls = talk.answer.calls if talk.answer else ()
        self._running = Running()
        self._jobs: dict[int, Job] = {}
        self._busy: set[str] = set()
        """Tools that take one call after the other, and have one."""
        self._ended: dict[int, Done] = {}
        """Calls whose end is not told yet."""
        self._results: dict[int, ToolResult] = {}
        self._records: dict[int, tuple[ToolRecord, ...]] = {}

    def make(self) -> tuple[ToolResult, ...]:
        """The result of each call, in order.

        They are made at the same time, but for those of one tool that takes one after the other. What a call came to
        is told as soon as it ends, and in the order of the calls where results share a limit.
        """
        waiting = list(range(len(self._calls)))
        while waiting or self._running:
            waiting = [position for position in waiting if not self._begin(position)]
            if self._running:
                position, end = self._running.next()
                self._busy.discard(self._calls[position].name)
                self._ended[position] = end
                for due in self._due():
                    self._note(due, self._ended.pop(due))
        self._talk.records += [record for position in sorted(self._records) for record in self._records[position]]
        return tuple(self._results[position] for position in range(len(self._calls)))

    def _begin(self, position: int) -> bool:
        """Begins a call or refuses it; False for one that has to wait for another one of its tool."""
        call = self._calls[position]
        if call.name in self._busy:
            return False
        ready = self._recalled(position, call) or self._allowed(call)
        if isinstance(ready, ToolResult):
            self._results[position] = ready
            return True
        self._jobs[position] = ready
        if isinstance(ready.tool, OneByOne):
            self._busy.add(call.name)
        told = {"agent": self._equipped.name, "id": call.id, "name": call.name, "arguments": ready.arguments}
        self._on_event({"event": "tool_called", **told})
        self._running.start(position, ready, self._run_of(call))
        return True

    def _run_of(self, call: ToolCall) -> Run:
        """The run as the tool sees it: what it tells is known to be within this call."""

        def tell(event: Mapping[str, Any]) -> None:
            self._on_event({**event, "within": [call.id, *event.get("within", ())]})

        steps = self._taped.below.get(call.id, ()) if self._taped else ()
        return replace(self._run, tell=tell, tape=steps)

    def _recalled(self, position: int, call: ToolCall) -> ToolResult | None:
        """What a call gave that was made before: it counts as one that was made. None for one that is to be made.

        Of one that was begun nobody knows whether it did its work: the model is told so.
        """
        taped = self._taped
        if taped is None:
            return None
        ran = taped.ran.get(call.id)
        if ran is not None and ran.refused:
            return ToolResult(call.id, ran.record.result, is_error=True)
        if ran is not None:
            below = [record for step in taped.below.get(call.id, ()) for record in step.records()]
            self._run.budget.take(1 + len(below))
            self._within(ran.record.result)
            self._closed |= set() if ran.again else {call.name}
            self._records[position] = (*below, ran.record) if ran.executed else tuple(below)
            return self._told(call, ran.record)
        if call.id in taped.begun and not isinstance(self._equipped.tools.get(call.name), GoesOn):
            self._run.budget.take()
            return self._broke_off(call)
        return None

    def _refused(self, call: ToolCall, told: ToolResult) -> None:
        """Tells of a call that was not made, and why."""
        try:
            arguments = read_arguments(call.arguments, self._run.language)
        except BadArguments:  # they are no arguments: they stand as they came with the answer that asked
            arguments = {}
        record = ToolRecord(call.name, arguments, told.content, ok=False)
        known = {"agent": self._equipped.name, "id": call.id, **asdict(record)}
        self._on_event({"event": "tool_answered", **known, "executed": False, "refused": True})

    def _broke_off(self, call: ToolCall) -> ToolResult:
        """Tells of a call that was under way when the run broke off that nobody knows what became of it."""
        told = self._not_made(call, "broke_off", name=call.name[:80])
        record = ToolRecord(call.name, read_arguments(call.arguments, self._run.language), told.content, ok=False)
        known = {"agent": self._equipped.name, "id": call.id, **asdict(record)}
        self._on_event({"event": "tool_answered", **known, "executed": False, "interrupted": True})
        return told

    def _allowed(self, call: ToolCall) -> Job | ToolResult:
        """The call ready to be made, or why it is not, which is told."""
        ready = self._prepared(call)
        if isinstance(ready, Job) and self._taped and self._taped.over:
            ready = self._not_made(call, "broke_off", name=call.name[:80])
        if isinstance(ready, ToolResult):
            self._refused(call, ready)
        return ready

    def _prepared(self, call: ToolCall) -> Job | ToolResult:
        """The call ready to be made, or why it is not, for the model."""
        tool = self._equipped.tools.get(call.name)
        if tool is None:
            known = ", ".join(self._equipped.tools) or "-"
            return self._not_made(call, "no_such_tool", name=call.name[:80], known=known)
        if call.name in self._closed:
            return self._not_made(call, "not_again", name=call.name)
        language = self._run.language
        try:
            arguments = renamed(read_arguments(call.arguments, language), tool.aliases)
            check_arguments(arguments, tool.spec.parameters, language)
        except BadArguments as error:
            return ToolResult(call.id, str(error), is_error=True)
        if not self._run.budget.take():
            return self._not_made(call, "no_more_calls")
        return Job(tool, arguments)

    def _not_made(self, call: ToolCall, why: str, **values: str) -> ToolResult:
        return ToolResult(call.id, say(self._run.language, why, **values), is_error=True)

    def _due(self) -> list[int]:
        """The calls whose end can be told."""
        under_way = set(range(len(self._calls))) - self._results.keys() - self._ended.keys()
        first = min(under_way, default=len(self._calls)) if self._run.room else len(self._calls)
        return [position for position in sorted(self._ended) if position < first]

    def _note(self, position: int, end: Done) -> None:
        """Writes down what a call came to."""
        call, outcome = self._calls[position], end.outcome
        for event in outcome.events:
            self._on_event(event)
        arguments, text = self._jobs[position].arguments, self._within(outcome.text)
        record = ToolRecord(call.name, arguments, text, outcome.ok, end.seconds)
        for model, paid in outcome.paid.items():
            self._talk.pay(model, paid, told=True)
        more: dict[str, Any] = {"paid": outcome.untold} if outcome.untold else {}
        more |= {name: False for name in ("executed", "again") if not getattr(outcome, name)}
        told = {"agent": self._equipped.name, "id": call.id, **asdict(record), **more}
        self._on_event({"event": "tool_answered", **told})
        self._closed |= set() if outcome.again else {call.name}
        self._records[position] = (*outcome.records, record) if outcome.executed else outcome.records
        self._results[position] = self._told(call, record)

    def _told(self, call: ToolCall, record: ToolRecord) -> ToolResult:
        return ToolResult(call.id, quoted(record.result, self._run.fence), is_error=not record.ok)

    def _within(self, text: str) -> str:
        """`text`, cut to what is left of the characters that results may have."""
        run = self._run
        return text if run.room is None else cut(text, run.language, run.room.take(len(text)))


def quoted(text: str, fence: str) -> str:
    """`text` in the fence in which everything is quoted to the model; as it is without one."""
    return f"<{fence}>\n{text.replace(fence, 'said')}\n</{fence}>" if fence else text
