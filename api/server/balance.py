"""Balance: the processes of a service take equal shares of its connections.

All of them listen at one socket, and whichever is awake first would take a burst of new connections whole: one core
works then, and the others look on for as long as those connections last. So each process notes in a page of memory,
made before any of them is forked, how many it has, and one that is ahead leaves new ones to the others for a moment.
"""

import mmap

SLOTS = 256
"""Processes that can be told apart; of two in one slot the later counts."""

PATIENCE_S = 0.05
"""Seconds for which a process that is ahead leaves new connections to the others; then it takes what is there."""

_PAGE = memoryview(mmap.mmap(-1, SLOTS * 4)).cast("I")
"""For each process how many connections it has, and one more; zero for none."""


def has(age: int, connections: int) -> None:
    """Note how many connections the worker of this age has, which takes new ones."""
    _PAGE[age % SLOTS] = connections + 1


def leaves(age: int) -> None:
    """Note that the worker of this age takes no more connections, or is no more."""
    _PAGE[age % SLOTS] = 0


def ahead(age: int) -> bool:
    """Say whether the worker of this age has more than another one that takes new ones, too."""
    noted = _PAGE.tolist()
    own = noted[age % SLOTS]
    return own > min((other for other in noted if other), default=own)
