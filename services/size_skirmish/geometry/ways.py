"""Ways of models over the battlefield, by the geometry alone: along given places, the shortest, straight ahead.

Bases touch and do not enter each other; up to the tolerance of the board, by which posted places may be off, is no
entering, and a base may stand in terrain by half of it. Ways lead over the level on which a model stands: what rises
above it and cannot be entered is in the way, and so are models at some common height. Lengths are thousandths of the
scene's unit. This module holds no rules.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from math import atan2, cos, dist, gcd, hypot, inf, pi, sin

from arbiter.caching import Memory, held_by_first
from arbiter.geometry.plane.paths.moves import comes_nearer, first_within
from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import PREPARED_KEPT, Leg, Obstacles, Path
from arbiter.geometry.plane.shapes import Figure, Point, floats, whole
from arbiter.skirmish.paths import ring, rounds, start_of
from arbiter.skirmish.plane import place, point
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.ground import Ground, levels_meet
from services.size_skirmish.ground import Outline as Outline
from services.size_skirmish.scene import Direction, Model

AROUND = 72
"""How many places around a base are tried for another beside it."""

ASIDE, BESIDE = 1, 10
"""Thousandths by which a base is plainly aside of a straight way, and beside which terrain may matter to a gap."""

PATHS_KEPT = 512
"""Paths that a ground remembers, in each of two generations."""

Base = tuple[Figure, bool]
"""A base on the way: the model, and whether one may pass through."""


def towards(at: Point, other: Point) -> Direction | None:
    """Return the direction from one place to another, in the smallest whole numbers; None where they are the same."""
    x, y = other[0] - at[0], other[1] - at[1]
    by = gcd(x, y)
    return (x // by, y // by) if by else None


def direction(field: Battlefield, one: str, other: str) -> Direction | None:
    """Return the direction from one model to another; None where they stand on the same place, or have none."""
    here, there = field.unit(one).at, field.unit(other).at
    return None if here is None or there is None else towards(point(here), point(there))


def alike(one: Direction, other: Direction) -> bool:
    """Return whether there is nothing to turn from one direction to another."""
    return one[0] * other[1] == one[1] * other[0] and one[0] * other[0] + one[1] * other[1] > 0


def others(field: Battlefield, body: Figure) -> tuple[Figure, ...]:
    """Return the other models that share some height with a model."""
    return tuple([other for other in field.bodies if other.id != body.id and levels_meet(body, other)])


def bases(field: Battlefield, body: Figure, passable: Collection[str] = ()) -> tuple[Base, ...]:
    """Return the bases of all other models at a model's height; passable ones may be crossed but not ended in."""
    return tuple((other, other.id in passable) for other in others(field, body))


_prepared: Memory[Obstacles] = Memory(PREPARED_KEPT // 2)


def obstacles(
    ground: Ground, body: Figure, around: tuple[Base, ...] = (), beyond: tuple[Outline, ...] = ()
) -> Obstacles:
    """Return the ways of a model past impassable terrain, bases and further outlines; those asked for last are kept.

    What it stands beside or in by rounding leaves it free to go; terrain that it stands in keeps it from nothing.
    """
    # The ground stands for itself by its number: what is kept here does not keep it alive.
    question = (ground.number, body, around, beyond)
    found = _prepared[question]
    if found is None:
        radius, on = _clearance(ground, body)
        found = ground.obstacles(radius, body.elevation, on, beyond, tuple(_rounds(body, around)))
        _prepared.keep(question, found)
    return found


def _clearance(ground: Ground, body: Figure) -> tuple[int, frozenset[str]]:
    """Return how far a model keeps from terrain, and the pieces that it stands in."""
    near = ground.beside.within(body.radius, body.at, body.elevation)
    on = frozenset(id_ for id_, far in near.items() if far < body.radius - body.slack // 2)
    return max(1, body.radius - body.slack // 2) if len(near) > len(on) else body.radius, on


def _rounds(body: Figure, around: tuple[Base, ...]) -> Iterator[Round]:
    return rounds(body, ((other, 0, passable) for other, passable in around))


@held_by_first(PATHS_KEPT)
def shortest(
    ground: Ground, body: Figure, goal: Point, bases: tuple[Base, ...], beyond: tuple[Outline, ...] = ()
) -> Path | None:
    """Return the shortest path of a model on a ground to a place, None if no way leads there; remembered."""

    def search(ways: Obstacles) -> Path | None:
        return ways.path(start_of(ways, body), floats(goal))

    return _past(ground, body, bases, beyond, search, _straight(ground, body, goal, bases))


@held_by_first(PATHS_KEPT)
def into_contact(
    ground: Ground, body: Figure, them: Figure, bases: tuple[Base, ...], beyond: tuple[Outline, ...] = ()
) -> Path | None:
    """Return the shortest path of a model on a ground to one of the places around a base; remembered."""
    models = [other for other, _ in bases]
    ahead = _ahead(ground, body, them, models)

    def search(ways: Obstacles) -> Path | None:
        spots = around(ground, body, them, models)
        nearest_first = sorted(spots, key=lambda spot: (dist(spot, body.at), spot))
        return ways.path_to_nearest(start_of(ways, body), floats(them.at), map(floats, nearest_first))

    return _past(ground, body, bases, beyond, search, ahead and _straight(ground, body, ahead, bases))


def _ahead(ground: Ground, body: Figure, them: Figure, models: Sequence[Figure]) -> Point | None:
    """Return the place straight ahead at which a model touches another base, if it is one of those around it.

    None where others around it may be as near.
    """
    reach, (x, y) = them.radius + body.radius, them.at
    turn = atan2(body.at[1] - y, body.at[0] - x)
    turns = (turn, turn + 2 * pi / AROUND, turn - 2 * pi / AROUND)
    spot, *beside = (whole((x + reach * cos(each), y + reach * sin(each))) for each in turns)
    if dist(spot, body.at) + ASIDE > min(dist(each, body.at) for each in beside):
        return None
    if any(dist(spot, each.at) < body.radius + each.radius - each.slack for each in models):
        return None
    return spot if free(ground, body, spot) else None


def _straight(ground: Ground, body: Figure, goal: Point, bases: tuple[Base, ...]) -> Path | None:
    """Return the straight path of a model to a place if it plainly is open; None leaves that to a search.

    It is just what the search would find, which is spared all bases: those are plainly aside, or at the ends of it.
    """
    radius, on = _clearance(ground, body)
    terrain = ground.terrain(radius, body.elevation, on)
    start, end = start_of(terrain, body), floats(goal)
    length = abs(complex(*end) - complex(*start))
    if start != body.at or length < ASIDE or not terrain.clear(start, end):
        return None
    (x, y), (u, v) = start, ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
    for other in _rounds(body, bases):
        near = radius + other.radius
        to_x, to_y = other.at[0] - x, other.at[1] - y
        across, along = abs(u * to_y - v * to_x), u * to_x + v * to_y
        if across > near + ASIDE or not -near - ASIDE < along < length + near + ASIDE:
            continue
        square = (other.at[0] - goal[0]) ** 2 + (other.at[1] - goal[1]) ** 2
        if square < near * near:
            return None
        if other.passable:
            continue
        # What lies between the ends is in the way, or nearly.
        if -ASIDE < along < length + ASIDE:
            return None
        # Beside terrain, a gap may be too narrow by less than a thousandth.
        beside = goal if along > 0 else body.at
        if ground.beside.within(radius + BESIDE, beside, body.elevation):
            return None
    return Path(start, end, length, length, (Leg(start, end, length),))


def _past(
    ground: Ground,
    body: Figure,
    bases: tuple[Base, ...],
    beyond: tuple[Outline, ...],
    search: Callable[[Obstacles], Path | None],
    straight: Path | None,
) -> Path | None:
    """Return the straight path, or the shortest that a search finds; outlines are obstacles where it comes near them.

    So most searches of a model share their obstacles, wherever it turns.
    """
    path = straight or search(obstacles(ground, body, bases))
    if path is None or not any(comes_nearer(path, outline, body.radius) for outline in beyond):
        return path
    return search(obstacles(ground, body, bases, beyond))


def to_edge(field: Battlefield, body: Figure, direction: Direction) -> float:
    """Return how far a model goes straight in a direction until its base touches the edge of the table."""
    by, far = hypot(*direction), inf
    for at, step, side in zip(body.at, direction, (field.ground.width, field.ground.depth), strict=True):
        if step:
            room = side - body.radius - at if step > 0 else at - body.radius
            far = min(far, max(0.0, room) * by / abs(step))
    return far


def off_table(field: Battlefield, body: Figure, path: Path) -> bool:
    """Return whether a path with straight legs leads off the table with any part of the base."""
    return not all(field.ground.has_room(leg.end, body.radius - body.slack // 2) for leg in path.legs)


def passed(path: Path, radius: int, bodies: Iterable[Figure]) -> tuple[str, ...]:
    """Return the models through whose bases a path leads."""
    return tuple(
        other.id
        for other in bodies
        if first_within(path, floats(other.at), radius + other.radius - other.slack - 1) is not None
    )


def entered(at: Point, radius: int, bodies: Iterable[Figure]) -> tuple[str, ...]:
    """Return the models into whose bases a base at a place reaches."""
    return tuple(other.id for other in bodies if dist(at, other.at) < radius + other.radius - other.slack)


def free(ground: Ground, body: Figure, at: Point) -> bool:
    """Return whether the terrain lets a model be at a place at its height: on the table and in nothing impassable."""
    low = body.radius - body.slack // 2
    return ground.has_room(at, low) and not ground.beside.within(low, at, body.elevation)


def around(ground: Ground, body: Figure, other: Figure, bodies: Sequence[Figure]) -> tuple[Point, ...]:
    """Return the free places of a model at which it touches another base: the nearest one, and all around."""
    reach = other.radius + body.radius
    spots = list(ring(other.at, reach, AROUND, atan2(body.at[1] - other.at[1], body.at[0] - other.at[0])))
    far = reach + body.radius
    for each in bodies:
        if dist(each.at, other.at) < far + each.radius:
            apart = body.radius + each.radius - each.slack
            spots = [spot for spot in spots if dist(spot, each.at) >= apart]
    clear, low = not ground.beside.along(far, (other.at,), body.elevation), body.radius - body.slack // 2
    return tuple([spot for spot in spots if (ground.has_room(spot, low) if clear else free(ground, body, spot))])


def put(field: Battlefield, model: Model, at: Point, facing: Direction | None = None) -> Battlefield:
    """Return the battlefield with a model at another place, turned if a facing is given."""
    return field.changed(model.id, at=place(at), facing=model.facing if facing is None else facing)
