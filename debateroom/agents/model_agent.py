"""An agent of ours in a conversation: its loop run once a turn, and what it remembers from one turn to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from debateroom import clock
from debateroom.agents import run as runs
from debateroom.agents import tape as tapes
from debateroom.agents.agent import Answered, OnEvent
from debateroom.agents.conversation import Conversation, Equipped, Taped
from debateroom.agents.loop import Listens, converse
from debateroom.agents.run import Limits
from debateroom.agents.subagents import declared
from debateroom.agents.tools import first_line
from debateroom.errors import AgentFailed, CallFailed
from debateroom.messages import Answer, Turn, Usage


class ModelAgent:
    """An agent of ours. It remembers what its tools told it, as long as the conversation goes on as it knows it."""

    def __init__(
        self,
        equipped: Equipped,
        *,
        asks: Sequence[str] = (),
        limits: Limits | None = None,
        session: str = "",
        seed: int | None = None,
    ) -> None:
        """`asks` are the models of its sub-agents, and may hold its own."""
        self.name = equipped.name
        self.model = equipped.model.name
        self.capabilities = tuple(first_line(tool) for tool in equipped.tools.values())
        self.declared = declared(equipped)
        self.asks = tuple(dict.fromkeys((self.model, *asks)))
        self._equipped = equipped
        self._limits = limits or Limits()
        self._session = session
        self._seed = seed
        self._tape: tuple[Taped, ...] = ()
        self._turns: list[Turn] = []
        """The conversation so far with everything between its turns."""

    def answer(
        self, said: Sequence[Turn], *, until: float | None = None, on_event: OnEvent | None = None
    ) -> Answered:
        """What the agent says. Raises AgentFailed when its model failed, NoModel when that can never be asked."""
        began = clock.monotonic()
        language = self._equipped.language
        turn = sum(each.role == "user" for each in said)
        run = runs.start(
            self._limits, until=until, session=self._session, language=language, turn=turn, seed=self._seed
        )
        talk, tell = Conversation(), on_event or runs.nobody
        taped, self._tape = self._tape, ()
        listens = Listens(None, lambda step: tell(tapes.told(self._equipped, step)))
        try:
            asked = self._equipped.request(self._remembered(said), run)
            converse(self._equipped, asked, run, tell, talk=talk, listens=listens, tape=taped)
        except CallFailed as error:
            failed = AgentFailed(f"The agent {self.name} gave no answer: {error}", hint=error.hint)
            failed.paid = talk.all_paid
            raise failed from error
        self._turns = talk.turns
        return Answered(
            text=talk.answer.text if talk.answer else "",
            tools=tuple(talk.records),
            usage=sum((each.usage for each in talk.all_paid), Usage()),
            paid=talk.paid,
            model=talk.answer.model if talk.answer else self.model,
            seconds=clock.monotonic() - began,
            stop_reason=talk.stop_reason,
        )

    def go_on_from(self, steps: Sequence[Taped]) -> None:
        """`steps` of the next answer are made already: they are neither asked for nor executed nor paid again."""
        self._tape = tuple(steps)

    def remember(self, said: Sequence[Turn], steps: Sequence[Taped], text: str) -> None:
        """An earlier answer to `said`: `text`, with `steps` before it. Nothing of it is asked for or executed."""
        last = Taped(Answer(text, Usage(), "stop", self.model, 0.0))
        self.go_on_from([*(replace(step, over=True) for step in steps), last])
        self.answer(said)

    def close(self) -> None:
        """Nothing: models and programs belong to `Models`, which closes them."""

    def _remembered(self, said: Sequence[Turn]) -> list[Turn]:
        """`said`, with what stood between its turns when it begins with the conversation that was had here."""
        mine = [(turn.role, turn.text) for turn in self._turns if turn.role != "tools" and not turn.calls]
        theirs = [(turn.role, turn.text) for turn in said]
        if mine and theirs[: len(mine)] == mine:
            return [*self._turns, *said[len(mine) :]]
        return list(said)
