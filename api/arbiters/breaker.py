"""What keeps one dead arbiter from harming the others: a circuit breaker, and a bound on who waits for a silent one.

Both are plain counting under a lock, with a clock that is given; they know nothing of HTTP. Each process of the
gateway has its own.
"""

import time
from collections.abc import Callable
from threading import Lock
from typing import Annotated

from msgspec import Meta

from arbiter.value import Value

Clock = Callable[[], float]


class Closed(Exception):
    """Nobody is let through just now; it is worth asking again in `wait_s` seconds."""

    def __init__(self, because: str, wait_s: float) -> None:
        self.wait_s = wait_s
        super().__init__(because)


class Terms(Value, frozen=True):
    """When a breaker opens, and for how long.

    It opens after `in_a_row` failures, or when of at least `least` questions within a window of `window_s` seconds the
    `ratio` has failed. It stays open `open_s` seconds, and twice as long after each probe that fails, up to
    `longest_s`. A probe that nothing is heard of for `probe_s` seconds counts as lost, and another may try.
    """

    in_a_row: Annotated[int, Meta(ge=1)] = 5
    ratio: Annotated[float, Meta(gt=0, le=1)] = 0.5
    least: Annotated[int, Meta(ge=1)] = 20
    window_s: Annotated[float, Meta(gt=0)] = 10.0
    open_s: Annotated[float, Meta(gt=0)] = 1.0
    longest_s: Annotated[float, Meta(gt=0)] = 15.0
    probe_s: Annotated[float, Meta(gt=0)] = 70.0


class Breaker:
    """A circuit breaker: closed while things go well, open after failures, then half-open for one probe at a time.

    Who is let through gets a ticket, and hands it back with how it went. Tickets from before the breaker opened or
    closed tell nothing of how things stand now, and are passed over.
    """

    def __init__(self, terms: Terms | None = None, clock: Clock = time.monotonic) -> None:
        self.terms, self._clock, self._lock = terms or Terms(), clock, Lock()
        self._ticket = 0
        self._open_until: float | None = None
        self._probe_until: float | None = None
        self._open_s = self.terms.open_s
        self._window_until = 0.0
        self._asked = self._failures = self._in_a_row = 0
        self._heard: Callable[[bool], object] | None = None

    def watch(self, heard: Callable[[bool], object]) -> None:
        """Have it told whether the breaker is open, now and whenever that changes; while it is tried, it is open."""
        with self._lock:
            self._heard = heard
            heard(self._open_until is not None)

    def admit(self) -> int:
        """Let a question through: give its ticket. Raises `Closed` while the breaker is open, but for one probe."""
        with self._lock:
            if self._open_until is None:
                return self._ticket
            now = self._clock()
            if now < self._open_until:
                raise Closed("it failed several times", self._open_until - now)
            if self._probe_until is not None and now < self._probe_until:
                raise Closed("it failed several times and is being tried", min(1.0, self._probe_until - now))
            self._ticket += 1
            self._probe_until = now + self.terms.probe_s
            return self._ticket

    def succeeded(self, ticket: int) -> None:
        """Take a ticket back whose question was answered."""
        with self._lock:
            if ticket != self._ticket:
                return
            if self._probe_until is not None:
                self._ticket += 1
                self._open_until = self._probe_until = None
                self._open_s = self.terms.open_s
                self._count_anew(self._clock())
                self._tell()
            elif self._open_until is None:
                self._count(failed=False)

    def failed(self, ticket: int) -> None:
        """Take a ticket back whose question was not answered."""
        with self._lock:
            if ticket != self._ticket:
                return
            if self._probe_until is not None:
                self._open_s = min(2 * self._open_s, self.terms.longest_s)
                self._open()
            elif self._open_until is None:
                self._count(failed=True)
                many = self._asked >= self.terms.least and self._failures >= self.terms.ratio * self._asked
                if self._in_a_row >= self.terms.in_a_row or many:
                    self._open()
                    self._tell()

    def _open(self) -> None:
        self._ticket += 1
        self._probe_until = None
        self._open_until = self._clock() + self._open_s

    def _tell(self) -> None:
        if self._heard is not None:
            self._heard(self._open_until is not None)

    def _count(self, *, failed: bool) -> None:
        now = self._clock()
        if now >= self._window_until:
            in_a_row = self._in_a_row
            self._count_anew(now)
            # Failures in a row are in a row however long it takes.
            self._in_a_row = in_a_row
        self._asked += 1
        self._failures += failed
        self._in_a_row = self._in_a_row + 1 if failed else 0

    def _count_anew(self, now: float) -> None:
        self._window_until = now + self.terms.window_s
        self._asked = self._failures = self._in_a_row = 0


class Patience:
    """How many may wait for one arbiter: everybody while answers come, and `most` while it is silent.

    An arbiter that takes questions and answers none would otherwise hold every thread of the gateway, and the other
    games with them, until the first of those questions is given up.
    """

    def __init__(self, most: int, quiet_s: float, clock: Clock = time.monotonic) -> None:
        self.most, self.quiet_s = most, quiet_s
        self._clock, self._lock = clock, Lock()
        self._waiting, self._heard = 0, 0.0

    def enter(self) -> None:
        """Begin to wait; raises `Closed` when enough others wait for an arbiter that is silent."""
        with self._lock:
            now = self._clock()
            if not self._waiting:
                # It owes nothing, so its silence begins now.
                self._heard = now
            if self._waiting >= self.most and now - self._heard >= self.quiet_s:
                raise Closed(f"{self._waiting} questions wait for it, and it is silent", 1.0)
            self._waiting += 1

    def leave(self, *, heard: bool) -> None:
        """End waiting; `heard` says whether anything was heard of the arbiter."""
        with self._lock:
            self._waiting -= 1
            if heard:
                self._heard = self._clock()
