"""Hexes, hexsides and corners in whole numbers: names, neighbours, distances, offset schemes and lattice points.

A hex is its axial pair (q, r). On a pointy-top grid q grows to the east and r to the lower right (south-east), and the
six directions are 0 E (+1, 0), 1 NE (+1, -1), 2 NW (0, -1), 3 W (-1, 0), 4 SW (-1, +1), 5 SE (0, +1). A flat-top grid
has the same numbers rotated by thirty degrees, so that every question of distance, sight and movement has the same
answer. Orientation only affects the names of directions and corners and the offset schemes, all of which are in this
module.

Points are exact. In the *lattice* the centre of (q, r) is (3q, 3r), and the corners of hexes are the other whole
points (x, y) for which x - y is a multiple of 3. `axial` divides a lattice point by three, which gives axial units: in
these a hex's centre is its own (q, r). To draw an axial point, with hexes whose sides are 1 long:

    pointy-top  x = sqrt(3) * (q + r / 2)    y = 3 / 2 * r
    flat-top    x = 3 / 2 * q                y = sqrt(3) * (r + q / 2)

with y growing downwards. The conventions for offset columns and rows are those of Red Blob Games' guide to hexagonal
grids: `odd-r` and `even-r` name rows of a pointy-top grid, `odd-q` and `even-q` columns of a flat-top grid.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

Hex = tuple[int, int]
"""Axial (q, r)."""

Side = tuple[Hex, Hex]
"""The hexside between two adjacent hexes, the smaller pair first: the one name that a hexside has."""

Lattice = tuple[int, int]
"""A whole point of the lattice in which the centre of (q, r) is (3q, 3r)."""

Point = tuple[Fraction, Fraction]
"""A point in axial units: the centre of hex (q, r) is (q, r)."""

Orientation = Literal["pointy", "flat"]
Scheme = Literal["odd-r", "even-r", "odd-q", "even-q"]

DIRECTIONS: tuple[Hex, ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""The six steps, counter-clockwise as drawn, beginning with (+1, 0)."""

CORNERS: tuple[Lattice, ...] = ((2, -1), (1, -2), (-1, -1), (-2, 1), (-1, 2), (1, 1))
"""The six corners of hex (0, 0) in the lattice: corner k lies between sides k and k + 1."""

DIRECTION_NAMES: dict[Orientation, tuple[str, ...]] = {
    "pointy": ("E", "NE", "NW", "W", "SW", "SE"),
    "flat": ("SE", "NE", "N", "NW", "SW", "S"),
}


def distance(a: Hex, b: Hex) -> int:
    """Count the hexes from one hex to another by the shortest route on an empty grid, without the first one."""
    q, r = b[0] - a[0], b[1] - a[1]
    return max(abs(q), abs(r), abs(q + r))


def neighbour(a: Hex, towards: int) -> Hex:
    """Name the hex next to `a` in direction 0 to 5."""
    dq, dr = DIRECTIONS[towards]
    return a[0] + dq, a[1] + dr


def neighbours(a: Hex) -> tuple[Hex, ...]:
    """Name the six hexes around `a`, in the order of the directions."""
    q, r = a
    return (q + 1, r), (q + 1, r - 1), (q, r - 1), (q - 1, r), (q - 1, r + 1), (q, r + 1)


def adjacent(a: Hex, b: Hex) -> bool:
    """Decide whether two hexes share a hexside. A hex is not adjacent to itself."""
    return (b[0] - a[0], b[1] - a[1]) in DIRECTIONS


def direction(a: Hex, b: Hex) -> int:
    """Tell in which direction, 0 to 5, the adjacent hex `b` lies from `a`. ValueError where they are not adjacent."""
    try:
        return DIRECTIONS.index((b[0] - a[0], b[1] - a[1]))
    except ValueError:
        raise ValueError(f"hexes {a} and {b} are not adjacent: they share no hexside") from None


def within(centre: Hex, hexes: int) -> tuple[Hex, ...]:
    """Name every hex at most `hexes` away from `centre`, itself included, row by row."""
    q, r = centre
    return tuple(
        (q + dq, r + dr)
        for dr in range(-hexes, hexes + 1)
        for dq in range(max(-hexes, -hexes - dr), min(hexes, hexes - dr) + 1)
    )


def side(a: Hex, b: Hex) -> Side:
    """Name the hexside between two adjacent hexes, whichever is given first. ValueError where they are not adjacent."""
    direction(a, b)
    return (a, b) if a < b else (b, a)


def sides_of(a: Hex) -> tuple[Side, ...]:
    """Name the six hexsides of a hex, in the order of the directions."""
    return tuple((a, b) if a < b else (b, a) for b in neighbours(a))


def rim(hexes: Iterable[Hex]) -> frozenset[Side]:
    """Find the hexsides that have exactly one of their two hexes among `hexes`."""
    inside = frozenset(hexes)
    return frozenset((a, b) if a < b else (b, a) for a in inside for b in neighbours(a) if b not in inside)


def centre(a: Hex) -> Lattice:
    """Give the lattice point of a hex's centre."""
    return 3 * a[0], 3 * a[1]


def corner(a: Hex, k: int) -> Lattice:
    """Give the lattice point of corner k (0 to 5) of a hex; it lies between the hex's sides k and k + 1."""
    x, y = CORNERS[k]
    return 3 * a[0] + x, 3 * a[1] + y


def side_ends(of: Side) -> tuple[Lattice, Lattice]:
    """Give the two corners in which a hexside ends."""
    a, b = of
    towards = direction(a, b)
    return corner(a, towards - 1), corner(a, towards)


def hexes_around(point: Lattice) -> tuple[Hex, Hex, Hex]:
    """Name the three hexes that meet in a corner. ValueError where the lattice point is no corner of a hex."""
    x, y = point
    if (x - y) % 3 or not x % 3:
        raise ValueError(f"lattice point {point} is not a corner of a hex")
    # Corners come in two kinds, told apart by x modulo 3: below two hexes and above one, or the other way round.
    around = ((-1, -1), (2, -1), (-1, 2)) if x % 3 == 1 else ((1, -2), (-2, 1), (1, 1))
    (ax, ay), (bx, by), (cx, cy) = ((x + dx, y + dy) for dx, dy in around)
    return (ax // 3, ay // 3), (bx // 3, by // 3), (cx // 3, cy // 3)


def axial(point: Lattice) -> Point:
    """Turn a lattice point into axial units, in which the centre of hex (q, r) is (q, r)."""
    return Fraction(point[0], 3), Fraction(point[1], 3)


def from_offset(column: int, row: int, scheme: Scheme) -> Hex:
    """Turn a column and a row of an offset scheme into an axial hex."""
    match scheme:
        case "odd-r":
            return column - (row - (row & 1)) // 2, row
        case "even-r":
            return column - (row + (row & 1)) // 2, row
        case "odd-q":
            return column, row - (column - (column & 1)) // 2
        case "even-q":
            return column, row - (column + (column & 1)) // 2
    raise ValueError(f"unknown offset scheme {scheme!r}: send odd-r, even-r, odd-q or even-q")


def to_offset(a: Hex, scheme: Scheme) -> tuple[int, int]:
    """Turn an axial hex into (column, row) of an offset scheme."""
    q, r = a
    match scheme:
        case "odd-r":
            return q + (r - (r & 1)) // 2, r
        case "even-r":
            return q + (r + (r & 1)) // 2, r
        case "odd-q":
            return q, r + (q - (q & 1)) // 2
        case "even-q":
            return q, r + (q + (q & 1)) // 2
    raise ValueError(f"unknown offset scheme {scheme!r}: send odd-r, even-r, odd-q or even-q")
