"""Obstacles that legs certainly enter or cross, for all legs together: figures, impassable terrain, one climb.

Pricing a single leg finds the same, more slowly, and decides the uncertain cases.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from arbiter.geometry.plane.paths.fan import MARGIN, Circles, Crossings, Fan, Flags, Floats, Outlines, outlines
from arbiter.geometry.plane.shapes import Piece

Line = tuple[float, float, float, float]
"""A straight leg: its start and its end."""


class Barriers:
    """The terrain of a table that is walked around or climbed, and rough ground, on which a leg may bend.

    A base steps over pieces lower than `low`. A base may reach into a piece by `slack`, and a base whose middle is over
    a climbable piece stands on it.
    """

    def __init__(self, pieces: Iterable[Piece], low: int, slack: int) -> None:
        every = tuple(pieces)
        standing = [piece for piece in every if piece.ground == "impassable"]
        self._standing = _outlines(standing)
        self._heights: Floats = np.array([piece.height for piece in standing], dtype=float)
        self._climbable: Flags = np.array([piece.climbable for piece in standing], dtype=bool)
        self._tall = self._heights >= low
        # A figure on a piece is not above these.
        highest = max((piece.height for piece in standing if piece.climbable), default=0)
        self._walls = ~self._climbable & (self._heights >= highest + low)
        self._rough = _outlines([piece for piece in every if piece.ground == "rough"])
        self._slack = slack

    def least(self, fan: Fan, radius: int, into: Flags, climb: Callable[[int], float]) -> Floats:
        """Give the least cost of legs that begin at table level; infinite for those that are certainly impossible.

        `into` says which lead into figures, and `climb` what climbing up and down a height adds to the length. For a
        leg over rough ground, where it may bend, only the length is certain.
        """
        climbed: Floats = np.zeros(len(fan.lengths))
        sure: Flags = np.ones(len(fan.lengths), dtype=bool)
        if self._standing is not None:
            lies = fan.crosses(self._standing, radius - self._slack - MARGIN)
            over = (~lies.apart & self._climbable).sum(axis=1)
            into = into | self._into(lies, over == 0)
            climbed = np.where(over == 1, (lies.through & self._climbable & self._tall) @ self._heights, 0.0)
        if self._rough is not None:
            sure = np.asarray(fan.crosses(self._rough, 0.0).apart.all(axis=1))
        costs = fan.lengths.copy()
        for height in {*climbed.tolist()} - {0.0}:
            costs[sure & (climbed == height)] += climb(int(height))
        costs[sure & into] = np.inf
        return costs

    def open_ways(self, ways: Sequence[Sequence[Line]], radius: int, bases: Circles, beyond: float) -> Sequence[int]:
        """Give the numbers of the routes that do not certainly enter an obstacle.

        They begin on the level of the table, and consist of straight legs; `bases` and `beyond` are as for a fan.
        """
        legs = np.array([leg for way in ways for leg in way], dtype=float).reshape(-1, 4)
        of = np.repeat(np.arange(len(ways)), [len(way) for way in ways])
        if not len(legs):
            return range(len(ways))
        fan = Fan(legs[:, :2], legs[:, 2:])
        into = fan.enters(bases, beyond)
        if self._standing is not None:
            lies = fan.crosses(self._standing, radius - self._slack - MARGIN)
            over = np.bincount(of, (~lies.apart & self._climbable).any(axis=1), len(ways))
            into = into | self._into(lies, over[of] == 0)
        numbers: list[int] = np.flatnonzero(np.bincount(of, into, len(ways)) == 0).tolist()
        return numbers

    def _into(self, lies: Crossings, level: Flags) -> Flags:
        """Decide which legs certainly lead into a piece: a wall that is entered, or a ledge that is touched.

        `level` says on which routes the base stays at table level.
        """
        alone = level[:, None]
        walls = (lies.through | lies.brushing) & ~self._climbable & (self._walls | alone)
        ledges = lies.apart & lies.brushing & self._climbable & alone
        return np.asarray(((walls | ledges) & self._tall).any(axis=1))


def _outlines(pieces: Sequence[Piece]) -> Outlines | None:
    return outlines([piece.outline for piece in pieces]) if pieces else None
