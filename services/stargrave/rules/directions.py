"""Random directions: one of as many as the reading says, by one die.

Directions are counted clockwise like the hours of a clock, the last one pointing to the top of the table, which is
where the second coordinate of a place grows.
"""

from math import cos, pi, sin

from arbiter.dice import numbered
from arbiter.geometry.plane.shapes import Point
from arbiter.table import Table
from arbiter.value import Value

SIDES = {"twelve": 12, "eight": 8, "twenty": 20}
"""How many directions there are, by the options of the reading `random-direction`."""


class Direction(Value, frozen=True):
    """One of so many equal directions."""

    face: int
    of: int

    def from_(self, at: Point, length: int) -> Point:
        """Give the place so far in this direction, all in thousandths, to the nearest one."""
        turn = 2 * pi * self.face / self.of
        return round(at[0] + length * sin(turn)), round(at[1] + length * cos(turn))


def at_random(table: Table, who: str) -> Direction:
    """Draw a random direction for a figure or a grenade."""
    sides = SIDES[table.read("random-direction")]
    face: int = table.roll(numbered(sides), f"{who}: direction")
    return Direction(face, sides)
