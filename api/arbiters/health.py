"""Games that are decided elsewhere: whether each one's service answers, and is of this gateway's edition and engine."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from api.arbiters.local import ArbiterClient
from api.arbiters.remote import NoAnswer, RemoteArbiter
from api.resources.health import Component


class RemoteHealth:
    """The check of all services of games, which are asked side by side."""

    def __init__(self, seats: Mapping[str, ArbiterClient], within_s: float) -> None:
        self._seats = {name: seat for name, seat in seats.items() if isinstance(seat, RemoteArbiter)}
        self._within_s = within_s

    def watch(self, heard: Callable[[str, bool], object]) -> None:
        """Have it told of each game whether the breaker of its service is open, now and whenever that changes."""
        for name, seat in self._seats.items():
            seat.breaker.watch(partial(heard, name))

    def __call__(self) -> dict[str, Component]:
        """Look at each."""
        if not self._seats:
            return {}
        with ThreadPoolExecutor(len(self._seats)) as side_by_side:
            found = side_by_side.map(self._look, self._seats.values())
            return {f"games/{name}": component for name, component in zip(self._seats, found, strict=True)}

    def _look(self, seat: RemoteArbiter) -> Component:
        try:
            there = seat.look(self._within_s)
        except NoAnswer as away:
            return Component(False, f"the service at its address does not answer: {away}")
        if there != seat.identity:
            return Component(
                False, f"the service at its address is {there}; this gateway has {seat.identity}, and does not mix them"
            )
        return Component(True, f"decided by a service of its own: {there}")
