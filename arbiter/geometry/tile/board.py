"""Lines of sight over a board of tiles, hexes or squares: one line, or everything visible from one tile.

Sight is the straight line from centre to centre. Each blocker that it enters blocks it; the effect of a blocker that it
merely grazes is a reading (`Grazes`). The two end tiles never block. Sight is symmetric.
"""

from collections.abc import Collection, Iterable, Set
from fractions import Fraction
from functools import cached_property
from itertools import compress
from typing import Literal, NoReturn

from arbiter.geometry.hex.coordinates import Point
from arbiter.geometry.hex.layout import LARGEST_SPAN, as_bytes
from arbiter.geometry.tile.grid import Graze, Grid, Tile
from arbiter.geometry.tile.shadows import Shadows, shadows
from arbiter.value import Value

Grazes = Literal["both", "either", "never"]
"""When grazed blockers block a line: if they flank it on both sides, if any flanks it, or never."""

# A graze blocks if this many blockers flank it; there are never more than two.
NEEDED: dict[Grazes, int] = {"both": 2, "either": 1, "never": 3}


class Entered(Value, frozen=True):
    """A blocker that a line enters, and the points at which the line comes in and goes out."""

    tile: Tile
    where: tuple[Point, Point]


class Grazed(Value, frozen=True):
    """A spot at which a line grazes: the blockers that flank it (one or two), where (a corner, or a side's two ends).

    `counts`: in the reading asked for, this blocks.
    """

    blockers: tuple[Tile, ...]
    where: tuple[Point, ...]
    counts: bool


class Witness(Value, frozen=True):
    """The verdict on one line of sight and its grounds; points are in tile units.

    `entered` and `grazed` are in order from the start. `hangs_on_grazes`: another reading of grazes would give the
    other verdict.
    """

    clear: bool
    grazes: Grazes
    start: Point
    end: Point
    entered: tuple[Entered, ...]
    grazed: tuple[Grazed, ...]
    hangs_on_grazes: bool


class TileBoard:
    """One immutable board: a grid and its tiles. Boards with the same contents are equal.

    Blockers are given with each question, because they change; those off the board also block a line between two tiles
    of the board that passes them. ValueError: no tiles, or a board that spans more than `LARGEST_SPAN` tiles.
    """

    grid: Grid
    tiles: frozenset[Tile]
    _shadows: Shadows
    _places: dict[Tile, int]
    _all: int

    def __init__(self, grid: Grid, tiles: Iterable[Tile]) -> None:
        on_board = frozenset(tiles)
        if not on_board:
            raise ValueError("a board has at least one tile")
        (west, east), (north, south) = ((min(span), max(span)) for span in zip(*on_board, strict=True))
        columns, rows = east - west + 1, south - north + 1
        if max(columns, rows) > LARGEST_SPAN:
            raise ValueError(f"the board spans {max(columns, rows)} tiles; the most is {LARGEST_SPAN}")
        shapes = shadows(grid, columns, rows)
        # A line between two tiles of the board meets only tiles of the rectangle around the board. Each of these has an
        # index in the bit sets.
        places = {(west + x, north + y): x + shapes.stride * y for y in range(rows) for x in range(columns)}
        # The attributes bypass __setattr__, which refuses: a board is shared and hashed.
        self.__dict__.update(
            grid=grid, tiles=on_board, _shadows=shapes, _places=places, _all=sum(1 << places[tile] for tile in on_board)
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a board does not change ({name}): make another one")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TileBoard):
            return NotImplemented
        return self.grid is other.grid and self.tiles == other.tiles

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.grid, self.tiles))

    def __repr__(self) -> str:
        return f"<TileBoard of {len(self.tiles)} tiles on a grid of {self.grid.value}>"

    def sees(self, a: Tile, b: Tile, blockers: Collection[Tile], grazes: Grazes = "both") -> bool:
        """Decide whether two tiles see each other. A tile sees itself. ValueError where one is not on the board."""
        self._check(grazes, a, b)
        shut = blockers if isinstance(blockers, Set) else frozenset(blockers)
        x, y = a
        line = self.grid.contacts((b[0] - x, b[1] - y))
        for dx, dy in line.entered:
            if (x + dx, y + dy) in shut:
                return False
        needed = NEEDED[grazes]
        return all(sum((x + dx, y + dy) in shut for dx, dy in graze.flanks) < needed for graze in line.grazes)

    def visible_from(self, a: Tile, blockers: Collection[Tile], grazes: Grazes = "both") -> frozenset[Tile]:
        """Find all tiles that can be seen from a tile, itself included. ValueError where it is not on the board."""
        self._check(grazes, a)
        here = self._places[a]
        cast = self._shadows
        keys = {self._places[tile] - here for tile in blockers if tile in self._places and tile != a}
        dark = 0
        for hidden, left, right, across in map(cast.__getitem__, keys):
            dark |= hidden
            if grazes == "either":
                dark |= left | right
            elif across in keys and grazes == "both":
                dark |= left
        seen = self._all & ~(dark >> cast.base - here)
        return frozenset(compress(self._cells, as_bytes(seen, len(self._cells))))

    def contacts(
        self, a: Tile, b: Tile, blockers: Collection[Tile]
    ) -> tuple[list[Tile], list[tuple[tuple[Tile, ...], Graze]]]:
        """List what the line from a to b meets of the blockers: those that it enters, and those that flank a graze.

        ValueError where one of the two tiles is not on the board.
        """
        self._check("both", a, b)
        x, y = a
        line = self.grid.contacts((b[0] - x, b[1] - y))
        shut = blockers if isinstance(blockers, Set) else frozenset(blockers)
        entered = [tile for dx, dy in line.entered if (tile := (x + dx, y + dy)) in shut]
        flanked = []
        for graze in line.grazes:
            flanking = tuple([tile for dx, dy in graze.flanks if (tile := (x + dx, y + dy)) in shut])
            if flanking:
                flanked.append((flanking, graze))
        return entered, flanked

    def witness(self, a: Tile, b: Tile, blockers: Collection[Tile], grazes: Grazes = "both") -> Witness:
        """Tell what the line from a to b enters and grazes of the blockers, where, and what hangs on it."""
        entered, flanked = self.contacts(a, b, blockers)
        self._check(grazes)
        grazed = []
        for flanking, graze in flanked:
            where = tuple((a[0] + x, a[1] + y) for x, y in graze.spots)
            grazed.append(Grazed(flanking, where, len(flanking) >= NEEDED[grazes]))
        most = max((len(spot.blockers) for spot in grazed), default=0)
        verdicts = {reading: not entered and most < needed for reading, needed in NEEDED.items()}
        return Witness(
            clear=verdicts[grazes],
            grazes=grazes,
            start=_point(a),
            end=_point(b),
            entered=tuple(Entered(tile, self._stretch(a, b, tile)) for tile in entered),
            grazed=tuple(grazed),
            hangs_on_grazes=len(set(verdicts.values())) > 1,
        )

    def _stretch(self, a: Tile, b: Tile, tile: Tile) -> tuple[Point, Point]:
        """Find where the line from a to b comes into a tile that it enters, and where it goes out."""
        corners = self.grid.corners(tile)
        dx, dy = b[0] - a[0], b[1] - a[1]
        first, last = Fraction(0), Fraction(1)
        for (px, py), (qx, qy) in zip(corners, corners[1:] + corners[:1], strict=True):
            # Corners are counter-clockwise as drawn, with y downwards: inside, this is positive. It grows by `gain`.
            inside = (qy - py) * (a[0] - px) - (qx - px) * (a[1] - py)
            gain = (qy - py) * dx - (qx - px) * dy
            if gain > 0:
                first = max(first, -inside / gain)
            elif gain < 0:
                last = min(last, -inside / gain)
        return (a[0] + first * dx, a[1] + first * dy), (a[0] + last * dx, a[1] + last * dy)

    def _check(self, grazes: Grazes, *asked: Tile) -> None:
        if grazes not in NEEDED:
            raise ValueError(f"unknown reading of grazes {grazes!r}: send both, either or never")
        for tile in asked:
            if tile not in self.tiles:
                raise ValueError(f"tile {tile} is not on the board")

    @cached_property
    def _cells(self) -> list[Tile]:
        """The tile of each place in the board's bit sets. A place without one names any: no set of tiles has it."""
        cells = [next(iter(self.tiles))] * self._all.bit_length()
        for tile in self.tiles:
            cells[self._places[tile]] = tile
        return cells


def _point(tile: Tile) -> Point:
    return Fraction(tile[0]), Fraction(tile[1])
