"""How a program loads what stays with it until its end."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def staying() -> Iterator[None]:
    """Take what is made in the block for something that stays: it is never looked through for garbage.

    Games are hundreds of thousands of objects. Python would look through all of them again and again: while they are
    loaded, now and then while the program runs, and several times at its end. Only for a program as a whole: what is
    garbage when the block ends stays as well.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
    gc.freeze()
