"""Steps on open tables: places in whole thousandths and in floating numbers, and ways straight from place to place."""

from collections.abc import Iterable
from itertools import pairwise
from math import dist

from arbiter.geometry.plane.paths.shortest import Leg, Path
from arbiter.geometry.plane.shapes import Figure, Point
from arbiter.skirmish.plane import Place, point


def whole(at: tuple[float, float]) -> Point:
    """Give the place of whole thousandths nearest to another."""
    return round(at[0]), round(at[1])


def floats(at: tuple[float, float]) -> tuple[float, float]:
    """Give a place in floating numbers."""
    return float(at[0]), float(at[1])


def stepped(body: Figure, places: Iterable[Place]) -> Path:
    """Give the path of a unit from where it stands, straight from place to place; no step makes no leg."""
    stops = [floats(body.at), *(floats(point(step)) for step in places)]
    legs = tuple(Leg(here, to, length) for here, to in pairwise(stops) if (length := dist(here, to)))
    far = sum(leg.length for leg in legs)
    return Path(stops[0], stops[-1], far, far, legs)
