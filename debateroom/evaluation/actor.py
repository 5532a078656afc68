"""The agent of one trial: its answers, its tool calls with who made them, and its world, rebuilt after a break."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from debateroom import files
from debateroom.agents.agent import Answered, Finishes
from debateroom.errors import AgentFailed, DebateroomError
from debateroom.evaluation.stage import Stage
from debateroom.evaluation.trial import Call
from debateroom.evaluation.world import bounded, snapshot
from debateroom.messages import Turn
from debateroom.room.spending import spent_by_model


class Actor:
    """The agent under test, in its world."""

    def __init__(self, stage: Stage) -> None:
        """Resets the world. Raises AgentFailed when it breaks: nothing is said about the agent then."""
        self._stage = stage
        self._said: list[Turn] = []
        self._shown: Any = None
        """What an outside agent showed last of its own world."""
        self.calls: list[Call] = []
        """All calls, in the order in which they ended."""
        self.initial = self._reset()

    def answer(self, message: str) -> str:
        """What the agent says to `message`. Raises AgentFailed, NoModel, Over."""
        self._said.append(Turn("user", message))
        taped = self._stage.taped("agent")
        if taped is not None:
            text, calls = str(taped["text"]), _read(taped)
            self._shown = taped.get("state", self._shown)
            self._redo(calls)
        else:
            text, calls = self._asked()
        self.calls += calls
        self._said.append(Turn("assistant", text))
        return text

    def finish(self) -> None:
        """Ends the agent: nothing more is asked of it. Raises AgentFailed when it turns out to have failed."""
        if isinstance(self._stage.agent, Finishes):
            self._stage.agent.finish()

    def state(self) -> Any:
        """The state of the world, or what the agent shows of its own; None without either."""
        if self._stage.world is None:
            return self._shown
        return self._guarded("looked at", snapshot, self._stage.world)

    def _asked(self) -> tuple[str, list[Call]]:
        stage = self._stage
        told: list[Mapping[str, Any]] = []
        stage.may_call()
        try:
            answer = stage.agent.answer(tuple(self._said), until=stage.until, on_event=told.append)
        except DebateroomError as error:
            stage.failed("agent", error, stage.agent.model)
            raise
        calls = _calls(answer, told, stage.agent.name)
        state = {}
        if answer.state is not None and files.writable(answer.state):
            self._shown, state = answer.state, {"state": answer.state}
        stage.say(
            "agent",
            answer.text,
            tools=[call.model_dump(mode="json") for call in calls],
            model=answer.model,
            seconds=round(answer.seconds, 3),
            finish=answer.stop_reason,
            **state,
            **spent_by_model(answer.paid, prices=stage.plan.prices),
        )
        return answer.text, calls

    def _reset(self) -> Any:
        stage = self._stage
        if stage.world is None:
            return copy.deepcopy(stage.task.initial)
        self._guarded("reset", stage.world.reset, copy.deepcopy(stage.task.initial), stage.seed)
        return self._guarded("looked at", snapshot, stage.world)

    def _redo(self, calls: Sequence[Call]) -> None:
        """Makes calls again that the journal has, in the new world of a run that goes on."""
        if self._stage.world is None or not calls:
            return
        tools = self._guarded("asked for its tools", self._stage.world.tools)
        for call in calls:
            if call.tool not in tools or not isinstance(call.args, Mapping):
                continue
            try:
                bounded(functools.partial(tools[call.tool], **copy.deepcopy(dict(call.args))))
                ok = True
            except Exception:  # a refusal, as it was before: the world's answer
                ok = False
            if ok is not call.ok:
                raise AgentFailed(f"the world does not do again what it did before: {call.tool}")

    def _guarded(self, what: str, act: Any, *given: Any) -> Any:
        try:
            return bounded(act, *given)
        except Exception as error:  # whatever a world of the user's does
            raise AgentFailed(f"the world cannot be {what}: {type(error).__name__}: {error}") from error


def _calls(answer: Answered, told: Sequence[Mapping[str, Any]], agent: str) -> list[Call]:
    """The calls of an answer. Who made each is in the events; an agent that tells none made all of them itself."""
    ended = [event for event in told if event.get("event") == "tool_answered" and event.get("executed", True)]
    if len(ended) == len(answer.tools):
        return [
            Call(
                tool=event["name"],
                args=event["arguments"],
                result=event["result"],
                ok=event["ok"],
                by=event["agent"],
            )
            for event in ended
        ]
    return [
        Call(tool=tool.name, args=dict(tool.arguments), result=tool.result, ok=tool.ok, by=agent)
        for tool in answer.tools
    ]


def _read(event: Mapping[str, Any]) -> list[Call]:
    return [Call.model_validate(each) for each in event.get("tools", ())]
