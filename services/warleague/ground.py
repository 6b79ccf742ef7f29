"""The ground: the posted board prepared for exact geometry, in the board's own coordinates.

It knows tiles and no rules: callers pass what blocks, costs or kills.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from arbiter.caching import by_board, held_by_first
from arbiter.geometry.hex import coordinates as hexes
from arbiter.geometry.tile import paths
from arbiter.geometry.tile.board import NEEDED, Grazes, TileBoard
from arbiter.geometry.tile.grid import Grid, Rear
from arbiter.nowhere import Nowhere, PlaceNeeded
from arbiter.value import Value
from services.warleague.scene import Board, NoBoard, Shape, Tile

GRIDS: Mapping[Shape, Grid] = {"hex": Grid.HEX, "square-4": Grid.SQUARE_4, "square-8": Grid.SQUARE_8}

Metric = Literal["steps", "diagonals"]
"""How tiles are counted on squares with four neighbours: by steps, or a diagonal as one. Else both are the same."""

VIEWS_KEPT, AREAS_KEPT, REACHES_KEPT, ROUTES_KEPT = 300_000, 500, 150_000, 150_000
"""Tiles of views past some blockers, areas, tiles of reaches and of routes that a ground remembers, each twice over."""

Closed = frozenset[Tile]
"""Tiles that are closed to a line or a way."""


class Contact(Value, frozen=True):
    """What a line meets of the blockers: those that it enters, or the one or two that flank a spot where it grazes.

    `blocks`: by the chosen reading, this is in the way.
    """

    tiles: tuple[Tile, ...]
    how: Literal["enters", "grazes"]
    blocks: bool


class Prices(NamedTuple):
    """What a step costs: onto a tile, and onto difficult terrain."""

    step: int = 1
    difficult: int = 1


class Reach(dict[Tile, int]):
    """The tiles in which a move may end, each with what moving there costs, the cheapest first."""

    def __init__(self, inner: Mapping[Tile, Tile], posted: Mapping[Tile, Tile], found: paths.Reach) -> None:
        super().__init__(zip(map(posted.__getitem__, found.costs), found.costs.values(), strict=True))
        self._inner, self._posted, self._found = inner, posted, found

    def path(self, to: Tile) -> tuple[Tile, ...]:
        """Give one cheapest way to a tile, without the start. KeyError where no move may end there."""
        return tuple([self._posted[tile] for tile in self._found.path(self._inner[to])[1:]])


class _Places(dict[Tile, Tile]):
    """The tiles of a board that nobody has posted: units may be somewhere else, and nothing is measured from there."""

    def __missing__(self, tile: Tile) -> Tile:
        raise PlaceNeeded if isinstance(tile, Nowhere) else KeyError(tile)


class Ground:
    """What the board's shape alone decides: neighbours, distances, lines, facings and ways.

    `tiles` are all tiles of the board, `in_order` the same sorted by row and column. A direction is the index of a
    step: hexes have 0 to 5, squares 0 to 3 or 0 to 7, counter-clockwise as drawn, beginning in the east.
    """

    def __init__(self, board: Board) -> None:
        self.posted = board
        self.grid = GRIDS[board.grid]
        missing = frozenset(board.missing)
        every = ((column, row) for row in range(board.rows) for column in range(board.columns))
        self.in_order: tuple[Tile, ...] = tuple(tile for tile in every if tile not in missing)
        self.tiles = frozenset(self.in_order)
        kind = _Places if isinstance(board, NoBoard) else dict
        self._inner = kind({tile: self._convert(tile) for tile in self.in_order})
        self._posted = {inner: tile for tile, inner in self._inner.items()}
        self.board = TileBoard(self.grid, self._posted)
        self.difficult = frozenset(board.difficult)
        self.killing = {killing.at: killing.kind for killing in board.killing}
        self._rings: dict[Tile, tuple[Tile, ...]] = {}

    @staticmethod
    def of(board: Board) -> "Ground":
        """Give the prepared ground of a board; boards of the same content share it."""
        return _ground(board)

    def _convert(self, tile: Tile) -> Tile:
        scheme = self.posted.coordinates
        if self.posted.grid != "hex" or scheme == "axial":
            return tile
        return hexes.from_offset(*tile, scheme)

    def inner(self, tile: Tile) -> Tile:
        """Give a posted tile of the board as the geometry names it."""
        return self._inner[tile]

    def posted_tile(self, inner: Tile) -> Tile | None:
        """Give a tile in the coordinates of the posted board; None for one that is not on it."""
        return self._posted.get(inner)

    # Neighbours and directions

    @property
    def directions(self) -> tuple[str, ...]:
        """The names of the directions, in their order; those of flat hexes are turned by thirty degrees."""
        if self.posted.grid == "hex" and self.posted.coordinates in ("odd-q", "even-q"):
            return hexes.DIRECTION_NAMES["flat"]
        return self.grid.direction_names

    def distance(self, a: Tile, b: Tile, metric: Metric = "steps") -> int:
        """Count the tiles from one to the other by the shortest way on an empty grid, whatever is missing."""
        return self._metric(metric).distance(self._inner[a], self._inner[b])

    def adjacent(self, a: Tile, b: Tile) -> bool:
        """Say whether two tiles are neighbours."""
        return self.grid.adjacent(self._inner[a], self._inner[b])

    def neighbours(self, tile: Tile) -> tuple[Tile, ...]:
        """Give the neighbours of a tile that are on the board, in the order of the directions."""
        ring = self._rings.get(tile)
        if ring is None:
            ring = self._rings[tile] = self._on_board(self.grid.neighbours(self._inner[tile]))
        return ring

    @held_by_first(AREAS_KEPT)
    def within(self, centre: Tile, tiles: int, metric: Metric) -> tuple[Tile, ...]:
        """Give the tiles of the board at most so many tiles away, the nearest first, then by row and column."""
        # Nothing on the board is further away than its columns and rows together.
        most = min(tiles, self.posted.columns + self.posted.rows)
        near = self._on_board(self._metric(metric).within(self._inner[centre], most))
        return tuple(sorted(near, key=lambda tile: (self.distance(centre, tile, metric), tile[1], tile[0])))

    @held_by_first(AREAS_KEPT)
    def area(self, centre: Tile, tiles: int, metric: Metric) -> frozenset[Tile]:
        """Give the tiles of the board at most so many tiles away, in no order."""
        return frozenset(self.within(centre, tiles, metric))

    def direction(self, a: Tile, b: Tile) -> int:
        """Give the direction from a tile to one of its neighbours."""
        return self.grid.direction(self._inner[a], self._inner[b])

    def step(self, tile: Tile, direction: int) -> Tile | None:
        """Give the tile next to one in a direction; None where the board ends."""
        q, r = self._inner[tile]
        dq, dr = self.grid.directions[direction]
        return self.posted_tile((q + dq, r + dr))

    def towards(self, a: Tile, b: Tile) -> tuple[int, ...]:
        """Give the direction that leads best from one tile to another: two where both do, none for the same tile."""
        return self.grid.sectors(self._offset(a, b))

    def behind(self, tile: Tile, facing: int, other: Tile, how: Rear) -> bool:
        """Say whether another tile lies behind a unit that stands on a tile and faces a direction."""
        return self.grid.behind(facing, self._offset(tile, other), how)

    def _metric(self, metric: Metric) -> Grid:
        return Grid.SQUARE_8 if metric == "diagonals" and self.grid is Grid.SQUARE_4 else self.grid

    # Lines

    def sees(self, a: Tile, b: Tile, blockers: Closed, grazes: Grazes) -> bool:
        """Say whether the line between the centres of two tiles is free of blockers in between."""
        return b in self.visible_from(a, blockers, grazes)

    @held_by_first(VIEWS_KEPT, len)
    def visible_from(self, a: Tile, blockers: Closed, grazes: Grazes) -> frozenset[Tile]:
        """Give every tile to which the line from a tile is free of blockers in between, itself included."""
        seen = self.board.visible_from(self._inner[a], self._inners(blockers), grazes)
        return frozenset(map(self._posted.__getitem__, seen))

    def contacts(self, a: Tile, b: Tile, blockers: Closed, grazes: Grazes) -> tuple[Contact, ...]:
        """Give what the line between two tiles meets of the blockers, what it enters first, each from its start."""
        entered, flanked = self.board.contacts(self._inner[a], self._inner[b], self._inners(blockers))
        posted, needed = self._posted, NEEDED[grazes]
        enters = [Contact((posted[tile],), "enters", True) for tile in entered]
        flanks = [
            Contact(tuple(map(posted.__getitem__, tiles)), "grazes", len(tiles) >= needed) for tiles, _ in flanked
        ]
        return (*enters, *flanks)

    # Ways

    @held_by_first(REACHES_KEPT, len)
    def reach(
        self, start: Tile, points: int, prices: Prices, blocked: Closed, no_stop: Closed, corner_cutting: bool
    ) -> Reach:
        """Give every tile in which a move may end for so many points, and one cheapest way there.

        `blocked` tiles are never entered, `no_stop` ones passed only.
        """
        reach = paths.reach(
            self.grid,
            self.board.tiles,
            self._inner[start],
            points,
            costs=self._costs(prices),
            blocked=self._inners(blocked),
            no_stop=self._inners(no_stop),
            corner_cutting=corner_cutting,
        )
        return Reach(self._inner, self._posted, reach)

    @held_by_first(ROUTES_KEPT, len)
    def routes(self, targets: Closed, prices: Prices, blocked: Closed, corner_cutting: bool) -> dict[Tile, int]:
        """Give what the cheapest route to the nearest target costs from every tile that has one."""
        costs = paths.routes(
            self.grid,
            self.board.tiles,
            self._inners(targets),
            costs=self._costs(prices),
            blocked=self._inners(blocked),
            corner_cutting=corner_cutting,
        )
        return dict(zip(map(self._posted.__getitem__, costs), costs.values(), strict=True))

    def _offset(self, a: Tile, b: Tile) -> Tile:
        (q, r), (to_q, to_r) = self._inner[a], self._inner[b]
        return to_q - q, to_r - r

    def _on_board(self, tiles: Iterable[Tile]) -> tuple[Tile, ...]:
        return tuple(self._posted[tile] for tile in tiles if tile in self._posted)

    def _inners(self, tiles: Iterable[Tile]) -> frozenset[Tile]:
        return frozenset(map(self._inner.__getitem__, tiles))

    @held_by_first(AREAS_KEPT)
    def _costs(self, prices: Prices) -> dict[Tile, int]:
        costs = {} if prices.step == 1 else dict.fromkeys(self.board.tiles, prices.step)
        return costs | dict.fromkeys(self._inners(self.difficult), prices.difficult)


_ground = by_board(Ground)
