"""Drain: whether this process is asked to end, so that it starts nothing that lasts and sends its clients elsewhere."""

from collections.abc import Callable

_alive: list[Callable[[], bool]] = []


def follow(alive: Callable[[], bool]) -> None:
    """Let the server of this process decide; `alive` is false as soon as the process is asked to end."""
    _alive[:] = [alive]


def begun() -> bool:
    """Decide whether the process is ending; without a server it never is."""
    return not all(alive() for alive in _alive)
