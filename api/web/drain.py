"""Drain: whether this process is shutting down and starts no streams, so that clients reconnect to another."""

from collections.abc import Callable

_alive: list[Callable[[], bool]] = []


def follow(alive: Callable[[], bool]) -> None:
    """Let the server of this process decide; `alive` is false as soon as the process receives a signal to stop."""
    _alive[:] = [alive]


def begun() -> bool:
    """Decide whether the process is stopping; without a server it never is."""
    return not all(alive() for alive in _alive)
