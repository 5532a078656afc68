"""The page: all rooms with their cards, as an application that answers only this machine's own browser.

Nothing that a model wrote is put into the page but as text. The page's script and style are named by their hashes;
nothing else runs. A button's request must carry the page's token and come from the page's own address.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from debateroom import files, templates
from debateroom.doors.acts import Acts, Said
from debateroom.doors.rooms import Rooms, mark
from debateroom.playbooks import catalogue
from debateroom.playbooks.catalogue import Playbook
from debateroom.report import html
from debateroom.room.room import CHAT, PAGE
from debateroom.terminal import one_line
from debateroom.wake import workspace

LOOK = 0.5
"""Seconds between two looks at the rooms for who listens."""
ALIVE = 15.0
"""Seconds after which a line says that the connection stands."""
_LARGEST = 10_000
"""Bytes of a button's request."""
_TOKEN = "x-debateroom-token"  # noqa: S105 - a header's name
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


def make(
    active: Path, *, hosts: frozenset[str], agent: str | None, language: str, folder: Path, over: Event
) -> ASGIApp:
    """The application for the rooms below `active`, reached under one of `hosts` (`127.0.0.1:8790`).

    Once `over` is set, who listens is told nothing more.
    """
    door = Door(Rooms(active), Acts(active, agent, folder), language, over)
    routes = [
        Route("/", door.page),
        Route("/cards", door.cards),
        Route("/events", door.events),
        Route("/rooms/{room}/report", door.report),
        Route("/rooms/{room}/transcript", door.transcript),
        Route("/start", door.start, methods=["POST"]),
        Route("/stop", door.stop, methods=["POST"]),
        Route("/wake", door.wake, methods=["POST"]),
    ]
    return Guard(Starlette(routes=routes), hosts)


class Guard:
    """Answers only under the addresses that are ours, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        origin = headers.get(b"origin", b"").decode("latin-1")
        allowed = host in self._hosts and (not origin or origin == f"http://{host}")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    kept.setdefault(name, value)
                kept.setdefault("content-security-policy", "default-src 'none'; frame-ancestors 'none'")
            await send(message)

        answer: ASGIApp = self._app if allowed else PlainTextResponse("this page has another address", 421)
        await answer(scope, receive, with_headers)


class Door:
    """What the application answers with."""

    def __init__(self, rooms: Rooms, acts: Acts, language: str, over: Event) -> None:
        self._over = over
        self._rooms = rooms
        self._acts = acts
        self._language = language
        self._token = secrets.token_urlsafe(24)

    async def page(self, request: Request) -> Response:
        """The page itself; what is in the rooms comes later."""
        text, policy = await run_in_threadpool(self._page)
        return Response(text, media_type="text/html", headers={"content-security-policy": policy})

    def _page(self) -> tuple[str, str]:
        style, script = _asset("page.css"), _asset("page.js")
        playbooks, problem = self._playbooks() if self._acts.agent else ((), "")
        words: Mapping[str, str] = templates.data(f"page/{self._language}.toml")
        told = {"token": self._token, "words": dict(words)}
        text = templates.render(
            "page/page.html.j2",
            w=words,
            language=self._language,
            style=style,
            script=script,
            told=json.dumps(told, ensure_ascii=False),
            playbooks=playbooks,
            problem=problem,
        )
        policy = (
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return text, policy

    def _playbooks(self) -> tuple[Sequence[Playbook], str]:
        """Those that can be started, and what is wrong with those of the workspace's own that cannot."""
        own = workspace.of_active(self._rooms.active).own / catalogue.FOLDER
        found, mistakes = catalogue.known(own, self._language)
        return list(found.values()), " · ".join(one_line(str(mistake), 400) for mistake in mistakes.values())

    async def cards(self, request: Request) -> Response:
        """All cards, for who cannot listen."""
        cards = await run_in_threadpool(self._rooms.cards)
        return _json({"id": mark(cards), "cards": cards})

    async def events(self, request: Request) -> Response:
        """All cards whenever one changes; who says what it has last seen is not told that again."""
        seen = request.headers.get("last-event-id", "")
        return StreamingResponse(self._changes(request, seen), media_type="text/event-stream")

    async def _changes(self, request: Request, seen: str) -> AsyncIterator[bytes]:
        yield b"retry: 2500\n\n"
        said = time.monotonic()
        while not self._over.is_set() and not await request.is_disconnected():
            cards = await run_in_threadpool(self._rooms.cards)
            now = mark(cards)
            if now != seen:
                seen, said = now, time.monotonic()
                yield b"id: " + now.encode() + b"\ndata: " + files.dumps({"id": now, "cards": cards}) + b"\n\n"
            elif time.monotonic() - said > ALIVE:
                said = time.monotonic()
                yield b": here\n\n"
            await asyncio.sleep(LOOK)

    async def report(self, request: Request) -> Response:
        """A room's report, under the policy that it was made for."""
        headers = {"content-security-policy": f"{html.policy()}; frame-ancestors 'none'"}
        return await self._file(request, PAGE, "text/html", headers)

    async def transcript(self, request: Request) -> Response:
        """A room's transcript, as text."""
        return await self._file(request, CHAT, "application/json", {})

    async def _file(self, request: Request, name: str, kind: str, headers: dict[str, str]) -> Response:
        folder = self._rooms.folder(request.path_params["room"])
        try:
            data = await run_in_threadpool((folder / name).read_bytes) if folder else None
        except OSError:
            data = None
        if data is None:
            return PlainTextResponse("there is no such file", 404)
        return Response(data, media_type=kind, headers=headers)

    async def start(self, request: Request) -> Response:
        """Starts a playbook with the agent that was fixed before."""
        return await self._act(
            request, lambda given: self._acts.start(_text(given, "playbook"), _text(given, "goal"))
        )

    async def stop(self, request: Request) -> Response:
        """Stops a room's run."""
        return await self._act(request, lambda given: self._in_room(given, self._acts.stop))

    async def wake(self, request: Request) -> Response:
        """Wakes whom the workspace has named, about a room."""
        return await self._act(request, lambda given: self._in_room(given, self._acts.wake))

    def _in_room(self, given: Mapping[str, Any], act: Callable[[Path], Said]) -> Said:
        folder = self._rooms.folder(_text(given, "room"))
        return act(folder) if folder else Said(False, "there is no such room")

    async def _act(self, request: Request, act: Callable[[Mapping[str, Any]], Said]) -> Response:
        if not hmac.compare_digest(request.headers.get(_TOKEN, "").encode(), self._token.encode()):
            return _json({"ok": False, "text": "the page is an old one: load it again"}, 403)
        given = await _body(request)
        if given is None:
            return _json({"ok": False, "text": "this is no request of the page"}, 400)
        said = await run_in_threadpool(act, given)
        return _json({"ok": said.ok, "text": said.text})


async def _body(request: Request) -> Mapping[str, Any] | None:
    """The small JSON object in the request; None for anything else."""
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > _LARGEST:
            return None
    try:
        value = json.loads(data)
        json.dumps(value, ensure_ascii=False).encode()  # half a character cannot be handed on
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""


def _json(value: Mapping[str, Any], status: int = 200) -> JSONResponse:
    return JSONResponse(dict(value), status_code=status)


def _asset(name: str) -> str:
    return (templates.folder() / "page" / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
