"""Which of many lines a screen of pieces stops: all lines against all pieces at once, with nothing rounded.

`planewitness` says what it means that a line meets a piece and is stopped, in the readings 'touch' and 'cross'. Here
the same verdicts are read off arrays. Coordinates are whole numbers up to `plane.LARGEST`, so that every product and
sum in the tests below is a whole number below 2**53, which floating numbers of 64 bits hold exactly: their signs are
the signs of exact arithmetic. (A product of two such numbers may be rounded, but never to the other sign.) Only two
first sieves round, and they keep a margin of `MARGIN` thousandths to the safe side: the circle around a piece, outside
which a line cannot meet it, and the largest circle in a piece around the same centre, through which it cannot pass
without being stopped. What is left to decide one by one, lines that graze in the reading 'cross' and lines that slope
past the top of a piece, is handed to `planewitness`.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from math import hypot

import numpy as np
from numpy.typing import NDArray

from arbiter.geometry.plane.shapes import MOST_FIGURES, Figure, Piece, Point, Spot, whereabouts
from arbiter.geometry.plane.witness import (
    READINGS,
    Contact,
    Grazes,
    LineWitness,
    contacts,
    passed,
    unknown_reading,
    witness,
)

# Floating numbers of 32 bits err by at most half a thousandth where three products of up to `plane.LARGEST` are summed.
MARGIN = 4.0

# Corners that are tested together.
AT_ONCE = 1_000_000

Numbers = NDArray[np.float64]
Rough = NDArray[np.float32]
Flags = NDArray[np.bool_]
Places = NDArray[np.intp]

# The radius of a circle that no line passes through.
NONE = np.float32(-1)


class Lines:
    """Lines in space between some of a number of spots, as arrays; made once, put to any number of screens.

    `pairs` are places in `spots`: from where to where each line runs. Coordinates are at most `plane.LARGEST`.
    """

    def __init__(self, spots: Sequence[Spot], pairs: Sequence[tuple[int, int]] | NDArray[np.intp]) -> None:
        self.pairs = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
        of_spots = np.array(spots, dtype=np.float64).reshape(-1, 3).T
        # Three rows x, y, z of which each has the starts and then the ends of all lines.
        self._ends = of_spots.take(self.pairs.T, axis=1)
        (x, to_x), (y, to_y), (z, to_z) = self._ends
        self.lowest, self.highest = np.minimum(z, to_z), np.maximum(z, to_z)
        # A piece as high as the one, and higher than the other, overtops all lines.
        self.top, self.low_top = self.highest.max(initial=-np.inf), self.lowest.max(initial=-np.inf)
        dx, dy = to_x - x, to_y - y
        self.lengths = np.hypot(dx, dy)
        # The hand of the line on which a point lies is the product with its (x, y, 1); so are the hands of an edge on
        # which the line's ends lie.
        self.hands = np.empty((len(self.pairs), 3, 1))
        self.hands[:, 0, 0], self.hands[:, 1, 0], self.hands[:, 2, 0] = -dy, dx, dy * x - dx * y
        self.bounds = np.ones((len(self.pairs), 3, 2))
        self.bounds[:, 0], self.bounds[:, 1] = self._ends[0].T, self._ends[1].T
        # So is, in the first half of the rows of `frames`, about how far aside the line a point lies, and in the
        # second half how far along it from its middle. A line without length in plan gets the direction of x.
        still = self.lengths == 0
        by = np.where(still, 1.0, self.lengths)
        u, v = np.where(still, 1.0, dx) / by, dy / by
        x, y = (x + to_x) / 2, (y + to_y) / 2
        many = len(self.pairs)
        self.frames = np.empty((2 * many, 3), dtype=np.float32)
        aside, along = self.frames[:many].T, self.frames[many:].T
        aside[0], aside[1], aside[2] = -v, u, v * x - u * y
        along[0], along[1], along[2] = u, v, -(u * x + v * y)
        self.halves = (self.lengths[:, None] / 2).astype(np.float32)

    def __len__(self) -> int:
        return len(self.pairs)

    def line(self, place: int) -> tuple[Spot, Spot]:
        """Give one line by the whole numbers of its two ends."""
        (x, to_x), (y, to_y), (z, to_z) = self._ends[:, :, place].astype(int).tolist()
        return (x, y, z), (to_x, to_y, to_z)


def lines_between(figures: Sequence[Figure]) -> Lines:
    """Draw the line from eye to eye between any two of some figures, each pair once, in the order (0, 1), (0, 2), …"""
    return Lines([(*figure.at, figure.elevation + figure.height) for figure in figures], _all_pairs(len(figures)))


@lru_cache(maxsize=MOST_FIGURES)
def _all_pairs(many: int) -> NDArray[np.intp]:
    pairs = np.stack(np.triu_indices(many, 1), axis=1)
    pairs.flags.writeable = False
    return pairs


class Screen:
    """A set of pieces that may stand in the way of lines, prepared once. Their outlines are simple polygons."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = tuple(pieces)
        most = max((len(piece.outline) for piece in self.pieces), default=3)
        # Each outline is closed by its first corner, and filled up with it: edges without length are astride nothing.
        rows = [(*piece.outline, *piece.outline[:1] * (most + 1 - len(piece.outline))) for piece in self.pieces]
        self._corners = np.array(rows, dtype=np.float64).reshape(-1, most + 1, 2)
        self._heights = np.array([piece.height for piece in self.pieces], dtype=np.float64)
        self._centres, self._around, self._within = _circles(self._corners)
        self._boxes = np.concatenate((self._corners.min(axis=1), self._corners.max(axis=1)), axis=1)
        ones = np.ones((*self._corners.shape[:2], 1))
        self._points = np.concatenate((self._corners, ones), axis=2)
        x, y = self._corners[:, :, 0], self._corners[:, :, 1]
        ex, ey = x[:, 1:] - x[:, :-1], y[:, 1:] - y[:, :-1]
        # The hand of the edge on which a point (x, y) lies is the product with (x, y, 1).
        self._edges = np.stack((-ey, ex, ey * x[:, :-1] - ex * y[:, :-1]), axis=2)
        # Both ends of any line lie on the same hand of an edge without length, so that it counts for nothing.
        self._edges[(ex == 0) & (ey == 0)] = 0, 0, 1

    def stopped(self, lines: Lines, grazes: Grazes = "touch") -> Flags:
        """Tell of each line whether the screen stops it."""
        if grazes not in READINGS:
            raise unknown_reading(grazes)
        if not self.pieces or not len(lines):
            return np.zeros(len(lines), dtype=np.bool_)
        aside, along = self._apart(lines)
        tall = (self._heights >= lines.top) & (self._heights > lines.low_top)
        inside = aside < np.where(tall, self._within, NONE)
        inside &= along < lines.halves
        verdicts: Flags = np.asarray(inside.any(axis=1))
        left = np.flatnonzero(~verdicts)
        which, piece = self._near(aside.take(left, 0), along.take(left, 0), lines.halves.take(left, 0))
        which = left.take(which)
        verdicts[which[self._met(lines, which, piece, grazes, each=False)]] = True
        return verdicts

    def met(self, lines: Lines, grazes: Grazes = "touch") -> Flags:
        """Tell of each line and each piece (lines down, pieces across) whether the line is stopped by this piece.

        In the reading 'cross' a line that passes just between two pieces is stopped by both.
        """
        if grazes not in READINGS:
            raise unknown_reading(grazes)
        verdicts: Flags = np.zeros((len(lines), len(self.pieces)), dtype=np.bool_)
        if not self.pieces or not len(lines):
            return verdicts
        which, piece = self._near(*self._apart(lines), lines.halves)
        found = self._met(lines, which, piece, grazes, each=True)
        verdicts[which[found], piece[found]] = True
        return verdicts

    def beside(self, lines: Lines, reach: Sequence[int]) -> tuple[tuple[Piece, ...], ...]:
        """List for each line the pieces within its reach in plan; a few others may be included."""
        if not self.pieces or not len(lines):
            return ((),) * len(lines)
        wider = np.array(reach, dtype=np.float32)[:, None]
        aside, along = self._apart(lines)
        which, piece = self._near(aside - wider, along, lines.halves + wider)
        found: list[list[Piece]] = [[] for _ in range(len(lines))]
        for line, place in zip(which.tolist(), piece.tolist(), strict=True):
            found[line].append(self.pieces[place])
        return tuple(map(tuple, found))

    def beside_one(self, start: Point, end: Point, reach: int) -> tuple[Piece, ...]:
        """List the pieces as `beside` does, for one line, for which arrays would be slower."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        length = hypot(dx, dy)
        u, v = (dx / length, dy / length) if length else (1.0, 0.0)
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        return tuple(
            [
                piece
                for piece, (at_x, at_y, around) in zip(self.pieces, self._discs, strict=True)
                if abs(u * (at_y - y) - v * (at_x - x)) <= around + reach
                and abs(u * (at_x - x) + v * (at_y - y)) <= around + reach + length / 2
            ]
        )

    def stops(self, start: Spot, end: Spot, grazes: Grazes = "touch") -> bool:
        """Decide whether the screen stops one line."""
        if not self.beside_one(start[:2], end[:2], 0):
            return False
        return bool(self.stopped(Lines((start, end), ((0, 1),)), grazes)[0])

    def witness(self, start: Spot, end: Spot, grazes: Grazes = "touch") -> LineWitness:
        """Tell what one line meets, where, and whether that stops it."""
        return witness(start, end, self.pieces, grazes)

    @cached_property
    def _discs(self) -> list[tuple[float, float, float]]:
        """The centre of each piece, and the radius of the circle around it."""
        return [
            (x, y, around) for (x, y, _), around in zip(self._centres.T.tolist(), self._around.tolist(), strict=True)
        ]

    def _apart(self, lines: Lines) -> tuple[Rough, Rough]:
        """Tell how far each piece's centre is aside each line, and how far along it from its middle, about."""
        both = lines.frames @ self._centres
        np.abs(both, out=both)
        return both[: len(lines)], both[len(lines) :]

    def _near(self, aside: Rough, along: Rough, halves: Rough) -> tuple[Places, Places]:
        """List the lines and pieces that may meet: the line comes into the circle around the piece."""
        near = aside <= self._around
        along -= self._around
        near &= along <= halves
        line, piece = np.divmod(np.flatnonzero(near), len(self.pieces))
        return line, piece

    def _met(self, lines: Lines, which: Places, piece: Places, grazes: Grazes, *, each: bool) -> Flags:
        """Decide for each line and its piece whether the piece stops the line.

        Without `each`, one piece that stops a line is enough.
        """
        passes, grazed = np.zeros((2, len(which)), dtype=np.bool_)
        for part in self._parts(len(which)):
            passes[part], grazed[part] = self._in_plan(lines, which[part], piece[part])
        heights, lowest = self._heights.take(piece), lines.lowest.take(which)
        tall = (heights >= lines.highest.take(which)) & (heights > lowest)
        found: Flags = passes & tall
        if grazes == "touch":
            found |= grazed & tall
            left = np.flatnonzero((passes | grazed) & ~tall & (heights >= lowest))
        else:
            left = np.flatnonzero((grazed | (passes & ~tall)) & (heights >= lowest))
            # Pieces that overtop the line and that it grazes stop it together only, from either hand.
            row = which[left]
            above, below = self._beside(lines, row, piece[left])
            hard = ~(above | below) | ~tall[left]
            several = np.bincount(row) > 1
            mixed = np.bincount(row, above | hard).astype(np.bool_) & np.bincount(row, below | hard).astype(np.bool_)
            left = left[(hard & ~found[left]) | (several & mixed)[row]]
        if not each and len(left):
            known = np.bincount(which, found, minlength=len(lines)) > 0
            left = left[~known[which[left]]]
        self._decide(lines, which, piece, grazes, left, found)
        return found

    def _decide(self, lines: Lines, which: Places, piece: Places, grazes: Grazes, left: Places, found: Flags) -> None:
        """Decide one by one about those that are left."""
        met: dict[int, list[tuple[int, Piece, tuple[Contact, ...]]]] = {}
        for at in left.tolist():
            start, end = lines.line(which[at])
            of = self.pieces[piece[at]]
            met.setdefault(int(which[at]), []).append((at, of, contacts(start, end, of)))
        for place, every in met.items():
            if grazes == "touch":
                stopping = {row for row, (_, _, here) in enumerate(every) if here}
            else:
                stopping = {row for row, _ in passed(*lines.line(place), [(of, here) for _, of, here in every])}
            found[[every[row][0] for row in stopping]] = True

    def _in_plan(self, lines: Lines, which: Places, piece: Places) -> tuple[Flags, Flags]:
        """Decide for each line and its piece, in plan, whether it certainly passes through, and whether it touches.

        A line that meets a polygon crosses one of its edges within both, or a corner of the polygon lies on the line,
        or an end of the line on its border, or the polygon contains the whole line. In the first case and the last it
        passes through its inside.
        """
        hands = np.matmul(self._points.take(piece, 0), lines.hands.take(which, 0))[:, :, 0]
        ends = np.matmul(self._edges.take(piece, 0), lines.bounds.take(which, 0))
        astride = hands[:, 1:] * hands[:, :-1] < 0
        parted = ends[:, :, 0] * ends[:, :, 1]
        passes = (astride & (parted < 0)).any(axis=1)
        grazed = np.zeros(len(which), dtype=np.bool_)
        if not parted.all():
            grazed = (astride & (parted == 0)).any(axis=1)
        on_line = np.flatnonzero(hands == 0)
        if on_line.size:
            at, corner = np.divmod(on_line, hands.shape[1])
            line = which.take(at)
            # A corner on the line's extension is between its ends if the directions to them are opposite.
            ways = lines.bounds.take(line, 0)[:, :2] - self._corners[piece.take(at), corner][:, :, None]
            between = (ways[:, :, 0] * ways[:, :, 1]).sum(axis=1) <= 0
            grazed[at[between & (lines.lengths.take(line) > 0)]] = True
        self._add_contained(lines, which, piece, passes, grazed)
        return passes, grazed

    def _parts(self, many: int) -> Iterator[slice]:
        """Cut this number of rows, each as long as an outline, into batches of limited memory."""
        step = AT_ONCE // self._points.shape[1] + 1
        return (slice(start, start + step) for start in range(0, many, step))

    def _beside(self, lines: Lines, which: Places, piece: Places) -> tuple[Flags, Flags]:
        """Tell which pieces have no corner below the line, and which have none above."""
        above, below = np.zeros((2, len(which)), dtype=np.bool_)
        for part in self._parts(len(which)):
            hands = np.matmul(self._points[piece[part]], lines.hands[which[part]])[:, :, 0]
            above[part], below[part] = (hands >= 0).all(axis=1), (hands <= 0).all(axis=1)
        return above, below

    def _add_contained(self, lines: Lines, which: Places, piece: Places, passes: Flags, grazed: Flags) -> None:
        """Mark the lines that a piece contains from end to end: they meet none of its edges, and begin in it."""
        short = lines.halves.take(which) <= self._around.take(piece)
        left = np.flatnonzero(short & ~(passes | grazed))
        if not len(left):
            return
        (x, y, _), boxes = lines.bounds[which[left], :, 0].T, self._boxes[piece[left]]
        left = left[(x >= boxes[:, 0]) & (x <= boxes[:, 2]) & (y >= boxes[:, 1]) & (y <= boxes[:, 3])]
        for at in left.tolist():
            (start_x, start_y, _), _ = lines.line(which[at])
            where = whereabouts((start_x, start_y), self.pieces[piece[at]].outline)
            passes[at], grazed[at] = where == "inside", where == "border"


def _circles(corners: Numbers) -> tuple[Rough, Rough, Rough]:
    """Give for each closed outline a centre, the radius of a circle around it, and that of one inside it, if any.

    The centres are columns (x, y, 1). A circle that lies to the inner hand of every edge lies in the piece.
    """
    first = corners[:, :1]
    from_first = corners - first
    x, y = from_first[:, :, 0], from_first[:, :, 1]
    parts = x[:, :-1] * y[:, 1:] - y[:, :-1] * x[:, 1:]
    area = parts.sum(axis=1)
    centre_x = ((x[:, :-1] + x[:, 1:]) * parts).sum(axis=1) / (3 * area)
    centre_y = ((y[:, :-1] + y[:, 1:]) * parts).sum(axis=1) / (3 * area)
    x, y = x - centre_x[:, None], y - centre_y[:, None]
    around = np.hypot(x, y).max(axis=1) + MARGIN
    lengths = np.hypot(x[:, 1:] - x[:, :-1], y[:, 1:] - y[:, :-1])
    inward = (x[:, :-1] * y[:, 1:] - y[:, :-1] * x[:, 1:]) * np.sign(area)[:, None]
    depths = np.divide(inward, lengths, out=np.full_like(lengths, np.inf), where=lengths > 0)
    within = depths.min(axis=1) - MARGIN
    centres = np.stack((first[:, 0, 0] + centre_x, first[:, 0, 1] + centre_y, np.ones(len(area))))
    return centres.astype(np.float32), around.astype(np.float32), within.astype(np.float32)
