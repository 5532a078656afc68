"""The words of a report in one language: labels, counted things, numbers, money, time and dates."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from debateroom import templates
from debateroom.language import LANGUAGES, in_marks, is_singular


class Words:
    """Called with a key (`section.name`) it gives the text, with `{name}` filled in. English for other languages."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else "en"
        self._texts = templates.data(f"labels/report.{self.language}.toml")

    def __call__(self, key: str, /, **values: object) -> str:
        text: Any = self._texts
        for part in key.split("."):
            text = text[part]
        return str(text).format(**values) if values else str(text)

    def count(self, what: str, n: int) -> str:
        """`n` things with their noun: `1 reply`, `4 replies`."""
        forms: list[str] = self._texts["counts"][what]
        return forms[0 if is_singular(self.language, n) else -1].format(n=self.number(n))

    def rounds(self, played: int, asked: int) -> str:
        """How many rounds were played of those asked for: `1 of 1 round`, `2 of 4 rounds`."""
        forms: list[str] = self._texts["trust"]["rounds_asked"]
        figures = {"played": played, "asked": asked}
        counted = figures[self("trust.rounds_counted")]  # which of the two the noun goes with
        shown = {name: self.number(value) for name, value in figures.items()}
        return forms[0 if is_singular(self.language, counted) else -1].format(**shown)

    def number(self, value: float) -> str:
        """`value` with thousands marked, and at most one decimal."""
        text = f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
        return self._local(text)

    def money(self, dollars: float) -> str:
        """US dollars with two decimals, four below a cent."""
        text = f"{dollars:.4f}" if 0 < dollars < 0.01 else f"{dollars:,.2f}"
        return self("units.money", amount=self._local(text))

    def share(self, part: int, whole: int) -> str:
        """`part` of `whole` in percent, without decimals; of nothing 0."""
        return self("units.percent", n=round(100 * part / whole) if whole else 0)

    def duration(self, seconds: float) -> str:
        """Seconds as `48 s`, `3 min 5 s` or `1 h 12 min`."""
        whole = round(seconds)
        if whole < 60:
            return self("units.seconds", s=whole)
        if whole < 3600:
            return self("units.minutes", m=whole // 60, s=whole % 60)
        return self("units.hours", h=whole // 3600, m=whole % 3600 // 60)

    def of_ten(self, confidence: float | None) -> str:
        """A confidence as `8/10`, never rounded up to what it is not; unknown is `—`."""
        return "—" if confidence is None else self("units.of_ten", n=self._local(f"{confidence:.6g}"))

    def day(self, moment: datetime) -> str:
        """The date for people, without the time."""
        return self("day", day=moment.day, month=self._texts["months"][moment.month - 1], year=moment.year)

    def join(self, parts: list[str] | tuple[str, ...]) -> str:
        """`a, b, c`."""
        return self("listed").join(parts)

    def _local(self, text: str) -> str:
        return in_marks(self.language, text)
