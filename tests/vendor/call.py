"""One call as the server saw it, and what it is told to say."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from debateroom.messages import Usage

if TYPE_CHECKING:
    from vendor.http import Channel
    from vendor.wire import Wire


def tokens(text: str) -> int:
    """Tokens of `text` in this server's count: one per four characters, rounded up."""
    return math.ceil(len(text) / 4)


@dataclass(frozen=True)
class Reply:
    """What the model says, and how it stops."""

    text: str
    thinking: str = ""
    """Counts against the call's limit and is sent the vendor's way before the text."""
    stop_reason: str = "stop"
    """`stop`, `length` or `refusal`; the wire turns it into the vendor's word."""
    usage: Usage | None = None
    """None: counted from the call, the cache and the text."""
    latency: float | None = None
    """Seconds until the last token; None: the server's."""
    calls: tuple[tuple[str, str], ...] = ()
    """Tools it asks for after the text: name, and arguments as text. A reply that stops well then waits for them."""

    def call_id(self, number: int, place: int) -> str:
        """The id of one of its calls, as the vendors make them: unlike any other."""
        return f"{number:020d}{place:04d}"


class Fault:
    """Something other than a good answer."""

    async def play(self, call: Call, wire: Wire, out: Channel) -> None:
        """Does the damage on the connection `out`."""
        raise NotImplementedError


Said = str | Mapping[str, Any] | Reply | Fault
Answerer = Callable[["Call"], Said]


@dataclass
class Call:
    """One request for an answer, with its times on the monotonic clock."""

    number: int
    """0 for the first call that arrived."""
    endpoint: str
    """`anthropic.messages`, `openai.responses`, `openai.chat` or `google.gemini`."""
    path: str
    headers: Mapping[str, str]
    """Names in lower case; keys are redacted."""
    body: Mapping[str, Any]
    arrived: float
    in_flight: int
    """Calls being answered when this one arrived, itself included."""
    prompt: list[str] = field(default_factory=list)
    """Every text block in order, the system's first."""
    marks: tuple[int, ...] = ()
    """Indexes into `prompt` of the blocks that carry a cache mark."""
    status: int | None = None
    first_token: float | None = None
    finished: float | None = None
    """When the last byte was written, or the client was gone; None while running."""
    gone: bool = False
    """The client closed the connection before the answer was complete."""
    said: Said | None = None
    usage: Usage | None = None
    """What the answer reported; None when there was none."""

    @property
    def model(self) -> str:
        named = re.search(r"/models/([^/:]+):", self.path)
        return named[1] if named else str(self.body.get("model", ""))

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream")) or ":streamGenerateContent" in self.path

    @property
    def shared(self) -> list[str]:
        """Every block but the last."""
        return self.prompt[:-1]

    @property
    def own(self) -> str:
        """The last block: what differs from seat to seat."""
        return self.prompt[-1] if self.prompt else ""

    @property
    def limit(self) -> int | None:
        """The most tokens that may come back; None when the call did not say."""
        for name in ("max_tokens", "max_output_tokens", "max_completion_tokens"):
            if isinstance(self.body.get(name), int):
                return int(self.body[name])
        return None

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema the answer must follow; None for free text."""
        if self.endpoint == "anthropic.messages":
            return (((self.body.get("output_config") or {}).get("format")) or {}).get("schema")
        if self.endpoint == "openai.responses":
            return (((self.body.get("text") or {}).get("format")) or {}).get("schema")
        return (((self.body.get("response_format") or {}).get("json_schema")) or {}).get("schema")

    @property
    def tools(self) -> list[str]:
        """Names of the tools that the model may ask for."""
        return [str((tool.get("function") or tool).get("name")) for tool in self.body.get("tools") or []]

    @property
    def seconds(self) -> float:
        """From arrival to the last byte; 0 while it runs."""
        return (self.finished or self.arrived) - self.arrived
