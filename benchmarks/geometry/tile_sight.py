"""The targets of one unit on 30 by 30 tiles with 60 obstacles, 20 units and 20 crates, by all four methods.

Direct: the tiles around it. Clear line: obstacles, units and crates block. Ballistics: only obstacles block.
Limitless: all within range. Every row but the cold one is a mean over the units, on a size of board that is known.

The peers on squares are compiled fields of view of tcod, which follow no rule of centres and corners; their result is
an array, and one row turns it into a set of tiles, like ours. On both grids a peer is shapely, with prepared geometry
on the same whole lattice points: it tells "meets the tile" and so the reading 'either', in which it has to agree (the
run stops if it does not). The verdicts of all are judged by fractions, in the reading 'both'.
"""

from collections.abc import Callable
from functools import partial
from random import Random

import numpy as np
import shapely
import tcod.constants
import tcod.map

from arbiter.geometry.tile import shadows
from arbiter.geometry.tile.board import TileBoard
from arbiter.geometry.tile.grid import Grid, Tile
from benchmarks.measure import Row, side_by_side, table, timed
from tests.arbiter.geometry.tile import oracle
from tests.arbiter.geometry.tile.boards import rectangle

SIDE, OBSTACLES, UNITS, CRATES = 30, 60, 20, 20
RANGE = 8

# The number of units whose verdicts are judged by fractions.
JUDGED = 3

SHAPELY = "shapely prepared, lines made beforehand"
FIELDS_OF_VIEW = ("SHADOW", "SYMMETRIC_SHADOWCAST", "PERMISSIVE_8", "RESTRICTIVE")
AS_A_SET = f"{FIELDS_OF_VIEW[0]}, as a set of tiles"


class Scene:
    """A board with every object on a separate tile."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.tiles = rectangle(grid, SIDE, SIDE)
        self.board = TileBoard(grid, self.tiles)
        taken = Random(11).sample(self.tiles, OBSTACLES + UNITS + CRATES)
        self.obstacles = frozenset(taken[:OBSTACLES])
        self.units = taken[OBSTACLES : OBSTACLES + UNITS]
        self.blockers = {"clear line": frozenset(taken), "ballistics": self.obstacles}

    def cold(self) -> frozenset[Tile]:
        """The first question on a size of board, which casts all shadows of one unit's blockers."""
        shadows.shadows.cache_clear()
        return TileBoard(self.grid, self.tiles).visible_from(self.units[0], self.blockers["clear line"])


class Shapely:
    """One set of blockers as prepared geometry, and for each unit its lines to all tiles, made in advance."""

    def __init__(self, scene: Scene, blockers: frozenset[Tile]) -> None:
        self.free = [tile for tile in scene.tiles if tile not in blockers]
        self.shut = sorted(blockers)
        shapes = {tile: shapely.Polygon(_lattice(scene.grid, tile)) for tile in self.shut}
        self.each = np.array(list(shapes.values()))
        shapely.prepare(self.each)
        self.scale = scene.grid.scale
        self.lines = {a: (self._fan(a, self.free), self._fan(a, self.shut)) for a in scene.units}
        # A unit stands on a blocker, which does not block it.
        self.others = {
            a: shapely.MultiPolygon([shape for tile, shape in shapes.items() if tile != a]) for a in self.lines
        }
        for together in self.others.values():
            shapely.prepare(together)

    def sees(self, a: Tile) -> tuple[np.ndarray, np.ndarray]:
        """Give the free tiles and the blockers that are seen past all others, if a mere touch blocks."""
        to_free, to_shut = self.lines[a]
        met = shapely.intersects(self.each[None, :], to_shut[:, None])
        np.fill_diagonal(met, False)
        if a in self.shut:
            met[:, self.shut.index(a)] = False
        return ~shapely.intersects(self.others[a], to_free), ~met.any(axis=1)

    def named(self, a: Tile) -> set[Tile]:
        free, shut = self.sees(a)
        return {t for t, seen in zip((*self.free, *self.shut), (*free, *shut), strict=True) if seen}

    def _fan(self, a: Tile, others: list[Tile]) -> np.ndarray:
        ends = self.scale * np.array([[a, b] for b in others], dtype=float)
        return np.asarray(shapely.linestrings(ends))


def fields_of_view(scene: Scene, blockers: frozenset[Tile]) -> dict[str, Callable[[Tile], np.ndarray]]:
    """Give tcod's fields of view: an array of the tiles seen from a tile, including itself and the blockers in view."""
    clear = np.ones((SIDE, SIDE), dtype=bool)
    clear[tuple(zip(*blockers, strict=True))] = False
    return {
        name: partial(tcod.map.compute_fov, clear, algorithm=getattr(tcod.constants, f"FOV_{name}"))
        for name in FIELDS_OF_VIEW
    }


def ways_to_ask(scene: Scene) -> dict[str, Callable[[Tile], object]]:
    """Give every timed way to find one unit's targets, by name."""
    grid, board = scene.grid, scene.board
    ways: dict[str, Callable[[Tile], object]] = {
        "direct": lambda a: board.tiles.intersection(grid.neighbours(a)),
        "limitless": lambda a: board.tiles.intersection(grid.within(a, RANGE)),
    }
    for method, blockers in scene.blockers.items():
        by_shapely = Shapely(scene, blockers)
        for a in scene.units:
            if board.visible_from(a, blockers, "either") != by_shapely.named(a):
                raise AssertionError(f"verdicts differ from {a}, {method}")
        ways[method] = lambda a, blockers=blockers: board.visible_from(a, blockers)
        ways[f"{method}, 'either'"] = lambda a, blockers=blockers: board.visible_from(a, blockers, "either")
        ways[f"{method}, {SHAPELY}"] = by_shapely.sees
        if grid is not Grid.HEX:
            views = fields_of_view(scene, blockers)
            ways |= {f"{method}, {name}": view for name, view in views.items()}
            ways[f"{method}, {AS_A_SET}"] = lambda a, view=views[FIELDS_OF_VIEW[0]]: _as_set(view(a))
    return ways


def times(scene: Scene) -> list[Row]:
    def for_each(of: Callable[[Tile], object]) -> None:
        for a in scene.units:
            of(a)

    ways = {name: partial(for_each, way) for name, way in ways_to_ask(scene).items()}
    took = side_by_side({"cold": scene.cold, **ways}, rounds=5)
    each = {name: took[name] / len(scene.units) for name in ways}
    what = f"one unit's targets, {scene.grid.value}"
    rows = [
        timed(f"{what}, direct", each["direct"]),
        timed(f"{what}, limitless within {RANGE}", each["limitless"]),
        timed(f"{what}, clear line, on a new size of board", took["cold"], at_most_s=0.05),
    ]
    for method in scene.blockers:
        ours, touching = each[method], each[f"{method}, 'either'"]
        rows += [
            timed(f"{what}, {method}", ours),
            timed(f"{what}, {method}, 'either'", touching, SHAPELY, each[f"{method}, {SHAPELY}"], at_least=1),
            *(
                timed(f"{what}, {method}", ours, f"tcod {peer}", each[f"{method}, {peer}"])
                for peer in (*FIELDS_OF_VIEW, AS_A_SET)
                if f"{method}, {peer}" in each
            ),
        ]
    return rows


def verdicts(scene: Scene) -> list[Row]:
    """Count the wrong verdicts of each by fractions, over all targets of some units."""
    rows = []
    for method, blockers in scene.blockers.items():
        found: dict[str, Callable[[Tile], set[Tile]]] = {"shapely, 'touch'": Shapely(scene, blockers).named}
        if scene.grid is not Grid.HEX:
            for name, view in fields_of_view(scene, blockers).items():
                found[f"tcod {name}"] = lambda a, view=view: _as_set(view(a))
        wrong = dict.fromkeys(("ours", *found), 0)
        asked = JUDGED * (len(scene.tiles) - 1)
        for a in scene.units[:JUDGED]:
            right = {b for b in scene.tiles if not oracle.stopped(scene.grid.value, a, b, blockers, "both")}
            wrong["ours"] += len(right ^ scene.board.visible_from(a, blockers))
            for peer, named in found.items():
                wrong[peer] += len((right ^ named(a)) - {a})
        ours = wrong.pop("ours")
        rows += [
            Row(
                f"wrong verdicts, {scene.grid.value}, {method}",
                f"{ours} of {asked:,}",
                f"{many} {peer}",
                None,
                "0 wrong",
                ours == 0,
            )
            for peer, many in wrong.items()
        ]
    return rows


def rows() -> list[Row]:
    scenes = [Scene(grid) for grid in (Grid.SQUARE_8, Grid.HEX)]
    return [row for scene in scenes for row in (*times(scene), *verdicts(scene))]


def _as_set(seen: np.ndarray) -> set[Tile]:
    return set(map(tuple, np.argwhere(seen).tolist()))


def _lattice(grid: Grid, tile: Tile) -> list[Tile]:
    x, y = grid.scale * tile[0], grid.scale * tile[1]
    return [(x + dx, y + dy) for dx, dy in grid.outline]


if __name__ == "__main__":
    print(table(rows()))
