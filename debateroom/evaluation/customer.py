"""The simulated customer of one trial, and the rules that hold it: what it writes is looked at before it is sent.

Its own history has the roles flipped: the agent's messages are the user's, its own the assistant's. What was kept
back is in it only until the message is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from debateroom import templates
from debateroom.dialogue import sameness
from debateroom.errors import CallFailed, DebateroomError
from debateroom.evaluation.customer_text import TextFinding, check_customer_style, check_customer_text
from debateroom.evaluation.personas import persona
from debateroom.evaluation.reply import Reply, read_reply
from debateroom.evaluation.stage import Stage
from debateroom.evaluation.task import Task
from debateroom.messages import Answer, Purpose, Request, Turn, Usage
from debateroom.models.sampling import ignored
from debateroom.room.spending import spent_by_model

TEMPERATURE = 1.0
"""What a customer is asked with where its model takes it: people differ."""
MAX_TOKENS = 2_000
REGENERATED = 2
"""Times that a message is sent back for what it says."""


_BEHIND = re.compile(
    r"\([^()]{0,60}\)|（[^（）]{0,60}）|\[[^\[\]]{0,60}\]|</?\w{1,20}/?>|"
    r"\b(?:many )?(?:thanks|thank you|merci|please)(?:"
    r" so much| a lot| in advance| d'avance| beaucoup)?\b|谢谢您?|多谢|[\W_]",
    re.IGNORECASE,
)
"""What may stand behind a question that is still the end of a message."""


def system(task: Task, language: str) -> str:
    """The customer's prompt: the same for all its calls in a trial."""
    return templates.render(
        f"prompts/{language}/customer.j2",
        persona=persona(task.persona, language),
        instruction=task.instruction,
        known_info=task.known_info,
        unknown_info=task.unknown_info,
    ).strip()


class Said(NamedTuple):
    """What the customer says, after the rules have looked at it."""

    reply: Reply
    invalid: tuple[str, ...] = ()
    """Why it is no fair part: what it said all the same after it was sent back."""


class Customer:
    """A customer in one trial."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._words: dict[str, Any] = templates.data(f"evaluation/{stage.language}.toml")["asked"]
        self._system = system(stage.task, stage.language)
        self._history = [Turn("user", self._words["begin"])]
        self._heard: list[str] = []
        """What the agent said."""
        self._sent_back: set[str] = set()
        """Why a stop was sent back in this trial; once for each reason."""

    def open(self) -> Said:
        """Its first message: the task's opening, or its own."""
        opening = self._stage.task.opening
        if not opening:
            return self.speak()
        self._history.append(Turn("assistant", opening))
        return Said(Reply(opening, None))

    def hear(self, message: str) -> None:
        """Takes a message of the agent."""
        self._heard.append(message)
        self._history.append(Turn("user", message if message.strip() else self._words["empty_answer"]))

    def speak(self) -> Said:
        """Its next message. Raises CallFailed when it cannot be asked or writes nothing twice; NoModel, Over."""
        kept_back: list[Turn] = []
        silent, sent_back = False, 0
        while True:
            turn, text = self._asked(kept_back)
            reply = read_reply(text, self._heard)
            findings = self._findings(reply)
            note = ""
            why: tuple[str, ...] = ()
            if not reply.text and reply.token is None:
                if silent:
                    self._told(turn, text, ("empty",))
                    raise CallFailed("the customer wrote nothing twice", cause="empty")
                silent, note, why = True, self._words["empty"], ("empty",)
            elif early := self._too_early(reply):
                note, why = early, ("premature_stop",)
            elif findings and sent_back < REGENERATED:
                sent_back += 1
                note, why = self._objection(findings), tuple(finding.rule for finding in findings)
            self._told(turn, text, why, findings)
            if not note:
                self._history.append(turn)
                return Said(reply, self._invalid(reply, findings))
            kept_back += [turn, Turn("user", note)]

    def _asked(self, kept_back: Sequence[Turn]) -> tuple[Turn, str]:
        """What the model writes, or what the journal has of it."""
        stage = self._stage
        taped = stage.taped("customer")
        if taped is not None:
            self._answer: Answer | None = None
            return Turn("assistant", taped["text"]), taped["text"]
        number = sum(turn.role == "assistant" for turn in self._history) + 1
        request = Request(
            system=self._system,
            turns=(*self._history, *kept_back),
            max_tokens=MAX_TOKENS,
            timeout=stage.plan.model_timeout,
            until=stage.until,
            cache_key=stage.session,
            purpose=Purpose("repair" if kept_back else "seat", f"customer {stage.key.task}", number),
            temperature=TEMPERATURE,
            seed=stage.seed,
            may_be_silent=True,
        )
        stage.may_call()
        try:
            answer = stage.customer.ask(request)
        except DebateroomError as error:
            if not isinstance(error, CallFailed) or error.cause != "empty":
                stage.failed("customer", error, stage.customer.name)
                raise
            answer = Answer("", Usage(), "stop", stage.customer.name, 0.0, before=error.paid)
        self._answer = answer
        return Turn("assistant", answer.text, raw=answer.raw), answer.text

    def _told(self, turn: Turn, text: str, why: Sequence[str], findings: Sequence[TextFinding] = ()) -> None:
        """Tells the journal what was written, and which rules speak against it; not what comes from there."""
        answer = self._answer
        if answer is None:
            return
        style = check_customer_style(read_reply(text, self._heard).text)
        self._stage.say(
            "customer",
            text,
            kept_back=list(why),
            findings=[list(each) for each in (*findings, *style)],
            model=answer.model,
            seconds=round(answer.seconds, 3),
            finish=answer.stop_reason,
            ignored=sorted(ignored(self._stage.customer)),
            **spent_by_model({self._stage.customer.name: answer.paid}, prices=self._stage.plan.prices),
        )

    def _findings(self, reply: Reply) -> list[TextFinding]:
        task = self._stage.task
        known = (
            task.instruction,
            task.known_info,
            persona(task.persona, self._stage.language),
            task.opening,
            *self._heard,
        )
        return check_customer_text(reply.text, allowed=known, forbidden_values=task.unknown_values)

    def _too_early(self, reply: Reply) -> str:
        """What it is told when it ends before the agent answered, or on its question; each once in a trial."""
        question = open_question(self._heard[-1]) if self._heard else ""
        if reply.token is None:
            return ""
        if not self._heard:
            why = "too_early"
        elif question and reply.token == "stop":  # noqa: S105 — no secret
            why = "open_question"
        else:
            return ""
        if why in self._sent_back:
            return ""
        self._sent_back.add(why)
        return str(self._words[why]).format(quote=question)

    def _invalid(self, reply: Reply, findings: Sequence[TextFinding]) -> tuple[str, ...]:
        """Why what it says all the same is no fair part."""
        told = [f"{each.rule} {each.kind}: {each.text}" for each in findings]
        if reply.token is not None and not self._heard:
            told.append("premature_stop: it ended before the agent could answer")
        return tuple(told)

    def _objection(self, findings: Sequence[TextFinding]) -> str:
        reasons = " ".join(self._words[each.rule].format(quote=each.text) for each in findings)
        return str(self._words["text"]).format(reasons=reasons)


def open_question(message: str) -> str:
    """The question with which a message ends, but for a bracket, thanks and signs; empty when it ends with none.

    >>> open_question("Order W1 is shipped. Shall I cancel it? (yes/no) Thanks!")
    'Shall I cancel it?'
    """
    asked = sameness.questions(message)
    return asked[-1] if asked and not _BEHIND.sub("", message[message.rindex(asked[-1][-1]) + 1 :]) else ""
