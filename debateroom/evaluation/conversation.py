"""One trial from its first message to its end: a customer and an agent in turns, then the judge.

play → _attempt → _talk → customer.speak → actor.answer → …
"""

from __future__ import annotations

from collections.abc import Sequence

from debateroom.dialogue.sameness import brings_facts, near_identical
from debateroom.errors import DebateroomError, NoModel
from debateroom.evaluation.actor import Actor
from debateroom.evaluation.customer import Customer
from debateroom.evaluation.judging import judge
from debateroom.evaluation.stage import Misfit, Stage
from debateroom.evaluation.trial import Call, Message, Stop, Trial

_CIRCLES = 3
"""Answers of the agent in a row that are the same, from which nothing more is expected."""


def play(stage: Stage) -> Trial:
    """The trial, to its end. What breaks in it is its stop cause `error`. Raises NoModel and Over: no more trials.

    An attempt that the journal does not have as it was played is not gone on with: it is played anew.
    """
    try:
        return _attempt(stage)
    except Misfit:
        stage.begin_anew()
        return _attempt(stage)


def _attempt(stage: Stage) -> Trial:
    messages: list[Message] = []
    invalid: list[str] = []
    actor: Actor | None = None
    judged = None
    try:
        actor = Actor(stage)
        stop = _talk(stage, actor, messages, invalid)
        actor.finish()
        final = actor.state()
        judged = judge(stage, messages, actor.calls)
    except NoModel:
        raise
    except DebateroomError as error:
        stop, final = Stop(cause="error", error=str(error)), None
    return Trial(
        task=stage.key.task,
        number=stage.key.number,
        seed=stage.seed,
        messages=tuple(messages),
        calls=tuple(actor.calls) if actor else (),
        initial=actor.initial if actor else None,
        final=final,
        target=stage.target,
        stop=stop,
        simulator_invalid=tuple(invalid),
        judged=judged,
    )


def _talk(stage: Stage, actor: Actor, messages: list[Message], invalid: list[str]) -> Stop:
    """Plays the conversation into `messages`, what the customer may not say into `invalid`; how it ends."""
    customer = Customer(stage)
    moved: list[bool] = []
    said = customer.open()
    for sent in range(stage.task.max_turns + 1):
        text, token = said.reply
        if sent == stage.task.max_turns and token is None:
            break  # the last message was sent and answered: only a token is still heard
        invalid += said.invalid
        if text:
            messages.append(Message(party="customer", text=text, late=sent == stage.task.max_turns))
        if token is not None:
            return Stop(cause="token", token=token)
        known, done = [each.text for each in messages[:-1]], len(actor.calls)
        answer = actor.answer(text)
        messages.append(Message(party="agent", text=answer))
        moved.append(brings_facts(text, known) or does_more(actor.calls[:done], actor.calls[done:]))
        if in_circles(messages, moved):
            return Stop(cause="no_progress")
        customer.hear(answer)
        said = customer.speak()
    return Stop(cause="max_turns")


def in_circles(messages: Sequence[Message], moved: Sequence[bool]) -> bool:
    """Whether both parties have just said again what they said before, or the agent the same three times.

    A turn that `moved` on is no circle, whatever the agent says about it: `It is done.` may be true of three wishes.
    """
    agent = [each.text for each in messages if each.party == "agent"]
    customer = [each.text for each in messages if each.party == "customer"]
    if len(agent) < 2 or moved[-1] or not near_identical(agent[-1], agent[-2]):
        return False
    again = len(customer) > 1 and near_identical(customer[-1], customer[-2])
    return again or (len(agent) >= _CIRCLES and not moved[-2] and near_identical(agent[-2], agent[-3]))


def does_more(before: Sequence[Call], now: Sequence[Call]) -> bool:
    """Whether the agent did something now that it had not done `before`."""
    done = [(call.tool, call.args) for call in before if call.ok]
    return any((call.tool, call.args) not in done for call in now if call.ok)
