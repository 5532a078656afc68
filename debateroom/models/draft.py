"""An answer while it arrives: the same for every provider, and strict about what is no answer at all."""

from __future__ import annotations

from typing import Any

from debateroom.errors import CallFailed
from debateroom.messages import Answer, OnText, Usage


class Draft:
    """Collects the pieces of one streamed answer. What a server sends is data: nothing here trusts its shape."""

    def __init__(self, model: str, on_text: OnText | None = None) -> None:
        self.model = model
        """The model's id; replaced by what the provider says it is."""
        self.stop_reason: str | None = None
        """Why the stream ended, in our words; None while it has not said so."""
        self.usage = Usage()
        self._on_text = on_text
        self._pieces: list[str] = []

    def add(self, text: Any) -> None:
        """One more piece of visible text; anything that is not text is passed over."""
        if isinstance(text, str) and text:
            self._pieces.append(text)
            if self._on_text is not None:
                self._on_text(text)

    def name(self, model: Any) -> None:
        """The model's id as the provider states it."""
        if isinstance(model, str) and model:
            self.model = model

    @property
    def text(self) -> str:
        """What has arrived so far."""
        return "".join(self._pieces)

    def answer(self, *, limit: int, seconds: float) -> Answer:
        """The finished answer. Raises CallFailed when the stream was cut, or when it says nothing."""
        if self.stop_reason is None:
            raise CallFailed("The answer was cut off before its end.", retry=True, cause="cut")
        if not self.text.strip():
            raise self._empty(limit)
        return Answer(self.text, self.usage, self.stop_reason, self.model, seconds)

    def _empty(self, limit: int) -> CallFailed:
        if self.stop_reason == "refusal":
            return CallFailed("The model refused to answer and gave no reason.", cause="refusal")
        if self.stop_reason == "length":
            # asking again would only pay for the same thinking twice
            return CallFailed(
                f"The model thought until its limit of {limit:,} tokens and wrote nothing.",
                hint="Ask for less at once, or name a model that thinks less.",
                cause="empty",
            )
        return CallFailed("The model gave an empty answer.", retry=True, cause="empty")


def count(holder: Any, name: str) -> int | None:
    """A number of tokens out of a provider's usage; None when it is not there or no number."""
    value = getattr(holder, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
