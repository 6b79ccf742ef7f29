"""Waiting for what other processes and threads do: until it happens, and no longer than anybody has patience."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 30.0
"""Only what went wrong takes so long. It is as long as a gateway drains by default, so that a shorter drain shows."""

BUSY_S = 4 * PATIENCE_S
"""So long may take what has no bound of its own, on a machine that does twenty other things."""

LOOK_EVERY_S = 0.02


def within(happens: Callable[[], Any], seconds: float = BUSY_S) -> bool:
    """Wait until something happens; say whether it did in that time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if happens():
            return True
        time.sleep(LOOK_EVERY_S)
    return False
