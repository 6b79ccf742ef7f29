"""Boards of tiles, hexes or squares, behind one set of questions: neighbours, distances, lines and facings, exactly.

A tile is a pair of whole numbers: axial (q, r) on hexes as in `hex`, (x, y) on squares as in `square`. The caller need
not know which; an *offset* is the difference of two tiles, and a *direction* the index of a step to a neighbour.

A straight line from centre to centre *enters* a tile if it has inner points of it, and *grazes* one if it meets no more
than its border. Where a line grazes there is a spot:

* on squares a corner through which the line goes, with one tile flanking it on either hand;
* on hexes a side along which the line runs, with one tile flanking it on either hand; or a corner through which it
  goes from one hex into the next, with the third hex flanking it on one hand. On the other hand are the two hexes that
  the line enters, so that no pair of tiles can close such a spot.
"""

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Literal, NamedTuple

from arbiter.geometry.hex import coordinates as hexes
from arbiter.geometry.hex import lines
from arbiter.geometry.hex.coordinates import Lattice, Point
from arbiter.geometry.tile import square
from arbiter.value import Value

Tile = tuple[int, int]
"""A tile, or the offset from one tile to another."""

Rear = Literal["edge", "three", "half"]
"""The area behind a unit: its rear sector, its rear three sectors, or its rear half."""


class Graze(Value, frozen=True):
    """A spot at which a line grazes tiles: the one or two tiles that flank it, and its corner, or its side's two ends.

    The two flanking tiles lie on different hands of the line.
    """

    flanks: tuple[Tile, ...]
    spots: tuple[Point, ...]


class Contacts(Value, frozen=True):
    """What a line meets strictly between its two end tiles, each in order from its start."""

    entered: tuple[Tile, ...]
    grazes: tuple[Graze, ...]


# Lines of this many offsets are kept for each kind of tile: all of a board of 50 by 50 squares.
LINES_KEPT = 10_000

# Which corner of a hex each part is that is one, and the headings of lines that run along sides (`hexlines`).
_CORNER = {lines.SE_CORNER: 5, lines.S_CORNER: 4}
_ALONG_SIDES = (3, 4, 5)


class _Rules(NamedTuple):
    """The properties of one grid; `scale` is the factor from the numbers of a tile to its lattice point."""

    directions: tuple[Tile, ...]
    names: tuple[str, ...]
    neighbours: Callable[[Tile], tuple[Tile, ...]]
    distance: Callable[[Tile, Tile], int]
    within: Callable[[Tile, int], tuple[Tile, ...]]
    point: Callable[[Lattice], Point]
    corners: tuple[Lattice, ...]
    scale: int


_RULES = {
    "hex": _Rules(
        hexes.DIRECTIONS,
        hexes.DIRECTION_NAMES["pointy"],
        hexes.neighbours,
        hexes.distance,
        hexes.within,
        hexes.axial,
        hexes.CORNERS,
        3,
    ),
    "square-4": _Rules(
        square.DIRECTIONS4,
        square.DIRECTION_NAMES4,
        square.neighbours4,
        square.distance4,
        square.within4,
        square.units,
        square.CORNERS,
        2,
    ),
    "square-8": _Rules(
        square.DIRECTIONS8,
        square.DIRECTION_NAMES8,
        square.neighbours8,
        square.distance8,
        square.within8,
        square.units,
        square.CORNERS,
        2,
    ),
}


class Grid(Enum):
    """The grid of a board: hexes with six neighbours, squares with four, or squares with eight."""

    HEX = "hex"
    SQUARE_4 = "square-4"
    SQUARE_8 = "square-8"

    def __init__(self, name: str) -> None:
        self._rules = _RULES[name]

    @property
    def directions(self) -> tuple[Tile, ...]:
        """The offsets of the neighbours (6, 4 or 8), counter-clockwise as drawn, beginning with (+1, 0), the east."""
        return self._rules.directions

    @property
    def direction_names(self) -> tuple[str, ...]:
        """The names of the directions; hexes are pointy-top."""
        return self._rules.names

    def neighbours(self, tile: Tile) -> tuple[Tile, ...]:
        """Name the tiles around a tile, in the order of the directions."""
        return self._rules.neighbours(tile)

    def distance(self, a: Tile, b: Tile) -> int:
        """Count the steps from one tile to another by the shortest route on an empty grid."""
        return self._rules.distance(a, b)

    def adjacent(self, a: Tile, b: Tile) -> bool:
        """Decide whether two tiles are neighbours. A tile is not adjacent to itself."""
        return (b[0] - a[0], b[1] - a[1]) in self._rules.directions

    def within(self, centre: Tile, steps: int) -> tuple[Tile, ...]:
        """Name every tile at most `steps` away from `centre`, itself included, row by row."""
        return self._rules.within(centre, steps)

    def direction(self, a: Tile, b: Tile) -> int:
        """Tell in which direction the adjacent tile `b` lies from `a`. ValueError where they are not adjacent."""
        try:
            return self._rules.directions.index((b[0] - a[0], b[1] - a[1]))
        except ValueError:
            raise ValueError(f"tiles {a} and {b} are not adjacent on a grid of {self.value}") from None

    def opposite(self, direction: int) -> int:
        """Tell which direction leads the other way. ValueError where the grid has no such direction."""
        many = len(self._rules.directions)
        if not 0 <= direction < many:
            raise ValueError(f"direction {direction}: a grid of {self.value} has 0 to {many - 1}")
        return (direction + many // 2) % many

    @property
    def scale(self) -> int:
        """What the numbers of a tile are multiplied by to give its lattice point: the corners are whole there."""
        return self._rules.scale

    @property
    def outline(self) -> tuple[Lattice, ...]:
        """The corners of tile (0, 0) in the lattice, counter-clockwise as drawn."""
        return self._rules.corners

    def corners(self, tile: Tile) -> tuple[Point, ...]:
        """Give the corners of a tile (6 or 4), counter-clockwise as drawn."""
        x, y = self.scale * tile[0], self.scale * tile[1]
        return tuple(self._rules.point((x + dx, y + dy)) for dx, dy in self.outline)

    def contacts(self, offset: Tile) -> Contacts:
        """List what the line from the centre of (0, 0) to the centre of `offset` meets between these two tiles."""
        return _on_hexes(offset) if self is Grid.HEX else _on_squares(offset)

    def sectors(self, offset: Tile) -> tuple[int, ...]:
        """Tell in which direction's sector an offset lies: in one, on a border in two, and (0, 0) in none.

        A direction's sector reaches halfway to the next directions on both sides, and its borders belong to it. On
        hexes and on squares with four neighbours it is what is seen through one side of the tile, corners included. On
        squares with eight neighbours the borders are irrational, and no tile lies on one.
        """
        # The nearest direction has the greatest cosine, and of those in front its square: double, so that it is whole.
        near = [
            (2 * along * along // self._dot(step, step) if along > 0 else 0, index)
            for index, step in enumerate(self.directions)
            for along in (self._dot(step, offset),)
        ]
        nearest, _ = max(near)
        return tuple(index for share, index in near if share == nearest > 0)

    def behind(self, facing: int, offset: Tile, how: Rear) -> bool:
        """Decide whether an `offset` from a unit that faces a direction is behind it.

        `edge`: in the sector opposite to the facing; `three`: in that sector or one of the two beside it; borders are
        behind (on hexes `three` is the rear half with its border, on squares with four neighbours all but the front
        sector's inside). `half`: in the rear half, without its border. Nothing at (0, 0) is behind.

        ValueError: the grid has no such direction, or there is no such reading.
        """
        rear = self.opposite(facing)
        many = len(self.directions)
        match how:
            case "edge":
                return rear in self.sectors(offset)
            case "three":
                return any((index - rear + 1) % many <= 2 for index in self.sectors(offset))
            case "half":
                return self._dot(self.directions[facing], offset) < 0
        raise ValueError(f"unknown reading of what is behind {how!r}: send edge, three or half")

    def _dot(self, a: Tile, b: Tile) -> int:
        """Multiply two offsets: their lengths and the cosine between them; on hexes twice as much."""
        return _hex_dot(a, b) if self is Grid.HEX else a[0] * b[0] + a[1] * b[1]


def _hex_dot(a: Tile, b: Tile) -> int:
    return a[0] * (2 * b[0] + b[1]) + a[1] * (b[0] + 2 * b[1])


@lru_cache(maxsize=LINES_KEPT)
def _on_squares(offset: Tile) -> Contacts:
    entered, through = square.line(*offset)
    east, south = (1 if offset[0] > 0 else -1), (1 if offset[1] > 0 else -1)
    return Contacts(
        entered,
        tuple(
            Graze((((x + east) // 2, (y - south) // 2), ((x - east) // 2, (y + south) // 2)), (square.units((x, y)),))
            for x, y in through
        ),
    )


@lru_cache(maxsize=LINES_KEPT)
def _on_hexes(offset: Tile) -> Contacts:
    met = lines.contacts(*offset)
    entered: list[Tile] = []
    grazes: list[Graze] = []
    if lines.heading(*offset) in _ALONG_SIDES:
        # The line runs along sides, and meets each with the corners before and behind it.
        for before, run, beyond in zip(met[::3], met[1::3], met[2::3], strict=True):
            grazes.append(Graze(_meeting_in(run, offset), (_spot(before), _spot(beyond))))
            entered.append(_meeting_in(beyond, offset)[-1])
    else:
        for contact in met:
            _, *flanks, onward = _meeting_in(contact, offset)
            if flanks:
                grazes.append(Graze(tuple(flanks), (_spot(contact),)))
            entered.append(onward)
    return Contacts(tuple(entered[:-1]), tuple(grazes))


def _meeting_in(contact: lines.Contact, offset: Tile) -> tuple[Tile, ...]:
    """Name the hexes that meet in a side or a corner, in the order in which a line with this offset comes to them."""
    part, q, r = contact
    if part in _CORNER:
        tiles: tuple[Tile, ...] = hexes.hexes_around(hexes.corner((q, r), _CORNER[part]))
    else:
        step_q, step_r = lines.SIDE_STEPS[part]
        tiles = (q, r), (q + step_q, r + step_r)
    return tuple(sorted(tiles, key=lambda tile: _hex_dot(offset, tile)))


def _spot(contact: lines.Contact) -> Point:
    part, q, r = contact
    return hexes.axial(hexes.corner((q, r), _CORNER[part]))
