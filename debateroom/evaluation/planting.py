"""Known faults put into clean conversations: how many of them a judge and the rules see. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from debateroom import templates
from debateroom.evaluation.customer_data import data_in
from debateroom.evaluation.customer_rules import RULES, Rule
from debateroom.evaluation.task import Task
from debateroom.evaluation.trial import Message, Stop, Trial
from debateroom.language import detect_language


class Planted(NamedTuple):
    """A conversation with one fault in it."""

    rule: Rule
    task: Task
    trial: Trial


def plant(clean: Sequence[tuple[Task, Trial]], most: int, *, seed: int = 0) -> tuple[Planted, ...]:
    """Up to `most` conversations with one fault each, the kinds by turns; a kind that a conversation has no room for
    is planted in another. Fewer where there is room for fewer. The same `seed` gives the same.
    """
    chance = random.Random(seed)  # noqa: S311 — a draw that can be repeated
    order = [(rule, task, trial) for task, trial in clean for rule in RULES]
    by_rule = {rule: [(task, trial) for each, task, trial in order if each == rule] for rule in RULES}
    found: list[Planted] = []
    while len(found) < most and any(by_rule.values()):
        for rule in RULES:
            while by_rule[rule] and len(found) < most:
                task, trial = by_rule[rule].pop(chance.randrange(len(by_rule[rule])))
                made = _KINDS[rule](task, trial, chance)
                if made is not None:
                    found.append(Planted(rule, task, made))
                    break
    return tuple(found)


def _words(task: Task, rule: str) -> str:
    language = detect_language(f"{task.instruction} {task.known_info}")
    return str(templates.data(f"evaluation/{language}.toml")["planted"][rule])


def _at(trial: Trial, place: int, text: str) -> Trial:
    messages = list(trial.messages)
    messages[place] = Message(party="customer", text=text)
    return trial.model_copy(update={"messages": tuple(messages)})


def _places(trial: Trial) -> list[int]:
    return [place for place, message in enumerate(trial.messages) if message.party == "customer"]


def _added(task: Task, trial: Trial, sentence: str) -> Trial | None:
    places = _places(trial)
    if not places:
        return None
    last = places[-1]
    return _at(trial, last, f"{trial.messages[last].text} {sentence}")


def _invented(task: Task, trial: Trial, chance: random.Random) -> Trial | None:
    value = f"client{chance.randrange(1000, 10_000)}@example.net"
    return _added(task, trial, _words(task, "invented").format(value=value))


def _leak(task: Task, trial: Trial, chance: random.Random) -> Trial | None:
    if not task.unknown_values:
        return None
    return _added(task, trial, _words(task, "leak").format(value=chance.choice(task.unknown_values)))


def _id_rewritten(task: Task, trial: Trial, chance: random.Random) -> Trial | None:
    """An id that it knows, with one digit more."""
    ids = [datum.text for datum in data_in(task.known_info) if datum.kind == "id" and len(datum.text) > 4]
    if not ids:
        return None
    chosen = chance.choice(ids)
    wrong = f"{chosen}{chance.randrange(10)}"
    return _added(task, trial, _words(task, "leak").format(value=wrong))


def _parrot(task: Task, trial: Trial, chance: random.Random) -> Trial | None:
    places = _places(trial)
    return _at(trial, places[0], task.instruction) if places else None


def _role_flip(task: Task, trial: Trial, chance: random.Random) -> Trial | None:
    places = _places(trial)
    return _at(trial, places[-1], _words(task, "role_flip")) if places else None


def _dump(task: Task, trial: Trial, chance: random.Random) -> Trial | None:
    pieces = [datum for datum in data_in(task.known_info) if datum.kind != "quote"]
    places = _places(trial)
    if not places or len(pieces) < 3 or task.opening:
        return None
    return _at(trial, places[0], f"{trial.messages[places[0]].text} {' '.join(datum.text for datum in pieces)}")


def _restart(task: Task, trial: Trial, chance: random.Random) -> Trial | None:
    places = _places(trial)
    return _at(trial, places[-1], trial.messages[places[0]].text) if len(places) > 1 else None


def _premature_stop(task: Task, trial: Trial, chance: random.Random) -> Trial | None:
    """It is content before the agent has said anything."""
    places = _places(trial)
    if not places:
        return None
    return trial.model_copy(
        update={"messages": trial.messages[: places[0] + 1], "stop": Stop(cause="token", token="stop")}  # noqa: S106
    )


_KINDS: dict[Rule, Callable[[Task, Trial, random.Random], Trial | None]] = {
    "invented": _invented,
    "leak": _leak,
    "id_rewritten": _id_rewritten,
    "parrot": _parrot,
    "role_flip": _role_flip,
    "dump": _dump,
    "restart": _restart,
    "premature_stop": _premature_stop,
}
