"""Moves and routes over tiles, hexes or squares: where a mover may end, a route to each, and distances.

A step enters a neighbouring tile and costs the cost of that tile, 1 by default; leaving one is free. On squares with
eight neighbours a step across a corner is an ordinary step. Without `corner_cutting` it is forbidden where it would
squeeze between two tiles neither of which can be entered: blocked, or not on the board.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from arbiter.caching import MAX_BOARDS
from arbiter.geometry.tile.grid import Grid, Tile


class _Ground:
    """Where one may step, and what it costs. ValueError: a tile asked about is not on the board; a cost is below 1."""

    def __init__(
        self,
        grid: Grid,
        tiles: Collection[Tile],
        asked: Collection[Tile],
        costs: Mapping[Tile, int] | None,
        blocked: Collection[Tile],
        corner_cutting: bool,
    ) -> None:
        on_board = frozenset(tiles)
        self.open = on_board.difference(blocked)
        self.costs = costs or {}
        self._neighbours = _neighbours(grid, on_board)
        # The tiles of the board that one may step to from a tile, or from which to it, but for blocked ones.
        squeezing = corner_cutting or grid is not Grid.SQUARE_8
        self.beside = self._neighbours.__getitem__ if squeezing else self._roomy
        for tile in asked:
            if tile not in on_board:
                raise ValueError(f"tile {tile} is not on the board")
        if self.costs and min(self.costs.values()) < 1:
            tile, cost = next((tile, cost) for tile, cost in self.costs.items() if cost < 1)
            raise ValueError(f"entering tile {tile} costs {cost}: the least is 1")

    def _roomy(self, tile: Tile) -> tuple[Tile, ...]:
        return tuple([other for other in self._neighbours[tile] if self._has_room(tile, other)])

    def _has_room(self, a: Tile, b: Tile) -> bool:
        """Decide whether one of the two tiles beside a step can be entered. A step across a side is beside itself."""
        (ax, ay), (bx, by) = a, b
        return ax == bx or ay == by or (ax, by) in self.open or (bx, ay) in self.open


@lru_cache(maxsize=MAX_BOARDS)
def _neighbours(grid: Grid, tiles: frozenset[Tile]) -> Mapping[Tile, tuple[Tile, ...]]:
    """Name the neighbours of each tile that are on the board, in the order of the directions."""
    return {tile: tuple([other for other in grid.neighbours(tile) if other in tiles]) for tile in tiles}


class Reach(Mapping[Tile, int]):
    """The tiles in which a mover may end, each with its cost and one cheapest route.

    It is a mapping from tile to cost, the cheapest first; `costs` is the same as a dictionary.
    """

    def __init__(self, costs: dict[Tile, int], before: Mapping[Tile, Tile]) -> None:
        self.costs = costs
        self._before = before

    def path(self, to: Tile) -> tuple[Tile, ...]:
        """Give one cheapest route from the start to a tile, both included. KeyError if the mover may not end there."""
        if to not in self.costs:
            raise KeyError(to)
        way = [to]
        while (previous := self._before[way[-1]]) != way[-1]:
            way.append(previous)
        return tuple(reversed(way))

    def __getitem__(self, tile: Tile) -> int:
        return self.costs[tile]

    def __iter__(self) -> Iterator[Tile]:
        return iter(self.costs)

    def __len__(self) -> int:
        return len(self.costs)


def reach(
    grid: Grid,
    tiles: Collection[Tile],
    start: Tile,
    points: int,
    *,
    costs: Mapping[Tile, int] | None = None,
    blocked: Collection[Tile] = (),
    no_stop: Collection[Tile] = (),
    corner_cutting: bool = True,
) -> Reach:
    """Find every tile in which a mover with `points` to spend may end, its cost, and one cheapest route to it.

    A tile that is `blocked` is never entered; one in `no_stop` may be passed through, but no move ends there. The start
    is always reached, at no cost, even if it is in either. Of two routes with the same cost, the first one found is
    kept, by cost and then by the order of the directions. Tiles off the board are ignored in all collections.

    ValueError: the start is not on the board; `points` is negative; a cost is less than 1.
    """
    ground = _Ground(grid, tiles, (start,), costs, blocked, corner_cutting)
    if points < 0:
        raise ValueError(f"points {points}: a mover has at least 0")
    open_, costs, beside = ground.open, ground.costs, ground.beside
    found: dict[Tile, int] = {}
    before = {start: start}
    waiting = defaultdict(list, {0: [start]})
    while waiting:
        spent = min(waiting)
        for here in waiting.pop(spent):
            if here == start or here not in no_stop:
                found[here] = spent
            for tile in beside(here):
                # The cost of a step depends only on the tile that is entered, so the first route to it is a cheapest
                # one.
                if tile in open_ and tile not in before and (total := spent + costs.get(tile, 1)) <= points:
                    before[tile] = here
                    waiting[total].append(tile)
    return Reach(found, before)


def routes(
    grid: Grid,
    tiles: Collection[Tile],
    targets: Collection[Tile],
    *,
    costs: Mapping[Tile, int] | None = None,
    blocked: Collection[Tile] = (),
    corner_cutting: bool = True,
) -> dict[Tile, int]:
    """Measure the cheapest route from every tile to the nearest target, the cheapest first.

    A route enters no blocked tile; but it may start in one, and lead into a target that is blocked. Tiles from which
    there is no route are left out. ValueError where a target is not on the board, or a cost is less than 1.
    """
    return dict(_inwards(_Ground(grid, tiles, targets, costs, blocked, corner_cutting), targets))


def _inwards(ground: _Ground, targets: Iterable[Tile]) -> Iterator[tuple[Tile, int]]:
    """Give each tile with the cost of the cheapest route from it to a target, the cheapest first.

    Of equal costs the first counts.
    """
    best = dict.fromkeys(targets, 0)
    waiting = defaultdict(list, {0: list(best)})
    while waiting:
        spent = min(waiting)
        for here in waiting.pop(spent):
            if best[here] < spent:
                continue
            yield here, spent
            if spent and here not in ground.open:
                continue
            total = spent + ground.costs.get(here, 1)
            for tile in ground.beside(here):
                if total < best.get(tile, total + 1):
                    best[tile] = total
                    waiting[total].append(tile)
