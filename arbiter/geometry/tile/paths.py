"""Moves and routes over tiles, hexes or squares: where a mover may end, by which way, and how far everything is.

A step enters a neighbouring tile and costs what that tile costs, 1 unless the caller says otherwise; leaving one costs
nothing. On squares with eight neighbours a step across a corner is a step like any other. Without `corner_cutting` it
is forbidden where it would squeeze between two tiles neither of which can be entered: blocked, or not on the board.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import count

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
        self.tiles = frozenset(tiles)
        self.open = self.tiles.difference(blocked)
        self._grid = grid
        self._costs = costs or {}
        self._squeezing = corner_cutting or grid is not Grid.SQUARE_8
        for tile in asked:
            if tile not in self.tiles:
                raise ValueError(f"tile {tile} is not on the board")
        for tile, cost in self._costs.items():
            if cost < 1:
                raise ValueError(f"entering tile {tile} costs {cost}: the least is 1")

    def cost(self, tile: Tile) -> int:
        """Tell what entering a tile costs."""
        return self._costs.get(tile, 1)

    def beside(self, tile: Tile) -> Iterator[Tile]:
        """Name the tiles of the board that one may step to from a tile, or from which to it, but for blocked ones."""
        for other in self._grid.neighbours(tile):
            if other in self.tiles and (self._squeezing or self._has_room(tile, other)):
                yield other

    def _has_room(self, a: Tile, b: Tile) -> bool:
        """Decide whether one of the two tiles beside a step can be entered. A step across a side is beside itself."""
        (ax, ay), (bx, by) = a, b
        return ax == bx or ay == by or (ax, by) in self.open or (bx, ay) in self.open


class Reach(Mapping[Tile, int]):
    """The tiles in which a mover may end, each with what moving there costs and one cheapest way.

    It is a mapping from tile to cost, the cheapest first; `costs` is the same as a dictionary.
    """

    def __init__(self, costs: dict[Tile, int], before: Mapping[Tile, Tile]) -> None:
        self.costs = costs
        self._before = before

    def path(self, to: Tile) -> tuple[Tile, ...]:
        """Give one cheapest way from the start to a tile, both included. KeyError where the mover may not end there."""
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
    """Find every tile in which a mover may end who has `points` to spend, what it costs, and one cheapest way there.

    A tile that is `blocked` is never entered; one in `no_stop` may be passed through, but no move ends there. The start
    is always reached, at no cost, even if it is in either. Where two ways cost the same, the one found first is kept,
    by cost and then by the order of the directions. Tiles off the board are of no account in any of the collections.

    ValueError: the start is not on the board; `points` is negative; a cost is less than 1.
    """
    ground = _Ground(grid, tiles, (start,), costs, blocked, corner_cutting)
    if points < 0:
        raise ValueError(f"points {points}: a mover has at least 0")

    def onward(here: Tile, spent: int) -> Iterator[tuple[Tile, int]]:
        for tile in ground.beside(here):
            total = spent + ground.cost(tile)
            if total <= points and tile in ground.open:
                yield tile, total

    found: dict[Tile, int] = {}
    before: dict[Tile, Tile] = {}
    for tile, spent, previous in _cheapest_first((start,), onward):
        if tile == start or tile not in no_stop:
            found[tile] = spent
        before[tile] = previous
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


def shortest_path(
    grid: Grid,
    tiles: Collection[Tile],
    start: Tile,
    goal: Tile,
    *,
    costs: Mapping[Tile, int] | None = None,
    blocked: Collection[Tile] = (),
    corner_cutting: bool = True,
) -> tuple[Tile, ...] | None:
    """Give one cheapest route from one tile to another, both included, by the rules of `routes`; None if there is none.

    Of equal ones it is the first by the order of the directions. ValueError where either tile is not on the board.
    """
    ground = _Ground(grid, tiles, (start, goal), costs, blocked, corner_cutting)
    ahead: dict[Tile, int] = {}
    for tile, cost in _inwards(ground, (goal,)):
        ahead[tile] = cost
        if tile == start:
            break
    else:
        return None
    way = [start]
    while (here := way[-1]) != goal:
        way.append(
            next(
                tile
                for tile in ground.beside(here)
                if (tile == goal or tile in ground.open)
                and ahead.get(tile, ahead[here]) + ground.cost(tile) == ahead[here]
            )
        )
    return tuple(way)


def _inwards(ground: _Ground, targets: Iterable[Tile]) -> Iterator[tuple[Tile, int]]:
    """Give each tile with what the cheapest route from it to a target costs, the cheapest first."""

    def onward(here: Tile, spent: int) -> Iterator[tuple[Tile, int]]:
        if not spent or here in ground.open:
            total = spent + ground.cost(here)
            for tile in ground.beside(here):
                yield tile, total

    for tile, spent, _ in _cheapest_first(targets, onward):
        yield tile, spent


def _cheapest_first(
    starts: Iterable[Tile], onward: Callable[[Tile, int], Iterable[tuple[Tile, int]]]
) -> Iterator[tuple[Tile, int, Tile]]:
    """Give each tile that is found with its least cost and the tile from which it is; a start is found from itself.

    `onward` tells for a tile and its cost which tiles one goes on to, and their costs. Of equal costs the first counts.
    """
    order = count()
    best = dict.fromkeys(starts, 0)
    waiting = [(0, next(order), start, start) for start in best]
    done: set[Tile] = set()
    while waiting:
        spent, _, here, previous = heappop(waiting)
        if here in done:
            continue
        done.add(here)
        yield here, spent, previous
        for tile, total in onward(here, spent):
            if total < best.get(tile, total + 1):
                best[tile] = total
                heappush(waiting, (total, next(order), tile, here))
