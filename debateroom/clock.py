"""The one clock. Tests freeze it here, so that locks and retries keep the real time."""

from __future__ import annotations

import time
from datetime import datetime


def now() -> datetime:
    """The local time with its zone, to the second."""
    return datetime.now().astimezone().replace(microsecond=0)


def epoch() -> float:
    """Seconds since 1970, with fractions; what the times of files are compared with."""
    return time.time()


def monotonic() -> float:
    """Seconds since an arbitrary point; never goes back."""
    return time.monotonic()
