"""Ways of units over the battlefield, by the geometry alone: along given places, the shortest, towards an edge.

A way has a path for each model of a unit, and the places to which others are taken along. Bases touch and do not enter
each other; up to a hundredth of a centimetre, by which posted places may be off, is no entering. Lengths are
thousandths of a centimetre. No rules stand here.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache, partial
from math import atan2, dist

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane.paths.edge import edge_distance, path_to_edge, square_to_edge
from arbiter.geometry.plane.paths.moves import Box, box_around, clipped, first_within, nearer, straight
from arbiter.geometry.plane.paths.room import TOUCH as EQUAL
from arbiter.geometry.plane.paths.shortest import Leg, Obstacles, Path
from arbiter.geometry.plane.shapes import Figure, Point, floats
from arbiter.skirmish.paths import FINE, Base, last_length, ring, rounds, start_of
from arbiter.skirmish.plane import place
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.ground import Ground
from services.rapture.scene import Edge, Unit

SLACK = 5
"""How far, in thousandths, a base may overlap terrain or the edge by rounding."""

AROUND = 72
"""The number of places around a base that are tried for another one."""

RINGS_KEPT = 1_024
"""Rings of places around bases that a process remembers."""

PATHS_KEPT = 2_048
"""Shortest paths that a ground remembers, in each of two generations."""

STRETCH = 1.2
"""How much longer than the straight one most paths are at most."""


class Way(Value, frozen=True):
    """How a unit moves: the path of each of its models, in order, and the end places of its companions."""

    paths: tuple[Path, ...]
    along: tuple[tuple[str, Point], ...] = ()

    @property
    def length(self) -> float:
        """The length of the longest path."""
        return max((path.length for path in self.paths), default=0.0)

    def band(self, unit_id: str) -> tuple[str, ...]:
        """Give the units that move: the one that takes the way, and its companions."""
        return (unit_id, *(id_ for id_, _ in self.along))


def apart(other: Figure) -> int:
    """Give the distance at which bases never touch another, however places are rounded."""
    return other.slack + 1


def others(field: Battlefield, without: Collection[str]) -> tuple[tuple[Unit, Figure], ...]:
    """Give the models of all units in play but some, each with its unit."""
    return tuple([(unit, body) for unit, body in field.bodies if unit.id not in without])


def obstacles(ground: Ground, body: Figure, bodies: Iterable[Base] = ()) -> Obstacles:
    """Give the ways of a model past what cannot be entered and past bases; terrain that it stands on is no obstacle."""
    near = ground.beside.within(body.radius, body.at)
    on = {id_ for id_, gap in near.items() if gap < body.radius - SLACK}
    slim = len(near) > len(on)
    radius = max(1, body.radius - SLACK) if slim else body.radius
    return ground.obstacles(radius, on, tuple(rounds(body, bodies)))


def shortest(ground: Ground, body: Figure, goal: Point, bodies: tuple[Base, ...], at_most: float) -> Path | None:
    """Give the shortest path of a model to a place; None if every one is longer than `at_most`, or none leads there."""
    # Most paths are little longer than the straight one, and come to few bases.
    little = STRETCH * dist(body.at, goal)
    path = _shortest(ground, body, goal, _on_paths(body, goal, bodies, little), little) if little < at_most else None
    return path or _shortest(ground, body, goal, _on_paths(body, goal, bodies, at_most), at_most)


def _on_paths(body: Figure, goal: Point, bodies: tuple[Base, ...], at_most: float) -> tuple[Base, ...]:
    """Give those of some bases to which a path of a length may come, and some more."""
    # A start beyond the rim of the table is moved by less than the base.
    return tuple(
        [
            (other, gap, passable)
            for other, gap, passable in bodies
            if dist(body.at, other.at) + dist(other.at, goal) <= at_most + 2 * (other.radius + gap + 2 * body.radius)
        ]
    )


@held_by_first(most=PATHS_KEPT)
def _shortest(ground: Ground, body: Figure, goal: Point, bodies: tuple[Base, ...], at_most: float) -> Path | None:
    ways = obstacles(ground, body, bodies)
    return ways.path(start_of(ways, body), floats(goal), at_most)


def obstacles_hit(field: Battlefield, body: Figure, path: Path) -> tuple[str, ...]:
    """Give the impassable pieces that a path with straight legs enters, except those it begins on."""
    least = body.radius - SLACK
    on = field.ground.beside.within(least, body.at)
    x, y, to_x, to_y = box_around(path)
    near = field.ground.beside.along(least, ((x, y), (to_x, to_y)))
    pieces = [piece for piece in near if piece.id not in on]
    return tuple(pieces[number].id for number in nearer(path, [piece.outline for piece in pieces], least))


def off_table(field: Battlefield, body: Figure, path: Path) -> bool:
    """Decide whether a path with straight legs leads off the table with any part of the base."""
    return not all(field.ground.has_room(leg.end, body.radius - SLACK) for leg in path.legs)


def units_passed(path: Path, radius: int, bodies: Iterable[tuple[Unit, Figure]]) -> tuple[str, ...]:
    """Give the units whose bases a path leads through."""
    around = box_around(path)
    return tuple(
        dict.fromkeys(
            unit.id
            for unit, other in bodies
            if near_box(around, other, radius)
            and first_within(path, floats(other.at), radius + other.radius - other.slack - 1) is not None
        )
    )


def near_box(around: Box, other: Figure, radius: int) -> bool:
    """Decide whether a base on a path may touch another; `around` is the box around the path."""
    (x, y), wide = other.at, radius + other.radius + other.slack
    return around[0] - wide <= x <= around[2] + wide and around[1] - wide <= y <= around[3] + wide


def units_entered(at: Point, radius: int, bodies: Iterable[tuple[Unit, Figure]]) -> tuple[str, ...]:
    """Give the units into whose bases a base at a place reaches."""
    return tuple(
        dict.fromkeys([unit.id for unit, other in bodies if dist(at, other.at) < radius + other.radius - other.slack])
    )


def deviation(path: Path, other: Point) -> float:
    """Give how far a path strays from the straight line that leads from its start away from another place."""
    (x, y), away = path.start, dist(path.start, other)
    ahead = ((x - other[0]) / away, (y - other[1]) / away)
    spots = [(to_x - x, to_y - y) for to_x, to_y in (leg.end for leg in path.legs)]
    back = max((-(u * ahead[0] + v * ahead[1]) for u, v in spots), default=0.0)
    return max((abs(u * ahead[1] - v * ahead[0]) for u, v in spots), default=0.0) + max(back, 0.0)


def first_touch(path: Path, radius: int, other: Figure) -> float | None:
    """Find the length of a path at which it first touches another base; None if it never does."""
    spot = first_within(path, floats(other.at), radius + other.radius + other.slack - 1)
    return None if spot is None else spot.along


def before_contact(path: Path, radius: int, bodies: Iterable[Figure]) -> Path:
    """Give as much of a path as touches none of some bases."""
    spots = (first_within(path, floats(other.at), radius + other.radius + apart(other)) for other in bodies)
    return clipped(path, 0.0, min([path.length, *(spot.along for spot in spots if spot is not None)]))


def beside(
    field: Battlefield,
    body: Figure,
    leader: Figure,
    wish: Point,
    bodies: Sequence[tuple[Unit, Figure]],
    avoided: Sequence[Figure] = (),
) -> Point | None:
    """Give the place in contact with a leader's base that is free and nearest to a wish; None if none is free.

    It overlaps none of `bodies`, and touches none of `avoided` if there is such a place.
    """
    reach = leader.radius + body.radius
    first = [wish] if abs(dist(wish, leader.at) - reach) < leader.slack else []
    near = _near_ring(leader, reach + body.radius, bodies)
    touching: Point | None = None
    for at in (*first, *sorted(_ring(leader.at, reach, AROUND), key=partial(dist, wish))):
        if units_entered(at, body.radius, near) or not free(field, body, at):
            continue
        there = straight(floats(at), floats(at))
        if all(first_touch(there, body.radius, other) is None for other in avoided):
            return at
        touching = touching or at
    return touching


def around(field: Battlefield, body: Figure, other: Figure, bodies: Sequence[tuple[Unit, Figure]]) -> tuple[Point, ...]:
    """Give the free places of a model in contact with another base: the nearest one, and some all around it."""
    reach = other.radius + body.radius
    ahead = atan2(body.at[1] - other.at[1], body.at[0] - other.at[0])
    spots: Sequence[Point] = _ring(other.at, reach, AROUND, ahead)
    for _, each in _near_ring(other, reach + body.radius, bodies):
        least = body.radius + each.radius - each.slack
        spots = [spot for spot in spots if dist(spot, each.at) >= least]
    return tuple([spot for spot in spots if free(field, body, spot)])


_ring = lru_cache(maxsize=RINGS_KEPT)(ring)


def _near_ring(middle: Figure, wide: int, bodies: Iterable[tuple[Unit, Figure]]) -> list[tuple[Unit, Figure]]:
    """Give the bases that reach into a ring around another base, up to what rounding moves and slack lets touch."""
    beyond = wide + middle.slack + 1
    return [(unit, each) for unit, each in bodies if dist(each.at, middle.at) < beyond + each.radius]


def free(field: Battlefield, body: Figure, at: Point) -> bool:
    """Decide whether terrain leaves a place free for a model: on the table, and in nothing impassable."""
    low = body.radius - SLACK
    return field.ground.has_room(at, low) and not field.ground.beside.within(low, at)


def put(unit: Unit, at: Sequence[Point]) -> Unit:
    """Give a unit with its models at other places."""
    return replace(unit, models=tuple(place(one) for one in at))


def towards(field: Battlefield, body: Figure, edge: Edge, bodies: Sequence[Base], around: bool) -> tuple[Path, float]:
    """Give the path of a model towards an edge, and how far short of touching the edge it ends.

    The shortest way `around` what is in the way, or else straight ahead and as far as nothing is. Where no way leads
    to the edge it is straight ahead, too.
    """
    ways = obstacles(field.ground, body, bodies)
    start = start_of(ways, body)
    path_around = path_to_edge(ways, start, edge) if around else None
    if path_around is not None:
        return path_around, 0.0
    ahead = square_to_edge(ways, start, edge)
    path = straight(start, ahead)
    if not ways.clear(start, ahead):
        path = clipped(path, 0.0, last_length(lambda far: ways.clear(start, path.at(far)), path.length))
    return path, edge_distance(ways, path.end, edge)


def clear_of_bases(path: Path, radius: int, bodies: Sequence[Figure]) -> Path:
    """Give as much of a path as ends in no base."""
    until = path.length
    for _ in range(len(bodies) + 1):
        end = path.at(until)
        entered = [other for other in bodies if dist(end, other.at) < radius + other.radius - EQUAL]
        if not entered:
            break
        until = min(_entry(clipped(path, 0.0, until), radius, other) for other in entered)
    return clipped(path, 0.0, until)


def _entry(path: Path, radius: int, other: Figure) -> float:
    """Give the last length of a path, from its end backwards, at which it is out of a base that it ends in."""
    legs = tuple(Leg(leg.end, leg.start, leg.length, leg.centre, leg.radius, -leg.angle) for leg in path.legs[::-1])
    back = Path(path.end, path.start, path.length, path.length, legs)
    low, high = 0.0, path.length
    # The base is left once on the way back: a path does not bend around a base that it goes through.
    while high - low > FINE:
        middle = (low + high) / 2
        inside = dist(back.at(middle), other.at) < radius + other.radius
        low, high = (middle, high) if inside else (low, middle)
    return path.length - high
