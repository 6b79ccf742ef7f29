"""What all legs from a place to others surely lead into, or over: figures, terrain that nobody enters, one climb.

Whoever prices a leg by itself finds the same, more slowly; what is not sure is left to that. No rules stand here.
Lengths are thousandths of an inch.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arbiter.caching import held_by_first
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.fan import MARGIN, Crossings, Fan, Flags, Floats, Outlines, outlines
from services.stargrave.geometry.footing import LOW
from services.stargrave.geometry.overlaps import SLACK
from services.stargrave.ground import Ground


class Barred(NamedTuple):
    """Which legs surely nobody may take, and how high a piece each of the others surely climbs, 0 if none."""

    barred: Flags
    climbed: Floats


class _Terrain(NamedTuple):
    """The pieces of a ground that are stood on or walked around, and those of rough ground."""

    standing: Outlines | None
    heights: Floats
    climbable: Flags
    above: Flags
    rough: Outlines | None


def barred(ground: Ground, fan: Fan, radius: int, into: Flags) -> Barred:
    """Tell which legs that begin on the level of the table surely lead into something, and over what.

    `into` says which do because of other figures. A leg that leads over rough ground may bend there, so that nothing is
    sure of it.
    """
    terrain = _terrain(ground)
    climbed = np.zeros(len(fan.lengths))
    if terrain.standing is not None:
        lies = fan.crosses(terrain.standing, radius - SLACK - MARGIN)
        over = (~lies.apart & terrain.climbable).sum(axis=1)
        into = into | _into(terrain, lies, over == 0)
        climbed = np.where(over == 1, (lies.through & terrain.climbable) @ terrain.heights, 0.0)
    if terrain.rough is not None:
        apart = fan.crosses(terrain.rough, 0.0).apart.all(axis=1)
        return Barred(into & apart, np.where(apart, climbed, 0.0))
    return Barred(into, climbed)


def barred_ways(ground: Ground, fan: Fan, radius: int, into: Flags, of: NDArray[np.int64]) -> Flags:
    """Tell which ways surely lead into something that begin on the level of the table; leg by leg, `of` says of which.

    `into` says which legs do because of other figures.
    """
    terrain = _terrain(ground)
    if terrain.standing is not None:
        lies = fan.crosses(terrain.standing, radius - SLACK - MARGIN)
        over = np.bincount(of, (~lies.apart & terrain.climbable).any(axis=1))
        into = into | _into(terrain, lies, over[of] == 0)
    return np.bincount(of, into) > 0


def _into(terrain: _Terrain, lies: Crossings, level: Flags) -> Flags:
    """Tell which legs surely lead into a piece: a wall that is entered, or a ledge that is brushed.

    `level` says on which ways nobody stands on something else meanwhile; above what is lower by far nobody does.
    """
    walls = ~terrain.climbable & (lies.through | lies.brushing) & (terrain.above | level[:, None])
    ledges = terrain.climbable & lies.apart & lies.brushing & level[:, None]
    return np.asarray(((walls | ledges) & (terrain.heights >= LOW)).any(axis=1))


@held_by_first(1)
def _terrain(ground: Ground) -> _Terrain:
    standing = [piece for piece in ground.pieces.values() if piece.ground == "impassable"]
    heights = np.array([piece.height for piece in standing], dtype=float)
    climbable = np.array([piece.climbable for piece in standing], dtype=bool)
    highest = max((piece.height for piece in standing if piece.climbable), default=0)
    return _Terrain(
        _outlines(standing),
        heights,
        climbable,
        heights >= highest + LOW,
        _outlines([piece for piece in ground.pieces.values() if piece.ground == "rough"]),
    )


def _outlines(pieces: Sequence[shapes.Piece]) -> Outlines | None:
    return outlines([piece.outline for piece in pieces]) if pieces else None
