"""Retries: whether, after which wait, and until when."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from ._errors import Again, ArenaError


@dataclass(frozen=True)
class Retry:
    """How often and how long a client tries again.

    A request is sent at most ``attempts`` times, and never later than ``deadline`` seconds after the first attempt.
    The wait between attempts doubles each time, from ``first_wait`` up to ``longest_wait`` seconds. It is shortened by
    up to half at random, so that many clients do not return at the same moment. If the server says how long to wait,
    the client waits that long, unless that is beyond the deadline.

    A request that may have been carried out is sent again only if a repetition has no further effect.
    ``Retry(attempts=1)`` never tries again.
    """

    attempts: int = 10
    deadline: float = 30.0
    first_wait: float = 0.1
    longest_wait: float = 5.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"`attempts` must be 1 or more, not {self.attempts}")
        for name in ("deadline", "first_wait", "longest_wait"):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"`{name}` must be a number of seconds above 0, not {value}")

    def wait(self, failures: int) -> float:
        """Returns the wait after this many failures, if the server does not say how long to wait."""
        # The power must not overflow; from 2^30 on, it is the longest wait anyway.
        longest = min(self.longest_wait, self.first_wait * 2.0 ** min(failures - 1, 30))
        return longest * random.uniform(0.5, 1.0)


class Attempts:
    """The attempts for one request."""

    def __init__(self, retry: Retry, *, repeatable: bool) -> None:
        self._retry = retry
        self._repeatable = repeatable
        self._until = time.monotonic() + retry.deadline
        self._failures = 0

    @property
    def left(self) -> float:
        """The number of seconds left."""
        # Above 0, because a time limit must be.
        return max(self._until - time.monotonic(), 0.001)

    def wait_after(self, error: ArenaError) -> float:
        """Returns the wait before the next attempt. Raises the error if it is not worth another attempt."""
        self._failures += 1
        if not self._may_help(error) or self._failures >= self._retry.attempts:
            raise error
        wait = self._retry.wait(self._failures)
        if error.retry_after is not None:
            # A little longer than the server says, so that clients do not return all at once.
            wait = error.retry_after + min(wait, self._retry.first_wait)
        if wait >= self._until - time.monotonic():
            raise error
        return wait

    def _may_help(self, error: ArenaError) -> bool:
        return {
            Again.NEVER: False,
            Again.IF_REPEATABLE: self._repeatable,
            Again.WHEN_TOLD: error.retry_after is not None,
            Again.ALWAYS: True,
        }[error.again]
