"""How many cases a law is tried with: all of them where `TEST_NIGHTLY` is set, and a part of them otherwise."""

import os

NIGHTLY = bool(os.environ.get("TEST_NIGHTLY"))

FEW = 10
"""So many cases are tried in every run."""


def cases(full: int, ordinary: int | None = None) -> int:
    """Decide with how many cases a law is tried that deserves so many: in an ordinary run a quarter of them.

    Where `ordinary` is given, an ordinary run tries as many as it says.
    """
    if NIGHTLY:
        return full
    return ordinary if ordinary is not None else max(min(full, FEW), full // 4)
