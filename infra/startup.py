"""Loading of objects that live until the program ends."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def staying() -> Iterator[None]:
    """Exclude the objects made in the block from garbage collection.

    Games are hundreds of thousands of objects. Python would scan all of them repeatedly: while they are loaded, at
    intervals while the program runs, and several times at its end. Use it only for a whole program: garbage that exists
    when the block ends is never freed.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
    gc.freeze()
