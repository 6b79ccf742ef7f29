"""Succession: at a reload the old worker processes go on taking requests until a new one does.

Master and workers share a page of memory, made before any of them is forked: the master notes which workers are to be
replaced, and each worker notes that it answers. Workers are known by their age, which only grows.
"""

import mmap
import struct

_PAGE = mmap.mmap(-1, mmap.PAGESIZE)
_NUMBER = struct.Struct("<Q")
_REPLACED, _READY = 0, _NUMBER.size


def replace(youngest: int) -> None:
    """Say that the workers up to this age are to be replaced."""
    _NUMBER.pack_into(_PAGE, _REPLACED, youngest)


def ready(age: int) -> None:
    """Say that the worker of this age answers requests."""
    # Two workers of one reload may write at the same time; either number says what is asked for.
    if age > _NUMBER.unpack_from(_PAGE, _READY)[0]:
        _NUMBER.pack_into(_PAGE, _READY, age)


def replaced(age: int) -> bool:
    """Say whether the worker of this age is to be replaced, rather than ended with the whole service."""
    return bool(age <= _NUMBER.unpack_from(_PAGE, _REPLACED)[0])


def succeeded() -> bool:
    """Say whether a worker that replaces others answers requests."""
    return bool(_NUMBER.unpack_from(_PAGE, _READY)[0] > _NUMBER.unpack_from(_PAGE, _REPLACED)[0])
