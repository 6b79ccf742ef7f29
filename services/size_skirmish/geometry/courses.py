"""How much of a way a model can go: past terrain and models, on its level, in its front.

Lengths are thousandths of the scene's unit. This module holds no rules.
"""

from collections.abc import Callable, Collection
from functools import partial
from math import ceil, dist, hypot
from typing import Literal

from arbiter.caching import held_by_first
from arbiter.geometry.plane.near import gap
from arbiter.geometry.plane.paths.moves import clipped, comes_nearer, stays, straight
from arbiter.geometry.plane.paths.shortest import Leg, Path
from arbiter.geometry.plane.shapes import Figure, Point, floats, twice_area, whereabouts, whole
from arbiter.skirmish.paths import FINE, last_length
from services.size_skirmish.battlefield import Battlefield, Layout
from services.size_skirmish.geometry import ways
from services.size_skirmish.geometry.lines import Border
from services.size_skirmish.scene import Direction

Front = Literal["area", "heading"]
Stopped = Literal["nothing", "edge", "drop", "obstacle"]

BACK = 20
"""The step of the search back along a way for a place to stand, in thousandths."""

ROUNDED = 3
"""Thousandths by which the middle of a base may be off on a way with arcs."""


def stays_put(body: Figure) -> Path:
    """Return the path of a model that goes nowhere."""
    here = floats(body.at)
    return Path(here, here, 0.0, 0.0, ())


def room(
    field: Battlefield, body: Figure, at: Point, others: Collection[Figure], slack: int | None = None, deep: int = 0
) -> bool:
    """Return whether a model can stand at a place: supported on its level, on the table, and in nothing.

    Its base may reach `slack` into something or over the edge, as far as rounding moves it by default, and as `deep`
    into terrain if that is more.
    """
    slack = body.slack // 2 if slack is None else slack
    low, ground = body.radius - slack, field.ground
    if ground.support(at) != body.elevation or not ground.has_room(at, low):
        return False
    if ground.beside.within(body.radius - max(slack, deep), at, body.elevation):
        return False
    if deep and any(whereabouts(at, piece.outline) == "inside" for piece in ground.impassable_above(body.elevation)):
        return False
    return all(dist(at, other.at) >= other.radius + low for other in others)


def into(field: Battlefield, body: Figure, path: Path) -> tuple[str, ...]:
    """Return the impassable pieces that a path enters, or enters deeper than at its start."""
    low = body.radius - body.slack // 2
    # An arc bends out of the box of its ends by no more than its radius.
    wide = max((leg.radius for leg in path.legs), default=0.0)
    places = (body.at, path.start, *(leg.end for leg in path.legs))
    return tuple(
        piece.id
        for piece in field.ground.beside.along(low + wide, places, body.elevation)
        if comes_nearer(path, piece.outline, min(low, gap(body.at, piece.outline) - FINE))
        or (not gap(body.at, piece.outline) and stays(path, (piece.outline,)))
    )


def firm(field: Battlefield, body: Figure) -> bool:
    """Return whether a model stands on its level and does not hang at a side."""
    return field.ground.support(body.at) == body.elevation


def level(field: Battlefield, body: Figure, path: Path) -> float:
    """Return how far along a path the level of a model extends: the whole length, or up to the brink."""
    if not body.elevation:
        return path.length
    if not firm(field, body):
        return 0.0
    tops = [piece.outline for piece in field.ground.climbable if piece.height == body.elevation]
    along = 0.0
    for stay in stays(path, tops):
        if stay.enters <= along + FINE:
            along = max(along, stay.leaves)
    if along >= path.length - FINE and field.ground.support(whole(path.end)) == body.elevation:
        return path.length
    # Just at the brink there is nothing under a model any more.
    return max(0.0, min(along, path.length - 1))


def as_far(field: Battlefield, body: Figure, path: Path, around: Collection[ways.Base]) -> Path:
    """Return the part of a path that a model can go and stand at the end of: on its level, past terrain and bases.

    Passable bases stop it only where it would end in them.
    """
    along, length = level(field, body, path), path.length
    path = clipped(path, 0.0, along) if along < length else path
    blocked = [other for other, passable in around if not passable]
    begun, cut = 0.0, along < length
    for leg in path.legs:
        far = last_length(partial(_open, field, body, leg, blocked=blocked), leg.length)
        if far < leg.length:
            path, cut = clipped(path, 0.0, begun + far), True
            break
        begun += leg.length
    return stood(field, body, path, [other for other, _ in around], cut)


def stood(field: Battlefield, body: Figure, path: Path, others: Collection[Figure], cut: bool) -> Path:
    """Return the part of a path that ends where a model can stand; clear of everything if it is `cut` or goes back."""
    # A base that is in terrain where its way begins need not be clear of it at the end.
    near = field.ground.beside.within(body.radius, body.at, body.elevation)
    sunk = body.radius - min(near.values(), default=body.radius)
    deep = ceil(sunk) + 1 if sunk > body.slack // 2 else 0
    if not path.length or (not cut and room(field, body, whole(path.end), others, deep=deep)):
        return path

    def clear(along: float) -> bool:
        return room(field, body, whole(path.at(along)), others, 0, deep)

    low, high = path.length, path.length
    while low > 0 and not clear(low):
        low, high = max(0.0, low - BACK), low
    if low <= 0:
        return stays_put(body)
    return clipped(path, 0.0, low + last_length(lambda more: clear(low + more), high - low))


def _open(field: Battlefield, body: Figure, leg: Leg, far: float, blocked: Collection[Figure]) -> bool:
    """Return whether a leg is open up to a length."""
    part = clipped(Path(leg.start, leg.end, leg.length, leg.length, (leg,)), 0.0, far)
    if ways.off_table(field, body, part) or into(field, body, part):
        return False
    return not ways.passed(part, body.radius, blocked)


def as_long(path: Path, holds: Callable[[float], bool]) -> Path:
    """Return the part of a path up to the first step at which something no longer holds."""
    along = 0.0
    while along < path.length and holds(min(path.length, along + BACK)):
        along = min(path.length, along + BACK)
    if along >= path.length:
        return path
    return clipped(path, 0.0, along + last_length(lambda more: holds(along + more), min(BACK, path.length - along)))


def before(path: Path, facing: Direction, how: Front, border: Border) -> float:
    """Return how far along a path stays in the front half of its start, or has no leg backwards.

    `border` says whether straight aside is in it.
    """
    across, along = facing
    by = hypot(across, along)
    bent = any(leg.centre is not None for leg in path.legs)

    def ahead(end: tuple[float, float], begin: tuple[float, float]) -> bool:
        deep = (end[0] - begin[0]) * across + (end[1] - begin[1]) * along
        slack = ROUNDED * by if bent else 0.0
        return deep > 0 or (deep >= -slack and border == "included")

    def stays(leg: Leg, far: float) -> bool:
        return ahead(leg.at(far), path.start)

    begun = 0.0
    for leg in path.legs:
        parts = 1 if leg.centre is None else 16
        for part in range(1, parts + 1):
            since, far = leg.length * (part - 1) / parts, leg.length * part / parts
            origin = leg.at(since) if how == "heading" else path.start
            if not ahead(_near(leg.at(far)), _near(origin)):
                return begun + (since if how == "heading" else last_length(partial(stays, leg), far))
        begun += leg.length
    return path.length


def _near(at: tuple[float, float]) -> tuple[float, float]:
    """Return a place of whole thousandths where it is one but for rounding."""
    x, y = floats(whole(at))
    return (x, y) if dist((x, y), at) < FINE else at


def behind(field: Battlefield, body: Figure, facing: Direction) -> tuple[ways.Outline, ...]:
    """Return an outline behind a model that keeps its middle in the front half; nothing at an edge."""
    across, along = facing
    by = hypot(across, along)
    depth = -(body.radius + 2) * by
    corners = [(0, 0), (field.ground.width, 0), (field.ground.width, field.ground.depth), (0, field.ground.depth)]

    def beyond(corner: tuple[float, float]) -> float:
        return (corner[0] - body.at[0]) * across + (corner[1] - body.at[1]) * along - depth

    corners_behind: list[Point] = []
    for last, corner in zip((corners[-1], *corners), corners, strict=False):
        if beyond(last) * beyond(corner) < 0:
            share = beyond(last) / (beyond(last) - beyond(corner))
            corners_behind.append(
                (round(last[0] + share * (corner[0] - last[0])), round(last[1] + share * (corner[1] - last[1])))
            )
        if beyond(corner) <= 0:
            corners_behind.append(corner)
    outline = tuple(dict.fromkeys(corners_behind))
    return (outline,) if len(outline) > 2 and twice_area(outline) else ()


def aside(path: Path, target: Point) -> float:
    """Return how far a path strays from the straight line from its start to a place, or goes beyond it."""
    begin = path.start
    length = dist(begin, target)
    if not length:
        return path.length
    u, v = (target[0] - begin[0]) / length, (target[1] - begin[1]) / length
    most, last = 0.0, 0.0
    for leg in path.legs:
        x, y = leg.end[0] - begin[0], leg.end[1] - begin[1]
        along = x * u + y * v
        most = max(most, abs(x * v - y * u), last - along, along - length)
        last = along
    return most


def straight_to(body: Figure, other: Figure) -> Path:
    """Return the straight path of a model into contact with the base of another; none where they touch already."""
    length = dist(body.at, other.at) - body.radius - other.radius
    if length < body.slack:
        return stays_put(body)
    start = floats(body.at)
    u, v = ((b - a) / dist(body.at, other.at) for a, b in zip(body.at, other.at, strict=True))
    end = start[0] + u * length, start[1] + v * length
    return Path(start, end, length, length, (Leg(start, end, length),))


@held_by_first(ways.PATHS_KEPT)
def straight_on(
    field: Layout, body: Figure, direction: Direction, length: float, around: tuple[ways.Base, ...]
) -> tuple[Path, Stopped]:
    """Return how far a model goes straight in a direction, and what stops it: the edge, a drop, or an obstacle."""
    by = hypot(*direction)
    begin = floats(body.at)
    path = straight(begin, (begin[0] + direction[0] / by * length, begin[1] + direction[1] / by * length))
    edge, brink = ways.to_edge(field, body, direction), level(field, body, path)
    reached = as_far(field, body, clipped(path, 0.0, edge) if edge < length else path, around)
    if reached.length < min(edge, brink, length) - body.slack // 2:
        return reached, "obstacle"
    if brink < min(edge, length):
        return reached, "drop"
    return reached, "edge" if edge <= length else "nothing"
