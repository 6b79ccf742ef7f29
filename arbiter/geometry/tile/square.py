"""Square tiles in whole numbers: neighbours, distances, corners, and what a straight line between two centres meets.

A tile is its pair (x, y): x grows to the east and y to the south. Tiles have four neighbours, across their sides, or
eight, those across their corners included; the functions that depend on it come in pairs, 4 and 8.

Points are exact. In the *lattice* the centre of (x, y) is (2x, 2y), so that corners are the points with two odd
numbers; `units` halves a lattice point, which gives tile units, in which a tile's centre is its own (x, y).
"""

from fractions import Fraction

Square = tuple[int, int]
"""A tile (x, y)."""

Lattice = tuple[int, int]
"""A whole point of the lattice in which the centre of (x, y) is (2x, 2y)."""

Point = tuple[Fraction, Fraction]
"""A point in tile units: the centre of tile (x, y) is (x, y)."""

DIRECTIONS4: tuple[Square, ...] = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""The four steps across sides, counter-clockwise as drawn, beginning with the east."""

DIRECTIONS8: tuple[Square, ...] = ((1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1))
"""The eight steps across sides and corners, counter-clockwise as drawn, beginning with the east."""

CORNERS: tuple[Lattice, ...] = ((1, -1), (-1, -1), (-1, 1), (1, 1))
"""The four corners of tile (0, 0) in the lattice: corner k lies between the sides towards directions k and k + 1."""

DIRECTION_NAMES4: tuple[str, ...] = ("E", "N", "W", "S")
DIRECTION_NAMES8: tuple[str, ...] = ("E", "NE", "N", "NW", "W", "SW", "S", "SE")


def distance4(a: Square, b: Square) -> int:
    """Count the steps across sides from one tile to another on an empty grid."""
    return abs(b[0] - a[0]) + abs(b[1] - a[1])


def distance8(a: Square, b: Square) -> int:
    """Count the steps across sides and corners from one tile to another on an empty grid."""
    return max(abs(b[0] - a[0]), abs(b[1] - a[1]))


def neighbours4(a: Square) -> tuple[Square, ...]:
    """Name the four tiles that share a side with `a`, in the order of the directions."""
    x, y = a
    return (x + 1, y), (x, y - 1), (x - 1, y), (x, y + 1)


def neighbours8(a: Square) -> tuple[Square, ...]:
    """Name the eight tiles that share a side or a corner with `a`, in the order of the directions."""
    x, y = a
    return (
        (x + 1, y),
        (x + 1, y - 1),
        (x, y - 1),
        (x - 1, y - 1),
        (x - 1, y),
        (x - 1, y + 1),
        (x, y + 1),
        (x + 1, y + 1),
    )


def within4(centre: Square, steps: int) -> tuple[Square, ...]:
    """Name every tile at most `steps` across sides away from `centre`, itself included, row by row."""
    x, y = centre
    return tuple(
        (x + dx, y + dy) for dy in range(-steps, steps + 1) for dx in range(abs(dy) - steps, steps - abs(dy) + 1)
    )


def within8(centre: Square, steps: int) -> tuple[Square, ...]:
    """Name every tile at most `steps` across sides and corners away from `centre`, itself included, row by row."""
    x, y = centre
    reach = range(-steps, steps + 1)
    return tuple((x + dx, y + dy) for dy in reach for dx in reach)


def centre(a: Square) -> Lattice:
    """Give the lattice point of a tile's centre."""
    return 2 * a[0], 2 * a[1]


def corner(a: Square, k: int) -> Lattice:
    """Give the lattice point of corner k (0 to 3) of a tile; it lies between the tile's sides k and k + 1."""
    x, y = CORNERS[k]
    return 2 * a[0] + x, 2 * a[1] + y


def units(point: Lattice) -> Point:
    """Turn a lattice point into tile units, in which the centre of tile (x, y) is (x, y)."""
    return Fraction(point[0], 2), Fraction(point[1], 2)


def line(dx: int, dy: int) -> tuple[tuple[Square, ...], tuple[Lattice, ...]]:
    """List the tiles that the line from (0, 0) to (dx, dy) enters in between, and the corners that it goes through."""
    entered: list[Square] = []
    through: list[Lattice] = []
    east, south = (1 if dx > 0 else -1), (1 if dy > 0 else -1)
    m, n = abs(dx), abs(dy)
    x = y = 0
    while x < m or y < n:
        # The line leaves tile (x, y) through the side that it comes to sooner, or through the corner between the two.
        sooner = (2 * x + 1) * n - (2 * y + 1) * m
        if not sooner:
            through.append(((2 * x + 1) * east, (2 * y + 1) * south))
        x, y = x + (sooner <= 0), y + (sooner >= 0)
        entered.append((x * east, y * south))
    return tuple(entered[:-1]), tuple(through)
