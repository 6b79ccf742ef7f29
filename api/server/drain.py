"""Drain: whether this process is ending, so that it begins nothing that lasts and sends its clients elsewhere."""

from threading import Event

_ending = Event()


def begin() -> None:
    """Say that the process is ending: open streams and waits end soon, and it is ready for nothing new."""
    _ending.set()


def begun() -> bool:
    """Say whether the process is ending."""
    return _ending.is_set()
