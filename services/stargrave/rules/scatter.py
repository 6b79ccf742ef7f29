"""Random directions, by one die, and scatter: where a grenade goes that misses its point.

Follows the third step of "Throwing and Firing Grenades". Lengths are thousandths of an inch. Directions are counted
clockwise like the hours of a clock, the last one pointing to the top of the table, where the second coordinate grows.
"""

from fractions import Fraction
from math import cos, pi, sin
from typing import Literal

from arbiter.dice import numbered
from arbiter.geometry.plane.shapes import Point, whole
from arbiter.geometry.plane.witness import contacts
from arbiter.nowhere import ELSEWHERE, Nowhere
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.ground import Ground
from services.stargrave.rules.lengths import in_inches

FARTHEST = 6
"""Inches beyond which a grenade is lost."""

SIDES = {"twelve": 12, "eight": 8, "twenty": 20}
"""How many directions there are, by the options of the reading `random-direction`."""


class Direction(Value, frozen=True):
    """One of so many equal directions."""

    face: int
    of: int

    def from_(self, at: Point, length: int) -> Point:
        """Give the place so far in this direction, all in thousandths, to the nearest one."""
        turn = 2 * pi * self.face / self.of
        return whole((at[0] + length * sin(turn), at[1] + length * cos(turn)))


def at_random(table: Table, who: str) -> Direction:
    """Draw a random direction for a figure or a grenade."""
    sides = SIDES[table.read("random-direction")]
    face: int = table.roll(numbered(sides), f"{who}: direction")
    return Direction(face, sides)


class Landing(Value, frozen=True):
    """Where a grenade comes down, in thousandths, if it does, and how; and whether its launcher jams by that."""

    at: Point | None
    how: Literal["on the point", "scattered", "lost"]
    launcher_jams: bool = False


LOST = Landing(None, "lost")


@rule(
    "scatter.drift",
    cites=("grenades/scatter", "grenades/lost"),
    neutral=lambda ground, at, elevation, short: Landing(at, "on the point"),
)
def drift(table: Table, ground: Ground, at: Point, elevation: int, short: int) -> Landing:
    """Decide where a grenade lands whose roll fell so many short: as many inches off in a random direction.

    More than 6 and it is lost. What walls and the edge of the table do are the readings `scatter-through-walls` and
    `scatter-off-table`.
    """
    if short > FARTHEST:
        text = "Short by {short}, more than {most}: the grenade is lost"
        table.find(text, cites="grenades/lost", short=short, most=FARTHEST)
        return LOST
    direction: Direction = at_random(table, "grenade")
    text = "Short by {short}: the point moves {inches} in direction {face} of {of}"
    values = {"short": short, "inches": in_inches(short), "face": direction.face, "of": direction.of}
    table.find(text, cites="grenades/scatter", **values)
    if isinstance(at, Nowhere):
        return Landing(ELSEWHERE, "scattered")
    end = direction.from_(at, short * 1000)
    wall = _first_wall(ground, at, end, elevation)
    if wall != end and table.read("scatter-through-walls") == "stops":
        table.find("The point stops at a wall", cites="grenades/scatter")
        end = wall
    edge = _edge(ground, at, end)
    if edge != end:
        if table.read("scatter-off-table") == "lost":
            table.find("The point leaves the table, and the grenade is lost", cites="grenades/scatter")
            return LOST
        table.find("The point stops at the edge of the table", cites="grenades/scatter")
        end = edge
    return Landing(end, "scattered")


def _first_wall(ground: Ground, at: Point, end: Point, elevation: int) -> Point:
    """Give where a way first enters terrain that stops movement and rises above it; its end if it enters none."""
    walls = (piece for piece in ground.impassable if piece.height > elevation)
    met = (contact for wall in walls for contact in contacts((*at, elevation), (*end, elevation), wall))
    share = min((contact.first for contact in met if contact.how == "through"), default=None)
    return end if share is None else _along(at, end, share)


def _edge(ground: Ground, at: Point, end: Point) -> Point:
    """Give where a way leaves the table; its end if it stays."""
    share = Fraction(1)
    for start, stop, most in ((at[0], end[0], ground.width), (at[1], end[1], ground.depth)):
        if stop < 0:
            share = min(share, Fraction(-start, stop - start))
        elif stop > most:
            share = min(share, Fraction(most - start, stop - start))
    return end if share == 1 else _along(at, end, share)


def _along(at: Point, end: Point, share: Fraction) -> Point:
    """Give a place on a way, rounded to the thousandth before it, so that it lies in nothing."""
    return at[0] + int(share * (end[0] - at[0])), at[1] + int(share * (end[1] - at[1]))
