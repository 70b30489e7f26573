"""Whether a provider still has a conversation's last request in its cache."""

from __future__ import annotations

import time
from collections.abc import Callable

# Seconds since 1970, as `time.time` gives them.
Clock = Callable[[], float]


class Warmth:
    """When a session's cache was last used. A stored session knows by itself, also across processes."""

    def __init__(self, seconds: float, now: Clock | None = None) -> None:
        self._seconds = seconds
        self._now = now or time.time
        self._used: float | None = None

    def is_cold(self) -> bool:
        """Whether changing what was sent costs nothing. Before the first request nothing was sent."""
        return self._used is None or self._now() - self._used > self._seconds

    def use(self) -> None:
        """A request is sent, or its answer is here: either way the provider has just looked at its cache."""
        self._used = self._now()
