"""The mirror of a battle: the positions of two sides swapped, rotated about the middle of the board."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from arbiter.fault import Faults, pointer

S = TypeVar("S", str, str | None)

Swap = Mapping[str, str]
"""The other side of each of two."""


def two_sides(sides: Iterable[str]) -> tuple[str, str]:
    """Give the two sides of a battle; raises `Faults` if there are more or fewer."""
    every = tuple(dict.fromkeys(sides))
    if len(every) != 2:
        raise Faults.one(
            pointer("mirror"),
            "no-mirror",
            f"there are {len(every)} sides on the table",
            seen=len(every),
            expected="two sides, which can change places",
        )
    return every


def swap_of(sides: tuple[str, str]) -> Swap:
    """Give the other side of each."""
    return {sides[0]: sides[1], sides[1]: sides[0]}


def not_begun(active: str | None) -> None:
    """Refuse a battle in the middle of an activation, which belongs to one side; raises `Faults`."""
    if active is not None:
        raise Faults.one(
            pointer("mirror"),
            "no-mirror",
            f"{active} is being activated, and nobody in its place could be",
            seen=active,
            expected="a scene between two activations",
        )


def turn_about(at: tuple[float, float], width: float, depth: float) -> tuple[float, float]:
    """Give the opposite position about the middle of a board, to the thousandth."""
    return round(width - at[0], 3), round(depth - at[1], 3)
