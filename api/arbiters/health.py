"""Health of games that are decided elsewhere: whether each service answers, with this gateway's edition."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pybreaker import STATE_CLOSED, CircuitBreaker, CircuitBreakerListener

from api.arbiters.local import LocalArbiter
from api.arbiters.remote import NoAnswer, RemoteArbiter
from api.web.readiness import Component


class BreakerListener(CircuitBreakerListener):
    """Passes on whether a breaker is open, at each change; a half-open one is open."""

    def __init__(self, on_change: Callable[[str, bool], object]) -> None:
        self._on_change = on_change

    def state_change(self, cb: CircuitBreaker, old_state: Any, new_state: Any) -> None:
        """Pass on that a breaker has opened or closed; half-open is not reported."""
        is_open = new_state.name != STATE_CLOSED
        if is_open != (old_state.name != STATE_CLOSED):
            self._on_change(str(cb.name), is_open)


class RemoteHealth:
    """The check of all services of games, which are asked in parallel."""

    def __init__(self, arbiters: Mapping[str, LocalArbiter | RemoteArbiter], within_s: float) -> None:
        self._arbiters = {name: each for name, each in arbiters.items() if isinstance(each, RemoteArbiter)}
        self._within_s = within_s

    def watch(self, on_change: Callable[[str, bool], object]) -> None:
        """Call back for each game with whether the breaker of its service is open, now and at each change."""
        for name, arbiter in self._arbiters.items():
            on_change(name, arbiter.breaker.current_state != STATE_CLOSED)
            arbiter.breaker.add_listener(BreakerListener(on_change))

    def __call__(self) -> dict[str, Component]:
        """Check each service."""
        if not self._arbiters:
            return {}
        with ThreadPoolExecutor(len(self._arbiters)) as pool:
            checks = pool.map(self._check, self._arbiters.values())
            return {f"games/{name}": component for name, component in zip(self._arbiters, checks, strict=True)}

    def _check(self, arbiter: RemoteArbiter) -> Component:
        try:
            there = arbiter.look(self._within_s)
        except NoAnswer as away:
            return Component(False, f"the service at its address does not answer: {away}")
        if there != arbiter.identity:
            found = f"the service at its address is {there}; this gateway has {arbiter.identity}, and does not mix them"
            return Component(False, found)
        return Component(True, f"decided by a separate service: {there}")
