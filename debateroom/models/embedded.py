"""`embedded`: a small model in this process, served by `xllamacpp` on a free loopback port. No key, no network.

It is asked through the same Chat Completions path as any OpenAI-compatible server. One slot and one call at a time:
slots do not share a prefix, so the seats of a round are cheaper one after the other on one cache than at once.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from debateroom.errors import NoModel
from debateroom.messages import Model, Request
from debateroom.models import catalog, clients
from debateroom.models.calls import Caller
from debateroom.models.catalog import ModelName
from debateroom.models.gate import Gate
from debateroom.models.grammar import reply_grammar
from debateroom.models.openai import ChatCompletions

WINDOW = 8192
"""Tokens of a request and its answer: the context the model is loaded with."""
LONGEST = 700
"""Tokens of an answer at most; a reply held by the grammar has about 150."""


class Opens(Protocol):
    """What of `registry.Models` is used here."""

    stop: threading.Event

    def keep(self, thing: Any) -> None: ...


class Server:
    """The model while it is loaded. Closing it frees its memory."""

    def __init__(self, path: Path) -> None:
        """Loads the model. Raises NoModel when the extra is not installed, or the file cannot be loaded."""
        # before the import: threads that wait busily cost four times the time on a busy machine
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            import xllamacpp
        except ImportError as error:
            raise NoModel(
                f"the embedded model is not installed: {error}", hint='pip install "debateroom[embedded]"'
            ) from error
        settings = xllamacpp.CommonParams()
        settings.model.path = str(path)
        settings.n_ctx = WINDOW
        settings.n_parallel = 1
        settings.verbosity = -1  # standard output is the answer: nothing else may be on it
        settings.ui = False
        settings.cache_ram_mib = 0  # one slot, one prefix: a second copy of it saves nothing
        try:
            self._server: Any = xllamacpp.Server(settings)
        except Exception as error:  # the library raises RuntimeError or ValueError, depending on what is wrong
            raise NoModel(f"the model in {path} cannot be loaded: {error}", hint="debateroom models pull") from error
        self.url = f"{self._server.listening_address}/v1"

    def close(self) -> None:
        """Stops the server and frees the model; a second call does nothing."""
        self._server = None
        gc.collect()


def open_model(named: ModelName, models: Opens, *, path: Callable[[], Path] | None = None) -> Model:
    """The embedded model, loaded; its file is fetched when it is not here. Raises NoModel when it cannot be had."""
    from debateroom.models.pull import ensure

    server = Server((path or ensure)())
    models.keep(server)
    client = clients.openai_client(server.url)
    models.keep(client)
    known = catalog.info(named)
    return ChatCompletions(
        name=known.name,
        vendor=known.vendor,
        window=WINDOW,
        max_output=LONGEST,
        model_id="embedded",
        client=client,
        caller=Caller("embedded", gate=Gate(1, stop=models.stop)),
        moderates=False,
        extra_body=_extra,
    )


def _extra(request: Request) -> dict[str, Any]:
    """What this server takes beyond the API: grammar, no repeat penalty (it misspells labels), the kept prefix."""
    body: dict[str, Any] = {"cache_prompt": True, "repeat_penalty": 1.0, "temperature": 0.7}
    if request.reply_format is not None:
        writer = request.purpose.agent if request.purpose else ""
        body["grammar"] = reply_grammar(request.reply_format, writer=writer)
    return body
