"""What is said on stderr while two parties talk: a line that moves on a terminal, and a plain one for each turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from debateroom.cli import output
from debateroom.cli.moving import MovingLine
from debateroom.cli.progress import EVENT_LENGTH
from debateroom.cli.spent import Spent
from debateroom.language import say
from debateroom.terminal import one_line, printable

Event = Mapping[str, Any]
_NAME = 60
"""Columns of a seat's or a tool's name, at most."""


def counted(names: Iterable[Any]) -> str:
    """`get_order, refund ×2`."""
    counts = Counter(map(str, names))
    return ", ".join(name if times == 1 else f"{name} ×{times}" for name, times in counts.items())


class TurnLines:
    """One plain line a turn: who answered, the tools that were executed, the tokens that the turn took."""

    def __init__(self, *, quiet: bool = False, verbose: int = 0) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._language = "en"
        self._turns = 0
        self._driver = self._agent = ""
        self._tools: dict[int, list[str]] = {}
        self._spent = Spent()
        """In this run."""
        self._turn = Spent()
        """Since the last line."""

    def on_event(self, event: Event) -> None:
        """Says what is worth a line."""
        self._spent.add(event)
        self._turn.add(event)
        if self._verbose > 1:
            from debateroom import files

            self._note(one_line(f"{event['event']} {files.dumps(event).decode()}", EVENT_LENGTH))
        handler = getattr(self, f"_{event['event']}", None)
        if handler and not self._quiet:
            handler(event)

    def on_progress(self, agent: str, characters: int) -> None:
        """Nothing: plain lines do not move."""

    def on_wait(self, provider: str, seconds: float) -> None:
        """One line: a minute in which nothing happens has a reason."""
        if not self._quiet:
            self._note(say(self._language, "wait_line", provider=provider, seconds=round(seconds)))

    def close(self) -> None:
        """Nothing to take down."""

    def _note(self, text: str) -> None:
        output.note(text)

    def _room_opened(self, event: Event) -> None:
        self._language, self._turns = event["language"], event["rounds"]
        self._driver, self._agent = (seat["name"] for seat in event["agents"])
        for seat in event["agents"]:
            self._note(f"{one_line(seat['name'], _NAME)}  {one_line(seat['model'], 80)}")

    def _moved_aside(self, event: Event) -> None:
        self._note(output.moved(self._language, event))

    def _room_resumed(self, event: Event) -> None:
        for provider, address in event["elsewhere"].items():
            self._note(say(self._language, "reached_line", provider=provider, address=address))
        if event["finished"]:
            self._note(say(self._language, "resumed_line", finished=event["finished"], rounds=self._turns))

    def _reply(self, event: Event) -> None:
        if event["agent"] == self._agent:
            self._tools[event["round"]] = [tool["name"] for tool in event.get("tools", ())]

    def _set_aside(self, event: Event) -> None:
        if self._verbose:
            rules = ", ".join(event["why"])
            self._note(say(self._language, "aside_line", agent=event["agent"], rules=rules))

    def _call_failed(self, event: Event) -> None:
        if event.get("interrupted"):
            told = say(self._language, "call_again", turn=event["round"], agent=event["agent"])
            self._note(printable(told))

    def _tool_answered(self, event: Event) -> None:
        if event.get("interrupted"):
            tool = one_line(str(event["name"]), _NAME)
            self._note(printable(say(self._language, "tool_unsure", agent=event["agent"], tool=tool)))

    def _round_finished(self, event: Event) -> None:
        turn, took = event["round"], self._turn
        tools = counted(self._tools.get(turn, ())) or say(self._language, "no_tools")
        told = say(self._language, "turn_line", turn=turn, turns=self._turns, agent=self._agent, tools=tools)
        if took.input:
            told += say(self._language, "turn_tokens", input=took.input, output=took.output)
        self._turn = Spent()
        self._note(printable(told))

    def _room_finished(self, event: Event) -> None:
        if spent := self._spent.line(self._language):
            self._note(spent)

    def _room_interrupted(self, event: Event) -> None:
        self._room_finished(event)


class LiveTurns(TurnLines):
    """The same, and below it a line that moves: whose turn it is to speak, how far it is, which tool it calls."""

    def __init__(self) -> None:
        super().__init__()
        self._line = MovingLine()
        self._number = 1

    def on_progress(self, agent: str, characters: int) -> None:
        """Says how much was written, at most ten times a second."""
        self._line.show_often(self._now(agent, say(self._language, "writing", characters=characters)))

    def close(self) -> None:
        """Takes the moving line down."""
        self._line.close()

    def _note(self, text: str) -> None:
        self._line.note(text)

    def _room_opened(self, event: Event) -> None:
        super()._room_opened(event)
        self._wait_for(self._driver)

    def _room_resumed(self, event: Event) -> None:
        super()._room_resumed(event)
        self._number = event["finished"] + 1
        self._wait_for(self._driver)

    def _round_started(self, event: Event) -> None:
        self._number = event["round"]
        self._wait_for(self._agent)

    def _tool_called(self, event: Event) -> None:
        self._show(event["agent"], say(self._language, "calling", tool=one_line(str(event["name"]), _NAME)))

    def _tool_answered(self, event: Event) -> None:
        super()._tool_answered(event)
        self._wait_for(event["agent"])

    def _set_aside(self, event: Event) -> None:
        super()._set_aside(event)
        self._wait_for(event["agent"])

    def _planned(self, event: Event) -> None:
        self._wait_for(event["agent"])

    def _round_finished(self, event: Event) -> None:
        super()._round_finished(event)
        self._number = min(event["round"] + 1, self._turns)
        self._wait_for(self._driver)

    def _room_finished(self, event: Event) -> None:
        self.close()
        super()._room_finished(event)

    def _wait_for(self, seat: str) -> None:
        self._show(seat, say(self._language, "waiting"))

    def _show(self, seat: str, state: str) -> None:
        self._line.show(self._now(seat, state))

    def _now(self, seat: str, state: str) -> str:
        agent = one_line(seat, _NAME)
        return say(self._language, "turn_now", turn=self._number, turns=self._turns, agent=agent, state=state)
