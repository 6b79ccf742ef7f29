"""Sight on the open table: all pairs of 20 figures past 40 and past 200 pieces, and verdicts where lines graze.

The peer is shapely with prepared geometry, fed the same whole thousandths, so that it gives the same verdicts (the run
stops if it does not). The lines of both are made in advance, unless a row says otherwise. To find the pieces that a
line meets, for intervening terrain and cover, shapely uses a tree of the pieces, or each piece prepared.

The verdicts are judged by exact fractions. Shapely gets the posted inches there: tenths, most of which are not binary
fractions.
"""

from fractions import Fraction
from itertools import permutations
from math import atan2, gcd
from random import Random

import numpy as np
import shapely

from arbiter.geometry.plane.faults import self_crossing
from arbiter.geometry.plane.measure import between, in_contact
from arbiter.geometry.plane.roots import Share
from arbiter.geometry.plane.shapes import Figure, Piece, Point, units
from arbiter.geometry.plane.sight import Lines, Screen, lines_between
from arbiter.geometry.plane.view import hidden_share
from arbiter.geometry.plane.witness import READINGS
from benchmarks.measure import Row, side_by_side, table, timed
from tests.arbiter.geometry.plane.test_oracle import stopped_by

PREPARED, TREE = "shapely prepared", "shapely STRtree"
SIDE = 36_000
FIGURES, RADIUS, HEIGHT, TALL = 20, 500, 1000, 3000

# The number of lines through a corner that are judged, on tables in tenths of an inch.
GRAZING = 10_000

# Rays for the sampled share of a silhouette, for comparison with the exact one.
RAYS = 9

# Two shapes share no inside.
APART = "F********"


def random_table(seed: int, pieces: int) -> tuple[list[Piece], list[Figure]]:
    """Lay out pieces of three to seven corners on tenths, and figures on tenths that touch none of them."""
    random = Random(seed)
    reach = 15 if pieces < 100 else 7
    laid: list[Piece] = []
    while len(laid) < pieces:
        x, y = (random.randrange(reach, SIDE // 100 - reach) for _ in range(2))
        corners = {(random.randint(-reach, reach), random.randint(-reach, reach)) for _ in range(random.randint(3, 7))}
        outline = tuple(
            (100 * (x + a), 100 * (y + b)) for a, b in sorted(corners, key=lambda corner: atan2(corner[1], corner[0]))
        )
        shape = shapely.Polygon(outline) if len(outline) > 2 else None
        if shape is not None and shape.is_valid and shape.area >= 10_000 * reach * reach:
            laid.append(Piece(str(len(laid)), outline, TALL))
    figures: list[Figure] = []
    while len(figures) < FIGURES:
        at = (100 * random.randrange(5, SIDE // 100 - 5), 100 * random.randrange(5, SIDE // 100 - 5))
        figure = Figure(str(len(figures)), at, RADIUS, HEIGHT)
        free = not any(in_contact(figure, piece) for piece in laid)
        if free and all(between(figure, other) > 0 for other in figures):
            figures.append(figure)
    return laid, figures


def tables() -> list[Row]:
    return [row for pieces in (40, 200) for row in one_table(pieces)]


def one_table(many: int) -> list[Row]:
    pieces, figures = random_table(1, many)
    screen, lines = Screen(pieces), lines_between(figures)
    pairs = lines.pairs.tolist()

    def draw() -> np.ndarray:
        ends = [[figures[a].at, figures[b].at] for a, b in pairs]
        return np.asarray(shapely.linestrings(np.array(ends, dtype=float)))

    def lay_out() -> shapely.MultiPolygon:
        together = shapely.MultiPolygon([shapely.Polygon(piece.outline) for piece in pieces])
        shapely.prepare(together)
        return together

    drawn, all_of_them = draw(), lay_out()
    shapes = list(all_of_them.geoms)
    tree = shapely.STRtree(shapes)
    each = np.array(shapes)
    shapely.prepare(each)

    def by_tree() -> np.ndarray:
        met = np.zeros((len(drawn), many), dtype=bool)
        met[tuple(tree.query(drawn, predicate="intersects"))] = True
        return met

    def crossing() -> np.ndarray:
        return ~np.asarray(shapely.relate_pattern(all_of_them, drawn, APART))

    _agree(screen.stopped(lines), shapely.intersects(all_of_them, drawn))
    _agree(screen.stopped(lines, "cross"), crossing())
    _agree(screen.met(lines), by_tree())
    took = side_by_side(
        {
            "ours": lambda: screen.stopped(lines),
            "prepared": lambda: shapely.intersects(all_of_them, drawn),
            "cross": lambda: screen.stopped(lines, "cross"),
            "relate": crossing,
            "met": lambda: screen.met(lines),
            "tree": by_tree,
            "each": lambda: shapely.intersects(each[None, :], drawn[:, None]),
            "from lines": lambda: screen.stopped(lines_between(figures)),
            "from points": lambda: shapely.intersects(all_of_them, draw()),
            "from nothing": lambda: Screen(pieces).stopped(lines_between(figures)),
            "laid out": lambda: shapely.intersects(lay_out(), draw()),
            "shares": lambda: _hidden_shares(figures, screen),
            "rays": lambda: shapely.intersects(all_of_them, _all_rays(figures)),
        },
        rounds=9,
    )
    on = f"{many} pieces"
    return [
        timed(f"sight, 190 pairs, {on}", took["ours"], PREPARED, took["prepared"], at_least=1),
        timed("the same, from figures", took["from lines"], PREPARED, took["from points"], at_least=1),
        timed("the same, from figures and pieces", took["from nothing"], PREPARED, took["laid out"], at_least=1),
        timed("the same, reading 'cross'", took["cross"], f"{PREPARED}, relate", took["relate"], at_least=1),
        timed(f"pieces in the way, 190 pairs, {on}", took["met"], TREE, took["tree"], at_least=1),
        timed("the same", took["met"], "shapely, each prepared", took["each"], at_least=1),
        timed(
            f"hidden shares, exact, 380 ordered pairs, {on}", took["shares"], f"{RAYS} sampled rays each", took["rays"]
        ),
        sampled_shares(pieces, figures, all_of_them),
    ]


def sampled_shares(pieces: list[Piece], figures: list[Figure], shapes: shapely.MultiPolygon) -> Row:
    """Count "half or more is hidden" as nine rays to each silhouette have it, judged by the exact shares."""
    wrong = asked = 0
    for a, b in permutations(figures, 2):
        hidden = int(shapely.intersects(shapes, _rays(a, b)).sum())
        wrong += (2 * hidden >= RAYS) != (hidden_share(a, b, pieces) >= Fraction(1, 2))
        asked += 1
    what = f"wrong verdicts, half or more hidden, {len(pieces)} pieces"
    return Row(what, "exact", f"{wrong} of {asked} by {RAYS} sampled rays")


def grazes() -> list[Row]:
    """Judge lines through a corner of a triangle, all on tenths of an inch, that pass by it or through it."""
    random = Random(4)
    ours = dict.fromkeys(READINGS, 0)
    theirs = dict.fromkeys(READINGS, 0)
    for _ in range(GRAZING):
        start, end, outline = _grazing(random)
        piece = Piece("", outline, TALL)
        screen, lines = Screen((piece,)), Lines(((*start, HEIGHT), (*end, HEIGHT)), ((0, 1),))
        shape = shapely.Polygon([_inches(corner) for corner in outline])
        line = shapely.LineString([_inches(start), _inches(end)])
        for reading in READINGS:
            (expected,) = stopped_by((*start, HEIGHT), (*end, HEIGHT), [(outline, TALL)], reading)
            ours[reading] += bool(screen.stopped(lines, reading)[0]) != expected
            found = shape.intersects(line) if reading == "touch" else not shape.relate_pattern(line, APART)
            theirs[reading] += found != expected
    return [
        Row(
            f"wrong verdicts, {GRAZING:,} lines past a corner on tenths, reading '{reading}'",
            f"{ours[reading]}",
            f"{theirs[reading]:,} shapely on inches",
            None,
            "0 wrong",
            ours[reading] == 0,
        )
        for reading in READINGS
    ]


def random_verdicts() -> list[Row]:
    """Judge all pairs on tables whose pieces and figures lie on a grid of half-inches, where many lines graze."""
    random = Random(9)
    wrong = asked = grazing = 0
    for seed in range(6):
        pieces, _ = random_table(seed, 12)
        pieces = [Piece(piece.id, _snapped(piece), random.choice((500, HEIGHT, TALL))) for piece in pieces]
        pieces = [piece for piece in pieces if len(piece.outline) > 2 and self_crossing(piece.outline) is None]
        spots = [
            (500 * random.randint(0, 72), 500 * random.randint(0, 72), random.choice((0, 1000, 2000)))
            for _ in range(12)
        ]
        lines = Lines(spots, [(a, b) for b in range(12) for a in range(b)])
        screen = Screen(pieces)
        found = {reading: screen.met(lines, reading) for reading in READINGS}
        for row in range(len(lines)):
            for reading in READINGS:
                expected = stopped_by(*lines.line(row), [(piece.outline, piece.height) for piece in pieces], reading)
                wrong += int((found[reading][row] != expected).sum())
                asked += len(expected)
        grazing += int((found["touch"] != found["cross"]).sum())
    what = f"wrong verdicts, lines and pieces on half-inches with heights ({grazing} hang on the reading)"
    return [Row(what, f"{wrong} of {asked:,}", "", None, "0 wrong", wrong == 0)]


def rows() -> list[Row]:
    return [*tables(), *grazes(), *random_verdicts()]


def _hidden_shares(figures: list[Figure], screen: Screen) -> list[Share]:
    """Compute the share that a screen hides of each figure from each other one."""
    return [
        hidden_share(a, b, screen.beside_one(a.at, b.at, max(a.radius, b.radius))) for a, b in permutations(figures, 2)
    ]


def _rays(a: Figure, b: Figure) -> np.ndarray:
    """Draw lines to points evenly spread over the width of a silhouette."""
    away = np.array(b.at, dtype=float) - a.at
    across = np.array((-away[1], away[0])) * b.radius / np.hypot(*away)
    aims = np.array(b.at) + across * np.linspace(-1, 1, RAYS)[:, None]
    return np.asarray(shapely.linestrings(np.stack((np.broadcast_to(a.at, aims.shape), aims), axis=1)))


def _all_rays(figures: list[Figure]) -> np.ndarray:
    return np.concatenate([_rays(a, b) for a, b in permutations(figures, 2)])


def _grazing(random: Random) -> tuple[Point, Point, tuple[Point, ...]]:
    """Draw a line and a triangle on tenths: it has a corner on the line and lies beside it, or across it."""
    while True:
        step = random.randint(-12, 12), random.randint(-12, 12)
        if gcd(*step) != 1:
            continue
        start, many = (random.randint(120, 240), random.randint(120, 240)), random.randint(2, 9)
        end = start[0] + many * step[0], start[1] + many * step[1]
        at = random.randint(0, many)
        corner = start[0] + at * step[0], start[1] + at * step[1]
        others = [(corner[0] + random.randint(-20, 20), corner[1] + random.randint(-20, 20)) for _ in range(2)]
        (ax, ay), (bx, by) = ((x - corner[0], y - corner[1]) for x, y in others)
        if ax * by != ay * bx:
            a, b, *outline = ((100 * x, 100 * y) for x, y in (start, end, corner, *others))
            return a, b, tuple(outline)


def _inches(point: Point) -> tuple[float, float]:
    return float(units(point[0])), float(units(point[1]))


def _snapped(piece: Piece) -> tuple[Point, ...]:
    """Move corners to the nearest half-inches, without repetitions."""
    return tuple(dict.fromkeys((500 * round(x / 500), 500 * round(y / 500)) for x, y in piece.outline))


def _agree(ours: np.ndarray, theirs: np.ndarray) -> None:
    if not np.array_equal(ours, theirs):
        raise AssertionError(f"{int((ours != theirs).sum())} verdicts differ")


if __name__ == "__main__":
    print(table(rows()))
