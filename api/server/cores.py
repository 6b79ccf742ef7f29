"""Cores: where the machine is the gateway's alone, each of its processes stays on a core of its own.

What a process has at hand in the caches of a core would else be driven out, and be fetched anew on another, whenever
there are more processes than cores. The master chooses, before it forks, among the cores that it may use itself.
"""

import os
from collections import Counter
from collections.abc import Mapping

from api.settings import Settings
from infra.settings import WrongSettings, variable

_of: dict[int, int] = {}
"""The core of each worker process, by its age."""


def check(settings: Settings) -> None:
    """Raise `WrongSettings` where cores are asked for and the system cannot bind to them."""
    if settings.bind_cores and not hasattr(os, "sched_setaffinity"):
        raise WrongSettings((f"{variable('bind_cores')} is on, but this system cannot bind processes to cores.",))


def choose(age: int) -> None:
    """Choose the core of the worker of this age: one that the fewest others have."""
    _of[age] = chosen(_of, os.sched_getaffinity(0))


def chosen(taken: Mapping[int, int], usable: set[int]) -> int:
    """Give the first of the usable cores that the fewest have."""
    having = Counter(taken.values())
    return min(sorted(usable), key=having.__getitem__)


def bind(age: int) -> None:
    """Bind this process to the core of the worker of this age, if one was chosen."""
    if age in _of:
        os.sched_setaffinity(0, {_of[age]})


def leaves(age: int) -> None:
    """Note that the worker of this age is no more."""
    _of.pop(age, None)
