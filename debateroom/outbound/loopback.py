"""The one way past the guard: a test's own server on this machine. Set by Python code in this process, never by
a setting, a variable or a file; whatever is sent under it says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ssl import SSLContext


@dataclass(frozen=True, slots=True)
class Loopback:
    """What holds while a test has its server asked: addresses of this machine pass, on any port."""

    resolve: Callable[[str], list[str]]
    """Stands in for DNS."""
    trust: SSLContext
    """Whose certificates are believed; they are verified as ever."""


_OPEN: list[Loopback] = []


@contextmanager
def opened(loopback: Loopback) -> Iterator[None]:
    """A block in which servers on this machine may be asked."""
    _OPEN.append(loopback)
    try:
        yield
    finally:
        _OPEN.pop()


def current() -> Loopback | None:
    """What holds now; None outside of tests."""
    return _OPEN[-1] if _OPEN else None
