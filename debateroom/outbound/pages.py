"""A public page on the web, read: one GET under the guard, no redirect followed, no more read than a cap."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urljoin

from debateroom.outbound.exchange import Ask, exchange
from debateroom.outbound.guard import Resolve
from debateroom.reading.webpage import media_type, read_page
from debateroom.terminal import one_line

MOST = 131_072
"""Bytes of a page that are read."""
SECONDS = 15.0
"""For a whole page."""
_LONGEST = 500
_ACCEPT = "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.8, application/xml;q=0.7"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of it. Title, text and location are the server's words: data."""

    status: int
    kind: str
    """The media type, as `text/html`; empty when the server named none."""
    title: str = ""
    text: str | None = None
    """None for what is no text, and for a redirect."""
    cut: bool = False
    """Whether the page was longer than what was read."""
    location: str | None = None
    """Where a redirect leads, as a whole address; it was not followed."""

    @property
    def ok(self) -> bool:
        """Whether a page was there and could be read."""
        return 200 <= self.status < 300 and self.text is not None


def fetch_page(
    url: str, *, ports: Collection[int] = (), resolve: Resolve | None = None, seconds: float = SECONDS
) -> Fetched:
    """The page at a public `https` address. Raises RefusedURL, TimedOut, Unreachable; a status is no error."""
    answer = exchange(Ask("GET", url, {"Accept": _ACCEPT}, seconds=seconds, most=MOST, ports=ports, resolve=resolve))
    told = answer.headers.get("content-type", "")
    kind = one_line(media_type(told), 80)
    if 300 <= answer.status < 400:
        return Fetched(answer.status, kind, location=_whole(url, answer.headers.get("location", "")))
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        return Fetched(answer.status, kind)  # compressed though asked not to be: a small one may become huge
    page = read_page(answer.body, told)
    if page is None:
        return Fetched(answer.status, kind)
    return Fetched(answer.status, kind, one_line(page.title), page.text, answer.cut)


def _whole(url: str, location: str) -> str | None:
    try:
        return one_line(urljoin(url, location), _LONGEST) if location else None
    except ValueError:
        return None
