"""Whether a conversation still goes anywhere. Pure; each rule says in one word why it does not."""

from __future__ import annotations

from collections.abc import Sequence

from debateroom.dialogue import asking, sameness, signs
from debateroom.dialogue.loop import Exchange


def stalled(exchanges: Sequence[Exchange]) -> str:
    """Why a simulation makes no progress after its last turn: `answer`, `question`, `facts`; empty when it does."""
    if len(exchanges) < 2:
        return ""
    last, before = exchanges[-1], exchanges[:-1]
    if sameness.near_identical(last.answer, before[-1].answer):
        return "answer"
    if _asks_again(exchanges):
        return "question"
    if len(exchanges) > 2 and not any(_brings_news(exchanges, position) for position in (-1, -2)):
        return "facts"
    return ""


def stuck(exchanges: Sequence[Exchange]) -> str:
    """The same for a worker's job: `answer`, `question`, `nothing` (found twice on one request)."""
    if len(exchanges) < 2:
        return ""
    last, before = exchanges[-1], exchanges[-2]
    if sameness.near_identical(last.answer, before.answer):
        return "answer"
    if _asks_again(exchanges):
        return "question"
    if found_nothing(last) and any(
        found_nothing(item) and asking.same_request(item.request, last.request) for item in exchanges[:-1]
    ):
        return "nothing"
    return ""


def found_nothing(exchange: Exchange) -> bool:
    """Whether the agent reports that nothing was found."""
    return signs.shows("not_found", exchange.answer)


def searched(exchange: Exchange) -> bool:
    """Whether the agent executed a tool in this turn."""
    return bool(exchange.tools)


def _asks_again(exchanges: Sequence[Exchange]) -> bool:
    """Whether the last answer asks what was asked before and tells nothing new beside it."""
    last, before = exchanges[-1].answer, [item.answer for item in exchanges[:-1]]
    if not sameness.asks_again(last, before):
        return False
    told = last
    for question in sameness.questions(last):
        told = told.replace(question, " ")
    known = [text for item in exchanges[:-1] for text in (item.request, item.answer)]
    return not sameness.brings_facts(told, [*known, exchanges[-1].request])


def _brings_news(exchanges: Sequence[Exchange], position: int) -> bool:
    turn = exchanges[position]
    before = [text for item in exchanges[:position] for text in (item.request, item.answer)]
    return sameness.brings_news(f"{turn.request} {turn.answer}", before)
