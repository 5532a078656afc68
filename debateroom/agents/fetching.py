"""The tool `fetch_page`: reads one public page on the web, under the guard. It changes nothing anywhere."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from debateroom.agents.run import Run
from debateroom.agents.tools import MOST_TEXT, Outcome, cut
from debateroom.agents.wording import say
from debateroom.errors import DebateroomError
from debateroom.files import whole_characters
from debateroom.language import spoken
from debateroom.messages import ToolSpec
from debateroom.models.quote import without_keys
from debateroom.outbound.pages import MOST, SECONDS, Fetched, fetch_page
from debateroom.terminal import one_line

NAME = "fetch_page"
_FRAME = 1_000
"""Characters of a result that are kept for what is said about the page."""


@dataclass(slots=True)
class FetchPage:
    """One such tool."""

    spec: ToolSpec
    ports: tuple[int, ...] = ()
    """Ports that may be asked besides 443."""
    timeout: float = SECONDS + 5
    aliases: Mapping[str, str] = field(default_factory=dict)

    def run(self, arguments: Mapping[str, Any], run: Run) -> Outcome:
        """The page's text, marked as data, without any key that is in use; or why there is none.

        Whatever the status was, it is said; only a page that was there and could be read counts as success.
        """
        url = str(arguments["url"])
        shown = one_line(without_keys(url), 300)
        if any(without_keys(form) != form for form in (url, unquote(url))):
            return Outcome(say(run.language, "fetch_key", url=shown), ok=False)
        try:
            page = fetch_page(url, ports=self.ports, seconds=max(0.1, min(SECONDS, run.left())))
        except DebateroomError as error:
            reason = str(spoken(error, run.language))
            return Outcome(say(run.language, "fetch_failed", url=shown, reason=reason), ok=False)
        return Outcome(whole_characters(without_keys(_told(shown, page, run.language))), ok=page.ok)


def fetch_tool(language: str, *, ports: tuple[int, ...] = ()) -> FetchPage:
    """The tool, described in `language`."""
    url = {"type": "string", "description": say(language, "param_url")}
    schema = {"type": "object", "properties": {"url": url}, "required": ["url"], "additionalProperties": False}
    return FetchPage(ToolSpec(NAME, say(language, "tool_fetch_page"), schema), ports)


def _told(url: str, page: Fetched, language: str) -> str:
    """What a model is told: what answered, then the page's text between two marks that it cannot know."""
    kind = page.kind or "—"
    if 300 <= page.status < 400:
        return say(language, "fetch_redirect", url=url, status=page.status, location=page.location or "—")
    if page.text is None:
        return say(language, "fetch_no_text", url=url, status=page.status, kind=kind)
    head = say(language, "fetch_head", url=url, status=page.status, kind=kind)
    mark = f"page-{secrets.token_hex(4)}"
    text = cut(page.text, language, MOST_TEXT - _FRAME)
    title = [f"# {page.title}"] if page.title else []
    rest = [say(language, "fetch_cut", most=MOST)] if page.cut else []
    return "\n".join([head, f"<{mark}>", *title, text, f"</{mark}>", *rest])
